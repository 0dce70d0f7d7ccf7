//! Shows an exchange of a dialogue: its reply as text or JSON, its error as an error.

use super::options::{Cli, Format};
use super::out::{complain, error_text, json_line, print};
use command::exchange::Exchange;
use serde::Serialize;
use std::io::IsTerminal;

/// Shows an exchange. `text` gives a reply as text, in colours or not. Returns an exit
/// code, which is not 0 if writing failed.
pub fn show<R: Serialize>(cli: &Cli, exchange: &Exchange<R>, text: impl Fn(&R, bool) -> String) -> u8 {
    match (cli.format, &exchange.reply) {
        (Format::Json, _) => print(&json_line(exchange)),
        (Format::Text, Ok(reply)) => print(&text(reply, cli.colors(std::io::stdout().is_terminal()))),
        (Format::Text, Err(error)) => {
            complain(format_args!("{}", error_text(error, cli.colors(std::io::stderr().is_terminal()))));
            0
        }
    }
}
