//! What an earlier run saw at a point, by which another run finds it and is compared with it (DESIGN §5.14).

use super::{Ran, Standpoint};
use crate::locate::Locator;
use crate::model::{Coordinate, Namer, Occurrence, Site, Tables, Value};
use crate::query::PointIndex;
use crate::session::Difference;
use crate::session::facts::Round;
use crate::session::replay::run_questions::QuestionsCell;
use serde::Serialize;
use std::sync::Arc;

/// A point as a run found it, by what survives a relaunch.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) coordinate: Coordinate,
    /// Its order in that run.
    pub(super) sequence: u64,
    /// The frame that the point is in, counted from the event's: an exception is caught in an older one.
    pub(super) frame: i32,
    /// A write was missed: what was seen later is not what this change made it.
    pub(super) missed_write: bool,
    seen: Seen,
}

/// What is compared on arrival: names and values, since objects have no identity across runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    path: Vec<Site>,
    owner: Option<Arc<str>>,
    old: String,
    /// None where it is known only once the store has been made.
    new: Option<String>,
}

/// A point that a run was sent to and stands at, while it is not known whether it is the answer in this run
/// too.
pub(super) struct Arrived {
    pub(super) point: PointIndex,
    pub(super) id: String,
    pub(super) found: Found,
    /// How what is there differs from what was found.
    pub(super) differences: Vec<Difference>,
    pub(super) asked: QuestionsCell,
    pub(super) edition: u32,
    /// Points that the run stood at before, of which the same is not known yet.
    pub(super) before: Vec<Unsettled>,
}

/// An expected point that one has come from.
pub(super) struct Unsettled {
    pub(super) point: PointIndex,
    pub(super) id: String,
    pub(super) found: Found,
}

/// How sure it is that the program stands at the point it was sent to.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Certainty {
    /// It is the point, in this run too.
    Reached,
    /// It is where the earlier run found the point, and all that can be compared agrees. Whether it is the
    /// answer in this run is known when the point that asks for it is reached.
    Expected {
        /// What the point was in the earlier run: `null → Rec@1`.
        change: Option<String>,
        /// The point that it is asked from, which confirms or withdraws it.
        asked_from: Option<String>,
    },
    /// It is where the earlier run found the point, and something is not as it was.
    Differs {
        /// What.
        differences: Vec<Difference>,
    },
    /// This run did not come to the place.
    Missed {
        /// Where the point is in this run, if it is anywhere: the next `goto` goes there.
        nearest: Option<String>,
    },
}

/// What became of an expected point when the point was reached that asks for it.
#[derive(Clone, Debug, Serialize)]
pub struct Arrival {
    /// Its id.
    pub point: String,
    /// Whether it is the answer in this run too.
    pub confirmed: bool,
    /// Where the point is in this run, if it is elsewhere.
    pub instead: Option<String>,
    /// Whether it is where it was, and yet not the last change: a later write raised no event.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missed_write: bool,
}

/// What came of going to a point.
#[derive(Clone, Debug, Serialize)]
pub struct Gone {
    /// Its id.
    pub id: String,
    /// How sure it is.
    pub certainty: Certainty,
    /// The expected points that one came from and of which it is known by now whether they were the answers.
    pub settled: Vec<Arrival>,
    /// Where the program stands, if it is alive.
    pub standing: Option<Standpoint>,
    /// The answer of the run, where it came to one.
    pub ran: Option<Ran>,
}

impl Found {
    /// A point as a finished run found it.
    pub(super) fn of(round: &Round, point: PointIndex) -> Option<Found> {
        round.located(point)?;
        Found::located(&round.locator, &round.outcome.tables, point)
    }

    /// A point as a run has found it.
    pub(super) fn located(locator: &Locator, tables: &Tables, point: PointIndex) -> Option<Found> {
        let occurrence = &locator.located(point)?.occurrence;
        // An exception's event is where it was thrown, whichever frame the point is in.
        let exception = occurrence.detail.as_ref().and_then(|d| d.exception.as_ref());
        let caught = exception.filter(|e| e.thrown != occurrence.frame).and_then(|e| e.caught.as_ref());
        let happened = occurrence.detail.as_ref().and_then(|d| d.happened.as_ref());
        let above = caught.map(|c| c.above).or(happened.map(|h| h.above)).unwrap_or(0);
        let site = tables.frame(exception.map_or(occurrence.event_frame(), |e| e.thrown))?.site.clone();
        let (thread, ordinal) = (tables.thread(occurrence.thread), occurrence.ordinal);
        Some(Found {
            coordinate: Coordinate { query: point.0, site, thread, ordinal, way: occurrence.way },
            sequence: occurrence.sequence,
            missed_write: missed_write(locator, point),
            frame: i32::try_from(above).unwrap_or(0),
            seen: Seen::of(occurrence, tables),
        })
    }

    /// How a candidate at the coordinate differs from what was found there.
    pub(super) fn differences(&self, candidate: Option<&Occurrence>, tables: &Tables) -> Vec<Difference> {
        let difference = |what: &str, expected: &str, found: Option<String>| Difference {
            what: what.to_owned(),
            expected: expected.to_owned(),
            found,
        };
        let Some(candidate) = candidate else {
            return vec![difference("condition", "true", Some("false".to_owned()))];
        };
        let (was, is) = (&self.seen, Seen::of(candidate, tables));
        let mut differences = Vec::new();
        if was.path != is.path {
            let path = |sites: &[Site]| {
                let newest = sites.iter().take(5).map(|s| s.to_string()).collect::<Vec<_>>().join(" < ");
                format!("{newest} ({} frames)", sites.len())
            };
            differences.push(difference("stack", &path(&was.path), Some(path(&is.path))));
        }
        if was.owner != is.owner {
            let owner = was.owner.as_deref().unwrap_or("none");
            differences.push(difference("owner", owner, is.owner.map(|o| o.to_string())));
        }
        if was.old != is.old {
            differences.push(difference("old", &was.old, Some(is.old)));
        }
        if let (Some(was), Some(is)) = (&was.new, is.new)
            && *was != is
        {
            differences.push(difference("new", was, Some(is)));
        }
        differences
    }

    /// What was changed, if the point is a change.
    pub(super) fn change(&self) -> Option<String> {
        let new = self.seen.new.as_ref()?;
        Some(format!("{} → {new}", self.seen.old))
    }
}

/// Whether the value seen later is another one than this change made.
fn missed_write(locator: &Locator, point: PointIndex) -> bool {
    let query = locator.queries().get(usize::from(point.0));
    let Some((later, slot)) = query.and_then(|q| q.compare_at) else { return false };
    let (Some(change), Some(later)) = (locator.located(point), locator.located(later)) else { return false };
    let seen = later.occurrence.kept.get(slot);
    seen.is_some_and(|seen| {
        !matches!(seen, Value::Failed(_) | Value::Unassigned) && !seen.same(&change.occurrence.new)
    })
}

impl Seen {
    fn of(occurrence: &Occurrence, tables: &Tables) -> Seen {
        // Each with a namer of its own: the number of an object means nothing in another run.
        let text = |value: &Value| Namer::default().text(value, tables);
        Seen {
            path: tables.stack(occurrence.stack).map(|f| f.site.clone()).collect(),
            owner: tables.class_name(&occurrence.owner),
            old: text(&occurrence.old),
            new: (occurrence.new != Value::Unassigned).then(|| text(&occurrence.new)),
        }
    }
}
