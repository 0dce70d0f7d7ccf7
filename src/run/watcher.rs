//! Turns interruptions of the VM into occurrences.

use super::activations::ActivationStack;
use super::collect::{Collector, reason};
use super::error::RunError;
use super::machine::FrameMachine;
use super::report::Sample;
use super::stop::Stop;
use super::vm::or_default;
use super::watched::Watched;
use crate::expr::{Expr, evaluate};
use crate::model::{
    ActivationKey, Detail, MethodName, Occurrence, Tables, ThreadKey, Value, short_class_name,
};
use crate::query::TraceQuery;
use jdwp::commands::thread_reference;
use jdwp::{Event, EventSet, Location, MethodId, ReferenceTypeId, Tag, ThreadId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Whether the observer wants more of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// All that is wanted is known.
    Stop,
}

/// Why an observer gives up.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Who is told of occurrences while the program runs.
pub trait Observer {
    /// One occurrence, in the order of the run. `live` names the activations that are still on a stack.
    ///
    /// # Errors
    /// When it cannot take more, for instance since too many candidates are alive; the run ends.
    fn occurrence(
        &mut self,
        occurrence: Occurrence,
        tables: &mut Tables,
        live: &dyn Fn() -> Vec<ActivationKey>,
    ) -> Result<Control, ObserverError>;

    /// The events seen so far, for a progress line.
    fn progress(&mut self, events: u64);
}

/// An occurrence whose last part is known only at the thread's next instruction.
pub(super) struct Waiting {
    pub(super) occurrence: Occurrence,
    pub(super) depth: u32,
    pub(super) class: ReferenceTypeId,
    pub(super) method: MethodId,
    pub(super) completes: Completes,
}

/// What completes a [`Waiting`] occurrence.
pub(super) enum Completes {
    /// The new value of a local, read at this index.
    Store { at: u32, slot: u16, tag: Tag },
    /// The way of a branch: one of these indices.
    Branch { targets: Vec<u32> },
}

/// What is known of one thread that was interrupted.
#[derive(Default)]
pub(super) struct ThreadState {
    pub(super) key: Option<ThreadKey>,
    pub(super) name: Arc<str>,
    pub(super) activations: ActivationStack,
    pub(super) waiting: Vec<Waiting>,
    /// Passes that are on: the activation, the query and its pass.
    pub(super) passing: HashSet<(ActivationKey, u16, u16)>,
}

/// Watches one run.
pub struct Watcher<'q> {
    pub(super) watched: Watched,
    pub(super) queries: HashMap<u16, &'q TraceQuery>,
    pub(super) threads: HashMap<ThreadId, ThreadState>,
    pub(super) collector: Collector,
    pub(super) found: Vec<Occurrence>,
    events: u64,
    sequence: u64,
}

impl<'q> Watcher<'q> {
    /// Watches a VM for these TraceQueries.
    pub fn new(watched: Watched, queries: &'q [TraceQuery]) -> Watcher<'q> {
        Watcher {
            watched,
            queries: queries.iter().map(|q| (q.point.0, q)).collect(),
            threads: HashMap::new(),
            collector: Collector::default(),
            found: Vec::new(),
            events: 0,
            sequence: 0,
        }
    }

    /// Gives up the watching and keeps what is known.
    pub fn into_watched(self) -> Watched {
        self.watched
    }

    /// Watches until the VM ends or the observer has all it wants.
    ///
    /// # Errors
    /// A connection that fails, or what the observer cannot take.
    pub async fn watch(&mut self, observer: &mut dyn Observer) -> Result<Control, RunError> {
        loop {
            let Some(set) = self.watched.next().await? else { return Ok(Control::Continue) };
            if set.events.iter().any(|e| matches!(e, Event::VmDeath { .. })) {
                return Ok(Control::Continue);
            }
            if set.events.iter().any(|e| matches!(e, Event::VmStart { .. })) {
                self.watched.begin().await?;
            } else if !self.watched.prepare_classes(&set).await? {
                self.events += 1;
                self.interrupted(&set).await?;
                if self.events.is_multiple_of(256) {
                    observer.progress(self.events);
                    self.forget_threads().await?;
                }
                if self.deliver(observer)? == Control::Stop {
                    // A native agent can redefine classes where no Java code is interrupted.
                    for method in self.watched.installed.lost(&self.watched.vm).await? {
                        self.watched
                            .report
                            .warn_sites_lost(format!("sites lost: {method} was redefined with other code"));
                    }
                    return Ok(Control::Stop);
                }
            }
            self.watched.resume(&set);
        }
    }

    fn deliver(&mut self, observer: &mut dyn Observer) -> Result<Control, RunError> {
        let mut control = Control::Continue;
        for mut occurrence in std::mem::take(&mut self.found) {
            self.sequence += 1;
            occurrence.sequence = self.sequence;
            let threads = &self.threads;
            let live = || {
                let keys = threads.values().flat_map(|t| {
                    t.activations.keys().chain(t.waiting.iter().filter_map(|w| w.occurrence.activation))
                });
                keys.collect()
            };
            let asked = observer.occurrence(occurrence, &mut self.watched.tables, &live);
            if asked.map_err(RunError::Observer)? == Control::Stop {
                control = Control::Stop;
            }
        }
        Ok(control)
    }

    async fn interrupted(&mut self, set: &EventSet) -> Result<(), RunError> {
        let entered = set.events.iter().any(|e| matches!(e, Event::MethodEntry { .. }));
        // The entry of a method comes before what its first instruction is watched for.
        let (first, then): (Vec<_>, Vec<_>) =
            set.events.iter().partition(|e| matches!(e, Event::MethodEntry { .. }));
        for event in first.into_iter().chain(then) {
            self.interruption(event, entered).await?;
        }
        Ok(())
    }

    async fn interruption(&mut self, event: &Event, entered: bool) -> Result<(), RunError> {
        let (Some(thread), Some(location)) = (event.thread(), event.location()) else { return Ok(()) };
        if self.watched.noticed(event).await? {
            return Ok(());
        }
        let key = self.thread_key(thread).await?;
        let mut stop = Stop::new(thread, key, location);
        match event {
            Event::MethodEntry { .. } => self.method_entered(&mut stop).await,
            Event::Breakpoint { .. } => self.breakpoint(&mut stop, entered).await,
            Event::FieldModification { request, object, value, .. } => {
                self.field(&mut stop, *request, *object, Some(*value)).await
            }
            Event::FieldAccess { request, object, .. } => {
                self.field(&mut stop, *request, *object, None).await
            }
            Event::Exception { request, exception, catch_location, .. } => {
                self.exception(&mut stop, *request, *exception, *catch_location).await
            }
            Event::MethodExitWithReturnValue { value, .. } => self.returned(&mut stop, *value).await,
            _ => Ok(()),
        }
    }

    async fn thread_key(&mut self, thread: ThreadId) -> Result<ThreadKey, RunError> {
        if let Some(key) = self.threads.get(&thread).and_then(|t| t.key) {
            return Ok(key);
        }
        let ask = self.watched.vm.conn().send(thread_reference::Name { thread });
        let name: Arc<str> = or_default(ask.await)?.into();
        let key = self.watched.tables.add_thread(name.clone());
        self.threads.insert(thread, ThreadState { key: Some(key), name, ..ThreadState::default() });
        Ok(key)
    }

    /// Forgets threads that have ended, once there are many.
    async fn forget_threads(&mut self) -> Result<(), RunError> {
        if self.threads.len() < 1024 {
            return Ok(());
        }
        let alive = self.watched.vm.conn().send(jdwp::commands::virtual_machine::AllThreads {}).await?;
        let alive: HashSet<ThreadId> = alive.into_iter().collect();
        // Virtual threads are not listed (JDWP specification of AllThreads); those with activations stay.
        self.threads.retain(|id, t| alive.contains(id) || t.activations.keys().next().is_some());
        Ok(())
    }

    pub(super) fn state(&mut self, thread: ThreadId) -> &mut ThreadState {
        self.threads.entry(thread).or_default()
    }

    /// The number of the method among the tracked ones, if it is tracked.
    pub(super) async fn tracked(&mut self, at: &Location) -> Result<Option<u32>, RunError> {
        let method = self.watched.vm.method(at.class, at.method).await?;
        Ok(self.watched.tracked(&method.name))
    }

    /// The newest tracked activation on the stack of a stopped thread.
    pub(super) async fn activation(&mut self, stop: &mut Stop) -> Result<Option<ActivationKey>, RunError> {
        let depth = stop.depth(&self.watched.vm).await?;
        let method = self.tracked(&stop.location).await?;
        let state = self.threads.entry(stop.thread).or_default();
        Ok(state.activations.at(&mut self.watched.tables, method, depth))
    }

    /// Whether what needs nothing but the occurrence holds: its thread, its callers, its condition.
    pub(super) async fn admits(&mut self, stop: &mut Stop, query: &TraceQuery) -> Result<bool, RunError> {
        let number = query.point.0;
        self.watched.report.query(number).events += 1;
        if let Some(wanted) = &query.local.thread
            && self.state(stop.thread).name != *wanted
        {
            let name = self.state(stop.thread).name.clone();
            let report = self.watched.report.query(number);
            report.other_thread += 1;
            report.threads.add(&name);
            return Ok(false);
        }
        if let Some(from) = &query.local.from {
            let (stack, _) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
            let found = self.watched.tables.stack(stack).skip(1).any(|f| is_method(&f.site.method, from));
            if !found {
                let caller = self.watched.tables.stack(stack).nth(1);
                let caller = caller.map_or_else(|| "no caller".to_owned(), |f| f.site.method.to_string());
                let report = self.watched.report.query(number);
                report.other_caller += 1;
                report.callers.add(&caller);
                return Ok(false);
            }
        }
        match &query.local.when {
            None => Ok(true),
            Some(when) => self.condition(stop, number, when).await,
        }
    }

    async fn condition(&mut self, stop: &mut Stop, number: u16, when: &Expr) -> Result<bool, RunError> {
        let result = match FrameMachine::new(&mut self.watched, stop, 0).await? {
            Some(mut machine) => evaluate(when, &mut machine).await,
            None => return self.condition_failed(number, "the thread had no frame"),
        };
        let problem = match result {
            Ok(Value::Boolean(true)) => return Ok(true),
            Ok(Value::Boolean(false)) => None,
            Ok(_) => Some(format!("`{when}` is not a condition: its value is not boolean")),
            Err(error) => Some(reason(when, error)?),
        };
        if let Some(problem) = problem {
            return self.condition_failed(number, &problem);
        }
        let report = self.watched.report.query(number);
        report.condition_false += 1;
        // Ever rarer samples show how the operands went on, and are few however long it runs.
        if report.condition_false.is_power_of_two() {
            let number_of = report.condition_false;
            let operands = self.operands(stop, when).await?;
            if !operands.is_empty() {
                self.watched.report.query(number).samples.push(Sample { number: number_of, operands });
            }
        }
        Ok(false)
    }

    fn condition_failed(&mut self, number: u16, problem: &str) -> Result<bool, RunError> {
        let report = self.watched.report.query(number);
        report.condition_failed += 1;
        report.failures.add(problem);
        Ok(false)
    }

    /// The operands of a false condition with their values.
    async fn operands(&mut self, stop: &mut Stop, when: &Expr) -> Result<Vec<(String, Value)>, RunError> {
        let mut operands = Vec::new();
        for operand in when.operands().into_iter().filter(|e| !e.has_calls()).take(4) {
            let value = super::collect::read(&mut self.watched, stop, 0, &operand).await?;
            operands.push((operand.to_string(), value));
        }
        Ok(operands)
    }

    /// A candidate at the newest frame of a stopped thread, without its sequence number.
    pub(super) async fn candidate(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
    ) -> Result<Occurrence, RunError> {
        let (stack, frames) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
        let frames = frames.to_vec();
        let tables = &self.watched.tables;
        let stands = |depth: u32, method: u32| {
            let index = frames.len().checked_sub(usize::try_from(depth).unwrap_or(usize::MAX));
            let frame = index.and_then(|i| frames.get(i)).and_then(|key| tables.frame(*key));
            frame.is_some_and(|f| tables.find_method(&f.site.method) == Some(method))
        };
        self.threads.entry(stop.thread).or_default().activations.confirm(stands);
        let activation = self.activation(stop).await?;
        let frame = match frames.first() {
            Some(frame) => *frame,
            None => self.watched.vm.frame_key(&mut self.watched.tables, stop.location).await?,
        };
        let (shape, kept) = self.collector.collect(&mut self.watched, stop, query).await?;
        Ok(Occurrence {
            sequence: 0,
            query: query.point.0,
            thread: stop.key,
            frame,
            stack,
            activation,
            owner: stop.parts.owner.clone().unwrap_or(Value::Null),
            old: stop.parts.old.clone().unwrap_or(Value::Unassigned),
            new: stop.parts.new.clone().unwrap_or(Value::Unassigned),
            way: None,
            shape,
            kept,
            detail: None,
        })
    }

    /// The query of a number.
    pub(super) fn query(&self, number: u16) -> Option<&'q TraceQuery> {
        self.queries.get(&number).copied()
    }

    /// A candidate with details, if the query admits it.
    pub(super) async fn offer(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        detail: Option<Detail>,
    ) -> Result<(), RunError> {
        if self.admits(stop, query).await? {
            let mut occurrence = self.candidate(stop, query).await?;
            occurrence.detail = detail.map(Box::new);
            self.found.push(occurrence);
        }
        Ok(())
    }
}

/// Whether a method is the one written as `Class.method`: the class by its binary or its simple name.
fn is_method(method: &MethodName, written: &str) -> bool {
    let Some((class, name)) = written.rsplit_once('.') else { return *method.name == *written };
    let short = short_class_name(&method.class);
    *method.name == *name
        && (*method.class == *class || short == class || method.class.replace('$', ".") == class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_can_be_named_by_its_simple_class() {
        let method = MethodName::new("shop.Outer$Cart", "add", "()V");
        for written in ["add", "shop.Outer$Cart.add", "Outer.Cart.add", "shop.Outer.Cart.add"] {
            assert!(is_method(&method, written), "{written}");
        }
        for written in ["Cart2.add", "Cart.remove", "x.Outer.Cart.add"] {
            assert!(!is_method(&method, written), "{written}");
        }
    }
}
