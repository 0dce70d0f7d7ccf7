//! The replies of the prompt of `qp query` as text.

use super::query::{answered, shown_items};
use super::{Paint, counted, palette, wrap};
use command::query::{GoalReply, QueryReply};

/// Width of a line, in columns.
const WIDTH: usize = 80;
/// Width of the first column of a list.
const FIRST: usize = 28;

/// A reply as text.
pub fn query_reply(reply: &QueryReply, color: bool) -> String {
    let paint = Paint { color };
    match reply {
        QueryReply::Opened { events, level, missing } => {
            let mut out =
                format!("{} at level {level}; `help` lists the commands\n", counted(*events, "event"));
            missing.iter().for_each(|what| out.push_str(&format!("missing: {what}\n")));
            out
        }
        QueryReply::Goal(reply) => goal(reply, paint),
        QueryReply::Answer(answer) => answered(answer, paint),
        QueryReply::Rules(files) if files.is_empty() => {
            "no files of rules; `rules FILE.pl` adds one\n".to_owned()
        }
        QueryReply::Rules(files) => {
            let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            format!("rules: {}\n", names.join(", "))
        }
        QueryReply::List { predicates, queries } => {
            let mut out = String::new();
            if !predicates.is_empty() {
                out.push_str(&wrap(predicates, "", 0, WIDTH));
            }
            queries.iter().for_each(|(example, about)| out.push_str(&row(example, about, paint)));
            out
        }
        QueryReply::Saved(file) => format!("saved to {}\n", file.display()),
        QueryReply::Help(rows) => rows.iter().map(|of| row(of.words, of.about, paint)).collect(),
        QueryReply::Nothing | QueryReply::Quit => String::new(),
    }
}

fn row(first: &str, about: &str, paint: Paint) -> String {
    let indent = FIRST + 2;
    let words: Vec<String> = about.split(' ').map(str::to_owned).collect();
    let text = wrap(&words, "", indent, WIDTH);
    let first = format!("{first:<FIRST$}");
    match first.len() > FIRST {
        true => format!("{}\n{text}", paint.on(palette::POINT, first)),
        false => format!("{}  {}", paint.on(palette::POINT, first), text.trim_start()),
    }
}

fn goal(reply: &GoalReply, paint: Paint) -> String {
    let mut out = shown_items(&reply.items, |_| !reply.waits, paint);
    if !reply.waits && reply.error.is_none() {
        // The end after solutions reads as in a Prolog system.
        out.push_str(&format!("{}\n", paint.on(palette::FAILED, "false.")));
    }
    if let Some(error) = &reply.error {
        out.push_str(&format!("{} {error}\n", paint.on(palette::FAILED, "error:")));
    }
    for note in &reply.notes {
        out.push_str(&format!("{}\n", paint.on(palette::DIM, note)));
    }
    out
}
