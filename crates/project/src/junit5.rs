//! What runs tests of JUnit 5 and comes from the build tool, not from the project's class path: the launcher,
//! and the engine where the project names the API only.

use std::path::{Path, PathBuf};

/// Adds the engine and the launcher, if they are in the repository beside the API.
pub fn complete(class_path: &mut Vec<PathBuf>) {
    for (known, lacking) in [
        ("junit-jupiter-api", "junit-jupiter-engine"),
        ("junit-platform-commons", "junit-platform-engine"),
        ("junit-platform-commons", "junit-platform-launcher"),
    ] {
        let is_of = |path: &Path, what: &str| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(what))
        };
        if class_path.iter().any(|path| is_of(path, lacking)) {
            continue;
        }
        let beside = class_path.iter().find(|path| is_of(path, known));
        let found = beside.and_then(|path| sibling(path, known, lacking));
        class_path.extend(found);
    }
}

/// The jar of another module in the same version: in a repository of Maven, or in Gradle's cache, where the
/// folder of each jar is named by its hash.
fn sibling(jar: &Path, known: &str, other: &str) -> Option<PathBuf> {
    let path = PathBuf::from(jar.to_str()?.replace(known, other));
    if path.is_file() {
        return Some(path);
    }
    let name = path.file_name()?;
    let hashes = std::fs::read_dir(path.parent()?.parent()?).ok()?;
    hashes.flatten().map(|hash| hash.path().join(name)).find(|jar| jar.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_and_the_launcher_are_beside_the_api() {
        let folder = tempfile::tempdir().unwrap();
        let jar = |inside: &str| {
            let path = folder.path().join(inside);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let api = jar("m/junit-jupiter-api/5.9/junit-jupiter-api-5.9.jar");
        let engine = jar("m/junit-jupiter-engine/5.9/junit-jupiter-engine-5.9.jar");
        let commons = jar("g/junit-platform-commons/1.9/aa/junit-platform-commons-1.9.jar");
        let launcher = jar("g/junit-platform-launcher/1.9/bb/junit-platform-launcher-1.9.jar");
        let mut class_path = vec![api, commons];
        complete(&mut class_path);
        assert_eq!(class_path.get(2..), Some([engine, launcher].as_slice()));
        let whole = class_path.clone();
        complete(&mut class_path);
        assert_eq!(class_path, whole);
    }
}
