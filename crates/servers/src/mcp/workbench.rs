//! What a session has: its recordings, the answers that questions can go on from, and its diagnoses.

use super::handle::{TraceHandle, numbered};
use super::permission::Permissions;
use super::usage;
use chain::Chain;
use command::CommandError;
use command::diagnose::DiagnoseDialogue;
use files::TemporaryFolder;
use recorded::RecordedTrace;
use session::{Context, Progress};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Memory for sorting the events of a recording, in bytes. A server shares the machine with its client.
pub const MEMORY: usize = 48 << 20;
/// Most answers that are kept to go on from.
const ANSWERS: usize = 50;
/// Most diagnoses that stay open; each holds a recording.
const DIAGNOSES: usize = 4;

/// A recording of this session.
struct OwnTrace {
    folder: PathBuf,
    /// The whole command, if this session ran it.
    command: Option<Vec<String>>,
}

/// What the tools of a session share.
pub struct Workbench {
    /// What the user permits.
    pub(super) permissions: Permissions,
    /// The receiver of progress.
    pub(super) progress: Rc<dyn Progress>,
    /// The folder of the recordings, which is deleted with the session.
    folder: Option<TemporaryFolder>,
    traces: Vec<OwnTrace>,
    /// The recording that was read last, by its number.
    open: Option<(usize, RecordedTrace)>,
    answers: Vec<Option<Chain>>,
    diagnoses: Vec<Option<DiagnoseDialogue>>,
}

impl Workbench {
    /// An empty workbench.
    pub fn new(permissions: Permissions, progress: Rc<dyn Progress>) -> Workbench {
        Workbench {
            permissions,
            progress,
            folder: None,
            traces: Vec::new(),
            open: None,
            answers: Vec::new(),
            diagnoses: Vec::new(),
        }
    }

    /// The folder for a new recording in the temporary folder of the session.
    pub(super) fn new_folder(&mut self) -> Result<PathBuf, CommandError> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => TemporaryFolder::new("qp-mcp-").map_err(command::unwritten(&std::env::temp_dir()))?,
        };
        let path = folder.path().join(format!("trace-{}", self.traces.len() + 1));
        self.folder = Some(folder);
        // A run that was cancelled can have left its folder.
        drop(std::fs::remove_dir_all(&path));
        Ok(path)
    }

    /// Adds a recording, and returns its handle.
    pub(super) fn add_trace(&mut self, folder: PathBuf, command: Option<Vec<String>>) -> String {
        let known = self.traces.iter().position(|trace| trace.folder == folder);
        let number = known.unwrap_or_else(|| {
            self.traces.push(OwnTrace { folder, command });
            self.traces.len() - 1
        });
        format!("trace:{}", number + 1)
    }

    /// The number of a recording, and its handle; the last one without a name. A folder below the root is
    /// added.
    fn number_of(&mut self, trace: Option<&TraceHandle>) -> Result<(usize, String), CommandError> {
        let number = match trace {
            None if self.traces.is_empty() => {
                return usage("nothing is recorded yet: call `record` first");
            }
            None => self.traces.len(),
            Some(TraceHandle(text)) => match numbered(text, "trace") {
                Some(number) if number <= self.traces.len() => number,
                Some(number) => {
                    return usage(format!(
                        "there is no trace:{number}: {} recordings were made; call `record`",
                        self.traces.len()
                    ));
                }
                None => {
                    let folder = self.permissions.existing(text)?;
                    let handle = self.add_trace(folder, None);
                    numbered(&handle, "trace").unwrap_or_default()
                }
            },
        };
        Ok((number - 1, format!("trace:{number}")))
    }

    /// A recording to read, with its handle.
    pub(super) async fn trace(
        &mut self,
        trace: Option<&TraceHandle>,
        context: &Context,
    ) -> Result<(String, &mut RecordedTrace), CommandError> {
        let (number, handle) = self.number_of(trace)?;
        let open = match self.open.take() {
            Some(open) if open.0 == number => open,
            _ => (number, self.opened(number, context).await?),
        };
        Ok((handle, &mut self.open.insert(open).1))
    }

    /// A recording to keep, with its handle.
    pub(super) async fn own_trace(
        &mut self,
        trace: Option<&TraceHandle>,
        context: &Context,
    ) -> Result<(String, RecordedTrace), CommandError> {
        let (number, handle) = self.number_of(trace)?;
        Ok((handle, self.opened(number, context).await?))
    }

    async fn opened(&self, number: usize, context: &Context) -> Result<RecordedTrace, CommandError> {
        let Some(own) = self.traces.get(number) else { return usage("there is no such recording") };
        // What `qp` did not record itself may be a trap of somebody else.
        if own.command.is_none() {
            plain(&own.folder)?;
        }
        let trace = RecordedTrace::open(&own.folder, MEMORY, context).await?;
        Ok(match &own.command {
            Some(command) => trace.of_command(command),
            None => trace,
        })
    }

    /// Keeps the questions of an answer, and returns its handle.
    pub(super) fn add_answer(&mut self, chain: Chain) -> String {
        self.answers.push(Some(chain));
        if let Some(oldest) = self.answers.len().checked_sub(ANSWERS + 1) {
            self.answers[oldest] = None;
        }
        format!("answer:{}", self.answers.len())
    }

    /// The questions of an answer, and the point that a handle names: `answer:2`, `answer:2.B`.
    pub(super) fn answer(&self, handle: &str) -> Result<(Chain, String), CommandError> {
        let (answer, point) = match handle.split_once('.') {
            Some((answer, point)) => (answer, Some(point)),
            None => (handle, None),
        };
        let chain = numbered(answer, "answer").and_then(|number| self.answers.get(number - 1)?.clone());
        let Some(chain) = chain else {
            return usage(format!("there is no `{handle}`: `from` takes an answer of `why`, as `answer:1`"));
        };
        let point = match point {
            None => chain.points.last().map(|point| point.id.clone()),
            Some(id) => chain.points.iter().find(|point| point.id == id).map(|point| point.id.clone()),
        };
        match point {
            Some(point) => Ok((chain, point)),
            None => usage(format!("`{handle}` names no point of that answer")),
        }
    }

    /// Keeps a diagnosis, and returns its handle. Closes the oldest one if there are too many.
    pub(super) fn add_diagnosis(&mut self, dialogue: DiagnoseDialogue) -> String {
        self.diagnoses.push(Some(dialogue));
        let open = self.diagnoses.iter().filter(|dialogue| dialogue.is_some()).count();
        if open > DIAGNOSES
            && let Some(oldest) = self.diagnoses.iter_mut().find(|dialogue| dialogue.is_some())
        {
            *oldest = None;
        }
        format!("diagnosis:{}", self.diagnoses.len())
    }

    /// Takes a diagnosis out; [`Workbench::put_diagnosis`] puts it back.
    pub(super) fn take_diagnosis(&mut self, handle: &str) -> Result<(usize, DiagnoseDialogue), CommandError> {
        let number = numbered(handle, "diagnosis");
        let taken = number.and_then(|number| Some((number, self.diagnoses.get_mut(number - 1)?.take()?)));
        match taken {
            Some(taken) => Ok(taken),
            None => {
                usage(format!("there is no open `{handle}`: start one with `diagnose` and the `trace` alone"))
            }
        }
    }

    /// Puts a diagnosis back.
    pub(super) fn put_diagnosis(&mut self, number: usize, dialogue: DiagnoseDialogue) {
        if let Some(place) = self.diagnoses.get_mut(number - 1) {
            *place = Some(dialogue);
        }
    }
}

/// Checks that a recording's folder has nothing but folders and regular files: a link in it could lead out of
/// the root, a pipe waits for ever.
fn plain(folder: &Path) -> Result<(), CommandError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => {}
                _ => {
                    return usage(format!(
                        "{} is a link, a pipe or a device: a recording has only folders and regular files",
                        entry.path().display()
                    ));
                }
            }
        }
    }
    Ok(())
}
