//! Conditions, threads and callers of `LastCondition` and of the last change of a local variable.

use crate::support::case::Case;
use crate::support::{javas, point};
use std::time::Duration;

fn debuggee(java: &str, passes: u64) -> String {
    format!(r#"command: ["{java}", "-cp", "classes", "Narrowed", "{passes}"], sources: ["."]"#)
}

/// The points, with what is located: the marker of its line, and the value of `i` there.
const ASKED: &[(&str, &str, &str, Option<u64>)] = &[
    ("odd", r#"LastChange("A:odd"), when: "i < 1000""#, "odd", Some(999)),
    ("new", r#"LastChange("A:odd"), when: ".new == 301""#, "odd", Some(601)),
    ("last", r#"LastChange("A:last"), when: "last > 0 && last < 3000 && odd % 2 == 0""#, "last", Some(999)),
    ("wide", r#"LastChange("A:wide"), when: ".new == 1812L << 32""#, "wide", Some(1812)),
    ("half", r#"LastChange("A:half"), when: ".new < 900.75 && half < 900.0""#, "half", Some(1801)),
    ("null", r#"LastChange("A:text"), when: ".new == null""#, "text", Some(998)),
    ("name", r#"LastChange("A:text"), when: ".new.equals(\"main\") && text == null""#, "text", Some(1001)),
    ("never", r#"LastChange("A:text"), when: ".new.equals(\"worker\")""#, "text", None),
    ("branch", r#"LastCondition("L"), when: "i < 1500""#, "branch", Some(1499)),
    ("switch", r#"LastCondition("W"), when: "odd == 700 || odd == 701""#, "switch", Some(1401)),
    ("thread", r#"LastCondition("L"), when: "i < 700", thread: "worker""#, "branch", None),
    ("from", r#"LastCondition("L"), when: "i < 700", from: "Narrowed.main""#, "branch", Some(699)),
    ("stranger", r#"LastCondition("L"), from: "Narrowed.lambda$main$0""#, "branch", None),
];

/// The points at which the questions are asked.
fn roots(case: &Case) -> String {
    let line = |marker: &str| case.line("Narrowed.java", &format!("// <- {marker}"));
    format!(
        r#"(id: "A", at: Line("Narrowed", {}), when: "name.equals(\"main\")"),
           (id: "L", at: Line("Narrowed", {}), when: "name.equals(\"main\") && i == 1999"),
           (id: "W", at: Line("Narrowed", {}), when: "name.equals(\"main\") && i == 1998"),"#,
        line("A"),
        line("last"),
        line("wide"),
    )
}

#[test]
fn both_back_ends_find_the_same() {
    let case = Case::new("narrowed");
    // From outside, each pass takes a millisecond: every fourth question, and all with `QP_JAVAS`.
    let step = if std::env::var_os("QP_JAVAS").is_some() { 1 } else { 4 };
    let asked: Vec<_> = ASKED.iter().step_by(step).collect();
    let points: String =
        asked.iter().map(|(id, at, ..)| format!("(id: {id:?}, at: {at}, collect: [\"i\"]),\n")).collect();
    // Where the loop variable is out of scope.
    let outside = r#"(id: "parameter", at: LastChange("A:name"), when: "passes == 2000"),
        (id: "assigned", at: LastChange("A:passes"), when: ".new == 4 && passes == 2000"),
        (id: "few", at: LastChange("A:name"), when: "passes < 100"),
        (id: "before", at: LastChange("A:passes"), when: "passes < 10"),"#;
    let points = roots(&case) + &points + outside;
    for java in javas() {
        let answers = ["jdwp", "probe"].map(|backend| {
            case.replay(&debuggee(&java, 2000), &points, &["--format", "json", "--backend", backend]).answer()
        });
        let [outside, inside] = &answers;
        for (id, at, ..) in &asked {
            let [outside, inside] = [point(outside, id), point(inside, id)];
            if at.contains(".new") {
                // A breakpoint does not have the value that is about to be stored.
                assert!(outside["reason"].to_string().contains("this event has no `.new`"), "{outside:#}");
                continue;
            }
            for key in ["located", "line", "hit", "old", "new", "condition", "thread", "collected"] {
                assert_eq!(outside[key], inside[key], "{java} {id} {key}: {outside:#} {inside:#}");
            }
        }
        for (id, at, marker, i) in &asked {
            let found = point(inside, id);
            assert_eq!(found["located"], i.is_some(), "{id}: {found:#}");
            if let Some(i) = i {
                assert_eq!(found["collected"]["i"], i.to_string(), "{id} {at}: {found:#}");
                let line = case.line("Narrowed.java", &format!("// <- {marker}"));
                assert_eq!(found["line"], line, "{id}: {found:#}");
            }
        }
        for answer in &answers {
            assert_eq!(point(answer, "parameter")["new"], "\"main\"", "{answer:#}");
            assert_eq!(point(answer, "few")["located"], false, "{answer:#}");
            assert_eq!(point(answer, "before")["located"], false, "{answer:#}");
        }
        let assigned = point(inside, "assigned");
        assert_eq!(assigned["line"], case.line("Narrowed.java", "// <- passes"), "{assigned:#}");
    }
}

/// Questions whose condition holds at a few of the first passes only, with the value of `i` there.
const HOT: &[(&str, &str, Option<u64>)] = &[
    ("odd", r#"LastChange("A:odd"), when: "i < 1000 && i > 900""#, Some(999)),
    ("new", r#"LastChange("A:odd"), when: ".new == 301""#, Some(601)),
    ("last", r#"LastChange("A:last"), when: "last == 2991 && odd > 1""#, Some(999)),
    ("wide", r#"LastChange("A:wide"), when: ".new == 1812L << 32""#, Some(1812)),
    ("half", r#"LastChange("A:half"), when: ".new < 900.75 && i > 1790""#, Some(1801)),
    ("null", r#"LastChange("A:text"), when: ".new == null && i > 900""#, Some(998)),
    ("name", r#"LastChange("A:text"), when: ".new != null && text == null && i > 1000""#, Some(1001)),
    ("never", r#"LastChange("A:text"), when: ".new != null && .new.equals(\"other\")""#, None),
    ("branch", r#"LastCondition("L"), when: "i < 1500 && i > 1400""#, Some(1499)),
    ("switch", r#"LastCondition("W"), when: "odd == 700 || odd == 701""#, Some(1401)),
    ("thread", r#"LastCondition("L"), when: "i < 700 && i > 600", thread: "worker""#, None),
    ("from", r#"LastCondition("L"), when: "i < 700 && i > 600", from: "Narrowed.main""#, Some(699)),
    ("stranger", r#"LastCondition("L"), when: "i < 800 && i > 700", from: "Narrowed.lambda$main$0""#, None),
];

#[test]
fn conditions_of_branches_and_local_variables_are_tested_in_the_vm() {
    let case = Case::new("narrowed");
    // So many passes that each of them must be tested in the VM: from outside they would take minutes.
    let passes = 300_000;
    let roots = roots(&case).replace("i == 1999", "i == 299_999").replace("i == 1998", "i == 299_997");
    let points: String =
        HOT.iter().map(|(id, at, _)| format!("(id: {id:?}, at: {at}, collect: [\"i\"]),\n")).collect();
    let options = ["--format", "json", "--timeout", "60", "--backend", "probe"];
    let run = case.replay(&debuggee("java", passes), &(roots + &points), &options);
    let answer = run.within(Duration::from_secs(60)).answer();
    for (id, _, i) in HOT {
        let found = point(&answer, id);
        assert_eq!(found["located"], i.is_some(), "{id}: {found:#}");
        if let Some(i) = i {
            assert_eq!(found["collected"]["i"], i.to_string(), "{id}: {found:#}");
        }
        assert!(!found["notes"].to_string().contains("from outside"), "{id}: {found:#}");
    }
}
