//! `LastChange` of the texts of builders and of what was printed on streams, against the log of a program
//! that makes random calls.

use crate::support::case::Case;
use crate::support::{compiled, javas, point, said};
use std::process::Command;

/// Number of calls.
const CALLS: &str = "60";

fn agree(seed: u64, options: &[&str]) {
    let case = Case::new("built");
    let classes = compiled("fixtures/built", &["-g"]).display().to_string();
    let at = case.line("Built.java", "// <- A");
    for java in javas() {
        let output =
            Command::new(&java).args(["-cp", &classes, "Built", &seed.to_string(), CALLS]).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        let logged: Vec<Vec<&str>> = log.lines().map(|line| line.split(' ').collect()).collect();
        assert!(logged.len() > 6, "{log}");
        let mut points = format!("(id: \"A\", at: Line(\"Built\", {at})),\n");
        for line in &logged {
            let name = line[0];
            points += &format!("(id: \"{name}\", at: LastChange(\"A:contents({name})\")),\n");
        }
        let command = [&java, "-cp", "classes", "Built", &seed.to_string(), CALLS].map(String::from);
        let debuggee = format!("command: {command:?}");
        let answer = case.replay(&debuggee, &points, &[options, &["--format=json"]].concat()).answer();
        for line in &logged {
            let [name, at, old, new] = line[..] else { panic!("{line:?}") };
            let found = point(&answer, name);
            assert_eq!(found["line"].to_string(), at, "{java} {seed} {name}: {found:#}");
            assert!(found["by"].is_string(), "{name}: {found:#}");
            assert!(found["hit"].is_null(), "calls of all builders are counted, not passes: {found:#}");
            match old {
                // A stream keeps nothing of what is printed on it.
                "-1" => assert!(found["old"].is_null() && found["new"].is_null(), "{name}: {found:#}"),
                _ => {
                    // One statement can make several calls: the last one counts.
                    assert_eq!(found["new"], new, "{java} {seed} {name}: {found:#}");
                    let notes = found["notes"].to_string();
                    assert!(!notes.contains("missed"), "{name}: {found:#}");
                }
            }
        }
    }
}

#[test]
fn the_last_change_is_where_the_program_says() {
    for seed in [1, 2] {
        agree(seed, &["--backend=probe"]);
    }
}

#[test]
fn the_last_change_is_kept_in_the_vm() {
    for seed in [3, 4] {
        agree(seed, &["--backend=probe", "--eager=0"]);
    }
}

/// The VM reports no such changes, so `qp` chooses probes by itself, and says so where it may not.
#[test]
fn only_probes_see_changes_of_texts() {
    let case = Case::new("built");
    let at = case.line("Built.java", "// <- A");
    let points =
        format!("(id: \"A\", at: Line(\"Built\", {at})), (id: \"B\", at: LastChange(\"A:contents(print)\"))");
    let debuggee = "command: [\"java\", \"-cp\", \"classes\", \"Built\", \"1\", \"60\"]";
    case.replay(debuggee, &points, &[]).is(0, &["printed: on PrintWriter@1, by PrintWriter."]);
    case.replay(debuggee, &points, &["--backend=jdwp"]).is(4, &["whose changes the VM does not report"]);
}
