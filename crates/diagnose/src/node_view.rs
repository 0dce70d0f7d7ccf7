//! What a call was given and what it did, up to an event (JHyde §3, Node View).

use super::question::{Question, QuestionSubject};
use model::quoted;
use past::snapshot::Bounds;
use past::{CallShown, EventRef, PastError, Recording};
use serde::Serialize;
use session::SessionError;
use std::ops::Range;
use trace::{EventPosition, EventTime, Level};

/// How much a view shows of each value.
const SHOWN: Bounds = Bounds { depth: 6, elements: 64, parts: 400 };
/// Maximum number of texts that the call printed.
const PRINTED: usize = 200;

/// A call, up to an event.
#[derive(Clone, Debug, Serialize)]
pub struct NodeView {
    /// The call.
    pub call: CallShown,
    /// The name of its thread.
    pub thread: String,
    /// The event that bounds the view; `None` for the end of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// The line of that event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The values at the entry of the call and after the event, and what changed in between.
    pub question: Question,
    /// What was printed in between, in the call and below it.
    pub output: Vec<PrintedText>,
    /// Number of further texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_more: Option<usize>,
    /// The level at which the call was recorded.
    pub level: Level,
    /// What the recording lacks that can matter here, and why.
    pub missing: Vec<String>,
}

/// A text that was printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrintedText {
    /// The stream: `System.out`, or a class.
    pub stream: String,
    /// The text, as Java writes it.
    pub text: String,
    /// The call that printed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    /// The place of the event in its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// The view of the selected call, up to the selected event.
///
/// # Errors
/// There is no such call or event, or the recording cannot be read.
pub fn node_view(trace: &mut Recording, selection: EventRef) -> Result<NodeView, SessionError> {
    let until = match selection.event {
        Some(_) => Some(trace.position_after(selection)?),
        None => None,
    };
    let line = trace.shown_at(selection)?.line;
    let node = trace.position(selection)?.node;
    let no_such = PastError::NoSuchCall { node: selection.call, calls: trace.calls.count() };
    let known = match until {
        Some(until) => trace.locals_before(until)?,
        None => trace.locals_at_end(node)?,
    };
    let Recording { calls, code, .. } = trace;
    let fields = &mut code.fields;
    let (begins, ends) = calls.span(node)?;
    let during = begins..until.map_or(Ok(ends), |until| calls.when_at(until))?;
    // The event at the end of a call is the call's last: after it everything is over.
    let until = until.filter(|until| calls.end(node) != Some(*until));
    let subject = QuestionSubject { calls, node, part: None, until, known, fields, bounds: SHOWN };
    let question = subject.question(0, 0, None)?;
    let (output, more) = printed(trace, during)?;
    let call = CallShown::of(&mut trace.calls, node)?.ok_or(no_such)?;
    let thread = trace.calls.thread_of(node).unwrap_or_default();
    let level = trace.calls.method(node).map_or(trace.about.level, |method| method.level);
    let missing = trace.missing_until(node);
    Ok(NodeView {
        call,
        thread,
        event: selection.event,
        line,
        question,
        output,
        output_more: Some(more).filter(|more| *more > 0),
        level,
        missing,
    })
}

/// What was printed in a time, and the number of further texts.
fn printed(
    trace: &mut Recording,
    during: Range<EventTime>,
) -> Result<(Vec<PrintedText>, usize), SessionError> {
    let calls = &mut trace.calls;
    let streams: Vec<(u32, Option<String>)> =
        calls.streams().map(|(stream, name)| (stream, name.map(str::to_owned))).collect();
    let mut found: Vec<(EventTime, PrintedText)> = Vec::new();
    let mut more = 0;
    for (stream, name) in streams {
        let name = name.unwrap_or_else(|| calls.objects.name(stream));
        let mut of_stream = Vec::new();
        calls.each_text_change(stream, during.clone(), |change, when| {
            if of_stream.len() >= PRINTED {
                more += 1;
                return;
            }
            let cut = if change.is_whole() { "" } else { "…" };
            let text = format!("{}{cut}", quoted(&change.text(), '"'));
            of_stream.push((when, text));
        })?;
        for (when, text) in of_stream {
            let at = calls.call_at(when).map(|node| EventPosition::new(node, when));
            let (call, place) = (at.map(|at| calls.shown(at.node)), at.map(EventPosition::text));
            found.push((when, PrintedText { stream: name.clone(), text, call, place }));
        }
    }
    found.sort_by_key(|(when, _)| *when);
    more += found.len().saturating_sub(PRINTED);
    found.truncate(PRINTED);
    Ok((found.into_iter().map(|(_, text)| text).collect(), more))
}
