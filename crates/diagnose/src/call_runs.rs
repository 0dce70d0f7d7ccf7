//! Runs of calls: the calls of one method that one call made, about which one answer can be given.

use super::{Diagnoser, Judgement, Question};
use session::{Context, SessionError};

/// Maximum number of calls of a run.
const MOST: usize = 100;
/// Maximum number of calls before, and of calls after a call, among which those of its run are searched.
const SEARCHED: usize = 10_000;

impl Diagnoser {
    /// The call of a node, and the others of its method that its caller made and that can be asked about too,
    /// in their order. Of many, those that are nearest to it.
    pub(super) fn run_around(&self, node: u32) -> Vec<u32> {
        let calls = &self.trace.calls;
        let call = self.nodes.call(node);
        if self.nodes.has_loops() {
            return vec![call];
        }
        let (method, around) = (calls.method_number(call), calls.parent(call));
        let thread = calls.thread_number(call).map(|thread| calls.of_thread(thread)).unwrap_or_default();
        let situation = self.diagnosis.situation();
        let is_beside = |other: &u32| thread.contains(other) && calls.parent(*other) == around;
        let is_its = |other: &u32| {
            calls.method_number(*other) == method && situation.can_be_asked(self.nodes.of_call(*other))
        };
        let after = |other: &u32| other.checked_add(calls.below(*other))?.checked_add(1).filter(is_beside);
        let before = |other: &u32| {
            let mut at = other.checked_sub(1)?;
            // Climb from the last call of the tree before to its outermost call.
            while calls.parent(at) != around {
                at = calls.parent(at)?;
            }
            Some(at).filter(is_beside)
        };
        let earlier = std::iter::successors(before(&call), before).take(SEARCHED).filter(is_its);
        let mut run: Vec<u32> = earlier.take(MOST / 2).collect();
        run.reverse();
        run.push(call);
        let room = MOST.saturating_sub(run.len());
        run.extend(std::iter::successors(after(&call), after).take(SEARCHED).filter(is_its).take(room));
        run
    }

    /// The questions about the calls of the run around a question, in their order.
    ///
    /// # Errors
    /// A call cannot be read, a run that would record more of it fails, or the user interrupted the work.
    pub async fn run_of(
        &mut self,
        question: &Question,
        context: &Context,
    ) -> Result<Vec<Question>, SessionError> {
        let mut found = Vec::new();
        for call in self.run_around(question.at) {
            if context.is_interrupted() {
                return Err(SessionError::Interrupted);
            }
            found.push(self.question(self.nodes.of_call(call), context).await?);
        }
        Ok(found)
    }

    /// Takes one answer about all calls of a run. [`Diagnoser::undo`] takes it back as one.
    ///
    /// # Errors
    /// The answer cannot be written to the answer file.
    pub fn answer_run(&mut self, run: &[Question], judgement: Judgement) -> Result<(), SessionError> {
        let from = self.asked.len();
        for question in run {
            self.answer(question, judgement)?;
        }
        self.asked_runs.push(from..self.asked.len());
        Ok(())
    }

    /// Number of answers of a person that were about more than one call, beyond one for each.
    pub(super) fn answered_together(&self) -> usize {
        self.asked_runs.iter().map(|run| run.len().saturating_sub(1)).sum()
    }
}
