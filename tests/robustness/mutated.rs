//! Class files with random damage on the class path of a program. A VM rejects some, and runs others with
//! other effects. `qp` reads and rewrites the same files: it gives an answer or an error, never a crash, and
//! a recorded program does what it does without.

use crate::support::case::Case;
use crate::support::rng::Rng;
use crate::support::setting;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the program of a case by itself. Returns its exit code and what it wrote.
fn plain(case: &Case) -> Option<(i32, String)> {
    let mut command = Command::new("timeout");
    command.args(["10", "java", "-XX:-UsePerfData", "-cp", "classes", "Handlers"]);
    let output = command.current_dir(case.work()).stdin(Stdio::null()).output().expect("it runs");
    let code = output.status.code()?;
    // Some damage makes a loop endless, or crashes the VM.
    (code != 124 && code < 128).then(|| (code, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Replaces, removes or repeats some bytes after the magic number and the version.
fn damage(bytes: &mut Vec<u8>, random: &mut Rng) {
    for _ in 0..=random.below(3) {
        let at = 8 + random.below(bytes.len() - 8);
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, bytes[at]),
            3 => bytes[at] ^= 1 << random.below(8),
            _ => bytes[at] = u8::try_from(random.below(256)).expect("a byte"),
        }
        if bytes.len() < 20 {
            return;
        }
    }
}

/// What is asked about a damaged program.
fn questions(random: &mut Rng, line: &str) -> Vec<Vec<String>> {
    let java = ["--", "java", "-XX:-UsePerfData", "-cp", "classes", "Handlers"];
    let words = |first: &[&str]| first.iter().chain(&java).map(|word| (*word).to_owned()).collect();
    let at = format!("Handlers:{line}");
    let level = *random.pick(&["calls", "writes", "all"]);
    let scope = *random.pick(&["Handlers", "**"]);
    let out = "../marks/trace";
    let backend = *random.pick(&["jdwp", "probes", "auto"]);
    let record = [
        "trace",
        "record",
        "--level",
        level,
        "--scope",
        scope,
        "--show-output",
        "--timeout",
        "60",
        "-o",
        out,
    ];
    let asked = *random.pick(&["k", "n", "e", ""]);
    let why = ["why", "--at", &at, "--backend", backend, asked];
    let why: Vec<&str> = why.into_iter().filter(|word| !word.is_empty()).collect();
    vec![words(&record), words(&why), words(&["omitted", "k", "--at", &at])]
}

/// `QP_MUTANTS=500` damages the program so many times, and `QP_SEED` begins elsewhere.
#[test]
fn damaged_class_files_are_answered_or_refused() {
    let mutants = setting("QP_MUTANTS").unwrap_or(6);
    let first = setting("QP_SEED").unwrap_or(1);
    let case = Case::new("handlers");
    let classes = case.work().join("classes");
    let whole = files(&classes);
    let lines: Vec<String> = ["A plain", "A resource", "A last", "T plain"]
        .map(|marker| case.line("Handlers.java", marker).to_string())
        .into();
    let mut compared = 0;
    for seed in first..first + mutants {
        let mut random = Rng::new(seed);
        for (name, bytes) in &whole {
            let mut bytes = bytes.clone();
            if name == "Handlers.class" || random.chance(20) {
                damage(&mut bytes, &mut random);
            }
            std::fs::write(classes.join(name), bytes).expect("written");
        }
        let alone = plain(&case);
        for question in questions(&mut random, random_line(&lines, seed)) {
            if alone.is_none() {
                continue;
            }
            let run = case.run_command(case.qp().args(&question));
            let said = run.said();
            let told = format!("QP_SEED={seed} {question:?}: {said}");
            let code = run.output.status.code();
            assert!(matches!(code, Some(0..=4)), "{told}");
            assert!(!said.contains("panicked") && !said.contains("internal error"), "{told}");
            let is_recorded = case.mark("trace").is_dir();
            if let Some((code, output)) = alone.as_ref().filter(|_| is_recorded) {
                compared += 1;
                assert!(said.contains(output.trim_end()), "plain: {output}\n{told}");
                assert!(said.contains(&format!("ended with exit code {code}\n")), "plain: {code}\n{told}");
                std::fs::remove_dir_all(case.mark("trace")).expect("removed");
            }
        }
    }
    assert!(compared * 2 >= mutants, "only {compared} of {mutants} programs were recorded");
}

fn random_line(lines: &[String], seed: u64) -> &str {
    &lines[usize::try_from(seed).expect("small") % lines.len()]
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("listed").flatten();
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let bytes = std::fs::read(entry.path()).expect("read");
            (entry.file_name().to_string_lossy().into_owned(), bytes)
        })
        .collect();
    files.sort();
    files
}
