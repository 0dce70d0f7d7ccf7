//! An answer before it is cut to pages: its rows, and what stands around them.

use super::budget::{beginning, clean, tokens};
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::Value;

/// How the result of a tool becomes text.
pub trait Told {
    /// The text in parts.
    fn parts(&self) -> Parts;
}

/// The text of a result in parts.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Lines before the rows.
    pub head: String,
    /// The rows; a page ends after a row.
    pub rows: Vec<String>,
    /// The field of the result that has an item for each row.
    pub items: Option<&'static str>,
    /// The cursor behind the last row, if the tool has more.
    pub more: Option<String>,
    /// Lines after the rows.
    pub tail: String,
}

/// An answer that can be sent to another thread.
#[derive(Clone, Debug)]
pub struct Answered {
    head: String,
    rows: Vec<Row>,
    items: Option<&'static str>,
    more: Option<String>,
    tail: String,
    next: String,
    structured: JsonObject,
}

#[derive(Clone, Debug)]
struct Row {
    text: String,
    item: Option<Value>,
}

/// A page of an answer.
#[derive(Clone, Debug)]
pub struct Page {
    /// The text.
    pub text: String,
    /// The same as data.
    pub structured: JsonObject,
    /// What did not fit.
    pub rest: Option<Answered>,
}

impl Answered {
    /// The answer of a result.
    pub fn new<R: Told + Serialize>(result: &R) -> Answered {
        let Parts { head, rows, items, more, tail } = result.parts();
        let mut structured = match serde_json::to_value(result) {
            Ok(Value::Object(object)) => object,
            // Results are objects.
            Ok(_) | Err(_) => JsonObject::new(),
        };
        structured.values_mut().for_each(clean_value);
        let next = match structured.shift_remove("next") {
            Some(Value::String(next)) => next,
            _ => String::new(),
        };
        let found = items.and_then(|key| structured.shift_remove(key));
        let found = match found {
            Some(Value::Array(found)) => found,
            _ => Vec::new(),
        };
        let mut found = found.into_iter();
        let rows = rows.iter().map(|text| Row { text: lines(text), item: found.next() }).collect();
        Answered { head: lines(&head), rows, items, more, tail: lines(&tail), next, structured }
    }

    /// A page of at most so many tokens. `cursor` gives the cursor of the rest.
    pub fn page(self, most: usize, cursor: impl FnOnce() -> String) -> Page {
        let Answered { head, mut rows, items, more, tail, next, mut structured } = self;
        // The state, the cursor and what comes next are always there.
        let around = tokens(&head) + tokens(&tail) + tokens(&next) + 40;
        let fitting = fitting(&mut rows, most.saturating_sub(around).max(most / 4));
        let others = rows.split_off(fitting);
        let mut text = String::from("state: done\n");
        text.push_str(beginning(&head, most / 2));
        if !text.ends_with('\n') {
            text.push_str("…\n");
        }
        rows.iter().for_each(|row| text.push_str(&row.text));
        structured.shift_insert(0, "state".to_owned(), "done".into());
        if let Some(key) = items {
            let items = rows.into_iter().filter_map(|row| row.item).collect();
            structured.insert(key.to_owned(), Value::Array(items));
        }
        let mut rest = None;
        let at = match (others.is_empty(), more) {
            (true, None) => None,
            (true, Some(more)) => {
                text.push_str(&format!("… there are more: cursor={more}\n"));
                Some(more)
            }
            (false, more) => {
                let left_out = others.len();
                let at = cursor();
                let what = if items.is_some() { "rows" } else { "lines" };
                let beyond = if more.is_some() { " and more behind them" } else { "" };
                text.push_str(&format!("… {left_out} more {what}{beyond}: cursor={at}\n"));
                let structured = structured.clone();
                rest = Some(Answered {
                    head: String::new(),
                    rows: others,
                    items,
                    more,
                    tail: String::new(),
                    next: next.clone(),
                    structured,
                });
                Some(at)
            }
        };
        if let Some(at) = at {
            structured.insert("cursor".to_owned(), at.into());
        }
        text.push_str(beginning(&tail, most / 2));
        if !text.ends_with('\n') {
            text.push_str("…\n");
        }
        if !next.is_empty() {
            text.push_str(&format!("next: {next}\n"));
            structured.insert("next".to_owned(), next.into());
        }
        Page { text, structured, rest }
    }
}

/// The number of rows that fit in so many tokens, at least one. A first row that does not is cut.
fn fitting(rows: &mut [Row], mut left: usize) -> usize {
    let mut fitting = 0;
    for row in rows {
        let needs = tokens(&row.text);
        if needs > left && fitting == 0 {
            let kept = beginning(&row.text, left.saturating_sub(20)).to_owned();
            row.text = format!("{}\n… cut: a higher `limit` shows all of it\n", kept.trim_end());
        } else if needs > left {
            break;
        }
        left = left.saturating_sub(needs);
        fitting += 1;
    }
    fitting
}

/// Whole lines without hidden characters. None can be taken for the first or the last line of an answer.
fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for line in clean(text).lines() {
        if ["state:", "next:"].iter().any(|word| line.trim_start().starts_with(word)) {
            out.push_str("| ");
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// A text on one line: a name that the program chose can have several.
pub fn one_line(text: &str) -> String {
    text.replace('\r', "").replace('\n', "\\n")
}

fn clean_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = clean(text),
        Value::Array(items) => items.iter_mut().for_each(clean_value),
        Value::Object(parts) => parts.values_mut().for_each(clean_value),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Text of the program as lines that cannot be taken for others.
pub fn quoted_lines(text: &str) -> String {
    text.lines().map(|line| format!("| {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Numbers {
        found: Vec<u32>,
        next: &'static str,
    }

    impl Told for Numbers {
        fn parts(&self) -> Parts {
            let rows = self.found.iter().map(|number| format!("number {number} {}", "x".repeat(60)));
            Parts {
                head: "numbers".to_owned(),
                rows: rows.collect(),
                items: Some("found"),
                ..Parts::default()
            }
        }
    }

    #[test]
    fn pages_have_all_rows_once_and_say_what_is_left() {
        let mut answered = Answered::new(&Numbers { found: (0..100).collect(), next: "go on" });
        let (mut seen, mut pages) = (Vec::new(), 0);
        loop {
            let page = answered.page(400, || "rest:1".to_owned());
            assert!(tokens(&page.text) <= 400, "{}", tokens(&page.text));
            assert!(page.text.starts_with("state: done\n") && page.text.ends_with("next: go on\n"));
            let items = page.structured["found"].as_array().unwrap().clone();
            seen.extend(items.iter().map(|item| item.as_u64().unwrap()));
            pages += 1;
            match page.rest {
                Some(rest) => {
                    let left = 100 - seen.len();
                    assert!(
                        page.text.contains(&format!("… {left} more rows: cursor=rest:1\n")),
                        "{}",
                        page.text
                    );
                    assert_eq!(page.structured["cursor"], "rest:1");
                    answered = rest;
                }
                None => break,
            }
        }
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
        assert!(pages > 4, "{pages}");
    }

    #[test]
    fn a_row_that_is_longer_than_a_page_is_cut() {
        #[derive(Serialize)]
        struct One {
            next: &'static str,
        }
        impl Told for One {
            fn parts(&self) -> Parts {
                Parts { rows: vec!["y".repeat(100_000)], ..Parts::default() }
            }
        }
        let page = Answered::new(&One { next: "" }).page(300, || "rest:1".to_owned());
        assert!(tokens(&page.text) <= 300 && page.text.contains("… cut"), "{}", page.text.len());
        assert!(page.rest.is_none());
    }
}
