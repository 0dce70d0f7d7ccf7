//! A recording as a source of occurrences, as JDWP events and probes are (DESIGN §4): the events of a
//! recorded run that are events of TraceQueries, in the order of the run.
//!
//! - `sought` says which events TraceQueries ask about, and which a recording cannot have.
//! - `thread_events` goes through the events of one thread and finds the hits (`hit`). `thread_stack` has the
//!   calls of its stack, `open_call` knows where each of them stands, `flight` where exceptions go, `search`
//!   what the code of `methods` says about a place. `asked` is the question.
//! - `change` tells what a change did to the part of a collection that a query asks about.
//! - `candidate` checks the conditions of a hit's query and reads the values that it keeps; `event_values`
//!   has those of the event itself, and `description` adds what identifies objects, and their contents.
//!
//! Frames of code that was not recorded are not on the stacks.

mod asked;
mod candidate;
mod change;
mod copy_log;
mod copy_places;
mod description;
mod event_values;
mod flight;
mod hit;
mod methods;
mod open_call;
mod part_read;
mod search;
mod sought;
mod stretch;
mod thread_copies;
mod thread_events;
mod thread_stack;
mod value_flow;

pub use asked::Asked;
use candidate::Candidates;
use hit::Hit;
use methods::Methods;
use model::{ActivationKey, FlowVisit, MethodName, Occurrence, Tables};
use past::{PastError, Recording};
use query::{QueryReport, TraceQuery};
use search::Search;
use sought::{Sought, unrecorded};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use thread_events::ThreadEvents;
use trace::{EventPosition, EventTime};
pub use value_flow::value_flow;

/// Takes an occurrence, with the tables and the activations that may still be on a stack. Returns whether to
/// go on.
pub type TakeOccurrence<'t> =
    dyn FnMut(Occurrence, &mut Tables, &dyn Fn() -> Vec<ActivationKey>) -> bool + 't;

/// What a recording tells about TraceQueries besides their occurrences.
#[derive(Default)]
pub struct OccurrencesReport {
    /// The tables to which the occurrences refer.
    pub tables: Tables,
    /// By position in the chain.
    pub queries: BTreeMap<u16, QueryReport>,
    /// The methods that were entered.
    pub entered: BTreeSet<MethodName>,
    /// The steps of known value flows.
    pub visits: Vec<FlowVisit>,
}

/// Why the recording cannot have the occurrences of a TraceQuery; `None` if it has all of them.
pub fn cannot_answer(recording: &Recording, query: &TraceQuery) -> Option<String> {
    unrecorded(query, &recording.calls, recording.about.level)
}

/// Hands over the occurrences of TraceQueries. The number of an occurrence is that of its hit. What they
/// show is added only where that is asked for, otherwise by [`show`].
///
/// # Errors
/// The recording cannot be read, or the user interrupted.
pub fn find(
    recording: &mut Recording,
    asked: Asked<'_>,
    take: &mut TakeOccurrence<'_>,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<OccurrencesReport, PastError> {
    let mut merged = Merged::new(asked, recording);
    let mut candidates = Candidates::new(asked, Tables::default());
    let mut sequence = 0;
    while let Some(hit) = merged.next(recording, &mut candidates.tables, is_interrupted)? {
        sequence += 1;
        let Some(occurrence) = candidates.occurrence(recording, &hit)? else { continue };
        let mut occurrence = Occurrence { sequence, ..occurrence };
        if asked.shows_all {
            candidates.show(recording, &mut merged.methods, &hit, &mut occurrence)?;
        }
        let live = || merged.activations(&hit);
        if !take(occurrence, &mut candidates.tables, &live) {
            break;
        }
    }
    let sites = &recording.calls.sites;
    let entered = merged.entered.iter().filter_map(|method| sites.method_name(*method)).collect();
    let Candidates { tables, reports: queries, visits, .. } = candidates;
    Ok(OccurrencesReport { tables, queries, entered, visits })
}

/// Adds to some occurrences of these TraceQueries what they show. Returns their events, by their numbers.
/// Of an occurrence in an older frame, it is the call that the frame makes.
///
/// # Errors
/// As [`find`].
pub fn show(
    recording: &mut Recording,
    asked: Asked<'_>,
    occurrences: &mut [&mut Occurrence],
    tables: &mut Tables,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<HashMap<u64, EventPosition>, PastError> {
    let mut merged = Merged::new(asked, recording);
    let mut candidates = Candidates::new(asked, std::mem::take(tables));
    let mut found = HashMap::new();
    let last = occurrences.iter().map(|occurrence| occurrence.sequence).max().unwrap_or(0);
    for number in 1..=last {
        let Some(hit) = merged.next(recording, &mut candidates.tables, is_interrupted)? else { break };
        for occurrence in occurrences.iter_mut().filter(|one| one.sequence == number) {
            found.insert(number, hit.at);
            if !asked.shows_all {
                candidates.show(recording, &mut merged.methods, &hit, occurrence)?;
            }
        }
    }
    *tables = candidates.tables;
    Ok(found)
}

/// The hits of all threads in the order of the run.
struct Merged<'q> {
    queries: &'q [TraceQuery],
    sought: Sought,
    methods: Methods,
    entered: HashSet<u32>,
    threads: Vec<ThreadEvents>,
    /// The times of the threads' next hits.
    ahead: BinaryHeap<Reverse<(EventTime, usize)>>,
    /// The threads whose next hit is not known yet.
    unread: Vec<usize>,
}

impl Merged<'_> {
    fn new<'q>(asked: Asked<'q>, recording: &Recording) -> Merged<'q> {
        let threads = recording.calls.threads().into_iter().map(|(thread, ..)| ThreadEvents::new(thread));
        let threads: Vec<ThreadEvents> = threads.collect();
        let mut methods = Methods::default();
        let pool = recording.code.fields.pool();
        Merged {
            queries: asked.queries,
            sought: Sought::new(asked, &recording.calls, &mut methods, pool),
            methods,
            entered: HashSet::new(),
            unread: (0..threads.len()).collect(),
            threads,
            ahead: BinaryHeap::new(),
        }
    }

    /// The next hit.
    fn next(
        &mut self,
        recording: &mut Recording,
        tables: &mut Tables,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Hit>, PastError> {
        while let Some(at) = self.unread.pop() {
            self.read_on(at, recording, tables, is_interrupted)?;
        }
        if is_interrupted() {
            return Err(PastError::Interrupted);
        }
        let Some(Reverse((_, at))) = self.ahead.pop() else { return Ok(None) };
        self.unread.push(at);
        Ok(self.threads.get_mut(at).and_then(ThreadEvents::take_hit))
    }

    /// Reads the events of a thread up to its next hit.
    fn read_on(
        &mut self,
        at: usize,
        recording: &mut Recording,
        tables: &mut Tables,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<(), PastError> {
        let Recording { calls, code, .. } = recording;
        let Some(thread) = self.threads.get_mut(at) else { return Ok(()) };
        while thread.next_hit().is_none() && !thread.is_over() {
            if is_interrupted() {
                return Err(PastError::Interrupted);
            }
            let mut search = Search {
                queries: self.queries,
                sought: &mut self.sought,
                pool: code.fields.pool(),
                methods: &mut self.methods,
                tables,
                entered: &mut self.entered,
            };
            thread.read_on(calls, &mut search)?;
        }
        self.ahead.extend(thread.next_hit().map(|when| Reverse((when, at))));
        Ok(())
    }

    /// The activations that later hits may name.
    fn activations(&self, hit: &Hit) -> Vec<ActivationKey> {
        self.threads.iter().flat_map(ThreadEvents::activations).chain(hit.activation).collect()
    }
}
