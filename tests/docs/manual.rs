//! The manual: pages and completions from the table of commands, and the limits that the pages of the docs
//! name.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{finish, qp, said};
use clap::Parser;

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

/// Names of all test functions of the project.
fn test_names(folder: &std::path::Path, names: &mut std::collections::HashSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            test_names(&entry, names);
        } else if entry.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&entry).expect("a file");
            let functions = text.lines().filter_map(|line| line.trim_start().split_once("fn "));
            names.extend(
                functions.filter_map(|(_, rest)| rest.split_once('(')).map(|(name, _)| name.to_owned()),
            );
        }
    }
}

/// Paragraphs, items of lists and rows of tables of a page, with the numbers of their first lines.
fn blocks(page: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut in_code, mut goes_on) = (false, false);
    for (number, line) in page.lines().enumerate() {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        if is_fence || in_code || line.trim().is_empty() {
            goes_on = false;
            continue;
        }
        let begins = !goes_on || ["|", "- ", "#"].iter().any(|mark| line.starts_with(mark));
        match found.last_mut() {
            Some((_, block)) if !begins => *block = format!("{block} {}", line.trim()),
            _ => found.push((number + 1, line.trim().to_owned())),
        }
        goes_on = true;
    }
    found
}

/// What `qp` cannot do is said where a test shows it: a sentence that no longer holds fails there.
#[test]
fn each_limit_that_the_docs_name_is_shown_by_a_test() {
    let mut names = std::collections::HashSet::new();
    for folder in ["tests", "src", "crates"] {
        test_names(&crate::support::root().join(folder), &mut names);
    }
    let (mut shown, mut wrong) = (0, Vec::new());
    for file in [
        "README",
        "docs/guide",
        "docs/sessions",
        "docs/trace",
        "docs/declarative",
        "docs/formats",
        "docs/security",
    ] {
        let page =
            std::fs::read_to_string(crate::support::root().join(format!("{file}.md"))).expect("a page");
        for (line, block) in blocks(&page) {
            let mut by: Vec<&str> = block.split("<!-- shown by ").skip(1).collect();
            by = by.iter().filter_map(|rest| rest.split_once(" -->")).map(|(name, _)| name).collect();
            shown += by.len();
            wrong.extend(
                by.iter()
                    .filter(|name| !names.contains(**name))
                    .map(|name| format!("{file}:{line}: no test {name}")),
            );
            let words: Vec<&str> = block.split(|c: char| !c.is_alphanumeric()).collect();
            if by.is_empty() && ["cannot", "yet"].iter().any(|word| words.contains(word)) {
                wrong.push(format!("{file}:{line}: no test is named that shows it: {block}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(shown > 10, "{shown} tests are named");
}
