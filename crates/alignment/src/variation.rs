//! What differs between runs of the same version: time, random numbers, races of threads. It says nothing
//! about the versions, so it is not compared.

use super::heap::Place;
use super::steps::{StepKind, StepOrigin};
use foldhash::fast::FixedState;
use indexmap::IndexMap;

/// Number of steps whose values are kept as text.
const NAMED: usize = 1000;

/// A step whose values or presence vary.
#[derive(Clone, Debug, PartialEq)]
pub struct VariedStep {
    /// The call, a node of the first run.
    pub node: u32,
    /// What happened in the step; `None` for the calls of a call or thread, from one on.
    pub kind: Option<StepKind>,
    /// The place that it wrote, if any.
    pub place: Option<Place>,
    /// Whether there are texts of it. Only the first steps have them.
    pub is_named: bool,
    /// The place, result or exception that varies.
    pub what: Option<String>,
    /// Texts of some of its values, from both runs.
    pub values: Vec<String>,
}

/// The steps of a run that vary, by call and index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variation {
    steps: IndexMap<StepOrigin, VariedStep, FixedState>,
    /// Groups of threads that do not run in the same number every time, by name.
    pub threads: Vec<String>,
}

impl Variation {
    /// Whether nothing varies.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.threads.is_empty()
    }

    /// Number of steps and groups of threads that vary.
    pub fn count(&self) -> usize {
        self.steps.len() + self.threads.len()
    }

    /// Whether the next step gets texts.
    pub fn names_next(&self) -> bool {
        self.steps.len() < NAMED
    }

    /// Whether the step with this origin varies.
    pub fn has(&self, origin: StepOrigin) -> bool {
        self.steps.contains_key(&origin)
    }

    /// Adds a step.
    pub fn add(&mut self, origin: StepOrigin, step: VariedStep) {
        self.steps.entry(origin).or_insert(step);
    }

    /// Adds a group of threads.
    pub fn add_threads(&mut self, name: &str) {
        if !self.threads.iter().any(|known| known == name) {
            self.threads.push(name.to_owned());
        }
    }

    /// Adds what varies in another comparison.
    pub fn extend(&mut self, other: Variation) {
        for (origin, step) in other.steps {
            self.add(origin, step);
        }
        other.threads.iter().for_each(|name| self.add_threads(name));
    }

    /// The steps that vary, in the order in which they were found.
    pub fn steps(&self) -> impl Iterator<Item = &VariedStep> {
        self.steps.values()
    }
}
