//! `qp diff`: variation between runs is no difference between versions, and the search finds the real
//! difference after it.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::javac::Javac;
use crate::support::{compiled, finish, qp, root, said, scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A version of a fixture with replaced texts, compiled into its own folder.
fn changed(fixture: &str, class: &str, changes: &[(&str, &str)]) -> PathBuf {
    let source = root().join("tests/fixtures").join(fixture).join(format!("{class}.java"));
    let mut text = std::fs::read_to_string(source).expect("a source");
    for (was, becomes) in changes {
        assert!(text.contains(was), "{fixture} has not {was}");
        text = text.replace(was, becomes);
    }
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let file = folder.join(format!("{class}.java"));
    std::fs::write(&file, text).expect("written");
    Javac::new().args(["-g", "-nowarn", "-d"]).arg(&folder).arg(&file).run();
    folder
}

/// A version of a program, compiled into its own folder.
fn version(text: &str, changes: &[(&str, &str)]) -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let file = folder.join("Seen.java");
    let text = changes.iter().fold(text.to_owned(), |text, (was, becomes)| {
        assert!(text.contains(was), "{was}");
        text.replace(was, becomes)
    });
    std::fs::write(&file, text).expect("written");
    Javac::new().args(["-g", "-nowarn", "-d"]).arg(&folder).arg(&file).run();
    folder
}

/// Each method leaves something that only other code can see.
const SEEN: &str = r#"import java.io.*;
import java.util.*;

public class Seen {
    static final List<String> NAMES = new ArrayList<>();
    static final int[] COUNTS = new int[2];
    static final StringBuilder TEXT = new StringBuilder();
    static final Seen ONE = new Seen();
    int size;

    /// The right version does not use this class.
    static class Later {
        static final Set<String> KNOWN = new HashSet<>();
    }

    static boolean is(int n) {
        return n > 5;
    }

    static void warn() { if (!is(1)) System.err.println("big"); }
    static void add() { if (!is(1)) NAMES.add("a"); }
    static void count() { if (!is(1)) COUNTS[1]++; }
    static void append() { if (!is(1)) TEXT.append("x"); }
    static void grow() { if (!is(1)) ONE.size = 7; }
    static void know() { if (!is(1)) Later.KNOWN.add("b"); }
    static int local() { List<Integer> own = new ArrayList<>(); if (!is(1)) own.add(1); return 0; }
    static void exit() { if (!is(1)) System.exit(3); else System.exit(0); }

    static void write(String file) throws IOException {
        try (Writer writer = new FileWriter(file)) { if (!is(1)) writer.write("wrong"); else writer.write("right"); }
    }

    static void raw() throws IOException {
        try (OutputStream out = new FileOutputStream(FileDescriptor.out)) { out.write(!is(1) ? 'w' : 'r'); }
    }

    /// Runs of one version take turns in how they end.
    static void turns(String file) throws IOException {
        File known = new File(file);
        long turn = known.length();
        try (Writer writer = new FileWriter(known, true)) { writer.write("."); }
        System.exit(turn == 1 || turn == 2 ? 1 : 0);
    }

    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "state" -> { warn(); add(); count(); append(); grow(); know(); local(); }
            case "write" -> { write(arguments[1]); raw(); }
            case "turns" -> turns(arguments[1]);
            default -> exit();
        }
    }
}
"#;

/// Compares the versions of [`SEEN`] in which `is` is false and true.
fn seen(arguments: &[&str]) -> Told {
    let right = SEEN.replace("!is(1)", "is(1)");
    let folders = [version(SEEN, &[]), version(&right, &[])];
    let mut command = qp();
    command.args(["diff", "--format=json", "--all", "--reference"]).arg(&folders[1]);
    command.args(["--", "java", "-cp"]).arg(&folders[0]).arg("Seen").args(arguments);
    Told::of(&mut command)
}

struct Told {
    code: Option<i32>,
    answer: Value,
    text: String,
}

impl Told {
    fn of(command: &mut Command) -> Told {
        let output = finish(command);
        let answer = serde_json::from_slice(&output.stdout).unwrap_or_default();
        Told { code: output.status.code(), answer, text: said(&output) }
    }

    fn parts_in(&self, method: &str) {
        assert_eq!((self.code, &self.answer["parted"]["method"]), (Some(0), &method.into()), "{}", self.text);
    }

    fn is_the_same(&self) {
        assert_eq!((self.code, &self.answer["parted"]), (Some(1), &Value::Null), "{}", self.text);
    }
}

fn diff(class: &str, wrong: &Path, right: &Path) -> Told {
    let mut command = qp();
    command.args(["diff", "--format=json", "--reference"]).arg(right);
    Told::of(command.args(["--", "java", "-cp"]).arg(wrong).arg(class))
}

fn recorded(class: &str, classes: &Path) -> PathBuf {
    let trace = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
    let mut command = qp();
    command.args(["trace", "record", "--level", "writes", "--out"]).arg(&trace);
    let output = finish(command.args(["--", "java", "-cp"]).arg(classes).arg(class));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    trace
}

#[test]
fn a_reference_without_a_class_of_the_program_is_refused() {
    let own = compiled("fixtures/passes", &["-g"]);
    let empty = tempfile::tempdir_in(scratch()).expect("a folder");
    for (right, why) in [
        (empty.path().to_owned(), "has no class of the program that was recorded; name"),
        (empty.path().join("mistyped"), "mistyped does not exist"),
    ] {
        let told = diff("Passes", &own, &right);
        assert_eq!((told.code, told.answer), (Some(2), Value::Null), "{}", told.text);
        assert!(told.text.contains(why), "{}", told.text);
    }
}

#[test]
fn a_lambda_is_the_same_in_every_run() {
    let wrong = compiled("fixtures/passes", &["-g", "-nowarn"]);
    diff("Passes", &wrong, &wrong).is_the_same();
    let told = diff("Passes", &wrong, &changed("passes", "Passes", &[("return x + 1", "return x + 2")]));
    told.parts_in("next");
    assert_eq!(told.answer["parted"]["differs"][0]["what"], "its result", "{}", told.text);
}

/// The compiler counts the lambdas of a class.
#[test]
fn a_lambda_more_gives_the_others_no_other_place() {
    let wrong = compiled("fixtures/passes", &["-g", "-nowarn"]);
    let more = "        IntUnaryOperator unused = y -> y;\n        return x;";
    let right = [("        return x;", more), ("x -> x - 1", "x -> x - 2")];
    let told = diff("Passes", &wrong, &changed("passes", "Passes", &right));
    assert_eq!(told.code, Some(0), "{}", told.text);
    let parted = &told.answer["parted"];
    assert!(parted["method"].as_str().is_some_and(|name| name.starts_with("lambda$main$")), "{}", told.text);
    assert_eq!((&parted["differs"][0]["here"], &parted["differs"][0]["there"]), (&"9".into(), &"8".into()));
}

#[test]
fn what_threads_race_for_is_no_difference() {
    let wrong = compiled("fixtures/races", &["-g"]);
    let same = diff("Races", &wrong, &wrong);
    same.is_the_same();
    let varies = same.answer["varies"].as_array().expect("what varies");
    assert!(varies.iter().any(|one| one["what"] == "Races.raced"), "{}", same.text);
    let told = diff("Races", &wrong, &changed("races", "Races", &[("i % 3", "i % 4")]));
    told.parts_in("weight");
    assert!(told.answer["runs"].as_u64() >= Some(4), "{}", told.text);
}

/// Tasks are paired by their input, whichever thread of the pool does them.
#[test]
fn the_tasks_of_a_pool_are_compared_whichever_thread_does_them() {
    let wrong = compiled("fixtures/pools", &["-g"]);
    diff("Pools", &wrong, &wrong).is_the_same();
    let fault = "task == 17 ? 50 : task * 3";
    let told = diff("Pools", &wrong, &changed("pools", "Pools", &[("task * 3", fault)]));
    told.parts_in("weight");
    assert_eq!(told.answer["parted"]["here"]["entry"]["task"]["value"], 17, "{}", told.text);
}

/// The last call differs: among 10,000 calls that can each reach a document of 10,000 nodes.
#[test]
fn large_objects_are_not_compared_again_at_every_call() {
    let source = std::fs::read_to_string(root().join("benches/diff/Document.java")).expect("a source");
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let version = |name: &str, text: &str| {
        let to = folder.path().join(name);
        std::fs::create_dir(&to).expect("a folder");
        std::fs::write(to.join("Document.java"), text).expect("written");
        Javac::new().args(["-g", "-d"]).arg(&to).arg(to.join("Document.java")).run();
        to
    };
    let (last, other) = ("node.next == null ? 1 : 0", "node.next == null ? 2 : 0");
    let (wrong, right) = (version("wrong", &source), version("right", &source.replace(last, other)));
    let mut command = qp();
    command.args(["diff", "--format=json", "--reference"]).arg(right);
    let told = Told::of(command.args(["--", "java", "-cp"]).arg(wrong).args(["Document", "10000"]));
    told.parts_in("weight");
    assert_eq!(told.answer["parted"]["same"], 20_001 + 9_998, "{}", told.text);
}

/// A cause can come after a symptom: `--all` lists every call that differs with the same input.
#[test]
fn all_calls_that_differ_are_listed() {
    let wrong = compiled("fixtures/pools", &["-g"]);
    let changes = [("task * 3", "task * 4"), ("weight(task) + 1", "weight(task) + 1 + task % 2")];
    let right = changed("pools", "Pools", &changes);
    let with = |more: &[&str]| {
        let mut command = qp();
        command.args(["diff", "--format=json", "--reference"]).arg(&right).args(more);
        Told::of(command.args(["--", "java", "-cp"]).arg(&wrong).arg("Pools")).answer
    };
    let all = with(&["--all"]);
    let further = all["further"].as_array().expect("calls");
    assert_eq!(Some(further.len() as u64), all["further_count"].as_u64());
    // `weight` differs in all tasks but 0, and `work` is not to blame for what `weight` returns. `main`
    // prints another sum, and no call of its own thread differs.
    let methods: Vec<&str> = further.iter().filter_map(|call| call["method"].as_str()).collect();
    assert_eq!(methods, [vec!["weight"; 22], vec!["main"]].concat(), "{all:#}");
    assert!(with(&[]).get("further").is_none());
}

#[test]
fn recorded_runs_are_compared_with_further_ones_of_the_same_program() {
    let classes = changed("races", "Races", &[]);
    let one = recorded("Races", &classes);
    let with = |other: &PathBuf| Told::of(qp().args(["diff", "--format=json"]).args([&one, other]));
    // Two runs can agree by chance: then `qp` makes no further run.
    let differs = (0..20).map(|_| recorded("Races", &classes)).find(|other| {
        let told = with(other);
        told.is_the_same();
        told.answer["runs"] != 1
    });
    let other = differs.expect("two runs that differ");
    let compare = || with(&other);
    // The program has changed: its further runs prove nothing about the earlier ones.
    let file = classes.join("Races.java");
    Javac::new().args(["-g", "-d"]).arg(&classes).arg(&file).run();
    let told = compare();
    let why = told.answer["unconfirmed"].as_str().unwrap_or_default();
    assert!(why.contains("was written after the run was recorded"), "{}", told.text);
    assert_eq!((told.code, &told.answer["runs"]), (Some(0), &1.into()), "{}", told.text);
}

/// The right version never uses the stream or the object that the wrong one changes.
#[test]
fn what_only_one_version_changes_or_prints_on_is_compared() {
    let told = seen(&["state"]);
    told.parts_in("warn");
    let further = told.answer["further"].as_array().expect("calls");
    let methods: Vec<&str> = further.iter().filter_map(|call| call["method"].as_str()).collect();
    assert_eq!(methods, ["add", "count", "append", "grow", "know"], "{}", told.text);
    let differs = &told.answer["parted"]["differs"][0];
    assert_eq!((&differs["what"], &differs["here"]), (&"System.err".into(), &"\"big\\n\"".into()));
}

/// Two runs of which nothing was recorded are not said to be the same.
#[test]
fn nothing_is_not_compared() {
    let folder = version(SEEN, &[]);
    let mut command = qp();
    command.args(["diff", "--reference"]).arg(&folder).args(["--", "java", "-cp"]).arg(&folder);
    let told = Told::of(command.arg("NoSuchClass"));
    assert!(told.code != Some(0) && !told.text.contains("the same"), "{:?}: {}", told.code, told.text);
}

#[test]
fn another_exit_code_is_a_difference() {
    let told = seen(&["exit"]);
    told.parts_in("exit");
    let differs = &told.answer["parted"]["differs"];
    assert_eq!((&differs[0]["here"], &differs[0]["there"]), (&"exit code 3".into(), &"exit code 0".into()));
}

/// No event of the recording shows what a `FileWriter` or a plain stream of bytes writes.
#[test]
fn written_files_and_all_output_are_compared() {
    let file = tempfile::NamedTempFile::new_in(scratch()).expect("a file");
    let told = seen(&["write", file.path().to_str().expect("a name")]);
    let parted = &told.answer["parted"];
    let what = parted["differs"].as_array().expect("differences").iter();
    let what: Vec<&str> = what.filter_map(|differs| differs["what"].as_str()).collect();
    let written = format!("the file {}", file.path().display());
    assert_eq!(what, [written.as_str(), "what was printed on standard output"], "{}", told.text);
    assert_eq!((told.code, &parted["at_end"]), (Some(0), &true.into()), "{}", told.text);
    let suspects = parted["suspects"].as_array().expect("methods with other code").iter();
    let suspects: Vec<&str> = suspects.filter_map(|call| call["method"].as_str()).collect();
    assert_eq!(suspects, ["write", "raw"], "{}", told.text);
}

#[test]
fn runs_that_end_differently_by_chance_are_not_said_to_be_the_same() {
    let file = tempfile::NamedTempFile::new_in(scratch()).expect("a file");
    let right = version(SEEN, &[]);
    let mut command = qp();
    command
        .args(["diff", "--color=never", "--reference"])
        .arg(&right)
        .args(["--", "java", "-cp"])
        .arg(&right);
    let output = finish(command.args(["Seen", "turns"]).arg(file.path()));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.starts_with("no call differs for certain: runs of the same version end differently"),
        "{text}"
    );
    assert!(text.contains("the end of the program: exit code 0, exit code 1"), "{text}");
}

const SEEDED: &str = r#"public class Seen {
    static int seed = (int) (System.nanoTime() % 1009);

    static void step(int n) { }

    static void find(int n) {
        for (int i = 0; i < seed; i++) step(i);
        if (n >= 0) throw new IllegalStateException();
    }

    static void test() {
        for (int i = 0; i < seed % 101 + 1; i++) find(i);
    }

    public static void main(String[] arguments) {
        try { test(); } catch (IllegalStateException expected) { }
    }
}
"#;

/// All steps vary in number with the clock, and a call throws in one version and returns in the other.
#[test]
fn whether_a_call_throws_is_compared_although_its_steps_vary() {
    let (wrong, right) = (version(SEEDED, &[]), version(SEEDED, &[("n >= 0", "n < 0")]));
    let told = diff("Seen", &wrong, &right);
    told.parts_in("find");
    assert!(told.answer["varies"].as_array().is_some_and(|varies| !varies.is_empty()), "{}", told.text);
}

/// Identity hash codes depend on the level.
#[test]
fn runs_of_different_levels_are_recorded_alike() {
    let classes = compiled("fixtures/identity", &["-g"]);
    let one = recorded("Identity", &classes);
    let other = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
    let mut command = qp();
    command.args(["trace", "record", "--level", "all", "--out"]).arg(&other);
    assert!(finish(command.args(["--", "java", "-cp"]).arg(&classes).arg("Identity")).status.success());
    Told::of(qp().args(["diff", "--format=json"]).args([&other, &one])).is_the_same();
}

/// Texts and collections that grow are compared by their changes: 1,000 sections that differ, and as many
/// elements, take seconds. If each comparison built the whole text or list anew, they took minutes. So it was
/// with sets whose elements come in another order, with calls whose effects each call around them gathered
/// again, and with open calls when the program ended.
#[test]
fn what_grows_is_compared_by_its_changes() {
    let source = std::fs::read_to_string(root().join("benches/growth/Growth.java")).expect("a source");
    let [wrong, right] = ["RIGHT = false", "RIGHT = true"].map(|is| {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
        let file = folder.join("Growth.java");
        std::fs::write(&file, source.replace("RIGHT = false", is)).expect("written");
        Javac::new().args(["-g", "-nowarn", "-d"]).arg(&folder).arg(&file).run();
        folder
    });
    for (kind, n, method) in [
        ("text-each", "1000", Some("section")),
        ("list-each", "1000", Some("add")),
        ("set-each", "600", None),
        ("tree-each", "1000", Some("put")),
        ("nested-each", "5000", None),
        ("collected-each", "3000", None),
        ("drain-each", "4000", Some("drain")),
        ("exit", "8000", None),
    ] {
        let began = std::time::Instant::now();
        let told = Told::of(
            qp().args(["diff", "--format=json", "--reference"])
                .arg(&right)
                .args(["--", "java", "-cp"])
                .arg(&wrong)
                .args(["Growth", kind, n]),
        );
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "{kind}: {:?}", began.elapsed());
        match method {
            Some(method) => told.parts_in(method),
            None => told.is_the_same(),
        }
    }
}
