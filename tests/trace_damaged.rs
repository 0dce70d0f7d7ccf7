//! Recordings that were changed on the disk: every command ends by itself and in order, with a few gigabytes of memory at most.

#![allow(clippy::expect_used, reason = "a test's helpers fail as the test does")]

#[path = "random/rng.rs"]
mod rng;
mod support;

use rng::Rng;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::case::Case;
use support::{said, scratch};

/// What is asked of a recording that was changed.
const COMMANDS: [&[&str]; 8] = [
    &["trace", "info"],
    &["trace", "calls", "--all", "--depth=500"],
    &["trace", "history", "Traced.made"],
    &["trace", "events", "0"],
    &["trace", "state", "40"],
    &["trace", "export", "--to=/dev/null"],
    &["diagnose", "--format=json", "--strategy=hat-delta"],
    &["diagnose", "--format=json", "--strategy=more-rules-first"],
];

/// A recording of `Traced`, whose files are small enough to be changed in many ways.
fn recording(case: &Case) -> PathBuf {
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level=writes", "--trust=Log", "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Traced"])).is(0, &["recorded in"]);
    folder
}

/// Asks with so much memory as a small machine has; some questions are answered, so that later ones are chosen by what was said.
fn ask(arguments: &[&str], folder: &Path, changed: &str) {
    let mut command = Command::new("sh");
    support::trusting(&mut command);
    command.args(["-c", "ulimit -v 4000000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_qp")]);
    command.args(arguments).arg(folder).current_dir(support::root()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp starts");
    let answers = (1..9).map(|n| {
        let answer = if n % 3 == 0 { "invalid" } else { "valid" };
        format!("{{\"question\": {n}, \"answer\": \"{answer}\"}}\n")
    });
    // It may have ended by now, and reads none.
    let mut stdin = child.stdin.take().expect("its input");
    std::io::Write::write_all(&mut stdin, answers.collect::<String>().as_bytes()).unwrap_or_default();
    drop(stdin);
    let output = support::wait(child);
    let code = output.status.code();
    let is_in_order = code.is_some_and(|code| [0, 1, 2, 4].contains(&code));
    assert!(is_in_order && !said(&output).contains("panicked"), "{changed} {arguments:?}: {}", said(&output));
}

#[test]
fn a_table_that_was_changed_all_over_is_lived_with() {
    let case = Case::new("traced");
    let folder = recording(&case);
    for table in ["calls", "born", "methods", "by_method", "writes", "chunks"] {
        let file = folder.join("columns").join(format!("{table}.arrow"));
        let whole = std::fs::read(&file).expect("the table");
        for bits in [0x00, 0xff, 0x01] {
            let mut changed = whole.clone();
            // Not what it ends with, unless it has hardly anything else.
            let from = whole.len() / 10;
            let to = whole.len().saturating_sub(1500).max(from + 500);
            changed[from..to].iter_mut().step_by(37).for_each(|byte| *byte = bits);
            std::fs::write(&file, changed).expect("written");
            COMMANDS.iter().for_each(|arguments| ask(arguments, &folder, &format!("{table} {bits}")));
        }
        std::fs::write(&file, whole).expect("written");
    }
}

#[test]
fn files_that_were_changed_somewhere_are_lived_with() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    let first = number("QP_RANDOM_SEED").unwrap_or(1);
    let many = number("QP_RANDOM_CASES").unwrap_or(24);
    let case = Case::new("traced");
    let whole = recording(&case);
    let mut files: Vec<PathBuf> = walk(&whole);
    files.sort();
    for seed in first..first + many {
        let mut rng = Rng::new(seed);
        let copy = tempfile::tempdir_in(scratch()).expect("a folder");
        let has_columns = rng.chance(60);
        for file in &files {
            let name = file.strip_prefix(&whole).expect("a file of it");
            if has_columns || !name.starts_with("columns") {
                let to = copy.path().join(name);
                std::fs::create_dir_all(to.parent().expect("a folder")).expect("made");
                std::fs::copy(file, to).expect("copied");
            }
        }
        let left = walk(copy.path());
        let mut changed = format!("seed {seed}:");
        for _ in 0..1 + 2 * usize::from(rng.chance(25)) {
            let file = rng.pick(&left);
            let text = change(&mut rng, &std::fs::read(file).expect("a file"));
            changed += &format!(" {}", file.strip_prefix(copy.path()).expect("a file of it").display());
            std::fs::write(file, text).expect("written");
        }
        COMMANDS.iter().for_each(|arguments| ask(arguments, copy.path(), &changed));
    }
}

/// All files of a folder and those inside it.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Cuts a file, turns a bit, writes a number that is likely to be a limit, puts bytes in or takes one out, or writes another number into text.
fn change(rng: &mut Rng, whole: &[u8]) -> Vec<u8> {
    const LIMITS: [u32; 4] = [u32::MAX, 0, i32::MAX.cast_unsigned(), i32::MIN.cast_unsigned()];
    const NUMBERS: [&str; 5] = ["4294967295", "-1", "99999999999999999999", "65535", "1e9"];
    let at = rng.below(whole.len());
    let (before, behind) = whole.split_at(at);
    let with = |bytes: &[u8], instead_of: usize| -> Vec<u8> {
        [before, bytes, behind.get(instead_of..).unwrap_or_default()].concat()
    };
    match rng.below(5) {
        0 => before.to_vec(),
        1 => with(&[behind.first().copied().unwrap_or_default() ^ 1 << rng.below(8)], 1),
        2 => with(&rng.pick(&LIMITS).to_le_bytes(), 4),
        3 => {
            let bytes: Vec<u8> = (0..rng.below(9)).map(|_| rng.next().to_le_bytes()[0]).collect();
            with(&bytes, 1)
        }
        _ => {
            let digits = behind.iter().skip_while(|byte| !byte.is_ascii_digit());
            let skipped = behind.len() - digits.clone().count();
            let long = digits.take_while(|byte| byte.is_ascii_digit()).count();
            let number = rng.pick(&NUMBERS).as_bytes();
            [before, &behind[..skipped], number, &behind[skipped + long..]].concat()
        }
    }
}
