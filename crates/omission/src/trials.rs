//! Tries the suggestions of an answer, by running altered code.

use super::agreement::agree;
use super::asked::{OmissionAnswer, OmissionQuestion, TriedSuggestion};
use super::confirm::{Confirmation, FLIPS, FLIPS_AT_OTHERS, Trial, Verdict};
use super::failed_test::failed_test;
use super::flip::{Flip, FlippedPasses, at_one_pass};
use super::learned::learned;
use super::other_passes::{at_other_passes, inverted};
use super::outcome::{Compared, PointOutcome};
use super::point::FoundPoint;
use super::right_version::{self, OwnVersion};
use super::work_copy::WorkPlace;
use crate::analysis::{Jump, JumpKind, JumpPass, Passes, Place, Suggestion};
use chain::{Chain, Debuggee};
use past::Recording;
use recorded::{RecordOptions, RecordedTrace};
use session::workspace::Workspace;
use session::{Context, SessionError};
use std::collections::HashSet;
use trace::{EventTime, Level};

/// Tries the suggestions one after another, the likeliest first, and then those that only read the object. Of
/// these it adds the ones that make the point right.
///
/// # Errors
/// The program may not or cannot be launched, what is compared cannot be read, or the user interrupted.
pub(super) async fn try_all(
    answer: &mut OmissionAnswer,
    mut reads: Vec<TriedSuggestion>,
    trace: &mut RecordedTrace,
    question: &OmissionQuestion,
    found: FoundPoint,
    context: &Context,
) -> Result<(), SessionError> {
    if answer.suggestions.is_empty() && reads.is_empty() {
        return Ok(());
    }
    // A recording of somebody else does not say that its command may run.
    trace.allow(context)?;
    let about = trace.about.clone();
    let debuggee = Debuggee { before_run: question.before_run.clone(), ..trace.program() };
    let workspace = Workspace::open(&Chain::new(debuggee.clone(), Vec::new()), None, None)?;
    let pool = trace.pool()?;
    let point = question.at.again(found);
    let compared = Compared {
        what: Some(&question.what),
        of_field: question.of_field,
        want: question.wanted.condition.as_deref(),
    };
    let before = compared.at(&point, trace)?;
    answer.notes.extend(note_on_condition(question, &before));
    let options = options_of(trace);
    let place = WorkPlace::of(&debuggee, question.in_place)?;
    context.progress().tell(&place.told(&about.cwd));
    let right = match &question.wanted.reference {
        Some(class_path) => {
            context.progress().run_started(1, Some("runs the right version"));
            // Its class files are compared with those of this version, and not with what agents make of them.
            let own = workspace.pool(None)?;
            let own = OwnVersion { debuggee: &debuggee, place: &place, options: &options, pool: &own };
            Some(right_version::at_point(class_path, &own, &point, &compared, &before, context).await?)
        }
        None => None,
    };
    answer.notes.extend(right.as_ref().and_then(|right| note_on_right(right, &before)));
    let failure = if question.wanted.test_passes { failed_test(&mut trace.calls, &pool)? } else { None };
    let recorded = about.recorded.clone().unwrap_or_default();
    let trial = Trial {
        debuggee: &debuggee,
        pool: &pool,
        place: &place,
        options: &options,
        seconds: recorded.seconds,
        bytes: recorded.bytes,
        printed: recorded.printed.unwrap_or_default(),
        point: &point,
        compared: &compared,
        before: &before,
        wanted: &question.wanted,
        failure: failure.as_ref(),
        right: right.as_ref(),
    };
    let at = trace.calls.when_at(found.at)?;
    let known = Vec::new();
    let mut trials = Trials { trial: &trial, point: at, known, runs: 0, most: FLIPS };
    let mut all: Vec<&mut TriedSuggestion> = answer.suggestions.iter_mut().chain(&mut reads).collect();
    // The test itself is right: a jump of it would only keep it from failing.
    all.retain(|of| !question.wanted.test_passes || !pool.is_of_test(&of.suggestion.jump.place.class));
    one_of_each_kind_first(&mut all);
    trials.all(trace, all, context).await?;
    let tried: Vec<Verdict> = trials.known.iter().map(|(.., found)| found.verdict).collect();
    context.progress().done();
    answer.notes.extend(place.changed());
    add_right_reads(answer, reads, &|class| question.wanted.test_passes && pool.is_of_test(class));
    answer.reasons.extend(learned(&tried, question));
    Ok(())
}

/// The options that record the program again as it was recorded, with all events.
fn options_of(trace: &RecordedTrace) -> RecordOptions {
    RecordOptions {
        level: Level::All,
        scope: trace.about.scope.clone(),
        trust: trace.about.trust.clone(),
        memory: trace.memory,
        ..RecordOptions::default()
    }
}

/// What the user should know about the condition that must hold, if it has no value in the recorded run.
fn note_on_condition(question: &OmissionQuestion, before: &PointOutcome) -> Option<String> {
    let (want, why) = (question.wanted.condition.as_ref()?, before.unknown.as_ref()?);
    Some(format!("`{want}` has no value at the point, and the verdicts may not regard it: {why}"))
}

/// What the user should know about the state in the right version; `before` is that of the recorded run.
fn note_on_right(right: &PointOutcome, before: &PointOutcome) -> Option<String> {
    if agree(&before.compared, &right.compared) == Some(true) {
        return Some(format!("the right version has the same value at the point: {}", right.text));
    }
    let why = "parts of the value in the right version are not known, so no run can be called right";
    (!right.is_whole).then(|| why.to_owned())
}

/// Adds the suggestions that only read the object and make the point right, and sorts by what the tries said.
/// Jumps of classes that `is_of_test` names come last.
fn add_right_reads(
    answer: &mut OmissionAnswer,
    mut reads: Vec<TriedSuggestion>,
    is_of_test: &dyn Fn(&str) -> bool,
) {
    // A read behind the jump that a shown suggestion names would say the same again.
    let is_shown = |read: &TriedSuggestion| {
        answer.suggestions.iter().any(|of| of.suggestion.jump == read.suggestion.jump)
    };
    reads.retain(|read| is_right(read) && !is_shown(read));
    answer.hidden -= reads.len().min(answer.hidden);
    answer.suggestions.append(&mut reads);
    answer.suggestions.sort_by_cached_key(|of| {
        let is_of_test = is_of_test(&of.suggestion.jump.place.class);
        (!is_right(of), !is(of, Verdict::FailsLater), !has_changed(of), is_of_test)
    });
}

/// Sorts suggestions for the tries: the first one of each branch, then the others, and then those that only
/// read the object. A `switch` has a suggestion for each of its cases.
fn one_of_each_kind_first(all: &mut [&mut TriedSuggestion]) {
    let mut known: HashSet<(JumpKind, Place)> = HashSet::new();
    all.sort_by_cached_key(|of| {
        let Suggestion { jump, operation, .. } = &of.suggestion;
        (!operation.writes, !known.insert((jump.kind, jump.place.clone())))
    });
}

fn is(of: &TriedSuggestion, verdict: Verdict) -> bool {
    of.confirmation.as_ref().is_some_and(|confirmed| confirmed.verdict == verdict)
}

fn is_right(of: &TriedSuggestion) -> bool {
    is(of, Verdict::Right)
}

/// Whether something else stood at the point when it was tried.
fn has_changed(of: &TriedSuggestion) -> bool {
    let verdict = of.confirmation.as_ref().map(|confirmed| confirmed.verdict);
    matches!(verdict, Some(Verdict::Changed | Verdict::ChangedNotRight | Verdict::FailsLater))
}

/// The trials of an answer.
struct Trials<'t> {
    trial: &'t Trial<'t>,
    /// The time of the point.
    point: EventTime,
    /// What became of a jump, at which several operations can be lost.
    known: Vec<(Jump, JumpPass, Confirmation)>,
    /// Number of runs.
    runs: usize,
    /// Most runs.
    most: usize,
}

impl Trials<'_> {
    /// Tries the suggestions at one pass each, and at other passes if that makes nothing right.
    async fn all(
        &mut self,
        trace: &mut Recording,
        mut all: Vec<&mut TriedSuggestion>,
        context: &Context,
    ) -> Result<(), SessionError> {
        // Runs are kept for the tries at other passes, if a jump has others.
        let has_several = all.iter().any(|of| of.suggestion.passes.missed > 1 || self.can_be_inverted(of));
        let once = if has_several { FLIPS - FLIPS_AT_OTHERS } else { FLIPS };
        self.each_once(trace, &mut all, once, context).await?;
        // At other passes only where the first is not enough, and first where that changed something.
        if !all.iter().any(|of| is_right(of)) {
            let (changed, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|of| has_changed(of));
            all = changed.into_iter().chain(others).collect();
            self.each_inverted(trace, &mut all, context).await?;
        }
        if !all.iter().any(|of| is_right(of)) {
            for suggestion in &mut all {
                if let Some(right) = self.at_others(trace, &suggestion.suggestion, context).await? {
                    suggestion.confirmation = Some(right);
                }
            }
        }
        self.each_once(trace, &mut all, FLIPS, context).await
    }

    /// Tries the suggestions that were not tried yet, each at one pass, until this many runs were made.
    async fn each_once(
        &mut self,
        trace: &mut Recording,
        all: &mut [&mut TriedSuggestion],
        most: usize,
        context: &Context,
    ) -> Result<(), SessionError> {
        self.most = most;
        for of in all.iter_mut().filter(|of| of.confirmation.is_none()) {
            of.confirmation = self.of(trace, &of.suggestion, context).await?;
        }
        self.most = FLIPS;
        Ok(())
    }

    /// Whether the condition of a suggestion went both ways where that matters: before the point, or perhaps
    /// in the rest of the run. Otherwise all passes together are the same.
    fn can_be_inverted(&self, of: &TriedSuggestion) -> bool {
        let Passes { missed, all } = of.suggestion.passes;
        (missed < all || self.trial.wanted.needs_end()) && inverted(&of.suggestion).is_some()
    }

    /// Tries the suggestions with their conditions inverted, until one is right.
    async fn each_inverted(
        &mut self,
        trace: &mut Recording,
        all: &mut [&mut TriedSuggestion],
        context: &Context,
    ) -> Result<(), SessionError> {
        let mut tried: HashSet<Place> = HashSet::new();
        for of in all.iter_mut() {
            // A run that cannot be compared says nothing about the condition either.
            let says_nothing = [Verdict::RunPartedEarlier, Verdict::NotReached, Verdict::NotTried];
            if says_nothing.iter().any(|verdict| is(of, *verdict)) || !self.can_be_inverted(of) {
                continue;
            }
            let Some(flip) =
                inverted(&of.suggestion).filter(|_| tried.insert(of.suggestion.jump.place.clone()))
            else {
                continue;
            };
            let found = self.run(trace, &of.suggestion, &flip, context).await?;
            if let Some(right) = found.filter(|found| found.verdict == Verdict::Right) {
                let Suggestion { jump, pass, .. } = &of.suggestion;
                self.known.push((jump.clone(), pass.clone(), right.clone()));
                of.confirmation = Some(right);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tries a suggestion at one pass; `None` if enough runs were made.
    async fn of(
        &mut self,
        trace: &mut Recording,
        suggestion: &Suggestion,
        context: &Context,
    ) -> Result<Option<Confirmation>, SessionError> {
        let Suggestion { jump, pass, .. } = suggestion;
        if let Some((.., known)) = self.known.iter().find(|(other, at, _)| other == jump && at == pass) {
            return Ok(Some(known.clone()));
        }
        let found = match at_one_pass(suggestion, &mut trace.calls, self.trial.pool)? {
            None => Some(untried(jump.kind)),
            Some(flip) => self.run(trace, suggestion, &flip, context).await?,
        };
        self.known.extend(found.clone().map(|found| (jump.clone(), pass.clone(), found)));
        Ok(found)
    }

    /// Tries a suggestion at other passes, and returns the try that makes the point right.
    async fn at_others(
        &mut self,
        trace: &mut Recording,
        suggestion: &Suggestion,
        context: &Context,
    ) -> Result<Option<Confirmation>, SessionError> {
        let Suggestion { jump, pass, .. } = suggestion;
        let known = self.known.iter().find(|(other, at, _)| other == jump && at == pass);
        let Some((.., known)) = known else { return Ok(None) };
        match known.verdict {
            Verdict::Right => return Ok(Some(known.clone())),
            // A run that cannot be compared says nothing about the other passes either.
            Verdict::RunPartedEarlier | Verdict::NotReached | Verdict::NotTried => return Ok(None),
            _ => {}
        }
        if self.runs >= self.most {
            return Ok(None);
        }
        for flip in at_other_passes(suggestion, self.point, trace)? {
            let tried = self.run(trace, suggestion, &flip, context).await?;
            if let Some(right) = tried.filter(|tried| tried.verdict == Verdict::Right) {
                self.known.retain(|(other, at, _)| other != jump || at != pass);
                self.known.push((jump.clone(), pass.clone(), right.clone()));
                return Ok(Some(right));
            }
        }
        Ok(None)
    }

    async fn run(
        &mut self,
        trace: &mut Recording,
        suggestion: &Suggestion,
        flip: &Flip,
        context: &Context,
    ) -> Result<Option<Confirmation>, SessionError> {
        if self.runs >= self.most {
            return Ok(None);
        }
        self.runs += 1;
        let why = "takes a jump the other way";
        context.progress().run_started(u32::try_from(self.runs).unwrap_or(u32::MAX), Some(why));
        self.trial.of(&mut trace.calls, suggestion, flip, context).await.map(Some)
    }
}

fn untried(kind: JumpKind) -> Confirmation {
    let why = match kind {
        JumpKind::Exception => "no condition of recorded code stands before the throw",
        _ => "the object decides which override runs",
    };
    Confirmation { verdict: Verdict::NotTried, found: why.to_owned(), passes: FlippedPasses::One, flipped: 0 }
}
