//! The answer that points at a wrong value. The calls that influenced the value are asked about first. The
//! others follow, because a call that omitted a write has not influenced the value.

use super::value_path::PathResolver;
use super::{Diagnoser, Judgement, Question};
use crate::declarative::Verdict;
use crate::inspect::fields::Fields;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::recorded::detail;
use crate::slice::{Lost, influential};
use crate::trace::{Calls, Level};
use std::collections::BTreeSet;

impl Diagnoser {
    /// Takes the answer that a call is invalid because a part of its outcome is wrong. If the recording has
    /// not everything, the program is run again. Returns the reason if no slice can be computed: then the
    /// answer counts as `invalid`.
    ///
    /// # Errors
    /// The question has no such part; then it stays open. Or the recording cannot be read, or the answer
    /// cannot be kept.
    pub async fn wrong(
        &mut self,
        question: &Question,
        path: &str,
        context: &Context,
    ) -> Result<Option<String>, SessionError> {
        let found = self.influential(question, path, context).await?;
        self.asked.push((question.at, question.clone()));
        let why = self.take_wrong(question.at, found);
        self.kept.keep(question, Judgement::Invalid, Some(path))?;
        Ok(why)
    }

    /// Takes the answer, with the calls that influenced the value. Returns the reason if these are not known.
    pub(super) fn take_wrong(&mut self, node: u32, found: Result<BTreeSet<u32>, String>) -> Option<String> {
        let (verdict, why) = match found {
            Ok(influential) => {
                (Verdict::Wrong(self.nodes.with_parts(self.nodes.call(node), influential)), None)
            }
            Err(why) => (Verdict::Invalid, Some(why)),
        };
        self.diagnosis.answer(node, verdict);
        why
    }

    /// The calls below the call in question that influenced a part of its outcome, or else the reason why
    /// they are not known.
    ///
    /// # Errors
    /// The question has no such part, the recording cannot be read, or the user interrupted the work.
    pub async fn influential(
        &mut self,
        question: &Question,
        path: &str,
        context: &Context,
    ) -> Result<Result<BTreeSet<u32>, String>, SessionError> {
        if question.part.is_some() {
            return Ok(Err("the answer is about a loop".to_owned()));
        }
        let node = self.trace.calls.own(question.node);
        let about = &self.trace.about;
        let is_whole = about.scope.is_empty() && about.trust.is_empty() && about.places.is_none();
        let outermost = self.outermost(node);
        let later = detail(&mut self.trace, outermost, Level::All, context).await?;
        let Some(mut later) = later else {
            let calls = &mut self.trace.calls;
            return found(calls, &mut self.fields, question, path, is_whole, context).await;
        };
        if self.trace.calls.threads().len() > 1 {
            return Ok(Err("what other threads did meanwhile was not recorded".to_owned()));
        }
        self.fields.forget();
        let found = found(&mut later.calls, &mut self.fields, question, path, is_whole, context).await;
        self.fields.forget();
        found
    }
}

/// Computes the same from a recording with all events of the call.
async fn found(
    calls: &mut Calls,
    fields: &mut Fields,
    question: &Question,
    path: &str,
    is_whole: bool,
    context: &Context,
) -> Result<Result<BTreeSet<u32>, String>, SessionError> {
    let node = calls.own(question.node);
    let Some(targets) = (PathResolver { calls, node, fields, question }).targets(path)? else {
        return Ok(Err("too many values are reachable from it".to_owned()));
    };
    let found =
        influential(calls, node, fields.pool(), &targets, is_whole, &|| context.is_interrupted()).await?;
    let shown = |found: BTreeSet<u32>| found.into_iter().map(|call| calls.shown(call)).collect();
    Ok(found.map(shown).map_err(|Lost(why)| why.to_owned()))
}
