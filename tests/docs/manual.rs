//! The manual: pages and completions from the table of commands, and the limits that the docs name.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{finish, qp, said};
use querypoint::ui::table::{COMMANDS, GROUPS, Row, Runs};
use session::Context;
use std::collections::BTreeSet;
use std::process::Output;

/// The words the user types for each command and each group.
fn paths() -> Vec<String> {
    let groups = GROUPS.iter().map(|group| group.name.to_owned());
    COMMANDS.iter().map(Row::path).chain(groups).collect()
}

/// The output of a command with one more word.
fn asked(path: &str, word: &str) -> Output {
    finish(qp().args(path.split(' ')).arg(word))
}

#[test]
fn the_table_is_the_command_line() {
    querypoint::ui::table::line().debug_assert();
    let paths = paths();
    let distinct: BTreeSet<&String> = paths.iter().collect();
    assert_eq!(distinct.len(), paths.len(), "no two commands have one name: {paths:?}");
    for row in COMMANDS {
        let group = row.group.is_none_or(|name| GROUPS.iter().any(|group| group.name == name));
        assert!(group, "{} is in no group of the table", row.path());
    }
    let help = said(&finish(qp().arg("--help")));
    let listed = help.split("Commands:").nth(1).expect("a list");
    for path in paths.iter().filter(|path| !path.contains(' ')) {
        assert!(listed.contains(&format!("\n  {path} ")), "{path} is not in `qp --help`");
    }
}

#[test]
fn every_command_says_what_it_is_about_and_what_it_takes() {
    for row in COMMANDS {
        let line = row.line();
        assert!(line.get_about().is_some(), "{} says nothing", row.path());
        for argument in line.get_arguments() {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.len() > 5, "{} {}: `{help}`", row.path(), argument.get_id());
        }
        let takes = |long: &str| line.get_arguments().any(|argument| argument.get_long() == Some(long));
        assert_eq!(takes("source"), takes("source-encoding"), "{} reads sources", row.path());
    }
}

#[test]
fn every_command_has_an_exit_code_for_what_it_does_not_understand() {
    for row in COMMANDS {
        let path = row.path();
        assert_eq!(asked(&path, "--help").status.code(), Some(0), "{path} --help");
        let refused = asked(&path, "--no-such-option");
        assert_eq!(refused.status.code(), Some(row.cannot_begin.unwrap_or(2).into()), "{path}");
        assert!(said(&refused).contains("--no-such-option"), "{path}: {}", said(&refused));
    }
    let own = COMMANDS.iter().filter(|row| row.cannot_begin.is_some()).map(Row::path);
    assert_eq!(own.collect::<Vec<_>>(), ["bisect"], "git reads its exit code");
}

/// The rows about commands in a page's tables, by their first column.
fn rows_of_commands(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(crate::support::root().join(page)).expect("a page");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `qp "));
    rows.map(|row| format!("`qp {}", row.split(" | ").next().unwrap_or_default())).collect()
}

/// The commands that a first column names: `qp trace events`, `state`.
fn named(column: &str) -> BTreeSet<String> {
    let code = regex::Regex::new("`([^`]*)`").expect("a pattern");
    let mut group = "";
    let mut found = BTreeSet::new();
    for span in code.captures_iter(column) {
        let words = span[1].trim_start_matches("qp ").to_owned();
        let known = |row: &&Row| {
            let path = row.path();
            let in_group = words == row.name && row.group == Some(group).filter(|group| !group.is_empty());
            in_group || words == path || words.starts_with(&format!("{path} "))
        };
        if let Some(row) = COMMANDS.iter().find(known) {
            group = row.group.unwrap_or("");
            found.insert(row.path());
        } else {
            assert!(!span[1].starts_with("qp "), "there is no `{}`", &span[1]);
        }
    }
    found
}

#[test]
fn the_readme_has_every_command_of_the_table() {
    let named: BTreeSet<String> =
        rows_of_commands("README.md").iter().flat_map(|column| named(column)).collect();
    assert_eq!(named, COMMANDS.iter().map(Row::path).collect());
}

#[test]
fn the_page_of_security_has_every_command_that_runs_what_a_file_says() {
    let rows = rows_of_commands("docs/security.md");
    let page: BTreeSet<String> = rows.iter().flat_map(|column| named(column)).collect();
    let asks = |row: &&Row| {
        let line = row.line();
        let flags = line.get_arguments().filter(|a| matches!(a.get_action(), clap::ArgAction::SetTrue));
        flags.filter_map(clap::Arg::get_long).any(|long| ["trust", "trust-command"].contains(&long))
    };
    assert_eq!(page, COMMANDS.iter().filter(asks).map(Row::path).collect());
}

/// Other front ends run commands from the table to JSON, without text.
#[test]
fn a_command_of_the_table_runs_to_json() {
    let words = ["qp", "bisect", "/no/such/chain.ron"].map(std::ffi::OsString::from);
    let call = querypoint::ui::table::parse(words).expect("a command line");
    let Runs::ToResult(prepare) = call.row.runs else { panic!("a command with a result") };
    let command = prepare(&call.matches).expect("arguments");
    assert!(!command.trusts());
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let result = runtime.block_on(command.run(&Context::silent())).expect("a result");
    let json: serde_json::Value = serde_json::from_str(&result.json()).expect("JSON");
    assert_eq!((json["verdict"].as_str(), json["exit_code"].as_u64()), (Some("unknown"), Some(125)));
    assert_eq!((result.exit_code(true), result.exit_code(false)), (125, 125), "git reads it alone");
    assert!(result.text(false).starts_with("unknown: "), "{}", result.text(false));
    let interactive = COMMANDS.iter().filter(|row| matches!(row.runs, Runs::Dialogue(_)));
    assert_eq!(
        interactive.map(Row::path).collect::<Vec<_>>(),
        ["debug", "trace step", "diagnose", "dap", "mcp", "serve"]
    );
}

#[test]
fn every_command_has_a_manual_page_and_completions() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man/man1");
    let output = finish(qp().arg("man").arg(&pages));
    assert!(output.status.success(), "{}", said(&output));
    let scripts = ["bash", "zsh", "fish"].map(|shell| said(&finish(qp().args(["completions", shell]))));
    for command in paths() {
        let page = pages.join(format!("qp-{}.1", command.replace(' ', "-")));
        let page = std::fs::read_to_string(page).expect("a page");
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{command}");
        let name = command.rsplit(' ').next().expect("a name");
        assert!(scripts.iter().all(|script| script.contains(name)), "{command}");
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
    let of_rows = COMMANDS.iter().map(|row| {
        let line = row.line();
        (row.path(), line.get_after_help().map(ToString::to_string).unwrap_or_default())
    });
    let of_groups = GROUPS.iter().map(|group| (group.name.to_owned(), group.examples.to_owned()));
    for (command, help) in of_rows.chain(of_groups) {
        let (_, examples) =
            help.split_once("Examples:").unwrap_or_else(|| panic!("{command} has no examples"));
        let lines = examples.lines().flat_map(|line| line.split(" && ")).map(str::trim);
        for line in lines.filter(|line| line.contains("qp ")) {
            // Cut off the shell's part: a comment, or another command.
            let line =
                [" #", " | ", " > "].iter().fold(line, |line, mark| line.split(mark).next().unwrap_or(""));
            let line = line.trim_start_matches("git bisect run ");
            let words = word.captures_iter(line).map(|c| c.get(1).or(c.get(2)).map_or("", |m| m.as_str()));
            if let Err(error) = querypoint::ui::table::parse(words.map(std::ffi::OsString::from)) {
                panic!("{line}: {error}");
            }
            tried += 1;
        }
    }
    assert!(tried > 30, "only {tried} examples");
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

/// Each documented limit of `qp` names a test that shows it, and fails when the limit no longer holds.
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
