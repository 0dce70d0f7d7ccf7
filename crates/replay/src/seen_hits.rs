//! What earlier runs by probes have shown of one point, by which the next run chooses where it stops.

use model::{Coordinate, Site};

/// What earlier runs have shown of one point.
#[derive(Clone, Debug, Default)]
pub struct SeenHits {
    /// The hits at which the next run stops.
    pub armed: Option<Vec<Coordinate>>,
    /// If its hits are restricted to the sites of one stack: the sites of the effect's stack.
    pub only: Option<Vec<Site>>,
    /// Set if its hits are numbered, since its last hits differ between runs.
    pub varied: Option<NumberedHits>,
    /// Whether the next run stops at all of its few hits.
    pub ample: Ample,
    /// What is known of its number of hits, if it has no effect and its last hit is asked for.
    pub total: Total,
    /// How often its last hit has changed.
    pub changes: u32,
}

/// Whether the next run stops at all hits of a point, as far as it does not make many more of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ample {
    /// It does not.
    #[default]
    No,
    /// It stops at this number of first hits.
    Stops(u32),
    /// A run has missed the last hit nevertheless.
    Missed,
}

impl Ample {
    /// The number of first hits at which the next run stops.
    pub fn stops(self) -> Option<u32> {
        match self {
            Ample::Stops(stops) => Some(stops),
            Ample::No | Ample::Missed => None,
        }
    }
}

/// The number of hits of a point whose last hit is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Total {
    /// No run has counted them yet.
    #[default]
    Unknown,
    /// That of the previous run.
    Counted(u64),
    /// The next run stops at all of them: the VM cannot count them, or no two runs agree.
    Uncountable,
}

/// A point with numbered hits, in a nondeterministic program.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberedHits {
    /// The number of its last hit in the previous run.
    pub last: Option<u64>,
    /// The number of the last hit within its thread, from before the hits were numbered. If it is small, the
    /// next run stops at all hits.
    pub by_thread: Option<u32>,
    /// Number of runs that did not stop at the last hit.
    pub misses: u32,
}
