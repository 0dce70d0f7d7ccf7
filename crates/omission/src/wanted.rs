//! What is right, besides a condition at the point: how the program ends, what it prints, and what a right
//! version of it has there.

use super::agreement::agree;
use super::outcome::PointOutcome;
use debuggee::{Forward, MAX_LINE_BYTES, Stream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Most bytes of a program's output that are compared.
const OUTPUT: usize = 16 << 20;

/// What is wanted of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// A condition that holds at the point.
    pub condition: Option<String>,
    /// The exit code.
    pub exit_code: Option<i32>,
    /// Whether the test comes to the point and passes.
    pub test_passes: bool,
    /// What the program prints on its standard output.
    pub output: Option<WantedOutput>,
    /// The class path of a right version of the program, which has the right value at the point.
    pub reference: Option<String>,
}

/// What a program should print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedOutput {
    /// A text that is part of it.
    Part(String),
    /// All of it, apart from blanks at the end.
    Whole(String),
}

impl Wanted {
    /// Whether nothing is wanted.
    pub fn is_empty(&self) -> bool {
        *self == Wanted::default()
    }

    /// The same, or, if nothing is wanted and this is a test, that the test passes.
    #[must_use]
    pub fn or_passing(self, is_test: bool) -> Wanted {
        match self.is_empty() && is_test {
            true => Wanted { test_passes: true, ..self },
            false => self,
        }
    }

    /// Whether it is known only when the program has ended.
    pub(super) fn needs_end(&self) -> bool {
        self.exit_code.is_some() || self.output.is_some() || self.test_passes
    }

    /// Whether a run is right; `None` if nothing is wanted, or if it is not known. `point` is what stands
    /// at the point, and `right` what stands there in the right version.
    pub(super) fn holds(
        &self,
        end: &RunEnd,
        point: Option<&PointOutcome>,
        right: Option<&PointOutcome>,
    ) -> Option<bool> {
        let of_condition = self.condition.as_ref().map(|_| point.and_then(|point| point.holds));
        let of_exit = self.exit_code.map(|code| Some(end.exit_code == Some(code)));
        let of_test = self.test_passes.then(|| Some(end.exit_code == Some(0) && point.is_some()));
        let of_output = self.output.as_ref().map(|wanted| wanted.is_met(end));
        let of_reference = right.map(|right| point.and_then(|point| agree(&point.compared, &right.compared)));
        let all: Vec<Option<bool>> =
            [of_condition, of_exit, of_test, of_output, of_reference].into_iter().flatten().collect();
        match all.contains(&Some(false)) {
            true => Some(false),
            false if all.is_empty() || all.contains(&None) => None,
            false => Some(true),
        }
    }
}

impl WantedOutput {
    /// `None` if not all that was printed is known.
    fn is_met(&self, RunEnd { printed, is_cut, .. }: &RunEnd) -> Option<bool> {
        let is_met = match self {
            WantedOutput::Part(part) => printed.contains(part),
            WantedOutput::Whole(whole) => !is_cut && lines(printed) == lines(whole),
        };
        let breaks_lines = || printed.lines().any(|line| line.len() >= MAX_LINE_BYTES);
        if is_met || !(*is_cut || breaks_lines()) { Some(is_met) } else { None }
    }
}

/// The lines of a text, without blanks at its end.
fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().collect()
}

/// How a program ended, and what it printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RunEnd {
    /// Its exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// The beginning of its standard output.
    pub printed: String,
    /// Whether it printed more.
    pub is_cut: bool,
}

/// Listens to what a program prints.
#[derive(Clone, Default)]
pub(super) struct OutputListener {
    /// The beginning of its standard output, and whether it printed more.
    printed: Arc<Mutex<(String, bool)>>,
    /// Number of bytes of all its output.
    bytes: Arc<AtomicU64>,
}

impl OutputListener {
    /// What passes the output on to this listener.
    pub fn forward(&self) -> Forward {
        let (kept, bytes) = (self.printed.clone(), self.bytes.clone());
        Forward::new("", move |stream, lines| {
            bytes.fetch_add(u64::try_from(lines.len()).unwrap_or(u64::MAX), Ordering::Relaxed);
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if stream == Stream::Out {
                let (text, is_cut) = &mut *kept;
                *is_cut |= text.len() + lines.len() > OUTPUT;
                if !*is_cut {
                    text.push_str(lines);
                }
            }
        })
    }

    /// Number of bytes of all output.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// How a program ended that this listened to.
    pub fn end(&self, exit_code: Option<i32>) -> RunEnd {
        let (printed, is_cut) = self.printed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        RunEnd { exit_code, printed, is_cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_wanted_must_hold() {
        let end = RunEnd { exit_code: Some(0), printed: "one\ntwo\n".to_owned(), is_cut: false };
        let wanted = |exit_code, output| Wanted { exit_code, output, ..Wanted::default() };
        let part = |text: &str| Some(WantedOutput::Part(text.to_owned()));
        let whole = |text: &str| Some(WantedOutput::Whole(text.to_owned()));
        let holds = |of: &Wanted| of.holds(&end, None, None);
        assert_eq!(holds(&Wanted::default()), None);
        assert_eq!(holds(&wanted(Some(0), part("two"))), Some(true));
        assert_eq!(holds(&wanted(Some(1), part("two"))), Some(false));
        assert_eq!(holds(&wanted(None, whole("one\ntwo"))), Some(true));
        assert_eq!(holds(&wanted(None, whole("one"))), Some(false));
        let condition = Wanted { condition: Some("x > 0".to_owned()), ..Wanted::default() };
        assert_eq!(holds(&condition), None);
        assert!(!condition.needs_end() && wanted(Some(0), None).needs_end());
    }

    /// What was not kept may have the text.
    #[test]
    fn an_output_that_is_not_known_in_full_is_neither_right_nor_wrong() {
        let cut = RunEnd { printed: "one\n".to_owned(), is_cut: true, ..RunEnd::default() };
        let (part, whole) = (
            |text: &str| WantedOutput::Part(text.to_owned()),
            |text: &str| WantedOutput::Whole(text.to_owned()),
        );
        assert_eq!(part("one").is_met(&cut), Some(true));
        assert_eq!(part("two").is_met(&cut), None);
        assert_eq!(whole("one").is_met(&cut), None);
        // Long lines are broken where they are read.
        let long = RunEnd { printed: format!("{}\nb\n", "a".repeat(MAX_LINE_BYTES)), ..cut };
        let long = RunEnd { is_cut: false, ..long };
        assert_eq!(part("ab").is_met(&long), None);
        assert_eq!(whole("c").is_met(&long), None);
    }
}
