//! Sizes and times of an analysis.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Sizes and times of an analysis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Number of reachable methods with code.
    pub methods: usize,
    /// Number of allocations.
    pub allocations: usize,
    /// Number of nodes of the graph.
    pub nodes: usize,
    /// Number of edges of the graph.
    pub edges: usize,
    /// Number of call sites, with those of lambdas.
    pub call_sites: usize,
    /// Number of pairs of a call and a method that it may execute.
    pub call_edges: usize,
    /// How often new members of a node were passed on.
    pub rounds: u64,
    /// Work done, in the unit of [`Limits::steps`](super::Limits::steps).
    pub steps: u64,
    /// Mean number of members of the sets of values in method bodies that have one.
    pub mean_size: f64,
    /// Size of the largest of these sets.
    pub largest_size: usize,
    /// Time to read method bodies.
    pub reading: Duration,
    /// Time to derive constraints from method bodies.
    pub constraining: Duration,
    /// Time to propagate sets, without the other two.
    pub propagating: Duration,
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} methods, {} allocations, {} nodes, {} edges, {} call sites, {} call edges, {} rounds, \
             {} steps, sets of {:.1} on average and at most {}; {} ms reading, {} ms constraining, \
             {} ms propagating",
            self.methods,
            self.allocations,
            self.nodes,
            self.edges,
            self.call_sites,
            self.call_edges,
            self.rounds,
            self.steps,
            self.mean_size,
            self.largest_size,
            self.reading.as_millis(),
            self.constraining.as_millis(),
            self.propagating.as_millis()
        )
    }
}
