//! The facts from which an answer is built.

use crate::facts::RunFacts;
use chain::Chain;
use classes::SourceRoots;
use program::code_book::CodeBook;
use query::PointIndex;

/// The facts from which an answer is built.
#[derive(Clone, Copy)]
pub struct AnswerFacts<'a> {
    /// Name of the chain.
    pub name: &'a str,
    /// The chain.
    pub chain: &'a Chain,
    /// The sources.
    pub sources: &'a SourceRoots,
    /// Number of runs.
    pub runs: u32,
    /// Whether text shows all frames of stacks.
    pub all_frames: bool,
    /// The last run.
    pub run_facts: &'a RunFacts,
}

impl<'a> AnswerFacts<'a> {
    /// The id of a point.
    pub fn id(&self, point: PointIndex) -> String {
        self.chain.points.get(usize::from(point.0)).map_or_else(|| "?".to_owned(), |p| p.id.clone())
    }

    /// The code of the run.
    pub fn code_book(&self) -> CodeBook<'a> {
        CodeBook { pool: &self.run_facts.pool, sources: self.sources }
    }
}
