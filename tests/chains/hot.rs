//! Conditions, indices, threads and callers on lines that are passed very often: the VM tests them itself.

use crate::support::case::Case;
use crate::support::{javas, point, unwrapped};
use std::time::Duration;

/// So many passes that each of them must be tested in the VM: from outside they would take minutes.
const PASSES: u64 = 300_000;

fn debuggee(java: &str, passes: u64) -> String {
    format!(r#"command: ["{java}", "-cp", "classes", "Hot", "{passes}"], sources: ["."]"#)
}

/// Conditions that are true for the first time in the tenth of the last passes, or at the one that is given.
const LATE: &[(&str, u64)] = &[
    ("i == 299999 && count >= 0", PASSES),
    ("this.count == 299999", PASSES),
    ("shared == 299_998 && i > 1000L", PASSES - 1),
    ("Hot.shared * 2 == 599_996", PASSES - 1),
    ("numbers[2] == i && i + 1 == 299_998 && numbers.length == 4", PASSES - 2),
    ("item.weight == 7", PASSES - 9),
    ("item.name.equals(\"last\")", PASSES - 9),
    ("item.name == \"last\"", PASSES - 9),
    ("item.name.length() == 4 && item.name.startsWith(\"la\") && item.name.charAt(2) == 's'", PASSES - 9),
    ("item.next != null", PASSES - 9),
    ("item.next instanceof Heavy", PASSES - 9),
    ("!(any instanceof String)", PASSES - 9),
    ("any.equals(\"other\") || any == items[1]", PASSES - 9),
    ("((Heavy) items[1]).extra > 5e8", PASSES - 9),
    ("boxed != null && boxed == 12", PASSES - 9),
    ("stage == Hot.Stage.SECOND", PASSES - 9),
    ("stage.ordinal() == 1", PASSES - 9),
    ("!list.isEmpty() && list.get(0).equals(\"late\")", PASSES - 9),
    ("list.contains(\"late\") && list.size() == 1", PASSES - 9),
    ("map.containsKey(\"late\") && map.get(\"late\") == 5", PASSES - 9),
    ("(i > 299_990 ? item.weight : i % 2) == 7", PASSES - 8),
    ("i % 100_000 == 99_999 && i >>> 1 == 149_999 && (i & 1) != 0 && ~i < -1.5f", PASSES),
];

#[test]
fn conditions_of_all_kinds_are_tested_in_the_vm() {
    let case = Case::new("hot");
    let line = case.line("Hot.java", "// <- step");
    let points: String = (0..)
        .zip(LATE)
        .map(|(n, (when, _))| {
            format!("(id: \"P{n}\", at: Line(\"Hot\", {line}), when: {when:?}, thread: \"main\"),\n")
        })
        .collect();
    for java in javas() {
        let run = case.replay(&debuggee(&java, PASSES), &points, &["--format", "json", "--timeout", "60"]);
        let answer = run.within(Duration::from_secs(60)).answer();
        for (n, (when, hit)) in LATE.iter().enumerate() {
            let found = point(&answer, &format!("P{n}"));
            assert_eq!(found["hit"], *hit, "{when}: {found:#}");
            assert_eq!(found["notes"].as_array().map_or(0, Vec::len), 0, "{when}: {found:#}");
        }
    }
}

#[test]
fn threads_callers_and_indices_are_tested_in_the_vm() {
    let case = Case::new("hot");
    let line = case.line("Hot.java", "// <- step");
    let points = format!(
        r#"(id: "A", at: Line("Hot", {line}), index: 299_000),
           (id: "B", at: Line("Hot", {line}), thread: "worker", when: "i == 29_999"),
           (id: "C", at: Line("Hot", {line}), from: "Hot.inner", when: "i == 900"),
           (id: "D", at: Line("Hot", {line}), when: "i % 1000 == 7", thread: "main", index: 250),
           (id: "E", at: Line("Hot", {line}), thread: "nobody"),
           (id: "F", at: Line("Hot", {line}), index: 1_000_000_000),
           (id: "G", at: Line("Hot", {line}), from: "Hot.through", when: "i < 0")"#
    );
    let run = case.replay(&debuggee("java", PASSES), &points, &["--format", "json"]);
    let answer = run.within(Duration::from_secs(60)).answer();
    // The worker came first.
    let a = point(&answer, "A");
    assert_eq!((&a["thread"], &a["hit"]), (&"main".into(), &(299_001 - PASSES / 10).into()), "{a:#}");
    let b = point(&answer, "B");
    assert_eq!((&b["thread"], &b["hit"]), (&"worker".into(), &(PASSES / 10).into()), "{b:#}");
    let c = point(&answer, "C");
    assert_eq!(c["hit"], PASSES + 2 * 901, "{c:#}");
    let d = point(&answer, "D");
    assert_eq!(d["hit"], 250_008, "{d:#}");
    let reason = |id: &str| unwrapped(point(&answer, id)["reason"].as_str().unwrap_or_default());
    let all = PASSES + PASSES / 10 + 2000;
    assert!(reason("E").contains(&format!("{all} times in another thread than nobody")), "{}", reason("E"));
    assert!(reason("E").contains("worker") && reason("E").contains("main"), "{}", reason("E"));
    assert!(reason("F").contains(&format!("it occurred {all} times")), "{}", reason("F"));
    assert!(reason("F").contains("not enough for index 1000000000"), "{}", reason("F"));
    assert!(reason("G").contains(&format!("its condition was false {all} times")), "{}", reason("G"));
}

/// One run counts the hits, and the next one stops at the last.
#[test]
fn the_last_of_many_hits_is_found_in_the_vm() {
    let case = Case::new("hot");
    let line = case.line("Hot.java", "// <- step");
    let points = format!(
        r#"(id: "A", at: Line("Hot", {line}), thread: "main", when: "i % 2 == 0 && i > 1000", index: -1),
           (id: "B", at: LastChange("A:count")),
           (id: "C", at: Entry("Hot.step"), index: -1),
           (id: "D", at: Line("Hot", {line}), when: "i == -1", index: -1),
           (id: "E", at: Watch("Hot", "shared"), index: -1)"#
    );
    let run = case.replay(&debuggee("java", PASSES), &points, &["--format", "json"]);
    let answer = run.within(Duration::from_secs(60)).answer();
    let [a, c] = ["A", "C"].map(|id| point(&answer, id));
    assert_eq!(a["collected"]["i"], (PASSES - 2).to_string(), "{a:#}");
    // `through` came last.
    assert_eq!(c["hit"], PASSES + 2000, "{c:#}");
    assert_eq!(point(&answer, "E")["new"], (PASSES - 1).to_string(), "{answer:#}");
    assert_eq!(point(&answer, "B")["located"], true, "{answer:#}");
    let reason = unwrapped(point(&answer, "D")["reason"].as_str().unwrap_or_default());
    assert!(reason.contains("its condition was false"), "{reason}");
    assert!(answer["runs"].as_u64().is_some_and(|runs| runs <= 4), "{answer:#}");
}

/// A pass over a line can reach several of its places. Each pass is tested once, and counted once.
#[test]
fn each_pass_over_a_line_is_tested_once() {
    let case = Case::new("hot");
    let line = case.line("Hot.java", "// <- header");
    let points = format!(
        r#"(id: "A", at: Line("Hot", {line}), when: "i == 700"),
           (id: "B", at: Line("Hot", {line}), when: "i < 0"),
           (id: "C", at: Line("Hot", {line}), index: 300)"#
    );
    let answers = ["jdwp", "probe"].map(|backend| {
        let options = ["--format", "json", "--backend", backend];
        case.replay(&debuggee("java", 10), &points, &options).answer()
    });
    for id in ["A", "B", "C"] {
        let [outside, inside] = answers.each_ref().map(|answer| point(answer, id));
        for key in ["hit", "reason", "bci", "collected"] {
            // Of other threads, the VM tells how many hits they had in all.
            let text = |value: &serde_json::Value| value.to_string().replace("(worker 20 times)", "(worker)");
            assert_eq!(text(&outside[key]), text(&inside[key]), "{id} {key}");
        }
    }
}

#[test]
fn a_condition_that_fails_is_told_with_its_values() {
    let case = Case::new("hot");
    let line = case.line("Hot.java", "// <- step");
    let points = format!(
        r#"(id: "A", at: Line("Hot", {line}), when: "i > 2990 && item.next.weight == 1", thread: "main"),
           (id: "B", at: Line("Hot", {line}), when: "i > 2989 && i / (i - 2992) == 1497", thread: "main")"#
    );
    for backend in ["jdwp", "auto"] {
        let options = ["--format", "json", "--backend", backend];
        let answer = case.replay(&debuggee("java", 3000), &points, &options).answer();
        let reason = unwrapped(point(&answer, "A")["reason"].as_str().unwrap_or_default());
        assert!(!reason.contains("could not be evaluated"), "{backend}: {reason}");
        let notes = point(&answer, "B")["notes"].to_string();
        assert!(notes.contains("could not be evaluated at 1 hit"), "{backend}: {notes}");
        assert!(notes.contains("division by zero") && notes.contains("i = 2992"), "{backend}: {notes}");
    }
}

#[test]
fn what_the_vm_cannot_test_is_said() {
    let case = Case::new("hot");
    let line = case.line("Hot.java", "// <- step");
    let points = format!(
        r#"(id: "A", at: Line("Hot", {line}), when: "i > {} && isOdd(i) && i % 1000 == 999", thread: "main")"#,
        PASSES - 500
    );
    let run = case.replay(&debuggee("java", PASSES), &points, &["--format", "json"]);
    let answer = run.within(Duration::from_secs(60)).answer();
    let found = point(&answer, "A");
    assert_eq!(found["hit"], PASSES, "{found:#}");
    let notes = found["notes"].to_string();
    assert!(notes.contains("from outside the VM, which cannot test `isOdd(i)`"), "{notes}");
}

/// The owner, the values before and after, and the result of a method are tested too.
#[test]
fn conditions_on_the_event_are_tested_in_the_vm() {
    let case = Case::new("hot");
    let points = r#"(id: "A", at: Watch("Hot", "count"), when: ".new == 299_999 && .old < .new"),
        (id: "B", at: Watch("Hot", "shared"), when: ".new >= 299_998", thread: "main"),
        (id: "C", at: Read("Hot$Item", "weight"), when: ".owner.name == \"last\" && .owner.weight == 7"),
        (id: "D", at: Exit("Hot.isOdd"), when: ".result && i > 299_990"),
        (id: "E", at: Exit("Hot.half"), when: ".result > 149_999.25", index: -1),
        (id: "F", at: Watch("Hot", "count"), index: 250_000, thread: "main"),
        (id: "G", at: Watch("Hot", "count"), when: ".new < 0")"#;
    for java in javas() {
        let options = ["--format", "json", "--timeout", "60", "--backend", "probe"];
        let run = case.replay(&debuggee(&java, PASSES), points, &options);
        let answer = run.within(Duration::from_secs(60)).answer();
        let a = point(&answer, "A");
        assert_eq!((&a["old"], &a["new"]), (&"299998".into(), &"299999".into()), "{a:#}");
        let b = point(&answer, "B");
        assert_eq!((&b["new"], &b["thread"]), (&"299998".into(), &"main".into()), "{b:#}");
        let c = point(&answer, "C");
        assert_eq!(
            (&c["located"], &c["line"]),
            (&true.into(), &case.line("Hot.java", "// <- read").into()),
            "{c:#}"
        );
        let d = point(&answer, "D");
        assert_eq!((&d["result"], &d["collected"]["i"]), (&"true".into(), &"299991".into()), "{d:#}");
        let e = point(&answer, "E");
        assert_eq!(e["result"], "149999.5", "{e:#}");
        let f = point(&answer, "F");
        assert_eq!(f["new"], "250001", "{f:#}");
        let reason = unwrapped(point(&answer, "G")["reason"].as_str().unwrap_or_default());
        assert!(reason.contains("its condition was false"), "{reason}");
    }
}

/// JDWP events answer the same.
#[test]
fn conditions_on_the_event_are_the_same_from_outside() {
    let case = Case::new("hot");
    let points = r#"(id: "A", at: Watch("Hot", "count"), when: ".new == 190 && .old < .new", thread: "main"),
        (id: "B", at: Watch("Hot", "shared"), when: ".new >= 198", thread: "main"),
        (id: "C", at: Read("Hot$Item", "weight"), when: ".owner.name == \"last\" && .owner.weight == 7"),
        (id: "D", at: Exit("Hot.isOdd"), when: ".result && i > 190"),
        (id: "F", at: Watch("Hot", "count"), index: 150),
        (id: "G", at: Watch("Hot", "count"), when: ".owner.item.weight > 100", thread: "main"),
        (id: "H", at: Watch("Hot", "count"), when: ".owner.item.next.weight > 100", thread: "main")"#;
    let answers = ["jdwp", "probe"].map(|backend| {
        case.replay(&debuggee("java", 200), points, &["--format", "json", "--backend", backend]).answer()
    });
    for id in ["A", "B", "C", "D", "F", "G", "H"] {
        let [outside, inside] = answers.each_ref().map(|answer| point(answer, id));
        for key in ["reason", "line", "old", "new", "result", "thread", "collected"] {
            // Of other threads, the VM tells how many hits they had in all.
            let text = |value: &serde_json::Value| value.to_string().replace("(worker 20 times)", "(worker)");
            assert_eq!(text(&outside[key]), text(&inside[key]), "{id} {key}");
        }
    }
}
