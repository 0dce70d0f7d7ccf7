//! The replies of `qp trace step`, as text.

use super::console::{cause_text, recorded_reply};
use super::trace::{happening, line, made_chain, missing};
use super::{Paint, clipped, hanging, hanging_at, palette};

use command::recorded_question::RecordedReply;
use command::trace::StepReply;
use past::stack::Frame;
use past::{EventShown, ListedEvent, MemberShown, ObjectShown, View};

/// Width of a line, in columns.
const WIDTH: usize = 80;

/// The text of a reply.
pub fn stepped(reply: &StepReply, color: bool) -> String {
    let paint = Paint { color };
    match reply {
        StepReply::View(view) => shown(view, paint),
        StepReply::Stack(frames, all) => stack(frames, *all),
        StepReply::List(events) => events.iter().map(|event| listed(event, paint)).collect(),
        StepReply::Show(held) => {
            let mut out = String::new();
            part(&mut out, held, 0, paint);
            out
        }
        StepReply::Answer(RecordedReply::Cause(cause)) => format!("{}\n", cause_text(cause)),
        StepReply::Answer(answer) => recorded_reply(answer, color),
        StepReply::Missing(what) => missing(what, paint),
        StepReply::Chain(made) => made_chain(made),
        StepReply::Help(rows) => {
            let row = |row: &command::prompt_row::PromptRow| {
                let short = row.aliases.first().copied().unwrap_or_default();
                let usage = format!("{:<24} {short:<3}", row.usage).replace(' ', "\u{a0}");
                hanging(&format!("{usage} {}", row.about), 2, WIDTH).replace('\u{a0}', " ")
            };
            rows.iter().map(row).collect()
        }
        StepReply::Nothing | StepReply::Quit => String::new(),
    }
}

/// A short description of an event.
fn words(event: &EventShown, paint: Paint) -> String {
    match (event.event, &event.call) {
        ("enter", _) => "the call begins".to_owned(),
        ("return", _) => "it returns".to_owned(),
        ("leave", _) => "an exception leaves it".to_owned(),
        ("call", Some(call)) => format!("calls {}", line(call, paint)),
        _ => happening(event, paint),
    }
}

fn shown(view: &View, paint: Paint) -> String {
    let thread = paint.on(palette::DIM, format!("thread {}", view.thread));
    let thread = thread.replace(' ', "\u{a0}");
    let mut out =
        hanging(&format!("{}   {thread}", line(&view.call, paint)), 0, WIDTH).replace('\u{a0}', " ");
    let at = view.event.line.map(u32::from);
    for (number, text) in &view.lines {
        let text = clipped(text, WIDTH - 10);
        let (mark, text) = match at == Some(*number) {
            true => (">", paint.on(palette::POINT, text)),
            false => (" ", paint.on(palette::DIM, text)),
        };
        out.push_str(&format!("  {mark} {number:>5} {text}\n"));
    }
    let place = match (&view.source, view.event.line) {
        (Some(source), Some(line)) => format!("{source}:{line}  "),
        _ => String::new(),
    };
    out.push_str(&hanging(&format!("{place}{}", words(&view.event, paint)), 2, WIDTH));
    for local in &view.locals {
        let value = match local.changed {
            true => paint.on(palette::FAILED, &local.value),
            false => local.value.clone(),
        };
        out.push_str(&hanging(&format!("{} = {value}", local.name), 4, WIDTH));
    }
    if let Some(this) = &view.this {
        out.push_str(&format!("    this = {}\n", this.object));
        parts(&mut out, this, 3, paint);
    }
    out
}

fn parts(out: &mut String, object: &ObjectShown, depth: usize, paint: Paint) {
    for held in &object.parts {
        part(out, held, depth, paint);
    }
    if object.more {
        out.push_str(&format!("{}…\n", "  ".repeat(depth)));
    }
}

fn part(out: &mut String, held: &MemberShown, depth: usize, paint: Paint) {
    let value = held.value.as_deref().unwrap_or("?");
    let inside = held.inner.as_ref().is_some_and(any_changed);
    let value = match (held.changed, inside) {
        (true, _) => paint.on(palette::FAILED, value),
        // The reference is unchanged, but its object has changed (JHyde §2.2).
        (false, true) => paint.on(palette::VALUE, value),
        (false, false) => value.to_owned(),
    };
    out.push_str(&hanging(&format!("{} = {value}", held.name), 2 * depth, WIDTH));
    if let Some(inner) = &held.inner {
        parts(out, inner, depth + 1, paint);
    }
}

fn any_changed(object: &ObjectShown) -> bool {
    object.parts.iter().any(|held| held.changed || held.inner.as_ref().is_some_and(any_changed))
}

/// The calls of a stack, innermost first.
fn stack(frames: &[Frame], all: usize) -> String {
    let mut out = String::new();
    for frame in frames {
        let place = match (&frame.source, frame.line) {
            (Some(source), Some(line)) => format!(" ({}:{line})", source.name),
            _ => String::new(),
        };
        let suspended = if frame.is_suspended { ", suspended" } else { "" };
        let text = format!("  #{} {}{place}{suspended}", frame.node, frame.name);
        out.push_str(&hanging(&text, 4, WIDTH));
    }
    if all > frames.len() {
        out.push_str(&format!("  … {} more\n", all - frames.len()));
    }
    out
}

fn listed(listed: &ListedEvent, paint: Paint) -> String {
    let mark = if listed.here { ">" } else { " " };
    let line = listed.event.line.map_or(String::new(), |line| line.to_string());
    // The signs repeat the colours: JHyde §3 shows changing events red, and calls with changes below them
    // yellow.
    let (sign, style) = match (listed.changes, listed.changes_below) {
        (true, _) => ("*", Some(palette::FAILED)),
        (false, true) => ("+", Some(palette::VALUE)),
        (false, false) => (" ", None),
    };
    let text = match style {
        Some(style) => paint.on(style, words(&listed.event, Paint { color: false })),
        None => words(&listed.event, paint),
    };
    // A balloon (Omission Finder §2.4): an operation was lost here.
    let text = match listed.omitted {
        Some(number) => format!("{text}  {}", paint.on(palette::FAILED, format!("● omission {number}"))),
        None => text,
    };
    let place = format!("{mark}{sign} {line:>5} ").replace(' ', "\u{a0}");
    hanging_at(&format!("{place} {text}"), 0, 14, WIDTH).replace('\u{a0}', " ")
}
