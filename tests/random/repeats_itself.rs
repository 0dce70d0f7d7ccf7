//! No version of a program differs from itself: `qp diff` finds no call where two of its runs diverge, and as
//! a reference it blames no call of its own. Tested with examples, fixtures and random programs: a few of
//! them, or all with `QP_SELF=all`.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::duplicate_mod, reason = "both kinds of random programs draw by the same numbers")]

use crate::support::diagnosed::made;
use crate::support::javac::Javac;
use crate::support::{finish, qp, root, said, scratch};
use chain::{Chain, Debuggee};
use diagnose::{DiagnoseOptions, Diagnoser, Opinion, Reference};
use past::snapshot::Bounds;
use recorded::{MEMORY, RecordOptions, RecordedTrace, record};
use session::Context;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use trace::Level;

/// The default sample.
const SAMPLE: [&str; 4] = ["fixtures/identity", "fixtures/passes", "fixtures/tallies", "examples/mergesort"];

/// Programs that cannot be tested this way: they do not end, wait for somebody, need other options or
/// libraries, or are too large for a comparison call by call.
const LEFT_OUT: [&str; 41] = [
    "mocks",
    "areas",
    "moves",
    "csv",
    "same-names",
    "scarce",
    "endless",
    "hang",
    "goes-on",
    "server",
    "reads-stdin",
    "remote",
    "launchers",
    "waits-for-go",
    "crowd",
    "hostile",
    "invisible",
    "out-of-memory",
    "shrunk",
    "painting",
    "unwilling",
    "killed",
    "cut-connection",
    "ticking",
    "paced",
    "relay",
    "many-owners",
    "many-threads",
    "mortals",
    "deep-stack",
    "no-debug-info",
    "redefined-class",
    "two-loaders",
    "exits-at-once",
    "values_of_jdk",
    "held",
    "phases",
    "slices",
    "steered",
    "traced",
    "twins",
];

/// Number of calls per program to ask a reference about, in a sample and in full.
const CALLS: (usize, usize) = (40, 300);
/// Time limit of a run in seconds.
const SECONDS: u64 = 30;
const BOUNDS: Bounds = Bounds { depth: 24, elements: 256, parts: 4000 };

/// A program: its name, its classes, and its main class.
struct Subject {
    name: String,
    classes: PathBuf,
    main: String,
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

fn is_full() -> bool {
    std::env::var("QP_SELF").is_ok_and(|value| value == "all")
}

fn folders(of: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(of).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    let is_source = |path: &PathBuf| path.extension().is_some_and(|end| end == "java");
    if entries.iter().any(is_source) {
        found.push(of.to_owned());
    }
    for folder in entries.iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        if !LEFT_OUT.contains(&name.as_str()) {
            folders(folder, found);
        }
    }
}

/// The programs of the examples and fixtures, compiled: those of the sample, or all.
fn subjects() -> Vec<Subject> {
    let mut all = Vec::new();
    folders(&root().join("examples"), &mut all);
    folders(&root().join("tests/fixtures"), &mut all);
    all.retain(|folder| is_full() || SAMPLE.iter().any(|name| folder.ends_with(name)));
    let mut subjects = Vec::new();
    for (number, folder) in all.iter().enumerate() {
        let classes = scratch().join(format!("self-{number}"));
        std::fs::create_dir_all(&classes).expect("a folder");
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.retain(|path| path.extension().is_some_and(|end| end == "java"));
        Javac::new().args(["-g", "-nowarn", "-d"]).arg(&classes).args(&files).run();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source");
            let main = file.file_stem().expect("a name").to_string_lossy().into_owned();
            if text.contains("static void main(") {
                let name = format!("{} {main}", folder.strip_prefix(root()).expect("below").display());
                subjects.push(Subject { name, classes: classes.clone(), main });
            }
        }
    }
    subjects
}

/// Tests programs, two at a time. Returns the errors.
fn try_all(subjects: &[Subject], calls: usize) -> Vec<String> {
    let next = Mutex::new(subjects.iter());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(subject) = next.lock().expect("no panic holds it").next() else { return };
            let mut found: Vec<String> = parted(subject).into_iter().collect();
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let (asked, told, blamed) =
                runtime.block_on(tokio::task::LocalSet::new().run_until(blamed(subject, calls)));
            println!("{}: {asked} calls, {told} valid, {} wrong", subject.name, found.len() + blamed.len());
            found.extend(blamed);
            found.iter().for_each(|why| println!("{}: {why}", subject.name));
            wrong
                .lock()
                .expect("no panic holds it")
                .extend(found.into_iter().map(|why| format!("{}: {why}", subject.name)));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    wrong.into_inner().expect("no panic holds it")
}

/// The place where a program differs from itself, or the reason why it cannot be compared.
fn parted(subject: &Subject) -> Option<String> {
    let mut command = qp();
    command.args(["diff", "--timeout", &SECONDS.to_string(), "--reference"]).arg(&subject.classes);
    let output = finish(command.args(["--", "java", "-ea", "-cp"]).arg(&subject.classes).arg(&subject.main));
    (output.status.code() != Some(1)).then(|| format!("diff: {}", said(&output)))
}

/// The number of calls asked about, the number of valid ones, and the program's own calls that it blames.
async fn blamed(subject: &Subject, most: usize) -> (usize, usize, Vec<String>) {
    let classes = subject.classes.display().to_string();
    let command = ["java", "-ea", "-cp", &classes, &subject.main].map(str::to_owned).to_vec();
    let chain = Chain::new(Debuggee { command, ..Debuggee::default() }, Vec::new());
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let out = folder.path().join("trace");
    let options = RecordOptions {
        out: out.clone(),
        level: Level::All,
        memory: MEMORY,
        timeout_s: Some(SECONDS),
        ..RecordOptions::default()
    };
    let context = Context::silent();
    record(&chain, &options, &context).await.expect("recorded");
    let trace = RecordedTrace::open(&out, MEMORY, &context).await.expect("opened");
    let options = DiagnoseOptions {
        strategy: None,
        p: None,
        node: None,
        compress: None,
        loops: false,
        suspects_tests: false,
        bounds: BOUNDS,
    };
    let mut diagnoser = Diagnoser::new(trace, options).expect("begun");
    let mut reference = Reference::new(diagnoser.launcher(), &classes, root()).expect("a reference");
    let forest = diagnoser.diagnosis().forest().clone();
    let (mut asked, mut valid, mut wrong) = (0, 0, Vec::new());
    let ended = (0..forest.count()).filter(|node| forest.has_ended(*node));
    let ended: Vec<u32> = ended.collect();
    let step = (ended.len() / most).max(1);
    for node in ended.into_iter().step_by(step) {
        let question = diagnoser.question(node, &context).await.expect("a question");
        asked += 1;
        match reference.judge(&question, true).await.expect("an opinion") {
            Opinion::Valid => valid += 1,
            Opinion::Invalid(why) => {
                wrong.push(format!("#{node} {}.{}: {why}", question.class, question.method))
            }
            Opinion::Unknown(_) => {}
        }
    }
    (asked, valid, wrong)
}

#[test]
fn no_program_is_different_from_itself() {
    let subjects = subjects();
    assert!(subjects.len() >= SAMPLE.len(), "{} programs", subjects.len());
    let wrong = try_all(&subjects, if is_full() { CALLS.1 } else { CALLS.0 });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_random_program_is_different_from_itself() {
    let (first, many) = (number("QP_RANDOM_SEED", 1), number("QP_RANDOM_PROGRAMS", 2));
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let mut subjects = Vec::new();
    for seed in first..first + many {
        let classes = folder.path().join(format!("values-{seed}"));
        made(&classes, "Influences", &crate::support::influences::program(seed).0);
        subjects.push(Subject {
            name: format!("values, seed {seed}"),
            classes,
            main: "Influences".to_owned(),
        });
        let program = crate::programs::generate::generate(seed);
        let classes = folder.path().join(format!("writes-{seed}"));
        std::fs::create_dir(&classes).expect("a folder");
        for (file, text) in crate::programs::judge::sources(&program) {
            std::fs::write(classes.join(file), text).expect("written");
        }
        let main = program.main_class();
        let mut javac = Javac::new();
        javac.args(["-g", "-nowarn", "-d"]).arg(&classes).arg("-sourcepath").arg(&classes);
        javac.arg(classes.join(format!("{main}.java"))).arg(classes.join("E1.java")).run();
        subjects.push(Subject { name: format!("writes, seed {seed}"), classes, main });
    }
    let wrong = try_all(&subjects, if is_full() { CALLS.1 } else { CALLS.0 });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
