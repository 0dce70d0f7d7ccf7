//! `qp diagnose --assert`: conditions on methods, in Java, answer questions instead of a person where they
//! can.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::javac::Javac;
use crate::support::questions::lines;
use crate::support::{compiled, finish, processes_with, qp, said, scratch, unwrapped};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn recorded(classes: &Path, class: &str, level: &str) -> String {
    let trace = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
    let mut command = qp();
    command.args(["trace", "record", "--level", level, "--out"]).arg(&trace);
    let output = finish(command.args(["--", "java", "-cp"]).arg(classes).arg(class));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    trace.display().to_string()
}

fn merge_sort() -> &'static str {
    static TRACE: OnceLock<String> = OnceLock::new();
    TRACE.get_or_init(|| recorded(&compiled("../examples/mergesort", &["-g"]), "MergeSort", "all"))
}

fn asserted() -> &'static str {
    static TRACE: OnceLock<String> = OnceLock::new();
    TRACE.get_or_init(|| recorded(&compiled("fixtures/asserted", &["-g"]), "Asserted", "all"))
}

/// A file of assertions with these rows.
fn file(rows: &str) -> PathBuf {
    let file = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("asserts.ron");
    std::fs::write(&file, format!("(format: 1, assertions: [\n{rows}\n])\n")).expect("written");
    file
}

/// Every line of a diagnosis with these rows, with this answer to each question; and the exit code.
fn diagnosed(trace: &str, rows: &str, answer: &str, more: &[&str]) -> (Vec<Value>, i32) {
    let mut command = qp();
    command.args(["diagnose", "--format=json", trace, "--assert"]).arg(file(rows)).args(more);
    let script: Vec<Value> = (1..=40).map(|number| json!({"question": number, "answer": answer})).collect();
    lines(&mut command, &script)
}

/// The answers by assertions, with their calls.
fn by_assertion(told: &[Value]) -> Vec<(u64, String)> {
    let of = |line: &Value| {
        let referred = line.get("by_assertion")?;
        Some((referred["node"].as_u64()?, referred["answer"].as_str()?.to_owned()))
    };
    told.iter().filter_map(of).collect()
}

/// The verdict of one row on the first call of its method in the fixture: the answer with its reason, or the
/// note to the person.
fn told_of(trace: &str, method: &str, row: &str) -> (String, String) {
    let name = method.rsplit('.').next().expect("a name");
    let row = format!("(method: \"Asserted{method}\", {row}),");
    let (told, _) = diagnosed(trace, &row, "valid", &["--strategy=single-stepping"]);
    for line in told {
        if let Some(referred) = line.get("by_assertion") {
            let text = |key: &str| referred[key].as_str().unwrap_or_default().to_owned();
            return (text("answer"), text("why"));
        }
        if line["method"] == name {
            let notes: Vec<&str> =
                line["notes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            return ("asked".to_owned(), notes.join("\n"));
        }
        assert!(line.get("error").is_none(), "{line}");
    }
    panic!("{method} is not asked about")
}

#[track_caller]
fn says(method: &str, row: &str, answer: &str, why: &str) {
    let told = told_of(asserted(), method, row);
    assert_eq!((told.0.as_str(), told.1.as_str()), (answer, why), "{row}");
}

const MERGE: &str = r#"(method: "MergeSort.merge", ensures: "lc == old(lc) + ra - old(la) + rb - old(lb)", complete: COMPLETE),"#;
const OTHERS: &str = r#"
    // Only the four numbers of the example.
    (method: "MergeSort.sort(int[])", ensures: "a[0] <= a[1] && a[1] <= a[2] && a[2] <= a[3]"),
    (method: "MergeSort.distribute", ensures: "b[0] == a[0] && (l == 1 ? c[0] == a[1] && b[1] == a[2] : b[1] == a[1] && c[0] == a[2]) && c[1] == a[3]",
     complete: true),"#;

#[test]
fn the_merge_sort_takes_no_question() {
    let rows = MERGE.replace("COMPLETE", "false");
    let (told, code) = diagnosed(merge_sort(), &rows, "unknown", &[]);
    assert_eq!(code, 0, "{told:?}");
    assert_eq!(by_assertion(&told), [(6, "invalid".to_owned())]);
    let why = "`lc == old(lc) + ra - old(la) + rb - old(lb)` is false; lc is 3, old(lc) + ra - old(la) + rb - old(lb) is 4";
    assert_eq!(
        told[0],
        json!({"by_assertion": {"node": 6, "method": "MergeSort.merge", "answer": "invalid", "why": why}})
    );
    let last = told.last().expect("a line");
    assert_eq!(
        (&last["buggy"]["node"], &last["answers"], &last["answered_by_assertion"]),
        (&json!(6), &json!(0), &json!(1))
    );
    assert_eq!(told.len(), 2);
    // As text.
    let mut command = qp();
    command.args(["diagnose", merge_sort(), "--assert"]).arg(file(&rows));
    let output = finish(&mut command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        unwrapped(&text)
            .starts_with(&format!("#6 MergeSort.merge is invalid by the assertion: {why} the bug is in ")),
        "{text}"
    );
}

#[test]
fn a_partial_assertion_answers_only_that_a_call_is_wrong() {
    let strategy = &["--strategy=top-down"];
    let merge = |complete| {
        format!("(method: \"MergeSort.merge\", ensures: \"lc <= 4\", complete: {complete}),{OTHERS}")
    };
    let (told, code) = diagnosed(merge_sort(), &merge(true), "invalid", strategy);
    assert_eq!(code, 0, "{told:?}");
    let words = [(1, "invalid"), (2, "valid"), (3, "valid"), (4, "valid"), (5, "valid"), (6, "valid")];
    assert_eq!(by_assertion(&told), words.map(|(node, word)| (node, word.to_owned())));
    let last = told.last().expect("a line");
    assert_eq!(
        (&last["buggy"]["node"], &last["answers"], &last["answered_by_assertion"]),
        (&json!(1), &json!(0), &json!(6))
    );
    // The condition does not cover everything that `merge` should do, so `qp` asks about its calls.
    let (told, _) = diagnosed(merge_sort(), &merge(false), "invalid", strategy);
    assert_eq!(
        by_assertion(&told),
        words[..2].iter().map(|(node, word)| (*node, (*word).to_owned())).collect::<Vec<_>>()
    );
    let asked = told.iter().find(|line| line["node"] == 3).expect("it is asked");
    assert_eq!(asked["notes"], json!(["the assertion holds, but it is not `complete`: `lc <= 4`"]));
}

#[test]
fn fields_parameters_and_results_are_those_of_the_end_and_old_ones_of_the_begin() {
    let pay = "$Account.pay";
    says(
        pay,
        r#"ensures: "balance == old(balance) - old(amount) && result == this.balance && amount == 0", complete: true"#,
        "valid",
        "`balance == old(balance) - old(amount) && result == this.balance && amount == 0` is true",
    );
    says(
        pay,
        r#"ensures: "balance >= old(balance)""#,
        "invalid",
        "`balance >= old(balance)` is false; balance is 70L, old(balance) is 100L",
    );
    says(
        pay,
        r#"ensures: "next == null && owner == \"ann\" && old(amount) == 30", complete: true"#,
        "valid",
        "`next == null && owner == \"ann\" && old(amount) == 30` is true",
    );
    // A constructor begins with the initial values of fields.
    says(
        "$Account.<init>",
        r#"ensures: "old(this.balance) == 0 && this.owner.equals(owner) && balance == 99""#,
        "invalid",
        "`old(this.balance) == 0 && this.owner.equals(owner) && balance == 99` is false; old(this.balance) is 0L, this.owner.equals(owner) is true, balance is 100L",
    );
    // An ambiguous name is refused, and its unambiguous forms are accepted.
    says(
        "$Box.put",
        r#"ensures: "this.result == .result + 1 && .exception == null", complete: true"#,
        "valid",
        "`this.result == .result + 1 && .exception == null` is true",
    );
    says(
        ".same",
        r#"ensures: ".result == old(result)", complete: true"#,
        "valid",
        "`.result == old(result)` is true",
    );
    // The value of a parameter at the end is known if the method does not write it, or if local variables are
    // recorded.
    let writes = recorded(&compiled("fixtures/asserted", &["-g"]), "Asserted", "writes");
    let told = told_of(&writes, pay, r#"ensures: "amount == 0""#);
    assert_eq!(
        told.1,
        "the assertion cannot tell: only level `all` records the value of `amount` at the end: write `old(amount)`"
    );
    assert_eq!(
        told_of(&writes, pay, r#"ensures: "old(amount) == 30 && balance == 70", complete: true"#).0,
        "valid"
    );
    let half = r#"ensures: "n == 7 && result == 3 || n == -7", complete: true"#;
    assert_eq!(told_of(&writes, ".half", half).0, "valid");
}

#[test]
fn a_call_that_was_given_what_its_method_does_not_take_is_inadmissible() {
    let rows = r#"(method: "Asserted.half", requires: "n >= 0", ensures: "result + result == n || result + result == n - 1", complete: true),"#;
    let (told, _) = diagnosed(asserted(), rows, "valid", &["--strategy=single-stepping"]);
    let words: Vec<String> = by_assertion(&told).into_iter().map(|(_, word)| word).collect();
    assert_eq!(words, ["valid", "inadmissible"]);
    let why = told.iter().filter_map(|line| line["by_assertion"]["why"].as_str()).nth(1);
    assert_eq!(why, Some("`n >= 0` is false; n is -7"));
    says(
        ".half",
        r#"requires: "n > 0""#,
        "asked",
        "the assertion has no `ensures`; the call meets its `requires`",
    );
}

#[test]
fn exceptions_are_told_of_by_those_that_name_them() {
    // The second call threw.
    let of_second = |row: &str| {
        let row = format!("(method: \"Asserted.parse\", {row}),");
        let (told, _) = diagnosed(asserted(), &row, "valid", &["--strategy=single-stepping"]);
        let parse =
            |line: &&Value| line["method"] == "parse" || line["by_assertion"]["method"] == "Asserted.parse";
        let of = told.iter().rfind(parse).expect("it is told of");
        let node = of["node"].as_u64().or(of["by_assertion"]["node"].as_u64());
        assert_eq!(node, Some(9), "the second call of `parse`: {told:?}");
        (
            of["by_assertion"]["answer"].as_str().unwrap_or("asked").to_owned(),
            of["notes"][0].as_str().map(str::to_owned),
        )
    };
    assert_eq!(
        of_second(r#"ensures: "result > 0", complete: true"#),
        (
            "asked".to_owned(),
            Some(
                "the assertion does not judge calls that end with an exception: it does not name `exception`"
                    .to_owned()
            )
        )
    );
    let told = of_second(
        r#"ensures: "exception == null || exception instanceof NumberFormatException", complete: true"#,
    );
    assert_eq!(told, ("valid".to_owned(), None));
    let told = of_second(
        r#"ensures: "exception instanceof ArithmeticException || exception == null && result > 0""#,
    );
    assert_eq!(told.0, "invalid");
    let told = of_second(r#"ensures: "result > 0 || exception != null""#);
    assert_eq!(
        told.1.as_deref(),
        Some("the assertion cannot tell: the call has no result, since an exception left it")
    );
}

#[test]
fn what_is_not_known_is_asked() {
    let (answer, why) = told_of(asserted(), ".wrapped", r#"ensures: "letters[0] == 'x'""#);
    assert_eq!(answer, "asked");
    let who = "[0] may have been written by java.nio.CharBuffer.wrap, which is not recorded";
    assert!(why.starts_with("the assertion cannot tell: char[2]@") && why.ends_with(who), "{why}");
    says(
        ".wrapped",
        r#"ensures: "letters.length == 2", complete: true"#,
        "valid",
        "`letters.length == 2` is true",
    );
    // The stores of a call are recorded, and no other array is still in use elsewhere.
    let sorted = "bytes[0] <= bytes[1] && old(bytes[0]) == 3";
    says(".sort", &format!("ensures: {sorted:?}, complete: true"), "valid", &format!("`{sorted}` is true"));
    says(
        ".first",
        r#"ensures: "result == numbers[0] && result == old(numbers[0])", complete: true"#,
        "valid",
        "`result == numbers[0] && result == old(numbers[0])` is true",
    );
    says(
        ".first",
        r#"ensures: "result == numbers[1]""#,
        "asked",
        "the assertion cannot tell: `numbers[1]`: index 1 is outside the array of length 1",
    );
    let (answer, why) = told_of(asserted(), ".longText", r#"ensures: "result.length() == 2000""#);
    assert_eq!(answer, "asked");
    assert!(
        why.starts_with("the assertion cannot tell: not all of the text \"abab")
            && why.ends_with(" was recorded"),
        "{why}"
    );
    says(
        "$Account.pay",
        r#"ensures: "next.balance > 0""#,
        "asked",
        "the assertion cannot tell: `next` is null, so there is no .balance",
    );
}

#[test]
fn class_files_that_are_not_those_of_the_run_are_noticed() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let source =
        std::fs::read_to_string(crate::support::root().join("tests/fixtures/asserted/Asserted.java"))
            .expect("text");
    let compile = |text: &str| {
        let file = folder.join("Asserted.java");
        std::fs::write(&file, text).expect("written");
        Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
    };
    compile(&source);
    let trace = recorded(&folder, "Asserted", "all");
    compile(&source.replace("half(int n)", "half(int m)").replace("return n / 2", "return m / 2"));
    let (answer, why) = told_of(&trace, ".half", r#"ensures: "m == 7", complete: true"#);
    assert_eq!(answer, "asked");
    let known = "the assertion cannot tell: `m` had another name when the run was recorded: the class file has changed since";
    assert_eq!(why, known);
}

#[test]
fn a_run_of_which_calls_were_recorded_is_run_again() {
    let trace = recorded(&compiled("../examples/mergesort", &["-g"]), "MergeSort", "calls");
    let (told, code) =
        diagnosed(&trace, &MERGE.replace("COMPLETE", "true"), "valid", &["--strategy=single-stepping"]);
    assert_eq!(code, 0, "{told:?}");
    assert_eq!(
        by_assertion(&told),
        [(3, "valid"), (4, "valid"), (6, "invalid")].map(|(n, word)| (n, word.to_owned()))
    );
    // In a program with several threads, only this thread's work is recorded then.
    let threads = recorded(&compiled("fixtures/threads", &["-g"]), "Threads", "calls");
    let pass = r#"(method: "Threads.pass", ensures: "shared.value > 0", complete: true),"#;
    let (told, _) = diagnosed(&threads, pass, "valid", &["--strategy=single-stepping"]);
    let asked = told.iter().find(|line| line["method"] == "pass").expect("it is asked");
    assert_eq!(
        asked["notes"],
        json!([
            "the assertion cannot tell: only a part of the run was recorded, and unrecorded code may have written too: record it with --level all"
        ])
    );
    // The ends of calls are recorded for the whole run.
    let row = r#"(method: "Threads.main", ensures: "exception == null", complete: true),"#;
    let (told, _) = diagnosed(&threads, row, "valid", &["--strategy=top-down"]);
    assert_eq!(by_assertion(&told), [(0, "valid".to_owned())], "{told:?}");
}

#[test]
fn collections_are_known_by_their_elements_and_keys() {
    says(
        ".count",
        r#"ensures: "words.size() == 3 && words.get(2).equals(\"a\") && counts.get(\"a\") == 2 && !counts.containsKey(\"c\") && words.contains(\"b\") && old(counts.isEmpty()) && sorted.size() == 2", complete: true"#,
        "valid",
        "`words.size() == 3 && words.get(2).equals(\"a\") && counts.get(\"a\") == 2 && !counts.containsKey(\"c\") && words.contains(\"b\") && old(counts.isEmpty()) && sorted.size() == 2` is true",
    );
    says(
        ".count",
        r#"ensures: "counts.size() == words.size()""#,
        "invalid",
        "`counts.size() == words.size()` is false; counts.size() is 2, words.size() is 3",
    );
    // Its order decides the result, and the order is code.
    says(
        ".count",
        r#"ensures: "sorted.containsKey(\"a\")""#,
        "asked",
        "the assertion cannot tell: the result of java.util.TreeMap.containsKey cannot be computed from a recording",
    );
    says(
        ".count",
        r#"ensures: "words.get(3) == null""#,
        "asked",
        "the assertion cannot tell: a list of 3 has no element 3",
    );
}

#[test]
fn assertions_stand_before_answers_that_are_kept_and_before_the_right_version() {
    let answers = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("answers.ron");
    let answers = answers.display().to_string();
    let merge = MERGE.replace("COMPLETE", "false");
    // A person answered that the last merge is right.
    let mut command = qp();
    command.args(["diagnose", "--format=json", merge_sort(), "--answers", &answers]);
    let script = [json!({"question": 1, "answer": "valid"})];
    lines(&mut command, &script);
    let (told, code) = diagnosed(merge_sort(), &merge, "valid", &["--answers", &answers]);
    assert_eq!((code, by_assertion(&told)), (0, vec![(6, "invalid".to_owned())]));
    let why = told[0]["by_assertion"]["why"].as_str().expect("why");
    assert!(why.ends_with(" is 4 (a kept answer says otherwise)"), "{why}");
    // A person's answer has priority over an assertion that holds.
    let holds = r#"(method: "MergeSort.merge", ensures: "lc <= 4", complete: true),"#;
    let mut command = qp();
    let other = answers.replace("answers.ron", "others.ron");
    command.args(["diagnose", "--format=json", merge_sort(), "--answers", &other]);
    lines(&mut command, &[json!({"question": 1, "answer": "invalid"})]);
    let (told, code) = diagnosed(merge_sort(), holds, "valid", &["--answers", &other]);
    assert_eq!((code, by_assertion(&told), &told[0]["kept"]["answer"]), (0, vec![], &json!("invalid")));
    // The correct version answers where assertions cannot. Here it is the same program, and confirms
    // everything.
    let right = compiled("../examples/mergesort", &["-g"]).display().to_string();
    let strategy = ["--reference", &right, "--strategy=top-down"];
    let (told, _) = diagnosed(merge_sort(), &(holds.replace("true", "false") + OTHERS), "invalid", &strategy);
    let referred = |line: &Value| line["by_reference"]["node"].as_u64();
    assert_eq!(told.iter().filter_map(referred).collect::<Vec<_>>(), [3, 4, 6]);
    let words = [(1, "invalid"), (2, "valid"), (5, "valid")];
    assert_eq!(by_assertion(&told), words.map(|(node, word)| (node, word.to_owned())));
}

#[test]
fn an_answer_about_a_call_of_which_an_assertion_cannot_tell_is_kept() {
    let answers = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("answers.ron");
    let answers = answers.display().to_string();
    let rows = r#"(method: "MergeSort.merge", ensures: "lc <= 4"),"#;
    let (told, _) = diagnosed(merge_sort(), rows, "invalid", &["--answers", &answers]);
    assert_eq!(told[0]["notes"], json!(["the assertion holds, but it is not `complete`: `lc <= 4`"]));
    let (told, _) = diagnosed(merge_sort(), rows, "valid", &["--answers", &answers]);
    assert_eq!(told[0]["kept"]["answer"], "invalid", "{told:?}");
}

/// The errors for invalid rows.
#[track_caller]
fn refused(rows: &str, expected: &[&str]) {
    let mut command = qp();
    command.args(["diagnose", merge_sort(), "--assert"]).arg(file(rows));
    let output = finish(&mut command);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty(), "nothing is asked");
    let first: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("error: ")).collect();
    assert_eq!(first, expected, "{text}");
    assert!(text.contains("asserts.ron:2:"), "{text}");
}

#[test]
fn what_means_nothing_is_refused_before_anything_is_asked() {
    refused(r#"(method: "MergeSort.merge", ensure: "true"),"#, &["unknown field `ensure` in a row"]);
    refused(
        r#"(method: "MergeSort.merge"),"#,
        &["this row has no condition for `MergeSort.merge`: write `ensures` or `requires`"],
    );
    refused(
        r#"(method: "MergeSort.merge", ensures: "lc = 4"),"#,
        &[
            "`MergeSort.merge`: `lc = 4` is not a condition: expected the end, an operator, a member or arguments, found `=`; expressions cannot assign; use `==` to compare",
        ],
    );
    refused(
        r#"(method: "MergeSort.merg", ensures: "lc == 4"),"#,
        &[
            "class MergeSort has no method `merg`; did you mean `MergeSort.merge(int[],int,int,int[],int,int,int[],int)`? (in the row of `lc == 4`)",
        ],
    );
    refused(
        r#"(method: "MergeSort.merge", ensures: "lx == 4"),"#,
        &["`MergeSort.merge`: `lx == 4`: `lx` is not a local or field here; did you mean `la`?"],
    );
    refused(
        r#"(method: "MergeSort.merge", ensures: "lc + 1"),"#,
        &["`MergeSort.merge`: `lc + 1`: `lc + 1` is int where a boolean is needed"],
    );
    refused(
        r#"(method: "MergeSort.merge", ensures: "result == 1"),"#,
        &["`MergeSort.merge`: `result == 1`: `result` is only for methods that return something"],
    );
    refused(
        r#"(method: "MergeSort.sort", requires: "old(a) == a", ensures: "old(old(a)) == a"),"#,
        &[
            "`MergeSort.sort`: `old(a) == a`: `old(a)` is only for `ensures`: `requires` reads the state at the call's entry",
            "`MergeSort.sort`: `old(old(a)) == a`: `old(a)` is inside another `old`",
        ],
    );
    refused(
        r#"(method: "MergeSort.sort", ensures: "isSorted(a)"), (method: "MergeSort.sort(int[])", ensures: "a != null"),"#,
        &[
            "`MergeSort.sort`: `isSorted(a)`: `isSorted(a)` is a call, but conditions run no code; they can call these methods of the JDK: size, isEmpty, get, contains, containsKey, containsValue, length, charAt, equals, toString, getMessage, compareTo, startsWith, endsWith, indexOf, abs, min, max",
            "`MergeSort.sort` already has a row: join their conditions with `&&`",
        ],
    );
    refused(
        r#"(method: "MergeSort.<init>", ensures: "exception == null"),"#,
        &["no call of MergeSort.<init> was recorded, so there is nothing to check with `exception == null`"],
    );
    // A name with two meanings.
    let mut command = qp();
    let rows = r#"(method: "Asserted.same", ensures: "result == 0.5"),"#;
    let output = finish(command.args(["diagnose", asserted(), "--assert"]).arg(file(rows)));
    let why = "`Asserted.same`: `result == 0.5`: `result` names a variable too: write `.result` for the call's outcome, \
               `this.result` for a field, `old(result)` for a parameter";
    assert!(said(&output).contains(why), "{}", said(&output));
    let of_format = file("").with_file_name("other.ron");
    std::fs::write(&of_format, "(format: 2, assertions: [])").expect("written");
    let mut command = qp();
    command.args(["diagnose", merge_sort(), "--assert"]).arg(&of_format);
    let output = finish(&mut command);
    assert!(said(&output).contains("error: this is format 2, and this qp reads 1"), "{}", said(&output));
    let mut command = qp();
    let output = finish(command.args(["diagnose", merge_sort(), "--assert", "nowhere.ron"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("cannot read nowhere.ron"), "{}", said(&output));
}

#[test]
fn a_program_that_is_run_is_asserted_about_too() {
    let rows =
        MERGE.replace("COMPLETE", "false") + r#"(method: "MergeSort.<init>", ensures: "exception == null"),"#;
    let mut command = qp();
    command.args(["diagnose", "--assert"]).arg(file(&rows)).args(["--", "java", "-cp"]);
    let output = finish(command.arg(compiled("../examples/mergesort", &["-g"])).arg("MergeSort"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.starts_with("#6 MergeSort.merge is invalid by the assertion: "), "{out}\n{err}");
    // A method without calls may be called later.
    assert!(
        err.contains("no call of MergeSort.<init> was recorded, although --assert has a condition for it"),
        "{err}"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_program_that_never_ends_is_asserted_about_while_it_runs() {
    let classes = compiled("fixtures/goes-on", &["-g"]).display().to_string();
    let rows = r#"
        (method: "GoesOn.twice", ensures: "result == n + n", complete: true),
        (method: "GoesOn.add", ensures: "total == old(total) + 2 * n", complete: true),"#;
    let program = ["--strategy=top-down", "--", "java", "-cp", &classes, "GoesOn"];
    let begun = |rows: &str| {
        let mut command = qp();
        command.args(["diagnose", "--format=json", "--assert"]).arg(file(rows)).args(program);
        command
    };
    let script: Vec<Value> = (1..=9).map(|number| json!({"question": number, "answer": "invalid"})).collect();
    let (told, code) = lines(&mut begun(rows), &script);
    assert_eq!(code, 0, "{told:?}");
    assert_eq!(told.last().expect("a line")["buggy"]["method"], "twice", "{told:?}");
    // Only `later` is left to a person.
    let questions = told.iter().filter(|line| line.get("question").is_some());
    assert!(
        questions.clone().count() <= 1 && questions.into_iter().all(|line| line["method"] == "later"),
        "{told:?}"
    );
    let words: Vec<String> = by_assertion(&told).into_iter().map(|(_, word)| word).collect();
    assert!(words.starts_with(&["valid", "valid", "valid"].map(str::to_owned)), "{told:?}");
    // `qp` evaluated all calls that have ended since, so it does not ask about `add`, which encloses the call
    // of `twice`.
    let invalid = words.iter().filter(|word| *word == "invalid");
    assert_eq!((invalid.count(), words.last().map(String::as_str)), (1, Some("invalid")), "{told:?}");
    // A mistake in the file ends the program too.
    let output = finish(&mut begun(r#"(method: "GoesOn.twice", ensures: "nn == 2"),"#));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("`nn` is not a local or field here"), "{}", said(&output));
    assert!(processes_with("GoesOn").is_empty());
}
