//! Decides whether a build can be skipped: the command, its sources and its outputs are unchanged since its
//! last success.

use super::error::{DebuggeeError, Step};
use super::output::Forward;
use super::template::Template;
use classes::LaunchCommand;
use files::{cache_folder, hex};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

/// The result of [`Template::build`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildOutcome {
    /// The debuggee has no `build`.
    Nothing,
    /// Nothing has changed since the last success.
    Skipped,
    /// The build ran for this long.
    Built(Duration),
}

/// Extensions of build inputs: JVM languages, build scripts, and resources that build tools copy.
const SOURCES: [&str; 13] = [
    "java",
    "kt",
    "kts",
    "scala",
    "groovy",
    "gradle",
    "xml",
    "properties",
    "toml",
    "json",
    "yml",
    "yaml",
    "sh",
];
/// Extensions of build outputs that the VM reads.
const OUTPUTS: [&str; 3] = ["class", "jar", "war"];
/// Output folders of build tools, for commands whose class path is unknown.
const OUTPUT_FOLDERS: [&str; 5] = ["target", "build", "out", "bin", "classes"];
/// Maximum number of files to hash; beyond it, the build tool's own check is faster.
const MAX_FILES: usize = 50_000;

impl Template {
    /// Runs `build`, unless the command, its sources and its outputs are unchanged since the last success.
    /// The folder [`cache`](super::template::Settings::cache) holds the record. By default that is
    /// `querypoint/builds` in `XDG_CACHE_HOME` or `~/.cache`.
    ///
    /// # Errors
    /// The build cannot be started or fails.
    pub async fn build(&self, forward: Option<Forward>) -> Result<BuildOutcome, DebuggeeError> {
        let Some(command) = &self.settings().build else { return Ok(BuildOutcome::Nothing) };
        let record = Record::of(self, command);
        if record.is_current() {
            return Ok(BuildOutcome::Skipped);
        }
        let started = Instant::now();
        self.step(Step::Build, command, forward, None).await?;
        record.keep(self);
        Ok(BuildOutcome::Built(started.elapsed()))
    }

    /// Whether [`Template::build`] would skip the build.
    pub fn is_built(&self) -> bool {
        self.settings().build.as_ref().is_none_or(|command| Record::of(self, command).is_current())
    }
}

/// The state before a build, and the file that holds the state after its last success.
pub(super) struct Record {
    file: Option<PathBuf>,
    sources: Option<String>,
    current: bool,
}

impl Record {
    pub fn of(template: &Template, command: &[String]) -> Record {
        let settings = template.settings();
        let cwd = settings.cwd.canonicalize().unwrap_or_else(|_| settings.cwd.clone());
        let mut key = Sha256::new();
        field(&mut key, cwd.as_os_str().as_encoded_bytes());
        command.iter().for_each(|word| field(&mut key, word.as_bytes()));
        field(&mut key, b"environment");
        settings.env.iter().for_each(|(k, v)| field(&mut key, format!("{k}={v}").as_bytes()));
        field(&mut key, template.variable("JAVA_HOME").unwrap_or_default().as_bytes());
        field(&mut key, template.variable("PATH").unwrap_or_default().as_bytes());
        let folder = settings.cache.clone().or_else(builds_folder);
        let file = folder.map(|dir| dir.join(hex(&key.finalize())));
        let roots = if settings.sources.is_empty() { vec![PathBuf::new()] } else { settings.sources.clone() };
        let sources = state(&cwd, &roots, &SOURCES, true);
        let mut record = Record { file, sources, current: false };
        let before = record.file.as_ref().and_then(|f| std::fs::read_to_string(f).ok());
        record.current = before.is_some() && before == record.text(template);
        record
    }

    /// Whether the build can be skipped.
    pub fn is_current(&self) -> bool {
        self.current
    }

    /// Stores a success. If the cache cannot be written, the next build runs again.
    pub fn keep(&self, template: &Template) {
        let (Some(file), Some(text)) = (&self.file, self.text(template)) else { return };
        let Some(folder) = file.parent() else { return };
        let new = file.with_extension(std::process::id().to_string());
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&new, text));
        if written.and_then(|()| std::fs::rename(&new, file)).is_err() {
            let _ = std::fs::remove_file(&new);
        }
    }

    /// The state to store: the sources before the build and the outputs now.
    fn text(&self, template: &Template) -> Option<String> {
        let settings = template.settings();
        let mut roots: Vec<PathBuf> = OUTPUT_FOLDERS.iter().map(PathBuf::from).collect();
        if let Some(remote) = &settings.remote {
            roots.extend(remote.classes.iter().cloned());
        }
        match template.launch_command() {
            Ok(LaunchCommand::Java(java)) => {
                roots.extend(java.class_path.into_iter().chain(java.module_path))
            }
            Ok(LaunchCommand::Wrapper { .. }) => {}
            // The program cannot be launched before it is built.
            Err(_) => return None,
        }
        let outputs = state(&settings.cwd, &roots, &OUTPUTS, false)?;
        Some(format!("sources {}\noutputs {outputs}\n", self.sources.as_ref()?))
    }
}

/// Hashes the files below the roots that have one of the extensions: their content, or their size and time.
/// `None` beyond [`MAX_FILES`], or when a file cannot be read.
fn state(cwd: &Path, roots: &[PathBuf], extensions: &[&str], content: bool) -> Option<String> {
    let mut files = Vec::new();
    for root in roots {
        let place = cwd.join(root);
        if place.is_dir() {
            collect(&place, extensions, &mut files)?;
        } else if place.is_file() {
            files.push(place);
        }
    }
    files.sort();
    files.dedup();
    let mut hash = Sha256::new();
    for file in files {
        field(&mut hash, file.as_os_str().as_encoded_bytes());
        if content {
            field(&mut hash, &std::fs::read(&file).ok()?);
        } else {
            let meta = file.metadata().ok()?;
            let time = meta.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
            field(&mut hash, format!("{} {}", meta.len(), time.as_nanos()).as_bytes());
        }
    }
    Some(hex(&hash.finalize()))
}

fn collect(dir: &Path, extensions: &[&str], out: &mut Vec<PathBuf>) -> Option<()> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Some(()) };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let hidden = name.as_encoded_bytes().starts_with(b".") || name == "node_modules";
        match entry.file_type() {
            // Do not follow links to folders, which can form a cycle.
            Ok(kind) if kind.is_dir() && !hidden => collect(&path, extensions, out)?,
            Ok(kind) if !kind.is_dir() && path.is_file() => {
                let wanted = path.extension().and_then(|e| e.to_str());
                if wanted.is_some_and(|e| extensions.contains(&e)) {
                    out.push(path);
                }
            }
            _ => {}
        }
        if out.len() > MAX_FILES {
            return None;
        }
    }
    Some(())
}

/// Hashes a field with its length, so that two fields cannot equal a single one.
fn field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

/// Where builds are kept if no folder is chosen.
pub(super) fn builds_folder() -> Option<PathBuf> {
    Some(cache_folder()?.join("builds"))
}
