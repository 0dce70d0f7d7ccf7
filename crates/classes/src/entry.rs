//! One opened element of the class path or module path: a folder of class files, or a jar, possibly nested in
//! another jar.

use super::archive::Archive;
use super::manifest::class_path_element;
use super::origin::{ClassBytes, Origin};
use super::paths::ResolvedPath;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders inside a jar that the class loader of an executable jar or war adds to its root.
const CLASS_FOLDERS: [&str; 2] = ["BOOT-INF/classes/", "WEB-INF/classes/"];
/// Folders inside a jar whose jars such a class loader adds.
const JAR_FOLDERS: [&str; 4] = ["BOOT-INF/lib/", "WEB-INF/lib/", "WEB-INF/lib-provided/", "lib/"];
/// Maximum number of files to visit: a class path of `.` in a home folder must not walk the whole disk.
const MAX_WALKED: usize = 200_000;

/// An opened element of the class path or module path.
pub(super) enum Entry {
    Folder(ResolvedPath),
    Jar(JarEntry),
}

pub(super) struct JarEntry {
    place: ResolvedPath,
    /// The jars that enclose this one, by entry name, outermost first.
    inside: Vec<String>,
    archive: Arc<Archive>,
    /// Folders of the jar that may hold classes, in search order; each ends with `/` or is empty.
    prefixes: Vec<String>,
}

impl Entry {
    /// Opens a place. The error says why it is no class path element. `feature` is the runtime's feature
    /// version (17, 25), which selects the classes of a multi-release jar.
    pub fn open(place: ResolvedPath, feature: u32) -> Result<Entry, String> {
        if place.real.is_dir() {
            return Ok(Entry::Folder(place));
        }
        let archive = Archive::open(&place.real)?;
        Ok(Entry::jar(place, Vec::new(), archive, feature))
    }

    fn jar(place: ResolvedPath, inside: Vec<String>, archive: Archive, feature: u32) -> Entry {
        let mut prefixes = Vec::new();
        if archive.manifest.multi_release {
            let versions: BTreeSet<u32> = archive
                .names()
                .filter_map(|n| n.strip_prefix("META-INF/versions/")?.split('/').next()?.parse().ok())
                .filter(|v| *v <= feature)
                .collect();
            prefixes.extend(versions.iter().rev().map(|v| format!("META-INF/versions/{v}/")));
        }
        prefixes.push(String::new());
        for folder in CLASS_FOLDERS {
            if archive.names().any(|n| n.starts_with(folder)) {
                prefixes.push(folder.to_owned());
            }
        }
        Entry::Jar(JarEntry { place, inside, archive: Arc::new(archive), prefixes })
    }

    /// The places searched right after this one: the `Class-Path` of its manifest.
    pub fn follow(&self) -> Vec<ResolvedPath> {
        let Entry::Jar(jar) = self else { return Vec::new() };
        if !jar.inside.is_empty() {
            return Vec::new();
        }
        let beside = |p: &Path| p.parent().map(Path::to_owned).unwrap_or_default();
        let (shown, real) = (beside(&jar.place.shown), beside(&jar.place.real));
        let elements = jar.archive.manifest.class_path.iter().filter_map(|url| class_path_element(url));
        elements.map(|e| ResolvedPath { shown: shown.join(&e), real: real.join(&e) }).collect()
    }

    /// Opens the nested jars that the class loader of an executable jar adds; errors name the jar and the
    /// reason.
    pub fn nested(&self, feature: u32) -> Vec<Result<Entry, (String, String)>> {
        let Entry::Jar(jar) = self else { return Vec::new() };
        let inner: BTreeSet<&str> = jar
            .archive
            .names()
            .filter(|n| n.ends_with(".jar") && JAR_FOLDERS.iter().any(|f| n.starts_with(f)))
            .collect();
        let open = |name: &str| {
            let archive = jar.archive.nested(name).map_err(|e| (format!("{}!/{name}", jar.shown()), e))?;
            let inside = jar.inside.iter().cloned().chain([name.to_owned()]).collect();
            Ok(Entry::jar(jar.place.clone(), inside, archive, feature))
        };
        inner.into_iter().map(open).collect()
    }

    /// Reads `a/B.class`. The error holds the origin of a file that exists but cannot be read.
    pub fn find(&self, file: &str) -> Result<Option<ClassBytes>, (Origin, String)> {
        match self {
            Entry::Folder(place) => {
                let path = place.real.join(file);
                if !path.is_file() {
                    return Ok(None);
                }
                let origin = Origin::Folder(place.shown.join(file));
                let read = std::fs::read(&path).map_err(|e| (origin.clone(), e.to_string()))?;
                let modified = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
                Ok(Some(ClassBytes { bytes: read, origin, modified }))
            }
            Entry::Jar(jar) => {
                let candidates = jar.prefixes.iter().map(|p| format!("{p}{file}"));
                let Some(name) = candidates.into_iter().find(|n| jar.archive.contains(n)) else {
                    return Ok(None);
                };
                let origin = Origin::Jar {
                    jar: jar.place.shown.clone(),
                    inside: jar.inside.clone(),
                    entry: name.clone(),
                };
                match jar.archive.read(&name) {
                    Ok(bytes) => {
                        let modified = jar.archive.modified;
                        Ok(bytes.map(|bytes| ClassBytes { bytes, origin, modified }))
                    }
                    Err(e) => Err((origin, e)),
                }
            }
        }
    }

    /// Whether `a/B.class` exists, without reading it.
    pub fn contains(&self, file: &str) -> bool {
        match self {
            Entry::Folder(place) => place.real.join(file).is_file(),
            Entry::Jar(jar) => jar.prefixes.iter().any(|p| jar.archive.contains(&format!("{p}{file}"))),
        }
    }

    /// The folder or jar as the user wrote it, and whether its classes are the user's own: those of folders
    /// and of `own_jar`, but not of the jars nested in it.
    pub fn owner(&self, own_jar: Option<&Path>) -> (PathBuf, bool) {
        match self {
            Entry::Folder(place) => (place.shown.clone(), true),
            Entry::Jar(jar) => {
                let is_own = jar.inside.is_empty() && own_jar == Some(jar.place.shown.as_path());
                (PathBuf::from(jar.shown()), is_own)
            }
        }
    }

    /// The folder or jar; `None` for a nested jar.
    pub fn place(&self) -> Option<PathBuf> {
        match self {
            Entry::Folder(place) => Some(place.real.clone()),
            Entry::Jar(jar) => jar.inside.is_empty().then(|| jar.place.real.clone()),
        }
    }

    /// Adds the binary names of all classes.
    pub fn class_names(&self, out: &mut BTreeSet<String>) {
        match self {
            Entry::Folder(place) => {
                let mut left = MAX_WALKED;
                walk(&place.real, "", &mut left, out);
            }
            Entry::Jar(jar) => out.extend(jar.files().filter_map(binary_name)),
        }
    }

    /// The binary names of the classes in one package (`a.b`, or empty).
    pub fn package(&self, package: &str) -> BTreeSet<String> {
        let in_package = |n: &String| n.rsplit_once('.').map_or("", |(p, _)| p) == package;
        match self {
            Entry::Folder(place) => {
                let folder = place.real.join(package.replace('.', "/"));
                let Ok(files) = std::fs::read_dir(folder) else { return BTreeSet::new() };
                let names = files.flatten().filter_map(|f| f.file_name().into_string().ok());
                let prefix = if package.is_empty() { String::new() } else { format!("{package}.") };
                names.filter_map(|n| Some(format!("{prefix}{}", n.strip_suffix(".class")?))).collect()
            }
            Entry::Jar(jar) => jar.files().filter_map(binary_name).filter(in_package).collect(),
        }
    }
}

impl JarEntry {
    fn shown(&self) -> String {
        let mut text = self.place.shown.display().to_string();
        for inner in &self.inside {
            text.push_str("!/");
            text.push_str(inner);
        }
        text
    }

    /// The class files below the prefixes, without the prefix.
    fn files(&self) -> impl Iterator<Item = &str> {
        self.archive.names().filter_map(|name| {
            let longest =
                self.prefixes.iter().filter(|p| name.starts_with(p.as_str())).max_by_key(|p| p.len())?;
            name.get(longest.len()..)
        })
    }
}

/// Converts `a/B.class` to `a.B`; `None` for names that no class can have (`META-INF/…`, `module-info`).
fn binary_name(file: &str) -> Option<String> {
    let path = file.strip_suffix(".class")?;
    let (folders, simple) = path.rsplit_once('/').unwrap_or(("", path));
    let identifiers = folders.is_empty() || folders.split('/').all(is_identifier);
    (identifiers && is_simple_name(simple)).then(|| path.replace('/', "."))
}

/// Whether a name can be a package: `META-INF`, `.git` and `node_modules/x-y` cannot.
fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// `module-info` and `package-info` are no classes that anyone asks for.
fn is_simple_name(name: &str) -> bool {
    !name.is_empty() && !name.ends_with("-info")
}

fn walk(dir: &Path, package: &str, left: &mut usize, out: &mut BTreeSet<String>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
        if kind.is_dir() {
            // Links to folders are not followed: they can form a ring.
            if is_identifier(&name) {
                walk(&entry.path(), &format!("{package}{name}."), left, out);
            }
        } else if let Some(simple) = name.strip_suffix(".class")
            && is_simple_name(simple)
        {
            out.insert(format!("{package}{simple}"));
        }
    }
}
