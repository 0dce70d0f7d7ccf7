//! What can go wrong while points are located. Uses `query` only.

use crate::query::PointIndex;
use std::sync::Arc;
use thiserror::Error;

/// Why the locator refuses a chain or cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LocateError {
    /// A constraint names the point itself or a later one (paper §5: a Querypoint refers to earlier ones
    /// only).
    #[error(
        "point {id:?} (number {}) depends on point number {}, which does not stand before it in the chain: \
         move the point it depends on up", point.0 + 1, names.0 + 1
    )]
    ForwardReference {
        /// The point whose constraint it is.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
        /// The point that the constraint names.
        names: PointIndex,
    },
    /// The TraceQueries are not in the order of their points.
    #[error("the TraceQuery of point {id:?} stands at place {place} of the chain but says {}: give them in the chain's order", point.0)]
    Misplaced {
        /// The point it says.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
        /// Where it stands, from 0.
        place: usize,
    },
    /// An occurrence belongs to no TraceQuery of this chain.
    #[error(
        "an occurrence was offered for point number {query}, but the chain has {points}: offer it to the locator of its own run"
    )]
    NoSuchPoint {
        /// The TraceQuery it claims, from 0.
        query: u16,
        /// Number of points.
        points: usize,
    },
    /// An occurrence is older than one offered before it.
    #[error(
        "an occurrence of point {id:?} with sequence {sequence} was offered after one with {newest}: \
         offer occurrences in the order of the run"
    )]
    OutOfOrder {
        /// Its point's id.
        id: Arc<str>,
        /// Its sequence.
        sequence: u64,
        /// The newest sequence so far.
        newest: u64,
    },
    /// More candidates than the limit can still win.
    #[error(
        "point {id:?} keeps {kept} candidates and the limit of {limit} for the chain is reached: narrow it ({advice}), \
         or raise the limit"
    )]
    TooMany {
        /// The point that keeps most.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
        /// Candidates it keeps.
        kept: usize,
        /// The limit for all points together.
        limit: usize,
        /// What would narrow it.
        advice: String,
    },
}
