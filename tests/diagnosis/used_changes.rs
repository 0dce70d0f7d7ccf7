//! The changes that the failing run used later come first, in the order in which it used them.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::questions::told;
use crate::support::{compiled, qp};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// `qp diagnose` of a program that fails after a call changed fifteen things.
fn diagnose(options: &[&str]) -> Command {
    let mut command = qp();
    command.args(["diagnose", "--strategy=top-down"]).args(options).args(["--", "java", "-cp"]);
    command.arg(compiled("fixtures/used-later", &["-g"])).arg("UsedLater");
    command
}

#[test]
fn used_changes_are_listed_in_the_order_of_use() {
    let asked = told(&mut diagnose(&["--format=json"]), |_| "valid").questions;
    let fill = asked.iter().find(|question| question["method"] == "fill").expect("a question about fill");
    assert_eq!(fill["changed"].as_array().map(Vec::len), Some(15));
    // `volume` reads the length of the text, the width and the height. The depth is written again before.
    assert_eq!(fill["used"], json!(["this.log", "this.width", "this.height"]));
    assert_eq!(fill["judgeable"], Value::Null, "three changes can be judged");
    let deepen = asked.iter().find(|question| question["method"] == "deepen").expect("a question");
    assert_eq!(deepen["used"], json!(["this.depth"]));
}

#[test]
fn people_see_used_changes_first_and_the_others_last() {
    let child = diagnose(&[]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("qp");
    child.stdin.take().expect("a pipe").write_all(b"valid\n").expect("written");
    let text = String::from_utf8(child.wait_with_output().expect("an end").stdout).expect("text");
    let (_, fill) = text.split_once("UsedLater.fill").expect("a question about fill");
    let used = "changed\n  this.log: \"\" → \"filled\"\n  this.width: 0 → -2\n  this.height: 0 → 3\n";
    let others = "changed, and not used on the way to the failure, 10 of 12\n  this.a: 0 → 1\n";
    let (first, last) = (fill.find(used), fill.find(others));
    assert!(first.is_some() && first < last, "{text}");
}
