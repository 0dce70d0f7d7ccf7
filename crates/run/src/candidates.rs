//! The candidates of a run: hits that their TraceQueries admit, with the values to keep.

use super::collect::Collector;
use super::describe::Descriptions;
use super::error::RunError;
use super::filter::{Filter, fits};
use super::probes::{forecasts, kept_values, sights};
use super::queries::Queries;
use super::stop::Stop;
use super::threads::{IncompleteOccurrence, MissingValue, ThreadState, Threads};
use super::watched::Watched;
use jdwp::{ObjectId, ThreadId};
use model::{ActivationKey, Coordinate, Detail, Occurrence, ShapeKey, ThreadKey, Value};
use query::{Event, TraceQuery};
use std::collections::HashSet;
use std::sync::Arc;

/// Makes candidates and keeps them until the caller takes them.
pub struct Candidates {
    queries: Queries,
    threads: Threads,
    filter: Filter,
    collector: Collector,
    descriptions: Descriptions,
    found: Vec<Occurrence>,
    /// Objects already seen, by query, where a constructor continues at the start of a loop.
    handed_out: HashSet<(u16, ObjectId)>,
}

impl Candidates {
    /// Starts without candidates, for these TraceQueries.
    pub fn new(queries: &[TraceQuery]) -> Candidates {
        Candidates {
            queries: Queries::new(queries),
            threads: Threads::default(),
            filter: Filter::default(),
            collector: Collector::default(),
            descriptions: Descriptions::default(),
            found: Vec::new(),
            handed_out: HashSet::new(),
        }
    }

    /// Replaces the TraceQueries.
    pub fn watch_for(&mut self, queries: &[TraceQuery]) {
        self.queries = Queries::new(queries);
    }

    /// The query with a number.
    pub fn query(&self, number: u16) -> Option<Arc<TraceQuery>> {
        self.queries.get(number)
    }

    /// The state of a thread.
    pub fn thread(&mut self, thread: ThreadId) -> &mut ThreadState {
        self.threads.of(thread)
    }

    /// The key of a thread in the run's tables.
    pub async fn thread_key(
        &mut self,
        watched: &mut Watched,
        thread: ThreadId,
    ) -> Result<ThreadKey, RunError> {
        self.threads.key(watched, thread).await
    }

    /// Forgets ended threads if there are many.
    pub async fn forget_threads(&mut self, watched: &mut Watched) -> Result<(), RunError> {
        self.threads.forget_ended(watched).await
    }

    /// The activations that may still be on a stack.
    pub fn live_activations(&self) -> Vec<ActivationKey> {
        self.threads.live()
    }

    /// Sets where the run must halt.
    pub fn halt_at(&mut self, coordinate: Option<Coordinate>) {
        self.filter.halt_at(coordinate);
    }

    /// Whether the hit at the coordinate to halt at was counted.
    pub fn has_arrived(&self) -> bool {
        self.filter.has_arrived()
    }

    /// The arrival at that coordinate, if it occurred, with its candidate if the hit is one.
    pub fn take_arrival(&mut self) -> Option<Option<Occurrence>> {
        self.filter.take_arrival()
    }

    /// Reads all values that a candidate of the query would keep in one batch.
    pub async fn prefetch(&self, watched: &mut Watched, stop: &mut Stop, query: u16) -> Result<(), RunError> {
        self.collector.prefetch(watched, stop, query).await
    }

    /// The values that a candidate keeps, with their names.
    pub async fn collect(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        query: &TraceQuery,
    ) -> Result<(ShapeKey, Box<[Value]>), RunError> {
        self.collector.collect(watched, stop, query).await
    }

    /// Counts a hit that is not a candidate. Returns its ordinal.
    pub async fn count(
        &mut self,
        watched: &mut Watched,
        stop: &Stop,
        query: &TraceQuery,
    ) -> Result<u32, RunError> {
        self.filter.count(watched, stop, query).await
    }

    /// Counts a hit. Returns its ordinal if the query admits it.
    pub async fn admits(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        query: &TraceQuery,
    ) -> Result<Option<u32>, RunError> {
        self.filter.admits(watched, stop, query).await
    }

    /// Counts a hit. Returns the candidate in the newest frame of the stopped thread if the query admits it.
    pub async fn admitted(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        query: &TraceQuery,
    ) -> Result<Option<Occurrence>, RunError> {
        let Some(ordinal) = self.filter.admits(watched, stop, query).await? else { return Ok(None) };
        let thread = self.threads.of(stop.thread);
        thread.confirm(watched, stop).await?;
        let activation = thread.activation(watched, stop).await?;
        let mut occurrence = self.candidate_in(watched, stop, query, ordinal, activation).await?;
        if let Some(arm) = self.threads.of(stop.thread).arm(watched, stop).await? {
            occurrence.detail.get_or_insert_default().arm = Some(arm);
        }
        if uses_stack_values(&query.event) {
            let values = kept_values(watched, stop).await?;
            if !values.is_empty() {
                occurrence.detail.get_or_insert_default().stack_values = values;
            }
        }
        if stop.passed > 0 {
            occurrence.detail.get_or_insert_default().passed = stop.passed;
        }
        self.forecast(watched, stop, &mut occurrence).await?;
        Ok(Some(occurrence))
    }

    /// Adds a candidate with these details if the query admits the hit.
    pub async fn offer(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        query: &TraceQuery,
        detail: Option<Detail>,
    ) -> Result<(), RunError> {
        let Some(mut occurrence) = self.admitted(watched, stop, query).await? else { return Ok(()) };
        if let Some(detail) = detail {
            let Detail { forecasts, sights, arm, passed, stack_values, .. } =
                occurrence.detail.take().map(|d| *d).unwrap_or_default();
            let detail = Detail { forecasts, sights, arm, passed, stack_values, ..detail };
            occurrence.detail = Some(Box::new(detail));
        }
        self.found.push(occurrence);
        Ok(())
    }

    /// The candidate in an older frame than its event, if the query admits the hit with this ordinal.
    pub async fn admitted_below(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        older: &mut Stop,
        query: &TraceQuery,
        ordinal: u32,
    ) -> Result<Option<Occurrence>, RunError> {
        if !fits(watched, older, query).await? {
            return Ok(None);
        }
        let thread = self.threads.of(stop.thread);
        thread.confirm(watched, stop).await?;
        let activation = thread.activation_below(watched, stop, older).await?;
        Ok(Some(self.candidate_in(watched, older, query, ordinal, activation).await?))
    }

    /// Adds a candidate in an older frame, with forecasts for the points that depend on it.
    pub async fn add_forecasts_of(
        &mut self,
        watched: &mut Watched,
        older: &mut Stop,
        mut occurrence: Occurrence,
    ) -> Result<(), RunError> {
        self.forecast(watched, older, &mut occurrence).await?;
        self.found.push(occurrence);
        Ok(())
    }

    /// Adds a finished candidate. If the run must halt at it, the halt shows it.
    pub fn add_whole(&mut self, occurrence: Occurrence) {
        self.filter.remember_arrival(&occurrence);
        self.found.push(occurrence);
    }

    /// Adds a candidate that [`Candidates::admitted`] returned.
    pub fn add(&mut self, occurrence: Occurrence) {
        self.found.push(occurrence);
    }

    /// Keeps a candidate until the thread's next instruction completes it.
    pub async fn wait(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        occurrence: Occurrence,
        completes: MissingValue,
    ) -> Result<(), RunError> {
        let depth = stop.depth(&watched.vm).await?;
        let (class, method) = (stop.location.class, stop.location.method);
        self.threads.of(stop.thread).wait(IncompleteOccurrence {
            occurrence,
            depth,
            class,
            method,
            completes,
        });
        Ok(())
    }

    /// Whether a query sees an object for the first time that a constructor may already have published.
    pub fn is_new(&mut self, query: u16, object: ObjectId) -> bool {
        self.handed_out.insert((query, object))
    }

    /// Reads identity and contents of the objects in the candidates just found.
    pub async fn describe(&mut self, watched: &mut Watched) -> Result<(), RunError> {
        self.descriptions.add_to(&mut self.found, watched, &self.queries).await
    }

    /// The candidates found since the last call.
    pub fn take(&mut self) -> Vec<Occurrence> {
        std::mem::take(&mut self.found)
    }

    /// Makes a candidate in an activation. Its sequence number is still 0.
    async fn candidate_in(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        query: &TraceQuery,
        ordinal: u32,
        activation: Option<ActivationKey>,
    ) -> Result<Occurrence, RunError> {
        let (stack, frames) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
        let frame = match frames.first() {
            Some(frame) => *frame,
            None => watched.vm.frame_key(&mut watched.tables, stop.location).await?,
        };
        let (shape, kept) = self.collector.collect(watched, stop, query).await?;
        Ok(Occurrence {
            sequence: 0,
            query: query.point.0,
            ordinal,
            thread: stop.key,
            frame,
            stack,
            activation,
            owner: stop.parts.owner.clone().or_else(|| stop.parts.class.clone()).unwrap_or(Value::Null),
            old: stop.parts.old.clone().unwrap_or(Value::Unassigned),
            new: stop.parts.new.clone().unwrap_or(Value::Unassigned),
            way: None,
            shape,
            kept,
            detail: None,
        })
    }

    /// Adds to a candidate what its frame already shows about the points that depend on it.
    async fn forecast(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        occurrence: &mut Occurrence,
    ) -> Result<(), RunError> {
        self.filter.remember_arrival(occurrence);
        let (forecasts, kept) = forecasts(watched, &self.queries, stop, occurrence).await?;
        self.found.extend(kept);
        if !forecasts.is_empty() {
            occurrence.detail.get_or_insert_default().forecasts = forecasts;
        }
        let sights = sights(watched, &self.queries, stop, occurrence).await?;
        if !sights.is_empty() {
            occurrence.detail.get_or_insert_default().sights.extend(sights);
        }
        Ok(())
    }
}

/// Whether the event is a branch or store, which uses values of the operand stack.
fn uses_stack_values(event: &Event) -> bool {
    matches!(event, Event::Branched(_) | Event::Stored(_) | Event::Written(_) | Event::ElementWritten(_))
}

/// Records how many iterations of an endless loop did not leave it. `turns` also counts the iteration that
/// left it.
pub fn tell_turns(occurrence: &mut Occurrence, turns: Option<u32>) {
    if let Some(others) = turns.and_then(|turns| turns.checked_sub(1)).filter(|others| *others > 0) {
        occurrence.detail.get_or_insert_default().turns = Some(others);
    }
}
