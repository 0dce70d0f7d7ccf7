//! A recorded run that is open to be read.

use super::rerecord::detail;
use crate::chain::{Chain, Debuggee};
use crate::inspect::{Lines, OpenCode, Recording};
use crate::session::consent::Wanted;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::trust;
use crate::session::workspace::Workspace;
use crate::trace::{About, Calls, Folder, Level, OpenOptions, TraceError};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// So many bytes of memory are for what has to be sorted, unless another number is named.
pub const MEMORY: usize = 256 << 20;
/// How often it is told how far it is.
const TELL: Duration = Duration::from_millis(100);

/// A recorded run, read.
pub struct RecordedTrace {
    /// Where it is.
    pub folder: Folder,
    /// What views read of it.
    pub recording: Recording,
    /// So many bytes of memory are for what has to be sorted.
    pub memory: usize,
    /// Whether its command may be run again without a question.
    pub(super) is_own: bool,
}

impl Deref for RecordedTrace {
    type Target = Recording;

    fn deref(&self) -> &Recording {
        &self.recording
    }
}

impl DerefMut for RecordedTrace {
    fn deref_mut(&mut self) -> &mut Recording {
        &mut self.recording
    }
}

/// Finds the class files and sources of a recorded program by its command.
fn code_of(about: &About) -> OpenCode {
    let (command, cwd) = (about.command.clone(), about.cwd.clone());
    Box::new(move || {
        let debuggee = Debuggee { command, cwd: Some(cwd), ..Debuggee::default() };
        let workspace = Workspace::open(&Chain::new(debuggee, Vec::new()), None, None).ok()?;
        Some((workspace.pool(None).ok()?, workspace.sources()))
    })
}

impl RecordedTrace {
    /// The recording in which a call is found at a level: this one, or one of a further run of the program,
    /// in which calls and objects have the same numbers.
    ///
    /// # Errors
    /// There is no such call; the program cannot be run again, or it did something else.
    pub async fn at_level(
        mut self,
        node: u32,
        level: Option<Level>,
        context: &Context,
    ) -> Result<RecordedTrace, SessionError> {
        let later = match level {
            Some(level) => detail(&mut self, node, level, context).await?,
            None => None,
        };
        Ok(later.unwrap_or(self))
    }

    /// The recording of a run that this process has made: its command is known, whatever was kept of it.
    #[must_use]
    pub fn of_command(mut self, command: &[String]) -> RecordedTrace {
        self.about.command = command.to_vec();
        self.about.redacted = false;
        self.is_own = true;
        self
    }

    /// Asks whether a program of the recording may be run, where it is not this user's own.
    ///
    /// # Errors
    /// It may not.
    pub fn allow(&mut self, context: &Context) -> Result<(), SessionError> {
        if !self.is_own {
            trust::allow(&Wanted::of_recording(self.folder.path(), &self.about), context)?;
            self.is_own = true;
        }
        Ok(())
    }

    /// Whether what is made of it is this user's own work.
    pub fn is_own(&self) -> bool {
        self.is_own || trust::is_own(self.folder.path(), &self.about)
    }

    /// Opens it, as far as it is written. What it holds is sorted first, where that was not done before.
    ///
    /// # Errors
    /// There is none, or it cannot be read; or it was interrupted.
    pub async fn open(
        folder: &Path,
        memory: usize,
        context: &Context,
    ) -> Result<RecordedTrace, SessionError> {
        let (folder, about) = Folder::open(folder)?;
        let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let all = Arc::new(AtomicUsize::new(0));
        let work = {
            let (stop, done, all) = (stop.clone(), done.clone(), all.clone());
            let (folder, about) = (folder.clone(), about.clone());
            move || {
                let mut goes_on = |chunk, of| {
                    all.store(of, Ordering::Relaxed);
                    done.store(chunk, Ordering::Relaxed);
                    !stop.load(Ordering::Relaxed)
                };
                Calls::open(&folder, &about, OpenOptions { memory, goes_on: &mut goes_on })
            }
        };
        let mut work = tokio::task::spawn_blocking(work);
        let opened = loop {
            tokio::select! {
                opened = &mut work => break opened,
                () = context.interrupted(), if !stop.load(Ordering::Relaxed) => stop.store(true, Ordering::Relaxed),
                () = tokio::time::sleep(TELL) => {
                    context.progress().sorted(done.load(Ordering::Relaxed), all.load(Ordering::Relaxed));
                }
            }
        };
        context.progress().done();
        // It is not cancelled, and does not panic.
        let opened = opened.unwrap_or(Err(TraceError::Interrupted));
        match opened {
            Err(TraceError::Interrupted) => Err(SessionError::Interrupted),
            opened => {
                let (mut lines, mut calls) = (Lines::new(code_of(&about)), opened?);
                let recorded = std::fs::metadata(folder.events()).and_then(|events| events.modified()).ok();
                lines.name_lambdas(&mut calls, recorded);
                let recording = Recording { about, calls, lines };
                Ok(RecordedTrace { folder, recording, memory, is_own: false })
            }
        }
    }
}
