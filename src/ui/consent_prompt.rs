//! Asks the person at the terminal for permission to run the commands of a foreign file.

use super::out::complain;
use session::{Consent, Wanted};
use std::io::{IsTerminal, Read};

/// Shows the commands, and asks. Without a person at the terminal, the answer is [`Consent::Unasked`].
pub fn ask(wanted: &Wanted) -> Consent {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Consent::Unasked;
    }
    // A terminal returns one line per read, so lines typed ahead stay for the prompt.
    let Ok(mut terminal) = std::fs::File::open("/dev/tty") else { return Consent::Unasked };
    let name = wanted.file.display();
    complain(format_args!(
        "{name} was not written by your qp. Continuing runs these commands:\n{}",
        wanted.lines()
    ));
    complain(format_args!("Run them? qp remembers a yes while the commands stay the same. [y/N]"));
    let mut line = [0; 256];
    let read = terminal.read(&mut line).unwrap_or(0);
    let answer = String::from_utf8_lossy(line.get(..read).unwrap_or_default()).trim().to_lowercase();
    if ["y", "yes"].contains(&answer.as_str()) { Consent::Always } else { Consent::Refused }
}
