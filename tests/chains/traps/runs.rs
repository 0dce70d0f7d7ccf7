//! Programs that end, hang, print much, read, start others and change their own code.

use super::fixture::Fixture;
use crate::support::processes_with;
use std::time::{Duration, Instant};

/// Asserts that soon no process has this text in its command line.
fn nothing_left(text: &str) {
    let started = Instant::now();
    while !processes_with(text).is_empty() {
        assert!(started.elapsed() < Duration::from_secs(5), "left: {:?}", processes_with(text));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_program_that_goes_on_for_ever_is_answered_and_ended() {
    for how in ["wait", "busy", "deaf"] {
        let label = format!("-Dquerypoint.test=answered-{how}-{}", std::process::id());
        let fixture = Fixture::new("hang", "Hang").args(&[how]).vm(&label);
        let points = r#"(id: "A", at: Line("Hang", {A})), (id: "B", at: LastChange("A:step"))"#;
        for asked in fixture.ask(points) {
            asked.held().at("B", "B").has("B", &[("new", "1")]);
        }
        nothing_left(&label);
    }
}

#[test]
fn a_root_that_is_never_reached_ends_at_the_time_limit() {
    for how in ["busy", "deaf"] {
        let label = format!("-Dquerypoint.test=limited-{how}-{}", std::process::id());
        let fixture = Fixture::new("hang", "Hang").args(&[how]).vm(&label).debuggee("timeout_s: 4,");
        for asked in fixture.ask(r#"(id: "A", at: Line("Hang", {never}))"#) {
            assert_eq!(asked.code, 4, "{:#}", asked.answer);
            assert_eq!(asked.answer["outcome"], "timed-out");
            asked.missing("A", "raise `timeout_s` or --timeout");
        }
        nothing_left(&label);
    }
}

#[test]
fn what_came_before_a_sudden_end_is_answered() {
    let points =
        r#"(id: "A", at: Line("Killed", {A}), when: "pass == 5"), (id: "B", at: LastChange("A:sum"))"#;
    for how in ["kill", "halt", "exit"] {
        for asked in Fixture::new("killed", "Killed").args(&[how]).ask(points) {
            asked.held().at("B", "B").has("B", &[("old", "10"), ("new", "15")]);
        }
    }
}

#[test]
fn a_root_not_reached_tells_how_the_program_ended() {
    let points =
        r#"(id: "A", at: Line("Killed", {A}), when: "pass == 50"), (id: "B", at: LastChange("A:sum"))"#;
    let ends = [("kill", "killed by signal 9"), ("halt", "exit code 3"), ("exit", "exit code 4")];
    for (how, end) in ends {
        for asked in Fixture::new("killed", "Killed").args(&[how]).ask(points) {
            assert_eq!(asked.code, 3, "{:#}", asked.answer);
            assert_eq!(asked.answer["outcome"], "root-not-reached");
            // A VM that is killed cannot tell how many passes it has tested since the last that stopped.
            let count =
                if how == "kill" { "its condition was false" } else { "its condition was false 10 times" };
            asked.missing("A", count).missing("A", end);
            asked.missing("B", "A, on which it depends, was not located");
        }
    }
}

#[test]
fn a_vm_that_is_gone_before_main_is_no_failure_of_qp() {
    for asked in
        Fixture::new("exits-at-once", "ExitsAtOnce").ask(r#"(id: "A", at: Line("ExitsAtOnce", {A}))"#)
    {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.missing("A", "exit code 7");
    }
}

#[test]
fn megabytes_of_output_block_nobody() {
    let points = r#"(id: "A", at: Line("Chatter", {A})), (id: "B", at: LastChange("A:written"))"#;
    for args in [&["8"][..], &["8", "line"][..]] {
        for asked in Fixture::new("chatter", "Chatter").args(args).ask(points) {
            asked.held().at("B", "B").has("B", &[("new", "8")]);
        }
    }
}

#[test]
fn standard_input_is_fed_to_every_run() {
    let fixture = Fixture::new("reads-stdin", "ReadsStdin");
    let input = fixture.sources().join("input.txt");
    // No caller contains the condition that led to the change; asking for a frame's variable costs a second
    // run.
    let points = r#"
        (id: "A", at: Line("ReadsStdin", {A})), (id: "B", at: LastChange("A:longest")),
        (id: "F", at: LastChange("A(-1):lines")),
    "#;
    for asked in fixture.debuggee(&format!("stdin: {input:?},")).ask(points) {
        asked.held().runs(2).at("B", "B").has("B", &[("new", "\"three words, longest\"")]);
    }
    let points = r#"(id: "A", at: Line("ReadsStdin", {A})), (id: "B", at: LastChange("A:longest"))"#;
    for asked in Fixture::new("reads-stdin", "ReadsStdin").ask(points) {
        asked.held().has("A", &[("collected.longest", "\"\""), ("collected.lines", "0")]);
        asked.has("B", &[("new", "\"\"")]);
    }
}

#[test]
fn the_vm_of_the_main_class_is_asked_and_none_is_left() {
    // A separate folder, whose name finds all processes of this test.
    let fixture = Fixture::compiled_with("forks", "Forks", &["-g", "-nowarn", "-parameters"]);
    let classes = fixture.command()[1].clone();
    let points = r#"(id: "A", at: Line("Forks", {A})), (id: "B", at: LastChange("A:depth"))"#;
    for asked in fixture.debuggee(r#"jvm: "Forks","#).ask(points) {
        asked.held().at("A", "A").has("B", &[("method", "report"), ("new", "0")]);
    }
    let orphan =
        Fixture::compiled_with("forks", "Forks", &["-g", "-nowarn", "-parameters"]).args(&["orphan"]);
    for asked in orphan.ask(points) {
        asked.held().at("A", "A");
    }
    nothing_left(&classes);
}

#[test]
fn another_main_class_can_be_asked() {
    let fixture = Fixture::new("forks", "Forks").debuggee(r#"jvm: "Child","#);
    for asked in fixture.ask(r#"(id: "A", at: Entry("Child.main"), collect: ["args[0]"])"#) {
        asked.held().has("A", &[("class", "Child")]);
        assert_eq!(asked.point("A")["collected"]["args[0]"], "\"0\"");
    }
}

#[test]
fn a_class_that_is_never_loaded_is_said_to_be_so() {
    for asked in Fixture::new("forks", "Forks").args(&["1"]).ask(r#"(id: "A", at: Entry("Child.main"))"#) {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.missing("A", "class Child was never loaded in this run");
    }
}

#[test]
fn a_redefined_class_has_lost_its_sites() {
    let fixture = Fixture::built("redefined-class", "Redefined").vm("-javaagent:classes/redefiner.jar");
    let points = r#"(id: "A", at: Line("Target", {A}), index: -1), (id: "B", at: LastChange("A:level"))"#;
    for asked in fixture.ask(points) {
        asked
            .at("A", "A")
            .has("A", &[("collected.height", "2")])
            .warned("sites lost")
            .warned("Target.measure");
    }
}

#[test]
fn a_class_redefined_with_the_same_code_keeps_its_sites() {
    let fixture = Fixture::built("redefined-class", "Redefined").vm("-javaagent:classes/redefiner.jar");
    let points = r#"(id: "A", at: Line("Target", {A}), index: -1), (id: "B", at: LastChange("A:level"))"#;
    for asked in fixture.args(&["same"]).ask(points) {
        asked.held().has("A", &[("collected.height", "4")]).at("B", "B").has("B", &[("new", "4")]);
    }
}
