//! A walk over a recorded run, to and fro: at each event the call that it is in, its variables, its `this`
//! and what hangs on that, as they were then (JHyde §3).

mod lines;
mod target;
mod view;

pub use lines::LineOf;
pub use view::{HeldShown, ListedEvent, LocalShown, ObjectShown, View};

use super::open::RecordedTrace;
use crate::chain::{Chain, Debuggee};
use crate::inspect::InspectError;
use crate::session::error::SessionError;
use crate::session::workspace::Workspace;
use crate::trace::{CONTENTS, EventPosition, EventTime, Traced};
use std::path::PathBuf;
use target::Target;
use view::Known;

/// A recorded run that is read: one's own, or lent for a while.
pub enum Lent<'a> {
    /// Its own.
    Own(Box<RecordedTrace>),
    /// Somebody else's.
    Of(&'a mut RecordedTrace),
}

impl From<RecordedTrace> for Lent<'_> {
    fn from(trace: RecordedTrace) -> Self {
        Lent::Own(Box::new(trace))
    }
}

impl<'a> From<&'a mut RecordedTrace> for Lent<'a> {
    fn from(trace: &'a mut RecordedTrace) -> Self {
        Lent::Of(trace)
    }
}

impl std::ops::Deref for Lent<'_> {
    type Target = RecordedTrace;

    fn deref(&self) -> &RecordedTrace {
        match self {
            Lent::Own(trace) => trace,
            Lent::Of(trace) => trace,
        }
    }
}

impl std::ops::DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut RecordedTrace {
        match self {
            Lent::Own(trace) => trace,
            Lent::Of(trace) => trace,
        }
    }
}

/// Someone who stands at an event.
pub struct Stepper<'a> {
    trace: Lent<'a>,
    at: EventPosition,
    sources: Option<crate::classes::SourceRoots>,
    /// The variable whose changes are marked.
    marked: Option<Target>,
    /// The variables where one stood last.
    known: Option<Known>,
}

/// A way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the last one before.
    Back,
    /// To the first one after.
    Forward,
}

impl<'a> Stepper<'a> {
    /// At the entry of a call; sources are looked for in these folders.
    ///
    /// # Errors
    /// There is no such call.
    pub fn new(
        trace: impl Into<Lent<'a>>,
        node: u32,
        sources: &[PathBuf],
    ) -> Result<Stepper<'a>, SessionError> {
        let trace = trace.into();
        let no_such = InspectError::NoSuchCall { node, calls: trace.calls.count() };
        let at = trace.calls.entry(trace.calls.own(node)).ok_or(no_such)?;
        let about = &trace.about;
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let sources = sources.iter().map(absolute).collect();
        let debuggee = Debuggee {
            command: about.command.clone(),
            cwd: Some(about.cwd.clone()),
            sources,
            ..Debuggee::default()
        };
        // Without sources everything else is there all the same.
        let sources = Workspace::open(&Chain::new(debuggee, Vec::new()), None, None);
        let sources = sources.ok().map(|workspace| workspace.sources());
        Ok(Stepper { trace, at, sources, marked: None, known: None })
    }

    /// What is missing of the run, and why.
    pub fn missing(&self) -> Vec<String> {
        self.trace.missing()
    }

    /// The same one at another event.
    pub(crate) fn standing_at(self, at: EventPosition) -> Stepper<'a> {
        Stepper { at, ..self }
    }

    fn no_further(what: &str) -> SessionError {
        SessionError::NoStep(what.to_owned())
    }

    /// To the next event of the call; from its end on to that of the call around it.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
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
        self.at = behind.ok_or_else(|| Stepper::no_further("nothing of this thread comes behind it"))?;
        Ok(())
    }

    /// To the event of the call before; from its entry to where it is made.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn back(&mut self) -> Result<(), SessionError> {
        match self.trace.calls.preceding(self.at)? {
            Some(before) => self.at = before,
            None => self.out()?,
        }
        Ok(())
    }

    /// Into the call that is made here.
    ///
    /// # Errors
    /// None is.
    pub fn into_call(&mut self) -> Result<(), SessionError> {
        let own = self.at.node;
        let made = self.trace.calls.event_at(self.at, |_, seen| {
            seen.node.filter(|node| seen.site.what == Traced::Enter && *node != own)
        })?;
        let made = made.flatten().and_then(|node| self.trace.calls.entry(node));
        self.at = made.ok_or_else(|| Stepper::no_further("no recorded call is made here"))?;
        Ok(())
    }

    /// To where this call is made.
    ///
    /// # Errors
    /// No recorded call has made it.
    pub fn out(&mut self) -> Result<(), SessionError> {
        let made = self.trace.calls.made_at(self.at.node);
        self.at = made.ok_or_else(|| Stepper::no_further("no recorded call has made this one"))?;
        Ok(())
    }

    /// To the entry of a call, or its end.
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

    /// To the end of this call.
    ///
    /// # Errors
    /// It was not recorded.
    pub fn to_end(&mut self) -> Result<(), SessionError> {
        self.call(self.trace.calls.shown(self.at.node), true)
    }

    /// Whether the recording is this user's own.
    pub fn is_own(&self) -> bool {
        self.trace.is_own()
    }

    /// Whether the command was kept without its secrets.
    pub fn is_redacted(&self) -> bool {
        self.trace.about.redacted
    }

    /// The chain of this event: what a further run halts at.
    ///
    /// # Errors
    /// No run can halt here, or it cannot be read.
    pub fn chain(&mut self) -> Result<Chain, SessionError> {
        super::as_chain::chain_of(&mut self.trace, self.at)
    }

    /// To a write of a variable, or to a change of what the collection holds that it refers to.
    ///
    /// # Errors
    /// There is no such variable, or no write; or writes were not recorded.
    pub fn change(&mut self, way: Way, variable: &str) -> Result<(), SessionError> {
        let target = self.target(variable)?;
        let written = self.target_change(way, &target)?.map(|at| (at, target.clone()));
        // A variable that refers to a collection changes with what that holds, too.
        let changed = match self.collection(&target)? {
            Some(collection) => {
                let contents = Target::Parts(collection, vec![CONTENTS]);
                self.target_change(way, &contents)?.map(|at| (at, contents))
            }
            None => None,
        };
        let nearest = match (written, changed) {
            (Some(written), Some(changed)) => {
                let calls = &mut self.trace.calls;
                let is_later = calls.when_at(written.0)? > calls.when_at(changed.0)?;
                let wants_later = way == Way::Back;
                Some(if is_later == wants_later { written } else { changed })
            }
            (written, changed) => written.or(changed),
        };
        let (before, after) = ("before this event", "behind this event");
        let side = if way == Way::Back { before } else { after };
        let (at, target) = nearest
            .ok_or_else(|| Stepper::no_further(&format!("no write to {variable} was recorded {side}")))?;
        (self.at, self.marked) = (at, Some(target));
        Ok(())
    }

    fn target_change(&mut self, way: Way, target: &Target) -> Result<Option<EventPosition>, SessionError> {
        match target {
            Target::Local(_, name) => self.local_change(way, name),
            Target::Parts(object, parts) => self.part_change(way, *object, parts),
        }
    }

    fn local_change(&mut self, way: Way, name: &str) -> Result<Option<EventPosition>, SessionError> {
        let at = self.at;
        let mut found = None;
        let writes = |seen: &crate::trace::TracedEvent<'_>| {
            let named = seen.site.written.as_ref().is_some_and(|written| written.name == name);
            (named && matches!(seen.site.what, Traced::Local { .. })).then(|| seen.position()).flatten()
        };
        match way {
            Way::Back => self.trace.calls.events_until(at, |_, seen| found = writes(seen).or(found))?,
            Way::Forward => self.trace.calls.events_after(at, |_, seen| {
                found = writes(seen);
                found.is_none()
            })?,
        }
        Ok(found)
    }

    fn part_change(
        &mut self,
        way: Way,
        object: u32,
        parts: &[u32],
    ) -> Result<Option<EventPosition>, SessionError> {
        let calls = &mut self.trace.calls;
        let when = calls.when_at(self.at)?;
        let mut found: Option<(EventTime, EventPosition)> = None;
        for part in parts {
            let rows = calls.write_rows(object, *part);
            // Of these rows one begins last before, and one first after: the write is in either.
            let low = calls.row_from(&rows, when);
            let near = low.saturating_sub(1)..low.saturating_add(2);
            for row in near.filter(|row| rows.contains(row)) {
                calls.each_write(calls.writes_in(row), |_, seen| {
                    let at = seen.when();
                    let (is_wanted, is_nearer) = match way {
                        Way::Back => (at < when, found.is_none_or(|(known, _)| at > known)),
                        Way::Forward => (at > when, found.is_none_or(|(known, _)| at < known)),
                    };
                    if is_wanted && is_nearer {
                        found = seen.position().map(|standing| (at, standing)).or(found);
                    }
                    crate::trace::WalkControl::Next
                })?;
            }
        }
        Ok(found.map(|(_, standing)| standing))
    }

    /// Marks the changes of a variable in lists of events.
    ///
    /// # Errors
    /// There is no such variable.
    pub fn mark(&mut self, variable: &str) -> Result<(), SessionError> {
        self.marked = Some(self.target(variable)?);
        Ok(())
    }
}
