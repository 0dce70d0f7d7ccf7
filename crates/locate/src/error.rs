//! Errors of locating points. Uses `query` only.

use query::PointIndex;
use std::sync::Arc;
use thiserror::Error;

/// Why the locator refuses a chain or cannot continue.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LocateError {
    /// A constraint names the point itself or a later one (paper §5: a Querypoint refers to earlier ones
    /// only).
    #[error(
        "point {id:?} (number {}) depends on point number {}, which does not stand before it in the chain: \
         move the point it depends on up", point.0 + 1, names.0 + 1
    )]
    ForwardReference {
        /// The point with the constraint.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
        /// The point that the constraint names.
        names: PointIndex,
    },
    /// The TraceQueries are not in the order of their points.
    #[error("the TraceQuery of point {id:?} is at index {place} of the chain but names point {}: give the TraceQueries in the chain's order", point.0)]
    Misplaced {
        /// The point that the TraceQuery names.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
        /// Its index in the chain, from 0.
        place: usize,
    },
    /// An occurrence names a TraceQuery that the chain does not have.
    #[error(
        "an occurrence was offered for point number {query}, but the chain has {points}: offer it to the locator of its own run"
    )]
    NoSuchPoint {
        /// The number of the TraceQuery, from 0.
        query: u16,
        /// Number of points.
        points: usize,
    },
    /// An occurrence is older than the previous one.
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
    /// Too many candidates can still become answers.
    #[error(
        "point {id:?} keeps {kept} candidates and the limit of {limit} for the chain is reached: narrow it ({advice}), \
         or raise the limit"
    )]
    TooMany {
        /// The point with the most candidates.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
        /// Number of its candidates.
        kept: usize,
        /// The limit for all points together.
        limit: usize,
        /// Advice on narrowing the point.
        advice: String,
    },
}
