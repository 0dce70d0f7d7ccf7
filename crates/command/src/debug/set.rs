//! `set [NAME VALUE]`: shows or changes the settings of runs.

use super::clauses::split;
use super::{PromptCommand, Reply, Setting};
use crate::CommandError;
use replay::Options;
use replay::explore::Explorer;

pub(super) struct Set {
    change: Option<(String, String)>,
}

/// The settings: name, meaning, value as text, change from text.
type Row = (&'static str, &'static str, fn(&Options) -> String, fn(&mut Options, &str) -> Option<()>);

const SETTINGS: &[Row] = &[
    (
        "output",
        "on or off: show the program's output while it runs",
        |o| if o.show_output { "on" } else { "off" }.to_owned(),
        |o, value| {
            o.show_output = match value {
                "on" => true,
                "off" => false,
                _ => return None,
            };
            Some(())
        },
    ),
    (
        "timeout",
        "time limit of a run in seconds; `chain`: the limit of the chain, or 300",
        |o| o.timeout_s.map_or_else(|| "chain".to_owned(), |s| s.to_string()),
        |o, value| {
            o.timeout_s = match value {
                "chain" => None,
                seconds => Some(seconds.parse().ok().filter(|s| *s > 0)?),
            };
            Some(())
        },
    ),
    (
        "max-runs",
        "maximum number of runs for one question: each unknown class or frame costs one",
        |o| o.max_runs.to_string(),
        |o, value| {
            o.max_runs = value.parse().ok().filter(|n| (1..=1000).contains(n))?;
            Some(())
        },
    ),
    (
        "attempts",
        "maximum number of runs to reach the first point",
        |o| o.attempts.to_string(),
        |o, value| {
            o.attempts = value.parse().ok().filter(|n| (1..=1000).contains(n))?;
            Some(())
        },
    ),
    (
        "candidates",
        "number of rejected occurrences kept per point, with the reason",
        |o| o.candidates.to_string(),
        |o, value| {
            o.candidates = value.parse().ok().filter(|n| *n <= 1000)?;
            Some(())
        },
    ),
];

/// Names of the settings.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|(name, ..)| *name)
}

impl PromptCommand for Set {
    fn parse(words: &str) -> Result<Set, CommandError> {
        let (name, value) = split(words);
        Ok(Set { change: (!name.is_empty()).then(|| (name.to_owned(), value.to_owned())) })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        if let Some((name, value)) = &self.change {
            let known = || names().collect::<Vec<_>>().join(", ");
            let row = SETTINGS.iter().find(|(known, ..)| known == name).ok_or_else(|| {
                CommandError::Usage(format!("there is no setting `{name}`; the settings are: {}", known()))
            })?;
            row.3(explorer.options_mut(), value).ok_or_else(|| {
                CommandError::Usage(format!("{name} cannot be `{value}`; it is: {}", row.1))
            })?;
        }
        let shown = SETTINGS.iter().filter(|(name, ..)| self.change.as_ref().is_none_or(|(n, _)| n == name));
        let options = explorer.options();
        let shown = shown.map(|(name, about, value, _)| Setting { name, value: value(options), about });
        Ok(Reply::Settings(shown.collect()))
    }
}
