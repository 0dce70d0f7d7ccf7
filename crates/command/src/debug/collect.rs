//! `collect POINT [EXPR, EXPR…]`: sets the expressions that a point keeps and shows.

use super::clauses::split;
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Collect {
    point: String,
    exprs: Vec<String>,
}

impl PromptCommand for Collect {
    fn parse(words: &str) -> Result<Collect, CommandError> {
        let (point, rest) = split(words);
        if point.is_empty() {
            return Err(usage("collect"));
        }
        Ok(Collect { point: point.to_owned(), exprs: expressions(rest) })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let (point, exprs) = (self.point, self.exprs);
        let done = match exprs.as_slice() {
            [] => format!("{point} keeps its arguments, locals and the fields its line reads"),
            exprs => format!("{point} keeps {}", exprs.join(", ")),
        };
        explorer.change(&point, |p| p.collect = (!exprs.is_empty()).then_some(exprs)).await?;
        Ok(Reply::Done(done))
    }
}

/// Splits at commas outside parentheses, brackets and quotes.
fn expressions(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quote, mut start) = (Vec::new(), 0, None, 0);
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::expressions;

    #[test]
    fn commas_inside_do_not_part() {
        assert_eq!(expressions("a.f(1, 2), \"x,y\" + b, c[0]"), ["a.f(1, 2)", "\"x,y\" + b", "c[0]"]);
        assert_eq!(expressions(""), [""; 0]);
    }
}
