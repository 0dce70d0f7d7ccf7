//! Threads of one name, or without one: a thread is told apart by itself, not by its name.

use crate::support::case::Case;
use crate::support::point;
use serde_json::Value;
use std::collections::BTreeSet;

/// Asks about the activations of three of the threads, and checks that no answer is of another one.
fn asked(case: &Case, debuggee: &str, options: &[&str]) -> Value {
    let line = |marker: &str| case.line("Namesakes.java", &format!("// <- {marker}"));
    let points: String = (1..=3)
        .map(|n| {
            format!(
                r#"(id: "A{n}", at: Line("Namesakes", {}), when: "n == {n}"), (id: "B{n}", at: LastChange("A{n}:value")),
                   (id: "C{n}", at: LastChange("A{n}:odd")), (id: "D{n}", at: LastCondition("C{n}")),"#,
                line("A"),
            )
        })
        .collect();
    let answer = case.replay(debuggee, &points, &[&["--format", "json"], options].concat()).answer();
    let mut threads = BTreeSet::new();
    for n in 1..=3 {
        let [a, b, c] = ["A", "B", "C"].map(|id| point(&answer, &format!("{id}{n}")));
        assert_eq!([&b["old"], &b["new"]], [&n.to_string(), &(n + 100).to_string()], "{options:?}: {answer}");
        let change = if n % 2 == 1 { ["false", "true"] } else { ["unassigned", "false"] };
        assert_eq!([&c["old"], &c["new"]], change, "{options:?}: {answer}");
        assert_eq!([&b["thread"], &c["thread"]], [&a["thread"]; 2], "{options:?}: {answer}");
        assert_eq!([&a["hit"], &b["hit"]], [1, 1], "{options:?}: hits are counted in each thread");
        threads.insert(a["thread"].as_str().unwrap_or_default().to_owned());
    }
    assert_eq!(threads.len(), 3, "{threads:?}");
    answer
}

#[test]
fn activations_are_those_of_the_thread_whatever_its_name() {
    let case = Case::new("namesakes");
    let debuggee = r#"command: ["java", "-cp", "classes", "Namesakes"], sources: ["."]"#;
    for options in [&["--backend", "probe"][..], &["--backend", "jdwp"], &["--eager", "0"]] {
        let answer = asked(&case, debuggee, options);
        let thread = point(&answer, "A1")["thread"].as_str().unwrap_or_default().to_owned();
        assert!(thread.starts_with("worker #"), "{thread}");
    }
}

#[test]
fn a_thread_without_a_name_has_a_number() {
    let Some(java) = testing::named("QP_TEST_JAVA25") else { return };
    let case = Case::new("namesakes");
    let debuggee =
        format!(r#"command: ["{java}", "-cp", "classes", "Namesakes", "virtual"], sources: ["."]"#);
    for options in [&["--backend", "probe"][..], &["--backend", "jdwp"]] {
        let answer = asked(&case, &debuggee, options);
        let thread = point(&answer, "A1")["thread"].as_str().unwrap_or_default().to_owned();
        assert!(thread.starts_with("virtual #"), "{thread}");
    }
}

#[test]
fn lines_of_a_log_name_their_thread() {
    let case = Case::new("namesakes");
    let at = format!("Namesakes:{}", case.line("Namesakes.java", "// <- A"));
    let log = |options: &[&str]| {
        let mut command = case.qp();
        command.args(["log", "n", "--at", &at]).args(options);
        let run = case.run_command(command.args(["--", "java", "-cp", "classes", "Namesakes"]));
        run.is(0, &[]);
        run
    };
    let answer = log(&["--format", "json"]).answer();
    let threads = answer["lines"].as_array().unwrap().iter().map(|line| line["thread"].as_str().unwrap());
    let threads: BTreeSet<&str> = threads.inspect(|name| assert!(name.starts_with("worker #"))).collect();
    assert_eq!(threads.len(), 6, "{answer:#}");
    // The first line is printed before a second thread of that name is known.
    let text = log(&[]).said();
    assert!(text.contains("the lines of worker without a number are of worker #"), "{text}");
}
