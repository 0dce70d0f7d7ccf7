//! Feeds the locator while the program runs.

use super::error::SessionError;
use super::progress::Progress;
use crate::locate::Locator;
use crate::model::{ActivationKey, Occurrence, Tables};
use crate::run::{Control, Observer, ObserverError};
use std::cell::RefCell;

/// The locator of one run, as an observer of it.
pub struct Watching<'a> {
    /// The locator, once the VM has told what it needs.
    locator: &'a RefCell<Option<Locator>>,
    progress: &'a mut dyn Progress,
    points: usize,
    located: usize,
}

impl<'a> Watching<'a> {
    /// Feeds the locator in the cell, which is there before the first occurrence.
    pub fn new(
        locator: &'a RefCell<Option<Locator>>,
        progress: &'a mut dyn Progress,
        points: usize,
    ) -> Watching<'a> {
        Watching { locator, progress, points, located: 0 }
    }
}

impl Observer for Watching<'_> {
    fn occurrence(
        &mut self,
        occurrence: Occurrence,
        tables: &mut Tables,
        live: &dyn Fn() -> Vec<ActivationKey>,
    ) -> Result<Control, ObserverError> {
        let mut cell = self.locator.borrow_mut();
        let Some(locator) = cell.as_mut() else { return Ok(Control::Continue) };
        let found = locator.offer(occurrence, tables).map_err(SessionError::from)?;
        self.located += found.newly_located.len();
        if locator.wants_prune() {
            locator.prune(tables, live());
        }
        Ok(if found.complete { Control::Stop } else { Control::Continue })
    }

    fn progress(&mut self, events: u64) {
        self.progress.watched(events, self.located, self.points);
    }
}
