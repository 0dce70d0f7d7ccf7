//! Steps through a recording, forward and backward. At each event it shows the call, its variables, `this`
//! and the objects that these refer to, as they were then (JHyde §3).
//!
//! - [`Stepper`] holds the current event and moves it. Its parts read a recording at an event and do not use
//!   the stepper: `line_steps` and `changes` find the next event, `variable` resolves names, `locals`,
//!   `objects` and `view` show what is there.

mod changes;
mod line_steps;
mod objects;
mod variable;
mod view;
mod watched;

pub use line_steps::SourceLine;
pub(super) use line_steps::neighbour;
pub(super) use objects::ObjectReader;
pub use objects::{MemberShown, ObjectShown};
pub(super) use view::event_at;
pub use view::{ListedEvent, LocalShown, View};
pub use watched::{MarkedVariable, WatchedVariable};

use super::History;
use super::open::RecordedTrace;
use crate::context::Context;
use crate::error::SessionError;
use chain::Chain;
use classes::SourcePaths;
use inspect::InspectError;
use inspect::call::CallShown;
use inspect::history::of_parts;
use inspect::locals::{KnownLocals, LocalValue};
use inspect::state::number;
use inspect::values::shown;
use trace::{EventPosition, Level, Traced, Value};
use variable::{EventScope, Variable};

/// Lines of source on each side of an event's line.
const AROUND: u32 = 3;
/// Maximum depth to which an object is shown.
const DEPTH: u32 = 3;
/// Maximum number of writes shown in a history.
const WRITES: usize = 200;

/// A recording that is owned or borrowed.
pub enum TraceHandle<'a> {
    /// Owned.
    Own(Box<RecordedTrace>),
    /// Borrowed.
    Of(&'a mut RecordedTrace),
}

impl From<RecordedTrace> for TraceHandle<'_> {
    fn from(trace: RecordedTrace) -> Self {
        TraceHandle::Own(Box::new(trace))
    }
}

impl<'a> From<&'a mut RecordedTrace> for TraceHandle<'a> {
    fn from(trace: &'a mut RecordedTrace) -> Self {
        TraceHandle::Of(trace)
    }
}

impl std::ops::Deref for TraceHandle<'_> {
    type Target = RecordedTrace;

    fn deref(&self) -> &RecordedTrace {
        match self {
            TraceHandle::Own(trace) => trace,
            TraceHandle::Of(trace) => trace,
        }
    }
}

impl std::ops::DerefMut for TraceHandle<'_> {
    fn deref_mut(&mut self) -> &mut RecordedTrace {
        match self {
            TraceHandle::Own(trace) => trace,
            TraceHandle::Of(trace) => trace,
        }
    }
}

/// A cursor at an event of a recording.
pub struct Stepper<'a> {
    trace: TraceHandle<'a>,
    at: EventPosition,
    sources: Option<classes::SourceRoots>,
    /// The variable whose changes are marked.
    marked: Option<Variable>,
    /// The jumps at which operations were lost, in the order of the suggestions.
    lost_at: Vec<EventPosition>,
    /// The variables at the last event that was shown.
    known: Option<KnownLocals>,
}

/// The direction of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the last event before.
    Back,
    /// To the first event after.
    Forward,
}

impl<'a> Stepper<'a> {
    /// Creates a stepper at the entry of a call. It looks for sources in these folders too.
    ///
    /// # Errors
    /// There is no such call.
    pub fn new(
        trace: impl Into<TraceHandle<'a>>,
        node: u32,
        sources: &SourcePaths,
    ) -> Result<Stepper<'a>, SessionError> {
        let trace = trace.into();
        let no_such = InspectError::NoSuchCall { node, calls: trace.calls.count() };
        let at = trace.calls.entry(trace.calls.own(node)).ok_or(no_such)?;
        let sources = trace.sources(sources);
        Ok(Stepper { trace, at, sources, marked: None, lost_at: Vec::new(), known: None })
    }

    /// The reasons why parts of the run are missing.
    pub fn missing(&self) -> Vec<String> {
        self.trace.missing()
    }

    /// A stepper at an event of an open recording. It looks for no sources.
    pub(in crate::recorded) fn over(trace: &'a mut RecordedTrace, at: EventPosition) -> Stepper<'a> {
        let trace = TraceHandle::Of(trace);
        Stepper { trace, at, sources: None, marked: None, lost_at: Vec::new(), known: None }
    }

    /// Moves the stepper to another event.
    pub(crate) fn standing_at(self, at: EventPosition) -> Stepper<'a> {
        Stepper { at, ..self }
    }

    fn no_further(what: &str) -> SessionError {
        SessionError::NoStep(what.to_owned())
    }

    /// Moves to the next event of the call. From the end of the call, moves on in its caller.
    ///
    /// # Errors
    /// There is no such event, or it cannot be read.
    pub fn forth(&mut self) -> Result<(), SessionError> {
        let calls = &mut self.trace.calls;
        if let Some(next) = calls.following(self.at)? {
            self.at = next;
            return Ok(());
        }
        let made = calls.made_at(self.at.node);
        let behind = match made {
            Some(made) => calls.following(made)?,
            None => None,
        };
        self.at = behind.ok_or_else(|| Stepper::no_further("this thread has no later event"))?;
        Ok(())
    }

    /// Moves to the previous event of the call. From the entry, moves to the event in the caller that makes
    /// the call.
    ///
    /// # Errors
    /// There is no such event, or it cannot be read.
    pub fn back(&mut self) -> Result<(), SessionError> {
        match self.trace.calls.preceding(self.at)? {
            Some(before) => self.at = before,
            None => self.out()?,
        }
        Ok(())
    }

    /// Moves into the call that is made here.
    ///
    /// # Errors
    /// No call is made here.
    pub fn into_call(&mut self) -> Result<(), SessionError> {
        let own = self.at.node;
        let made = self.trace.calls.event_at(self.at, |_, seen| {
            seen.node.filter(|node| seen.site.what == Traced::Enter && *node != own)
        })?;
        let made = made.flatten().and_then(|node| self.trace.calls.entry(node));
        self.at = made.ok_or_else(|| Stepper::no_further("no recorded call is made here"))?;
        Ok(())
    }

    /// Moves to the event in the caller that makes this call.
    ///
    /// # Errors
    /// The caller was not recorded.
    pub fn out(&mut self) -> Result<(), SessionError> {
        let made = self.trace.calls.made_at(self.at.node);
        self.at = made.ok_or_else(|| Stepper::no_further("this call has no recorded caller"))?;
        Ok(())
    }

    /// Moves to the entry of a call, or to its end.
    ///
    /// # Errors
    /// There is no such call, or its end was not recorded.
    pub fn call(&mut self, node: u32, at_end: bool) -> Result<(), SessionError> {
        let calls = &self.trace.calls;
        let no_such = InspectError::NoSuchCall { node, calls: calls.count() };
        let node = calls.own(node);
        let entry = calls.entry(node).ok_or(no_such)?;
        self.at = match at_end {
            false => entry,
            true => calls.end(node).ok_or_else(|| Stepper::no_further("its end was not recorded"))?,
        };
        Ok(())
    }

    /// Moves to the end of this call.
    ///
    /// # Errors
    /// The end was not recorded.
    pub fn to_end(&mut self) -> Result<(), SessionError> {
        self.call(self.trace.calls.shown(self.at.node), true)
    }

    /// Whether this user made the recording.
    pub fn is_own(&self) -> bool {
        self.trace.is_own()
    }

    /// Whether the recorded command lacks its secrets.
    pub fn is_redacted(&self) -> bool {
        self.trace.about.redacted
    }

    /// The chain of this event, at which another run can halt.
    ///
    /// # Errors
    /// No run can halt here, or the recording cannot be read.
    pub fn chain(&mut self) -> Result<Chain, SessionError> {
        super::as_chain::chain_of(&mut self.trace, self.at)
    }

    /// Moves to the next line of the call, or to the previous one. If the call has none, moves to that of its
    /// caller.
    ///
    /// # Errors
    /// There is no such line, lines were not recorded, or the events cannot be read.
    pub fn line(&mut self, direction: Direction) -> Result<(), SessionError> {
        let found = line_steps::neighbour(&mut self.trace.calls, self.at, direction)?;
        let none = || format!("no line of this thread was recorded {}", line_steps::side(direction));
        self.at = found.ok_or_else(|| SessionError::NoStep(none()))?;
        Ok(())
    }

    /// Moves to the next execution of a line in this thread, or to the previous one.
    ///
    /// # Errors
    /// There is no such execution, lines were not recorded, or the events cannot be read.
    pub fn to_line(&mut self, direction: Direction, line: &SourceLine) -> Result<(), SessionError> {
        self.at = line_steps::execution(&mut self.trace.calls, self.at, direction, line)?;
        Ok(())
    }

    /// Moves to the nearest write to a variable, or to the nearest change of the collection that it refers
    /// to. Marks the changed variable.
    ///
    /// # Errors
    /// There is no such variable, there is no write, or writes were not recorded.
    pub fn change(&mut self, direction: Direction, name: &str) -> Result<(), SessionError> {
        let mut scope = self.scope()?;
        let variable = scope.variable(name)?;
        let nearest = changes::nearest(&mut scope, direction, &variable)?;
        let (before, after) = ("before this event", "after this event");
        let side = if direction == Direction::Back { before } else { after };
        let none = || Stepper::no_further(&format!("no write to {name} was recorded {side}"));
        let (at, changed) = nearest.ok_or_else(none)?;
        (self.at, self.marked) = (at, Some(changed));
        Ok(())
    }

    /// Marks the changes of a variable in lists of events.
    ///
    /// # Errors
    /// There is no such variable.
    pub fn mark(&mut self, name: &str) -> Result<(), SessionError> {
        self.marked = Some(self.scope()?.variable(name)?);
        Ok(())
    }

    /// The current event and what is in scope there.
    ///
    /// # Errors
    /// The event cannot be read.
    pub fn view(&mut self) -> Result<View, SessionError> {
        let (node, at) = (self.at.node, self.at);
        let calls = &mut self.trace.calls;
        let no_such = InspectError::NoSuchCall { node, calls: calls.count() };
        let call = CallShown::of(calls, node)?.ok_or(no_such)?;
        let event = view::event_at(&mut self.trace, at)?;
        let calls = &mut self.trace.calls;
        let thread = calls.thread_of(node).unwrap_or_default();
        let source = calls.method(node).and_then(|method| method.source.as_deref().map(str::to_owned));
        let mut lines = Vec::new();
        if let (Some(sources), Some(line)) = (&self.sources, event.line)
            && let Some(text) = sources.find(&call.class, source.as_deref(), None)
        {
            let line = u32::from(line);
            let range = line.saturating_sub(AROUND).max(1)..=line + AROUND;
            lines.extend(range.filter_map(|n| Some((n, text.line(n)?.replace('\t', "    ")))));
        }
        let EventScope { locals, this, .. } = self.scope()?;
        let objects = &self.trace.calls.objects;
        let local =
            |LocalValue { name, value, changed }| LocalShown { name, value: shown(&value, objects), changed };
        let locals = locals.into_iter().map(local).collect();
        let this = match this {
            Some(this) if self.trace.about.level >= Level::Writes => Some(self.object(this, 1)?),
            _ => None,
        };
        Ok(View { thread, call, event, source, lines, locals, this })
    }

    /// The events of the current call around this one: up to `many` on each side.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn list(&mut self, many: usize) -> Result<Vec<ListedEvent>, SessionError> {
        view::list(&mut self.trace, self.at, many, self.marked.as_ref(), &self.lost_at)
    }

    /// The current event.
    pub fn position(&self) -> EventPosition {
        self.at
    }

    /// Opens the recording once more.
    ///
    /// # Errors
    /// It cannot be read, or the user interrupted the work.
    pub async fn reopened(&self, context: &Context) -> Result<RecordedTrace, SessionError> {
        self.trace.reopened(context).await
    }

    /// Marks the jumps at which operations were lost, in the order of the suggestions.
    pub fn mark_lost(&mut self, lost_at: Vec<EventPosition>) {
        self.lost_at = lost_at;
    }

    /// An object or variable, with the objects that it refers to.
    ///
    /// # Errors
    /// There is no such variable or object, or it has no value here.
    pub fn show(&mut self, name: &str) -> Result<MemberShown, SessionError> {
        let unknown = || InspectError::NoVariable(name.to_owned());
        let mut scope = self.scope()?;
        let value = match Some(name).filter(|name| name.contains('@')).and_then(number) {
            Some(object) => Some(Value::Object(scope.calls.objects.own(object))),
            None if name == "this" => scope.this.map(Value::Object),
            None => {
                let variable = scope.variable(name)?;
                scope.value(&variable)?
            }
        };
        let value = value.ok_or_else(unknown)?;
        let held = Some(value);
        let inner = match value {
            Value::Object(object) if object != 0 => Some(self.object(object, DEPTH)?),
            _ => None,
        };
        let value = Some(shown(&value, &self.trace.calls.objects));
        Ok(MemberShown { name: name.to_owned(), value, changed: false, inner, held })
    }

    /// The last writes to a variable, by its name at this event.
    ///
    /// # Errors
    /// There is no such variable, or the events cannot be read.
    pub fn history(&mut self, name: &str) -> Result<History, SessionError> {
        self.last_writes(name, WRITES)
    }

    /// The last writes to a variable, at most `limit`.
    ///
    /// # Errors
    /// As [`Stepper::history`].
    pub fn last_writes(&mut self, name: &str, limit: usize) -> Result<History, SessionError> {
        match self.scope()?.variable(name)? {
            Variable::Local(..) => view::local_history(&mut self.trace, self.at.node, name, limit),
            Variable::Parts(object, parts) => {
                let found = of_parts(&mut self.trace, name, object, &parts, limit)?;
                Ok(History { missing: self.trace.missing(), ..found })
            }
        }
    }

    /// An object before this event, and the objects that it refers to down to a depth.
    fn object(&mut self, object: u32, depth: u32) -> Result<ObjectShown, SessionError> {
        let calls = &mut self.trace.calls;
        let when = calls.when_at(self.at)?;
        let (began, _) = calls.span(self.at.node)?;
        ObjectReader::new(calls, when, began).object(object, depth)
    }

    /// The variables in scope at this event.
    fn scope(&mut self) -> Result<EventScope<'_>, SessionError> {
        let (calls, at) = (&mut self.trace.calls, self.at);
        self.known = KnownLocals::before(self.known.take(), calls, at)?;
        EventScope::of(calls, at, self.known.as_ref())
    }
}
