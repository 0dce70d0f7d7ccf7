//! What a build tool says of the tests of a module.

use super::walk::{classes, files};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The tests of a module, as its build tool runs them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestModule {
    /// The folder of the module.
    pub project: PathBuf,
    /// The working folder of the tests.
    pub folder: PathBuf,
    /// The folders with the compiled tests.
    pub test_classes: Vec<PathBuf>,
    /// The class path of the tests.
    pub class_path: Vec<PathBuf>,
    /// The folders of the sources, those of the modules it uses included.
    pub sources: Vec<PathBuf>,
    /// Options of `java`.
    pub options: Vec<String>,
    /// Variables added to the environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The `java` that runs the tests, if it is not the one on the path.
    #[serde(default)]
    pub java: Option<PathBuf>,
}

impl TestModule {
    /// The binary names of the compiled classes that a name can mean: that of the class, or its simple name.
    /// A nested class may be written with a dot.
    pub fn classes_named(&self, name: &str) -> Vec<String> {
        let mut written = name.to_owned();
        loop {
            let file = format!("{}.class", written.replace('.', "/"));
            if self.test_classes.iter().any(|folder| folder.join(&file).is_file()) {
                return vec![written];
            }
            let Some(dot) = written.rfind('.') else { break };
            written.replace_range(dot..=dot, "$");
        }
        // As a simple name, with nested classes after it.
        let file = format!("{written}.class");
        let mut found: Vec<String> = Vec::new();
        for folder in &self.test_classes {
            let named = classes(folder).filter(|path| path.ends_with(&file));
            found.extend(named.filter_map(|path| {
                let inside = path.strip_prefix(folder).ok()?.with_extension("");
                Some(inside.to_string_lossy().replace('/', "."))
            }));
        }
        found.sort();
        found.dedup();
        found
    }

    /// Whether everything that was on the class path is still there.
    pub fn is_whole(&self) -> bool {
        self.class_path.iter().all(|path| path.exists())
    }

    /// When a source of this module, or of one that it uses, was last changed.
    pub fn newest_source(&self) -> Option<SystemTime> {
        let own = self.project.join("src");
        let others = self.sources.iter().filter(|folder| !folder.starts_with(&own));
        newest(others.chain([&own]).flat_map(|folder| files(folder)))
    }

    /// When a class of the project was last compiled.
    pub fn newest_class(&self) -> Option<SystemTime> {
        newest(self.class_path.iter().filter(|path| path.is_dir()).flat_map(|folder| classes(folder)))
    }
}

/// When the newest of these files was changed.
pub fn newest(files: impl Iterator<Item = PathBuf>) -> Option<SystemTime> {
    files.filter_map(|file| modified(&file)).max()
}

fn modified(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).and_then(|about| about.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_class_is_found_by_its_simple_name_and_by_its_binary_name() {
        let folder = tempfile::tempdir().unwrap();
        for class in
            ["shop/CartTest.class", "shop/CartTest$Empty.class", "till/CartTest.class", "Plain.class"]
        {
            let file = folder.path().join(class);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let module = TestModule { test_classes: vec![folder.path().to_owned()], ..TestModule::default() };
        assert_eq!(module.classes_named("shop.CartTest"), ["shop.CartTest"]);
        assert_eq!(module.classes_named("shop.CartTest.Empty"), ["shop.CartTest$Empty"]);
        assert_eq!(module.classes_named("CartTest$Empty"), ["shop.CartTest$Empty"]);
        assert_eq!(module.classes_named("CartTest.Empty"), ["shop.CartTest$Empty"]);
        assert_eq!(module.classes_named("CartTest"), ["shop.CartTest", "till.CartTest"]);
        assert_eq!(module.classes_named("Plain"), ["Plain"]);
        assert!(
            module.classes_named("other.CartTest").is_empty() && module.classes_named("Other").is_empty()
        );
    }
}
