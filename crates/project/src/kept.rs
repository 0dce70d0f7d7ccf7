//! The answers of build tools, kept in the user's cache folder while the files of the build stay the same.

use super::module::{TestModule, newest};
use super::walk::files;
use files::{cache_folder, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Ends of the names of files that decide how a project is built.
const BUILD_FILES: [&str; 9] = [
    "pom.xml",
    ".gradle",
    ".gradle.kts",
    "gradle.properties",
    ".versions.toml",
    "gradle-wrapper.properties",
    "maven.config",
    "jvm.config",
    "extensions.xml",
];
/// Such files in the user's own folder.
const OF_USER: [&str; 3] = [".m2/settings.xml", ".mavenrc", ".gradle/gradle.properties"];
/// Variables on which the answer depends.
const VARIABLES: [&str; 6] =
    ["JAVA_HOME", "PATH", "MAVEN_OPTS", "MAVEN_ARGS", "GRADLE_OPTS", "GRADLE_USER_HOME"];

/// The place of an answer, and the state of the build that it is for.
pub struct Answers {
    file: Option<PathBuf>,
    state: String,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    state: String,
    asked: SystemTime,
    modules: Vec<TestModule>,
}

impl Answers {
    /// Those of a tool for a module.
    pub fn of(tool: &str, root: &Path, module: &Path) -> Answers {
        let mut key = Sha256::new();
        for part in [Path::new(tool), root, module] {
            key.update(part.as_os_str().as_encoded_bytes());
            key.update([0]);
        }
        let file = cache_folder().map(|folder| folder.join("projects").join(hex(&key.finalize())));
        Answers { file, state: state(root) }
    }

    /// The kept answer, if neither the build nor a source has changed since.
    pub fn kept(&self) -> Option<Vec<TestModule>> {
        let text = std::fs::read(self.file.as_ref()?).ok()?;
        let Kept { state, asked, modules } = serde_json::from_slice(&text).ok()?;
        let is_compiled = |module: &TestModule| {
            let source = module.newest_source();
            source.is_none_or(|source| source <= asked) || source <= module.newest_class()
        };
        let is_current = state == self.state && modules.iter().all(|of| of.is_whole() && is_compiled(of));
        is_current.then_some(modules)
    }

    /// Keeps an answer. If the cache cannot be written, the tool is asked again.
    pub fn keep(&self, modules: &[TestModule], asked: SystemTime) {
        let kept = Kept { state: self.state.clone(), asked, modules: modules.to_vec() };
        let (Some(file), Ok(text)) = (&self.file, serde_json::to_vec(&kept)) else { return };
        if file.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok()) {
            let _ = files::write_private(file, text);
        }
    }
}

/// The files that decide how the project is built.
fn build_files(root: &Path) -> Vec<PathBuf> {
    let decides = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_in_build = || file.strip_prefix(root).is_ok_and(|inside| inside.starts_with("buildSrc"));
        BUILD_FILES.iter().any(|end| name.ends_with(end)) || is_in_build()
    };
    let mut all: Vec<PathBuf> = files(root).filter(decides).collect();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    all.extend(home.iter().flat_map(|home| OF_USER.map(|file| home.join(file))));
    all.sort();
    all
}

/// When the newest file that decides how the project is built was changed.
pub fn newest_build_file(root: &Path) -> Option<SystemTime> {
    newest(build_files(root).into_iter())
}

/// A hash of the files' paths, sizes and times, and of the environment.
fn state(root: &Path) -> String {
    let mut hash = Sha256::new();
    let mut field = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    for file in build_files(root) {
        let Ok(about) = std::fs::metadata(&file) else { continue };
        let time =
            about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        field(file.as_os_str().as_encoded_bytes());
        field(format!("{} {}", about.len(), time.as_nanos()).as_bytes());
    }
    for name in VARIABLES {
        field(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
    }
    hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_answer_is_kept_until_the_build_or_a_source_changes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        let write = |file: &str, at: SystemTime| {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(at).unwrap();
        };
        let then = SystemTime::now() - Duration::from_secs(60);
        let after = |seconds| then + Duration::from_secs(seconds);
        write("pom.xml", then);
        write("src/test/java/CartTest.java", then);
        write("target/test-classes/CartTest.class", after(1));
        let answers = || Answers { file: Some(folder.path().join("cache/answer")), state: state(&root) };
        let module = TestModule {
            project: root.clone(),
            class_path: vec![root.join("target/test-classes")],
            ..TestModule::default()
        };
        assert_eq!(answers().kept(), None);
        answers().keep(std::slice::from_ref(&module), after(2));
        assert_eq!(answers().kept(), Some(vec![module.clone()]));
        write("src/test/java/CartTest.java", after(3));
        assert_eq!(answers().kept(), None, "the source is newer than its class");
        write("target/test-classes/CartTest.class", after(4));
        assert_eq!(answers().kept(), Some(vec![module]), "it was compiled by somebody else");
        write("core/pom.xml", then);
        assert_eq!(answers().kept(), None, "there is another file of the build");
        answers()
            .keep(&[TestModule { class_path: vec![root.join("none")], ..TestModule::default() }], after(2));
        assert_eq!(answers().kept(), None, "the class path is not there");
    }
}
