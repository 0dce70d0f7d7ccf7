//! What differs from run to run is pinned: pinned runs read the same.

use crate::support::case::Case;
use crate::support::{finish, javas, said};
use std::process::Command;

/// The lines that a program prints about itself, without the minute in which it began.
fn printed(output: &std::process::Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let own = text.lines().chain(errors.lines()).filter(|line| !line.contains("recorded in"));
    let own = own.filter(|line| !line.contains("pinned: "));
    let own = own.map(|line| if line.starts_with("minutes ") { line.split_at(16).1 } else { line });
    own.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// A program that reads everything that differs, with a folder of files whose names come in any order.
fn pinned(name: &str) -> (Case, Vec<String>) {
    let case = Case::new("pinned");
    let files = case.mark(name);
    std::fs::create_dir(&files).expect("a folder");
    for file in ["z", "b", "q", "a", "m", "c", "x", "k"] {
        std::fs::write(files.join(file), "").expect("a file");
    }
    let program = ["-cp", "classes", "Pinned", &files.display().to_string()].map(str::to_owned);
    (case, program.to_vec())
}

#[test]
fn two_pinned_runs_read_the_same() {
    let (case, program) = pinned("files");
    for (number, java) in javas().into_iter().enumerate() {
        let record = |name: String| {
            let folder = case.mark(&format!("{name}-{number}"));
            let mut command = case.qp();
            command.args(["trace", "record", "--pin", "--show-output", "--level=all", "--out"]).arg(folder);
            let output = finish(command.args(["--", &java]).args(&program));
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
            assert!(said(&output).contains("note: pinned: random numbers"), "{}", said(&output));
            assert!(!said(&output).contains("not pinned"), "{}", said(&output));
            printed(&output)
        };
        let [one, other] = ["one", "other"].map(|name| record(name.to_owned()));
        assert!(one.len() >= 14, "{one:#?}");
        assert_eq!(one, other);
        let [plain, again] = [(); 2].map(|()| {
            let output = Command::new(&java).args(&program).current_dir(case.work()).output();
            printed(&output.expect("java"))
        });
        for varying in
            ["random", "Math.random", "ThreadLocalRandom", "SplittableRandom", "SecureRandom", "UUID", "pid"]
        {
            let line = |lines: &[String]| {
                let found = lines.iter().find(|line| line.starts_with(&format!("{varying} "))).cloned();
                found.unwrap_or_else(|| panic!("no {varying} in {lines:#?}"))
            };
            assert_ne!(line(&plain), line(&again), "{varying} repeats by itself");
            assert_eq!(line(&one), line(&other));
        }
        // The names of files come in their order, and the clocks agree with each other.
        let ordered = "files [a, b, c, k, m, q, x, z]";
        assert!(one.iter().any(|line| line.starts_with(ordered)), "{one:#?}");
        assert!(one.contains(&" 0 0".to_owned()) && one.contains(&"timer 1".to_owned()), "{one:#?}");
    }
}

/// A run for more detail must do the same as the recorded one.
#[test]
fn a_recording_is_run_again_with_its_pins() {
    let (case, program) = pinned("files");
    for java in javas() {
        let again = |pin: &[&str], name: &str| {
            let folder = case.mark(name);
            let mut command = case.qp();
            command.args(["trace", "record", "--level=calls"]).args(pin).arg("--out").arg(&folder);
            let output = finish(command.args(["--", &java]).args(&program).arg("no-identity"));
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
            let mut command = case.qp();
            let run = case.run_command(command.args(["trace", "events", "0", "--level=all"]).arg(&folder));
            std::fs::remove_dir_all(&folder).expect("it is there");
            run
        };
        again(&["--pin"], "pinned").is(0, &["Pinned.random", "Pinned.uuid"]);
        let unpinned = again(&[], "unpinned");
        assert_ne!(unpinned.output.status.code(), Some(0), "{}", unpinned.said());
    }
}
