//! Derives the events of the log from those of a thread of the recording.

use super::event::{EventSink, LogEvent};
use super::facts::{Facts, Receiver};
use super::kind::Kind;
use super::mask::Mask;
use trace::{BlockStep, Calls, Exit, Site, Traced, TracedEvent, Value};

/// An open call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The call.
    pub node: u32,
    /// The number of its method.
    pub method: u32,
    /// The line where it is; 0 before the first recorded line.
    pub line: u16,
    /// The receiver; 0 for a static method, or if it is not an object yet.
    pub this: u32,
    /// Where an index keeps this frame.
    pub saved: Option<u32>,
}

/// The state of a thread between two of its events.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadState {
    /// The open calls, the innermost last.
    pub frames: Vec<Frame>,
    /// The exception that is leaving calls; 0 for none.
    pub flying: u32,
}

impl ThreadState {
    /// Goes over an event of the recording, and passes on the events of the log that it stands for.
    pub fn go(&mut self, facts: &Facts, calls: &Calls, step: &BlockStep<'_>, sink: &mut impl EventSink) {
        match step {
            BlockStep::Begins { from, is_first } => {
                if *is_first {
                    sink.take(LogEvent::new(Kind::ThreadStart, *from), None, &[]);
                }
            }
            BlockStep::Ends(when, _) => sink.take(LogEvent::new(Kind::ThreadDeath, *when), None, &[]),
            BlockStep::Event(seen) => self.event(facts, calls, seen, sink),
        }
    }

    fn event(&mut self, facts: &Facts, calls: &Calls, seen: &TracedEvent<'_>, sink: &mut impl EventSink) {
        let site = seen.site;
        match site.what {
            Traced::Enter => self.enter(facts, calls, seen, sink),
            Traced::Return => self.leave_by_return(facts, calls, seen, sink),
            // Each of them begins the flight of an exception.
            Traced::Throw | Traced::Raised => {
                self.flying = 0;
                self.thrown(seen, sink);
            }
            Traced::Leave => {
                self.thrown(seen, sink);
                self.pop(seen.node);
            }
            Traced::Catch => {
                self.thrown(seen, sink);
                self.flying = 0;
            }
            Traced::Line(line) => {
                self.flying = 0;
                let Some(frame) = self.frame_of(seen) else { return };
                frame.saved = None;
                let is_later = frame.line != 0;
                frame.line = line;
                if is_later {
                    sink.take(LogEvent { line, ..of(Kind::Step, seen) }, None, &[]);
                }
            }
            Traced::Put => {
                if let Some(Value::Object(object)) = seen.values.first() {
                    self.written(facts, calls, seen, *object, sink);
                }
            }
            Traced::PutStatic => self.written(facts, calls, seen, 0, sink),
            Traced::Preset => {
                let this = self.frame_of(seen).map_or(0, |frame| frame.this);
                self.written(facts, calls, seen, this, sink);
            }
            _ => {}
        }
    }

    fn enter(&mut self, facts: &Facts, calls: &Calls, seen: &TracedEvent<'_>, sink: &mut impl EventSink) {
        self.flying = 0;
        let Some(node) = seen.node else { return };
        // Calls whose ends were not recorded are over.
        while self.frames.last().is_some_and(|frame| Some(frame.node) != seen.around) {
            self.frames.pop();
        }
        for class in facts.begins(node) {
            sink.take(LogEvent { site: *class, ..of(Kind::MemberFields, seen) }, None, &[]);
        }
        let method = facts.method(seen.site.method);
        let values = if seen.is_around { &[] } else { seen.values };
        let (this, arguments) = match (method.receiver, values) {
            (Receiver::Given, [Value::Object(this), arguments @ ..]) => (*this, arguments),
            (Receiver::Made, _) => (made_by(calls, node), values),
            _ => (0, values),
        };
        let is_around = seen.is_around;
        let call = LogEvent { is_around, line: method.line, ..of(Kind::MethodCall, seen) };
        sink.take(call, Some(this), arguments);
        if method.has_writes {
            structures(facts, calls, &call, arguments, sink);
        }
        self.frames.push(Frame { node, method: seen.site.method, line: 0, this, saved: None });
    }

    fn leave_by_return(
        &mut self,
        facts: &Facts,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        sink: &mut impl EventSink,
    ) {
        self.flying = 0;
        let method = facts.method(seen.site.method);
        let exit = LogEvent { line: method.line, ..of(Kind::MethodExit, seen) };
        let this = self.pop(seen.node).map_or(0, |frame| frame.this);
        sink.take(exit, Some(this), seen.values);
        if method.has_writes {
            structures(facts, calls, &exit, seen.values, sink);
        }
        let Some(frame) = self.frames.last_mut() else { return };
        frame.saved = None;
        if frame.line != 0 && facts.method(frame.method).has_lines {
            let step = LogEvent { node: frame.node, site: 0, line: frame.line, ..of(Kind::Step, seen) };
            sink.take(step, None, &[]);
        }
    }

    /// Reports an exception where it is seen first.
    fn thrown(&mut self, seen: &TracedEvent<'_>, sink: &mut impl EventSink) {
        let Some(Value::Object(exception)) = seen.values.first() else { return };
        if self.flying == *exception {
            return;
        }
        self.flying = *exception;
        let current = self.frame_of(seen).map_or(0, |frame| frame.line);
        let told = seen.line().filter(|_| matches!(seen.site.what, Traced::Throw | Traced::Raised));
        let line = match (seen.site.what, told) {
            // The current line is certain. A trace has the line where the exception was made.
            (Traced::Throw, Some(line)) => line,
            (_, told) if current == 0 => told.or(seen.site.line).unwrap_or(0),
            _ => current,
        };
        sink.take(LogEvent { line, ..of(Kind::Exception, seen) }, Some(*exception), &[]);
    }

    /// Reports the write of a field; the last value is the new one.
    fn written(
        &mut self,
        facts: &Facts,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        object: u32,
        sink: &mut impl EventSink,
    ) {
        let Some(new) = seen.values.last() else { return };
        let write = of(Kind::SetField, seen);
        sink.take(write, Some(object), &[*new]);
        structures(facts, calls, &write, &[*new], sink);
    }

    /// The frame of an event's call. Calls inside it whose ends were not recorded are over.
    fn frame_of(&mut self, seen: &TracedEvent<'_>) -> Option<&mut Frame> {
        let at = self.frames.iter().rposition(|frame| Some(frame.node) == seen.node)?;
        self.frames.truncate(at + 1);
        self.frames.last_mut()
    }

    /// Removes a call and those inside it.
    fn pop(&mut self, node: Option<u32>) -> Option<Frame> {
        while let Some(frame) = self.frames.pop() {
            if Some(frame.node) == node {
                return Some(frame);
            }
        }
        None
    }
}

/// The object that a constructor makes; 0 if none of its constructors called that of `Object`. If the
/// constructor of the superclass threw an exception, only that call knows the object.
fn made_by(calls: &Calls, node: u32) -> u32 {
    let mut at = node;
    loop {
        if let Some(object) = calls.born(at) {
            let is_own = |class: &str| calls.method(node).is_some_and(|method| *method.class == *class);
            return if at == node || is_instance(calls, object, is_own) { object } else { 0 };
        }
        if calls.exit(at) != Exit::Unrecorded && calls.exit(at) != Exit::Open {
            return 0;
        }
        let Some(method) = calls.method(at) else { return 0 };
        let above = calls.sites.superclass(&method.class);
        let is_above = |call: &u32| {
            calls.method(*call).is_some_and(|of| of.name == "<init>" && Some(&*of.class) == above)
        };
        match calls.children(at).last().copied().filter(is_above) {
            Some(call) => at = call,
            None => return 0,
        }
    }
}

/// Whether a class of an object, or a superclass of it, is the wanted one.
fn is_instance(calls: &Calls, object: u32, is_it: impl Fn(&str) -> bool) -> bool {
    let mut class = calls.objects.class(object).map(|class| class.to_string());
    // A damaged file can hold a cycle.
    for _ in 0..64 {
        match class {
            Some(of) if is_it(&of) => return true,
            Some(of) => class = calls.sites.superclass(&of).map(str::to_owned),
            None => return false,
        }
    }
    false
}

/// An event of the log at a recorded one.
fn of(kind: Kind, seen: &TracedEvent<'_>) -> LogEvent {
    let mut event = LogEvent::new(kind, seen.when());
    if let Some(node) = seen.node {
        event.node = node;
    }
    let Site { id, line, .. } = seen.site;
    (event.site, event.line) = (*id, line.unwrap_or(0));
    event
}

/// The contents of the arrays and collections among some values.
fn structures(facts: &Facts, calls: &Calls, at: &LogEvent, values: &[Value], sink: &mut impl EventSink) {
    for value in values {
        if let Value::Object(object) = value
            && facts.is_structure(*object, calls)
        {
            sink.take(LogEvent { kind: Kind::DataStructure, ..*at }, Some(*object), &[]);
        }
    }
}

/// Counts events.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub count: u32,
    /// The kinds of the events.
    pub kinds: u16,
    /// The sites of calls, exits and field writes.
    pub mask: Mask,
}

impl EventSink for Counted {
    fn take(&mut self, event: LogEvent, _: Option<u32>, _: &[Value]) {
        self.count = self.count.saturating_add(1);
        self.kinds |= event.kind.bit();
        if let Kind::MethodCall | Kind::MethodExit | Kind::SetField = event.kind {
            self.mask.insert(event.site);
        }
    }
}
