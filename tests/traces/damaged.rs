//! Damaged recordings: every command ends by itself and properly, with a few gigabytes of memory at most.

#![allow(clippy::expect_used, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::rng::Rng;
use crate::support::{said, scratch};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The commands for a damaged recording.
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

/// A recording of `Traced` with all its tables. Its files are small enough to be changed in many ways.
fn recording(case: &Case) -> PathBuf {
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level=writes", "--trust=Log", "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Traced"])).is(0, &["recorded in"]);
    told(case, &["trace", "history", "Traced.made"], &folder, "");
    assert!(folder.join("columns/writes/writes.arrow").is_file());
    folder
}

/// Asks with the memory of a small machine. Some questions get answers, on which later questions depend.
fn ask(arguments: &[&str], folder: &Path, changed: &str) {
    let mut command = Command::new("sh");
    crate::support::trusting(&mut command);
    command.args(["-c", "ulimit -v 4000000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_qp")]);
    command.args(arguments).arg(folder).current_dir(crate::support::root()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp starts");
    let answers = (1..9).map(|n| {
        let answer = if n % 3 == 0 { "invalid" } else { "valid" };
        format!("{{\"question\": {n}, \"answer\": \"{answer}\"}}\n")
    });
    // It may have ended already, and reads no input then.
    let mut stdin = child.stdin.take().expect("its input");
    std::io::Write::write_all(&mut stdin, answers.collect::<String>().as_bytes()).unwrap_or_default();
    drop(stdin);
    let output = crate::support::wait(child);
    let code = output.status.code();
    let is_in_order = code.is_some_and(|code| [0, 1, 2, 4].contains(&code));
    assert!(is_in_order && !said(&output).contains("panicked"), "{changed} {arguments:?}: {}", said(&output));
}

#[test]
fn a_table_that_was_changed_all_over_is_lived_with() {
    let case = Case::new("traced");
    let folder = recording(&case);
    // Each table with other bytes, and with all of them if `QP_RANDOM_CASES` is set.
    let all = std::env::var_os("QP_RANDOM_CASES").is_some();
    let tables = ["calls", "born", "methods", "by_method", "writes/writes", "chunks"];
    for (table, own) in tables.into_iter().zip([0x00, 0xff, 0x01].into_iter().cycle()) {
        let file = folder.join("columns").join(format!("{table}.arrow"));
        let whole = std::fs::read(&file).expect("the table");
        for bits in [0x00, 0xff, 0x01].into_iter().filter(|bits| all || *bits == own) {
            let mut changed = whole.clone();
            // Skip the end of the file, unless it is short.
            let from = whole.len() / 10;
            let to = whole.len().saturating_sub(1500).max(from + 500);
            changed[from..to].iter_mut().step_by(37).for_each(|byte| *byte = bits);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
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
    let many = number("QP_RANDOM_CASES").unwrap_or(12);
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

/// Runs `qp` with these arguments on a folder and some lines as input. Returns its standard output.
fn told(case: &Case, words: &[&str], folder: &Path, input: &str) -> String {
    let mut command = case.qp();
    command.args(words).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("qp starts");
    let mut stdin = child.stdin.take().expect("its input");
    std::io::Write::write_all(&mut stdin, input.as_bytes()).unwrap_or_default();
    drop(stdin);
    String::from_utf8(crate::support::wait(child).stdout).expect("text")
}

/// A copy of a recording, changed by this function.
fn changed(whole: &Path, change: impl FnOnce(&Path)) -> tempfile::TempDir {
    let copy = tempfile::tempdir_in(scratch()).expect("a folder");
    for file in walk(whole) {
        let to = copy.path().join(file.strip_prefix(whole).expect("a file of it"));
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("made");
        std::fs::copy(&file, &to).expect("copied");
    }
    change(copy.path());
    copy
}

/// Cuts the events of a recording in the middle: after a whole chunk, or inside the next one.
fn cut(folder: &Path, inside: bool) {
    let file = folder.join("events");
    let whole = std::fs::read(&file).expect("the events");
    let behind = |at: usize| {
        let word: [u8; 4] = whole[at + 20..at + 24].try_into().expect("a word");
        at + 32 + usize::try_from(u32::from_le_bytes(word)).expect("a length")
    };
    let mut at = 0;
    while at < whole.len() / 2 {
        at = behind(at);
    }
    // A chunk can be as short as its head and one event.
    std::fs::write(&file, &whole[..if inside { behind(at) - 1 } else { at }]).expect("written");
}

/// Removes the end of the recording, as if `qp` was killed.
fn without_end(folder: &Path) {
    let file = folder.join("about.json");
    let text = std::fs::read_to_string(&file).expect("text");
    let mut about: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    about["recorded"] = serde_json::Value::Null;
    std::fs::write(&file, about.to_string()).expect("written");
}

#[test]
fn each_answer_says_what_the_recording_has_lost() {
    let case = Case::new("traced");
    let whole = recording(&case);
    let chain = case.chain(
        "command: [\"java\", \"-cp\", \"classes\", \"Traced\"]",
        "(id: \"A\", at: Line(\"Traced\", 22))",
    );
    let chain = chain.display().to_string();
    let lines = case.mark("lines.jsonl").display().to_string();
    // The first call of `add` has ended in each of these. In a damaged recording no contents of objects are
    // certain.
    let calls = told(&case, &["trace", "calls", "--format=json", "--method=Traced.add"], &whole, "");
    let calls: serde_json::Value = serde_json::from_str(&calls).expect("JSON");
    let add = calls["threads"][0]["calls"][0]["node"].to_string();
    let to = format!("--to={lines}");
    let beside = whole.display().to_string();
    let asked: [&[&str]; 11] = [
        &["trace", "info"],
        &["trace", "calls"],
        &["trace", "calls", "--node=0"],
        &["trace", "history", "Traced.made"],
        &["trace", "events", "0"],
        &["trace", "find", &chain],
        &["trace", "export", &to],
        &["trace", "step", "3"],
        &["trace", "as-chain", "0"],
        &["diff", &beside],
        &["diagnose", "--strategy=top-down"],
    ];
    let of_state: &[&str] = &["trace", "state", &add];
    let says = |words: &[&str], folder: &Path, lost: &str| {
        let input = "valid\nhistory Traced.made\n";
        let text = told(&case, words, folder, input);
        let json = [words, &["--format=json"]].concat();
        let json = told(&case, &json, folder, "{\"question\": 1, \"answer\": \"valid\"}\n");
        let values = serde_json::Deserializer::from_str(&json).into_iter::<serde_json::Value>();
        let values: Vec<_> = values.map(|value| value.expect("JSON")).collect();
        let holds = |value: &serde_json::Value| {
            let missing = [&value["missing"], &value["content"]].into_iter().filter_map(|m| m.as_array());
            missing.flatten().any(|what| what.as_str().is_some_and(|what| what.contains(lost)))
        };
        // Notes about a chain are comments.
        let begins = |line: &str| line.trim_start_matches("// ").starts_with("missing: ");
        let in_text = text.lines().any(|line| begins(line) && line.contains(lost));
        assert_eq!(in_text, values.iter().any(holds), "{words:?}: {text}\n{json}");
        in_text
    };
    type Damage = (&'static str, fn(&Path));
    let damages: [Damage; 3] = [
        ("the file of events ends inside a chunk", |folder| cut(folder, true)),
        (" are left: the file of events was cut off", |folder| cut(folder, false)),
        ("has not ended, or was cut off", |folder| {
            without_end(folder);
            cut(folder, false);
        }),
    ];
    let is_full = std::env::var("QP_DAMAGES").is_ok_and(|which| which == "all");
    for (place, (lost, damage)) in damages.into_iter().enumerate() {
        let copy = changed(&whole, damage);
        // In CI, every command meets one of the damages.
        let met = |at: usize| is_full || at % 3 == place;
        for (_, words) in asked.into_iter().enumerate().filter(|(at, _)| met(*at)) {
            assert!(says(words, copy.path(), lost), "{words:?} does not say that {lost}");
        }
        // A call that has ended is complete. The contents of objects are known until the first thread lost
        // events.
        for words in ["cut off", lost] {
            assert!(!says(&["trace", "events", &add], copy.path(), words), "{lost}");
        }
        assert_eq!(says(of_state, copy.path(), lost), !lost.starts_with("has not"), "{lost}");
        let text = std::fs::read_to_string(&lines).expect("the lines");
        let last: serde_json::Value =
            serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
        assert_eq!(last["event"], "missing", "{last}");
    }
    for words in asked.into_iter().chain([of_state]) {
        assert!(!told(&case, words, &whole, "valid\n").contains("missing: "), "{words:?}");
    }
    // The message names one of the two runs.
    let copy = changed(&whole, |folder| cut(folder, false));
    let other = copy.path().display().to_string();
    for (words, folder, run) in
        [(["diff", &beside], copy.path(), "reference"), (["diff", &other], &whole, "here")]
    {
        let text = told(&case, &words, folder, "");
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("missing: ")).collect();
        assert!(lines.len() == 1 && lines[0].starts_with(&format!("missing: {run}: of ")), "{text}");
    }
    // A call that has ended is complete, and so is its chain.
    assert!(!says(&["trace", "as-chain", &add], copy.path(), "cut off"));
}

#[test]
fn a_table_that_was_changed_is_made_anew() {
    let case = Case::new("traced");
    let whole = recording(&case);
    let all = |folder: &Path| {
        let lines = case.mark("all.jsonl");
        let to = format!("--to={}", lines.display());
        let tree = told(&case, &["trace", "calls", "--all", "--depth=500"], folder, "");
        let history = told(&case, &["trace", "history", "Traced.made"], folder, "");
        told(&case, &["trace", "export", &to], folder, "");
        (tree, history, std::fs::read(lines).expect("lines"))
    };
    let right = all(&whole);
    let columns = whole.join("columns");
    for file in walk(&columns) {
        let name = file.strip_prefix(&columns).expect("a file of it");
        let bytes = std::fs::read(&file).expect("a file");
        for at in [bytes.len() / 3, bytes.len() / 2] {
            let copy = changed(&whole, |folder| {
                let mut bytes = bytes.clone();
                bytes[at] ^= 0x01;
                std::fs::write(folder.join("columns").join(name), bytes).expect("written");
            });
            assert!(all(copy.path()) == right, "{} {at}", file.display());
            // The tables are built again: the same bytes, apart from the time of the copied file of events.
            let now = std::fs::read(copy.path().join("columns").join(name)).expect("a file");
            let is_json = name.extension().is_some_and(|extension| extension == "json");
            assert!(is_json || now == bytes, "{}", file.display());
        }
    }
}

#[test]
fn events_are_not_read_without_what_their_sites_mean() {
    let case = Case::new("traced");
    let whole = recording(&case);
    let sites = std::fs::read(whole.join("sites.jsonl")).expect("the sites");
    let line = sites.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let name = sites.windows(4).position(|bytes| bytes == b"made").expect("a field");
    let mut other = sites.clone();
    other[name] = b'f';
    for (sites, has_end) in [
        (&b""[..], true),
        (&b""[..], false),
        (&sites[..line], true),
        (&sites[..sites.len() - 9], true),
        (&other, true),
    ] {
        let copy = changed(&whole, |folder| {
            std::fs::write(folder.join("sites.jsonl"), sites).expect("written");
            if !has_end {
                without_end(folder);
            }
        });
        for words in [&["trace", "info"][..], &["trace", "calls"], &["trace", "history", "Traced.made"]] {
            let mut command = case.qp();
            let run = case.run_command(command.args(words).arg(copy.path()));
            run.fails(4, &["sites.jsonl is empty, or was changed or truncated since the run was recorded"]);
        }
    }
}

/// All files of a folder and its subfolders.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Cuts a file, flips a bit, writes a number that is likely to be a limit, inserts bytes, removes one, or
/// changes a number in a text.
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
