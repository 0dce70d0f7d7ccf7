//! Conditions that a person gives in place of an answer: assertions about the method of the call in question,
//! which from then on answer for all calls of that method.

use super::{Diagnoser, Question};
use assertions::Asserts;
use session::SessionError;

/// A condition that was given as an answer.
pub(super) struct TypedCondition {
    /// The node of the question.
    node: u32,
    /// Number of answers that a person had given before.
    asked: usize,
    /// Number of answers that assertions had given before.
    by_assertion: usize,
}

impl Diagnoser {
    /// Takes a condition as an answer: what all calls of the method in question must ensure. `complete` says
    /// that this is all that they must do. Returns the row that a file of assertions would have.
    ///
    /// # Errors
    /// The condition does not fit the method; then the question stays open.
    pub fn ensure(
        &mut self,
        question: &Question,
        condition: &str,
        complete: bool,
    ) -> Result<String, SessionError> {
        let node = self.nodes.call(question.at);
        let Some(method) = self.trace.calls.method(node) else {
            return Err(SessionError::NoStep(format!("the method of call #{node} is not known")));
        };
        let about = &self.trace.about;
        let has_outside = !about.scope.is_empty() || !about.trust.is_empty();
        let asserts = self.asserts.get_or_insert_with(|| Asserts::none(has_outside));
        let row = asserts.add(method, condition, complete, self.fields.pool())?;
        self.conditions.push(TypedCondition {
            node: question.at,
            asked: self.asked.len(),
            by_assertion: self.by_assertion.len(),
        });
        self.surveyed.again();
        Ok(row)
    }

    /// Takes back the last condition, and what assertions have answered since, if no answer came after it.
    /// Returns the node of its question.
    pub(super) fn take_back_condition(&mut self) -> Option<u32> {
        let last = self.conditions.pop_if(|last| last.asked >= self.asked.len())?;
        if let Some(asserts) = &mut self.asserts {
            asserts.take_back();
        }
        let since = self.by_assertion.split_off(last.by_assertion.min(self.by_assertion.len()));
        self.diagnosis.retract_all(|answered| since.contains(&answered.node));
        self.surveyed.again();
        Some(last.node)
    }
}
