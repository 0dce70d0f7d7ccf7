//! Runs `qp dap`: for the editor that started it, for those that connect, or as a terminal of one.

use super::connection::{bytes_of, serve};
use super::{port, terminal};
use crate::ui::interrupt::Hearing;
use crate::ui::options::Cli;
use crate::ui::out::complain;
use servers::dap::Dap;

/// Serves the editor at the other end of standard input and output, or those that connect to a port. Returns
/// the exit code.
pub async fn run(_cli: &Cli, args: &Dap) -> u8 {
    if let Some(socket) = &args.terminal {
        return terminal::forward(socket);
    }
    let served = match (Hearing::new(), args.port) {
        (Ok(mut hearing), Some(port)) => port::serve(port, &mut hearing).await,
        (Ok(mut hearing), None) => {
            serve(bytes_of(std::io::stdin()), std::io::stdout(), None, &mut hearing).await.map(drop)
        }
        (Err(error), _) => Err(error),
    };
    match served {
        Ok(()) => 0,
        Err(error) => {
            complain(format_args!("error: the connection to the editor broke: {error}"));
            4
        }
    }
}
