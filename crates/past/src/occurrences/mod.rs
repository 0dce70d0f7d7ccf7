//! A recording as a source of occurrences, as JDWP events and probes are (DESIGN §4): the events of a
//! recorded run that are events of TraceQueries, in the order of the run.
//!
//! - `sought` says which events TraceQueries ask about, and which a recording cannot have.
//! - `thread_events` goes through the events of one thread and finds the hits (`hit`). `thread_stack` has the
//!   calls of its stack, `open_call` knows where each of them stands, `flight` where exceptions go, `search`
//!   what the code of `methods` says about a place. `asked` is the question.
//! - `change` tells what a change did to the part of a collection that a query asks about.
//! - `candidate` checks the conditions of a hit's query and reads the values that it keeps; `description`
//!   adds what identifies their objects, and their contents.
//!
//! Frames of code that was not recorded are not on the stacks.

mod asked;
mod candidate;
mod change;
mod description;
mod flight;
mod hit;
mod methods;
mod open_call;
mod search;
mod sought;
mod thread_events;
mod thread_stack;

use crate::error::PastError;
use crate::recording::Recording;
pub use asked::Asked;
use candidate::Candidates;
use hit::Hit;
use methods::Methods;
use model::{ActivationKey, MethodName, Occurrence, Tables};
use query::{QueryReport, TraceQuery};
use search::Search;
use sought::{Sought, unrecorded};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use thread_events::ThreadEvents;
use trace::EventPosition;

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
}

impl Recording {
    /// Why the recording cannot have the occurrences of a TraceQuery; `None` if it has all of them.
    pub fn cannot_answer(&self, query: &TraceQuery) -> Option<String> {
        unrecorded(query, &self.calls, self.about.level)
    }

    /// Hands over the occurrences of TraceQueries. The number of an occurrence is that of its hit
    /// ([`Recording::hit_positions`]).
    ///
    /// # Errors
    /// The recording cannot be read, or the user interrupted.
    pub fn occurrences(
        &mut self,
        asked: Asked<'_>,
        take: &mut TakeOccurrence<'_>,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<OccurrencesReport, PastError> {
        let mut merged = Merged::new(asked, self);
        let mut candidates = Candidates::new(asked.queries);
        let mut sequence = 0;
        while let Some(hit) = merged.next(self, &mut candidates.tables, is_interrupted)? {
            sequence += 1;
            let Some(occurrence) = candidates.occurrence(self, &mut merged.methods, &hit)? else { continue };
            let occurrence = Occurrence { sequence, ..occurrence };
            let live = || merged.activations(&hit);
            if !take(occurrence, &mut candidates.tables, &live) {
                break;
            }
        }
        let sites = &self.calls.sites;
        let entered = merged.entered.iter().filter_map(|method| sites.method_name(*method)).collect();
        Ok(OccurrencesReport { tables: candidates.tables, queries: candidates.reports, entered })
    }

    /// The events of hits, by the numbers that their occurrences have among the hits of these TraceQueries.
    /// Of a hit in an older frame, it is the call that the frame makes.
    ///
    /// # Errors
    /// As [`Recording::occurrences`].
    pub fn hit_positions(
        &mut self,
        asked: Asked<'_>,
        numbers: &BTreeSet<u64>,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<HashMap<u64, EventPosition>, PastError> {
        let mut merged = Merged::new(asked, self);
        let (mut tables, mut found) = (Tables::default(), HashMap::new());
        let last = numbers.last().copied().unwrap_or(0);
        for number in 1..=last {
            let Some(hit) = merged.next(self, &mut tables, is_interrupted)? else { break };
            if numbers.contains(&number) {
                found.insert(number, hit.at);
            }
        }
        Ok(found)
    }
}

/// The hits of all threads in the order of the run.
struct Merged<'q> {
    queries: &'q [TraceQuery],
    sought: Sought,
    methods: Methods,
    entered: HashSet<u32>,
    threads: Vec<ThreadEvents>,
}

impl Merged<'_> {
    fn new<'q>(asked: Asked<'q>, recording: &Recording) -> Merged<'q> {
        let threads = recording.calls.threads().into_iter();
        let mut methods = Methods::default();
        let code = (&mut methods, recording.code.fields.pool());
        Merged {
            queries: asked.queries,
            sought: Sought::new(asked, &recording.calls, code),
            methods,
            entered: HashSet::new(),
            threads: threads.map(|(thread, ..)| ThreadEvents::new(thread)).collect(),
        }
    }

    /// The next hit.
    fn next(
        &mut self,
        recording: &mut Recording,
        tables: &mut Tables,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Hit>, PastError> {
        let Recording { calls, code, .. } = recording;
        for thread in &mut self.threads {
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
        }
        let hits = self.threads.iter_mut().filter(|thread| thread.next_hit().is_some());
        Ok(hits.min_by_key(|thread| thread.next_hit()).and_then(ThreadEvents::take_hit))
    }

    /// The activations that later hits may name.
    fn activations(&self, hit: &Hit) -> Vec<ActivationKey> {
        self.threads.iter().flat_map(ThreadEvents::activations).chain(hit.activation).collect()
    }
}
