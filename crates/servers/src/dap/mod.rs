//! `qp dap`: its arguments. `launch` has what an editor asks to launch, `console` the questions that a user
//! writes in the editor's debug console. `rerun` is the mode in which going back is another run.

mod console;
mod launch;
mod rerun;

pub use console::{CONSOLE_TABLE, ConsoleCommand, ConsoleReply};
pub use launch::{Console, FirstStop, Launch, LaunchMode, Launched};
pub use rerun::{Rerun, RerunStop};

use std::path::PathBuf;

/// Debugs in an editor, with the past: speaks the Debug Adapter Protocol on standard input and output
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
                  qp dap    # started by an editor, whose launch configuration has `command`\n  \
                  qp dap --port 4711    # for an editor that connects; its configuration has `token` too")]
pub struct Dap {
    /// Wait for editors at this port of 127.0.0.1, one after another, and print a token that their launch
    /// configurations need; 0 chooses a port
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Connect this terminal with the program of a session
    #[arg(long, value_name = "SOCKET", hide = true)]
    pub terminal: Option<PathBuf>,
}
