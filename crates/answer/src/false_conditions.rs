//! Tells which conditions the hits of a point did not satisfy: thread, caller or `when`, with the operands at
//! some of them (DESIGN §5.20).

use super::answer_facts::AnswerFacts;
use model::{Namer, Value};
use query::{QueryReport, Sample, Tally, TraceQuery};

/// Maximum number of names in a list.
const NAMED: usize = 3;
/// Maximum length of a displayed value, in characters.
const VALUE: usize = 60;

/// `once`, `5 times`.
pub fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// `a`, `a and b`, `a, b and 3 more`.
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] if names.len() <= NAMED => format!("{} and {last}", all.join(", ")),
        _ => {
            let shown = names.get(..NAMED).unwrap_or_default();
            format!("{} and {} more", shown.join(", "), names.len() - shown.len())
        }
    }
}

/// Describes the hits of a query that failed its thread, caller or condition.
pub fn conditions(
    facts: &AnswerFacts<'_>,
    query: &TraceQuery,
    run: &QueryReport,
    namer: &mut Namer,
) -> String {
    let times = |count: u64| {
        if run.at_least { format!("at least {}", times(count)) } else { times(count) }
    };
    let mut parts = vec![format!("it occurred {}", times(run.events))];
    if run.other_thread > 0 {
        let thread = query.local.thread.as_deref().unwrap_or("?");
        let count = times(run.other_thread);
        parts.push(format!(
            "{count} in another thread than {thread} ({})",
            tally(&run.threads, run.other_thread)
        ));
    }
    if run.other_caller > 0 {
        let from = query.local.from.as_deref().unwrap_or("?");
        let count = times(run.other_caller);
        parts.push(format!(
            "{count} without {from} on the stack (called from {})",
            tally(&run.callers, run.other_caller)
        ));
    }
    if run.condition_false > 0 {
        let count = times(run.condition_false);
        parts.push(format!("its condition was false {count}{}", samples(facts, &run.samples, namer)));
    }
    if run.condition_failed > 0 {
        let count = times(run.condition_failed);
        let why = match run.failures.named.as_slice() {
            [(one, _)] if run.failures.others == 0 => one.clone(),
            _ => tally(&run.failures, run.condition_failed),
        };
        let at = failed_at(facts, run, namer);
        parts.push(format!("its condition could not be evaluated {count}: {why}{at}"));
    }
    parts.extend(evaluated_outside(run));
    if let Ok(index @ 1..) = u64::try_from(query.index)
        && run.asked > 0
        && run.asked <= index
    {
        parts.push(format!("which is not enough for index {index}"));
    }
    parts.join(", ")
}

/// The values at the first event where the condition could not be evaluated.
pub fn failed_at(facts: &AnswerFacts<'_>, run: &QueryReport, namer: &mut Namer) -> String {
    let is_known = |(_, value): &&(String, Value)| !matches!(value, Value::Failed(_));
    let known: Vec<(String, Value)> = run.failed_at.iter().filter(is_known).cloned().collect();
    if known.is_empty() {
        return String::new();
    }
    let values = operands(facts, &known, namer);
    format!(" ({values} the first time)")
}

/// So many evaluations from outside the VM are worth a note: they took about a tenth of a second.
const MANY: u64 = 100;

/// Notes that the VM could not test a condition by itself.
pub fn evaluated_outside(run: &QueryReport) -> Option<String> {
    if run.outside.is_empty() || run.evaluated < MANY {
        return None;
    }
    let parts: Vec<String> = run.outside.iter().map(|part| format!("`{part}`")).collect();
    let count = times(run.evaluated);
    Some(format!(
        "its condition was evaluated {count} from outside the VM, which cannot test {}",
        list(&parts)
    ))
}

fn operands(facts: &AnswerFacts<'_>, operands: &[(String, Value)], namer: &mut Namer) -> String {
    let tables = &facts.run_facts.outcome.tables;
    let named = operands.iter().map(|(name, value)| {
        let text = namer.text(value, tables);
        format!("{name} = {}", shortened(&text))
    });
    named.collect::<Vec<_>>().join(", ")
}

/// Formats counts, the most frequent first. If there were more events than were counted by name, only names.
fn tally(tally: &Tally, events: u64) -> String {
    let mut named = tally.named.clone();
    if named.iter().map(|(_, count)| count).sum::<u64>() + tally.others < events {
        let names: Vec<String> = named.into_iter().map(|(name, _)| name).collect();
        return list(&names);
    }
    named.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut parts: Vec<String> =
        named.iter().map(|(name, count)| format!("{name} {}", times(*count))).collect();
    if tally.others > 0 {
        parts.push(format!("others {}", times(tally.others)));
    }
    parts.join(", ")
}

/// Formats the first sample, the last and one between, if they differ.
fn samples(facts: &AnswerFacts<'_>, samples: &[Sample], namer: &mut Namer) -> String {
    let mut shown: Vec<(u64, String)> = Vec::new();
    for sample in samples {
        let text = operands(facts, &sample.operands, namer);
        if shown.last().is_none_or(|(_, last)| *last != text) {
            shown.push((sample.number, text));
        }
    }
    match shown.as_slice() {
        [] => String::new(),
        [(_, one)] if samples.len() == 1 => format!(" ({one})"),
        [(_, one)] => format!(" ({one} each time it was sampled)"),
        [first, .., last] => {
            let between = shown.get(shown.len() / 2).filter(|s| *s != first && *s != last);
            let text = |(number, text): &(u64, String)| format!("{text} the {} time", ordinal(*number));
            let all: Vec<String> =
                [Some(first), between, Some(last)].into_iter().flatten().map(text).collect();
            format!(" ({})", all.join("; "))
        }
    }
}

/// A value as it stands in a sentence: at most so many characters.
pub fn shortened(text: &str) -> String {
    if text.chars().count() <= VALUE {
        text.to_owned()
    } else {
        text.chars().take(VALUE).chain(['…']).collect()
    }
}

fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_well() {
        assert_eq!([1, 2].map(times), ["once", "2 times"]);
        assert_eq!([1, 2, 4, 11, 32, 512].map(ordinal), ["1st", "2nd", "4th", "11th", "32nd", "512th"]);
        let names = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        assert_eq!(
            [1, 2, 3, 5].map(|n| list(&names(n))),
            ["0", "0 and 1", "0, 1 and 2", "0, 1, 2 and 2 more"]
        );
    }
}
