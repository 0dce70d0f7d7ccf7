//! `qp diagnose` with other oracles: a correct version of the program, and kept answers; and programs that
//! still run.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::javac::Javac;
use crate::support::questions::lines;
use crate::support::{compiled, finish, processes_with, qp, root, said, scratch};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    tempfile::tempdir_in(scratch()).expect("a folder").keep()
}

/// Records a program at level `all`.
fn recorded(classes: &Path, class: &str) -> PathBuf {
    let trace = folder().join("trace");
    let mut command = qp();
    command.args(["trace", "record", "--level", "all", "--out"]).arg(&trace);
    let output = finish(command.args(["--", "java", "-cp"]).arg(classes).arg(class));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    trace
}

/// A version of a program with a replaced text, compiled.
fn changed(source: &str, class: &str, was: &str, becomes: &str) -> PathBuf {
    let text = std::fs::read_to_string(root().join(source)).expect("a source");
    assert!(text.contains(was), "{source} has not {was}");
    let folder = folder();
    let file = folder.join(format!("{class}.java"));
    std::fs::write(&file, text.replace(was, becomes)).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
    folder
}

/// The reference is to call methods, and not to run by itself.
const CALLS: &str = "--reference-by=calls";

fn diagnose(arguments: &[&str]) -> Command {
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--strategy=top-down"]).args(arguments);
    command
}

fn answer(question: u32, answer: &str) -> Value {
    json!({"question": question, "answer": answer})
}

/// The verdicts of the correct version, by call.
fn referred(told: &[Value]) -> Vec<(u64, String)> {
    let of = |line: &Value| {
        let referred = line.get("by_reference")?;
        Some((referred["node"].as_u64()?, referred["answer"].as_str()?.to_owned()))
    };
    told.iter().filter_map(of).collect()
}

#[test]
fn the_right_version_answers_what_it_can() {
    let trace = recorded(&compiled("../examples/mergesort", &["-g"]), "MergeSort").display().to_string();
    let right =
        changed("examples/mergesort/MergeSort.java", "MergeSort", "c[lb++] = a[la++]", "c[lc++] = a[la++]");
    let right = right.display().to_string();
    let (told, code) = lines(&mut diagnose(&[&trace, CALLS, "--reference", &right]), &[]);
    assert_eq!(code, 0, "{told:?}");
    // What `main` prints is compared.
    let why = told[0]["by_reference"]["why"].as_str().expect("a reason");
    assert_eq!(why, "the right version prints \"[1, 4, 7, 9]\\n\" on System.out");
    let words: Vec<(u64, String)> = [
        (0, "invalid"),
        (1, "invalid"),
        (2, "valid"),
        (3, "valid"),
        (4, "valid"),
        (5, "valid"),
        (6, "invalid"),
    ]
    .map(|(node, word)| (node, word.to_owned()))
    .into();
    assert_eq!(referred(&told), words);
    let last = told.last().expect("a line");
    assert_eq!(
        (&last["buggy"]["node"], &last["answers"], &last["answered_by_reference"]),
        (&json!(6), &json!(0), &json!(7))
    );
    // A reference without a class of the program would be the program itself. Nothing is left behind.
    let absent = folder().join("absent").display().to_string();
    let output = finish(&mut diagnose(&[&trace, "--reference", &absent]));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("absent does not exist"), "{}", said(&output));
    for class_path in [&absent, &right] {
        let left = processes_with(&format!(":{class_path}"));
        let states: Vec<String> = left.iter().map(|(process, _)| state_of(*process)).collect();
        assert!(left.is_empty(), "{states:?}");
    }
}

/// By its own run, the right version decides where no call of a method could: what prints, what takes input,
/// what ends the VM. Nobody has to answer.
#[test]
fn the_run_of_the_right_version_answers_everything() {
    let (merge, avl) = ("examples/mergesort/MergeSort.java", "examples/declarative/avl/AvlTree.java");
    let (let_go, tallies) = ("tests/fixtures/let-go/LetGo.java", "tests/fixtures/tallies/Tallies.java");
    let cut = "dropped.next = null;";
    let wrong_word = "if (word.equals(\"c\")) words.remove(\"a\");";
    for (source, class, wrong, right, method, why) in [
        (merge, "MergeSort", "c[lb++] = a[la++]", "c[lc++] = a[la++]", "merge", "in the right version: "),
        (avl, "AvlTree", "top.left = node;", "", "rotateLeft", "in the right version: "),
        (let_go, "LetGo", "", cut, "drop", ".next: LetGo.Link@"),
        (tallies, "Tallies", wrong_word, "", "add", "in the right version: "),
    ] {
        // The wrong version of the tree lacks a line, that of the list has it as a comment.
        let (here, there) = match class {
            "AvlTree" => (changed(source, class, wrong, right), changed(source, class, "", "")),
            "LetGo" => {
                (changed(source, class, wrong, wrong), changed(source, class, &format!("// {cut}"), cut))
            }
            _ => (changed(source, class, "", ""), changed(source, class, wrong, right)),
        };
        let (trace, there) = (recorded(&here, class).display().to_string(), there.display().to_string());
        let (told, code) = lines(&mut diagnose(&[&trace, "--reference", &there]), &[]);
        let last = told.last().expect("a line");
        let found = (code, &last["buggy"]["method"], &last["answers"]);
        assert_eq!(found, (0, &json!(method), &json!(0)), "{told:?}");
        assert!(told[0]["by_reference"]["why"].as_str().is_some_and(|text| text.contains(why)), "{told:?}");
    }
}

/// Where a person would be asked, the search goes on, and ends with the calls that are left.
#[test]
fn unattended_it_ends_with_what_could_not_be_judged() {
    let trace = recorded(&compiled("../examples/mergesort", &["-g"]), "MergeSort").display().to_string();
    let (told, code) = lines(&mut diagnose(&[&trace, "--unattended"]), &[]);
    let [result] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((code, &result["buggy"], &result["answers"]), (1, &Value::Null, &json!(0)));
    let unjudged = result["unjudged"].as_array().expect("calls");
    let nodes: Vec<&Value> = unjudged.iter().map(|call| &call["node"]).collect();
    // The likeliest call comes first in both lists.
    assert_eq!(nodes, result["undecided"].as_array().expect("calls").iter().collect::<Vec<_>>(), "{result}");
    assert!(unjudged.iter().any(|call| call["method"] == "MergeSort.merge"), "{result}");
    // With a reference nobody needs to be asked.
    let right =
        changed("examples/mergesort/MergeSort.java", "MergeSort", "c[lb++] = a[la++]", "c[lc++] = a[la++]");
    let right = right.display().to_string();
    let (told, code) = lines(&mut diagnose(&[&trace, "--unattended", "--reference", &right]), &[]);
    let last = told.last().expect("a line");
    assert_eq!(
        (code, &last["buggy"]["method"], &last["answers"]),
        (0, &json!("merge"), &json!(0)),
        "{told:?}"
    );
    // As text, with the reasons.
    let mut command = qp();
    command.args(["diagnose", &trace, "--unattended", "--color=never", "--strategy=top-down", "--node=0"]);
    let output = finish(command.args(["--reference", &right]));
    assert!(said(&output).contains("the bug is in MergeSort.merge"), "{}", said(&output));
}

/// A process's name, state, parent and number of threads, from `/proc`.
fn state_of(process: u32) -> String {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let wanted = ["Name:", "State:", "PPid:", "Threads:"];
    let lines = status.lines().filter(|line| wanted.iter().any(|name| line.starts_with(name)));
    lines.map(|line| line.replace('\t', " ")).collect::<Vec<_>>().join(", ")
}

/// The result of a call may be reachable only as the result: the root of a rotated tree.
#[test]
fn what_only_the_result_leads_to_is_compared_too() {
    let source = "examples/declarative/avl/AvlTree.java";
    let wrong = changed(source, "AvlTree", "top.left = node;", "");
    let right = changed(source, "AvlTree", "", "").display().to_string();
    let trace = recorded(&wrong, "AvlTree").display().to_string();
    let (told, code) = lines(&mut diagnose(&[&trace, CALLS, "--node", "16", "--reference", &right]), &[]);
    let methods =
        ["insert", "insert", "rebalance", "updateHeight", "balance", "balance", "rotateRight", "rotateLeft"];
    let of = |line: &Value| {
        let referred = line.get("by_reference")?;
        Some((referred["method"].as_str()?.to_owned(), referred["answer"].as_str()? == "invalid"))
    };
    let said: Vec<(String, bool)> = told.iter().filter_map(of).collect();
    let wrong = [true, false, true, false, false, false, false, true];
    let expected: Vec<(String, bool)> =
        methods.iter().zip(wrong).map(|(method, is_wrong)| (format!("AvlTree.{method}"), is_wrong)).collect();
    assert_eq!(said[..8], expected, "{told:?}");
    let last = told.last().expect("a line");
    assert_eq!((code, &last["buggy"]["method"]), (0, &json!("rotateLeft")), "{last}");
}

/// The call's input no longer leads to it, but somebody else holds it.
#[test]
fn what_a_call_lets_go_of_is_compared_too() {
    let trace = recorded(&compiled("fixtures/let-go", &["-g"]), "LetGo").display().to_string();
    let cut = "dropped.next = null;";
    let right =
        changed("tests/fixtures/let-go/LetGo.java", "LetGo", &format!("// {cut}"), cut).display().to_string();
    let (told, code) = lines(&mut diagnose(&[&trace, CALLS, "--reference", &right]), &[]);
    let last = told.last().expect("a line");
    assert_eq!(
        (code, &last["buggy"]["method"], &last["answers"]),
        (0, &json!("drop"), &json!(0)),
        "{told:?}"
    );
    let why: Vec<&str> = told
        .iter()
        .filter(|line| line["by_reference"]["method"] == "LetGo.drop")
        .filter_map(|line| line["by_reference"]["why"].as_str())
        .collect();
    assert_eq!(why.len(), 1, "{told:?}");
    assert!(why[0].starts_with("LetGo$Link@") && why[0].ends_with(".next is null"), "{why:?}");
}

/// The reasons why a reference cannot judge calls of `identity`, by method, and the resulting buggy method.
fn judged(right: &Path) -> (Vec<(String, String)>, String) {
    let trace = folder().join("trace");
    let classes = compiled("fixtures/identity", &["-g"]);
    let mut command = qp();
    command.args(["trace", "record", "--level", "all", "--out"]).arg(&trace);
    let output = finish(command.args(["--", "java", "-ea", "-cp"]).arg(classes).arg("Identity"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let (trace, right) = (trace.display().to_string(), right.display().to_string());
    let mut command = diagnose(&[&trace, "--reference", &right]);
    let told = crate::support::questions::told(&mut command, |question| match question["method"].as_str() {
        Some("main" | "all") => "invalid",
        _ => "valid",
    });
    let notes = told.questions.iter().filter_map(|question| {
        Some((question["method"].as_str()?.to_owned(), question["notes"][0].as_str()?.to_owned()))
    });
    (notes.collect(), told.last["buggy"]["method"].as_str().unwrap_or_default().to_owned())
}

/// Objects given to a call keep their identity hash codes. To find out what else a result depends on, `qp`
/// calls the program's own code.
#[test]
fn a_reference_blames_no_call_for_what_its_own_code_does_not_repeat() {
    let (notes, buggy) = judged(&compiled("fixtures/identity", &["-g"]));
    assert_eq!(buggy, "all", "{notes:?}");
    let unrepeated = |method: &str| {
        let mut of = notes.iter().filter(|(name, _)| name == method);
        of.any(|(_, why)| why.contains("the program's own code does not repeat what it did"))
    };
    assert!(["time", "hashOfNew", "hashed"].iter().all(|method| unrepeated(method)), "{notes:?}");
    // These were judged, with the same hash codes, order and options.
    for method in ["order", "text", "hash", "first", "asserted", "twice"] {
        assert!(notes.iter().all(|(name, _)| name != method), "{method}: {notes:?}");
    }
    // A method whose result depends on identity can still be wrong.
    let source = "tests/fixtures/identity/Identity.java";
    let (notes, buggy) = judged(&changed(source, "Identity", "((Key) key).n;", "((Key) key).n + 1;"));
    assert_eq!(buggy, "order", "{notes:?}");
}

#[test]
fn a_reference_that_ends_or_hangs_leaves_that_call_to_a_person() {
    let trace = recorded(&compiled("fixtures/unsteady", &["-g"]), "Unsteady").display().to_string();
    let source =
        std::fs::read_to_string(root().join("tests/fixtures/unsteady/Unsteady.java")).expect("a source");
    let folder = folder();
    let file = folder.join("Unsteady.java");
    let unsteady = source
        .replace("x + 1", "leave(x)")
        .replace("x + 2", "stay(x)")
        .replace("x + 3", "halt(x)")
        .replace("x + 5", "x * 5")
        .replace(
            "    static int goes",
            "    static int leave(int x) { System.exit(0); return x; }
    static int stay(int x) { while (true) { x++; } }
    static int halt(int x) { Runtime.getRuntime().halt(1); return x; }
    static int goes",
        );
    std::fs::write(&file, unsteady).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
    let right = folder.display().to_string();
    let script = [1, 2, 3].map(|n| answer(n, "valid"));
    let (told, code) = lines(&mut diagnose(&[&trace, CALLS, "--node", "0", "--reference", &right]), &script);
    assert_eq!((code, &told.last().expect("a line")["buggy"]["method"]), (0, &json!("fails")), "{told:?}");
    let notes: Vec<(&str, &str)> =
        told.iter().filter_map(|line| Some((line["method"].as_str()?, line["notes"][0].as_str()?))).collect();
    let cannot = |why| format!("the reference cannot tell: {why}");
    let (ended, slow) = ("the VM of the right version ended", "the right version takes more than 10 s");
    let wanted = [("exits", cannot(ended)), ("hangs", cannot(slow)), ("halts", cannot(ended))];
    assert_eq!(notes, wanted.each_ref().map(|(method, why)| (*method, why.as_str())));
    assert_eq!(referred(&told), [(4, "valid".to_owned()), (5, "invalid".to_owned())]);
    assert!(processes_with(&format!(":{right}")).is_empty());
}

#[test]
fn collections_are_told_as_their_elements_and_made_anew() {
    let trace = recorded(&compiled("fixtures/tallies", &["-g"]), "Tallies").display().to_string();
    let script: Vec<Value> =
        [1, 2, 3, 4, 5].map(|n| answer(n, if n == 1 { "invalid" } else { "valid" })).into();
    let (told, _) = lines(&mut diagnose(&[&trace]), &script);
    let changes = |line: &Value| -> Vec<String> {
        let side = |value: &Value| match value.get("absent") {
            Some(_) => "nothing".to_owned(),
            None => value["value"].to_string(),
        };
        let all = line["changed"].as_array().expect("changes").iter();
        all.map(|c| format!("{}: {} -> {}", c["path"].as_str().unwrap(), side(&c["old"]), side(&c["new"])))
            .collect()
    };
    assert_eq!(
        changes(&told[4]),
        ["this.words[2]: nothing -> \"a\"", "this.counts{\"a\"}: 1 -> 2"],
        "{}",
        told[4]
    );
    assert_eq!(
        changes(&told[5]),
        [
            "this.words[0]: \"a\" -> \"bb\"",
            "this.words[1]: \"bb\" -> \"a\"",
            "this.words[2]: \"a\" -> \"c\"",
            "this.counts{\"c\"}: nothing -> 1",
        ],
        "{}",
        told[5]
    );
    let counts = &told[5]["exit"]["this"]["fields"]["counts"];
    assert_eq!(
        (&counts["type"], counts["elements"].as_array().map(Vec::len)),
        (&json!("java.util.HashMap"), Some(3))
    );
    let right = changed(
        "tests/fixtures/tallies/Tallies.java",
        "Tallies",
        "if (word.equals(\"c\")) words.remove(\"a\");",
        "",
    );
    let right = right.display().to_string();
    let (told, code) = lines(&mut diagnose(&[&trace, CALLS, "--reference", &right]), &[]);
    assert_eq!((code, &told.last().expect("a line")["buggy"]["method"]), (0, &json!("add")), "{told:?}");
    let words: Vec<String> = referred(&told).into_iter().map(|(_, word)| word).collect();
    assert_eq!(words, ["invalid", "valid", "valid", "valid", "valid", "invalid"]);
}

#[test]
fn answers_are_kept_for_calls_that_do_the_same() {
    let trace = recorded(&compiled("../examples/mergesort", &["-g"]), "MergeSort").display().to_string();
    let kept = folder().join("kept.ron").display().to_string();
    let script: Vec<Value> =
        [(1, "invalid"), (2, "invalid"), (3, "valid")].map(|(n, word)| answer(n, word)).into();
    let (_, code) = lines(&mut diagnose(&[&trace, "--answers", &kept]), &script);
    assert_eq!(code, 2);
    // Another run of the program numbers its objects differently. In an edited program, `qp` asks about calls
    // that behave differently.
    let edited =
        changed("examples/mergesort/MergeSort.java", "MergeSort", "lb++] = a[la++]", "lc++] = a[la++ - 0]");
    for (classes, known) in [(compiled("../examples/mergesort", &["-g"]), 3), (edited, 0)] {
        let again = recorded(&classes, "MergeSort").display().to_string();
        let (told, _) = lines(&mut diagnose(&[&again, "--answers", &kept]), &[]);
        let of_before = told.iter().filter(|line| line.get("kept").is_some()).count();
        assert_eq!(of_before, known, "{told:?}");
    }
    // A retracted answer is asked again.
    let mut command = qp();
    command.args(["diagnose", &trace, "--answers", &kept, "--strategy=top-down"]);
    let script = folder().join("script");
    std::fs::write(&script, "answers\nretract 3\nquit\n").expect("written");
    let output = finish(command.stdin(std::fs::File::open(script).expect("a script")));
    let text = said(&output);
    assert!(text.contains("   3  valid        MergeSort.distribute"), "{text}");
    assert!(text.contains("#2 MergeSort.distribute question 3"), "{text}");
    // A file of another format is reported.
    std::fs::write(&kept, "(format: 9, answers: [])").expect("written");
    let (told, code) = lines(&mut diagnose(&[&trace, "--answers", &kept]), &[]);
    assert_eq!((code, told.len()), (2, 0), "{told:?}");
}

#[test]
fn a_program_that_never_ends_is_asked_about() {
    let classes = compiled("fixtures/goes-on", &["-g"]);
    let mut command = diagnose(&["--", "java", "-cp", &classes.display().to_string(), "GoesOn"]);
    let told = crate::support::questions::told(&mut command, |question| {
        let given = question["entry"]["n"]["value"].as_i64();
        let is_right = given != Some(7) && question["method"] != "later";
        if is_right { "valid" } else { "invalid" }
    });
    assert_eq!(told.code, 0, "{}", told.last);
    assert_eq!(told.last["buggy"]["method"], "twice", "{}", told.last);
    // Questions are only about calls that have ended.
    assert!(told.questions.iter().all(|question| question["method"] != "main"));
    assert!(processes_with("GoesOn").is_empty());
}

#[test]
fn two_runs_part_where_the_bug_is() {
    let diff = |arguments: &[&str]| {
        let output = finish(qp().args(["diff", "--format=json"]).args(arguments));
        let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), told["parted"].clone(), said(&output))
    };
    let wrong = compiled("../examples/mergesort", &["-g"]).display().to_string();
    let right =
        changed("examples/mergesort/MergeSort.java", "MergeSort", "c[lb++] = a[la++]", "c[lc++] = a[la++]");
    let right = right.display().to_string();
    let (code, parted, text) = diff(&["--reference", &right, "--", "java", "-cp", &wrong, "MergeSort"]);
    assert_eq!(
        (code, &parted["node"], &parted["method"], &parted["same"]),
        (Some(0), &json!(6), &json!("merge"), &json!(4)),
        "{text}"
    );
    let departs = json!([
        {"what": "c[2]", "here": "9", "there": "7"},
        {"what": "c[3]", "here": "as it was", "there": "9"},
    ]);
    assert_eq!(parted["differs"], departs, "{text}");
    let (code, parted, text) = diff(&["--reference", &right, "--", "java", "-cp", &right, "MergeSort"]);
    assert_eq!((code, parted), (Some(1), Value::Null), "{text}");
    // A call that only one of two recorded runs makes.
    let other = changed(
        "examples/mergesort/MergeSort.java",
        "MergeSort",
        "        sort(a);",
        "        sort(a);\n        sort(a);\n        a[0] = 100;",
    );
    let runs =
        [PathBuf::from(&wrong), other].map(|classes| recorded(&classes, "MergeSort").display().to_string());
    let (code, parted, text) = diff(&[&runs[1], &runs[0]]);
    assert_eq!(
        (code, &parted["method"], &parted["differs"].to_string().contains("100")),
        (Some(0), &json!("main"), &true),
        "{text}"
    );
    let (code, _, text) = diff(&["--reference", "x", "--", "java", "-jar", "x.jar"]);
    assert!(code == Some(2) && text.contains("has no -cp"), "{text}");
}

#[test]
fn what_is_not_recorded_is_unknown() {
    let classes = compiled("fixtures/partly", &["-g"]).display().to_string();
    let trace = folder().join("trace").display().to_string();
    let recorded = ["trace", "record", "--level=all", "--trust", "Partly$Outside", "--out", &trace];
    let output = finish(qp().args(recorded).args(["--", "java", "-cp", &classes, "Partly"]));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let script: Vec<Value> = [1, 2].map(|n| answer(n, if n == 1 { "invalid" } else { "valid" })).into();
    let (told, _) = lines(&mut diagnose(&[&trace]), &script);
    let read = told.iter().find(|line| line["method"] == "read").expect("a question");
    let unknown = json!({"unknown": true});
    assert_eq!(read["entry"]["outside"]["fields"], json!({"value": unknown, "never": unknown}), "{read}");
    assert_eq!(read["entry"]["inside"]["fields"], json!({"never": {"type": "int", "value": 0}}), "{read}");
    let rows = read["entry"]["grid"]["elements"].as_array().expect("rows").iter();
    let zeros = json!(vec![json!({"type": "int", "value": 0}); 3]);
    assert_eq!(rows.map(|row| &row["elements"]).collect::<Vec<_>>(), [&zeros, &zeros], "{read}");
}

const SURE: &str = r#"public class Sure {
    static final String LONG = "x".repeat(100_000);
    static int sum;

    static int length(String text) {
        return text.length();
    }

    static int twice(int number) {
        return 2 * number;
    }

    static void extra(int number) {
        sum += number;
    }

    static int broken(int number) {
        int sum = length(LONG) + twice(number);
        extra(number); // Only here.
        return sum;
    }

    public static void main(String[] arguments) {
        System.out.println(broken(3));
    }
}
"#;

#[test]
fn an_answer_says_how_sure_it_is() {
    let versions = [
        ("extra(number); // Only here.", "extra(number); // Only here."),
        ("extra(number); // Only here.", ""),
    ];
    let [wrong, right] = versions.map(|(was, becomes)| {
        let folder = folder();
        let file = folder.join("Sure.java");
        std::fs::write(&file, SURE.replace(was, becomes)).expect("written");
        Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
        folder.display().to_string()
    });
    let mut command = diagnose(&["--unattended", "--reference", &right, "--", "java", "-cp", &wrong, "Sure"]);
    let (told, _) = lines(&mut command, &[]);
    let of = |method: &str| {
        let is_it = |line: &&Value| line["by_reference"]["method"] == *format!("Sure.{method}");
        let line = told.iter().find(is_it).unwrap_or_else(|| panic!("{method}: {told:#?}"));
        let answer = &line["by_reference"];
        [&answer["answer"], &answer["sure"]].map(|word| word.as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(of("broken"), ["invalid", "equal by value"]);
    assert_eq!(of("extra"), ["inadmissible", "not compared"]);
    assert_eq!(of("length"), ["valid", "equal as far as known"]);
    assert_eq!(of("twice"), ["valid", "equal by value"]);
    let last = told.last().expect("a line");
    assert_eq!((&last["buggy"]["method"], &last["answered_by_reference"]), (&json!("broken"), &json!(4)));
}

const MACHINE: &str = r#"public class Machine {
    final Runnable lambda;
    final StringBuilder out = new StringBuilder();
    int state = 3;

    static class Table {
        static final Runnable EMPTY = () -> { };
        static void touch() { }
    }

    Machine(Runnable lambda) { this.lambda = lambda; }

    void state(int to) { state = to; }

    void emit(String tag) {
        if (state == 3) Table.touch(); // The right version never initialises that class.
        out.append(state).append(tag);
    }

    static void insert(Machine m, String tag) {
        m.state(0); // Right.
        m.emit(tag);
    }

    public static void main(String[] arguments) {
        Machine m = new Machine(() -> { });
        insert(m, "a");
        System.out.println(m.out);
    }
}
"#;

/// Nobody can make such an object again, or call a class initialiser. The recording is of another folder than
/// that from which the reference is named.
#[test]
fn the_blamed_call_is_named_although_no_other_can_be_called_again() {
    let versions = [MACHINE.replace("m.state(0); // Right.", ""), MACHINE.to_owned()].map(|text| {
        let folder = folder();
        let file = folder.join("Machine.java");
        std::fs::write(&file, text).expect("written");
        Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
        folder
    });
    let [wrong, right] = versions;
    let mut record = qp();
    record.current_dir(&wrong).args(["trace", "record", "--level=all", "--out=trace"]);
    assert!(finish(record.args(["--", "java", "-cp", ".", "Machine"])).status.success());
    let trace = wrong.join("trace").display().to_string();
    let mut command = diagnose(&["--unattended", "--reference=.", &trace]);
    let (told, code) = lines(command.current_dir(&right), &[]);
    let last = told.last().expect("a line");
    assert_eq!((code, &last["buggy"]["method"]), (0, &json!("insert")), "{told:#?}");
}

const KEEPING: &str = r#"import java.util.*;
public class Keeping {
    static final List<String> KEPT = new ArrayList<>();
    static void keep(String text) { if (text.length() > 9) KEPT.add(text); }
    static int length(String text) { keep(text); return text.length(); }
    public static void main(String[] arguments) { System.out.println(length("abc")); }
}
"#;

/// A call changes a list that only a final static field leads to, and the right version never touches it.
#[test]
fn a_change_that_the_right_version_never_makes_is_not_valid() {
    let [wrong, right] = [KEEPING.replace("> 9", "> 0"), KEEPING.to_owned()].map(|text| {
        let folder = folder();
        let file = folder.join("Keeping.java");
        std::fs::write(&file, text).expect("written");
        Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
        folder.display().to_string()
    });
    let program = ["--", "java", "-cp", &wrong, "Keeping"];
    let told = |options: &[&str]| {
        let all = [&["--unattended", "--reference", &right], options, &program].concat();
        let (told, _) = lines(&mut diagnose(&all), &[]);
        (told.last().expect("a line")["buggy"]["method"].clone(), told)
    };
    let (buggy, all) = told(&[]);
    assert_eq!(buggy, "keep", "{all:#?}");
    // A single call does not show what the right version leaves alone.
    let (_, all) = told(&[CALLS]);
    let valid = all.iter().filter(|line| line["by_reference"]["answer"] == "valid");
    let valid: Vec<&Value> = valid.map(|line| &line["by_reference"]["method"]).collect();
    assert_eq!(valid, [&Value::Null; 0], "{all:#?}");
}
