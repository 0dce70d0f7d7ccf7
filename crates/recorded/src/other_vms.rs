//! Records the other VMs of a command, each in a folder of its own inside that of the recording.

use super::options::{RecordOptions, about_of, recording_of, recording_outcome};
use chain::Chain;
use run::UnwatchedVm;
use serde::Serialize;
use session::SessionError;
use session::workspace::Workspace;
use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::time::Instant;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use trace::{About, Collector, Folder};

/// Number of VMs that may wait to be recorded; others wait to be told.
const WAITING: usize = 4;
/// Maximum number of VMs that are recorded. Each has a collector of its own.
const MOST: usize = 32;

/// A VM of the command besides the one that is meant.
#[derive(Clone, Debug, Serialize)]
pub struct RecordedVm {
    /// Its main class; `None` if the system does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// Its recording.
    pub folder: PathBuf,
    /// Size of the file with its events, in bytes.
    pub stored: u64,
    /// Reasons why events are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A VM that is being recorded.
struct VmRecording {
    main: Option<String>,
    folder: Folder,
    about: About,
    collector: Collector,
    began: Instant,
}

/// The other VMs of a command.
pub struct OtherVms {
    told: Option<Receiver<UnwatchedVm>>,
    /// The folder of the recordings.
    place: PathBuf,
    recordings: Vec<VmRecording>,
    /// Why VMs were not recorded.
    unrecorded: Vec<String>,
}

impl OtherVms {
    /// Without VMs so far. Returns also whom to tell of each; `None` if they are not to be recorded.
    pub fn new(options: &RecordOptions, folder: &Folder) -> (Option<Sender<UnwatchedVm>>, OtherVms) {
        let (tells, told) = options.all_jvms.then(|| channel(WAITING)).unzip();
        let place = folder.vms();
        (tells, OtherVms { told, place, recordings: Vec::new(), unrecorded: Vec::new() })
    }

    /// Records each VM that is told of until the run ends.
    pub async fn record_during<T>(
        &mut self,
        run: impl Future<Output = T>,
        chain: &Chain,
        workspace: &Workspace,
        options: &RecordOptions,
    ) -> T {
        let Some(mut told) = self.told.take() else { return run.await };
        let mut run = pin!(run);
        loop {
            let vm = tokio::select! {
                ended = &mut run => return ended,
                Some(vm) = told.recv() => vm,
            };
            let main = vm.main.clone();
            if let Err(error) = self.record(vm, chain, workspace, options) {
                let main = main.as_deref().unwrap_or("a VM");
                self.unrecorded.push(format!("{main} was not recorded: {error}"));
            }
        }
    }

    fn record(
        &mut self,
        vm: UnwatchedVm,
        chain: &Chain,
        workspace: &Workspace,
        options: &RecordOptions,
    ) -> Result<(), run::ObserverError> {
        if self.recordings.len() >= MOST {
            return Err(format!("{MOST} VMs of the command are recorded already").into());
        }
        if self.recordings.is_empty() {
            files::create_folder(&self.place)?;
        }
        let main = vm.main.clone();
        let number = self.recordings.len() + 1;
        let options =
            &RecordOptions { out: self.place.join(name_of(number, main.as_deref())), ..options.clone() };
        let mut about = About { jvm: main.clone(), ..about_of(chain, options)? };
        let folder = Folder::create(&options.out, &about)?;
        let (recording, pool) = recording_of(workspace, options, &folder, &mut about, &vm.facts)?;
        let collector = Collector::begin(&folder, options.max_size)?;
        let begun = vm.record(&recording, &pool);
        self.recordings.push(VmRecording { main, folder, about, collector, began: Instant::now() });
        Ok(begun?)
    }

    /// Ends the recordings, since the command has ended so. Removes recordings without events. Returns the
    /// others, and why VMs were not recorded.
    ///
    /// # Errors
    /// A recording cannot be written.
    pub fn finish(
        self,
        options: &RecordOptions,
        ended: &str,
    ) -> Result<(Vec<RecordedVm>, Vec<String>), SessionError> {
        let mut recorded = Vec::new();
        for VmRecording { main, folder, mut about, collector, began } in self.recordings {
            let seconds = began.elapsed().as_secs_f64();
            let collected = collector.finish();
            if collected.bytes == 0 && collected.missing.is_empty() {
                drop(std::fs::remove_dir_all(folder.path()));
                continue;
            }
            let (stored, missing) = (collected.stored, collected.missing.clone());
            about.dropped = collected.dropped;
            let ended = format!("with the command: {ended}");
            about.recorded = Some(recording_outcome(options, &folder, ended, collected, seconds)?);
            folder.say(&about)?;
            recorded.push(RecordedVm { main, folder: folder.path().to_owned(), stored, missing });
        }
        // It stays if a recording is there.
        drop(std::fs::remove_dir(&self.place));
        Ok((recorded, self.unrecorded))
    }
}

/// The name of the folder of a VM.
fn name_of(number: usize, main: Option<&str>) -> String {
    let main = main.map(|main| main.rsplit(['.', '/', ' ']).next().unwrap_or(main));
    let is_name =
        |main: &&str| !main.is_empty() && main.chars().all(|c| c.is_alphanumeric() || "_$-".contains(c));
    match main.filter(is_name) {
        Some(main) => format!("{number}-{main}"),
        None => number.to_string(),
    }
}
