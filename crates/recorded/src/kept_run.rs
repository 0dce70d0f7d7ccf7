//! Keeps the recording of a program in the user's cache folder, as long as its class files are the same. A
//! comparison with the right version uses it in place of a first run. Data that the program reads is not
//! looked at, so a further run has to show that it still does the same.

use super::options::RecordOptions;
use chain::{Chain, Debuggee};
use session::class_path::class_path;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Most recordings that are kept. Those that were not used for the longest time are removed.
const MOST_KEPT: usize = 8;
/// The largest recording that is kept, in bytes.
const LARGEST: u64 = 256 << 20;
/// Most files of classes and resources that are looked at.
const MOST_FILES: usize = 50_000;
/// How the names of folders begin that are not complete.
const NEW: &str = "new-";
/// Options by which `java` finds classes elsewhere than on its class path.
const ELSEWHERE: [&str; 6] = ["-p", "--module-path", "-jar", "-javaagent", "@", "--patch-module"];
/// Variables of the environment that shells change from command to command.
const PASSING: [&str; 3] = ["_", "OLDPWD", "SHLVL"];

/// The place for the recording of a program.
#[derive(Clone, Debug)]
pub struct KeptRun {
    folder: PathBuf,
}

impl KeptRun {
    /// The place for a run of this program with these options. `None` if not all is known on which the run
    /// depends, apart from data, or if there is no cache folder.
    pub fn of(chain: &Chain, options: &RecordOptions) -> Option<KeptRun> {
        let Debuggee { command, .. } = &chain.debuggee;
        let plain = Debuggee {
            command: command.clone(),
            cwd: chain.debuggee.cwd.clone(),
            env: chain.debuggee.env.clone(),
            sources: chain.debuggee.sources.clone(),
            source_encoding: chain.debuggee.source_encoding,
            timeout_s: chain.debuggee.timeout_s,
            ..Debuggee::default()
        };
        let is_elsewhere = |word: &String| ELSEWHERE.iter().any(|option| word.starts_with(option));
        if chain.debuggee != plain || command.iter().any(is_elsewhere) {
            return None;
        }
        let cwd = std::path::absolute(chain.cwd()).ok()?;
        let mut hash = Sha256::new();
        hash.update(files::this_build()?);
        let options = (
            options.level,
            &options.scope,
            &options.trust,
            &options.class_path_property,
            options.timeout_s,
            options.by_owner,
        );
        let variables = std::env::vars_os().filter(|(name, _)| !PASSING.iter().any(|of| name == of));
        let mut variables: Vec<_> = variables.collect();
        variables.sort();
        hash.update(format!("{plain:?} {cwd:?} {options:?} {variables:?}"));
        hash.update(format!("{:?}", executable(command.first()?)?));
        hash.update(format!("{:?}", class_files(&class_path(command)?, &cwd)?));
        let folder = files::cache_folder()?.join("runs").join(files::hex(&hash.finalize()));
        Some(KeptRun { folder })
    }

    /// The recording, if one is kept that had the same standard input as another run.
    pub fn found(&self, with_input_of: &Path) -> Option<&Path> {
        let input = |folder: &Path| match fs::read(folder.join("stdin")) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Vec::new()),
            Err(_) => None,
        };
        let is_there = self.folder.join("about.json").is_file();
        if !is_there || input(&self.folder)? != input(with_input_of)? {
            return None;
        }
        // It was used now.
        let file = fs::File::open(&self.folder);
        drop(file.and_then(|folder| folder.set_modified(SystemTime::now())));
        Some(&self.folder)
    }

    /// Keeps a recording, which nobody uses any more and which is gone from its folder then. If that is
    /// impossible, it stays where it is.
    pub fn keep(&self, recording: &Path) {
        let Some(kept) = self.folder.parent() else { return };
        if size(recording).is_none_or(|size| size > LARGEST) {
            return;
        }
        if !kept.is_dir() && files::create_folder(kept).is_err() {
            return;
        }
        if fs::rename(recording, &self.folder).is_ok() || self.copy(recording, kept).is_some() {
            files::remove_oldest(kept, MOST_KEPT);
        }
    }

    /// Copies a recording from another file system.
    fn copy(&self, recording: &Path, kept: &Path) -> Option<()> {
        files::remove_abandoned_in(kept, NEW);
        let work = files::TemporaryFolder::new_in(NEW, kept).ok()?;
        let to = work.path().join("run");
        files::create_folder(&to).ok()?;
        copy_all(recording, &to).ok()?;
        fs::rename(&to, &self.folder).ok()
    }

    /// Whether this is the place of a folder.
    pub fn is_at(&self, folder: &Path) -> bool {
        self.folder == folder
    }

    /// Removes the recording.
    pub fn discard(&self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// The program that a command starts, and what tells that it was replaced.
fn executable(name: &str) -> Option<(PathBuf, u64, u128)> {
    let path = match name.contains('/') {
        true => PathBuf::from(name),
        false => std::env::split_paths(&std::env::var_os("PATH")?)
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())?,
    };
    let path = path.canonicalize().ok()?;
    let (length, changed) = state(&path.metadata().ok()?)?;
    Some((path, length, changed))
}

/// The length of a file, and the time of its last change in nanoseconds.
fn state(file: &Metadata) -> Option<(u64, u128)> {
    Some((file.len(), file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos()))
}

/// The files that a class path leads to, without those that an earlier folder hides. `None` if there are too
/// many.
fn class_files(class_path: &str, cwd: &Path) -> Option<Vec<(PathBuf, u64, u128)>> {
    let (mut all, mut hidden) = (Vec::new(), HashSet::new());
    for entry in std::env::split_paths(class_path).map(|entry| cwd.join(entry)) {
        let mut open = vec![entry.clone()];
        while let Some(path) = open.pop() {
            let Ok(found) = path.metadata() else { continue };
            if found.is_dir() {
                let inner = fs::read_dir(&path).ok()?.map(|inner| Some(inner.ok()?.path()));
                open.extend(inner.collect::<Option<Vec<PathBuf>>>()?);
                continue;
            }
            let name = path.strip_prefix(&entry).unwrap_or(&path).to_owned();
            let name = if name.as_os_str().is_empty() { path } else { name };
            if hidden.insert(name.clone()) {
                let (length, changed) = state(&found)?;
                all.push((name, length, changed));
            }
            if all.len() > MOST_FILES {
                return None;
            }
        }
    }
    all.sort();
    Some(all)
}

/// The size of the files in a folder, in bytes.
fn size(folder: &Path) -> Option<u64> {
    let mut all = 0;
    for inner in fs::read_dir(folder).ok()? {
        let inner = inner.ok()?;
        let found = inner.metadata().ok()?;
        all += if found.is_dir() { size(&inner.path())? } else { found.len() };
    }
    Some(all)
}

fn copy_all(from: &Path, to: &Path) -> std::io::Result<()> {
    for inner in fs::read_dir(from)? {
        let inner = inner?;
        let to = to.join(inner.file_name());
        if inner.metadata()?.is_dir() {
            files::create_folder(&to)?;
            copy_all(&inner.path(), &to)?;
        } else {
            fs::copy(inner.path(), &to)?;
        }
    }
    Ok(())
}
