//! Evaluates all assertions before the first question. A call that violates its assertion and has no
//! violating call below it is an *innermost violation*: the search begins there.

use super::Diagnoser;
use assertions::AssertedAnswer;
use serde::Serialize;
use session::{Context, SessionError};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use trace::{Calls, EventTime, Level, TraceError};

/// Time limit for the evaluation, so that the first question comes soon.
const LONGEST: Duration = Duration::from_millis(1_000);
/// Number of calls that are evaluated regardless of the time limit.
const LEAST: usize = 1_000;
/// Maximum number of calls whose assertions are evaluated before the first question.
const MOST: usize = 1_000_000;
/// Number of calls after which other tasks get a turn and an interruption is noticed.
const PAUSE: usize = 256;
/// Maximum number of innermost violations of a thread that are named.
const NAMED: usize = 8;
/// Maximum number of threads whose innermost violations are compared in time.
const THREADS: usize = 512;

/// A call that violates its assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The call.
    pub node: u32,
    /// Its method, as CLASS.METHOD.
    pub method: String,
}

/// The result of evaluating all assertions before the first question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// Number of calls whose assertions were evaluated.
    pub evaluated: usize,
    /// Number of calls that violate their assertion.
    pub violated: usize,
    /// Number of violating calls without a violating call below them.
    pub innermost: usize,
    /// The first innermost violations, in the order in which they ended. The search begins at the first one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<Violation>,
    /// Number of calls whose assertions were not evaluated.
    pub not_evaluated: usize,
    /// The reason why they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Survey {
    /// Whether to show the result: there are several places to search, or it is incomplete.
    fn tells(&self) -> bool {
        self.innermost > 1 || self.not_evaluated > 0
    }
}

/// The progress of the evaluation.
#[derive(Default)]
pub(super) struct SurveyProgress {
    /// Whether the recording has calls that were not evaluated yet.
    is_due: bool,
    /// The evaluated calls, by thread and position in the thread. Node numbers change while the run goes on.
    known: HashSet<(u32, u32)>,
    /// The result that was not yet shown.
    unshown: Option<Survey>,
    /// Whether a violation was found, at which the search begins.
    has_begun: bool,
}

impl SurveyProgress {
    /// Marks that the assertions have changed: all calls are evaluated again.
    pub(super) fn again(&mut self) {
        self.known.clear();
        (self.is_due, self.has_begun) = (true, false);
    }

    /// Marks that there may be new calls to evaluate.
    pub(super) fn due(&mut self) {
        self.is_due = !self.has_begun;
    }
}

/// The innermost violations of a thread, in the order in which they ended.
#[derive(Default)]
struct Innermost {
    first: Vec<u32>,
    count: usize,
    violated: usize,
    last: Option<u32>,
}

impl Innermost {
    /// Adds the next violating call in the order of exits, with its number of descendants.
    fn add(&mut self, node: u32, below: u32) {
        let end = node.saturating_add(below);
        // The calls below this one have ended right before it.
        let is_innermost = !self.last.is_some_and(|last| (node..=end).contains(&last));
        self.last = Some(node);
        self.violated += 1;
        self.count += usize::from(is_innermost);
        if is_innermost && self.first.len() < NAMED {
            self.first.push(node);
        }
    }
}

/// The calls in the order in which they ended.
fn in_time(nodes: Vec<u32>, calls: &mut Calls) -> Result<Vec<u32>, TraceError> {
    let mut in_time: Vec<(EventTime, u32)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        in_time.push((calls.span(node)?.1, node));
    }
    in_time.sort_unstable();
    Ok(in_time.into_iter().map(|(_, node)| node).collect())
}

impl Diagnoser {
    /// Returns the result of the evaluation once, if it is worth showing.
    pub fn take_survey(&mut self) -> Option<Survey> {
        self.surveyed.unshown.take()
    }

    /// Evaluates the assertions of newly recorded calls. Returns the innermost violation that ended first.
    ///
    /// # Errors
    /// The recording cannot be read, or the user interrupted the evaluation.
    pub(super) async fn innermost_violation(
        &mut self,
        context: &Context,
    ) -> Result<Option<u32>, SessionError> {
        if !std::mem::take(&mut self.surveyed.is_due) || self.asserts.is_none() {
            return Ok(None);
        }
        let (survey, begins) = self.survey(context).await?;
        self.surveyed.has_begun = begins.is_some();
        self.surveyed.unshown = Some(survey).filter(Survey::tells);
        Ok(begins.map(|call| self.nodes.of_call(call)))
    }

    async fn survey(&mut self, context: &Context) -> Result<(Survey, Option<u32>), SessionError> {
        let mut survey = Survey::default();
        let threads = self.asserted();
        let all: usize = threads.iter().map(|(_, calls)| calls.len()).sum();
        let level = self.trace.about.level;
        if self.trace.about.is_whole().is_err() {
            let why = "only a part of the run was recorded: record it with --level all".to_owned();
            return Ok((Survey { not_evaluated: all, why: Some(why).filter(|_| all > 0), ..survey }, None));
        }
        let Some(asserts) = &mut self.asserts else { return Ok((survey, None)) };
        let (calls, fields) = (&mut self.trace.calls, &mut self.fields);
        asserts.look_at(calls, fields.pool());
        let unseen = asserts.unseen(calls, fields.pool());
        let began = Instant::now();
        let (mut found, mut looked_at, mut too_long) = (Vec::new(), 0_usize, false);
        for (thread, nodes) in threads {
            let mut innermost = Innermost::default();
            let first = calls.of_thread(thread).start;
            for node in nodes {
                too_long = too_long || looked_at >= LEAST && began.elapsed() > LONGEST;
                if too_long || self.surveyed.known.len() >= MOST {
                    break;
                }
                looked_at += 1;
                if looked_at.is_multiple_of(PAUSE) {
                    tokio::task::yield_now().await;
                    if context.is_interrupted() {
                        return Err(SessionError::Interrupted);
                    }
                }
                match asserts.judge_with(&unseen, calls, node, fields).await? {
                    // A recording with more detail would decide.
                    Some(AssertedAnswer::Unknown(_)) if level < Level::Writes => continue,
                    Some(AssertedAnswer::Invalid(_)) => innermost.add(node, calls.below(node)),
                    _ => drop(self.surveyed.known.insert((thread, node.saturating_sub(first)))),
                }
                survey.evaluated += 1;
            }
            survey.violated += innermost.violated;
            survey.innermost += innermost.count;
            if found.len() < THREADS * NAMED {
                found.extend(innermost.first);
            }
        }
        survey.not_evaluated = all - survey.evaluated;
        if survey.not_evaluated > 0 {
            survey.why = Some(if too_long {
                format!("the evaluation took longer than {} s", LONGEST.as_secs())
            } else if looked_at < all {
                format!("no more than {MOST} calls are evaluated before the first question")
            } else {
                format!("the run was recorded at level {level}: record it with --level all")
            });
        }
        let in_time = in_time(found, calls)?;
        let named = |node: u32| Violation {
            node,
            method: calls.method(node).map(trace::Method::shown).unwrap_or_default(),
        };
        survey.first = in_time.iter().take(NAMED).map(|node| named(*node)).collect();
        Ok((survey, in_time.first().copied()))
    }

    /// By thread, the calls that have an assertion and can be judged, in the order in which they ended.
    fn asserted(&self) -> Vec<(u32, Vec<u32>)> {
        let Some(asserts) = &self.asserts else { return Vec::new() };
        let (calls, known) = (&self.trace.calls, &self.surveyed.known);
        let (forest, suspects) = (self.diagnosis.forest(), self.diagnosis.situation().suspects);
        let can_be_judged = |call: u32| {
            let node = self.nodes.of_call(call);
            forest.has_ended(node) && suspects.holds(forest, node) && !suspects.is_answered(node)
        };
        let methods = asserts.methods(calls);
        let mut found = Vec::new();
        for (thread, ..) in calls.threads() {
            let first = calls.of_thread(thread).start;
            let of_methods = methods.iter().flat_map(|method| calls.of_method(*method, thread));
            let is_new = |call: &u32| !known.contains(&(thread, call.saturating_sub(first)));
            let mut own: Vec<u32> = of_methods.filter(is_new).filter(|call| can_be_judged(*call)).collect();
            // A call ends after the calls below it.
            own.sort_unstable_by_key(|call| (call.saturating_add(calls.below(*call)), Reverse(*call)));
            if !own.is_empty() {
                found.push((thread, own));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_is_innermost_where_none_of_the_calls_below_it_is_one() {
        // 0 calls 1, which calls 2; 0 calls 3, which calls 4 and 5. They end as 2 1 4 5 3 0; 1, 2, 3 and 5
        // violate.
        let mut innermost = Innermost::default();
        for (node, below) in [(2, 0), (1, 1), (5, 0), (3, 2)] {
            innermost.add(node, below);
        }
        assert_eq!((innermost.first, innermost.count, innermost.violated), (vec![2, 5], 2, 4));
    }
}
