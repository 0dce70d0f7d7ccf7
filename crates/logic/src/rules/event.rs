//! `event(Id, Thread, Event)`: the log as a relation. Bound arguments and comparisons of ids choose the
//! index.

use super::arguments::pattern;
use super::heap::Heap;
use crate::error::LogicError;
use crate::log::{Kind, Terms};
use crate::search::{Access, Candidates, Found, Source};
use prolog::{AnswerIter, Answers, Call, Next, Relation, RelationError};
use std::sync::{Arc, Mutex, PoisonError};

/// A recording that several relations read.
pub type SharedSource = Arc<Mutex<Source>>;
/// The ways by which goals found their events, with the number of events.
pub(super) type Plans = Arc<Mutex<Vec<(String, String)>>>;

/// The relation.
pub(super) struct EventRelation {
    pub source: SharedSource,
    pub plans: Option<Plans>,
}

impl Relation for EventRelation {
    fn name(&self) -> &str {
        "event"
    }

    fn arity(&self) -> usize {
        3
    }

    fn solve(&self, call: &mut Call<'_>) -> Result<Answers, RelationError> {
        let Some(pattern) = pattern(call) else { return Ok(Answers::None) };
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let kinds = pattern.kinds.clone();
        let candidates = Candidates::of(pattern, &mut source).map_err(failed)?;
        if let Some(plans) = &self.plans {
            let goal = match kinds.as_slice() {
                [kind] => format!("event(_, _, {}(…))", kind.functor()),
                _ => "event(_, _, _)".to_owned(),
            };
            let mut plans = plans.lock().unwrap_or_else(PoisonError::into_inner);
            plans.push((goal, candidates.access().to_string()));
        }
        let is_one = match candidates.access() {
            Access::Nothing => return Ok(Answers::None),
            Access::Event(_) | Access::Exit(_) => true,
            _ => false,
        };
        Ok(Answers::Lazy(Box::new(EventAnswers { source: self.source.clone(), candidates, is_one })))
    }
}

struct EventAnswers {
    source: SharedSource,
    candidates: Candidates,
    /// Whether there is at most one answer.
    is_one: bool,
}

impl AnswerIter for EventAnswers {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(found) = self.candidates.next(&mut source).map_err(failed)? {
            call.check()?;
            let (mut error, is_one) = (None, self.is_one);
            let fits = call.attempt(|call| match unify(call, &mut source, &found) {
                Ok(fits) => fits,
                Err(failed) => {
                    error = Some(failed);
                    false
                }
            });
            if let Some(error) = error {
                return Err(failed(error));
            }
            if fits {
                return Ok(if is_one { Next::Last } else { Next::More });
            }
        }
        Ok(Next::None)
    }
}

/// Unifies the arguments of a goal with an event.
fn unify(call: &mut Call<'_>, source: &mut Source, found: &Found) -> Result<bool, LogicError> {
    if !call.unify_int(0, i64::try_from(found.id).unwrap_or(i64::MAX)) {
        return Ok(false);
    }
    let threads = &source.recording.calls.sites.threads;
    let thread = threads.get(&found.block.thread).map_or("", |(name, _)| name.as_str());
    let thread = call.intern(thread);
    let thread = call.atom(thread);
    if !call.unify_arg(1, thread) {
        return Ok(false);
    }
    let event = term(call, source, found)?;
    Ok(call.unify_arg(2, event))
}

/// An event as a term on the heap.
pub(super) fn term(
    call: &mut Call<'_>,
    source: &mut Source,
    found: &Found,
) -> Result<prolog::TermRef, LogicError> {
    let locals = match (found.event.kind, found.event.call()) {
        (Kind::Step, Some(node)) => source.locals_at(node, &found.event)?,
        _ => Vec::new(),
    };
    let (calls, log) = source.parts();
    let mut terms = Terms { calls, log, build: &mut Heap(call) };
    Ok(terms.event(&found.block, &found.event, &locals)?)
}

/// The error of a recording that cannot be read.
pub(super) fn failed(error: impl Into<LogicError>) -> RelationError {
    RelationError::Other(error.into().to_string())
}
