//! The state that an earlier run observed at a point. Another run finds the point by it and is compared with
//! it (DESIGN §5.14).

use crate::run_questions::QuestionsCell;
use answer::Difference;
use answer::facts::RunFacts;
use locate::Locator;
use model::{Coordinate, Namer, Occurrence, Site, Tables, Value};
use query::PointIndex;
use std::sync::Arc;

/// A point as a run located it, in terms that survive a relaunch.
#[derive(Clone, Debug)]
pub(super) struct FoundPoint {
    pub(super) coordinate: Coordinate,
    /// The order of its occurrence in that run.
    pub(super) sequence: u64,
    /// The frame of the point, counted from that of the event: an exception is caught in an older frame.
    pub(super) frame: i32,
    /// Whether a write was missed: the value seen later is not the one written here.
    pub(super) missed_write: bool,
    state: PointState,
}

/// The state compared on arrival: names and values, since objects have no identity across runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PointState {
    path: Vec<Site>,
    owner: Option<Arc<str>>,
    old: String,
    /// `None` if it is known only after the store.
    new: Option<String>,
}

/// A point to which a run was sent and at which it is halted. It is unknown whether it is the answer in this
/// run too.
pub(super) struct UnconfirmedArrival {
    pub(super) point: PointIndex,
    pub(super) id: String,
    pub(super) found: FoundPoint,
    /// How the state there differs from that in the earlier run.
    pub(super) differences: Vec<Difference>,
    pub(super) asked: QuestionsCell,
    pub(super) edition: u32,
    /// Unconfirmed points at which this run has halted before.
    pub(super) before: Vec<UnconfirmedPoint>,
}

/// An unconfirmed point that the run has passed.
pub(super) struct UnconfirmedPoint {
    pub(super) point: PointIndex,
    pub(super) id: String,
    pub(super) found: FoundPoint,
}

impl FoundPoint {
    /// A point as a finished run located it.
    pub(super) fn of(run_facts: &RunFacts, point: PointIndex) -> Option<FoundPoint> {
        run_facts.located(point)?;
        FoundPoint::located(&run_facts.locator, &run_facts.outcome.tables, point)
    }

    /// A point as a run has located it.
    pub(super) fn located(locator: &Locator, tables: &Tables, point: PointIndex) -> Option<FoundPoint> {
        let occurrence = &locator.located(point)?.occurrence;
        // An exception's event is where it was thrown, even if the point is in another frame.
        let exception = occurrence.detail.as_ref().and_then(|d| d.exception.as_ref());
        let caught = exception.filter(|e| e.thrown != occurrence.frame).and_then(|e| e.caught.as_ref());
        let happened = occurrence.detail.as_ref().and_then(|d| d.happened.as_ref());
        let bypassed = exception.and_then(|e| e.bypassed.as_ref()).map(|b| b.above);
        let above = bypassed.or(caught.map(|c| c.above)).or(happened.map(|h| h.above)).unwrap_or(0);
        let site = tables.frame(exception.map_or(occurrence.event_frame(), |e| e.thrown))?.site.clone();
        let (mut thread, ordinal) = (tables.thread(occurrence.thread), occurrence.ordinal);
        if !thread.name.is_empty() && !tables.has_namesakes(&thread) {
            // The name says which thread it is, whatever its number in the next run.
            thread.number = 0;
        }
        Some(FoundPoint {
            coordinate: Coordinate { query: point.0, site, thread, ordinal, way: occurrence.way },
            sequence: occurrence.sequence,
            missed_write: missed_write(locator, point),
            frame: i32::try_from(above).unwrap_or(0),
            state: PointState::of(occurrence, tables),
        })
    }

    /// The differences between a candidate at the coordinate and the earlier run.
    pub(super) fn differences(&self, candidate: Option<&Occurrence>, tables: &Tables) -> Vec<Difference> {
        let difference = |what: &str, expected: &str, found: Option<String>| Difference {
            what: what.to_owned(),
            expected: expected.to_owned(),
            found,
        };
        let Some(candidate) = candidate else {
            return vec![difference("condition", "true", Some("false".to_owned()))];
        };
        let (was, is) = (&self.state, PointState::of(candidate, tables));
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

    /// The change, if the point is one.
    pub(super) fn change(&self) -> Option<String> {
        let new = self.state.new.as_ref()?;
        Some(format!("{} → {new}", self.state.old))
    }
}

/// Whether the value seen later differs from the one written here.
fn missed_write(locator: &Locator, point: PointIndex) -> bool {
    let query = locator.queries().get(usize::from(point.0));
    let Some((later, slot)) = query.and_then(|q| q.compare_at) else { return false };
    let (Some(change), Some(later)) = (locator.located(point), locator.located(later)) else { return false };
    let seen = later.occurrence.kept.get(slot);
    seen.is_some_and(|seen| {
        !matches!(seen, Value::Failed(_) | Value::Unassigned) && !seen.same(&change.occurrence.new)
    })
}

impl PointState {
    fn of(occurrence: &Occurrence, tables: &Tables) -> PointState {
        // The numbers begin anew, since those of another run mean nothing here. Both values share them, so
        // `Part@1 → Part@2` are two objects.
        let mut namer = Namer::default();
        let old = namer.text(&occurrence.old, tables);
        PointState {
            path: tables.stack(occurrence.stack).map(|f| f.site.clone()).collect(),
            owner: tables.class_name(&occurrence.owner),
            new: (occurrence.new != Value::Unassigned).then(|| namer.text(&occurrence.new, tables)),
            old,
        }
    }
}
