//! Turns interruptions of the VM into occurrences.

use super::activations::ActivationStack;
use super::arms::ArmStack;
use super::collect::Collector;
use super::error::RunError;
use super::launch::More;
use super::observer::{Control, Observer};
use super::probes::{is_own, program_below};
use super::stop::Stop;
use super::vm::or_default;
use super::watched::Watched;
use super::watches::Watches;
use crate::model::{ActivationKey, Coordinate, Detail, FrameKey, Occurrence, ThreadKey, Value};
use crate::query::TraceQuery;
use jdwp::commands::{event_request, thread_reference, virtual_machine};
use jdwp::{
    Event, EventKind, EventSet, Location, MethodId, ObjectId, ReferenceTypeId, RequestId, SuspendPolicy, Tag,
    ThreadId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::mpsc;

/// A thread that stands still, and with it the whole VM.
pub(super) struct Standing {
    pub(super) stop: Stop,
    /// Whether it stands at the coordinate it was to be halted at.
    pub(super) arrived: bool,
    /// The candidate there, if the hit is one.
    pub(super) candidate: Option<Occurrence>,
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
    /// The way of a branch of a query: one of its targets.
    Branch { query: u16, branch: u16 },
}

/// What is known of one thread that was interrupted.
#[derive(Default)]
pub(super) struct ThreadState {
    pub(super) key: Option<ThreadKey>,
    pub(super) name: Arc<str>,
    pub(super) activations: ActivationStack,
    pub(super) waiting: Vec<Waiting>,
    /// Passes that are on: the activation, the query and its pass.
    pub(super) passing: BTreeSet<(ActivationKey, u16, u16)>,
    /// The last mark that ran in each activation, oldest first.
    pub(super) arms: ArmStack,
    /// Turns of endless loops since a branch last left them: by activation, query and branch.
    pub(super) turns: BTreeMap<(ActivationKey, u16, u16), u32>,
}

/// Watches one run.
pub struct Watcher {
    pub(super) watched: Watched,
    pub(super) queries: HashMap<u16, Arc<TraceQuery>>,
    pub(super) threads: HashMap<ThreadId, ThreadState>,
    pub(super) collector: Collector,
    pub(super) found: Vec<Occurrence>,
    /// How many candidates of each query were described.
    pub(super) described: HashMap<u16, u64>,
    /// Where to halt.
    pub(super) halt_at: Option<Coordinate>,
    /// What more the run is asked while it is on.
    more: Option<mpsc::Receiver<More>>,
    pub(super) hits: HashMap<(u16, FrameKey, Arc<str>), u32>,
    /// The query of the coordinate that was just arrived at, and its candidate.
    pub(super) arrived: Option<(u16, Option<Occurrence>)>,
    standing: Option<Standing>,
    /// The step that is on: the run halts where it ends.
    pub(super) step: Option<RequestId>,
    /// Objects that were seen where a constructor goes on and a loop begins, by query.
    pub(super) handed_out: HashSet<(u16, ObjectId)>,
    /// How many threads make it worth to look which have ended.
    many_threads: usize,
    events: u64,
    sequence: u64,
}

/// So few threads are kept until the end of the run, whether they have ended or not.
const MANY_THREADS: usize = 1024;

impl Watcher {
    /// Watches a VM for these TraceQueries, and for those that `more` brings while the run is on.
    pub fn new(watched: Watched, queries: &[TraceQuery], more: Option<mpsc::Receiver<More>>) -> Watcher {
        Watcher {
            watched,
            queries: by_number(queries),
            halt_at: None,
            more,
            hits: HashMap::new(),
            arrived: None,
            standing: None,
            step: None,
            handed_out: HashSet::new(),
            threads: HashMap::new(),
            collector: Collector::default(),
            found: Vec::new(),
            described: HashMap::new(),
            many_threads: MANY_THREADS,
            events: 0,
            sequence: 0,
        }
    }

    /// Gives up the watching and keeps what is known.
    pub fn into_watched(self) -> Watched {
        self.watched
    }

    /// The thread that stands still since the observer, or a coordinate, halted the run.
    pub fn take_standing(&mut self) -> Option<Standing> {
        self.standing.take()
    }

    /// Watches until the VM ends or the observer has all it wants.
    ///
    /// # Errors
    /// A connection that fails, or what the observer cannot take.
    pub async fn watch(&mut self, observer: &mut dyn Observer) -> Result<Control, RunError> {
        loop {
            let set = tokio::select! {
                biased;
                more = next_questions(&mut self.more) => {
                    self.ask_more(more, observer).await?;
                    continue;
                }
                set = self.watched.next() => set?,
            };
            let Some(set) = set else { return Ok(Control::Continue) };
            if set.events.iter().any(|e| matches!(e, Event::VmDeath { .. })) {
                return Ok(Control::Continue);
            }
            if set.events.iter().any(|e| matches!(e, Event::VmStart { .. })) {
                self.watched.begin().await?;
            } else if !self.watched.prepare_classes(&set).await? {
                self.events += 1;
                let stop = self.interrupted(&set).await?;
                match self.describe().await {
                    // Where the VM ends meanwhile, what was found before counts: the next event set tells its
                    // end.
                    Ok(()) | Err(RunError::Vm(_)) => {}
                    Err(error) => return Err(error),
                }
                if self.events.is_multiple_of(256) {
                    observer.progress(self.events);
                    self.forget_threads().await?;
                }
                let mut control = self.deliver(observer)?;
                if self.arrived.is_some() {
                    self.halt_at = None;
                    control = Control::Halt;
                }
                let ends_step = |event: &Event| matches!(event, Event::SingleStep { request, .. } if Some(*request) == self.step);
                if set.events.iter().any(ends_step) {
                    control = Control::Halt;
                }
                match (control, stop) {
                    (Control::Halt, Some(stop)) => return self.halt(stop, &set).await,
                    (Control::Continue, _) => {}
                    (Control::Stop | Control::Halt, _) => {
                        self.check_sites().await?;
                        return Ok(Control::Stop);
                    }
                }
            }
            self.watched.resume(&set);
        }
    }

    /// A native agent can redefine classes where no Java code is interrupted: says so.
    async fn check_sites(&mut self) -> Result<(), RunError> {
        for method in self.watched.installed.lost(&self.watched.vm).await? {
            let warning = format!("sites lost: {method} was redefined with other code");
            self.watched.report.warn_sites_lost(warning);
        }
        Ok(())
    }

    /// Lets every thread stand still.
    async fn halt(&mut self, stop: Stop, set: &EventSet) -> Result<Control, RunError> {
        self.check_sites().await?;
        let conn = self.watched.vm.conn().clone();
        if let Some(request_id) = self.step.take() {
            conn.send(event_request::Clear { event_kind: EventKind::SingleStep, request_id }).await?;
        }
        conn.send(virtual_machine::Suspend {}).await?;
        if set.policy == SuspendPolicy::EventThread {
            // Its event has suspended this thread already. Twice would keep a method called in it from
            // running.
            conn.send(thread_reference::Resume { thread: stop.thread }).await?;
        }
        let arrived = self.arrived.take();
        self.standing =
            Some(Standing { stop, arrived: arrived.is_some(), candidate: arrived.and_then(|(_, c)| c) });
        Ok(Control::Halt)
    }

    /// Watches for more from here on. Nothing runs meanwhile.
    async fn ask_more(&mut self, more: More, observer: &mut dyn Observer) -> Result<(), RunError> {
        let More { questions: more, taken } = more;
        let conn = self.watched.vm.conn().clone();
        conn.send(virtual_machine::Suspend {}).await?;
        let tables = &mut self.watched.tables;
        // Probes stand where they were put as classes were loaded.
        let fits = self.watched.recorder.is_none()
            && observer.asked(&more.queries, self.sequence, tables).map_err(RunError::Observer)?;
        if fits {
            self.queries = by_number(&more.queries);
            self.watched.watch_more(Watches::new(&more.queries, &more.tracked, &more.marks)).await?;
        }
        conn.send(virtual_machine::Resume {}).await?;
        // Who asked may not wait for it.
        let _ = taken.send(fits);
        Ok(())
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
            match asked.map_err(RunError::Observer)? {
                Control::Continue => {}
                more => control = more,
            }
        }
        Ok(control)
    }

    /// Gives the thread of the newest event, as it stands.
    async fn interrupted(&mut self, set: &EventSet) -> Result<Option<Stop>, RunError> {
        let entered = set.events.iter().any(|e| matches!(e, Event::MethodEntry { .. }));
        // The entry of a method comes before what its first instruction is watched for.
        let (first, then): (Vec<_>, Vec<_>) =
            set.events.iter().partition(|e| matches!(e, Event::MethodEntry { .. }));
        let mut stop = None;
        for event in first.into_iter().chain(then) {
            stop = self.interruption(event, entered).await?.or(stop);
        }
        Ok(stop)
    }

    async fn interruption(&mut self, event: &Event, entered: bool) -> Result<Option<Stop>, RunError> {
        let (Some(thread), Some(location)) = (event.thread(), event.location()) else { return Ok(None) };
        if self.watched.recorder.as_ref().is_some_and(|recorder| recorder.is_stop(location)) {
            return self.probed(thread).await;
        }
        let Some((location, hidden)) = self.program_at(event, thread, location).await? else {
            return Ok(None);
        };
        let location = self.watched.vm.original(location).await?;
        if self.watched.noticed(event).await? {
            return Ok(None);
        }
        let key = self.thread_key(thread).await?;
        let mut stop = Stop::below(thread, key, location, hidden);
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
                let caught_at = match catch_location {
                    Some(at) => Some(self.watched.vm.original(*at).await?),
                    None => None,
                };
                self.exception(&mut stop, *request, *exception, caught_at).await
            }
            Event::MethodExitWithReturnValue { value, .. } => self.returned(&mut stop, *value).await,
            _ => Ok(()),
        }?;
        Ok(Some(stop))
    }

    /// Where the program is at an event, below so many frames of the recorder: an exception for want of stack
    /// may come from there. None where it does not leave it.
    async fn program_at(
        &mut self,
        event: &Event,
        thread: ThreadId,
        location: Location,
    ) -> Result<Option<(Location, usize)>, RunError> {
        let (Event::Exception { catch_location, .. }, Some(_)) = (event, &self.watched.recorder) else {
            return Ok(Some((location, 0)));
        };
        let vm = &mut self.watched.vm;
        if let Some(caught) = catch_location
            && is_own(vm, *caught).await?
        {
            return Ok(None);
        }
        if is_own(vm, location).await? { program_below(vm, thread).await } else { Ok(Some((location, 0))) }
    }

    pub(super) async fn thread_key(&mut self, thread: ThreadId) -> Result<ThreadKey, RunError> {
        if let Some(key) = self.threads.get(&thread).and_then(|t| t.key) {
            return Ok(key);
        }
        let ask = self.watched.vm.conn().send(thread_reference::Name { thread });
        let name: Arc<str> = or_default(ask.await)?.into();
        let key = self.watched.tables.add_thread(name.clone());
        self.threads.insert(thread, ThreadState { key: Some(key), name, ..ThreadState::default() });
        Ok(key)
    }

    /// A thread by its name: one that was seen, or a new one.
    pub(super) fn thread_named(&mut self, name: &Arc<str>) -> ThreadKey {
        let known = self.threads.values().filter(|state| state.name == *name).find_map(|state| state.key);
        known.unwrap_or_else(|| self.watched.tables.add_thread(name.clone()))
    }

    /// Forgets threads that have ended, each time that there are twice as many.
    async fn forget_threads(&mut self) -> Result<(), RunError> {
        if self.threads.len() < self.many_threads {
            return Ok(());
        }
        let conn = self.watched.vm.conn().clone();
        let listed = conn.send(virtual_machine::AllThreads {}).await?;
        let listed: HashSet<ThreadId> = listed.into_iter().collect();
        // Virtual threads are not listed (JDWP specification of AllThreads): each is asked.
        let others = self.threads.keys().copied().filter(|id| !listed.contains(id));
        let asked: Vec<_> =
            others.map(|thread| (thread, conn.send(thread_reference::Status { thread }))).collect();
        for (thread, status) in asked {
            let lives = match status.await {
                Ok(status) => status.thread_status != jdwp::ThreadStatus::Zombie,
                Err(e) if e.is_fatal() => return Err(e.into()),
                Err(_) => false,
            };
            if !lives {
                self.threads.remove(&thread);
                self.watched.vm.top.forget(thread);
            }
        }
        self.many_threads = MANY_THREADS.max(2 * self.threads.len());
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
        if self.watched.vm.is_probed() {
            self.numbered(stop).await?;
        }
        let depth = stop.depth(&self.watched.vm).await?;
        let method = self.tracked(&stop.location).await?;
        let state = self.threads.entry(stop.thread).or_default();
        Ok(state.activations.at(&mut self.watched.tables, method, depth))
    }

    /// A candidate at the newest frame of a stopped thread, without its sequence number.
    pub(super) async fn candidate(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        ordinal: u32,
    ) -> Result<Occurrence, RunError> {
        self.confirm(stop).await?;
        let activation = self.activation(stop).await?;
        let mut occurrence = self.candidate_in(stop, query, ordinal, activation).await?;
        if let Some(arm) = self.arm(stop).await? {
            occurrence.detail.get_or_insert_default().arm = Some(arm);
        }
        self.foretold(stop, occurrence).await
    }

    /// Forgets activations that have ended unnoticed.
    pub(super) async fn confirm(&mut self, stop: &mut Stop) -> Result<(), RunError> {
        let (_, frames) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
        let frames = frames.to_vec();
        let tables = &self.watched.tables;
        let stands = |depth: u32, method: u32| {
            let index = frames.len().checked_sub(usize::try_from(depth).unwrap_or(usize::MAX));
            let frame = index.and_then(|i| frames.get(i)).and_then(|key| tables.frame(*key));
            frame.is_some_and(|f| tables.is_method(method, &f.site.method))
        };
        self.threads.entry(stop.thread).or_default().activations.confirm(stands);
        Ok(())
    }

    /// The newest tracked activation at an older frame of a stopped thread, while newer frames stand above
    /// it.
    pub(super) async fn activation_below(
        &mut self,
        stop: &mut Stop,
        older: &mut Stop,
    ) -> Result<Option<ActivationKey>, RunError> {
        if self.watched.vm.is_probed() {
            self.numbered(stop).await?;
        }
        let depth = older.depth(&self.watched.vm).await?;
        let method = self.tracked(&older.location).await?;
        let state = self.threads.entry(stop.thread).or_default();
        Ok(state.activations.below(&mut self.watched.tables, method, depth))
    }

    /// A candidate in an activation.
    pub(super) async fn candidate_in(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        ordinal: u32,
        activation: Option<ActivationKey>,
    ) -> Result<Occurrence, RunError> {
        let (stack, frames) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
        let frame = match frames.first() {
            Some(frame) => *frame,
            None => self.watched.vm.frame_key(&mut self.watched.tables, stop.location).await?,
        };
        let (shape, kept) = self.collector.collect(&mut self.watched, stop, query).await?;
        Ok(Occurrence {
            sequence: 0,
            query: query.point.0,
            ordinal,
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

    /// A candidate that is whole, with what the VM tells there of the points that depend on it.
    pub(super) async fn foretold(
        &mut self,
        stop: &mut Stop,
        mut occurrence: Occurrence,
    ) -> Result<Occurrence, RunError> {
        self.remember_arrival(&occurrence);
        let forecasts = self.forecasts(stop, &occurrence).await?;
        if !forecasts.is_empty() {
            occurrence.detail.get_or_insert_default().forecasts = forecasts;
        }
        let sights = self.sights(stop, &occurrence).await?;
        if !sights.is_empty() {
            occurrence.detail.get_or_insert_default().sights.extend(sights);
        }
        Ok(occurrence)
    }

    /// The query of a number.
    pub(super) fn query(&self, number: u16) -> Option<Arc<TraceQuery>> {
        self.queries.get(&number).cloned()
    }

    /// A candidate with details, if the query admits it.
    pub(super) async fn offer(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        detail: Option<Detail>,
    ) -> Result<(), RunError> {
        if let Some(ordinal) = self.admits(stop, query).await? {
            let mut occurrence = self.candidate(stop, query, ordinal).await?;
            if let Some(detail) = detail {
                let Detail { forecasts, sights, arm, .. } =
                    occurrence.detail.take().map(|d| *d).unwrap_or_default();
                occurrence.detail = Some(Box::new(Detail { forecasts, sights, arm, ..detail }));
            }
            self.found.push(occurrence);
        }
        Ok(())
    }
}

fn by_number(queries: &[TraceQuery]) -> HashMap<u16, Arc<TraceQuery>> {
    queries.iter().map(|q| (q.point.0, Arc::new(q.clone()))).collect()
}

/// What more is asked; never resolves when nobody can ask.
async fn next_questions(more: &mut Option<mpsc::Receiver<More>>) -> More {
    if let Some(receiver) = more
        && let Some(questions) = receiver.recv().await
    {
        return questions;
    }
    *more = None;
    std::future::pending().await
}
