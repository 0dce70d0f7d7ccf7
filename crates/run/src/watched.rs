//! A watched VM: its connection, its event requests, and the tables of its run.

use super::error::RunError;
use super::install::Installed;
use super::probes::Recorder;
use super::report::{Hidden, RunReport};
use super::vm::{Vm, type_name};
use super::watches::Watches;
use classes::ClassPool;
use jdwp::commands::{thread_reference, virtual_machine};
use jdwp::{Event, EventSet, Events, Location, ReferenceTypeId, SuspendPolicy, ThreadId};
use model::{MethodName, Tables, Value};
use query::TraceQuery;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// How long a method called in an expression may take.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// How long we wait for the last events of an ended VM.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Maximum number of event sets deferred during a method call: one per other thread of the program, with a
/// margin.
const DEFERRED_LIMIT: usize = 100_000;

/// A watched VM.
pub struct Watched {
    /// The VM.
    pub vm: Vm,
    /// Its event requests.
    pub installed: Installed,
    /// The tables of the run.
    pub tables: Tables,
    /// What the run reports about itself.
    pub report: RunReport,
    /// Whether the run tells the classes that a dynamic language makes of a script.
    pub tells_script: bool,
    /// The agent's recorder, if probes watch the run.
    pub recorder: Option<Box<Recorder>>,
    /// The queries whose hits are only counted.
    pub counts: Option<Arc<[TraceQuery]>>,
    events: Events,
    deferred: VecDeque<EventSet>,
    said_its_end: bool,
    watches: Watches,
    pool: Rc<ClassPool>,
}

impl Watched {
    /// A VM that has just connected.
    pub fn new(vm: Vm, events: Events, watches: Watches, pool: Rc<ClassPool>) -> Watched {
        let mut tables = Tables::default();
        for method in watches.tracked() {
            tables.method_key(&method);
        }
        Watched {
            vm,
            installed: Installed::default(),
            tables,
            report: RunReport::default(),
            tells_script: false,
            recorder: None,
            counts: None,
            events,
            deferred: VecDeque::new(),
            said_its_end: false,
            watches,
            pool,
        }
    }

    /// The value of a class object that owns a static field, whose loader the answer may name.
    pub fn class_owner(&mut self, class: ReferenceTypeId, object: Option<Value>) -> Option<Value> {
        if let (Some(object), Some(loader)) = (&object, self.vm.loader_names.get(&class)) {
            self.tables.note_loader(object, loader.clone());
        }
        object
    }

    /// Puts an event set back to be processed next.
    pub fn put_back(&mut self, set: EventSet) {
        self.deferred.push_front(set);
    }

    /// Records events that only show reachability and are no occurrences. Returns whether this was one.
    pub async fn noticed(&mut self, event: &Event) -> Result<bool, RunError> {
        match event {
            Event::Breakpoint { request, .. } => {
                let Some(lines) = self.installed.notices.entered(*request, &mut self.report) else {
                    return Ok(false);
                };
                for query in lines {
                    self.installed.watch_preventing(&self.vm, query).await?;
                }
                Ok(true)
            }
            Event::Exception { request, location, .. } => {
                let Some(queries) = self.installed.notices.left_out(*request) else { return Ok(false) };
                let frame = self.vm.frame_key(&mut self.tables, *location).await?;
                for query in queries {
                    self.report.query(query).left_out = Some(frame);
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Adds the agent's problems and counts to the report.
    pub fn close_report(&mut self) {
        let Some(report) = &mut self.vm.agent_report else { return };
        report.catch_up();
        let counts = self.counts.as_ref();
        self.report.counted = counts.and_then(|queries| super::probes::counted(report, queries, &self.pool));
        if let Some(recorder) = &self.recorder {
            // Of a program that went on unwatched, the counts say nothing about the run.
            let counted = if self.said_its_end { report.tested() } else { BTreeMap::new() };
            recorder.tested.close(&mut self.report, &counted);
        }
        let problems = std::mem::take(&mut report.problems);
        self.report.unprobed.extend(problems);
        let loaded = std::mem::take(&mut report.loaded);
        let is_new = |name: &str, bytes: &[u8]| {
            self.tells_script && !self.pool.has_file(name) || !self.pool.has_code_of(name, bytes)
        };
        let new: Vec<_> = loaded.into_iter().filter(|(name, bytes)| is_new(name, bytes)).collect();
        self.report.loaded.extend(new);
        let hidden = std::mem::take(&mut report.hidden);
        self.report.hidden.extend(hidden.into_iter().map(Hidden::from));
        if !report.started && self.report.unprobed.is_empty() {
            self.report.unprobed.push("the agent did not start in this VM".to_owned());
        }
    }

    /// Whether the VM loaded a class that the run asks about; true if only other events are asked about.
    pub fn met_what_is_asked(&mut self) -> bool {
        let mut asked = self.watches.classes.keys().filter(|class| !is_of_jdk(class)).peekable();
        let is_asked = asked.peek().is_some();
        let is_prepared = |class: &Arc<str>| self.report.classes.get(class).is_some_and(|of| of.prepared > 0);
        if asked.any(is_prepared) {
            return true;
        }
        match &mut self.vm.agent_report {
            Some(report) => report.has_sites() || !is_asked && self.recorder.is_some(),
            None => !is_asked,
        }
    }

    /// Sets the watches that the suspended VM does not have yet.
    pub async fn begin(&mut self) -> Result<(), RunError> {
        self.installed.by_probes = self.recorder.is_some();
        self.installed.begin(&mut self.vm, &self.watches, &self.pool, &mut self.report).await
    }

    /// Replaces the watches; some of them may already be set. The VM is suspended.
    pub async fn watch_more(&mut self, watches: Watches) -> Result<(), RunError> {
        for method in watches.tracked() {
            self.tables.method_key(&method);
        }
        self.watches = watches;
        self.begin().await
    }

    /// The class files.
    pub fn pool(&self) -> &ClassPool {
        &self.pool
    }

    /// Whether a method contains marks that distinguish its arms.
    pub fn is_marked(&self, method: &MethodName) -> bool {
        self.watches.is_marked(method)
    }

    /// The number of a method whose activations are tracked.
    pub fn tracked(&self, method: &MethodName) -> Option<u32> {
        self.tables.find_method(method)
    }

    /// The number of the method at a location, if its activations are tracked.
    pub async fn tracked_at(&mut self, at: &Location) -> Result<Option<u32>, RunError> {
        let method = self.vm.method(at.class, at.method).await?;
        Ok(self.tracked(&method.name))
    }

    /// The next event set; `None` after the end of the VM.
    pub async fn next(&mut self) -> Result<Option<EventSet>, RunError> {
        let set = match self.deferred.pop_front() {
            Some(set) => Some(set),
            None => self.events.next().await?,
        };
        self.said_its_end |= set.iter().flat_map(|s| &s.events).any(|e| matches!(e, Event::VmDeath { .. }));
        Ok(set)
    }

    /// Whether the VM announced its end; call this after watching. A killed VM does not announce it, nor does
    /// one whose connection breaks.
    pub async fn said_its_end(&mut self) -> bool {
        // A dying VM can refuse a command before we have read its last events.
        let last_words = async { while !self.said_its_end && matches!(self.next().await, Ok(Some(_))) {} };
        let _ = tokio::time::timeout(LAST_WORDS, last_words).await;
        self.said_its_end
    }

    /// Resumes what the event set suspended.
    pub fn resume(&self, set: &EventSet) {
        match (set.policy, set.events.iter().find_map(Event::thread)) {
            (SuspendPolicy::None, _) => {}
            (SuspendPolicy::EventThread, Some(thread)) => self.resume_thread(thread),
            _ => drop(self.vm.conn().send(virtual_machine::Resume {})),
        }
    }

    /// Resumes one thread.
    pub fn resume_thread(&self, thread: ThreadId) {
        drop(self.vm.conn().send(thread_reference::Resume { thread }));
    }

    /// Watches the classes that this event set reports as prepared. True if it contains no other events.
    pub async fn prepare_classes(&mut self, set: &EventSet) -> Result<bool, RunError> {
        let mut only = true;
        for event in &set.events {
            let Event::ClassPrepare { type_id, signature, .. } = event else {
                only = false;
                continue;
            };
            let name = type_name(signature);
            if let Some(recorder) = self.recorder.as_mut().filter(|_| name == super::probes::NAME) {
                recorder.prepared(self.vm.conn(), *type_id).await?;
                continue;
            }
            let (vm, report) = (&mut self.vm, &mut self.report);
            self.installed.class_prepared(vm, &self.watches, &self.pool, report, *type_id, &name).await?;
        }
        Ok(only)
    }

    /// Waits for the reply to a method call while `thread` runs it. Interruptions of that thread are not
    /// occurrences (DESIGN §5.15); those of other threads are deferred.
    pub async fn while_running<T>(
        &mut self,
        thread: ThreadId,
        reply: jdwp::Pending<T>,
    ) -> Result<T, RunError> {
        self.report.called_methods = true;
        let deadline = tokio::time::Instant::now() + CALL_LIMIT;
        let mut reply = std::pin::pin!(reply);
        loop {
            let set = tokio::select! {
                biased;
                done = &mut reply => return Ok(done?),
                set = self.events.next() => set?,
                () = tokio::time::sleep_until(deadline) => {
                    let seconds = CALL_LIMIT.as_secs();
                    return Err(RunError::CallHangs { expr: String::new(), seconds });
                }
            };
            let Some(set) = set else { return Err(jdwp::Error::VmDead.into()) };
            if set.events.iter().any(|e| matches!(e, Event::VmDeath { .. })) {
                // The call ended the program.
                self.said_its_end = true;
                return Err(jdwp::Error::VmDead.into());
            }
            let own = set.policy == SuspendPolicy::EventThread
                && set.events.iter().all(|e| e.thread() == Some(thread));
            for event in set.events.iter().filter(|_| own) {
                // A one-shot event is not sent again, so record it now.
                self.noticed(event).await?;
                if let (Some(recorder), Some(at)) = (&mut self.recorder, event.location())
                    && recorder.is_stop(at)
                {
                    recorder.count_stop(thread, None);
                }
            }
            if own || self.prepare_classes(&set).await? {
                self.resume(&set);
            } else if self.deferred.len() < DEFERRED_LIMIT {
                self.deferred.push_back(set);
            } else {
                return Err(jdwp::Error::VmDead.into());
            }
        }
    }
}

/// Whether a class is one of the JDK, by its name.
fn is_of_jdk(class: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun.", "com.sun."].iter().any(|package| class.starts_with(package))
}
