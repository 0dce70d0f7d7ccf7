//! Adds the contents of the objects in an answer, and the source text of lambdas. This is a second pass,
//! after every value has its name: the numbers of objects then do not depend on which contents were readable.

use super::PointAnswer;
use locate::Located;
use model::{Frame, LambdaCode, MethodName, Namer, Occurrence, Site, Tables, Value, lambda_in_source};
use program::code_book::CodeBook;
use query::{Event, TraceQuery};
use std::sync::Arc;

/// Adds the contents that the objects of a located point had there.
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
    let thrown_or_result = detail.into_iter().flat_map(|d| [&d.thrown, &d.result]).flatten();
    let collected = occurrence.kept.get(query.keep.len()..).unwrap_or_default();
    let values: Vec<&Value> = change.chain(thrown_or_result).chain(owner).chain(collected).collect();
    // Number all objects first, so that the contents of one do not number the next.
    let names: Vec<String> = values.iter().map(|value| namer.identity(value, tables)).collect();
    for (value, name) in values.into_iter().zip(names) {
        add_contents_of(answer, namer, tables, value, name, occurrence);
    }
}

/// Adds the contents that a value of this name had at an occurrence, unless the answer has them.
pub fn add_contents_of(
    answer: &mut PointAnswer,
    namer: &mut Namer,
    tables: &Tables,
    value: &Value,
    name: String,
    occurrence: &Occurrence,
) {
    let Some(id) = value.object_id().filter(|_| !answer.contents.contains_key(&name)) else { return };
    let detail = occurrence.detail.as_ref();
    let contents =
        detail.and_then(|d| d.contents.iter().find(|(of, _)| *of == id)).map(|(_, contents)| contents);
    if let Some(text) = namer.contents(value, contents, tables) {
        answer.contents.insert(name, text);
    }
}

/// Names the lambdas of a run by their source: `Shop.java:41 o -> o.total()`.
pub fn name_lambdas(namer: &mut Namer, tables: &Tables, book: &CodeBook<'_>) {
    let codes: Vec<Arc<LambdaCode>> = tables.lambdas().cloned().collect();
    for code in codes {
        let text = lambda_in_source(&code, |file, line| {
            let method = MethodName::new(code.class.clone(), &*code.method, "()V");
            let source_file = Some(file.clone());
            book.text(&Frame { site: Site { method, bci: 0 }, line: Some(line), source_file, loader: None })
        });
        if let Some(text) = text {
            namer.name_lambda(code, text);
        }
    }
}
