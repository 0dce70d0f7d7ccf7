//! Passes occurrences to the locator while the program runs.

use super::run_questions::{QuestionsCell, extends};
use model::{ActivationKey, Occurrence, Tables};
use query::TraceQuery;
use run::{Control, Observer, ObserverError};
use session::{Progress, SessionError};
use std::sync::Arc;

/// Observes a run and feeds its locator.
pub struct LocatorObserver<'a> {
    /// The questions, once the VM has reported its facts.
    asked: &'a QuestionsCell,
    progress: &'a dyn Progress,
    points: usize,
    located: usize,
    /// What to do with the program when every point is decided.
    then: Control,
}

impl<'a> LocatorObserver<'a> {
    /// Observes a run; the cell must contain the locator before the first occurrence. With `hold`, the
    /// program stays alive after every point is decided.
    pub fn new(
        asked: &'a QuestionsCell,
        progress: &'a dyn Progress,
        points: usize,
        hold: bool,
    ) -> LocatorObserver<'a> {
        let then = if hold { Control::Halt } else { Control::Stop };
        LocatorObserver { asked, progress, points, located: 0, then }
    }
}

impl Observer for LocatorObserver<'_> {
    fn occurrence(
        &mut self,
        occurrence: Occurrence,
        tables: &mut Tables,
        live: &dyn Fn() -> Vec<ActivationKey>,
    ) -> Result<Control, ObserverError> {
        let mut cell = self.asked.borrow_mut();
        let Some(asked) = cell.as_mut() else { return Ok(Control::Continue) };
        let locator = &mut asked.locator;
        let found = locator.offer(occurrence, tables).map_err(SessionError::from)?;
        self.located += found.newly_located.len();
        if locator.wants_prune() {
            locator.prune(tables, live());
        }
        Ok(if found.complete { self.then } else { Control::Continue })
    }

    fn asked(
        &mut self,
        queries: &Arc<[TraceQuery]>,
        hits: u64,
        tables: &mut Tables,
    ) -> Result<bool, ObserverError> {
        let mut cell = self.asked.borrow_mut();
        let Some(asked) = cell.as_mut() else { return Ok(false) };
        let Some(translation) = asked.more.pop_front() else { return Ok(false) };
        // Since the question was sent, hits may have made it incompatible.
        if !extends(asked, queries) {
            return Ok(false);
        }
        let added = queries.iter().skip(asked.queries.len());
        asked.late.extend(added.map(|query| (query.point, hits)));
        asked.locator.extend(queries.clone(), tables).map_err(SessionError::from)?;
        (asked.translation, asked.queries) = (translation, queries.clone());
        self.points = asked.queries.len();
        Ok(true)
    }

    fn progress(&mut self, events: u64) {
        self.progress.watched(events, self.located, self.points);
    }
}
