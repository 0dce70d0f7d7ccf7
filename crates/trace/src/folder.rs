//! The folder of a recording and its files.

use super::chunks::begins_with_head;
use super::columns::Checksum;
use super::error::TraceError;
use super::size::{size_text, thousands};
use files::{self, TemporaryFolder};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use wire::Pins;
use wire::chosen::Chosen;
use wire::recording::{BOARD, BOARD_BYTES, Level, Places, Window};
use wire::steering::{Steered, Steering};

/// Version of the recording format.
const FORMAT: u32 = 14;

/// Size of the largest written file that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Prefix of the folder in which another file of events is written.
pub const NEW_EVENTS: &str = ".events-";

/// The folder of a recording.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

/// How a program is operated that runs until somebody ends it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Driven {
    /// Command that resets the environment before each run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before_run: Vec<String>,
    /// Command that operates the running program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drive: Vec<String>,
    /// When that begins: a port, or a regular expression for a line that the program prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<String>,
}

impl Driven {
    /// Whether nothing is said.
    pub fn is_default(&self) -> bool {
        *self == Driven::default()
    }
}

/// The first events of a run, which were dropped to limit the size of the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Number of events; 0 while recording.
    pub events: u64,
    /// Size of these events, in bytes; 0 while recording.
    pub bytes: u64,
    /// The limit for the events on disk, in bytes.
    pub max_size: u64,
    /// Whether some last values are not known although the kept part can reach them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_limited: bool,
}

/// The description of a recording, stored in `about.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// Version of the recording format.
    pub format: u32,
    /// The program's command line.
    pub command: Vec<String>,
    /// True when secrets were removed from the command.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// The working directory of the program.
    pub cwd: PathBuf,
    /// The main class of the VM that is meant, if the command starts several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jvm: Option<String>,
    /// What the program read in place of what differs from run to run, if the run was pinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pins: Option<Pins>,
    /// How the program is operated, if it runs until somebody ends it.
    #[serde(default, skip_serializing_if = "Driven::is_default")]
    pub driven: Driven,
    /// The folders and jars with the classes of the VM, if the command does not name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub class_path: Vec<PathBuf>,
    /// Signature by which the user recognises a recording of their own, which may be run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The recording level.
    pub level: Level,
    /// Patterns of recorded classes; when empty, all classes outside the JDK.
    pub scope: Vec<String>,
    /// Patterns of classes that were not recorded.
    pub trust: Vec<String>,
    /// What counts as whose code, in one line, if the recorded classes were chosen by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whose_code: Option<String>,
    /// The value that the program read as `java.class.path`, if that is not what its VM used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_path_property: Option<String>,
    /// The calls to which the recording is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// The places between which events were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<Places>,
    /// The methods and fields to which the recording is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
    /// The jump that went another way than the program says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steering: Option<Steering>,
    /// The first events of the run, if they were dropped. While recording, only that they were is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Dropped>,
    /// The outcome; `None` while recording, and after an interrupted recording.
    pub recorded: Option<RecordingOutcome>,
}

impl std::fmt::Display for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (events, bytes) = (thousands(self.events), size_text(self.bytes));
        match self.events {
            0 => f.write_str("the first events of the run were dropped to keep the recording small")?,
            _ => write!(
                f,
                "the first {events} events ({bytes}) were dropped to keep to --max-size {}",
                size_text(self.max_size)
            )?,
        }
        f.write_str("; of values from before, the last writes to what later events can reach are known")?;
        f.write_str(if self.is_limited { ", but not all, for want of room" } else { "" })
    }
}

impl About {
    /// Whether a class, given by its name with dots, is recorded.
    pub fn records(&self, class: &str) -> bool {
        wire::scope::is_recorded(&self.scope, &self.trust, class)
    }

    /// Checks that the recording is of the whole run. A partial recording does not say which hits of the full
    /// run its events are.
    ///
    /// # Errors
    /// [`TraceError::PartialRecording`] when only some calls were recorded, and
    /// [`TraceError::DroppedEvents`] when the first events were dropped.
    pub fn is_whole(&self) -> Result<(), TraceError> {
        if self.dropped.is_some() {
            Err(TraceError::DroppedEvents)
        } else if self.window.is_some() || self.places.is_some() || self.chosen.is_some() {
            Err(TraceError::PartialRecording)
        } else {
            Ok(())
        }
    }
}

/// The outcome of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordingOutcome {
    /// How the program ended.
    pub ended: String,
    /// Duration of the run, in seconds.
    pub seconds: f64,
    /// How long the program's threads waited for room in their rings, in seconds, in total.
    pub waited_s: f64,
    /// Size of the events, in bytes.
    pub bytes: u64,
    /// Number of bytes that the program printed; `None` in recordings of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<u64>,
    /// What it printed on standard output and on standard error, without the frames of stack traces; `None`
    /// if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<[Checksum; 2]>,
    /// The files and folders that it wrote, made, removed or renamed, as they were at its end; `None` if they
    /// are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<WrittenFile>>,
    /// Whether it started other processes, which may have written files too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_children: bool,
    /// Whether it made sockets of the network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_sockets: bool,
    /// Reasons why events are missing.
    pub missing: Vec<String>,
    /// Number of objects of `StackOverflowError` that recorded code met.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub overflows: u64,
    /// Checksum of `sites.jsonl` when the program ended; `None` in recordings of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites: Option<Checksum>,
    /// The start and end places that the program never reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<String>,
    /// How often the jump was steered; `None` if no jump was to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steered: Option<Steered>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl RecordingOutcome {
    /// Whether two runs would not have met if they had happened at the same time: neither used the network or
    /// started other processes, and they wrote different files.
    pub fn is_apart_from(&self, other: &RecordingOutcome) -> bool {
        let is_alone = |run: &RecordingOutcome| !run.has_sockets && !run.has_children;
        let (Some(files), Some(others)) = (&self.files, &other.files) else { return false };
        let paths: HashSet<&PathBuf> = files.iter().map(|file| &file.path).collect();
        is_alone(self) && is_alone(other) && others.iter().all(|file| !paths.contains(&file.path))
    }
}

/// A file or folder that the program wrote, made, removed or renamed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Its path, from the root on.
    pub path: PathBuf,
    /// What it was at the end of the program.
    pub end: FileEnd,
}

/// What a file was at the end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileEnd {
    /// There was no such file, neither before nor at the end.
    Absent,
    /// It was removed or renamed.
    Removed,
    /// It was a folder.
    Folder,
    /// It had this content.
    Content(Checksum),
    /// It cannot be read, is no file, or is too large.
    Unknown,
}

/// The most bytes of a description.
const MOST_ABOUT: u64 = 64 << 20;

impl WrittenFile {
    /// Reads a file as it is now. `was_there`: it was there before the program did anything to it.
    pub fn now(path: PathBuf, was_there: bool) -> WrittenFile {
        let end = match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => match was_there {
                true => FileEnd::Removed,
                false => FileEnd::Absent,
            },
            Ok(about) if about.is_dir() => FileEnd::Folder,
            Ok(about) if about.is_file() && about.len() <= MOST_BYTES => match std::fs::read(&path) {
                Ok(bytes) => FileEnd::Content(Checksum::of(&bytes)),
                Err(_) => FileEnd::Unknown,
            },
            _ => FileEnd::Unknown,
        };
        WrittenFile { path, end }
    }
}

impl Folder {
    /// The folder of a call's details that were recorded later.
    pub fn detail(&self, node: u32, level: Level) -> PathBuf {
        self.0.join("details").join(format!("{node}-{level}"))
    }

    /// The details recorded later: call and recording level.
    pub fn details(&self) -> Vec<(u32, Level)> {
        let entries = std::fs::read_dir(self.0.join("details")).into_iter().flatten().flatten();
        let mut found: Vec<(u32, Level)> = entries
            .filter_map(|entry| {
                let name = entry.file_name();
                let (node, level) = name.to_str()?.split_once('-')?;
                let level =
                    [Level::Writes, Level::All].into_iter().find(|known| known.to_string() == level)?;
                Some((node.parse().ok()?, level))
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// The folder with the recordings of other VMs of the command.
    pub fn vms(&self) -> PathBuf {
        self.0.join("vms")
    }

    /// The recordings of other VMs of the command, in the order in which these started.
    pub fn other_vms(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.vms()).into_iter().flatten().flatten();
        let number = |path: &PathBuf| -> Option<usize> {
            let name = path.file_name()?.to_str()?;
            name.split('-').next()?.parse().ok()
        };
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        found.sort_by_key(number);
        found
    }

    /// Creates the folder of a new recording.
    ///
    /// # Errors
    /// The folder exists already or cannot be created.
    pub fn create(path: &Path, about: &About) -> Result<Folder, TraceError> {
        if path.symlink_metadata().is_ok() {
            return Err(TraceError::Exists(path.to_owned()));
        }
        let folder = Folder(path.to_owned());
        for made in [path, &folder.rings()] {
            files::create_folder(made).map_err(TraceError::at(path))?;
        }
        for file in [folder.events(), folder.sites()] {
            files::create_new(&file).map_err(TraceError::at(&file))?;
        }
        // Writing the board's bytes allocates their disk space. A VM that writes to mapped memory without
        // disk space is killed (SIGBUS).
        let board = vec![0; usize::try_from(BOARD_BYTES).unwrap_or(0)];
        let written = files::create_new(&folder.board()).and_then(|mut file| file.write_all(&board));
        written.map_err(TraceError::at(&folder.board()))?;
        folder.say(about)?;
        Ok(folder)
    }

    /// Opens an existing recording.
    ///
    /// # Errors
    /// There is no recording, or it has another format version.
    pub fn open(path: &Path) -> Result<(Folder, About), TraceError> {
        let folder = Folder(path.to_owned());
        let file = folder.about();
        let text = match files::read_regular(&file, MOST_ABOUT, false) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(TraceError::NoRecording(path.to_owned()));
            }
            text => text.map_err(TraceError::at(&file))?,
        };
        let mut about: About =
            serde_json::from_slice(&text).map_err(|error| TraceError::at(&file)(error.into()))?;
        if about.format != FORMAT {
            return Err(TraceError::Format { path: file, found: about.format, known: FORMAT });
        }
        if about.recorded.is_none() && begins_with_head(&folder.events()) {
            about.dropped = Some(Dropped::default());
        }
        Ok((folder, about))
    }

    /// Writes the description atomically.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn say(&self, about: &About) -> Result<(), TraceError> {
        let about = About { format: FORMAT, ..about.clone() };
        let (file, new) = (self.about(), self.0.join("about.json.new"));
        let text = serde_json::to_vec_pretty(&about).map_err(|error| TraceError::at(&file)(error.into()))?;
        files::write(&new, text).and_then(|()| std::fs::rename(&new, &file)).map_err(TraceError::at(&file))
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The file of the description.
    fn about(&self) -> PathBuf {
        self.0.join("about.json")
    }

    /// The file of events.
    pub fn events(&self) -> PathBuf {
        self.0.join("events")
    }

    /// The agent's report of sites and threads.
    pub fn sites(&self) -> PathBuf {
        self.0.join("sites.jsonl")
    }

    /// What the program read on its standard input. The file is there if the program got any input.
    pub fn stdin(&self) -> PathBuf {
        self.0.join("stdin")
    }

    /// The checksum of the agent's report so far.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn sites_checksum(&self) -> Result<Checksum, TraceError> {
        let path = self.sites();
        files::read_regular(&path, u64::MAX, false)
            .map(|bytes| Checksum::of(&bytes))
            .map_err(TraceError::at(&path))
    }

    /// The folder of the tables derived from the events, built after the recording.
    pub fn columns(&self) -> PathBuf {
        self.0.join("columns")
    }

    /// A new folder for building the tables; true when it is beside the final one. If the recording's folder
    /// is read-only, it is a temporary folder.
    ///
    /// # Errors
    /// No temporary folder can be created either.
    pub fn place_for_columns(&self) -> Result<(TemporaryFolder, bool), TraceError> {
        let prefix = ".columns-";
        files::remove_abandoned_in(&self.0, prefix);
        files::remove_abandoned_in(&self.0, NEW_EVENTS);
        let beside = TemporaryFolder::new_in(prefix, &self.0).map(|made| (made, true));
        beside.or_else(|_| Ok((Folder::other_place_for_columns()?, false)))
    }

    /// A new temporary folder for building the tables.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn other_place_for_columns() -> Result<TemporaryFolder, TraceError> {
        let made = TemporaryFolder::new("querypoint-columns-");
        made.map_err(TraceError::at(&std::env::temp_dir())).map_err(TraceError::with_advice)
    }

    /// The folder of rings; it exists during a recording and after an interrupted one.
    pub fn rings(&self) -> PathBuf {
        self.0.join("rings")
    }

    /// The board that flags the rings with new events.
    pub fn board(&self) -> PathBuf {
        self.rings().join(BOARD)
    }
}
