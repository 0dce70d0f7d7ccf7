//! The edges of control flow that runs covered, from the report of an agent that noted nothing else.

use super::error::TraceError;
use super::sites::{Method, Site};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use wire::Report;
use wire::recording::Traced;

pub use wire::FlowEdge;

/// An edge of control flow, independent of any run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CoveredEdge {
    /// The class, with dots.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The edge, by code indices.
    pub edge: FlowEdge,
}

/// How many runs covered an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoveringRuns {
    /// Number of runs that passed.
    pub passed: u32,
    /// Number of tests that failed.
    pub failed: u32,
}

/// How many runs covered each edge. A run is that of a program, or of one test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunsCoverage {
    /// Number of runs that passed.
    pub passed: u32,
    /// Number of tests among them; the others are runs of a whole program.
    pub tests: u32,
    /// The tests that failed.
    pub failed: Vec<String>,
    /// The edges that any run covered.
    pub edges: HashMap<CoveredEdge, CoveringRuns>,
}

impl RunsCoverage {
    /// Reads the report of a run. Runs that it does not report, since the VM ended too early, are missing.
    ///
    /// # Errors
    /// The file cannot be read, or is no report.
    pub fn read(path: &Path) -> Result<RunsCoverage, TraceError> {
        let bytes = std::fs::read(path).map_err(TraceError::at(path))?;
        let mut known: HashMap<u32, CoveredEdge> = HashMap::new();
        let mut found = RunsCoverage::default();
        for report in wire::reports(&bytes).map_err(TraceError::at(path))? {
            match report {
                Report::Coverable(class) => {
                    let name = class.class.replace('/', ".");
                    for method in class.methods {
                        for (number, edge) in method.edges {
                            let edge = CoveredEdge {
                                class: name.clone(),
                                method: method.name.clone(),
                                descriptor: method.descriptor.clone(),
                                edge,
                            };
                            known.insert(number, edge);
                        }
                    }
                }
                // A program that failed, without tests, tells nothing of single runs.
                Report::Covered(run) if run.passed || run.test.is_some() => {
                    // Two loaders can define one class, whose edges then have two numbers.
                    let edges: HashSet<&CoveredEdge> =
                        run.edges.iter().filter_map(|edge| known.get(edge)).collect();
                    for edge in edges {
                        let runs = found.edges.entry(edge.clone()).or_default();
                        *(if run.passed { &mut runs.passed } else { &mut runs.failed }) += 1;
                    }
                    if run.passed {
                        found.passed += 1;
                        found.tests += u32::from(run.test.is_some());
                    } else {
                        found.failed.extend(run.test);
                    }
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// The runs that covered an edge of a method.
    pub fn covering(&self, method: &Method, edge: FlowEdge) -> CoveringRuns {
        let edge = CoveredEdge {
            class: method.class.to_string(),
            method: method.name.clone(),
            descriptor: method.descriptor.clone(),
            edge,
        };
        self.edges.get(&edge).copied().unwrap_or_default()
    }

    /// Adds other runs.
    pub fn add(&mut self, other: RunsCoverage) {
        self.passed += other.passed;
        self.tests += other.tests;
        self.failed.extend(other.failed);
        for (edge, runs) in other.edges {
            let sum = self.edges.entry(edge).or_default();
            sum.passed += runs.passed;
            sum.failed += runs.failed;
        }
    }
}

impl Site {
    /// The edge of control flow that an event of this site covers: the method's entry, a branch in a
    /// direction, or a handler (JHyde §2.4).
    pub fn flow_edge(&self) -> Option<FlowEdge> {
        match self.what {
            Traced::Enter => Some(FlowEdge::Entry),
            Traced::Branch(to) => Some(FlowEdge::Branch { from: self.bci, to: to.into() }),
            Traced::Catch => Some(FlowEdge::Handler(self.bci)),
            _ => None,
        }
    }
}
