//! The source text of a lambda.

use super::LambdaCode;
use std::sync::Arc;

/// Maximum length of a lambda's text, in characters.
const LAMBDA: usize = 60;

/// The source text of a lambda. `source` returns a line of a file. `None` if the source is unavailable.
pub fn lambda_in_source(
    code: &LambdaCode,
    source: impl FnOnce(&Arc<str>, u32) -> Option<String>,
) -> Option<String> {
    let (file, line) = code.place.as_ref().filter(|_| code.is_body())?;
    let source = source(file, *line)?;
    let body = lambda_in(&source).unwrap_or("lambda");
    let body: String = match body.char_indices().nth(LAMBDA) {
        Some((end, _)) => format!("{}…", body.get(..end).unwrap_or(body)),
        None => body.to_owned(),
    };
    Some(format!("{file}:{line} {body}"))
}

/// The lambda in a source line, if there is exactly one: its parameters, the arrow, and the part of its body
/// on that line.
fn lambda_in(line: &str) -> Option<&str> {
    let mut arrows = line.match_indices("->");
    let (arrow, _) = arrows.next()?;
    if arrows.next().is_some() || line.contains("case ") || line.contains("default ") {
        return None;
    }
    let before = line.get(..arrow)?.trim_end();
    let start = match before.strip_suffix(')') {
        Some(inside) => {
            let mut depth = 1;
            let open = inside.char_indices().rev().find(|(_, c)| {
                depth += match c {
                    ')' => 1,
                    '(' => -1,
                    _ => 0,
                };
                depth == 0
            });
            open?.0
        }
        None => before.rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').map_or(0, |at| at + 1),
    };
    let mut depth = 0;
    let mut quote: Option<char> = None;
    let mut escaped = false;
    let body = line.get(arrow + 2..)?;
    let end = body.char_indices().find(|(_, c)| {
        if let Some(open) = quote {
            if escaped {
                escaped = false;
            } else if *c == '\\' {
                escaped = true;
            } else if *c == open {
                quote = None;
            }
            return false;
        }
        match c {
            '"' | '\'' => quote = Some(*c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return true,
            ')' | ']' | '}' => depth -= 1,
            ',' | ';' if depth == 0 => return true,
            _ => {}
        }
        false
    });
    let end = end.map_or(body.len(), |(at, _)| at);
    line.get(start..arrow + 2 + end).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lambda_is_found_in_its_line() {
        assert_eq!(lambda_in("ToIntFunction<Order> fn = o -> o.total();"), Some("o -> o.total()"));
        assert_eq!(lambda_in("list.forEach((a, b) -> put(a, b), 3);"), Some("(a, b) -> put(a, b)"));
        assert_eq!(lambda_in("run(() -> say(\"),\"), 1);"), Some("() -> say(\"),\")"));
        assert_eq!(lambda_in("map(x -> { return x;"), Some("x -> { return x;"));
        assert_eq!(lambda_in("a(x -> 1, y -> 2)"), None);
        assert_eq!(lambda_in("return x;"), None);
    }
}
