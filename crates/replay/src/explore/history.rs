//! The answers of earlier runs of a session, and their differences.

use super::Explorer;
use super::arrival::FoundPoint;
use answer::facts::RunFacts;
use answer::{Answer, Difference, Outcome, PointAnswer};
use model::Coordinate;
use query::PointIndex;
use serde::Serialize;
use session::SessionError;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::Duration;

/// Maximum number of stored answers.
const KEPT: usize = 100;

/// A run with an answer.
#[derive(Clone, Debug, Serialize)]
pub struct PastRun {
    /// Number of the last program run that it took.
    pub run: u32,
    /// The reason for the run.
    pub why: String,
    /// Its duration, in seconds.
    pub seconds: f64,
    /// Its overall result.
    pub outcome: Outcome,
    /// Number of located points.
    pub located: usize,
    /// Number of queried points.
    pub points: usize,
    /// The answer.
    #[serde(skip)]
    pub answer: Rc<Answer>,
}

/// A point at which two runs differ.
#[derive(Clone, Debug, Serialize)]
pub struct PointDifference {
    /// Its id.
    pub id: String,
    /// Its question.
    pub question: String,
    /// The differences; `expected` is the earlier run's value.
    pub parts: Vec<Difference>,
}

/// The answers of earlier runs.
#[derive(Default)]
pub(super) struct History {
    pub(super) past: VecDeque<PastRun>,
    /// The located points of the newest run, by position in the chain.
    found: Vec<Option<FoundPoint>>,
    /// Points changed or removed since: the answers to them belong to other questions.
    changed: BTreeSet<String>,
}

impl History {
    pub(super) fn add(
        &mut self,
        run: u32,
        why: &str,
        took: Duration,
        answer: Rc<Answer>,
        run_facts: &RunFacts,
    ) {
        let located = answer.points.iter().filter(|p| p.located).count();
        let (outcome, points, why) = (answer.outcome, answer.points.len(), why.to_owned());
        let seconds = took.as_secs_f64();
        self.past.push_back(PastRun { run, why, seconds, outcome, located, points, answer });
        if self.past.len() > KEPT {
            self.past.pop_front();
        }
        self.changed.clear();
        let found = (0..points)
            .map(|at| FoundPoint::of(run_facts, PointIndex(u16::try_from(at).unwrap_or(u16::MAX))));
        let found: Vec<Option<FoundPoint>> = found.collect();
        if is_cut_off(outcome) {
            // Points that this run did not reach keep their location from the run before.
            self.found.resize(points, None);
            self.found.iter_mut().zip(found).for_each(|(known, new)| *known = new.or(known.take()));
        } else {
            self.found = found;
        }
    }

    /// Where the newest run located a point, if that is still valid.
    pub(super) fn found(&self, at: usize) -> Option<&FoundPoint> {
        self.found.get(at)?.as_ref()
    }

    /// The locations of all points in the newest run. The run can be sent on to any of them.
    pub(super) fn all_found(&self) -> Vec<Coordinate> {
        self.found.iter().flatten().map(|found| found.coordinate.clone()).collect()
    }

    /// Adapts to a changed chain. `places` gives each point's old position, if its answer stays valid.
    pub(super) fn renumber(&mut self, places: &[Option<usize>], changed: impl IntoIterator<Item = String>) {
        let mut before = std::mem::take(&mut self.found);
        let now = |(at, place): (usize, &Option<usize>)| {
            let mut found = before.get_mut((*place)?)?.take()?;
            found.coordinate.query = u16::try_from(at).ok()?;
            Some(found)
        };
        self.found = places.iter().enumerate().map(now).collect();
        self.changed.extend(changed);
    }
}

impl Explorer {
    /// The runs with an answer, oldest first; at most the last hundred.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = &PastRun> {
        self.history.past.iter()
    }

    /// The answer of the newest run that was not cut off, without the points changed since.
    pub fn answer(&self) -> Option<Rc<Answer>> {
        let whole = self.history.past.iter().rev().find(|run| !is_cut_off(run.outcome));
        let answer = whole.or(self.history.past.back()).map(|run| run.answer.clone())?;
        let changed = &self.history.changed;
        if answer.points.iter().all(|p| !changed.contains(&p.id)) {
            return Some(answer);
        }
        let mut rest = (*answer).clone();
        rest.points.retain(|p| !changed.contains(&p.id));
        Some(Rc::new(rest))
    }

    /// The differences between the answers of two runs; by default the last two.
    ///
    /// # Errors
    /// There are no such runs.
    pub fn difference(
        &self,
        runs: Option<(u32, u32)>,
    ) -> Result<(u32, u32, Vec<PointDifference>), SessionError> {
        let past = &self.history.past;
        let of = |wanted: u32| {
            past.iter().find(|r| r.run == wanted).ok_or_else(|| {
                let known = past.iter().map(|r| r.run.to_string()).collect::<Vec<_>>().join(", ");
                SessionError::NoSuchRun { run: wanted, known }
            })
        };
        let (old, new) = match runs {
            Some((old, new)) => (of(old)?, of(new)?),
            None => match (past.iter().nth_back(1), past.back()) {
                (Some(old), Some(new)) => (old, new),
                _ => return Err(SessionError::NothingToCompare),
            },
        };
        Ok((old.run, new.run, differences(&old.answer, &new.answer)))
    }
}

/// Ids of the points with equal answers.
pub(super) fn unchanged(old: &Answer, new: &Answer) -> Vec<String> {
    let differ = differences(old, new);
    let same = new.points.iter().filter(|p| differ.iter().all(|d| d.id != p.id));
    same.map(|p| p.id.clone()).collect()
}

/// Whether the user or the timeout ended the run.
fn is_cut_off(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Interrupted | Outcome::TimedOut)
}

fn differences(old: &Answer, new: &Answer) -> Vec<PointDifference> {
    let mut differences = Vec::new();
    let gone = old.points.iter().filter(|p| new.points.iter().all(|n| n.id != p.id));
    for point in new.points.iter().chain(gone) {
        let of = |answer: &Answer| answer.points.iter().find(|p| p.id == point.id).cloned();
        let parts = match (of(old), of(new)) {
            (Some(before), Some(now)) => parts(&before, &now),
            (before, now) => {
                let word =
                    |p: Option<PointAnswer>| if p.is_some() { "asked" } else { "not asked" }.to_owned();
                vec![Difference { what: "point".to_owned(), expected: word(before), found: Some(word(now)) }]
            }
        };
        if !parts.is_empty() {
            differences.push(PointDifference {
                id: point.id.clone(),
                question: point.question.clone(),
                parts,
            });
        }
    }
    differences
}

/// The differences between two answers to one point.
fn parts(old: &PointAnswer, new: &PointAnswer) -> Vec<Difference> {
    let facts = |p: &PointAnswer| {
        let place = p.located.then(|| match (&p.file, p.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => format!("{}@{}", p.method.as_deref().unwrap_or("?"), p.bci.unwrap_or_default()),
        });
        let own = [
            ("question", Some(p.question.clone())),
            ("place", place),
            ("text", p.text.clone()),
            ("thread", p.thread_base.clone()),
            ("owner", p.owner.clone()),
            ("old", p.old.clone()),
            ("new", p.new.clone()),
            ("taken", p.taken.clone()),
            ("result", p.result.clone()),
            ("not located", p.reason.clone()),
        ];
        let own = own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let collected = p.operands.iter().chain(&p.collected).map(|(e, v)| (e.clone(), v.clone()));
        own.chain(collected).collect::<indexmap::IndexMap<String, String>>()
    };
    let (old, new) = (facts(old), facts(new));
    let names: indexmap::IndexSet<&String> = old.keys().chain(new.keys()).collect();
    let differ = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
    differ
        .map(|name| Difference {
            what: name.clone(),
            expected: old.get(name).cloned().unwrap_or_else(|| "nothing".to_owned()),
            found: new.get(name).cloned(),
        })
        .collect()
}
