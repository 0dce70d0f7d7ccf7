//! Where a recorded run is kept.

use super::columns::Checksum;
use super::error::TraceError;
use crate::files::{self, TemporaryFolder};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use wire::recording::{BOARD, BOARD_BYTES, Level, Places, Window};

/// The version of the format.
const FORMAT: u32 = 8;

/// The folder of a recorded run.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

/// What a recorded run is of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The version of the format.
    pub format: u32,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Whether words of the command are not the program's: what is secret of them was not kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// The folder that it ran in.
    pub cwd: PathBuf,
    /// By which its user knows that it is their own, and may be run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// How much was recorded.
    pub level: Level,
    /// What was recorded: patterns of classes; none: all but those of the JDK.
    pub scope: Vec<String>,
    /// What was not.
    pub trust: Vec<String>,
    /// Only these calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Only what was done between these places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<Places>,
    /// What became of it; none while it is recorded, and where that was cut off.
    pub recorded: Option<RecordingOutcome>,
}

impl About {
    /// Of a part it is not known which of the hits of a place in the whole run its events are.
    ///
    /// # Errors
    /// Only some calls were recorded.
    pub fn is_whole(&self) -> Result<(), TraceError> {
        if self.window.is_some() || self.places.is_some() {
            Err(TraceError::PartialRecording)
        } else {
            Ok(())
        }
    }
}

/// What became of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordingOutcome {
    /// How the program ended.
    pub ended: String,
    /// How long the run took, in seconds.
    pub seconds: f64,
    /// For how long threads of the program have waited until events were taken out, in seconds, added up.
    pub waited_s: f64,
    /// Bytes of events.
    pub bytes: u64,
    /// What is missing, and why.
    pub missing: Vec<String>,
    /// The checksum of `sites.jsonl` as the program had ended; none in recordings of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites: Option<Checksum>,
    /// The places that were not reached, of those where it begins and ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<String>,
}

impl Folder {
    /// Where what a call does is kept, when that was recorded later.
    pub fn detail(&self, node: u32, level: Level) -> PathBuf {
        self.0.join("details").join(format!("{node}-{level}"))
    }

    /// What was recorded later: calls, each with how much of it.
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

    /// Makes a new one.
    ///
    /// # Errors
    /// It is there already, or cannot be made.
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
        // Its bytes are written, so that there is room for them on the disk: the VM is killed where it writes
        // to memory that has none.
        let board = vec![0; usize::try_from(BOARD_BYTES).unwrap_or(0)];
        let written = files::create_new(&folder.board()).and_then(|mut file| file.write_all(&board));
        written.map_err(TraceError::at(&folder.board()))?;
        folder.say(about)?;
        Ok(folder)
    }

    /// One that is there.
    ///
    /// # Errors
    /// There is none, or it is of another format.
    pub fn open(path: &Path) -> Result<(Folder, About), TraceError> {
        let folder = Folder(path.to_owned());
        let file = folder.about();
        let text = match std::fs::read(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(TraceError::NoRecording(path.to_owned()));
            }
            text => text.map_err(TraceError::at(&file))?,
        };
        let about: About =
            serde_json::from_slice(&text).map_err(|error| TraceError::at(&file)(error.into()))?;
        if about.format != FORMAT {
            return Err(TraceError::Format { path: file, found: about.format, known: FORMAT });
        }
        Ok((folder, about))
    }

    /// Writes what the run is of, whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn say(&self, about: &About) -> Result<(), TraceError> {
        let about = About { format: FORMAT, ..about.clone() };
        let (file, new) = (self.about(), self.0.join("about.json.new"));
        let text = serde_json::to_vec_pretty(&about).map_err(|error| TraceError::at(&file)(error.into()))?;
        files::write(&new, text).and_then(|()| std::fs::rename(&new, &file)).map_err(TraceError::at(&file))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What the run is of.
    fn about(&self) -> PathBuf {
        self.0.join("about.json")
    }

    /// The chunks of events.
    pub fn events(&self) -> PathBuf {
        self.0.join("events")
    }

    /// What the agent has told: sites and threads.
    pub fn sites(&self) -> PathBuf {
        self.0.join("sites.jsonl")
    }

    /// The checksum of what the agent has told so far.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn sites_checksum(&self) -> Result<Checksum, TraceError> {
        let path = self.sites();
        std::fs::read(&path).map(|bytes| Checksum::of(&bytes)).map_err(TraceError::at(&path))
    }

    /// The tables that are derived from the events, when the recording has ended.
    pub fn columns(&self) -> PathBuf {
        self.0.join("columns")
    }

    /// A new folder to make them in, and whether that is beside; where nothing can be written there, it is
    /// among the system's temporary files.
    ///
    /// # Errors
    /// Nothing can be written there either.
    pub fn place_for_columns(&self) -> Result<(TemporaryFolder, bool), TraceError> {
        let prefix = ".columns-";
        files::remove_abandoned_in(&self.0, prefix);
        let beside = TemporaryFolder::new_in(prefix, &self.0).map(|made| (made, true));
        beside.or_else(|_| Ok((Folder::other_place_for_columns()?, false)))
    }

    /// A new folder to make them in among the system's temporary files.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub fn other_place_for_columns() -> Result<TemporaryFolder, TraceError> {
        let made = TemporaryFolder::new("querypoint-columns-");
        made.map_err(TraceError::at(&std::env::temp_dir())).map_err(TraceError::with_advice)
    }

    /// The rings, while the run is recorded, and where that was cut off.
    pub fn rings(&self) -> PathBuf {
        self.0.join("rings")
    }

    /// By which the rings are found that were written to.
    pub fn board(&self) -> PathBuf {
        self.rings().join(BOARD)
    }
}
