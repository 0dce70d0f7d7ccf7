//! An open recording.

use super::packed::{code_beside, is_packed, unpacked};
use ::files::TemporaryFolder;
use chain::{Chain, Debuggee, Ready};
use classes::{ClassPool, SourcePaths, SourceRoots};
use past::{Lines, OpenCode, Recording};
use session::background::unless_late;
use session::trust;
use session::workspace::Workspace;
use session::{Context, SessionError, Wanted};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use trace::{About, Calls, Driven, Folder, Interrupted, OpenOptions, TraceError};

/// Default memory limit for sorting, in bytes.
pub const MEMORY: usize = 256 << 20;
/// Interval between progress reports.
const TELL: Duration = Duration::from_millis(100);

/// An open recording.
pub struct RecordedTrace {
    /// Its folder.
    pub folder: Folder,
    /// The part that views read.
    pub recording: Recording,
    /// Memory limit for sorting, in bytes.
    pub memory: usize,
    /// Whether its command may run again without asking the user.
    pub(super) is_own: bool,
    /// Where a packed recording is unpacked, until nobody reads it any more.
    unpacked: Option<Arc<TemporaryFolder>>,
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

/// Opens the class files and sources of a recorded program, found by its command.
fn code_of(folder: &Folder, about: &About, loaded: BTreeMap<String, Vec<u8>>) -> OpenCode {
    let debuggee = code_program(folder, about, SourcePaths::default());
    Box::new(move || {
        let workspace = Workspace::open(&Chain::new(debuggee, Vec::new()), None, None).ok()?;
        let mut pool = workspace.pool(None).ok()?;
        pool.use_loaded(&loaded);
        Some((pool, workspace.sources()))
    })
}

/// The program whose class files and sources a recording names: the recorded one, or what came with it.
fn code_program(folder: &Folder, about: &About, sources: SourcePaths) -> Debuggee {
    let Some(beside) = code_beside(folder) else { return debuggee_of(about, sources) };
    let all = sources.paths.into_iter().chain(beside.sources).collect();
    Debuggee { sources: all, source_encoding: sources.encoding, ..beside }
}

fn debuggee_of(about: &About, sources: SourcePaths) -> Debuggee {
    let SourcePaths { paths: sources, encoding: source_encoding } = sources;
    let (command, cwd, classes) = (about.command.clone(), about.cwd.clone(), about.class_path.clone());
    let (jvm, pins) = (about.jvm.clone(), about.pins.clone());
    let Driven { before_run, drive, ready } = about.driven.clone();
    let ready = ready.as_deref().map(Ready::of_text);
    Debuggee {
        command,
        cwd: Some(cwd),
        classes,
        jvm,
        pins,
        before_run,
        drive,
        ready,
        sources,
        source_encoding,
        ..Debuggee::default()
    }
}

/// A recorded program, to be run again with the same standard input.
pub(super) fn program_of(folder: &Folder, about: &About) -> Debuggee {
    let stdin = Some(folder.stdin()).filter(|file| file.is_file());
    Debuggee { stdin, ..debuggee_of(about, SourcePaths::default()) }
}

impl RecordedTrace {
    /// The recorded program, to be run again with the same standard input.
    pub fn program(&self) -> Debuggee {
        program_of(&self.folder, &self.about)
    }

    /// Marks a recording as made by this process, which knows the complete command.
    #[must_use]
    pub fn of_command(mut self, command: &[String]) -> RecordedTrace {
        self.about.command = command.to_vec();
        self.about.redacted = false;
        self.is_own = true;
        self
    }

    /// Looks names up in the program's class files, and in its sources, which are looked for in these folders
    /// too.
    #[must_use]
    pub fn with_code(mut self, sources: &SourcePaths) -> RecordedTrace {
        let (pool, sources) = (self.class_files(), self.sources(sources));
        self.use_code(pool, sources);
        self
    }

    /// The sources of the recorded program, looked for in these folders too. Events are known without them.
    pub fn sources(&self, sources: &SourcePaths) -> Option<SourceRoots> {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let paths = sources.paths.iter().map(absolute).collect();
        let debuggee = code_program(&self.folder, &self.about, SourcePaths { paths, ..sources.clone() });
        let workspace = Workspace::open(&Chain::new(debuggee, Vec::new()), None, None).ok()?;
        Some(workspace.sources())
    }

    /// The class files of the recorded program, with the code that its Java agents have made.
    ///
    /// # Errors
    /// Its command cannot be read.
    pub fn pool(&self) -> Result<ClassPool, SessionError> {
        let debuggee = code_program(&self.folder, &self.about, SourcePaths::default());
        let mut pool = Workspace::open(&Chain::new(debuggee, Vec::new()), None, None)?.pool(None)?;
        pool.use_loaded(&self.calls.sites.loaded);
        Ok(pool)
    }

    /// As [`RecordedTrace::pool`], if the class files are still there.
    pub fn class_files(&self) -> Option<ClassPool> {
        self.pool().ok()
    }

    /// Asks whether the recorded program may run, unless the recording is this user's own.
    ///
    /// # Errors
    /// The program may not run.
    pub fn allow(&mut self, context: &Context) -> Result<(), SessionError> {
        if !self.is_own {
            trust::allow(&Wanted::of_recording(self.folder.path(), &self.about), context)?;
            self.is_own = true;
        }
        Ok(())
    }

    /// Whether this user made the recording.
    pub fn is_own(&self) -> bool {
        self.is_own || trust::is_own(self.folder.path(), &self.about)
    }

    /// Opens a recording, or a file with a packed one, as far as it is written. Sorts its events first,
    /// unless that was done before.
    ///
    /// # Errors
    /// There is no recording, it cannot be read, or the user interrupted the work.
    pub async fn open(path: &Path, memory: usize, context: &Context) -> Result<RecordedTrace, SessionError> {
        if !is_packed(path) {
            return RecordedTrace::open_folder(path, memory, context).await;
        }
        let (unpacked, folder) = unpacked(path, context)?;
        let trace = RecordedTrace::open_folder(&folder, memory, context).await?;
        Ok(RecordedTrace { unpacked: Some(Arc::new(unpacked)), ..trace })
    }

    /// Opens the recording once more.
    ///
    /// # Errors
    /// It cannot be read, or the user interrupted the work.
    pub async fn reopened(&self, context: &Context) -> Result<RecordedTrace, SessionError> {
        let again = RecordedTrace::open_folder(self.folder.path(), self.memory, context).await?;
        let again = RecordedTrace { unpacked: self.unpacked.clone(), ..again };
        Ok(match self.is_own() {
            true => again.of_command(&self.about.command),
            false => again,
        })
    }

    async fn open_folder(
        folder: &Path,
        memory: usize,
        context: &Context,
    ) -> Result<RecordedTrace, SessionError> {
        let (folder, about) = Folder::open(folder)?;
        let interrupt = context.interrupt().clone();
        let is_interrupted: Interrupted = Arc::new(move || interrupt.is_set());
        let work = {
            let (folder, about) = (folder.clone(), about.clone());
            move |goes_on: &mut GoesOn<'_>| {
                Calls::open(&folder, &about, OpenOptions { memory, goes_on, is_interrupted })
            }
        };
        let opened = sort_in_background(context, work).await;
        let mut calls = opened?;
        let mut lines = Lines::new(code_of(&folder, &about, calls.sites.loaded.clone()));
        let recorded = std::fs::metadata(folder.events()).and_then(|events| events.modified()).ok();
        lines.name_lambdas(&mut calls, recorded);
        let recording = Recording::new(about, calls, lines);
        Ok(RecordedTrace { folder, recording, memory, is_own: false, unpacked: None })
    }
}

/// Called with the number of finished chunks and of all chunks; returns false to interrupt.
pub(super) type GoesOn<'a> = dyn FnMut(usize, usize) -> bool + 'a;

/// Builds tables of a recording on another thread, and shows how far it is.
///
/// # Errors
/// Those of the work; [`SessionError::Interrupted`] if the user interrupted it.
pub(super) async fn sort_in_background<T: Send + 'static>(
    context: &Context,
    work: impl FnOnce(&mut GoesOn<'_>) -> Result<T, TraceError> + Send + 'static,
) -> Result<T, SessionError> {
    let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let all = Arc::new(AtomicUsize::new(0));
    let work = {
        let (stop, done, all) = (stop.clone(), done.clone(), all.clone());
        move || {
            work(&mut |chunk, of| {
                all.store(of, Ordering::Relaxed);
                done.store(chunk, Ordering::Relaxed);
                !stop.load(Ordering::Relaxed)
            })
        }
    };
    let mut work = tokio::task::spawn_blocking(work);
    let sorted = async {
        loop {
            tokio::select! {
                made = &mut work => break made,
                () = tokio::time::sleep(TELL) => {
                    context.progress().sorted(done.load(Ordering::Relaxed), all.load(Ordering::Relaxed));
                }
            }
        }
    };
    let made = unless_late(context, &stop, sorted).await;
    context.progress().done();
    // The task is never cancelled, and does not panic.
    match made?.unwrap_or(Err(TraceError::Interrupted)) {
        Err(TraceError::Interrupted) => Err(SessionError::Interrupted),
        made => Ok(made?),
    }
}
