//! The edges of control flow that a run covers, if the agent notes nothing else.

use serde::{Deserialize, Serialize};

/// The edges of a class whose coverage is noted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverableClass {
    /// Its name, with slashes.
    pub class: String,
    /// Its methods.
    pub methods: Vec<CoverableMethod>,
}

/// The edges of a method whose coverage is noted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverableMethod {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The edges with their numbers, which are valid in this run only.
    pub edges: Vec<(u32, FlowEdge)>,
}

/// An edge of a method's control flow, by code indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FlowEdge {
    /// The method is entered.
    Entry,
    /// A branch continues at a place.
    Branch {
        /// The branch.
        from: u32,
        /// Where execution continues.
        to: u32,
    },
    /// A handler begins.
    Handler(u32),
}

/// What a test covered, or a run without tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredRun {
    /// The test; `None`: the whole run.
    pub test: Option<String>,
    /// Whether the test passed; true for a whole run.
    pub passed: bool,
    /// The numbers of the covered edges, ascending.
    pub edges: Vec<u32>,
}
