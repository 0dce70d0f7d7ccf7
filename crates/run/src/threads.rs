//! The state of each interrupted thread: its activations, the passes and loop iterations in progress, and the
//! occurrences that its next instruction completes.

use super::activations::ActivationStack;
use super::arms::ArmStack;
use super::error::RunError;
use super::probes::update_by_ids;
use super::stop::Stop;
use super::vm::{Vm, or_default};
use super::watched::Watched;
use jdwp::commands::{object_reference, thread_reference, virtual_machine};
use jdwp::{MethodId, ObjectId, ReferenceTypeId, Tag, ThreadId};
use model::{ActivationKey, Occurrence, ThreadIdentity, ThreadKey};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Number of known threads at which we first check for ended ones.
const MANY_THREADS: usize = 1024;

/// An occurrence that lacks a value known only at the thread's next instruction.
pub struct IncompleteOccurrence {
    pub occurrence: Occurrence,
    pub depth: u32,
    pub class: ReferenceTypeId,
    pub method: MethodId,
    pub completes: MissingValue,
}

/// The value that completes a [`IncompleteOccurrence`] occurrence.
pub enum MissingValue {
    /// The new value of a local, read at this index.
    Store { at: u32, slot: u16, tag: Tag },
    /// The way of a query's branch: one of its targets.
    Branch { query: u16, branch: u16 },
}

/// The interrupted threads.
pub struct Threads {
    known: HashMap<ThreadId, ThreadState>,
    /// Number of threads at which we next check for ended ones.
    many: usize,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads { known: HashMap::new(), many: MANY_THREADS }
    }
}

impl Threads {
    /// The state of a thread.
    pub fn of(&mut self, thread: ThreadId) -> &mut ThreadState {
        self.known.entry(thread).or_default()
    }

    /// The key of a thread in the run's tables; a new thread gets a new key.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn key(&mut self, watched: &mut Watched, thread: ThreadId) -> Result<ThreadKey, RunError> {
        if let Some(key) = self.known.get(&thread).and_then(|t| t.key) {
            return Ok(key);
        }
        let identity = identity(&mut watched.vm, thread).await?;
        let key = watched.tables.thread_key(identity);
        self.known.insert(thread, ThreadState { key: Some(key), ..ThreadState::default() });
        Ok(key)
    }

    /// The activations that may still be on a stack, or in which an occurrence waits.
    pub fn live(&self) -> Vec<ActivationKey> {
        let all = self.known.values().flat_map(|state| {
            let waiting = state.waiting.iter().filter_map(|w| w.occurrence.activation);
            state.activations.keys().chain(waiting)
        });
        all.collect()
    }

    /// Forgets ended threads, whenever the number has doubled since the last check.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn forget_ended(&mut self, watched: &mut Watched) -> Result<(), RunError> {
        if self.known.len() < self.many {
            return Ok(());
        }
        let conn = watched.vm.conn().clone();
        let listed = conn.send(virtual_machine::AllThreads {}).await?;
        let listed: HashSet<ThreadId> = listed.into_iter().collect();
        // AllThreads omits virtual threads (JDWP specification of AllThreads), so ask each of them.
        let others = self.known.keys().copied().filter(|id| !listed.contains(id));
        let asked: Vec<_> =
            others.map(|thread| (thread, conn.send(thread_reference::Status { thread }))).collect();
        for (thread, status) in asked {
            let lives = match status.await {
                Ok(status) => status.thread_status != jdwp::ThreadStatus::Zombie,
                Err(e) if e.is_fatal() => return Err(e.into()),
                Err(_) => false,
            };
            if !lives {
                self.known.remove(&thread);
                watched.vm.top.forget(thread);
            }
        }
        self.many = MANY_THREADS.max(2 * self.known.len());
        Ok(())
    }
}

/// A thread, with its present name, and its number in a run without the debug agent.
async fn identity(vm: &mut Vm, thread: ThreadId) -> Result<ThreadIdentity, RunError> {
    let conn = vm.conn().clone();
    let name = conn.send(thread_reference::Name { thread });
    let number = match (number(vm, thread).await?, vm.before_debug_agent) {
        (number, Some(before)) if number > before + OF_DEBUG_AGENT => number - OF_DEBUG_AGENT,
        (number, _) => number,
    };
    let name: Arc<str> = or_default(name.await)?.into();
    let mut is_virtual = false;
    if name.is_empty() {
        let class = conn.send(object_reference::ReferenceType { object: thread.into() }).await?;
        is_virtual = vm.class(class.type_id).await?.name.contains("VirtualThread");
    }
    Ok(ThreadIdentity { name, number, is_virtual })
}

/// The threads of the VM's debug agent, which take numbers before the program begins. The program does not
/// see them. `qp`'s own agent gives the numbers back (`crates/agent/src/thread_ids.rs`).
const OF_DEBUG_AGENT: u64 = 3;

/// The largest number of a thread in a VM whose program has not begun.
///
/// # Errors
/// The connection has ended.
pub async fn largest_number(vm: &mut Vm) -> Result<u64, RunError> {
    let threads = vm.conn().send(virtual_machine::AllThreads {}).await?;
    let mut largest = 0;
    for thread in threads {
        largest = number(vm, thread).await?.max(largest);
    }
    Ok(largest)
}

/// The number that a thread has in its VM; 0 if it is unknown.
async fn number(vm: &mut Vm, thread: ThreadId) -> Result<u64, RunError> {
    let Some(class) = vm.classes_named("java.lang.Thread").await?.first().copied() else { return Ok(0) };
    let class = vm.class(class).await?;
    let Some(field) = class.fields.iter().find(|field| field.name == "tid") else { return Ok(0) };
    let (object, fields) = (ObjectId::from(thread), vec![field.id]);
    let values = or_default(vm.conn().send(object_reference::GetValues { object, fields }).await)?;
    match values.first() {
        Some(jdwp::Value::Long(tid)) => Ok(u64::try_from(*tid).unwrap_or(0)),
        _ => Ok(0),
    }
}

/// The state of one interrupted thread.
#[derive(Default)]
pub struct ThreadState {
    key: Option<ThreadKey>,
    activations: ActivationStack,
    waiting: Vec<IncompleteOccurrence>,
    /// Passes in progress: the activation, the query and its pass.
    passing: BTreeSet<(ActivationKey, u16, u16)>,
    /// The last mark executed in each activation, oldest first.
    arms: ArmStack,
    /// Iterations of endless loops since a branch last left them, by activation, query and branch.
    turns: BTreeMap<(ActivationKey, u16, u16), u32>,
}

impl ThreadState {
    /// Records that the thread has entered a tracked method.
    pub async fn enter(&mut self, watched: &mut Watched, stop: &mut Stop) -> Result<(), RunError> {
        let depth = stop.depth(&watched.vm).await?;
        let Some(method) = watched.tracked_at(&stop.location).await? else { return Ok(()) };
        let entered = self.activations.enter(&mut watched.tables, method, depth, true);
        // Activations newer than the caller have ended; keys ascend on the stack.
        match watched.tables.activation(entered).and_then(|a| a.caller) {
            Some(caller) => {
                self.passing.split_off(&(caller, u16::MAX, u16::MAX));
                self.turns.split_off(&(caller, u16::MAX, u16::MAX));
            }
            None => {
                self.passing.clear();
                self.turns.clear();
            }
        }
        Ok(())
    }

    /// The newest tracked activation on the stack of the stopped thread.
    pub async fn activation(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
    ) -> Result<Option<ActivationKey>, RunError> {
        self.update(watched, stop).await?;
        let depth = stop.depth(&watched.vm).await?;
        let method = watched.tracked_at(&stop.location).await?;
        Ok(self.activations.at(&mut watched.tables, method, depth))
    }

    /// The newest tracked activation at an older frame of the stopped thread, which has newer frames above
    /// it.
    pub async fn activation_below(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        older: &mut Stop,
    ) -> Result<Option<ActivationKey>, RunError> {
        self.update(watched, stop).await?;
        let depth = older.depth(&watched.vm).await?;
        let method = watched.tracked_at(&older.location).await?;
        Ok(self.activations.below(&mut watched.tables, method, depth))
    }

    /// The activation of a tracked method's frame at this depth, which may have newer frames above it.
    pub async fn activation_of(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        method: u32,
        depth: u32,
    ) -> Result<Option<ActivationKey>, RunError> {
        self.update(watched, stop).await?;
        Ok(self.activations.lookup(&mut watched.tables, method, depth))
    }

    /// Updates the activations if rewritten methods number them.
    async fn update(&mut self, watched: &mut Watched, stop: &mut Stop) -> Result<(), RunError> {
        if watched.vm.is_probed() {
            update_by_ids(&mut self.activations, watched, stop).await?;
        }
        Ok(())
    }

    /// Removes activations whose end was not seen.
    pub async fn confirm(&mut self, watched: &mut Watched, stop: &mut Stop) -> Result<(), RunError> {
        let (_, frames) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
        let tables = &watched.tables;
        let stands = |depth: u32, method: u32| {
            let index = frames.len().checked_sub(usize::try_from(depth).unwrap_or(usize::MAX));
            let frame = index.and_then(|i| frames.get(i)).and_then(|key| tables.frame(*key));
            frame.is_some_and(|f| tables.is_method(method, &f.site.method))
        };
        self.activations.confirm(stands);
        Ok(())
    }

    /// Records that the thread has reached a mark.
    pub async fn mark(&mut self, watched: &mut Watched, stop: &mut Stop) -> Result<(), RunError> {
        self.arms.mark(watched, stop).await
    }

    /// The last mark executed in the newest activation of the stopped thread, if its method contains marks.
    pub async fn arm(&self, watched: &mut Watched, stop: &mut Stop) -> Result<Option<u32>, RunError> {
        self.arms.last(watched, stop).await
    }

    /// Begins a pass in an activation. False if it is already in progress.
    pub fn begin_pass(&mut self, activation: ActivationKey, query: u16, pass: u16) -> bool {
        self.passing.insert((activation, query, pass))
    }

    /// Ends a pass in an activation.
    pub fn end_pass(&mut self, activation: ActivationKey, query: u16, pass: u16) {
        self.passing.remove(&(activation, query, pass));
    }

    /// Counts the start of an iteration of an endless loop that a branch can leave.
    pub fn begin_turn(&mut self, activation: ActivationKey, query: u16, branch: u16) {
        let turns = self.turns.entry((activation, query, branch)).or_default();
        *turns = turns.saturating_add(1);
    }

    /// Returns the number of iterations since this branch last left its endless loop.
    pub fn take_turns(&mut self, activation: ActivationKey, query: u16, branch: u16) -> Option<u32> {
        self.turns.remove(&(activation, query, branch))
    }

    /// Keeps an occurrence until the thread's next instruction.
    pub fn wait(&mut self, waiting: IncompleteOccurrence) {
        self.waiting.push(waiting);
    }

    /// The occurrences that the thread's next instruction completes.
    pub fn take_waiting(&mut self) -> Vec<IncompleteOccurrence> {
        std::mem::take(&mut self.waiting)
    }
}
