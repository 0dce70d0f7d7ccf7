//! `qp catch` runs a program until it fails, and records that run so that it fails again.

use crate::support::{compiled, finish, qp, said, scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// `qp catch` of a program that fails in some runs.
fn catch(way: &str, options: &[&str]) -> Output {
    let mut command = qp();
    command.args(["catch", "--format=json"]).args(options).args(["--", "java", "-cp"]);
    finish(command.arg(compiled("fixtures/caught", &["-g"])).args(["Caught", way]))
}

fn answer(output: &Output, code: i32) -> Value {
    assert_eq!(output.status.code(), Some(code), "{}", said(output));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(output)))
}

fn folder() -> PathBuf {
    tempfile::tempdir_in(scratch()).expect("a folder").keep()
}

/// The method that `qp diff` names for two recordings, and how it differs.
fn diverging(failing: &Path, passing: &str) -> Value {
    let mut command = Command::new(qp().get_program());
    let output = finish(command.args(["diff", "--format=json"]).arg(failing).arg(passing));
    answer(&output, 0)["parted"].clone()
}

#[test]
fn a_run_that_fails_is_recorded_and_fails_again() {
    for (way, method) in [("order", "first"), ("dice", "roll")] {
        let out = folder().join("caught");
        let named = format!("--out={}", out.display());
        let caught = answer(&catch(way, &["--runs=100", &named]), 0);
        let (failing, passing) = (&caught["failing"], &caught["passing"]);
        assert_eq!(failing["ended"], "exit code 1", "{caught:#}");
        assert!(failing["output"].to_string().contains("IllegalStateException"), "{caught:#}");
        assert_eq!(caught["failed"], 1);
        assert_eq!(failing["recording"], out.display().to_string());
        assert_eq!(passing["ended"], "exit code 0", "seed 1 passes: {caught:#}");
        let seed = format!("--seed={}", failing["seed"]);
        for _ in 0..3 {
            let again = answer(&catch(way, &[&seed, "--runs=1", "--expect-pass"]), 1);
            assert_eq!(again["failed"], 1, "{way} {seed}: {again:#}");
        }
        let parted = diverging(&out, passing["recording"].as_str().expect("a recording"));
        assert_eq!(parted["method"], method, "{parted:#}");
    }
}

#[test]
fn a_run_that_hangs_has_failed() {
    let out = folder().join("caught");
    let named = format!("--out={}", out.display());
    let caught = answer(&catch("hang", &["--runs=40", "--timeout=3", &named]), 0);
    assert!(caught["failing"]["ended"].to_string().contains("3 s"), "{caught:#}");
    assert!(out.join("about.json").is_file());
}

#[test]
fn what_never_fails_is_not_caught() {
    let out = folder().join("caught");
    let named = format!("--out={}", out.display());
    let caught = answer(&catch("never", &["--runs=4", &named]), 1);
    assert_eq!((&caught["runs"], &caught["failed"]), (&4.into(), &0.into()));
    assert!(!out.exists());
    let passed = answer(&catch("never", &["--runs=3", "--expect-pass"]), 0);
    assert_eq!((&passed["runs"], &passed["failed"]), (&3.into(), &0.into()));
    let ended = answer(&catch("never", &["--runs=100000", "--for=2", "--expect-pass"]), 0);
    assert!(ended["runs"].as_u64().is_some_and(|runs| (1..100).contains(&runs)), "{ended:#}");
}

#[test]
fn a_program_that_cannot_begin_is_not_caught() {
    let out = folder().join("caught");
    let mut command = qp();
    command.arg("catch").arg("--out").arg(&out).args(["--", "java", "-cp"]);
    let output = finish(command.arg(compiled("fixtures/caught", &["-g"])).arg("Nothing"));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("ended before any of its own code ran"), "{}", said(&output));
    assert!(said(&output).contains("ClassNotFoundException: Nothing"), "{}", said(&output));
    assert!(!out.exists());
}

#[test]
fn a_folder_that_exists_is_not_overwritten() {
    let out = folder();
    let output = catch("never", &[&format!("--out={}", out.display())]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("exists: remove it"), "{}", said(&output));
}
