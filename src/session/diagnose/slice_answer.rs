//! The answer that points at a wrong value: calls that have influenced it are asked about first. The others
//! follow, because a call that should have written the value, and did not, has not influenced it.

use super::value_path::Pointing;
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
    /// Somebody says that a call is invalid, and which part of what it left is wrong. Where the run was
    /// recorded with less than everything, it is run again. Why it is not known what has influenced that, if
    /// so: then it is as if nobody had pointed at anything.
    ///
    /// # Errors
    /// The question has no such part, and stays open; the recording cannot be read, or the answer not be
    /// kept.
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

    /// Takes the answer, with the calls that have influenced the value: why these are not known, if so.
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

    /// The calls below one that have influenced a part of what it left; else why that is not known.
    ///
    /// # Errors
    /// The question has no such part, the recording cannot be read, or somebody has interrupted it.
    pub async fn influential(
        &mut self,
        question: &Question,
        path: &str,
        context: &Context,
    ) -> Result<Result<BTreeSet<u32>, String>, SessionError> {
        if question.part.is_some() {
            return Ok(Err("it was said of a loop".to_owned()));
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
            return Ok(Err("what other threads have done meanwhile was not recorded".to_owned()));
        }
        self.fields.forget();
        let found = found(&mut later.calls, &mut self.fields, question, path, is_whole, context).await;
        self.fields.forget();
        found
    }
}

/// The same, of a recording that tells all of the call.
async fn found(
    calls: &mut Calls,
    fields: &mut Fields,
    question: &Question,
    path: &str,
    is_whole: bool,
    context: &Context,
) -> Result<Result<BTreeSet<u32>, String>, SessionError> {
    let node = calls.own(question.node);
    let Some(targets) = (Pointing { calls, node, fields, question }).targets(path)? else {
        return Ok(Err("too much hangs on it".to_owned()));
    };
    let found =
        influential(calls, node, fields.pool(), &targets, is_whole, &|| context.is_interrupted()).await?;
    let shown = |found: BTreeSet<u32>| found.into_iter().map(|call| calls.shown(call)).collect();
    Ok(found.map(shown).map_err(|Lost(why)| why.to_owned()))
}
