//! Compares an answer with the chain's expectation.

use super::{Difference, Expectation, PointAnswer};
use chain::Expect;

/// Compares an answer with its expectation. If `text` is given, `line` is ignored, since lines move (DESIGN
/// §6).
pub fn compare(expect: &Expect, answer: &PointAnswer) -> Expectation {
    let mut parts = Vec::new();
    let [old_identity, new_identity] = &answer.identities;
    let mut differ = |what: &str, expected: &str, found: Option<&str>| {
        // `expect` may also name an object instead of its value.
        let identity = match what {
            "old" => old_identity.as_deref(),
            "new" => new_identity.as_deref(),
            // Of several threads of one name, any is expected.
            "thread" => answer.thread_base.as_deref(),
            _ => None,
        };
        if found != Some(expected) && identity != Some(expected) {
            let (what, expected, found) = (what.to_owned(), expected.to_owned(), found.map(str::to_owned));
            parts.push(Difference { what, expected, found });
        }
    };
    let wants_located = expect.located.unwrap_or(true);
    if wants_located != answer.located {
        let word = |located| if located { "located" } else { "not located" };
        differ("outcome", word(wants_located), Some(word(answer.located)));
        return Expectation::new(parts);
    }
    if !answer.located {
        return Expectation::new(parts);
    }
    let operation = answer.omitted.as_ref().map(|omitted| omitted.operation.clone());
    let texts = [
        ("class", &expect.class, &answer.class),
        ("method", &expect.method, &answer.method),
        ("text", &expect.text, &answer.text),
        ("thread", &expect.thread, &answer.thread),
        ("old", &expect.old, &answer.old),
        ("new", &expect.new, &answer.new),
        ("taken", &expect.taken, &answer.taken),
        ("jump", &expect.jump, &answer.condition),
        ("operation", &expect.operation, &operation),
    ];
    for (what, expected, found) in texts {
        if let Some(expected) = expected {
            // `text` may be the line of the statement that stores the value, or that of the arm that produced
            // it.
            let statement = answer.statement.as_ref().and_then(|statement| statement.text.as_deref());
            if what == "text" && statement == Some(expected.trim()) {
                continue;
            }
            differ(what, expected.trim(), found.as_deref());
        }
    }
    let statement = answer.statement.as_ref().map(|statement| statement.line);
    if let (Some(line), None) = (expect.line.filter(|line| Some(*line) != statement), &expect.text) {
        let found = answer.line.map(|l| l.to_string());
        differ("line", &line.to_string(), found.as_deref());
    }
    Expectation::new(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> PointAnswer {
        PointAnswer {
            located: true,
            text: Some("foo = expr2(record);".into()),
            line: Some(27),
            new: Some("null".into()),
            ..PointAnswer::default()
        }
    }

    #[test]
    fn the_text_decides_over_the_line() {
        let expect = Expect {
            text: Some("foo = expr2(record);".into()),
            line: Some(99),
            new: Some("null".into()),
            ..Expect::default()
        };
        assert!(compare(&expect, &answer()).held);
    }

    #[test]
    fn an_object_can_be_expected_by_its_value_or_its_name() {
        let box_of_five = PointAnswer {
            new: Some("Integer 5".into()),
            identities: [None, Some("Integer@2".into())],
            ..answer()
        };
        let holds = |text: &str| {
            let expect = Expect { new: Some(text.into()), ..Expect::default() };
            compare(&expect, &box_of_five).held
        };
        assert!(holds("Integer 5") && holds("Integer@2"));
        assert!(!holds("Integer@3") && !holds("Integer 6"));
    }

    #[test]
    fn a_difference_names_both_sides() {
        let expect = Expect { new: Some("3".into()), line: Some(28), ..Expect::default() };
        let compared = compare(&expect, &answer());
        assert!(!compared.held);
        assert_eq!(
            compared.differences,
            ["new: expected `3`, found `null`", "line: expected `28`, found `27`"]
        );
    }

    #[test]
    fn absence_can_be_expected() {
        let expect = Expect { located: Some(false), ..Expect::default() };
        assert!(!compare(&expect, &answer()).held);
        assert!(compare(&expect, &PointAnswer::default()).held);
    }
}
