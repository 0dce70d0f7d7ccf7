//! Which hits of a query interrupt the program.

use model::Coordinate;
use query::{Event, TraceQuery};
use wire::HitWindow;

/// An index that no hit has.
const NEVER: u64 = i64::MAX.cast_unsigned();

/// A query and which of its hits interrupt the program.
#[derive(Clone, Copy, Debug)]
pub struct GatedQuery<'a> {
    /// The query.
    pub query: &'a TraceQuery,
    /// Its gate.
    pub gate: &'a Gate,
}

/// The queries of a run, each with which of its hits interrupt the program.
#[derive(Clone, Copy, Debug)]
pub struct GatedQueries<'a> {
    /// The queries.
    pub queries: &'a [TraceQuery],
    /// Their gates, in the same order.
    pub gates: &'a [Gate],
}

impl<'a> GatedQueries<'a> {
    /// The query with a number, and its gate.
    pub fn numbered(self, number: u16) -> Option<GatedQuery<'a>> {
        let place = self.queries.iter().position(|query| query.point.0 == number)?;
        Some(GatedQuery { query: self.queries.get(place)?, gate: self.gates.get(place)? })
    }

    /// The query with a number, if it has a condition, or asks for a thread or a caller. All hits that it
    /// asks for stop.
    pub fn narrowed(self, number: u16) -> Option<GatedQuery<'a>> {
        let asked = self.numbered(number)?;
        let local = &asked.query.local;
        let is_narrowed = local.when.is_some() || local.thread.is_some() || local.from.is_some();
        (is_narrowed && *asked.gate == Gate::All).then_some(asked)
    }

    /// What the query with a number asks about.
    pub fn event(self, number: u16) -> Option<&'a Event> {
        self.queries.iter().find(|query| query.point.0 == number).map(|query| &query.event)
    }
}

/// Selects the hits of a query that interrupt execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// All that the query admits, as without probes.
    All,
    /// Of all that the query admits, the one at this index.
    Only(u64),
    /// Of all that the query admits, the last one. An earlier run has counted them, and this is its index.
    /// Without it, the hits are only counted.
    Last(Option<u64>),
    /// None: hits are only counted.
    Count,
    /// Of a log point. The VM writes at most this many lines; hits whose line it cannot make interrupt.
    Log(u64),
    /// The first hits and the armed ones. For each object or activation, the VM stores the last of the other
    /// hits.
    First {
        /// Number of first hits that interrupt.
        budget: u32,
        /// Further hits that interrupt.
        armed: Vec<Coordinate>,
    },
    /// For programs whose runs never repeat: numbers hits across all threads, and interrupts at some numbers.
    Varied(HitWindow),
}

impl Gate {
    /// Number of first hits that interrupt; none if all do.
    pub fn budget(&self) -> Option<u32> {
        match self {
            Gate::All | Gate::Only(_) | Gate::Last(_) | Gate::Log(_) => None,
            Gate::Count => Some(0),
            Gate::First { budget, .. } => Some(*budget),
            Gate::Varied(_) => Some(0),
        }
    }

    /// Whether the VM tests the conditions of hits.
    pub fn tests(&self) -> bool {
        matches!(self, Gate::All | Gate::Only(_) | Gate::Last(_) | Gate::Count | Gate::Log(_))
    }

    /// The index of the only hit that interrupts, over all threads; none if others can.
    pub fn index(&self) -> Option<u64> {
        match self {
            Gate::Only(index) => Some(*index),
            Gate::Last(index) => Some(index.unwrap_or(NEVER)),
            _ => None,
        }
    }

    /// Whether the last hit of each object or activation is stored.
    pub fn keeps(&self) -> bool {
        matches!(self, Gate::First { .. })
    }
}
