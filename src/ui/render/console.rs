//! The answers to the questions of an editor's debug console, as text.

use super::answer::point_in_full;
use super::query::asked;
use super::trace::{happening, writes};
use super::{Paint, Text};
use command::prompt_row::PromptRow;
use command::recorded_question::RecordedReply;
use past::{Cause, CauseKind, Stop, StopReason};
use recorded::ValueOrigin;
use servers::dap::ConsoleReply;

/// Editors show these texts without colours.
const PLAIN: Paint = Paint { color: false };

/// The answer to a question.
pub fn console_reply(reply: &ConsoleReply) -> String {
    match reply {
        ConsoleReply::Moved(stop) => moved(stop),
        ConsoleReply::Answer(answer) => recorded_reply(answer, false),
        ConsoleReply::Goal(answer) => asked(answer, PLAIN),
        ConsoleReply::Help(rows) => help(rows),
    }
}

/// The answer to a question about the recorded past.
pub fn recorded_reply(reply: &RecordedReply, color: bool) -> String {
    match reply {
        RecordedReply::Cause(cause) => cause_text(cause),
        RecordedReply::Origin(found) => value_origin(found, color),
        RecordedReply::History(history) => writes(history, Paint { color }),
        RecordedReply::Omitted(answer) => answer.text(color),
    }
}

/// Where a value was computed, with the event to which `go` leads.
fn value_origin(found: &ValueOrigin, color: bool) -> String {
    let event = found.selection.map(|at| match at.event {
        Some(_) => format!("   event {at}\n"),
        None => format!("   the end of call {}\n", at.call),
    });
    let event = event.unwrap_or_default();
    point_in_full(&found.point, color) + &event
}

/// A cause: what it is, and where.
pub fn cause_text(cause: &Cause) -> String {
    let what = match &cause.kind {
        CauseKind::Written(event) => happening(event, PLAIN).trim().to_owned(),
        CauseKind::Decided { condition, part, outcome } => {
            let part = part.as_ref().map(|part| format!(", decided by `{part}`")).unwrap_or_default();
            format!("`{condition}` was {outcome}{part}")
        }
        CauseKind::Caught { exception } => format!("{exception} was thrown, and caught here"),
        CauseKind::Given { name, argument: Some(argument), value } => {
            format!("`{name}` came with the call as `{argument}`: {value}")
        }
        CauseKind::Given { name, argument: None, value } => format!("`{name}` came with the call: {value}"),
        CauseKind::Called => {
            "no recorded condition decides whether this is reached: the thread begins with this call"
                .to_owned()
        }
    };
    let place = match (&cause.source, cause.line) {
        (Some(source), Some(line)) => format!("{} ({}:{line})", cause.method, source.name),
        _ => cause.method.clone(),
    };
    let text = cause.text.as_ref().map(|text| format!("\n    {text}")).unwrap_or_default();
    let through = match cause.through_unrecorded {
        true => "\n  code that was not recorded lies between, and may have conditions of its own",
        false => "",
    };
    format!("{what}\n  at {place}{text}{through}")
}

fn moved(stop: &Stop) -> String {
    match stop.reason {
        StopReason::Beginning => "at the beginning of the recording",
        StopReason::End | StopReason::Exception => "at the end of the recording",
        _ => "moved",
    }
    .to_owned()
}

fn help(rows: &[PromptRow]) -> String {
    let width = rows.iter().map(|row| row.usage.len()).max().unwrap_or(0);
    let lines = rows.iter().map(|row| format!("{:width$}  {}", row.usage, row.about));
    lines.chain(["anything else is a Java expression".to_owned()]).collect::<Vec<_>>().join("\n")
}
