//! Turns interruptions of the VM into occurrences.

use super::candidates::Candidates;
use super::error::RunError;
use super::exceptions;
use super::hits;
use super::observer::{Control, Observer};
use super::probes::{LogPipe, identity, is_own, probed, program_below};
use super::questions::FurtherQuestions;
use super::stop::Stop;
use super::watched::Watched;
use super::watches::Watches;
use jdwp::commands::{event_request, thread_reference, virtual_machine};
use jdwp::{Event, EventKind, EventSet, Location, RequestId, SuspendPolicy, ThreadId};
use model::{Coordinate, Occurrence, Tables};
use query::TraceQuery;
use std::ops::Range;
use tokio::sync::mpsc;

/// A halted thread; the whole VM is suspended.
pub(super) struct HaltedThread {
    pub(super) stop: Stop,
    /// Whether it reached the coordinate to halt at.
    pub(super) arrived: bool,
    /// The candidate there, if the hit is one.
    pub(super) candidate: Option<Occurrence>,
}

/// Watches one run.
pub struct Watcher {
    watched: Watched,
    candidates: Candidates,
    /// Delivers further questions while the run is on.
    more: Option<mpsc::Receiver<FurtherQuestions>>,
    halted_thread: Option<HaltedThread>,
    /// The step in progress: the run halts at its end.
    step: Option<RequestId>,
    /// The lines of log points.
    lines: Option<LogPipe>,
    events: u64,
    sequence: u64,
}

impl Watcher {
    /// Watches a VM for these TraceQueries, and for those received through `more` during the run.
    pub fn new(
        mut watched: Watched,
        queries: &[TraceQuery],
        more: Option<mpsc::Receiver<FurtherQuestions>>,
    ) -> Watcher {
        let candidates = Candidates::new(queries);
        let lines = watched.recorder.as_mut().and_then(|recorder| recorder.lines.take());
        Watcher { watched, candidates, more, halted_thread: None, step: None, lines, events: 0, sequence: 0 }
    }

    /// The watched VM, for use while it is suspended.
    pub fn watched(&mut self) -> &mut Watched {
        &mut self.watched
    }

    /// The tables of the run.
    pub fn tables(&self) -> &Tables {
        &self.watched.tables
    }

    /// Sets where the run must halt.
    pub fn halt_at(&mut self, coordinate: Option<Coordinate>) {
        self.candidates.halt_at(coordinate);
    }

    /// Makes the run halt at the end of this step.
    pub fn halt_after(&mut self, step: RequestId) {
        self.step = Some(step);
    }

    /// The further questions that were not read, for the next VM.
    pub fn take_further(&mut self) -> Option<mpsc::Receiver<FurtherQuestions>> {
        self.more.take()
    }

    /// Stops watching and returns what was collected.
    pub fn into_watched(self) -> Watched {
        self.watched
    }

    /// The halted thread, after the observer, a coordinate or a step halted the run.
    pub fn take_halted_thread(&mut self) -> Option<HaltedThread> {
        self.halted_thread.take()
    }

    /// Watches until the VM ends, or until the observer stops or halts the run.
    ///
    /// # Errors
    /// The connection fails, or the observer cannot accept an occurrence.
    pub async fn watch(&mut self, observer: &mut dyn Observer) -> Result<Control, RunError> {
        loop {
            let set = tokio::select! {
                biased;
                more = next_questions(&mut self.more) => {
                    self.ask_more(more, observer).await?;
                    continue;
                }
                set = self.watched.next() => set?,
                () = line_logged(self.lines.as_ref()) => {
                    match self.pass_on_lines(observer)? {
                        Control::Continue => continue,
                        control => return Ok(control),
                    }
                }
            };
            // Lines that the stopped thread has written come before what it does now.
            match self.pass_on_lines(observer)? {
                Control::Continue => {}
                control => return Ok(control),
            }
            let Some(set) = set else { return Ok(Control::Continue) };
            if set.events.iter().any(|e| matches!(e, Event::VmDeath { .. })) {
                return Ok(Control::Continue);
            }
            if set.events.iter().any(|e| matches!(e, Event::VmStart { .. })) {
                self.watched.begin().await?;
            } else if !self.watched.prepare_classes(&set).await? {
                match self.handle(&set, observer).await? {
                    Control::Continue => {}
                    control => return Ok(control),
                }
            }
            self.watched.resume(&set);
        }
    }

    /// Handles an interruption of the program: delivers what it brings, and halts the program or stops
    /// watching it if that is wanted.
    async fn handle(&mut self, set: &EventSet, observer: &mut dyn Observer) -> Result<Control, RunError> {
        self.events += 1;
        let stop = self.interrupted(set).await?;
        match self.candidates.describe(&mut self.watched).await {
            // If the VM ends meanwhile, what was found before remains valid. The next event set reports the
            // end.
            Ok(()) | Err(RunError::Vm(_)) => {}
            Err(error) => return Err(error),
        }
        if self.events.is_multiple_of(256) {
            observer.progress(self.events);
            self.candidates.forget_threads(&mut self.watched).await?;
        }
        let mut control = self.deliver(observer)?;
        if self.candidates.has_arrived() {
            self.candidates.halt_at(None);
            control = Control::Halt;
        }
        let ends_step =
            |event: &Event| matches!(event, Event::SingleStep { request, .. } if Some(*request) == self.step);
        if set.events.iter().any(ends_step) {
            control = Control::Halt;
        }
        match (control, stop) {
            (Control::Halt, Some(stop)) => self.halt(stop, set).await,
            (Control::Continue, _) => Ok(Control::Continue),
            (Control::Stop | Control::Halt, _) => {
                self.check_sites().await?;
                Ok(Control::Stop)
            }
        }
    }

    /// Passes on the lines of log points that the VM has written so far.
    ///
    /// # Errors
    /// The pipe cannot be read, or the observer cannot accept a line.
    pub(super) fn pass_on_lines(&mut self, observer: &mut dyn Observer) -> Result<Control, RunError> {
        let Some(pipe) = &mut self.lines else { return Ok(Control::Continue) };
        for line in pipe.take().map_err(RunError::Lines)? {
            match observer.line(identity(line.thread), line.text).map_err(RunError::Observer)? {
                Control::Continue => {}
                control => return Ok(control),
            }
        }
        Ok(Control::Continue)
    }

    /// Warns of lost sites. A native agent can redefine classes without an interruption of Java code.
    async fn check_sites(&mut self) -> Result<(), RunError> {
        for method in self.watched.installed.lost(&self.watched.vm).await? {
            let warning = format!("sites lost: {method} was redefined with different code");
            self.watched.report.warn_sites_lost(warning);
        }
        Ok(())
    }

    /// Suspends all threads.
    async fn halt(&mut self, stop: Stop, set: &EventSet) -> Result<Control, RunError> {
        self.check_sites().await?;
        let conn = self.watched.vm.conn().clone();
        if let Some(request_id) = self.step.take() {
            conn.send(event_request::Clear { event_kind: EventKind::SingleStep, request_id }).await?;
        }
        conn.send(virtual_machine::Suspend {}).await?;
        if set.policy == SuspendPolicy::EventThread {
            // The event already suspended this thread. A second suspension would block methods called in it.
            conn.send(thread_reference::Resume { thread: stop.thread }).await?;
        }
        let arrival = self.candidates.take_arrival();
        self.halted_thread =
            Some(HaltedThread { stop, arrived: arrival.is_some(), candidate: arrival.flatten() });
        Ok(Control::Halt)
    }

    /// Adds questions to the run, with the VM suspended meanwhile.
    async fn ask_more(
        &mut self,
        more: FurtherQuestions,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let FurtherQuestions { questions: more, taken } = more;
        let conn = self.watched.vm.conn().clone();
        conn.send(virtual_machine::Suspend {}).await?;
        let tables = &mut self.watched.tables;
        // Probes cannot be added later: they were placed when classes were loaded.
        let fits = self.watched.recorder.is_none()
            && observer.asked(&more.queries, self.sequence, tables).map_err(RunError::Observer)?;
        if fits {
            self.candidates.watch_for(&more.queries);
            self.watched.watch_more(Watches::new(&more.queries, &more.tracked, &more.marks)).await?;
        }
        conn.send(virtual_machine::Resume {}).await?;
        // The asker may no longer be waiting.
        let _ = taken.send(fits);
        Ok(())
    }

    fn deliver(&mut self, observer: &mut dyn Observer) -> Result<Control, RunError> {
        let mut control = Control::Continue;
        let mut found = self.candidates.take();
        let throws = self.throws_first(&mut found);
        for (place, mut occurrence) in found.into_iter().enumerate() {
            let is_same_throw = throws.contains(&place) && place > throws.start;
            self.sequence += u64::from(!is_same_throw);
            occurrence.sequence = self.sequence;
            let candidates = &self.candidates;
            let live = || candidates.live_activations();
            let asked = observer.occurrence(occurrence, &mut self.watched.tables, &live);
            match asked.map_err(RunError::Observer)? {
                Control::Continue => {}
                more => control = more,
            }
        }
        Ok(control)
    }

    /// Puts the occurrences for queries that ask for exceptions behind the first of them, and returns their
    /// places. All of them are of one throw, which comes before what else the queries learn from it.
    fn throws_first(&self, found: &mut [Occurrence]) -> Range<usize> {
        let is_throw = |occurrence: &Occurrence| {
            let query = self.candidates.query(occurrence.query);
            query.is_some_and(|query| matches!(query.event, query::Event::Thrown { .. }))
        };
        let Some(start) = found.iter().position(is_throw) else { return 0..0 };
        found.get_mut(start..).unwrap_or_default().sort_by_key(|occurrence| !is_throw(occurrence));
        start..start + found.iter().filter(|occurrence| is_throw(occurrence)).count()
    }

    /// Processes an event set. Returns the stopped thread of its last event.
    async fn interrupted(&mut self, set: &EventSet) -> Result<Option<Stop>, RunError> {
        let entered = set.events.iter().any(|e| matches!(e, Event::MethodEntry { .. }));
        // The entry of a method precedes the watches of its first instruction.
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
            return probed(&mut self.watched, &mut self.candidates, thread).await;
        }
        let Some((location, hidden)) = self.program_at(event, thread, location).await? else {
            return Ok(None);
        };
        let location = self.watched.vm.original(location).await?;
        if self.watched.noticed(event).await? {
            return Ok(None);
        }
        let key = self.candidates.thread_key(&mut self.watched, thread).await?;
        let mut stop = Stop::below(thread, key, location, hidden);
        let (watched, candidates) = (&mut self.watched, &mut self.candidates);
        match event {
            Event::MethodEntry { .. } => hits::method_entered(watched, candidates, &mut stop).await,
            Event::Breakpoint { .. } => hits::breakpoint(watched, candidates, &mut stop, entered).await,
            Event::FieldModification { request, object, value, .. } => {
                hits::field(watched, candidates, &mut stop, *request, *object, Some(*value)).await
            }
            Event::FieldAccess { request, object, .. } => {
                hits::field(watched, candidates, &mut stop, *request, *object, None).await
            }
            Event::Exception { request, exception, catch_location, .. } => {
                let caught_at = match catch_location {
                    Some(at) => Some(watched.vm.original(*at).await?),
                    None => None,
                };
                exceptions::exception(watched, candidates, &mut stop, *request, *exception, caught_at).await
            }
            Event::MethodExitWithReturnValue { value, .. } => {
                hits::returned(watched, candidates, &mut stop, *value).await
            }
            _ => Ok(()),
        }?;
        Ok(Some(stop))
    }

    /// The program's location at an event, and the number of recorder frames above it. The recorder itself
    /// can throw a StackOverflowError. None if such an exception does not leave the recorder.
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
}

/// Waits until lines of log points may be there; forever if there is no log point.
async fn line_logged(lines: Option<&LogPipe>) {
    if let Some(lines) = lines
        && lines.readable().await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// The next questions; never resolves if all senders are dropped.
async fn next_questions(more: &mut Option<mpsc::Receiver<FurtherQuestions>>) -> FurtherQuestions {
    if let Some(receiver) = more
        && let Some(questions) = receiver.recv().await
    {
        return questions;
    }
    *more = None;
    std::future::pending().await
}
