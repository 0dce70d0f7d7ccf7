//! The answer that points at a wrong value. The calls that influenced the value are asked about first. The
//! others follow, because a call that omitted a write has not influenced the value.

use super::assertion_site::AssertionSite;
use super::value_path::{PathResolver, reachable};
use super::{Diagnoser, Judgement, Question};
use classes::{CodeOwner, is_pattern_of_harness};
use declarative::Verdict;
use past::fields::Fields;
use session::{Context, SessionError};
use slice::{FailedAssertion, Lost, PartUses, Sliced, Target};
use std::collections::BTreeSet;
use trace::{Calls, Level};

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
        Ok(self.sliced(question.node, WrongPart::Path(question, path), context).await?.calls)
    }

    /// The calls below a call that influenced what is wrong about it. If the recording has not everything,
    /// the program is run again.
    ///
    /// # Errors
    /// The question has no such part, the recording cannot be read, the program cannot be run again, or the
    /// user interrupted the work.
    pub(super) async fn sliced(
        &mut self,
        node: u32,
        part: WrongPart<'_>,
        context: &Context,
    ) -> Result<SlicedPart, SessionError> {
        let node = self.trace.calls.own(node);
        let is_whole = self.records_own_code();
        let outermost = self.outermost(node);
        let later = self.in_detail(outermost, Level::All, context).await?;
        let Some(mut later) = later else {
            return found(&mut self.trace.calls, &mut self.fields, node, part, is_whole, context).await;
        };
        if self.trace.calls.threads().len() > 1 {
            self.keep_detail(outermost, Some(later));
            return Ok(SlicedPart::lost("what other threads did meanwhile was not recorded"));
        }
        self.fields.forget();
        let found = found(&mut later.calls, &mut self.fields, node, part, is_whole, context).await;
        self.fields.forget();
        self.keep_detail(outermost, Some(later));
        // Objects have other numbers in another run.
        found.map(|found| SlicedPart { uses: None, ..found })
    }

    /// Whether all writes to fields of the user's own code were recorded, from the beginning of the run on.
    /// Harnesses and libraries write to them by reflection at most.
    fn records_own_code(&self) -> bool {
        let about = &self.trace.about;
        let is_foreign = |pattern: &String| {
            let pool = self.fields.pool();
            is_pattern_of_harness(pattern)
                || about.whose_code.is_some()
                    && pool.is_some_and(|pool| pool.owner_of(pattern) == CodeOwner::Library)
        };
        let is_of_owner = about.scope.is_empty() || about.whose_code.is_some();
        about.places.is_none() && is_of_owner && about.trust.iter().all(is_foreign)
    }
}

/// What is wrong about a call.
#[derive(Clone, Copy)]
pub(super) enum WrongPart<'a> {
    /// The value at a path of a question.
    Path(&'a Question, &'a str),
    /// Its result, or the exception that left it.
    Exit,
    /// The value that a failed assertion examined. The assertion was called by this call, which is the call
    /// itself or one below it.
    Asserted(u32),
}

/// The slice of what is wrong.
pub(super) struct SlicedPart {
    /// The calls that influenced it, or why they are not known.
    pub calls: Result<BTreeSet<u32>, String>,
    /// The failed assertion, if there is one.
    pub assertion: Option<FailedAssertion>,
    /// When fields and elements were read on the way to it, in the recording of the diagnosis; `None` if that
    /// is not known.
    pub uses: Option<PartUses>,
}

impl SlicedPart {
    pub fn lost(why: &str) -> SlicedPart {
        SlicedPart { calls: Err(why.to_owned()), assertion: None, uses: None }
    }
}

/// Computes the slice from a recording with all events of the call.
async fn found(
    calls: &mut Calls,
    fields: &mut Fields,
    node: u32,
    part: WrongPart<'_>,
    is_whole: bool,
    context: &Context,
) -> Result<SlicedPart, SessionError> {
    let node = calls.own(node);
    let too_many = "too many values are reachable from it";
    let (asserting, mut targets) = match part {
        WrongPart::Path(question, path) => {
            let resolver = PathResolver { calls, node, fields, question };
            let Some(targets) = resolver.targets(path)? else { return Ok(SlicedPart::lost(too_many)) };
            (None, targets)
        }
        WrongPart::Exit => (None, vec![Target::Exit]),
        WrongPart::Asserted(call) => (Some(calls.own(call)), Vec::new()),
    };
    let is_stopped = || context.is_interrupted();
    let sliced = Sliced::new(calls, node, asserting, fields.pool(), is_whole, &is_stopped).await?;
    let mut sliced = match sliced {
        Ok(sliced) => sliced,
        Err(Lost(why)) => return Ok(SlicedPart::lost(why)),
    };
    let assertion = sliced.failed_assertion();
    if let (Some(call), Some(assertion)) = (asserting, assertion) {
        let site = calls
            .method(call)
            .zip(fields.pool())
            .and_then(|(method, pool)| AssertionSite::of(pool, method, assertion));
        targets = match assertion.value {
            // What led to the assertion includes what it can have read.
            None if site.is_none_or(|site| site.has_parts) => vec![Target::Exit],
            None => vec![Target::Asserted],
            Some(value) => {
                let ends = calls.span(node)?.1;
                let Some(parts) = reachable(calls, fields, value, ends)? else {
                    return Ok(SlicedPart { assertion: Some(assertion), ..SlicedPart::lost(too_many) });
                };
                [vec![Target::Asserted], parts].concat()
            }
        };
    }
    let shown = |found: BTreeSet<u32>| found.into_iter().map(|call| calls.shown(call)).collect();
    let (found, uses) = match sliced.slice(&targets) {
        Ok(slice) => (Ok(shown(slice.calls)), slice.uses),
        Err(Lost(why)) => (Err(why.to_owned()), None),
    };
    Ok(SlicedPart { calls: found, assertion, uses })
}
