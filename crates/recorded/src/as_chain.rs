//! Turns an event of a recording into a chain. Another run can halt at its point, and the user can ask
//! backwards from there.

use super::open::RecordedTrace;
use chain::{Chain, Expect, Kind, Point};
use past::{EventRef, Lines, PastError, Recording};
use session::SessionError;
use trace::{Calls, EventPosition, Exit, Method, Site, Traced, TracedEvent, WalkControl, base_class};

/// The chain of an event of a call.
///
/// # Errors
/// There is no such call or event, or the recording cannot be read.
pub fn as_chain(trace: &mut RecordedTrace, event: EventRef) -> Result<Chain, SessionError> {
    let at = trace.position(event)?;
    chain_of(trace, at)
}

/// The event and its method.
struct RecordedEvent {
    site: Site,
    method: Method,
    /// The call that is entered or left, or that contains the event.
    node: u32,
    new: Option<String>,
}

/// The chain of an event, at which another run can halt.
///
/// # Errors
/// No run can halt there, or the recording cannot be read.
pub fn chain_of(trace: &mut RecordedTrace, at: EventPosition) -> Result<Chain, SessionError> {
    let program = trace.program();
    let Recording { about, calls, lines, .. } = &mut trace.recording;
    about.is_whole()?;
    let event = recorded_event(calls, at)?.ok_or_else(no_halt)?;
    let mut points = vec![entry(calls, event.node)?];
    // The line that the answer will show: that of the executed arm, or of the statement.
    let given = lines.given(calls, at)?.and_then(|given| given.line);
    let line = given.or(event.site.line.map(u32::from));
    let (point, new) = match event.site.what {
        Traced::Enter => return Ok(Chain::new(program, points)),
        Traced::Return => {
            let index = leaves_before(calls, &event)?;
            let kind = Kind::Exit(named(&event.method));
            let point = Point { thread: Some(thread(calls, event.node)), index, ..Point::new("A", kind) };
            return Ok(Chain::new(program, vec![point]));
        }
        // A watchpoint sees only writes by instructions.
        Traced::Put | Traced::PutStatic | Traced::Preset if event.site.by.is_none() => {
            (write_point(calls, &event, at)?, event.new)
        }
        _ => (line_point(calls, lines, &event, at, line.ok_or_else(no_halt)?)?, None),
    };
    let method = Some(event.method.name);
    let expect = Expect { method, line, located: Some(true), new, ..Expect::default() };
    points.push(Point { within: Some("A".to_owned()), expect: Some(expect), ..point });
    Ok(Chain::new(program, points))
}

fn no_halt() -> SessionError {
    SessionError::NoStep("no run can halt at this event".to_owned())
}

/// The event at a position; `None` if there is none, or its method is unknown.
fn recorded_event(calls: &mut Calls, at: EventPosition) -> Result<Option<RecordedEvent>, SessionError> {
    let event = calls.event_at(at, |calls, seen| {
        let shown = past::event::event(calls, seen);
        let method = calls.sites.method(seen.site.method).cloned()?;
        Some(RecordedEvent {
            site: seen.site.clone(),
            method,
            node: seen.node.unwrap_or(at.node),
            new: shown.new,
        })
    })?;
    Ok(event.flatten())
}

/// The point at a write to a field, by its index among the writes in the call.
fn write_point(calls: &mut Calls, event: &RecordedEvent, at: EventPosition) -> Result<Point, SessionError> {
    let written = event.site.written.as_ref().ok_or_else(no_halt)?;
    let class = calls.sites.declares(written);
    let kind = Kind::Watch(base_class(&class).to_owned(), written.name.clone());
    let is_it = |calls: &Calls, seen: &TracedEvent<'_>| {
        let same = |of: &Site| {
            of.written.as_ref().is_some_and(|w| {
                w.name == written.name && calls.sites.declares(w) == calls.sites.declares(written)
            })
        };
        let is_put = matches!(seen.site.what, Traced::Put | Traced::PutStatic | Traced::Preset);
        is_put && seen.site.by.is_none() && same(seen.site)
    };
    let index = within(calls, event.node, at, is_it)?;
    Ok(Point { index, ..Point::new("B", kind) })
}

/// The point at a pass over the line of an event, by its index among the passes in the call.
fn line_point(
    calls: &mut Calls,
    lines: &mut Lines,
    event: &RecordedEvent,
    at: EventPosition,
    line: u32,
) -> Result<Point, SessionError> {
    let class = event.method.class.to_string();
    let mut passes = lines.passes(&class, line);
    let index = within(calls, event.node, at, |calls, seen| match &mut passes {
        Some(passes) => passes.begins(calls, seen),
        None => {
            let of = calls.sites.method(seen.site.method);
            seen.site.what == Traced::Line(u16::try_from(line).unwrap_or(0))
                && of.is_some_and(|of| of.class == event.method.class)
        }
    })?;
    // Passes over a line can be counted only if lines were recorded.
    if index.is_none() {
        return Err(SessionError::NoStep(
            "lines were not recorded, so passes over this line cannot be counted: record the run, or \
             this call, with `--level all`"
                .to_owned(),
        ));
    }
    Ok(Point { index, ..Point::new("B", Kind::Line(class, line)) })
}

fn thread(calls: &Calls, node: u32) -> String {
    calls.thread_of(node).unwrap_or_default()
}

/// A method for a chain: `Shop.finish(int)`.
fn named(method: &Method) -> String {
    let parts = bytecode::descriptor::parse_method(&method.descriptor);
    let types: Vec<String> =
        parts.into_iter().flat_map(|p| p.parameters).map(|p| bytecode::descriptor::java_type(&p)).collect();
    format!("{}.{}({})", method.class, method.name, types.join(", "))
}

/// The point at the entry of a call.
fn entry(calls: &Calls, node: u32) -> Result<Point, SessionError> {
    let no_such = || PastError::NoSuchCall { node, calls: calls.count() };
    let method = calls.method(node).ok_or_else(no_such)?;
    let index = calls.ordinal(node).and_then(|ordinal| i64::try_from(ordinal).ok());
    let point = Point::new("A", Kind::Entry(named(method)));
    Ok(Point { thread: Some(thread(calls, node)), index, ..point })
}

/// Number of calls of the method that returned in this thread before this one.
fn leaves_before(calls: &mut Calls, event: &RecordedEvent) -> Result<Option<i64>, SessionError> {
    let Some(number) = calls.thread_number(event.node) else { return Ok(None) };
    let mut before = 0;
    let others = calls.ordinals(event.node);
    let (_, end) = calls.span(event.node)?;
    for other in others {
        let is_returned = calls.call(other)?.is_some_and(|call| call.exit == Exit::Returned);
        if is_returned && calls.thread_number(other) == Some(number) && calls.span(other)?.1 < end {
            before += 1;
        }
    }
    Ok(Some(before))
}

/// The index of an event among the matching events in a call and below it. If the event itself does not
/// match, that of the last match before it; `None` if there is none.
fn within(
    calls: &mut Calls,
    node: u32,
    at: EventPosition,
    mut is_it: impl FnMut(&Calls, &TracedEvent<'_>) -> bool,
) -> Result<Option<i64>, SessionError> {
    let Some(thread) = calls.thread_number(node) else { return Ok(None) };
    let mut before = 0;
    let mut index = None;
    calls.walk(thread, Some(node), |calls, seen| {
        let is_such = is_it(calls, seen);
        if seen.is_at(at) {
            // An event that does not match gets the index of the last match before it.
            index = if is_such { Some(before) } else { Some(before - 1) }.filter(|index| *index >= 0);
            return WalkControl::Stop;
        }
        before += i64::from(is_such);
        WalkControl::Next
    })?;
    Ok(index)
}
