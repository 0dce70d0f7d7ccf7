//! The files of a project, without those that a build makes.

use std::path::{Path, PathBuf};

/// Folders that hold no files of the project itself, unless they are packages below `src`.
const MADE: [&str; 5] = ["target", "build", "out", "bin", "node_modules"];

/// The files below a folder. Hidden folders are left out, except `.mvn`; links to folders are not followed,
/// because they can form a cycle.
pub fn files(root: &Path) -> impl Iterator<Item = PathBuf> {
    below(root, false)
}

/// All files below a folder of classes, which has no hidden folders.
pub fn classes(root: &Path) -> impl Iterator<Item = PathBuf> {
    below(root, true)
}

/// The files below a folder. `in_sources`: whether all of its folders are packages.
fn below(root: &Path, in_sources: bool) -> impl Iterator<Item = PathBuf> {
    let mut left = vec![(root.to_owned(), in_sources)];
    let mut found: Vec<PathBuf> = Vec::new();
    std::iter::from_fn(move || {
        loop {
            if let Some(file) = found.pop() {
                return Some(file);
            }
            let (folder, in_sources) = left.pop()?;
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => {
                        let is_hidden = name.starts_with('.') && name != ".mvn";
                        if !is_hidden && (in_sources || !MADE.contains(&name.as_str())) {
                            left.push((entry.path(), in_sources || name == "src"));
                        }
                    }
                    Ok(_) => found.push(entry.path()),
                    Err(_) => {}
                }
            }
        }
    })
}
