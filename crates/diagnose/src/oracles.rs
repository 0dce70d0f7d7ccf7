//! Oracles (Shapiro 1982) answer in place of a person: assertions, kept answers of earlier sessions, and a
//! reference, a correct version of the program. The person is asked only what they cannot decide.

use super::question::QuestionSubject;
use super::reference::{AlignedOpinion, AlignedReference};
use super::{Diagnoser, Judgement, LoopPart, Opinion, Question, Reference};
use assertions::{AssertFile, AssertedAnswer, Asserts};
use model::MethodName;
use serde::Serialize;
use session::{Context, SessionError};
use std::collections::HashSet;
use trace::{Calls, Level};

/// Maximum number of calls below a call that the reference judges by values alone.
const MOST_JUDGED: u32 = 10_000;

/// The oracle that answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// An assertion.
    Assertion,
    /// A kept answer.
    Kept,
    /// The reference.
    Reference,
}

/// How sure an answer of the reference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Confidence {
    /// All that the call was given and did was compared.
    #[serde(rename = "equal by value")]
    ByValue,
    /// Some of it is not known: strings behind their recorded beginning, fields that other code wrote, and
    /// what varies from run to run.
    #[serde(rename = "equal as far as known")]
    AsFarAsKnown,
    /// What the call did was not compared: the right version does not make the call with this input.
    #[serde(rename = "not compared")]
    NotCompared,
}

impl Confidence {
    fn of(is_in_part: bool) -> Confidence {
        if is_in_part { Confidence::AsFarAsKnown } else { Confidence::ByValue }
    }
}

/// What an oracle says about a question.
struct Said {
    answer: Judgement,
    by: Oracle,
    why: String,
    /// How sure it is, if it is the reference.
    sure: Option<Confidence>,
}

impl Said {
    fn by_assertion(answer: Judgement, why: String) -> Said {
        Said { answer, by: Oracle::Assertion, why, sure: None }
    }
}

/// An answer that an oracle gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OracleAnswer {
    /// The call.
    pub node: u32,
    /// Its method, as CLASS.METHOD.
    pub method: String,
    /// The loop that the answer is about; `None` for the whole call.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub part: Option<LoopPart>,
    /// The answer.
    pub answer: Judgement,
    /// The oracle.
    #[serde(skip)]
    pub by: Oracle,
    /// How sure it is, if the reference gave it. Where the answer is `invalid`, the input is equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure: Option<Confidence>,
    /// Its reason.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl Diagnoser {
    /// Lets assertions answer from now on. If the run is over, an assertion whose method has no recorded call
    /// is an error. Otherwise [`Diagnoser::unmet`] names its method.
    ///
    /// # Errors
    /// An assertion does not fit the program, or its method has no recorded call.
    pub fn assert_by(&mut self, file: &AssertFile, is_over: bool) -> Result<(), SessionError> {
        let about = &self.trace.about;
        let has_outside = !about.scope.is_empty() || !about.trust.is_empty();
        let asserts = Asserts::new(file, self.fields.pool(), has_outside)?;
        if is_over && about.recorded.is_some() {
            asserts.are_met(file, &self.trace.calls)?;
        }
        self.asserts = Some(asserts);
        self.surveyed.due();
        Ok(())
    }

    /// The methods that have an assertion and no recorded call.
    pub fn unmet(&self) -> Vec<String> {
        self.asserts.as_ref().map_or_else(Vec::new, |asserts| asserts.unmet(&self.trace.calls))
    }

    /// Lets a reference, a correct version of the program, answer from now on. With `runs`, the class path
    /// that stands before the one of the command, the program runs in both versions, and these runs answer
    /// first.
    pub fn ask_first(&mut self, reference: Reference, runs: Option<String>) {
        self.reference = Some(reference);
        self.aligned = runs.map(AlignedReference::Due);
    }

    /// Lets the right version run if that is due, and takes its answer about the call to blame.
    pub(super) async fn blame_by_reference(&mut self, context: &Context) -> Result<(), SessionError> {
        let Some((call, why)) = self.run_reference(context).await? else { return Ok(()) };
        let method = self.trace.calls.method(call);
        let method = method.map_or_else(String::new, trace::Method::shown);
        let (node, answer) = (self.trace.calls.shown(call), Judgement::Invalid);
        self.by_reference += 1;
        let (part, by) = (None, Oracle::Reference);
        let sure = match &self.aligned {
            Some(AlignedReference::Aligned(runs)) => Some(Confidence::of(runs.is_in_part(call))),
            _ => None,
        };
        self.referred.push(OracleAnswer { node, method, part, answer, by, sure, why });
        self.take(self.nodes.of_call(call), Judgement::Invalid);
        Ok(())
    }

    /// The call that the runs of the right version blame.
    pub(super) fn blamed(&self) -> Option<u32> {
        match &self.aligned {
            Some(AlignedReference::Aligned(runs)) => runs.blamed.as_ref().map(|(call, _)| *call),
            _ => None,
        }
    }

    /// The call that the runs of the right version blame for how the program ended.
    pub(super) fn blamed_at_end(&self) -> Option<u32> {
        match &self.aligned {
            Some(AlignedReference::Aligned(runs)) if runs.is_at_end => self.blamed(),
            _ => None,
        }
    }

    /// The calls that may have the bug in place of an invalid call whose method has the same code in the
    /// right version. `None` if the call itself may have it, or if a person has called it invalid.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub(super) fn in_place_of(&mut self, node: u32) -> Result<Option<Vec<u32>>, SessionError> {
        match &self.aligned {
            Some(AlignedReference::Aligned(runs)) if self.asked.iter().all(|(asked, _)| *asked != node) => {
                Ok(runs.in_place_of(&mut self.trace.calls, self.nodes.call(node))?)
            }
            _ => Ok(None),
        }
    }

    /// Takes the answers that oracles gave since the last call of this method.
    pub fn take_referred(&mut self) -> Vec<OracleAnswer> {
        std::mem::take(&mut self.referred)
    }

    /// Lets the oracles answer a question, in this order: a violated assertion, a kept answer, an assertion
    /// that proves the call valid, the reference. Returns whether one answered. If none did, the question
    /// notes why.
    pub(super) async fn answered(
        &mut self,
        node: u32,
        question: &mut Question,
        asserted: Option<AssertedAnswer>,
        context: &Context,
    ) -> Result<bool, SessionError> {
        let (kept, path) = self.kept.answer(question).unzip();
        let mut pointed = None;
        let said = match (asserted, kept) {
            (Some(AssertedAnswer::Invalid(why)), kept) => {
                Said::by_assertion(Judgement::Invalid, against(why, kept))
            }
            (Some(AssertedAnswer::Inadmissible(why)), kept) => {
                Said::by_assertion(Judgement::Inadmissible, against(why, kept))
            }
            (_, Some(answer)) => {
                self.unasked.push((node, question.digest()));
                pointed = path.flatten();
                Said { answer, by: Oracle::Kept, why: String::new(), sure: None }
            }
            (Some(AssertedAnswer::Valid(why)), None) => Said::by_assertion(Judgement::Valid, why),
            (asserted, None) => {
                question.notes.extend(asserted.map(|asserted| asserted.why()));
                let Some(said) = self.said_by_reference(node, question).await? else { return Ok(false) };
                said
            }
        };
        let Said { answer, by, why, sure } = said;
        self.by_assertion.extend(Some(node).filter(|_| by == Oracle::Assertion));
        self.by_reference += usize::from(by == Oracle::Reference);
        let method = question.method_text();
        let part = question.part.clone();
        self.referred.push(OracleAnswer { node: question.node, method, part, answer, by, sure, why });
        let Some(path) = pointed else {
            self.take(node, answer);
            return Ok(true);
        };
        let found = match self.influential(question, &path, context).await {
            // Someone may have edited the answer file, so its path may not exist.
            Err(error @ SessionError::NoPart { .. }) => Err(error.to_string()),
            found => found?,
        };
        self.take_wrong(node, found);
        Ok(true)
    }

    /// What the reference says about a question. If it cannot tell, the question notes why.
    async fn said_by_reference(
        &mut self,
        node: u32,
        question: &mut Question,
    ) -> Result<Option<Said>, SessionError> {
        let call = self.nodes.call(node);
        let aligned = match &self.aligned {
            Some(AlignedReference::Aligned(runs)) if question.part.is_none() => {
                runs.opinion(&self.trace.calls, call)
            }
            _ => None,
        };
        let is_in_part = match &self.aligned {
            Some(AlignedReference::Aligned(runs)) if aligned.is_some() => runs.is_in_part(call),
            _ => question.digest().is_none(),
        };
        let sure = match aligned {
            Some(AlignedOpinion::Inadmissible(_)) => Confidence::NotCompared,
            _ => Confidence::of(is_in_part),
        };
        let opinion = match aligned {
            Some(_) => None,
            None => self.refer(node, question).await?,
        };
        let (answer, why) = match (aligned, opinion) {
            (Some(AlignedOpinion::Valid), _) | (None, Some(Opinion::Valid)) => {
                (Judgement::Valid, String::new())
            }
            (Some(AlignedOpinion::Invalid), _) => (Judgement::Invalid, String::new()),
            (Some(AlignedOpinion::Inadmissible(why)), _) => (Judgement::Inadmissible, why.to_owned()),
            (None, Some(Opinion::Invalid(why))) => (Judgement::Invalid, why),
            (None, Some(Opinion::Unknown(why))) => {
                question.notes.push(format!("the reference cannot tell: {why}"));
                return Ok(None);
            }
            (None, None) => return Ok(None),
        };
        Ok(Some(Said { answer, by: Oracle::Reference, why, sure: Some(sure) }))
    }

    /// The opinion of the reference about a call; `None` without a reference.
    async fn refer(&mut self, node: u32, question: &Question) -> Result<Option<Opinion>, SessionError> {
        // The reference can call methods, but not loops.
        let Some(reference) = self.reference.as_mut().filter(|_| question.part.is_none()) else {
            return Ok(None);
        };
        let (forest, calls) = (self.diagnosis.forest(), &self.trace.calls);
        let tree = forest.tree(node);
        let is_small = tree.end.saturating_sub(tree.start) <= MOST_JUDGED;
        let methods = tree.map(|node| forest.method(node));
        let name_of = |method: u32| {
            let found = calls.sites.method(method)?;
            Some(MethodName::new(&*found.class, found.name.as_str(), found.descriptor.as_str()))
        };
        let is_recorded = |class: &str| calls.sites.methods().iter().any(|method| *method.class == *class);
        let methods: HashSet<u32> = methods.collect();
        let is_pure = is_small && self.purity.of(methods.clone(), &name_of, &is_recorded, self.fields.pool());
        let opinion = reference.judge(question, is_pure).await?;
        if opinion != Opinion::Valid {
            return Ok(Some(opinion));
        }
        if let Some(path) = ungiven_change(calls, question) {
            return Ok(Some(Opinion::Unknown(format!("the call changed {path}, which it is not given"))));
        }
        let unseen = match &self.aligned {
            Some(AlignedReference::Aligned(runs)) => runs.unseen_of(&methods),
            _ => self.unseen_of(&methods)?,
        };
        Ok(Some(match unseen {
            Some(unseen) => {
                Opinion::Unknown(format!("it may have changed {unseen}, whose state is not recorded"))
            }
            None => opinion,
        }))
    }

    /// The question about a node, and the verdict of the assertion about its method. A loop has no verdict.
    ///
    /// # Errors
    /// There is no such call, or it cannot be read. Or the program cannot be run again, or the new run
    /// differs.
    pub async fn look_at(
        &mut self,
        node: u32,
        context: &Context,
    ) -> Result<(Question, Option<AssertedAnswer>), SessionError> {
        let number = u32::try_from(self.diagnosis.answers().len().saturating_sub(self.assumed()))
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        let (remaining, influential) = (self.diagnosis.remaining(), self.diagnosis.influential());
        let bounds = self.options.bounds;
        let wanted = if self.trace.about.level < Level::Writes { Level::All } else { self.trace.about.level };
        let (at, node, has_loops) = (node, self.nodes.call(node), self.nodes.has_loops());
        let whole_node = node;
        let outermost = self.outermost(node);
        let mut later = self.in_detail(outermost, wanted, context).await?;
        let fields = &mut self.fields;
        if let Some(asserts) = &mut self.asserts {
            asserts.look_at(&self.trace.calls, fields.pool());
        }
        let is_later = later.is_some();
        // A partial recording does not show the writes of other threads.
        let has_others = self.trace.calls.threads().len() > 1;
        let is_part = self.trace.about.is_whole().is_err() || is_later && has_others;
        // Only a complete recording has loops, and it needs no second run.
        let part = self.nodes.part(at).filter(|_| !is_later);
        let part = part.map(|part| (part, self.nodes.loop_of(part)));
        let (calls, node) = match &mut later {
            None => (&mut self.trace.calls, node),
            Some(later) => {
                fields.forget();
                let node = later.calls.own(node);
                (&mut later.calls, node)
            }
        };
        let asserted = match &self.asserts {
            Some(asserts) if part.is_none() => asserts.judge(calls, node, fields, is_part).await?,
            _ => None,
        };
        let question = QuestionSubject { calls, node, part, until: None, known: None, fields, bounds }
            .question(number, remaining, influential);
        if is_later {
            fields.forget();
        }
        self.later = later.map(|later| (outermost, later)).or(self.later.take());
        // The first run recorded all threads. Its arguments and results alone may decide what the second
        // recording, of one thread, leaves open.
        let asserted = match (&self.asserts, asserted) {
            (Some(asserts), Some(AssertedAnswer::Unknown(why))) if is_later => {
                let of_whole = asserts.judge(&mut self.trace.calls, whole_node, fields, false).await?;
                of_whole
                    .filter(|asserted| !matches!(asserted, AssertedAnswer::Unknown(_)))
                    .or(Some(AssertedAnswer::Unknown(why)))
            }
            (_, asserted) => asserted,
        };
        let part = self.nodes.shown_part(at).filter(|_| !is_later);
        let run = self.run_around(at).len();
        let mut question = Question { part, at, run, has_loops: has_loops && !is_later, ..question? };
        if !is_later {
            self.order_by_use(&mut question)?;
        }
        Ok((question, asserted))
    }

    /// Number of answers that assertions gave.
    pub fn by_assertion(&self) -> usize {
        self.by_assertion.len()
    }

    /// Number of answers that the reference gave.
    pub fn by_reference(&self) -> usize {
        self.by_reference
    }
}

/// A change of a call to something that only a static field leads to which the right version is not given:
/// fields that are never written again after their class was initialised, such as final ones.
fn ungiven_change<'a>(calls: &Calls, question: &'a Question) -> Option<&'a str> {
    let begins = |path: &str, root: &str| {
        path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '{']))
    };
    let is_ungiven = |path: &str| {
        let mut fields = calls.fields().iter();
        fields.any(|(class, name)| begins(path, &format!("{class}.{name}")))
            && !question.entry.keys().any(|given| begins(path, given))
    };
    let changes = question.changed.iter().filter(|change| !change.by_initialiser);
    changes.map(|change| change.path.as_str()).find(|path| is_ungiven(path))
}

/// The reason of an assertion, with a note if a kept answer contradicts it.
fn against(why: String, kept: Option<Judgement>) -> String {
    match kept {
        None | Some(Judgement::Invalid | Judgement::Inadmissible) => why,
        Some(_) => format!("{why} (a kept answer says otherwise)"),
    }
}
