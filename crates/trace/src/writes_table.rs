//! The table of writes, which is built when the first question needs it.

use super::columns::{Table, WritesColumns, WritesInput};
use super::error::TraceError;
use super::folder::Folder;
use files::TemporaryFolder;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Whether the user has interrupted the work.
pub type Interrupted = Arc<dyn Fn() -> bool + Send + Sync>;

/// The table of writes of an open recording, once it is needed.
pub struct WritesTable {
    folder: Folder,
    /// Whether to keep the table: the recording has ended and its other tables are kept.
    is_kept: bool,
    memory: usize,
    is_interrupted: Interrupted,
    opened: OnceLock<OpenedTable>,
    /// Held while the table is built.
    builds: Mutex<()>,
}

struct OpenedTable {
    table: Table,
    /// The folder of a table that is not kept.
    _temporary: Option<TemporaryFolder>,
}

impl WritesTable {
    pub fn new(folder: Folder, is_kept: bool, memory: usize, is_interrupted: Interrupted) -> WritesTable {
        let (opened, builds) = (OnceLock::new(), Mutex::new(()));
        WritesTable { folder, is_kept, memory, is_interrupted, opened, builds }
    }

    /// The table, if it was needed before.
    pub fn known(&self) -> Option<&Table> {
        self.opened.get().map(|opened| &opened.table)
    }

    /// The table. Opens the kept one, or builds it.
    ///
    /// # Errors
    /// Events cannot be read or the table cannot be written; [`TraceError::Interrupted`] when the user
    /// interrupts.
    pub fn get(&self, input: &WritesInput<'_>) -> Result<&Table, TraceError> {
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let building = self.builds.lock().unwrap_or_else(PoisonError::into_inner);
        if self.known().is_none() {
            let opened = self.open(input)?;
            self.opened.get_or_init(|| opened);
        }
        drop(building);
        self.known().ok_or(TraceError::Interrupted)
    }

    fn open(&self, input: &WritesInput<'_>) -> Result<OpenedTable, TraceError> {
        let known = self.folder.columns().join("writes");
        if self.is_kept
            && let Some(table) = WritesColumns::kept(&known, &input.source.stamp)
        {
            return Ok(OpenedTable { table, _temporary: None });
        }
        // An earlier interrupt ended other work.
        let was_interrupted = (self.is_interrupted)();
        let built = built_in(&self.folder, &mut |to| {
            let goes_on = &mut |_, _| was_interrupted || !(self.is_interrupted)();
            WritesColumns::build(input, to, self.memory, goes_on)
        });
        let (table, place, is_beside) = built?;
        let temporary = match self.is_kept && is_beside && WritesColumns::seal(place.path()).is_ok() {
            true => keep(place, &known),
            false => Some(place),
        };
        Ok(OpenedTable { table, _temporary: temporary })
    }
}

/// Builds tables in a new folder beside their final one, or in a temporary folder if the recording's folder
/// is read-only or its disk is full. Returns the result, the folder, and whether it is beside.
///
/// # Errors
/// The tables cannot be built.
pub fn built_in<T>(
    folder: &Folder,
    build: &mut dyn FnMut(&Path) -> Result<T, TraceError>,
) -> Result<(T, TemporaryFolder, bool), TraceError> {
    let (mut place, mut is_beside) = folder.place_for_columns()?;
    let mut made = build(place.path());
    if is_beside && matches!(made, Err(TraceError::File { .. })) {
        // The disk may be full.
        (place, is_beside) = (Folder::other_place_for_columns()?, false);
        made = build(place.path());
    }
    Ok((made.map_err(TraceError::with_advice)?, place, is_beside))
}

/// Gives a folder of tables its final name. Returns it if it stays temporary: another process may have kept
/// the same tables at the same time.
pub fn keep(place: TemporaryFolder, known: &PathBuf) -> Option<TemporaryFolder> {
    // Existing tables belong to an older state of the recording.
    drop(std::fs::remove_dir_all(known));
    place.keep_as(known).err()
}
