//! The clauses that narrow a point, shared by every command that adds one: `as ID`, `index N`, `before P`,
//! `after P`, `within P`, `thread NAME`, `from CLASS.METHOD`, and at the end `when CONDITION`.

use super::Reply;
use crate::CommandError;
use chain::{Kind, Point};
use replay::explore::Explorer;

/// The values of the clauses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clauses {
    id: Option<String>,
    when: Option<String>,
    index: Option<i64>,
    before: Option<String>,
    after: Option<String>,
    within: Option<String>,
    thread: Option<String>,
    from: Option<String>,
}

const KNOWN: &str = "as ID, index N, before POINT, after POINT, within POINT, thread NAME (in double quotes if it has \
                     spaces), from CLASS.METHOD, when CONDITION";

impl Clauses {
    /// Parses clauses. `flags` are further words that the command accepts; those found are returned.
    pub fn parse<'f>(text: &str, flags: &[&'f str]) -> Result<(Clauses, Vec<&'f str>), CommandError> {
        let mut clauses = Clauses::default();
        let mut found = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (word, after) = split(rest);
            if let Some(flag) = flags.iter().find(|f| **f == word) {
                found.push(*flag);
                rest = after;
                continue;
            }
            if word == "when" {
                clauses.when = Some(condition(after)?);
                break;
            }
            let (value, after) = split(after);
            let slot = match word {
                "as" => &mut clauses.id,
                "before" => &mut clauses.before,
                "after" => &mut clauses.after,
                "within" => &mut clauses.within,
                "thread" => &mut clauses.thread,
                "from" => &mut clauses.from,
                "index" => {
                    let number = value.parse().map_err(|_| {
                        CommandError::Usage(format!(
                            "index `{value}`: expected 0 for the first hit, -1 for the last"
                        ))
                    })?;
                    clauses.index = Some(number);
                    rest = after;
                    continue;
                }
                _ => {
                    return Err(CommandError::Usage(format!(
                        "`{word}` is no clause; the clauses are: {KNOWN}"
                    )));
                }
            };
            if value.is_empty() {
                return Err(CommandError::Usage(format!("`{word}` has no value; the clauses are: {KNOWN}")));
            }
            *slot = Some(value.to_owned());
            rest = after;
        }
        Ok((clauses, found))
    }

    /// Adds the point to the session's chain.
    pub async fn add(
        self,
        at: Kind,
        caught: Option<bool>,
        explorer: &mut Explorer,
    ) -> Result<Reply, CommandError> {
        let id = self.id.unwrap_or_else(|| explorer.next_id());
        let point = Point {
            when: self.when,
            index: self.index,
            before: self.before,
            after: self.after,
            within: self.within,
            thread: self.thread,
            from: self.from,
            caught,
            ..Point::new(id.clone(), at)
        };
        let question = point.question();
        let asked = explorer.add(point).await?;
        Ok(Reply::Added { id, question, asked })
    }
}

/// Parses a condition, which takes the rest of the line. No Java condition has a clause's word second to
/// last.
fn condition(text: &str) -> Result<String, CommandError> {
    if text.is_empty() {
        return Err(CommandError::Usage(format!("`when` has no value; the clauses are: {KNOWN}")));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let clause = words
        .iter()
        .rev()
        .nth(1)
        .filter(|w| ["as", "index", "before", "after", "within", "thread", "from"].contains(w));
    match clause {
        Some(clause) => Err(CommandError::Usage(format!(
            "`when` takes the rest of the line, so `{clause}` must come before it"
        ))),
        None => Ok(text.to_owned()),
    }
}

/// Splits off a reference such as `A:list[i + 1]` or `A:contents(set)`. Its brackets may hold spaces.
pub fn reference(words: &str) -> Option<(String, &str)> {
    let mut depth = 0_usize;
    let mut quoted = false;
    let end = words.char_indices().find_map(|(at, c)| {
        match c {
            '"' => quoted = !quoted,
            '[' | '(' | '{' if !quoted => depth += 1,
            ']' | ')' | '}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        (c.is_whitespace() && depth == 0 && !quoted).then_some(at)
    });
    let (reference, rest) = words.split_at(end.unwrap_or(words.len()));
    (!reference.is_empty()).then(|| (reference.to_owned(), rest))
}

/// Splits off the first word. A word in double quotes may hold spaces.
pub fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    if let Some(quoted) = text.strip_prefix('"')
        && let Some((word, after)) = quoted.split_once('"')
    {
        return (word, after.trim());
    }
    let (word, after) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, after.trim())
}

/// Splits `Class:31` into class and line.
pub fn class_and_line(text: &str) -> Option<(String, u32)> {
    let (class, line) = text.rsplit_once(':')?;
    // Accept `Intro.java:31`, the form in answers, as the class of that file.
    let class = class.strip_suffix(".java").unwrap_or(class);
    Some((class.to_owned(), line.parse().ok()?)).filter(|(class, _)| !class.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_takes_the_rest_of_the_line() {
        let (clauses, flags) =
            Clauses::parse("exit as Root index -1 when name == \"a b\" && x > 1", &["exit"]).unwrap();
        assert_eq!(flags, ["exit"]);
        assert_eq!((clauses.id.as_deref(), clauses.index), (Some("Root"), Some(-1)));
        assert_eq!(clauses.when.as_deref(), Some("name == \"a b\" && x > 1"));
    }

    #[test]
    fn what_is_no_clause_is_named() {
        let error = Clauses::parse("wen x", &[]).unwrap_err().to_string();
        assert!(error.starts_with("`wen` is no clause"), "{error}");
        assert!(Clauses::parse("after", &[]).unwrap_err().to_string().contains("has no value"));
        assert!(Clauses::parse("index first", &[]).unwrap_err().to_string().contains("-1 for the last"));
    }

    #[test]
    fn brackets_of_a_reference_can_hold_spaces() {
        let of = |text: &'static str| reference(text).unwrap();
        assert_eq!(of("A:list[i + 1] as X"), ("A:list[i + 1]".to_owned(), " as X"));
        assert_eq!(of("A:map{\"a } b\"} as X").0, "A:map{\"a } b\"}");
        assert_eq!(of("A:contents(this.all)"), ("A:contents(this.all)".to_owned(), ""));
        assert_eq!(reference(""), None);
    }

    #[test]
    fn a_thread_can_have_spaces() {
        let (clauses, _) = Clauses::parse("thread \"worker 1\" after B", &[]).unwrap();
        assert_eq!((clauses.thread.as_deref(), clauses.after.as_deref()), (Some("worker 1"), Some("B")));
    }

    #[test]
    fn a_place_of_an_answer_is_a_line() {
        assert_eq!(class_and_line("Intro.java:31"), Some(("Intro".to_owned(), 31)));
        assert_eq!(class_and_line("shop.Cart:12"), Some(("shop.Cart".to_owned(), 12)));
        assert_eq!(class_and_line("Intro"), None);
    }
}
