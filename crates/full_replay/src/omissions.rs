//! Answers the points of a chain that ask for omissions.

use super::recording::ChainRecording;
use answer::expectation::compare;
use answer::{Answer, OmittedOperation, Outcome, PointAnswer};
use chain::{Chain, Kind, Point};
use classes::{ClassPool, SourceRoots};
use expr::Reference;
use omission::{Limits, Suggestion};
use omission::{OmissionAnswer, OmissionQuestion, WITHIN, WrongPoint, ask_omissions};
use past::SourceLine;
use program::code_book::around;
use session::workspace::Workspace;
use session::{Context, SessionError};

/// Adds the answers of the points that ask for omissions, each at its place in the chain.
///
/// # Errors
/// The recording cannot be read, or the user interrupted.
pub(super) async fn add(
    answer: &mut Answer,
    chain: &Chain,
    recording: &ChainRecording,
    context: &Context,
) -> Result<(), SessionError> {
    let workspace = Workspace::open(chain, None, None)?;
    let (pool, sources) = (workspace.pool(None)?, workspace.sources());
    for (place, point) in chain.points.iter().enumerate() {
        if !point.at.is_of_recording() {
            continue;
        }
        let mut answered = PointAnswer {
            id: point.id.clone(),
            question: point.question(),
            asked_from: point.refers_to(),
            ..PointAnswer::default()
        };
        match question(chain, answer, point) {
            Ok(question) => {
                match Box::pin(ask_omissions(recording.open(context).await?, &question, context)).await {
                    Ok(omissions) => {
                        fill(&mut answered, point, &omissions);
                        add_source(&mut answered, &pool, &sources);
                    }
                    Err(SessionError::NoStep(why)) => answered.reason = Some(why),
                    Err(error) => return Err(error),
                }
            }
            Err(why) => answered.reason = Some(why),
        }
        answered.expectation = point.expect.as_ref().map(|expect| compare(expect, &answered));
        let is_missing =
            !answered.located && !answered.expectation.as_ref().is_some_and(|expected| expected.held);
        let is_held = answered.expectation.as_ref().is_none_or(|expected| expected.held);
        if answer.outcome == Outcome::Held && (is_missing || !is_held) {
            answer.outcome = if is_missing { Outcome::Unlocated } else { Outcome::Differs };
        }
        answer.points.insert(place.min(answer.points.len()), answered);
    }
    Ok(())
}

/// The points whose answers differ from what is expected, or that have none.
pub(super) fn differing(chain: &Chain, answer: &Answer) -> Vec<String> {
    let of_recording = chain.points.iter().filter(|point| point.at.is_of_recording());
    let differs = |point: &&Point| {
        let answered = answer.points.iter().find(|answered| answered.id == point.id);
        answered.is_none_or(|answered| match &answered.expectation {
            Some(expected) => !expected.held,
            None => !answered.located,
        })
    };
    of_recording.filter(differs).map(|point| point.id.clone()).collect()
}

/// The question of a point. The line is where the run found it, since lines move.
///
/// # Errors
/// The point on which it depends was not located.
pub(super) fn question(chain: &Chain, answer: &Answer, point: &Point) -> Result<OmissionQuestion, String> {
    let Kind::Omitted(reference) = &point.at else { return Err(format!("{} is no `Omitted`", point.id)) };
    let named = Reference::parse(reference).map_err(|error| error.to_string())?;
    let (id, expr) = (named.point.unwrap_or_default(), named.expr);
    let from = chain.points.iter().find(|from| from.id == id);
    let found = answer.points.iter().find(|found| found.id == id).filter(|found| found.located);
    let (Some(from), Some(found)) = (from, found) else { return Err(format!("{id} was not located")) };
    let line = found.own_line.or(found.line);
    let (Some(class), Some(line)) = (&found.class, line) else {
        return Err(format!("{id} has no line"));
    };
    let at = WrongPoint::Line {
        line: SourceLine { class: class.clone(), line },
        when: from.when.clone(),
        index: from.effective_index(),
    };
    // What is expected may be what is hidden otherwise.
    let is_expected = point.expect.is_some();
    let limits = Limits { within: WITHIN, reads: is_expected, loops: is_expected };
    Ok(OmissionQuestion { limits, limit: usize::MAX, ..OmissionQuestion::new(expr.text(), at) })
}

/// The answer of a point: of the suggestions, the first that is expected, or else the first.
fn fill(answered: &mut PointAnswer, point: &Point, omissions: &OmissionAnswer) {
    let with = |suggestion: &Suggestion| {
        let mut filled = answered.clone();
        describe(&mut filled, omissions, suggestion);
        filled
    };
    let mut filled = omissions.suggestions.iter().map(|tried| with(&tried.suggestion));
    let is_expected =
        |filled: &PointAnswer| point.expect.as_ref().is_some_and(|expect| compare(expect, filled).held);
    let chosen = filled.clone().find(is_expected).or_else(|| filled.next());
    match chosen {
        Some(chosen) => *answered = chosen,
        None => {
            let mut why = format!("no omission found for {} at {}", omissions.target, omissions.at);
            for reason in &omissions.reasons {
                why.push_str("; ");
                why.push_str(reason);
            }
            answered.reason = Some(why);
        }
    }
}

/// Adds the source lines of the jump.
fn add_source(answered: &mut PointAnswer, pool: &ClassPool, sources: &SourceRoots) {
    let (Some(class), Some(line)) = (&answered.class, answered.line) else { return };
    let Ok(Some(found)) = pool.find(class) else { return };
    answered.file = found.file.source_file.clone();
    let Some(source) = sources.find(class, answered.file.as_deref(), Some(&found.origin)) else { return };
    answered.text = source.line(line).map(|text| text.trim().to_owned());
    answered.neighbours = around(&source, line);
}

fn describe(answered: &mut PointAnswer, omissions: &OmissionAnswer, suggestion: &Suggestion) {
    let Suggestion { jump, passes, operation, certainty, pass } = suggestion;
    answered.located = true;
    answered.class = Some(jump.place.class.clone());
    answered.method = Some(jump.place.method.clone());
    answered.line = jump.place.line;
    answered.bci = Some(jump.place.pc);
    answered.thread = Some(pass.thread.clone());
    answered.hit = Some(pass.nth + 1);
    answered.condition = jump.text();
    answered.taken = Some(jump.was.clone());
    answered.omitted = Some(OmittedOperation {
        operation: operation.text.clone(),
        class: operation.place.class.clone(),
        line: operation.place.line,
        chain: operation.chain.clone(),
        outcome: jump.outcome(&jump.was),
        certainty: certainty.words().to_owned(),
        target: omissions.target.clone(),
        passes: (passes.missed, passes.all),
        others: omissions.suggestions.len() - 1,
    });
}
