//! What the objects of an answer hold, and what lambdas look like in their source: a second pass, after every value has its name, so
//! that the numbers of objects do not depend on what could be read of others.

use super::PointAnswer;
use super::source_context::CodeBook;
use crate::locate::Located;
use crate::model::{Frame, LambdaCode, MethodName, Namer, Site, Tables, Value};
use crate::query::{Event, TraceQuery};
use std::sync::Arc;

/// Longest text of a lambda, in characters.
const LAMBDA: usize = 60;

/// Adds what the objects of a located point held there.
pub fn add_contents(
    answer: &mut PointAnswer,
    namer: &mut Namer,
    tables: &Tables,
    query: &TraceQuery,
    found: &Located,
) {
    let occurrence = &found.occurrence;
    let detail = occurrence.detail.as_ref();
    let is_change = answer.new.is_some();
    let owner = Some(&occurrence.owner).filter(|_| matches!(query.event, Event::Changed(_)));
    let change = [&occurrence.old, &occurrence.new].into_iter().filter(|_| is_change);
    let came = detail.into_iter().flat_map(|d| [&d.thrown, &d.result]).flatten();
    let collected = occurrence.kept.get(query.keep.len()..).unwrap_or_default();
    let values: Vec<&Value> = change.chain(came).chain(owner).chain(collected).collect();
    // All names first, so that what one holds does not number the next.
    let names: Vec<String> = values.iter().map(|value| namer.identity(value, tables)).collect();
    for (value, name) in values.into_iter().zip(names) {
        let Some(id) = value.object_id() else { continue };
        if answer.contents.contains_key(&name) {
            continue;
        }
        let held = detail.and_then(|d| d.held.iter().find(|(of, _)| *of == id)).map(|(_, held)| held);
        if let Some(text) = namer.contents(value, held, tables) {
            answer.contents.insert(name, text);
        }
    }
}

/// Gives the lambdas of a run their texts: `Shop.java:41 o -> o.total()`.
pub fn name_lambdas(namer: &mut Namer, tables: &Tables, book: &CodeBook<'_>) {
    let codes: Vec<Arc<LambdaCode>> = tables.lambdas().cloned().collect();
    for code in codes {
        let text = lambda_in_source(&code, |file, line| {
            let method = MethodName::new(code.class.clone(), &*code.method, "()V");
            let source_file = Some(file.clone());
            book.text(&Frame { site: Site { method, bci: 0 }, line: Some(line), source_file })
        });
        if let Some(text) = text {
            namer.name_lambda(code, text);
        }
    }
}

/// The text of a lambda by its source, of which `source` gives a line of a file. None where the source is not there.
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

/// The lambda in a source line, if there is exactly one: its parameters, the arrow and its body as far as it is in the line.
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
