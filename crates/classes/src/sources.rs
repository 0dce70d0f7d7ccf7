//! Finds the source files of classes: in the source roots, below and above them, and in the JDK's `src.zip`.

use super::archive::Archive;
use super::found_class::FoundClass;
use super::origin::Origin;
use super::source_encoding::{SourceEncoding, decode, lines_of};
use bytecode::descriptor::written::Language;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// Source folders of a project, by the conventions of the build tools.
const BELOW: [&str; 15] = [
    "",
    "src",
    "src/main/java",
    "src/test/java",
    "src/main/kotlin",
    "src/test/kotlin",
    "src/main/scala",
    "src/test/scala",
    "src/main/groovy",
    "src/test/groovy",
    "src/main/clojure",
    "src/test/clojure",
    "src/main/webapp",
    "source",
    "test",
];
/// How many folders above a root or class file are searched.
const ABOVE: usize = 3;

/// Where sources are looked for besides where the program's command leads.
#[derive(Clone, Debug, Default)]
pub struct SourcePaths {
    /// Folders and archives.
    pub paths: Vec<PathBuf>,
    /// Their encoding; without one, the bytes of each file decide.
    pub encoding: Option<SourceEncoding>,
}

/// The text of one source file.
#[derive(Debug)]
pub struct SourceText {
    /// `src/pkg/Intro.java`, or `lib/src.zip!/java.base/java/lang/String.java`.
    pub path: String,
    /// Modification time of the file, or of the archive that holds it.
    pub modified: Option<SystemTime>,
    lines: Vec<String>,
}

impl SourceText {
    /// The line with this number, counted from 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        self.lines.get(at).map(String::as_str)
    }

    /// All lines without their terminators.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// A warning when the class file is older than this source, so that line numbers may differ. JDK classes
    /// get none: their sources always match.
    pub fn newer_than(&self, class: &FoundClass) -> Option<String> {
        if class.origin.is_runtime() {
            return None;
        }
        (class.modified? < self.modified?).then(|| {
            format!("{} is older than {}: build again, lines may have moved", class.origin, self.path)
        })
    }

    fn new(path: String, modified: Option<SystemTime>, text: &str) -> SourceText {
        SourceText { path, modified, lines: lines_of(text) }
    }
}

/// The places searched for sources. Results are cached, including failures.
pub struct SourceRoots {
    cwd: PathBuf,
    roots: Vec<Root>,
    /// The encoding of the sources; without one, their bytes decide.
    encoding: Option<SourceEncoding>,
    missing: Vec<PathBuf>,
    jdk: Option<PathBuf>,
    jdk_archive: OnceLock<Option<Archive>>,
    /// Results by package and file name.
    known: Mutex<HashMap<(String, String), Answer>>,
}

type Answer = Option<Arc<SourceText>>;

enum Root {
    Folder(PathBuf),
    Archive { shown: PathBuf, archive: Archive },
}

impl SourceRoots {
    /// Opens the roots: folders, and zips or jars of sources, relative to `cwd`. Roots that do not exist are
    /// skipped.
    pub fn open(roots: &[PathBuf], cwd: &Path, java_home: Option<&Path>) -> SourceRoots {
        let open = |root: &PathBuf| {
            let real = cwd.join(root);
            if real.is_file() {
                return Archive::open(&real)
                    .ok()
                    .map(|archive| Root::Archive { shown: root.clone(), archive });
            }
            Some(Root::Folder(root.clone()))
        };
        let missing = roots.iter().filter(|root| !cwd.join(root).exists()).cloned().collect();
        // Debian's `src.zip` is a folder above `lib`, in a package of its own; `lib/src.zip` links to it.
        let jdk = java_home.and_then(|home| {
            [home.join("lib/src.zip"), home.join("src.zip")].into_iter().find(|path| path.is_file())
        });
        SourceRoots {
            cwd: cwd.to_owned(),
            roots: roots.iter().filter_map(open).collect(),
            encoding: None,
            missing,
            jdk,
            jdk_archive: OnceLock::new(),
            known: Mutex::default(),
        }
    }

    /// The same roots, whose sources are in this encoding.
    #[must_use]
    pub fn encoded(self, encoding: Option<SourceEncoding>) -> SourceRoots {
        SourceRoots { encoding, ..self }
    }

    /// The roots that do not exist, as written.
    pub fn missing(&self) -> &[PathBuf] {
        &self.missing
    }

    /// Finds the source of a class. `source_file` is its SourceFile attribute (JVMS §4.7.10); without it, the
    /// file is named after the class or one around it. `origin` leads to the JDK's sources and to files near
    /// the class file.
    pub fn find(
        &self,
        binary_name: &str,
        source_file: Option<&str>,
        origin: Option<&Origin>,
    ) -> Option<Arc<SourceText>> {
        let (package, simple) = binary_name.rsplit_once('.').unwrap_or(("", binary_name));
        let files = match source_file {
            // The attribute is a bare file name (JVMS §4.7.10). A path could lead out of the roots.
            Some(file) if file.contains(['/', '\\']) => return None,
            Some(file) => vec![file.to_owned()],
            None => files_of(simple),
        };
        let key = (package.to_owned(), files.join("/"));
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let found = files.iter().find_map(|file| self.look(package, file, origin)).map(Arc::new);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        found
    }

    fn look(&self, package: &str, file: &str, origin: Option<&Origin>) -> Option<SourceText> {
        let in_package = Path::new(&package.replace('.', "/")).join(file);
        if let Some(Origin::Runtime { module, .. }) = origin {
            return self.in_jdk(module, &in_package);
        }
        for root in &self.roots {
            let found = match root {
                Root::Folder(folder) => self.in_folder(folder, package, file),
                Root::Archive { shown, archive } => in_archive(shown, archive, &in_package, self.encoding),
            };
            if found.is_some() {
                return found;
            }
        }
        // Sources often lie above the class file's folder (`classes/Intro.class`, `Intro.java`) or above a
        // root.
        let near_class = match origin {
            Some(Origin::Folder(class)) => class.parent().map(Path::to_owned),
            _ => None,
        };
        let starts = self.roots.iter().filter_map(|r| match r {
            Root::Folder(folder) => Some(folder.clone()),
            Root::Archive { .. } => None,
        });
        for start in near_class.into_iter().chain(starts) {
            let mut at = start;
            for _ in 0..ABOVE + package.split('.').count() {
                at = match (at.as_os_str().is_empty() || at.ends_with(".."), at.parent()) {
                    (false, Some(parent)) if at != Path::new(".") => parent.to_owned(),
                    _ if at == Path::new(".") || at.as_os_str().is_empty() => PathBuf::from(".."),
                    _ => at.join(".."),
                };
                if let Some(found) = self.in_folder(&at, package, file) {
                    return Some(found);
                }
            }
        }
        None
    }

    fn in_folder(&self, folder: &Path, package: &str, file: &str) -> Option<SourceText> {
        let package_folder = package.replace('.', "/");
        let below = BELOW.iter().map(|b| folder.join(b));
        // A file outside its package's folder is accepted if it declares that package.
        let candidates = below.flat_map(|b| [b.join(&package_folder).join(file), b.join(file)]);
        for shown in candidates {
            let real = self.cwd.join(&shown);
            if !real.is_file() {
                continue;
            }
            let Ok(bytes) = std::fs::read(&real) else { continue };
            let modified = std::fs::metadata(&real).and_then(|m| m.modified()).ok();
            let path = shown.strip_prefix(".").unwrap_or(&shown).display().to_string();
            let text = SourceText::new(path, modified, &decode(&bytes, self.encoding));
            if declares_package(file, &text.lines, package) {
                return Some(text);
            }
        }
        None
    }

    fn in_jdk(&self, module: &str, in_package: &Path) -> Option<SourceText> {
        let path = self.jdk.as_deref()?;
        let archive = self.jdk_archive.get_or_init(|| Archive::open(path).ok()).as_ref()?;
        in_archive(path, archive, &Path::new(module).join(in_package), Some(SourceEncoding::Utf8))
    }
}

/// The files in which a class can be, by its name without package. A `$` can be part of a name, so the class
/// may be its own top-level class.
fn files_of(simple: &str) -> Vec<String> {
    let ends = simple.match_indices('$').map(|(at, _)| at).filter(|at| *at > 0).chain([simple.len()]);
    let names: Vec<&str> = ends.filter_map(|end| simple.get(..end)).collect();
    names.into_iter().rev().map(|name| format!("{name}.java")).collect()
}

fn in_archive(
    shown: &Path,
    archive: &Archive,
    file: &Path,
    encoding: Option<SourceEncoding>,
) -> Option<SourceText> {
    let entry = file.to_str()?.replace('\\', "/");
    let bytes = archive.read(&entry).ok().flatten()?;
    let text = decode(&bytes, encoding);
    Some(SourceText::new(format!("{}!/{entry}", shown.display()), archive.modified, &text))
}

/// The lines before the first class of a source file, without the comments at their beginnings.
pub(super) fn declaration_lines(lines: &[String]) -> impl Iterator<Item = &str> {
    let mut in_comment = false;
    let code = lines.iter().map(move |line| {
        let mut rest = line.trim();
        if in_comment {
            match rest.split_once("*/") {
                Some((_, after)) => rest = after.trim(),
                None => return "",
            }
            in_comment = false;
        }
        while let Some(comment) = rest.strip_prefix("/*") {
            match comment.split_once("*/") {
                Some((_, after)) => rest = after.trim(),
                None => {
                    in_comment = true;
                    rest = "";
                }
            }
        }
        rest
    });
    let begins =
        |code: &str| ["class ", "interface ", "enum ", "record "].iter().any(|kind| code.contains(kind));
    code.take_while(move |code| {
        let is_statement = code.starts_with("import ") || code.starts_with("package ");
        is_statement || code.starts_with("//") || !begins(code)
    })
}

/// Whether a file can hold classes of a package. A namespace of Clojure is `package.file`, where `-` is `_`
/// in the names of files; a JSP declares no package, and its server chooses one.
fn declares_package(file: &str, lines: &[String], package: &str) -> bool {
    if file.ends_with(".jsp") {
        return true;
    }
    if Language::of(Some(file)) != Some(Language::Clojure) {
        return declared_package(lines) == package;
    }
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let wanted = if package.is_empty() { stem.to_owned() } else { format!("{package}.{stem}") };
    let declared = namespace(lines);
    // A file without a namespace adds to that of another file, or to `user`.
    declared.is_none_or(|name| name.replace('-', "_") == wanted)
}

/// The namespace that a Clojure file declares: `(ns ^:internal shop.core`.
fn namespace(lines: &[String]) -> Option<String> {
    let code = lines.iter().map(|line| line.split(';').next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(|c: char| c.is_whitespace() || c == '(' || c == ')'));
    let mut words =
        words.filter(|word| !word.is_empty()).skip_while(|word| *word != "ns" && *word != "in-ns");
    words.next()?;
    let name = words.find(|word| !word.starts_with(['^', '{', ':', '"', '}']))?;
    Some(name.trim_start_matches('\'').to_owned())
}

/// The package that a source file declares; empty if none. Several declarations of Scala's are parts of one.
/// Skips comments, annotations and blank lines before
/// the declaration, for Java and Kotlin.
fn declared_package(lines: &[String]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for rest in declaration_lines(lines) {
        if let Some(name) = rest.strip_prefix("package").filter(|n| n.starts_with(char::is_whitespace)) {
            let end = name.find(';').or_else(|| name.find("//")).unwrap_or(name.len());
            parts.push(name.get(..end).unwrap_or(name).split_whitespace().collect());
        } else if !parts.is_empty() && !rest.is_empty() || rest.starts_with("import ") {
            break;
        }
    }
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_user_classes_can_be_older_than_their_source() {
        let bytes = include_bytes!("../../../java/reference/QuerypointReference.class");
        let file = Arc::new(bytecode::ClassFile::parse(bytes).expect("a class file"));
        let source = SourceText::new("Of.java".to_owned(), Some(SystemTime::now()), "");
        let older = |origin: Origin| {
            let modified = Some(SystemTime::UNIX_EPOCH);
            source.newer_than(&FoundClass { name: "Of".to_owned(), file: file.clone(), origin, modified })
        };
        assert!(older(Origin::Folder("Of.class".into())).is_some_and(|note| note.contains("build again")));
        let (module, entry) = ("java.base".to_owned(), "java/util/Optional.class".to_owned());
        assert_eq!(older(Origin::Runtime { module, entry }), None);
    }

    #[test]
    fn a_class_without_a_source_file_is_in_that_of_a_class_around_it() {
        assert_eq!(files_of("A$B$1"), ["A$B$1.java", "A$B.java", "A.java"]);
        assert_eq!(files_of("$A"), ["$A.java"]);
    }

    #[test]
    fn packages_are_read_past_comments() {
        let package = |text: &str| declared_package(&lines_of(text));
        assert_eq!(package("/* package no;\n */ /** x */ package a.b ; // c"), "a.b");
        assert_eq!(package("// package no;\nimport x.Y;\npackage late;"), "");
        assert_eq!(package("class A {}"), "");
        assert_eq!(package("package kotlin.style"), "kotlin.style");
        assert_eq!(package("package com.acme\npackage shop\n\nimport a.B\npackage c"), "com.acme.shop");
    }

    #[test]
    fn a_namespace_of_clojure_is_its_package_and_file() {
        let text = lines_of("; (ns no)\n(ns ^:internal ^{:doc \"x\"}\n  shop.my-core\n  (:gen-class))");
        assert_eq!(namespace(&text).as_deref(), Some("shop.my-core"));
        assert!(declares_package("my_core.clj", &text, "shop"));
        assert!(!declares_package("my_core.clj", &text, "bank"));
        assert!(!declares_package("my_core.kt", &text, "shop"));
        assert!(declares_package("cart.jsp", &lines_of("<p>"), "org.apache.jsp"));
    }
}
