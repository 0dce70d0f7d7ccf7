//! Feeds the locator while the program runs.

use super::iteration::{AskedCell, extends};
use crate::model::{ActivationKey, Occurrence, Tables};
use crate::query::TraceQuery;
use crate::run::{Control, Observer, ObserverError};
use crate::session::error::SessionError;
use crate::session::progress::Progress;
use std::sync::Arc;

/// The locator of one run, as an observer of it.
pub struct Watching<'a> {
    /// What is asked, once the VM has told what it needs.
    asked: &'a AskedCell,
    progress: &'a dyn Progress,
    points: usize,
    located: usize,
    /// What is wanted of the program once every point is decided.
    then: Control,
}

impl<'a> Watching<'a> {
    /// Feeds the locator in the cell, which is there before the first occurrence. With `hold` the program is
    /// kept alive when every point is decided.
    pub fn new(asked: &'a AskedCell, progress: &'a dyn Progress, points: usize, hold: bool) -> Watching<'a> {
        let then = if hold { Control::Halt } else { Control::Stop };
        Watching { asked, progress, points, located: 0, then }
    }
}

impl Observer for Watching<'_> {
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
        // A hit may have come since this was asked.
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
