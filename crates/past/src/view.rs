//! An event with what is in scope there, and the events around it, as someone reads them who steps from
//! event to event (JHyde §3).

use crate::call::CallShown;
use crate::error::PastError;
use crate::event::{EventShown, add_line, event};
use crate::locals::LocalValue;
use crate::moment::Moment;
use crate::name::Variable;
use crate::objects::{MemberShown, ObjectReader, ObjectShown};
use crate::recording::Recording;
use crate::values::shown;
use serde::Serialize;
use std::collections::VecDeque;
use trace::{Calls, EventPosition, Level, Traced, Value};

/// Lines of source on each side of an event's line.
const AROUND: u32 = 3;
/// Maximum depth to which an object is shown.
const DEPTH: u32 = 3;

/// The current event and what is in scope there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// The name of the thread.
    pub thread: String,
    /// The call.
    pub call: CallShown,
    /// The event that happens next.
    pub event: EventShown,
    /// The source file, if known.
    pub source: Option<String>,
    /// Lines of the source around the event.
    pub lines: Vec<(u32, String)>,
    /// The variables of the call before the event.
    pub locals: Vec<LocalShown>,
    /// The object that the call was made on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub this: Option<ObjectShown>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocalShown {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether it is a parameter whose value differs from that at the entry of the call.
    pub changed: bool,
}

/// An event of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedEvent {
    /// The event.
    pub event: EventShown,
    /// Whether it is the current event.
    pub here: bool,
    /// Whether it writes the marked variable.
    pub changes: bool,
    /// Whether it is a call below which the marked variable is written.
    pub changes_below: bool,
    /// If operations were lost here: the number of the first suggestion that says so, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<usize>,
}

/// Which events of a list are marked.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The variables whose changes are marked: one, and the contents of the collection that it refers to.
    pub variables: Vec<Variable>,
    /// The jumps at which operations were lost, in the order of the suggestions.
    pub lost_at: Vec<EventPosition>,
}

impl Recording {
    /// The event at a position, with the line that computed its value. If it makes a call, that call.
    ///
    /// # Errors
    /// The event cannot be read.
    pub fn event_shown(&mut self, at: EventPosition) -> Result<EventShown, PastError> {
        let mut event = call_or_event(&mut self.calls, at)?.unwrap_or_default();
        self.lines.correct(&mut self.calls, at, &mut event)?;
        add_line(&mut self.calls, at, &mut event)?;
        Ok(event)
    }

    /// An event and what is in scope there.
    ///
    /// # Errors
    /// The event cannot be read.
    pub fn view(&mut self, at: EventPosition) -> Result<View, PastError> {
        let calls = &mut self.calls;
        let no_such = PastError::NoSuchCall { node: calls.shown(at.node), calls: calls.count() };
        let call = CallShown::of(calls, at.node)?.ok_or(no_such)?;
        let event = self.event_shown(at)?;
        let thread = self.calls.thread_of(at.node).unwrap_or_default();
        let method = self.calls.method(at.node);
        let source = method.and_then(|method| method.source.as_deref().map(str::to_owned));
        let mut lines = Vec::new();
        if let (Some(sources), Some(line)) = (&self.code.sources, event.line)
            && let Some(text) = sources.find(&call.class, source.as_deref(), None)
        {
            let line = u32::from(line);
            let range = line.saturating_sub(AROUND).max(1)..=line + AROUND;
            lines.extend(range.filter_map(|n| Some((n, text.line(n)?.replace('\t', "    ")))));
        }
        let locals = self.locals_at(at)?;
        let objects = &self.calls.objects;
        let local = |LocalValue { name, value, changed, .. }| LocalShown {
            name,
            value: shown(&value, objects),
            changed,
        };
        let locals = locals.into_iter().map(local).collect();
        let this = self.calls.call(at.node)?.and_then(|call| call.this).filter(|this| *this != 0);
        let this = match this {
            Some(this) if self.about.level >= Level::Writes => {
                let moment = self.moment(at)?;
                Some(self.object_shown(moment, this, 1)?)
            }
            _ => None,
        };
        Ok(View { thread, call, event, source, lines, locals, this })
    }

    /// An object or variable, with the objects that it refers to.
    ///
    /// # Errors
    /// There is no such variable or object, or it has no value there.
    pub fn show(&mut self, moment: Moment, name: &str) -> Result<MemberShown, PastError> {
        let value = self.evaluate(moment, name)?;
        let held = value.object.map(Value::Object);
        let inner = match value.object {
            Some(object) if object != 0 => Some(self.object_shown(moment, object, DEPTH)?),
            _ => None,
        };
        Ok(MemberShown { name: name.to_owned(), value: Some(value.text), changed: false, inner, held })
    }

    /// An object at a moment, and the objects that it refers to down to a depth.
    fn object_shown(&mut self, moment: Moment, object: u32, depth: u32) -> Result<ObjectShown, PastError> {
        let (began, _) = self.calls.span(moment.at.node)?;
        ObjectReader::new(&mut self.calls, &mut self.code.fields, moment.when, began).object(object, depth)
    }

    /// The events of the call around a position: up to `many` on each side.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn list(
        &mut self,
        here: EventPosition,
        many: usize,
        marks: &Marks,
    ) -> Result<Vec<ListedEvent>, PastError> {
        let mut places = VecDeque::from([here]);
        for _ in 0..many {
            if let Some(at) = places.front().copied()
                && let Some(before) = self.calls.preceding(at)?
            {
                places.push_front(before);
            }
            if let Some(at) = places.back().copied()
                && let Some(after) = self.calls.following(at)?
            {
                places.push_back(after);
            }
        }
        let mut found = Vec::new();
        for at in places {
            let event = self.event_shown(at)?;
            let (changes, changes_below) = self.is_written_by(&marks.variables, at, &event)?;
            let omitted =
                (1..).zip(&marks.lost_at).find_map(|(number, lost)| (*lost == at).then_some(number));
            found.push(ListedEvent { event, here: at == here, changes, changes_below, omitted });
        }
        Ok(found)
    }
}

/// The event at a position. If it makes a call, that call.
fn call_or_event(calls: &mut Calls, at: EventPosition) -> Result<Option<EventShown>, PastError> {
    let happens = calls.event_at(at, |calls, seen| (event(calls, seen), seen.site.what, seen.node))?;
    let Some((shown, what, node)) = happens else { return Ok(None) };
    Ok(Some(match (what, node) {
        (Traced::Enter, Some(made)) if made != at.node => {
            let line = calls.called_from(at)?;
            let call = CallShown::of(calls, made)?.map(Box::new);
            EventShown { event: "call", call, line, ..EventShown::default() }
        }
        _ => shown,
    }))
}
