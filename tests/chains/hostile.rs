//! Programs that leave no room for probes: a full stack, a full heap, thousands of threads. They reach the
//! same results as alone, and `qp` answers correctly or not at all.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::{Case, Run};
use crate::support::{in_turn, javas, javas_in_turn, point, said};
use std::process::Command;

const BY_PROBES: [&str; 2] = ["--backend probe --eager 100", "--backend probe --eager 0"];

/// A program of the fixture with its question: points, and the marks of their lines.
struct Hostile {
    main: &'static str,
    points: &'static str,
    marks: &'static [&'static str],
    /// Its output, and its exit code.
    says: &'static str,
    code: i32,
}

const OVERFLOW: Hostile = Hostile {
    main: "Overflow",
    points: r#"(id: "A", at: Line("Overflow", {A})), (id: "B", at: LastChange("A:last.level")),
        (id: "C", at: LastChange("A:sum")), (id: "D", at: LastCondition("A")), (id: "E", at: LastChange("A:turns")),
        (id: "W", at: LastChange("A:last.wide"))"#,
    marks: &["A", "B", "C", "D", "E", "W"],
    says: "sum 28 [Overflow]",
    code: 5,
};

const FULL: Hostile = Hostile {
    main: "Full",
    points: r#"(id: "A", at: Line("Full", {A})), (id: "B", at: LastChange("A:kept.value")),
        (id: "C", at: LastChange("A:kept.next")), (id: "D", at: LastChange("A:rounds"))"#,
    marks: &["A", "B", "C", "D"],
    says: "value 42, failed 0",
    code: 6,
};

const CROWD: Hostile = Hostile {
    main: "Crowd",
    points: r#"(id: "A", at: Line("Crowd", {A})), (id: "B", at: LastChange("A:box.value")),
        (id: "C", at: LastChange("A:last")), (id: "D", at: LastChange("A:seen"))"#,
    marks: &["A", "B", "C", "D"],
    says: "total 4507500 17 18",
    code: 7,
};

const DEEP: Hostile = Hostile {
    main: "Deep",
    points: r#"(id: "A", at: Line("Deep", {A})), (id: "B", at: LastChange("A:deep.level")),
        (id: "L", at: LastChange("A:left")), (id: "W", at: LastChange("A:deep.wide")),
        (id: "N", at: Exception("StackOverflowError"), index: 19)"#,
    marks: &["A", "B", "W", "L"],
    says: "left 525",
    code: 8,
};

const MORTAL: Hostile = Hostile {
    main: "Mortal",
    points: r#"(id: "A", at: Line("Mortal", {A})), (id: "B", at: LastChange("A:kept.value"))"#,
    marks: &["A", "B"],
    says: "value 42, small",
    code: 10,
};

const FINALLY: Hostile = Hostile {
    main: "Finally",
    points: r#"(id: "A", at: Line("Finally", {A})), (id: "B", at: LastChange("A:left")),
        (id: "C", at: LastChange("A:entered"))"#,
    marks: &["A", "B", "C"],
    says: "as many",
    code: 9,
};

impl Hostile {
    fn file(&self) -> String {
        format!("{}.java", self.main)
    }

    fn command(&self, java: &str, options: &[&str], arguments: &[&str]) -> Vec<String> {
        let words = [&[java], options, &["-cp", "classes", self.main], arguments].concat();
        words.into_iter().map(str::to_owned).collect()
    }

    /// Asserts that the program alone prints its known output.
    fn alone(&self, case: &Case, command: &[String]) {
        let mut plain = Command::new(&command[0]);
        plain.args(&command[1..]).current_dir(case.work()).env_remove("JAVA_TOOL_OPTIONS");
        let output = plain.output().expect("java");
        assert_eq!(output.status.code(), Some(self.code), "{}", said(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), self.says);
    }

    /// Replays. A point after the program's end keeps the run going when all others are located.
    fn replay(&self, case: &Case, command: &[String], way: &str) -> Run {
        let run = self.replay_only(case, command, way);
        self.says_so(&run, way);
        run
    }

    fn replay_only(&self, case: &Case, command: &[String], way: &str) -> Run {
        let mut points = format!("{}, (id: \"Never\", at: Entry(\"Never.never\"))", self.points);
        for mark in self.marks {
            let line = case.line(&self.file(), &format!("// <- {mark}")).to_string();
            points = points.replace(&format!("{{{mark}}}"), &line);
        }
        let mut arguments: Vec<&str> = way.split(' ').collect();
        arguments.extend(["--format", "json", "--max-runs", "30", "--show-output"]);
        case.replay(&format!("command: {command:?}, timeout_s: 100"), &points, &arguments)
    }

    /// Asserts that every run had the same result.
    fn says_so(&self, run: &Run, way: &str) {
        let said = String::from_utf8_lossy(&run.output.stderr).into_owned();
        let says: Vec<&str> =
            said.lines().filter_map(|l| l.strip_prefix("run ")?.split_once(" | ")).map(|l| l.1).collect();
        assert!(!says.is_empty(), "{way}: {said}");
        assert!(says.iter().all(|line| *line == self.says), "{way}: {said}");
    }

    /// Asserts that every question has the right answer.
    #[track_caller]
    fn right(&self, case: &Case, run: &Run, way: &str) {
        let answer = run.answer();
        for id in self.marks {
            let found = point(&answer, id);
            assert_eq!(found["located"], true, "{way}: {id}: {found:#}");
            assert_eq!(
                found["line"],
                case.line(&self.file(), &format!("// <- {id}")),
                "{way}: {id}: {found:#}"
            );
            assert!(found["notes"].is_null(), "{way}: {id}: {found:#}");
        }
        // The program ended by itself.
        let never = point(&answer, "Never")["reason"].as_str().unwrap_or_default().to_owned();
        assert!(never.contains("never loaded"), "{way}: {never}");
    }
}

#[test]
fn a_full_stack_is_the_programs_own() {
    let case = Case::new("hostile");
    for java in javas() {
        let command = OVERFLOW.command(&java, &[], &["3", "3"]);
        OVERFLOW.alone(&case, &command);
        for way in in_turn(&BY_PROBES) {
            let run = OVERFLOW.replay(&case, &command, way);
            if run.output.status.code() == Some(4) {
                run.fails(4, &["probes cannot answer", "there was no"]);
            } else {
                OVERFLOW.right(&case, &run, way);
            }
        }
        // Without probes each write is an event on a deep stack.
        let command = OVERFLOW.command(&java, &[], &["1", "1"]);
        let run = OVERFLOW.replay(&case, &command, "--backend auto");
        OVERFLOW.right(&case, &run, "auto");
    }
}

#[test]
fn a_probe_that_finds_the_stack_full_throws_for_the_program() {
    let case = Case::new("hostile");
    for java in javas() {
        // An interpreted program usually reaches the end of its stack in a probe.
        let command = DEEP.command(&java, &["-Xint", "-Xss256k"], &[]);
        DEEP.alone(&case, &command);
        for way in in_turn(&BY_PROBES) {
            let run = DEEP.replay(&case, &command, way);
            if run.output.status.code() == Some(4) {
                run.fails(4, &["probes cannot answer", "no stack left"]);
                continue;
            }
            DEEP.right(&case, &run, way);
            let answer = run.answer();
            let thrown = point(&answer, "N");
            assert_eq!(
                (&thrown["class"], &thrown["method"]),
                (&"Deep".into(), &"down".into()),
                "{way}: {thrown:#}"
            );
        }
    }
}

/// If a probe finds no stack, the run behaves as the program alone would not: `qp` takes no answer from it.
#[test]
fn what_a_finally_does_is_not_left_out() {
    let case = Case::new("hostile");
    let mut refused = 0;
    for java in javas() {
        for options in [&["-Xint", "-Xss256k"][..], &["-Xss512k"]] {
            let command = FINALLY.command(&java, options, &["12"]);
            FINALLY.alone(&case, &command);
            for way in in_turn(&BY_PROBES) {
                let run = FINALLY.replay_only(&case, &command, way);
                if run.output.status.code() == Some(4) {
                    run.fails(4, &["probes cannot answer", "no stack left"]);
                    refused += 1;
                } else {
                    FINALLY.says_so(&run, way);
                    FINALLY.right(&case, &run, way);
                }
            }
        }
        let command = FINALLY.command(&java, &["-Xint", "-Xss256k"], &["1"]);
        let run = FINALLY.replay_only(&case, &command, "--backend auto");
        FINALLY.right(&case, &run, "auto");
    }
    assert!(refused > 0, "the stack ends in a probe now and then");
}

#[test]
fn a_full_heap_loses_nothing_that_is_kept() {
    let case = Case::new("hostile");
    for java in javas() {
        let command = FULL.command(&java, &["-Xmx24m"], &["1000000", "0"]);
        FULL.alone(&case, &command);
        for way in in_turn(&BY_PROBES) {
            let run = FULL.replay(&case, &command, way);
            FULL.right(&case, &run, way);
            assert_eq!(point(&run.answer(), "B")["old"], "41", "{way}");
        }
    }
}

/// The data kept for an object disappear with it.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_by_the_objects_that_live() {
    let case = Case::new("hostile");
    for java in javas() {
        let command = MORTAL.command(&java, &["-Xmx32m"], &["12000000"]);
        MORTAL.alone(&case, &command);
        let run = MORTAL.replay(&case, &command, "--backend probe --eager 0");
        MORTAL.right(&case, &run, "kept");
        assert_eq!(point(&run.answer(), "B")["old"], "41");
    }
}

#[test]
fn a_full_heap_in_new_threads_is_told_or_does_not_matter() {
    let case = Case::new("hostile");
    for java in javas_in_turn(0) {
        let command = FULL.command(&java, &["-Xmx24m"], &["1000", "20"]);
        FULL.alone(&case, &command);
        for way in in_turn(&BY_PROBES) {
            let run = FULL.replay(&case, &command, way);
            if run.output.status.code() == Some(4) {
                run.fails(4, &["probes cannot answer", "there was no memory"]);
            } else {
                FULL.right(&case, &run, way);
            }
        }
        FULL.right(&case, &FULL.replay(&case, &command, "--backend auto"), "auto");
    }
}

#[test]
fn thousands_of_threads_are_told_apart() {
    let case = Case::new("hostile");
    for (place, java) in javas().into_iter().enumerate() {
        // The second argument needs a version with virtual threads.
        for arguments in [&[][..], &["virtual"]].into_iter().take(place + 1) {
            let command = CROWD.command(&java, &[], arguments);
            CROWD.alone(&case, &command);
            for way in in_turn(&BY_PROBES) {
                let run = CROWD.replay(&case, &command, way);
                CROWD.right(&case, &run, way);
            }
        }
    }
}
