//! Asks the person at the terminal: for permission to run the commands of a foreign file, and for a choice.

use super::out::complain;
use session::{Consent, Wanted};
use std::io::{IsTerminal, Read};

/// Shows the commands, and asks. Without a person at the terminal, the answer is [`Consent::Unasked`].
pub fn ask(wanted: &Wanted) -> Consent {
    let name = wanted.file.display();
    let lines = wanted.lines();
    let question = format!(
        "{name} was not written by your qp. Continuing runs these commands:\n{lines}\n\
         Run them? qp remembers a yes while the commands stay the same. [y/N]"
    );
    let Some(answer) = answer_to(&question) else { return Consent::Unasked };
    if ["y", "yes"].contains(&answer.to_lowercase().as_str()) { Consent::Always } else { Consent::Refused }
}

/// Shows the choices with numbers, and asks for one. `None` without a person at the terminal, and for an
/// answer that is no such number.
pub fn choose(question: &str, choices: &[String]) -> Option<usize> {
    let shown: String = choices
        .iter()
        .enumerate()
        .map(|(at, choice)| format!("{:>3}  {choice}\n", at.saturating_add(1)))
        .collect();
    let answer = answer_to(&format!("{shown}{question} [1-{}]", choices.len()))?;
    let at = answer.parse::<usize>().ok()?.checked_sub(1)?;
    (at < choices.len()).then_some(at)
}

/// The line that the person at the terminal answers; `None` if there is none.
fn answer_to(question: &str) -> Option<String> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return None;
    }
    // A terminal returns one line per read, so lines typed ahead stay for the prompt.
    let mut terminal = std::fs::File::open("/dev/tty").ok()?;
    complain(format_args!("{question}"));
    let mut line = [0; 256];
    let read = terminal.read(&mut line).unwrap_or(0);
    Some(String::from_utf8_lossy(line.get(..read).unwrap_or_default()).trim().to_owned())
}
