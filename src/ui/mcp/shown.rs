//! The results of tools as text.

use super::answer::{Parts, Told, one_line, quoted_lines};
use crate::ui::render::{
    Paint, answer_about, arms, call_line, contents_between, counted, diagnosed, ended, happening, omission,
    shown_row, shown_solution,
};
use answer::Answer;
use command::diagnose::DiagnoseReply;
use logic::AnswerRow;
use past::{EventsShown, ListedCall, PartShown, WriteShown};
use servers::mcp::{
    CallRow, CallsResult, ChainAnswer, DiagnoseResult, EventRow, EventsResult, FindResult, FoundRow,
    HistoryResult, RecordResult, ReplayResult, StateResult, WhyResult,
};

const PLAIN: Paint = Paint { color: false };

/// The rows of a text that is cut at lines.
fn by_lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn missing(missing: &[String]) -> String {
    missing.iter().map(|what| format!("missing: {what}\n")).collect()
}

impl Told for RecordResult {
    fn parts(&self) -> Parts {
        let calls = counted(u64::try_from(self.calls).unwrap_or(u64::MAX), "call");
        let mut head = format!("{}: {calls}; the program {}\n", self.trace, ended(&self.ended));
        for thread in &self.threads {
            let end =
                thread.uncaught.as_ref().map(|exception| format!(", ended by the uncaught {exception}"));
            let calls = counted(thread.calls.into(), "call");
            head.push_str(&format!("thread {}: {calls}{}\n", quoted(&thread.name), end.unwrap_or_default()));
        }
        if !self.printed.is_empty() {
            head.push_str("its last output:\n");
        }
        let rows = self.printed.iter().map(|line| quoted_lines(line)).collect();
        let tail = self.notes.iter().map(|note| format!("{note}\n")).collect();
        Parts { head, rows, tail, ..Parts::default() }
    }
}

/// The name of a thread, which the program chooses.
fn quoted(name: &str) -> String {
    model::quoted(name, '"')
}

impl Told for CallsResult {
    fn parts(&self) -> Parts {
        let row = |row: &CallRow| {
            let thread = row.thread.as_ref().map(|name| format!("thread {}\n", quoted(name)));
            let indent = " ".repeat(row.depth.min(20));
            let text = match &row.listed {
                ListedCall::Call(call) => one_line(&call_line(call, PLAIN)),
                ListedCall::Fold(fold) => {
                    let below = match fold.below {
                        0 => String::new(),
                        below => format!(", {} below them", counted(below, "call")),
                    };
                    format!("… {} more of {}{below}", fold.folded, fold.method)
                }
            };
            format!("{}{indent}{text}\n", thread.unwrap_or_default())
        };
        let head = if self.calls.is_empty() { "no such call was recorded\n" } else { "" };
        Parts {
            head: head.to_owned(),
            rows: self.calls.iter().map(row).collect(),
            items: Some("calls"),
            more: self.more.clone(),
            tail: missing(&self.missing),
        }
    }
}

impl Told for EventsResult {
    fn parts(&self) -> Parts {
        let EventsShown { thread, call, source, level, .. } = &*self.shown;
        let head = format!(
            "{}\nthread {}, {}; N is event:{}.N, with its line\n",
            one_line(&call_line(call, PLAIN)),
            quoted(thread),
            source.as_deref().unwrap_or("no source file"),
            self.call.0
        );
        let following = self.events.iter().skip(1).map(Some).chain([None]);
        let rows = self.events.iter().zip(following).map(|(row, next)| event(row, next)).collect();
        let mut tail = missing(&self.missing);
        if *level < trace::Level::All {
            tail.push_str(&format!("recorded at level {level}: level=all runs the program again\n"));
        }
        Parts { head, rows, items: Some("events"), more: self.more.clone(), tail }
    }
}

/// The text of an event. An event in a line already shows that the line began.
fn event(row: &EventRow, next: Option<&EventRow>) -> String {
    let EventRow { number, shown, .. } = row;
    let begins = |next: &EventRow| next.shown.event != "line" && next.shown.line == shown.line;
    if shown.event == "line" && next.is_some_and(begins) {
        return String::new();
    }
    let at = shown.line.map_or_else(String::new, |line| format!(" :{line}"));
    match &shown.call {
        Some(call) => format!("{number} {}\n", one_line(&call_line(call, PLAIN))),
        None => format!("{number}{at} {}{}\n", one_line(&happening(shown, PLAIN)), arms(shown)),
    }
}

impl Told for StateResult {
    fn parts(&self) -> Parts {
        let end = if self.shown.ended { "its end" } else { "the end of the recording" };
        let head = format!(
            "{}\n{} as it begins → at {end}:\n",
            one_line(&call_line(&self.shown.call, PLAIN)),
            self.shown.object
        );
        let row = |row: &PartShown| {
            let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".to_owned());
            let held = match row.entry == row.exit {
                true => text(&row.exit),
                false => format!("{} → {}", text(&row.entry), text(&row.exit)),
            };
            let writes = match row.writes {
                0 => String::new(),
                1 => ", written once".to_owned(),
                many => format!(", written {many} times"),
            };
            let contents = row.contents.as_ref();
            let contents = contents.map(|contents| contents_between(contents, true, PLAIN));
            let index = row.index.map(|index| format!("[{index}]"));
            let name = index.or_else(|| row.name.clone()).unwrap_or_default();
            format!("{name} = {held}{writes}\n{}", contents.unwrap_or_default())
        };
        let contents = self.shown.contents.as_ref();
        let contents = contents.map(|contents| contents_between(contents, false, PLAIN)).unwrap_or_default();
        let none = match self.parts.is_empty() && contents.is_empty() {
            true => "no part of it is ever written\n",
            false => "",
        };
        Parts {
            head,
            rows: self.parts.iter().map(row).collect(),
            items: Some("parts"),
            more: self.more.clone(),
            tail: format!("{contents}{none}{}", missing(&self.missing)),
        }
    }
}

impl Told for HistoryResult {
    fn parts(&self) -> Parts {
        let row = |row: &WriteShown| {
            let write = &row.write;
            let call = row.node.map_or_else(String::new, |call| format!("#{call} "));
            let line = write.line.map_or_else(String::new, |line| format!(":{line}"));
            format!(
                "{}  {call}{}{line}{}, thread {}\n",
                one_line(&happening(write, PLAIN)),
                row.method,
                arms(write),
                quoted(&row.thread)
            )
        };
        let head = if self.writes.is_empty() { "no write was recorded\n" } else { "" };
        Parts {
            head: head.to_owned(),
            rows: self.writes.iter().map(row).collect(),
            items: Some("writes"),
            more: self.more.clone(),
            tail: missing(&self.missing),
        }
    }
}

/// An answer whose names of threads and output are marked as texts of the program.
fn harmless(answer: &Answer) -> Answer {
    let mut answer = answer.clone();
    for point in answer.points.iter_mut().chain(answer.earlier.iter_mut().flatten()) {
        point.thread = point.thread.as_deref().map(one_line);
    }
    answer.last_output.iter_mut().for_each(|line| *line = format!("| {}", one_line(line)));
    answer
}

impl Told for WhyResult {
    fn parts(&self) -> Parts {
        let ChainAnswer { handle, answer } = &self.answered;
        let known: Vec<&str> = answer.points.iter().take(self.known).map(|point| &*point.id).collect();
        let shown = harmless(answer);
        let text = answer_about(&shown, |point| !known.contains(&point.id.as_str()), false);
        let tail = self.notes.iter().map(|note| format!("{note}\n")).collect();
        Parts { head: format!("{handle}\n"), rows: by_lines(&text), tail, ..Parts::default() }
    }
}

impl Told for ReplayResult {
    fn parts(&self) -> Parts {
        let ChainAnswer { handle, answer } = &self.answered;
        let text = answer_about(&harmless(answer), |_| true, false);
        let head = format!("{handle}: {}\n", answer.outcome.name());
        Parts { head, rows: by_lines(&text), ..Parts::default() }
    }
}

impl Told for DiagnoseResult {
    fn parts(&self) -> Parts {
        let reply = |reply: &DiagnoseReply| match reply {
            DiagnoseReply::Note(note) => format!("note: {note}\n"),
            DiagnoseReply::Failure(error) | DiagnoseReply::Error(error) => format!("error: {error}\n"),
            shown => diagnosed(shown, false),
        };
        let text: String = self.replies.iter().map(reply).collect();
        Parts { head: format!("{}\n", self.diagnosis), rows: by_lines(&text), ..Parts::default() }
    }
}

impl Told for FindResult {
    fn parts(&self) -> Parts {
        let row = |row: &FoundRow| match row {
            FoundRow::Query(shown) => {
                let call = match &**shown {
                    AnswerRow::Event(event) => event.call.map(|call| format!("  in #{call}")),
                    _ => None,
                };
                let text = one_line(shown_row(shown, PLAIN).trim_end());
                format!("{text}{}\n", call.unwrap_or_default())
            }
            FoundRow::Solution(solution) => shown_solution(solution, false, PLAIN),
            FoundRow::Output { output } => quoted_lines(output),
            FoundRow::Omission { number, object, tried } => {
                // The text ends with the command for people.
                omission(*number, 1, &[&**tried], object, PLAIN)
                    .replace("next: qp why ", "why expr=")
                    .replace(" --at ", " at=")
            }
        };
        let head = if self.found.is_empty() { "nothing was found\n" } else { "" };
        Parts {
            head: head.to_owned(),
            rows: self.found.iter().map(row).collect(),
            items: Some("found"),
            more: self.more.clone(),
            tail: self.notes.iter().map(|note| format!("{note}\n")).collect(),
        }
    }
}
