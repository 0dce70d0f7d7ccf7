//! The places that can hold a debuggee's classes, and how `java` expands path elements.

use super::java_command::{JavaCommand, Main};
use std::path::{Path, PathBuf};

/// The places to search. Relative paths are relative to [`ClassPaths::cwd`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassPaths {
    /// Working directory of the debuggee.
    pub cwd: PathBuf,
    /// Folders and jars of `--patch-module`; their classes take precedence over the runtime image.
    pub patches: Vec<PathBuf>,
    /// Elements of the class path, in order: folders, jars, `dir/*`.
    pub class_path: Vec<PathBuf>,
    /// Elements of the module path: modular jars, exploded modules, folders of both.
    pub module_path: Vec<PathBuf>,
    /// The Java home whose `lib/modules` holds the JDK's classes; without it, JDK classes are not found.
    pub java_home: Option<PathBuf>,
    /// The jar that `-jar` names, as written: its classes are the user's own, those of other jars are not.
    pub own_jar: Option<PathBuf>,
    /// The jars of Java agents, which the VM appends to the class path. Their classes are nobody's own code.
    pub agents: Vec<PathBuf>,
    /// Whether these are local copies of the classes of a program that runs elsewhere.
    pub copies: bool,
}

impl ClassPaths {
    /// The paths that a `java` command line names.
    pub fn of(command: &JavaCommand, cwd: &Path) -> ClassPaths {
        ClassPaths {
            cwd: cwd.to_owned(),
            patches: command.patches.clone(),
            class_path: command.class_path.clone(),
            module_path: command.module_path.clone(),
            java_home: command.java_home.clone(),
            own_jar: match &command.main {
                Main::Jar { jar, .. } => Some(jar.clone()),
                _ => None,
            },
            agents: command.agents.clone(),
            copies: false,
        }
    }
}

/// A place as written and as resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResolvedPath {
    /// The path as the user wrote it, for messages.
    pub shown: PathBuf,
    /// The path joined with the working directory.
    pub real: PathBuf,
}

impl ResolvedPath {
    pub fn new(shown: PathBuf, cwd: &Path) -> ResolvedPath {
        let real = cwd.join(&shown);
        ResolvedPath { shown, real }
    }

    fn child(&self, name: impl AsRef<Path>) -> ResolvedPath {
        ResolvedPath { shown: self.shown.join(name.as_ref()), real: self.real.join(name.as_ref()) }
    }
}

/// Expands a class path element. `dir/*` means the jars in `dir`; their order is unspecified, and here it is
/// by name.
pub(super) fn class_path_element(element: &Path, cwd: &Path) -> Vec<ResolvedPath> {
    if element.file_name().is_some_and(|n| n == "*") {
        let dir = ResolvedPath::new(element.parent().map(Path::to_owned).unwrap_or_default(), cwd);
        return children(&dir).into_iter().filter(|p| p.real.is_file() && is_jar(&p.real)).collect();
    }
    vec![ResolvedPath::new(element.to_owned(), cwd)]
}

/// Expands a module path element (JEP 261): a module or a folder of modules.
pub(super) fn module_path_element(element: &Path, cwd: &Path) -> Vec<ResolvedPath> {
    let place = ResolvedPath::new(element.to_owned(), cwd);
    if !place.real.is_dir() || place.real.join("module-info.class").is_file() {
        return vec![place];
    }
    children(&place)
        .into_iter()
        .filter(
            |p| if p.real.is_dir() { p.real.join("module-info.class").is_file() } else { is_jar(&p.real) },
        )
        .collect()
}

fn children(dir: &ResolvedPath) -> Vec<ResolvedPath> {
    let Ok(entries) = std::fs::read_dir(&dir.real) else { return Vec::new() };
    let mut names: Vec<_> = entries.flatten().map(|e| e.file_name()).collect();
    names.sort();
    names.into_iter().map(|n| dir.child(n)).collect()
}

fn is_jar(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jar"))
}
