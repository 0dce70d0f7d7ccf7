//! `omissions`: what should have happened to an object and did not.

use super::bench::Bench;
use super::board::Balloon;
use super::found_omissions::{FoundOmissions, OmissionsShown};
use super::selected::Selected;
use super::{Request, Works, usage};
use command::CommandError;
use omission::{
    Limits as OmissionLimits, OmissionAnswer, OmissionQuestion, TriedSuggestion, WITHIN,
    Wanted as WantedOutcome, WrongPoint,
};
use serde::Deserialize;
use session::Context;

/// Arguments of `omissions`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindOmissions {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The event at which the object is wrong.
    pub event: Option<u64>,
    /// A variable there, or an object as the page shows it: `s`, `ArrayList@6`.
    pub what: String,
    /// Whether the field that `what` names should have been written.
    #[serde(default)]
    pub field: bool,
    /// Most calls between a jump and an operation.
    pub within: Option<usize>,
    /// Whether operations that only read the object are shown.
    #[serde(default)]
    pub reads: bool,
    /// Whether further turns of loops that ended are shown.
    #[serde(default)]
    pub loops: bool,
    /// Methods whose operations are hidden.
    #[serde(default)]
    pub hide: Vec<String>,
}

impl Request for FindOmissions {
    type Reply = OmissionsShown;

    const NAME: &'static str = "omissions";
}

impl Works for FindOmissions {
    async fn work(self, bench: &mut Bench, context: &Context) -> Result<OmissionsShown, CommandError> {
        let at = Selected { trace: self.trace, call: self.call, event: self.event };
        let what = self.what.trim();
        if what.is_empty() {
            return usage("name a variable or an object");
        }
        let mut recording = bench.own_recording(self.trace, context).await?;
        let point = match self.event {
            None => WrongPoint::Call(self.call),
            Some(_) => WrongPoint::Event(recording.position_after(at.selection())?),
        };
        let question = OmissionQuestion {
            is_object: what.contains('@') && !what.contains('.') && !what.contains('['),
            of_field: self.field,
            limits: OmissionLimits {
                within: self.within.unwrap_or(WITHIN).min(100),
                reads: self.reads,
                loops: self.loops,
            },
            hide: self.hide.clone(),
            ..OmissionQuestion::new(what, point)
        };
        let trace = bench.own_trace(self.trace, context).await?;
        let answer = Box::pin(omission::ask_omissions(trace, &question, context)).await?;
        let found = FoundOmissions { question, at, answer };
        let balloons = (1..).zip(&found.answer.suggestions).map(|(number, tried)| {
            let pass = &tried.suggestion.pass;
            Balloon { number, call: pass.call, at: pass.at }
        });
        bench.board.shown().balloons = balloons.collect();
        let shown = found.shown(&mut recording)?;
        bench.omissions = Some(found);
        bench.board.changed(&["omissions"]);
        Ok(shown)
    }
}

/// Arguments of `omissions/try`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TryOmission {
    /// The number of the suggestion.
    pub number: usize,
    /// What must hold where the object is wrong: `s.size() > 0`.
    pub want: Option<String>,
}

impl Request for TryOmission {
    type Reply = OmissionsShown;

    const NAME: &'static str = "omissions/try";
}

impl Works for TryOmission {
    async fn work(self, bench: &mut Bench, context: &Context) -> Result<OmissionsShown, CommandError> {
        let Some(found) = bench.omissions.take() else { return usage("ask for omissions first") };
        let tried = Box::pin(bench.tried(&found, &self, context)).await;
        let found = match tried {
            Ok(answer) => FoundOmissions { answer, ..found },
            Err(error) => {
                bench.omissions = Some(found);
                return Err(error);
            }
        };
        let mut recording = bench.own_recording(found.at.trace, context).await?;
        let shown = found.shown(&mut recording);
        bench.omissions = Some(found);
        bench.board.changed(&["omissions"]);
        shown
    }
}

impl Bench {
    /// The answer, with the outcome of a run in which the jump of a suggestion goes the other way.
    async fn tried(
        &self,
        found: &FoundOmissions,
        wanted: &TryOmission,
        context: &Context,
    ) -> Result<OmissionAnswer, CommandError> {
        let Some(index) = wanted.number.checked_sub(1).filter(|at| *at < found.answer.suggestions.len())
        else {
            return usage(format!("there is no suggestion {}", wanted.number));
        };
        if found.question.is_object {
            return usage(
                "an object by its number cannot be found again in another run: ask about the variable that \
                 refers to it, at an event of its line",
            );
        }
        let mut recording = self.own_recording(found.at.trace, context).await?;
        let Some((line, index_of_line)) = recording.line_execution(found.at.selection())? else {
            return usage("another run finds the place by its line, and no line was recorded here");
        };
        let mut trace = self.own_trace(found.at.trace, context).await?;
        trace.allow(context)?;
        let question = OmissionQuestion {
            at: WrongPoint::Line { line, when: None, index: index_of_line },
            wanted: WantedOutcome {
                condition: wanted.want.clone().filter(|want| !want.trim().is_empty()),
                ..WantedOutcome::default()
            },
            confirm: true,
            limit: usize::MAX,
            ..found.question.clone()
        };
        let tried = Box::pin(omission::ask_omissions(trace, &question, context)).await?;
        let meant = &found.answer.suggestions[index].suggestion;
        let is_it = |other: &&TriedSuggestion| {
            other.suggestion.jump.place == meant.jump.place
                && other.suggestion.operation.place == meant.operation.place
        };
        let confirmation = tried.suggestions.iter().find(is_it).and_then(|tried| tried.confirmation.clone());
        let Some(confirmation) = confirmation else {
            let why = tried.reasons.first().or(tried.notes.first()).cloned();
            return usage(why.unwrap_or_else(|| "this suggestion could not be tried".to_owned()));
        };
        let mut answer = found.answer.clone();
        if let Some(suggestion) = answer.suggestions.get_mut(index) {
            suggestion.confirmation = Some(confirmation);
        }
        Ok(answer)
    }
}

/// Arguments of `omissions/clear`.
#[derive(Debug, Deserialize)]
pub struct ClearOmissions {}

impl Request for ClearOmissions {
    type Reply = ();

    const NAME: &'static str = "omissions/clear";
}

impl Works for ClearOmissions {
    async fn work(self, bench: &mut Bench, _context: &Context) -> Result<(), CommandError> {
        bench.omissions = None;
        bench.board.shown().balloons.clear();
        bench.board.changed(&["omissions"]);
        Ok(())
    }
}
