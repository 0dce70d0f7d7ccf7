//! Relations about calls, on which the library of predicates stands.

use super::event::{SharedSource, failed, term};
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::{End, Source};
use prolog::{AnswerIter, Answers, Call, Next, Relation, RelationError, View};
use std::sync::{MutexGuard, PoisonError};

/// Finds the ids that belong to the id of an event.
type IdsOf = fn(&mut Source, u64) -> Result<Vec<u64>, LogicError>;

/// A relation from the id of an event to other ids.
pub(super) struct IdRelation {
    pub name: &'static str,
    pub source: SharedSource,
    pub ids: IdsOf,
}

/// The relations.
pub(super) const RELATIONS: &[(&str, IdsOf)] = &[
    // The calls that enclose an event, the innermost first.
    ("enclosing_call", |source, id| {
        let found = source.found(id)?;
        let nodes = source.chain(&found.event);
        entries(source, nodes)
    }),
    // The calls that a call made itself, in order.
    ("direct_call", |source, id| {
        let found = source.found(id)?;
        let node = found.event.call().filter(|_| found.event.kind == Kind::MethodCall);
        let nodes = node.map_or_else(Vec::new, |node| source.recording.calls.children(node));
        entries(source, nodes)
    }),
    // The event that ended a call: its exit, or the exception that left it.
    ("call_end", |source, id| {
        let found = source.found(id)?;
        let Some(node) = found.event.call().filter(|_| found.event.kind == Kind::MethodCall) else {
            return Ok(Vec::new());
        };
        Ok(match source.end_of(node)? {
            End::Returned(id) | End::Threw(Some(id)) => vec![id],
            End::Threw(None) | End::Open | End::Unrecorded => Vec::new(),
        })
    }),
];

fn entries(source: &mut Source, nodes: Vec<u32>) -> Result<Vec<u64>, LogicError> {
    let mut ids = Vec::with_capacity(nodes.len());
    for node in nodes {
        ids.extend(source.entry_of(node)?.map(|found| found.id));
    }
    Ok(ids)
}

impl Relation for IdRelation {
    fn name(&self) -> &str {
        self.name
    }

    fn arity(&self) -> usize {
        2
    }

    fn overridable(&self) -> bool {
        true
    }

    fn solve(&self, call: &mut Call<'_>) -> Result<Answers, RelationError> {
        let id = bound_id(call)?;
        let Some(id) = id else { return Ok(Answers::None) };
        let mut source = lock(&self.source);
        if id >= source.log.index().count() {
            return Ok(Answers::None);
        }
        let ids = (self.ids)(&mut source, id).map_err(failed)?;
        Ok(Answers::Lazy(Box::new(Ids { ids: ids.into_iter() })))
    }
}

struct Ids {
    ids: std::vec::IntoIter<u64>,
}

impl AnswerIter for Ids {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        while let Some(id) = self.ids.next() {
            call.check()?;
            let id = i64::try_from(id).unwrap_or(i64::MAX);
            if call.attempt(|call| call.unify_int(1, id)) {
                return Ok(if self.ids.len() == 0 { Next::Last } else { Next::More });
            }
        }
        Ok(Next::None)
    }
}

/// The id that must stand in the first argument; `None` if it is no id.
pub(super) fn bound_id(call: &Call<'_>) -> Result<Option<u64>, RelationError> {
    match call.view_arg(0) {
        View::Int(id) => Ok(u64::try_from(id).ok()),
        View::Var(_) => Err(RelationError::Unbound(0)),
        _ => Ok(None),
    }
}

pub(super) fn lock(source: &SharedSource) -> MutexGuard<'_, Source> {
    source.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `event_term(Id, event(Id, Thread, Event))`: an event as one term.
pub(super) struct EventTerm {
    pub source: SharedSource,
}

impl Relation for EventTerm {
    fn name(&self) -> &str {
        "event_term"
    }

    fn arity(&self) -> usize {
        2
    }

    fn solve(&self, call: &mut Call<'_>) -> Result<Answers, RelationError> {
        let id = bound_id(call)?;
        let mut source = lock(&self.source);
        let Some(id) = id.filter(|id| *id < source.log.index().count()) else { return Ok(Answers::None) };
        let event = event_term(call, &mut source, id).map_err(failed)?;
        Ok(if call.unify_arg(1, event) { Answers::Once } else { Answers::None })
    }
}

/// The term `event(Id, Thread, Event)`.
pub(super) fn event_term(
    call: &mut Call<'_>,
    source: &mut Source,
    id: u64,
) -> Result<prolog::TermRef, LogicError> {
    let found = source.found(id)?;
    let threads = &source.recording.calls.sites.threads;
    let thread = call.intern(threads.get(&found.block.thread).map_or("", |(name, _)| name.as_str()));
    let thread = call.atom(thread);
    let event = term(call, source, &found)?;
    let id = call.int(i64::try_from(id).unwrap_or(i64::MAX));
    let functor = call.intern("event");
    Ok(call.compound(functor, &[id, thread, event]))
}
