//! Asks the person at the terminal whether the commands of a foreign file may be run.

use super::out::complain;
use crate::session::{Consent, Wanted};
use std::io::{IsTerminal, Read};

/// Shows what would be run, and asks. Without a person at the terminal, the answer is [`Consent::Unasked`].
pub fn ask(wanted: &Wanted) -> Consent {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Consent::Unasked;
    }
    // A terminal gives one line per read, so that lines typed ahead stay for the prompt.
    let Ok(mut terminal) = std::fs::File::open("/dev/tty") else { return Consent::Unasked };
    let name = wanted.file.display();
    complain(format_args!(
        "{name} was not written by your qp. To go on with it runs this:\n{}",
        wanted.lines()
    ));
    complain(format_args!("Run it? Your answer is kept for as long as it says the same. [y/N]"));
    let mut line = [0; 256];
    let read = terminal.read(&mut line).unwrap_or(0);
    let answer = String::from_utf8_lossy(line.get(..read).unwrap_or_default()).trim().to_lowercase();
    if ["y", "yes"].contains(&answer.as_str()) { Consent::Always } else { Consent::Refused }
}
