//! Shared by the end-to-end tests: fixtures compiled once, `qp` run with a time limit, answers read as JSON,
//! and the Java versions to test with.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

pub mod case;
pub mod diagnosed;
pub mod influences;
pub mod javac;
pub mod memory;
pub mod questions;
pub mod rng;
pub mod session;
pub mod traced;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Time limit of one `qp`.
pub const LIMIT: Duration = Duration::from_secs(400);

/// The project's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A `qp` command in the project's folder, without colours.
pub fn qp() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qp"));
    command.current_dir(root()).env("NO_COLOR", "1").env_remove("JAVA_TOOL_OPTIONS").stdin(Stdio::null());
    trusting(&mut command);
    command
}

/// Makes `qp` trust the chains that tests write, and keep its key among the test's files.
pub fn trusting(command: &mut Command) -> &mut Command {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data");
    command.env(::session::TRUSTED_FOLDERS, "/").env("XDG_DATA_HOME", data)
}

/// Runs a command to its end, or kills it after [`LIMIT`] and fails the test.
pub fn finish(command: &mut Command) -> Output {
    testing::finish(command, LIMIT).unwrap_or_else(|| panic!("{command:?} did not end within {LIMIT:?}"))
}

/// Waits for a child whose pipes are piped, as [`finish`].
pub fn wait(child: Child) -> Output {
    testing::wait(child, LIMIT).unwrap_or_else(|| panic!("qp did not end within {LIMIT:?}"))
}

/// The text on standard output and standard error, for messages of failed assertions.
pub fn said(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Undoes wrapping: the text in one line, with single blanks.
pub fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compiles the Java files of a folder below `tests/` with `javac OPTIONS` into a folder of this test
/// process, once.
pub fn compiled(folder: &str, options: &[&str]) -> PathBuf {
    static DONE: Mutex<BTreeMap<String, Arc<OnceLock<PathBuf>>>> = Mutex::new(BTreeMap::new());
    let key = format!("{folder} {options:?}");
    let (number, classes) = {
        let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
        let number = done.len();
        (number, Arc::clone(done.entry(key).or_default()))
    };
    let compile = || {
        let sources = root().join("tests").join(folder);
        let classes = scratch().join(format!("classes-{number}"));
        std::fs::create_dir_all(&classes).expect("a folder");
        let mut files: Vec<PathBuf> = Vec::new();
        gather(&sources, &mut files);
        assert!(!files.is_empty(), "{} holds Java files", sources.display());
        javac::Javac::new().args(options).arg("-d").arg(&classes).args(&files).run();
        classes
    };
    classes.get_or_init(compile).clone()
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").filter_map(|e| e.ok().map(|e| e.path())).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            gather(&entry, files);
        } else if entry.extension().is_some_and(|e| e == "java") {
            files.push(entry);
        }
    }
}

/// A folder of this test process, removed when it ends.
pub fn scratch() -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    // Statics are not dropped; the folder lies below target/, which `cargo clean` empties.
    FOLDER
        .get_or_init(|| tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder"))
        .path()
        .to_owned()
}

/// A chain file of this name in its own folder.
pub fn chain_file(name: &str, text: &str) -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let file = folder.join(name);
    std::fs::write(&file, text).expect("written");
    file
}

/// Runs `qp replay FILE --format json`. Returns its exit code and answer.
pub fn replay(file: &Path, options: &[&str]) -> (i32, Value) {
    let output = finish(qp().arg("replay").arg(file).args(["--format", "json"]).args(options));
    let answer = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{}: no JSON ({e}): {}", file.display(), said(&output)));
    (output.status.code().expect("an exit code"), answer)
}

/// A point of an answer by its id.
pub fn point<'a>(answer: &'a Value, id: &str) -> &'a Value {
    answer["points"]
        .as_array()
        .and_then(|points| points.iter().find(|p| p["id"] == id))
        .unwrap_or_else(|| panic!("no point {id} in {answer:#}"))
}

/// All Java launchers to test with: the one on the path, and that of `QP_TEST_JAVA25` if set.
pub fn all_javas() -> Vec<String> {
    std::iter::once("java".to_owned()).chain(testing::named("QP_TEST_JAVA25")).collect()
}

/// One of the launchers, chosen by the name of the test, and all of them with `QP_JAVAS`.
pub fn javas() -> Vec<String> {
    javas_in_turn(turn_of_test())
}

/// A number that the name of the test gives.
fn turn_of_test() -> usize {
    std::thread::current().name().map_or(0, |name| name.bytes().map(usize::from).sum())
}

/// One of several ways to test the same, chosen by the name of the test, and all of them with `QP_JAVAS`.
pub fn in_turn<T: Copy>(ways: &[T]) -> Vec<T> {
    let all = ways.iter().copied();
    if std::env::var_os("QP_JAVAS").is_some() {
        return all.collect();
    }
    all.skip(turn_of_test() % ways.len().max(1)).take(1).collect()
}

/// The launcher whose turn it is, and all of them with `QP_JAVAS`.
pub fn javas_in_turn(turn: usize) -> Vec<String> {
    let mut all = all_javas();
    if std::env::var_os("QP_JAVAS").is_some() { all } else { vec![all.swap_remove(turn % all.len())] }
}

/// Number of the line, from 1, that ends with a marker such as `// <- A`.
pub fn marked(folder: &str, file: &str, marker: &str) -> u32 {
    let path = root().join("tests").join(folder).join(file);
    let text = std::fs::read_to_string(&path).expect("a source file");
    let at = text.lines().position(|l| l.trim_end().ends_with(marker));
    at.and_then(|n| u32::try_from(n + 1).ok())
        .unwrap_or_else(|| panic!("no `{marker}` in {}", path.display()))
}

/// Processes whose environment or command line contains a text, by id. A test must leave none behind.
pub fn processes_with(text: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else { continue };
        let read = |name: &str| {
            let bytes = std::fs::read(entry.path().join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).replace('\0', " ")
        };
        let command = read("cmdline");
        if command.contains(text) || read("environ").contains(text) {
            found.push((pid, command));
        }
    }
    found
}

/// A number that a variable of the environment sets, such as how much a test does in full.
pub fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}
