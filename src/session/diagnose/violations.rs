//! Evaluates all assertions before the first question. A call that violates its assertion and has no
//! violating call below it is an *innermost violation*: the search begins there.

use super::{Diagnoser, Told};
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::trace::{EventTime, Level};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Evaluating ends after this time: the first question should come soon.
const LONGEST: Duration = Duration::from_millis(1_000);
/// However long it takes, this number of calls is evaluated.
const LEAST: usize = 1_000;
/// Most calls of which assertions are evaluated before the first question.
const MOST: usize = 1_000_000;
/// After this many calls other tasks have their turn, and an interruption is noticed.
const PAUSE: usize = 256;
/// Most innermost violations of one thread that are named.
const NAMED: usize = 8;
/// Most threads whose innermost violations are compared in time.
const THREADS: usize = 512;

/// A call that violates its assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The call.
    pub node: u32,
    /// Its method, as CLASS.METHOD.
    pub method: String,
}

/// What assertions say of the calls of a run, before the first question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// Number of calls whose assertions were evaluated.
    pub evaluated: usize,
    /// Number of calls that violate their assertion.
    pub violated: usize,
    /// Number of violating calls without a violating call below them.
    pub innermost: usize,
    /// The first of these by the time at which they ended; the search begins at the first one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<Violation>,
    /// Number of calls whose assertions were not evaluated.
    pub not_evaluated: usize,
    /// Why they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Survey {
    /// Whether a person should see it: there is more than one place to search, or not all is known.
    fn tells(&self) -> bool {
        self.innermost > 1 || self.not_evaluated > 0
    }
}

/// How far assertions were evaluated.
#[derive(Default)]
pub(super) struct Surveyed {
    /// Whether calls were recorded that nobody has looked at.
    is_due: bool,
    /// The calls that were evaluated, by thread and place in it: a run that goes on gives calls other
    /// numbers.
    known: HashSet<(u32, u32)>,
    /// What was found, as far as nobody was told.
    told: Option<Survey>,
    /// Whether a call was found at which the search begins.
    has_begun: bool,
}

impl Surveyed {
    /// There are calls to evaluate.
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
    /// The next violating call in the order of ends, with the calls below it.
    fn add(&mut self, node: u32, below: u32) {
        let end = node.saturating_add(below);
        // Calls below this one have ended right before it.
        let is_innermost = !self.last.is_some_and(|last| (node..=end).contains(&last));
        self.last = Some(node);
        self.violated += 1;
        self.count += usize::from(is_innermost);
        if is_innermost && self.first.len() < NAMED {
            self.first.push(node);
        }
    }
}

impl Diagnoser {
    /// What assertions say of all calls, if there is something to tell about that; once.
    pub fn take_survey(&mut self) -> Option<Survey> {
        self.surveyed.told.take()
    }

    /// The innermost violation that ended first, where calls were recorded whose assertions nobody has
    /// evaluated.
    ///
    /// # Errors
    /// The recording cannot be read, or it was interrupted.
    pub(super) async fn innermost_violation(
        &mut self,
        context: &Context,
    ) -> Result<Option<u32>, SessionError> {
        if !std::mem::take(&mut self.surveyed.is_due) || self.asserts.is_none() {
            return Ok(None);
        }
        let (survey, begins) = self.survey(context).await?;
        self.surveyed.has_begun = begins.is_some();
        self.surveyed.told = Some(survey).filter(Survey::tells);
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
                    // A further run would tell.
                    Some(Told::Unknown(_)) if level < Level::Writes => continue,
                    Some(Told::Invalid(_)) => innermost.add(node, calls.below(node)),
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
                format!("that took longer than {} s", LONGEST.as_secs())
            } else if looked_at < all {
                format!("no more than {MOST} calls are evaluated then")
            } else {
                format!("the run was recorded at level {level}: record it with --level all")
            });
        }
        let mut in_time: Vec<(EventTime, u32)> = Vec::with_capacity(found.len());
        for node in found {
            in_time.push((calls.span(node)?.1, node));
        }
        in_time.sort_unstable();
        let named = |node: u32| Violation {
            node,
            method: calls.method(node).map(|m| format!("{}.{}", m.class, m.name)).unwrap_or_default(),
        };
        survey.first = in_time.iter().take(NAMED).map(|(_, node)| named(*node)).collect();
        Ok((survey, in_time.first().map(|(_, node)| *node)))
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
            // A call ends behind those below it.
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
