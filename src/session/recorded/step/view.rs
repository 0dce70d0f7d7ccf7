//! What one sees who stands at an event.

use super::Stepper;
use super::target::Target;
use crate::inspect::calls::{CallShown, shown, shown_item};
use crate::inspect::events::{EventShown, event};
use crate::inspect::history::of_parts;
use crate::inspect::state::{Around, number};
use crate::inspect::{InspectError, Recording};
use crate::session::error::SessionError;
use crate::session::recorded::{History, WriteShown};
use crate::trace::{
    Calls, CollectionContents, EventPosition, EventTime, Items, Level, Objects, Traced, Value,
};
use serde::Serialize;
use std::collections::HashMap;

/// Lines of source on each side of the one where an event is.
const AROUND: u32 = 3;
/// Fields and elements of an object that are shown.
const PARTS: usize = 24;

/// Where one stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// The name of the thread.
    pub thread: String,
    /// The call.
    pub call: CallShown,
    /// What happens next.
    pub event: EventShown,
    /// The file of its source, if that is known.
    pub source: Option<String>,
    /// Lines of the source around it.
    pub lines: Vec<(u32, String)>,
    /// The variables of the call, as they are before that happens.
    pub locals: Vec<LocalShown>,
    /// What the call is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub this: Option<ObjectShown>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocalShown {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub value: String,
    /// It is a parameter, and holds something else than as the call began.
    pub changed: bool,
}

/// An object as it is before the event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectShown {
    /// The object.
    pub object: String,
    /// Its fields or elements, as far as they are ever written.
    pub parts: Vec<HeldShown>,
    /// Whether there are more.
    pub more: bool,
}

/// A field or element.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldShown {
    /// Its name, or its index in brackets.
    pub name: String,
    /// What it holds; none where that is not known.
    pub value: Option<String>,
    /// It holds something else than as the call began.
    pub changed: bool,
    /// What it refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner: Option<ObjectShown>,
}

/// An event of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedEvent {
    /// The event.
    pub event: EventShown,
    /// One stands there.
    pub here: bool,
    /// It writes the variable that is marked.
    pub changes: bool,
    /// It is a call below which that is written.
    pub changes_below: bool,
}

/// What the variables of a call hold before one of its events: their names, values, and what they held at
/// first if they are parameters.
pub(super) struct Known {
    at: EventPosition,
    held: Vec<(String, Value, Option<Value>)>,
}

impl Stepper<'_> {
    pub(super) fn this(&mut self) -> Result<Option<u32>, SessionError> {
        let call = self.trace.calls.call(self.at.node)?;
        Ok(call.and_then(|call| call.this).filter(|this| *this != 0))
    }

    /// The variables of the call before this event: what they hold, and whether they are parameters that hold
    /// something else than at first.
    pub(super) fn locals(&mut self) -> Result<Vec<(String, Value, bool)>, SessionError> {
        let calls = &mut self.trace.calls;
        let (at, entry) = (self.at, calls.entry(self.at.node));
        // A call can have very many events: what those up to here have written is known.
        let known = self.known.take().filter(|known| known.at.is_before(at));
        let mut known = match (known, entry) {
            (Some(known), _) => known,
            (None, Some(entry)) => {
                let Some(call) = calls.call(at.node)? else { return Ok(Vec::new()) };
                let names = calls.method(at.node).map(|method| method.parameters.clone()).unwrap_or_default();
                let named = |(at, value): (usize, Value)| {
                    let name = names.get(at).cloned().flatten();
                    (name.unwrap_or_else(|| format!("argument {}", at + 1)), value, Some(value))
                };
                Known { at: entry, held: call.arguments.into_iter().enumerate().map(named).collect() }
            }
            (None, None) => return Ok(Vec::new()),
        };
        let held = &mut known.held;
        let has_locals = calls.method(at.node).is_some_and(|method| method.level == Level::All);
        if has_locals {
            calls.events_between(known.at, at, |_, seen| {
                let (Traced::Local { .. }, Some(written), Some(value)) =
                    (seen.site.what, &seen.site.written, seen.values.first())
                else {
                    return;
                };
                match held.iter_mut().find(|(name, ..)| *name == written.name) {
                    Some((_, known, _)) => *known = *value,
                    None => held.push((written.name.clone(), *value, None)),
                }
            })?;
        }
        known.at = at;
        let told = known
            .held
            .iter()
            .map(|(name, value, first)| (name.clone(), *value, first.is_some_and(|first| !first.is(*value))));
        let told = told.collect();
        self.known = Some(known);
        Ok(told)
    }

    /// An object before this event, and what it refers to, so many levels deep.
    fn object(&mut self, object: u32, depth: u32) -> Result<ObjectShown, SessionError> {
        let calls = &mut self.trace.calls;
        let when = calls.when_at(self.at)?;
        let (began, _) = calls.span(self.at.node)?;
        self.object_then(object, when, began, depth, &mut Vec::new())
    }

    fn object_then(
        &mut self,
        object: u32,
        when: EventTime,
        began: EventTime,
        depth: u32,
        around: &mut Vec<u32>,
    ) -> Result<ObjectShown, SessionError> {
        let mut parts = Vec::new();
        let mut next = self.trace.calls.part_from(object, 0);
        around.push(object);
        while let Some(part) = next.filter(|_| parts.len() < PARTS) {
            let calls = &mut self.trace.calls;
            let rows = calls.write_rows(object, part);
            let then = Around::of(calls, &rows, when)?;
            let before = Around::of(calls, &rows, began)?;
            let name = match calls.objects.is_array(object) {
                true => format!("[{part}]"),
                false => usize::try_from(part)
                    .ok()
                    .and_then(|part| calls.fields().get(part))
                    .map_or_else(|| part.to_string(), |(_, name)| name.clone()),
            };
            let inner = match then.value {
                // What hangs on itself would never end.
                Some(Value::Object(inner)) if depth > 0 && inner != 0 && !around.contains(&inner) => {
                    let inner = self.object_then(inner, when, began, depth - 1, around)?;
                    Some(inner).filter(|inner| !inner.parts.is_empty())
                }
                _ => None,
            };
            let changed = then.held() != before.held();
            parts.push(HeldShown { name, value: then.held(), changed, inner });
            let calls = &self.trace.calls;
            next = calls.part_from(object, part.saturating_add(1));
        }
        let is_more = self.contents_then(object, (when, began), depth, around, &mut parts)?;
        around.pop();
        Ok(ObjectShown {
            object: self.trace.calls.objects.name(object),
            parts,
            more: next.is_some() || is_more,
        })
    }

    /// What a collection holds at an event, behind its fields; whether there is more.
    fn contents_then(
        &mut self,
        object: u32,
        (when, began): (EventTime, EventTime),
        depth: u32,
        around: &mut Vec<u32>,
        parts: &mut Vec<HeldShown>,
    ) -> Result<bool, SessionError> {
        let calls = &mut self.trace.calls;
        if !calls.has_contents(object) {
            return Ok(false);
        }
        let Some(then) = calls.contents(object, when)? else { return Ok(false) };
        let before = named(calls.contents(object, began)?, &calls.objects);
        let all = named(Some(then.clone()), &calls.objects);
        let many = all.len();
        let was: HashMap<&String, Option<Value>> =
            before.iter().map(|(name, value)| (name, *value)).collect();
        for (name, value) in all.iter().take(PARTS.saturating_sub(parts.len())) {
            let inner = match value {
                Some(Value::Object(inner)) if depth > 0 && *inner != 0 && !around.contains(inner) => {
                    let inner = self.object_then(*inner, when, began, depth - 1, around)?;
                    Some(inner).filter(|inner| !inner.parts.is_empty())
                }
                _ => None,
            };
            let changed = was.get(name).is_none_or(|before| before != value);
            let shown = value.as_ref().map(|value| shown_item(value, &self.trace.calls.objects));
            parts.push(HeldShown { name: name.clone(), value: shown, changed, inner });
        }
        let is_more = many > parts.len();
        if then.unsure {
            let name = "contents may have changed where it was not recorded".to_owned();
            parts.push(HeldShown { name, value: None, changed: false, inner: None });
        }
        Ok(is_more)
    }

    /// An object or variable, with what hangs on it.
    ///
    /// # Errors
    /// There is no such thing, or it is no object.
    pub fn show(&mut self, text: &str, depth: u32) -> Result<HeldShown, SessionError> {
        let unknown = || InspectError::NoVariable(text.to_owned());
        let value = match Some(text).filter(|text| text.contains('@')).and_then(number) {
            Some(object) => Some(Value::Object(self.trace.calls.objects.own(object))),
            None if text == "this" => self.this()?.map(Value::Object),
            None => match self.target(text)? {
                Target::Local(_, name) => {
                    let mut locals = self.locals()?.into_iter();
                    let found = locals.find(|(known, ..)| *known == name).map(|(_, value, _)| value);
                    Some(found.ok_or(InspectError::NoValueYet(name))?)
                }
                Target::Parts(object, parts) => {
                    let calls = &mut self.trace.calls;
                    let when = calls.when_at(self.at)?;
                    match parts.first() {
                        Some(part) => Around::of(calls, &calls.write_rows(object, *part), when)?.value,
                        None => None,
                    }
                }
            },
        };
        let value = value.ok_or_else(unknown)?;
        let inner = match value {
            Value::Object(object) if object != 0 => Some(self.object(object, depth)?),
            _ => None,
        };
        let value = Some(shown(&value, &self.trace.calls.objects));
        Ok(HeldShown { name: text.to_owned(), value, changed: false, inner })
    }

    /// Where one stands.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn view(&mut self) -> Result<View, SessionError> {
        let node = self.at.node;
        let at = self.at;
        let calls = &mut self.trace.calls;
        let no_such = InspectError::NoSuchCall { node, calls: calls.count() };
        let call = CallShown::of(calls, node)?.ok_or(no_such)?;
        let mut event = listed(calls, at)?.unwrap_or_default();
        {
            let Recording { calls, lines, .. } = &mut self.trace.recording;
            lines.correct(calls, at, &mut event)?;
        }
        let calls = &mut self.trace.calls;
        let thread = calls.thread_of(node).unwrap_or_default();
        let class = call.class.clone();
        let source = calls.method(node).and_then(|method| method.source.as_deref().map(str::to_owned));
        let mut lines = Vec::new();
        if let (Some(sources), Some(line)) = (&self.sources, event.line)
            && let Some(text) = sources.find(&class, source.as_deref(), None)
        {
            let line = u32::from(line);
            let range = line.saturating_sub(AROUND).max(1)..=line + AROUND;
            lines.extend(range.filter_map(|n| Some((n, text.line(n)?.replace('\t', "    ")))));
        }
        let locals = self.locals()?.into_iter().map(|(name, value, changed)| LocalShown {
            name,
            value: shown(&value, &self.trace.calls.objects),
            changed,
        });
        let locals = locals.collect();
        let this = match self.this()? {
            Some(this) if self.trace.about.level >= Level::Writes => Some(self.object(this, 1)?),
            _ => None,
        };
        Ok(View { thread, call, event, source, lines, locals, this })
    }

    /// The events of the call around this one, so many on each side, those marked that change what is marked.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn list(&mut self, many: usize) -> Result<Vec<ListedEvent>, SessionError> {
        let mut places = std::collections::VecDeque::from([self.at]);
        for _ in 0..many {
            let calls = &mut self.trace.calls;
            if let Some(at) = places.front().copied()
                && let Some(before) = calls.preceding(at)?
            {
                places.push_front(before);
            }
            if let Some(at) = places.back().copied()
                && let Some(after) = calls.following(at)?
            {
                places.push_back(after);
            }
        }
        let mut found = Vec::new();
        for at in places {
            let mut event = listed(&mut self.trace.calls, at)?.unwrap_or_default();
            {
                let Recording { calls, lines, .. } = &mut self.trace.recording;
                lines.correct(calls, at, &mut event)?;
            }
            let (changes, changes_below) = self.marks(at, &event)?;
            found.push(ListedEvent { event, here: at == self.at, changes, changes_below });
        }
        Ok(found)
    }

    /// Whether an event writes what is marked, or a call below it does.
    fn marks(&mut self, at: EventPosition, event: &EventShown) -> Result<(bool, bool), SessionError> {
        let calls = &mut self.trace.calls;
        match &self.marked {
            Some(Target::Local(node, name)) => {
                let is_it = *node == at.node && event.event == "local" && event.name.as_ref() == Some(name);
                Ok((is_it, false))
            }
            Some(Target::Parts(object, parts)) => match &event.call {
                None => {
                    let writes = calls.event_at(at, |calls, seen| calls.is_write_to(seen, *object, parts))?;
                    Ok((writes.unwrap_or(false), false))
                }
                Some(call) => {
                    let (from, to) = calls.span(calls.own(call.node))?;
                    let mut is_below = false;
                    for part in parts {
                        let rows = calls.write_rows(*object, *part);
                        let last = Around::of(calls, &rows, from)?.last_at;
                        is_below |= last != Around::of(calls, &rows, to)?.last_at;
                    }
                    Ok((false, is_below))
                }
            },
            None => Ok((false, false)),
        }
    }

    /// The writes to a variable, as it is named here.
    ///
    /// # Errors
    /// There is no such variable, or it is one of this call alone.
    pub fn history(&mut self, text: &str, limit: usize) -> Result<History, SessionError> {
        match self.target(text)? {
            Target::Local(..) => {
                let calls = &mut self.trace.calls;
                let node = self.at.node;
                let (Some(begin), thread) = (calls.entry(node), calls.thread_of(node).unwrap_or_default())
                else {
                    return Err(InspectError::NoVariable(text.to_owned()).into());
                };
                let mut writes = std::collections::VecDeque::new();
                let mut before = 0;
                calls.events_after(begin, |calls, seen| {
                    let named = seen.site.written.as_ref().is_some_and(|w| w.name == text);
                    if named && matches!(seen.site.what, Traced::Local { .. }) {
                        let method = calls.sites.method(seen.site.method);
                        let method = method.map(|m| format!("{}.{}", m.class, m.name)).unwrap_or_default();
                        let write = event(calls, seen);
                        let (thread, node) = (thread.clone(), Some(calls.shown(node)));
                        let write = WriteShown { thread, node, method, run: None, write };
                        writes.push_back((seen.position(), write));
                        if writes.len() > limit {
                            writes.pop_front();
                            before += 1;
                        }
                    }
                    true
                })?;
                let Recording { calls, lines, .. } = &mut self.trace.recording;
                let mut shown = Vec::with_capacity(writes.len());
                for (at, mut write) in writes {
                    if let Some(at) = at {
                        lines.correct(calls, at, &mut write.write)?;
                    }
                    shown.push(write);
                }
                let missing = self.trace.missing_in(node);
                Ok(History {
                    variable: text.to_owned(),
                    writes: shown,
                    before,
                    missing,
                    ..History::default()
                })
            }
            Target::Parts(object, parts) => {
                let found = of_parts(&mut self.trace, text, object, &parts, limit)?;
                Ok(History { missing: self.trace.missing(), ..found })
            }
        }
    }
}

/// What a collection holds, each by its index or key.
fn named(held: Option<CollectionContents>, objects: &Objects) -> Vec<(String, Option<Value>)> {
    match held.map(|held| held.items) {
        None => Vec::new(),
        Some(Items::Elements(elements)) => {
            (0..).zip(elements).map(|(at, value): (usize, _)| (format!("[{at}]"), value)).collect()
        }
        Some(Items::Pairs(pairs)) => pairs
            .into_iter()
            .map(|(key, value)| (format!("[{}]", shown_item(&key, objects)), Some(value)))
            .collect(),
    }
}

/// What happens at an event: a call that is made there as one.
fn listed(calls: &mut Calls, at: EventPosition) -> Result<Option<EventShown>, SessionError> {
    let told = calls.event_at(at, |calls, seen| {
        let shown = event(calls, seen);
        (shown, seen.site.what, seen.node)
    })?;
    let Some((shown, what, node)) = told else { return Ok(None) };
    Ok(Some(match (what, node) {
        (Traced::Enter, Some(made)) if made != at.node => {
            let line = calls.called_from(at)?;
            let call = CallShown::of(calls, made)?.map(Box::new);
            EventShown { event: "call", call, line, ..EventShown::default() }
        }
        _ => shown,
    }))
}
