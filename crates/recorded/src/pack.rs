//! Packs a recording into one file, with the sources and class files that its views read, for people who do
//! not have the program.

use super::open::RecordedTrace;
use super::packed::{FORMAT, MARK, Mark, of_pack, refused};
use classes::{ClassPool, SourcePaths, SourceRoots};
use files::{PackedFile, TemporaryFile, TemporaryFolder};
use serde::Serialize;
use session::{Context, SessionError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trace::{About, Folder, TraceError};

/// What a recording's folder has besides the recording: tables that are built again, and rings.
const DERIVED: [&str; 2] = ["columns", "rings"];

/// How long packing waits for the end of a recording's compression.
const COMPRESSED_WITHIN: Duration = Duration::from_secs(60);
/// The pause between two attempts to pack a recording.
const AGAIN: Duration = Duration::from_millis(100);

/// The result of packing a recording.
#[derive(Clone, Debug, Serialize)]
pub struct PackResult {
    /// The file.
    pub file: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Number of source files in it.
    pub sources: usize,
    /// Number of class files in it.
    pub classes: usize,
    /// The recorded classes whose source was not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_source: Vec<String>,
    /// The recorded classes whose class file was not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_class: Vec<String>,
    /// The reasons why parts of the run are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// Packs a recording, with sources that are looked for in these folders too. The file is replaced only when
/// it is complete.
///
/// # Errors
/// The recording is still being written or was cut off, a file cannot be read or written, or the user
/// interrupted.
pub async fn pack(
    trace: &RecordedTrace,
    sources: &SourcePaths,
    file: &Path,
    context: &Context,
) -> Result<PackResult, SessionError> {
    let folder = trace.folder.path();
    if trace.about.recorded.is_none() {
        return Err(refused(
            folder,
            "it is still being written, or was cut off: its events are not complete",
        ));
    }
    let scratch = TemporaryFolder::new("querypoint-").map_err(TraceError::at(file))?;
    let mut packed = vec![written(scratch.path(), MARK, &Mark { format: FORMAT })?];
    // Nobody else's `qp` shall take the recording for its user's own.
    let about = About { signature: None, ..trace.about.clone() };
    packed.push(PackedFile {
        name: "trace/about.json".to_owned(),
        ..written(scratch.path(), "about.json", &about)?
    });
    let mut code = Code { folder: scratch.path(), packed: &mut packed, result: PackResult::of(file, trace) };
    code.add(trace, sources, context)?;
    let mut result = code.result;
    let before = packed.len();
    // A recording is compressed in the background; what was copied meanwhile may not fit together.
    let started = Instant::now();
    loop {
        packed.truncate(before);
        let events = state_of(&trace.folder);
        add_folder(folder, "trace", &mut packed)?;
        let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (to, temporary) =
            TemporaryFile::new_in(beside).map_err(|error| TraceError::at(file)(error.kind().into()))?;
        let archived = files::pack(&packed, to, &mut || !context.is_interrupted());
        if events == state_of(&trace.folder) {
            archived.map_err(|error| of_pack(file, error))?;
            temporary.persist(file).map_err(TraceError::at(file))?;
            result.bytes = std::fs::metadata(file).map_err(TraceError::at(file))?.len();
            return Ok(result);
        }
        if started.elapsed() > COMPRESSED_WITHIN {
            let why = "its files changed while they were packed: try again when nothing reads it";
            return Err(refused(folder, why));
        }
        tokio::select! {
            () = tokio::time::sleep(AGAIN) => {}
            () = context.interrupted() => return Err(SessionError::Interrupted),
        }
    }
}

/// The lengths and times of the files of events.
fn state_of(folder: &Folder) -> Vec<Option<(u64, Option<std::time::SystemTime>)>> {
    let parts = [folder.events(), folder.events().with_extension("part")];
    parts.iter().map(|file| std::fs::metadata(file).ok().map(|of| (of.len(), of.modified().ok()))).collect()
}

/// Writes a value as a file of the archive.
fn written(folder: &Path, name: &str, value: &impl Serialize) -> Result<PackedFile, SessionError> {
    let path = folder.join(name);
    let text = serde_json::to_vec_pretty(value).map_err(|error| TraceError::at(&path)(error.into()))?;
    files::write(&path, text).map_err(TraceError::at(&path))?;
    Ok(PackedFile { name: name.to_owned(), path })
}

/// Adds the files of a recording's folder, and of the later recordings in it.
fn add_folder(folder: &Path, name: &str, packed: &mut Vec<PackedFile>) -> Result<(), SessionError> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(TraceError::at(folder))? {
        entries.push(entry.map_err(TraceError::at(folder))?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().map_err(TraceError::at(folder))?;
        let Ok(file) = entry.file_name().into_string() else { continue };
        let inside = format!("{name}/{file}");
        if kind.is_dir() && !DERIVED.contains(&file.as_str()) {
            add_folder(&entry.path(), &inside, packed)?;
        } else if kind.is_file() && inside != "trace/about.json" && !file.starts_with('.') {
            packed.push(PackedFile { name: inside, path: entry.path() });
        }
    }
    Ok(())
}

/// The sources and class files of a recording, while they are collected.
struct Code<'a> {
    folder: &'a Path,
    packed: &'a mut Vec<PackedFile>,
    result: PackResult,
}

impl PackResult {
    fn of(file: &Path, trace: &RecordedTrace) -> PackResult {
        PackResult {
            file: file.to_owned(),
            bytes: 0,
            sources: 0,
            classes: 0,
            without_source: Vec::new(),
            without_class: Vec::new(),
            missing: trace.missing(),
        }
    }
}

impl Code<'_> {
    /// Adds what the recorded classes were made of.
    fn add(
        &mut self,
        trace: &RecordedTrace,
        sources: &SourcePaths,
        context: &Context,
    ) -> Result<(), SessionError> {
        let (pool, roots) = (trace.class_files(), trace.sources(sources));
        let mut names = BTreeSet::new();
        for method in trace.calls.sites.methods() {
            if context.is_interrupted() {
                return Err(SessionError::Interrupted);
            }
            if names.insert(method.class.clone()) {
                self.add_class(&method.class, pool.as_ref())?;
                self.add_source(&method.class, method.source.as_deref(), pool.as_ref(), roots.as_ref())?;
            }
        }
        Ok(())
    }

    fn add_class(&mut self, class: &str, pool: Option<&ClassPool>) -> Result<(), SessionError> {
        let bytes = pool.and_then(|pool| pool.read(class).ok().flatten()).map(|read| read.bytes);
        let is_added = match (bytes, place(class)) {
            (Some(bytes), Some((package, simple))) => {
                self.write("classes", &package, &format!("{simple}.class"), &bytes)?
            }
            _ => None,
        };
        match is_added {
            Some(_) => self.result.classes += 1,
            None => self.result.without_class.push(class.to_owned()),
        }
        Ok(())
    }

    fn add_source(
        &mut self,
        class: &str,
        source: Option<&str>,
        pool: Option<&ClassPool>,
        roots: Option<&SourceRoots>,
    ) -> Result<(), SessionError> {
        let found = pool.and_then(|pool| pool.find(class).ok().flatten());
        let origin = found.as_ref().map(|found| &found.origin);
        let text = roots.and_then(|roots| roots.find(class, source, origin));
        let is_there = match (&text, place(class)) {
            (Some(text), Some((package, _))) => match text.path.rsplit(['/', '!']).next() {
                Some(file) => {
                    let lines: String = text.lines().iter().flat_map(|line| [line.as_str(), "\n"]).collect();
                    let made = self.write("sources", &package, file, lines.as_bytes())?;
                    self.result.sources += usize::from(made == Some(true));
                    made.is_some()
                }
                None => false,
            },
            _ => false,
        };
        if !is_there {
            self.result.without_source.push(class.to_owned());
        }
        Ok(())
    }

    /// Writes a file of the archive. Returns whether it is new; none if its name is no name of a file.
    fn write(
        &mut self,
        kind: &str,
        package: &str,
        file: &str,
        bytes: &[u8],
    ) -> Result<Option<bool>, SessionError> {
        if !is_name(file) {
            return Ok(None);
        }
        let name =
            [kind, package, file].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        let path = self.folder.join(&name);
        if path.exists() {
            return Ok(Some(false));
        }
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| files::write(&path, bytes)).map_err(TraceError::at(&path))?;
        self.packed.push(PackedFile { name, path });
        Ok(Some(true))
    }
}

/// The folder of a class's package, and its name there; none if they are no names of files, as those of
/// hidden classes.
fn place(class: &str) -> Option<(String, &str)> {
    let (package, simple) = class.rsplit_once('.').unwrap_or(("", class));
    let are_names = class.split('.').all(is_name);
    are_names.then(|| (package.replace('.', "/"), simple))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text != "." && text != ".." && !text.contains(['/', '\\', '\0', ':'])
}
