//! `break CLASS:LINE | CLASS.METHOD [exit]`: adds a point at a place, usually where the state is wrong.

use super::clauses::{Clauses, class_and_line, split};
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use chain::Kind;
use replay::explore::Explorer;

pub(super) struct BreakAt {
    kind: Kind,
    clauses: Clauses,
}

impl PromptCommand for BreakAt {
    fn parse(words: &str) -> Result<BreakAt, CommandError> {
        let (place, rest) = method_and_rest(words);
        let (clauses, flags) = Clauses::parse(rest, &["exit"])?;
        let kind = match class_and_line(place) {
            Some((class, line)) => Kind::Line(class, line),
            None if !place.contains('.') => return Err(usage("break")),
            None if flags.is_empty() => Kind::Entry(place.to_owned()),
            None => Kind::Exit(place.to_owned()),
        };
        Ok(BreakAt { kind, clauses })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        self.clauses.add(self.kind, None, explorer).await
    }
}

/// The first word and the rest. Parameters in parentheses belong to the word: `Shop.add(int, int)`.
fn method_and_rest(words: &str) -> (&str, &str) {
    match (words.find('('), words.find(')'), words.find(char::is_whitespace)) {
        (Some(open), Some(close), space) if open < close && space.is_none_or(|space| open < space) => {
            let (method, rest) = words.split_at(close + 1);
            (method, rest.trim())
        }
        _ => split(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_belong_to_the_method() {
        assert_eq!(method_and_rest("Shop.add(int, int) exit"), ("Shop.add(int, int)", "exit"));
        assert_eq!(method_and_rest("Shop:12 when (a) > 1"), ("Shop:12", "when (a) > 1"));
    }
}
