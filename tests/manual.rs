//! What is generated from the table of commands: manual pages and completions.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use clap::Parser;
use support::{finish, qp, said};

/// The commands that `qp --help` lists.
fn commands() -> Vec<String> {
    let help = said(&finish(qp().arg("--help")));
    let listed =
        help.split("Commands:").nth(1).and_then(|rest| rest.split("Options:").next()).expect("a list");
    let names = listed.lines().filter_map(|l| l.strip_prefix("  ")?.split_whitespace().next());
    // A description that goes on in a second line is indented further.
    let indented = |name: &&str| listed.contains(&format!("\n  {name} ")) && *name != "help";
    names.filter(indented).map(str::to_owned).collect()
}

#[test]
fn every_command_has_a_manual_page_and_completions() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man/man1");
    let output = finish(qp().arg("man").arg(&pages));
    assert!(output.status.success(), "{}", said(&output));
    let commands = commands();
    assert!(commands.len() >= 7, "{commands:?}");
    let scripts = ["bash", "zsh", "fish"].map(|shell| said(&finish(qp().args(["completions", shell]))));
    for command in &commands {
        let page = std::fs::read_to_string(pages.join(format!("qp-{command}.1"))).expect("a page");
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{command}");
        assert!(scripts.iter().all(|script| script.contains(command.as_str())), "{command}");
    }
    let main = std::fs::read_to_string(pages.join("qp.1")).expect("a page");
    assert!(main.contains("130 interrupted"), "the exit codes are on the first page");
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    let output = finish(qp().arg("man").arg(file.join("man")));
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("cannot write"), "{}", said(&output));
}

#[test]
fn every_command_shows_examples_that_can_be_typed() {
    let word = regex::Regex::new("'([^']*)'|(\\S+)").expect("a pattern");
    let mut tried = 0;
    for command in commands().iter().filter(|c| !["completions", "man"].contains(&c.as_str())) {
        let help = said(&finish(qp().args([command, "--help"])));
        let (_, examples) =
            help.split_once("Examples:").unwrap_or_else(|| panic!("{command} has no examples"));
        for line in examples.lines().map(str::trim).filter(|l| l.contains("qp ")) {
            // What follows is for the shell: a remark, another command.
            let line = line.split(['#', '|']).next().expect("a line").trim_start_matches("git bisect run ");
            let words = word.captures_iter(line).map(|c| c.get(1).or(c.get(2)).map_or("", |m| m.as_str()));
            if let Err(error) = querypoint::ui::cli::Cli::try_parse_from(words) {
                panic!("{line}: {error}");
            }
            tried += 1;
        }
    }
    assert!(tried > 10, "only {tried} examples");
}
