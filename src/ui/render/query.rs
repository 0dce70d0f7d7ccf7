//! Answers to queries as text: a line per event.

use super::{Paint, palette};
use logic::rules::{AskItem, Asked as AskedGoal, AskedSolution};
use logic::{Answer as Answered, AnswerRow, EventRow, ValueRow};
use model::{exception_text, written};

/// Number of levels of rows to indent.
const DEEPEST: u32 = 20;

/// What a goal wrote, and its solutions as a Prolog system shows them. `is_last` says of each solution,
/// counted from 1, whether none follows.
pub(super) fn shown_items(items: &[AskItem], is_last: impl Fn(usize) -> bool, paint: Paint) -> String {
    let mut out = String::new();
    let mut solutions = 0;
    for item in items {
        match item {
            AskItem::Output(text) => out.push_str(text),
            AskItem::Solution(solution) => {
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
                solutions += 1;
                out.push_str(&shown_solution(solution, is_last(solutions), paint));
            }
        }
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// The answers to a goal.
pub(super) fn asked(answer: &AskedGoal, paint: Paint) -> String {
    let is_last = |solution| solution == answer.solutions && !answer.more;
    let mut out = shown_items(&answer.items, is_last, paint);
    if answer.solutions == 0 && answer.error.is_none() && !answer.is_plan {
        out.push_str(&format!("{}\n", paint.on(palette::FAILED, "false.")));
    }
    if answer.more {
        out.push_str("there may be more solutions; --limit shows them\n");
    }
    if let Some(error) = &answer.error {
        out.push_str(&format!("{} {error}\n", paint.on(palette::FAILED, "error:")));
    }
    for line in answer.plan.iter().chain(&answer.notes) {
        out.push_str(&format!("{}\n", paint.on(palette::DIM, line)));
    }
    out
}

/// A solution.
pub fn shown_solution(solution: &AskedSolution, is_last: bool, paint: Paint) -> String {
    let end = if is_last { '.' } else { ';' };
    if solution.bindings.is_empty() {
        return format!("{}{end}\n", paint.on(palette::HELD, "true"));
    }
    let line = |(name, value): &(String, String)| format!("{name} = {}", paint.on(palette::VALUE, value));
    let lines: Vec<String> = solution.bindings.iter().map(line).collect();
    format!("{}{end}\n", lines.join(",\n"))
}

/// The answer to a predefined query.
pub(super) fn answered(answer: &Answered, paint: Paint) -> String {
    let mut out = String::new();
    if let Some(yes) = answer.yes {
        let (style, word) = if yes { (palette::HELD, "yes") } else { (palette::FAILED, "no") };
        out.push_str(&format!("{}\n", paint.on(style, word)));
    }
    let ids = answer.rows.iter().filter_map(|row| match row {
        AnswerRow::Event(row) => Some(row.id),
        AnswerRow::Value(ValueRow { event, .. }) => *event,
        _ => None,
    });
    let width = ids.max().map_or(1, |id| id.to_string().len());
    // The thread is named where there are several.
    let mut threads: Vec<&str> = Vec::new();
    for row in &answer.rows {
        if let AnswerRow::Event(row) = row
            && !threads.contains(&row.thread.as_str())
        {
            threads.push(&row.thread);
        }
    }
    for row in &answer.rows {
        out.push_str(&one(row, width, threads.len() > 1, paint));
    }
    if answer.more {
        out.push_str("there are more rows; --limit shows them\n");
    }
    if answer.rows.is_empty() && answer.yes.is_none() && answer.notes.is_empty() {
        out.push_str("no such event was recorded\n");
    }
    for note in &answer.notes {
        out.push_str(&format!("{note}\n"));
    }
    out
}

/// A row alone.
pub fn shown_row(row: &AnswerRow, paint: Paint) -> String {
    one(row, 1, false, paint)
}

fn one(row: &AnswerRow, width: usize, with_thread: bool, paint: Paint) -> String {
    match row {
        AnswerRow::Event(row) => event(row, width, with_thread, paint),
        AnswerRow::Value(row) => value(row, width, paint),
        AnswerRow::Heading { text } => format!("{}\n", paint.on(palette::POINT, text)),
        AnswerRow::Count { what, count, first, last } => {
            let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
            let at = match (first, last) {
                (Some(first), Some(last)) if first != last => format!(", events {first} to {last}"),
                (Some(first), _) => format!(", event {first}"),
                _ => String::new(),
            };
            format!("{what}  {times}{}\n", paint.on(palette::DIM, &at))
        }
    }
}

/// `#13  Example@4.m2(null)  Example.java:11`
fn event(row: &EventRow, width: usize, with_thread: bool, paint: Paint) -> String {
    let id = paint.on(palette::POINT, format!("{:>width$}", row.id));
    let indent = "  ".repeat(usize::try_from(row.depth.min(DEEPEST)).unwrap_or(0));
    let place = row.place.as_ref().map(|place| format!("  {place}")).unwrap_or_default();
    let thread = if with_thread { format!("  [{}]", row.thread) } else { String::new() };
    let beside = paint.on(palette::DIM, format!("{place}{thread}"));
    format!("{id}  {indent}{}{beside}\n", what(row, paint))
}

fn what(row: &EventRow, paint: Paint) -> String {
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    let value = |part: &Option<String>| paint.on(palette::VALUE, text(part));
    let (object, name) = (text(&row.object), text(&row.name));
    match row.kind {
        "methodcall" => {
            let arguments = row.arguments.as_ref().map_or("…".to_owned(), |all| all.join(", "));
            let result = row.value.as_ref().map(|_| format!(" → {}", value(&row.value))).unwrap_or_default();
            format!("call {}({arguments}){result}", called(row))
        }
        "methodexit" => format!("exit {} returned {}", called(row), value(&row.value)),
        "setfield" => format!("set {object}.{} = {}", written::member(&name), value(&row.value)),
        "exception" => {
            let message = row.value.as_ref().map(|text| format!("{text:?}"));
            let told = exception_text(message, &row.causes).map(|text| format!(" {text}"));
            let caught = match row.caught.as_deref() {
                Some("uncaught") => match &row.handler {
                    Some(place) => format!("uncaught; the handler at {place} got it"),
                    None => "uncaught".to_owned(),
                },
                Some("unrecorded") => "caught in code that was not recorded".to_owned(),
                Some(place) => format!("caught at {place}"),
                None => String::new(),
            };
            format!("throw {object}{}, {}", told.unwrap_or_default(), paint.on(palette::FAILED, &caught))
        }
        "step" => {
            let local = |(name, value): &(String, String)| format!("{name} = {value}");
            let locals: Vec<String> = row.variables.iter().map(local).collect();
            let colon = if locals.is_empty() { "" } else { ": " };
            format!("step in {}{colon}{}", text(&row.method), locals.join(", "))
        }
        "datastructure" => format!("contents of {object}"),
        "memberfields" => {
            let fields = row.variables.iter().map(|(field, of)| match of.is_empty() {
                true => field.clone(),
                false => format!("{of} {field}"),
            });
            format!("class {name}: {}", fields.collect::<Vec<_>>().join(", "))
        }
        "threadstart" => format!("thread {} begins, group {name}", row.thread),
        _ => format!("thread {} ends", row.thread),
    }
}

/// A receiver and a method.
/// The method of a call with its object: `Shop@13.total`, `Shop@13.+=`, `core/grant!@65`.
fn called(row: &EventRow) -> String {
    let (object, name) = (row.object.as_deref().unwrap_or_default(), row.name.as_deref().unwrap_or_default());
    let number = object.rsplit_once('@').map(|(_, number)| format!("@{number}")).unwrap_or_default();
    match &row.method {
        Some(method) if method.starts_with("coroutine ") && !number.is_empty() => {
            format!("coroutine {object}")
        }
        Some(method) if method.starts_with("coroutine ") => method.clone(),
        Some(method) if method.contains('/') => format!("{method}{number}"),
        _ => format!("{object}.{}", written::member(name)),
    }
}

fn value(row: &ValueRow, width: usize, paint: Paint) -> String {
    let id = row.event.map(|id| id.to_string()).unwrap_or_default();
    let id = paint.on(palette::POINT, format!("{id:>width$}"));
    let shown = row.value.as_deref().unwrap_or("?");
    let default = if row.is_default { paint.on(palette::DIM, "  never set") } else { String::new() };
    format!("{id}  {} = {}{default}\n", row.name, paint.on(palette::VALUE, shown))
}
