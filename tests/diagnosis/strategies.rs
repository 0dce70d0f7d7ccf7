//! The programs of `examples/declarative` and their faults: each fault fits its line, compiles, ends, has a
//! visible effect, and is drawn by the saved seed.
//!
//! `QP_FAULTS_SEED=1 cargo test --test diagnosis strategies::the_saved_faults` draws faults with that seed,
//! and writes `examples/declarative/faults.ron` before the comparison.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::faults::draw::draw;
use crate::faults::operators::mutants;
use crate::faults::runs::{Outcome, run};
use crate::faults::tokens::Source;
use crate::faults::trial::Trial;
use crate::faults::{programs, save, saved};
use crate::support::javac::Javac;
use declarative::STRATEGIES;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_fault_fits_its_line_compiles_ends_and_shows() {
    let (programs, faults) = (programs(), saved().faults);
    let mut texts: Vec<(String, String)> = programs.iter().map(|p| (p.name.clone(), p.text())).collect();
    for fault in &faults {
        let program = programs.iter().find(|p| p.name == fault.program && p.file == fault.file);
        let text = program.and_then(|p| fault.apply(&p.text()));
        let text = text.unwrap_or_else(|| panic!("{}:{} is not `{}`", fault.file, fault.line, fault.was));
        texts.push((fault.program.clone(), text));
    }
    let outcomes = run(&texts);
    let mut right = BTreeMap::new();
    let mut thrown = BTreeMap::new();
    for (program, outcome) in programs.iter().zip(&outcomes) {
        let Outcome::Ended { output, thrown: false, .. } = outcome else {
            panic!("{}: {outcome:?}", program.name)
        };
        right.insert(program.name.as_str(), output);
    }
    for (fault, outcome) in faults.iter().zip(&outcomes[programs.len()..]) {
        let place = format!("{}:{}: {}", fault.file, fault.line, fault.becomes);
        let Outcome::Ended { output, thrown: by_exception, .. } = outcome else {
            panic!("{place}: {outcome:?}")
        };
        *thrown.entry(fault.program.as_str()).or_insert(0) += usize::from(*by_exception);
        assert!(*by_exception || output != right[fault.program.as_str()], "{place}: does not show");
    }
    assert!(thrown.values().all(|many| *many <= 1), "{thrown:?}");
}

#[test]
fn each_program_has_its_number_of_faults_each_on_a_line_of_its_own() {
    let (programs, faults) = (programs(), saved().faults);
    let lines: BTreeSet<(&str, usize)> = faults.iter().map(|f| (f.file.as_str(), f.line)).collect();
    assert_eq!(lines.len(), faults.len());
    for program in &programs {
        let own = faults.iter().filter(|f| f.program == program.name).count();
        assert_eq!(own, program.faults, "{}", program.name);
    }
    assert_eq!(faults.len(), 32);
}

/// With `QP_FAULTS_SEED=1` it first draws them anew and saves them.
#[test]
fn the_saved_faults_are_those_of_their_seed() {
    if let Ok(seed) = std::env::var("QP_FAULTS_SEED") {
        save(&draw(&programs(), seed.parse().expect("a number")));
    }
    let saved = saved();
    assert_eq!(draw(&programs(), saved.seed), saved);
}

/// An accessor has no `if`, no loop and no call of another method, and three statements at most.
#[test]
fn what_is_trusted_is_an_accessor() {
    for program in programs() {
        let text = program.text();
        let source = Source::read(&text);
        let names: BTreeSet<&str> = source.methods.iter().map(|m| m.name.as_str()).collect();
        for trusted in &program.trusted {
            let method = source.methods.iter().find(|m| m.full_name() == *trusted);
            let method = method.unwrap_or_else(|| panic!("{}: no {trusted}", program.name));
            let words: Vec<&str> = method.body.clone().map(|at| source.text(at)).collect();
            assert!(words.iter().filter(|w| **w == ";").count() <= 3, "{trusted} is long");
            assert!(!words.iter().any(|w| ["if", "for", "while", "new"].contains(w)), "{trusted} decides");
            let calls = words.windows(2).any(|two| two[1] == "(" && names.contains(two[0]));
            assert!(!calls, "{trusted} calls");
        }
    }
}

/// The README's table gives the number of calls of a run, and of calls of accessors.
#[test]
fn the_readme_tells_the_numbers_of_calls() {
    let readme = std::fs::read_to_string(crate::faults::folder().join("README.md")).expect("README.md");
    for program in programs() {
        let classes = crate::support::scratch().join(&program.name);
        let file = crate::faults::folder().join(&program.file);
        Javac::new().arg("-d").arg(&classes).arg(file).run();
        let (trace, rows) = (classes.join("trace"), classes.join("rows.json"));
        let mut record = crate::support::qp();
        record.args(["trace", "record", "--level", "calls", "-o"]).arg(&trace).args(["--", "java", "-cp"]);
        let output = crate::support::finish(record.arg(&classes).arg(&program.name));
        assert!(output.status.success(), "{}", crate::support::said(&output));
        let output = crate::support::finish(
            crate::support::qp().args(["trace", "export", "--to"]).arg(&rows).arg(&trace),
        );
        assert!(output.status.success(), "{}", crate::support::said(&output));
        let (mut calls, mut trusted) = (0, 0);
        for row in std::fs::read_to_string(&rows).expect("rows").lines() {
            let row: serde_json::Value = serde_json::from_str(row).expect("JSON");
            if row["event"] == "enter" {
                let name = format!("{}.{}", row["class"].as_str().unwrap(), row["method"].as_str().unwrap());
                calls += 1;
                trusted += usize::from(program.trusted.contains(&name));
            }
        }
        let (file, many) = (&program.file, program.faults);
        let row = format!("[`{file}`]({file}) | {calls} | {trusted} | {many} |");
        assert!(readme.contains(&row), "README.md has no `{row}`");
    }
}

/// Three of the 32 faults, or all with `QP_WRONG_FAULTS=all`: pointing at the first difference leads to the
/// same method, with every strategy.
#[test]
fn whoever_points_at_what_differs_is_led_to_the_fault_too() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(tokio::task::LocalSet::new().run_until(play_all()));
}

async fn play_all() {
    let programs = crate::faults::programs();
    let step = if std::env::var("QP_WRONG_FAULTS").is_ok_and(|which| which == "all") { 1 } else { 11 };
    let mut trials = Vec::new();
    for fault in crate::faults::saved().faults.iter().step_by(step) {
        let program = programs.iter().find(|p| p.name == fault.program).expect("a program");
        trials.push(Box::pin(Trial::new(program, fault)).await);
    }
    assert!(trials.iter().any(|trial| trial.influential.iter().flatten().any(|these| !these.is_empty())));
    // A missing effect has no cause in the slice: then all influential calls are right, and another call is
    // wrong.
    let (mut pointed, mut missing) = (0, 0);
    for trial in &trials {
        let is_wrong = |node: &u32| trial.right[usize::try_from(*node).expect("a number")] == Some(false);
        for (node, these) in (0..).zip(&trial.influential) {
            let below = trial.forest.tree(node).skip(1).any(|below| is_wrong(&below));
            if let Some(these) = these.as_ref().filter(|_| below) {
                pointed += 1;
                missing += usize::from(!these.iter().any(is_wrong));
            }
        }
    }
    println!("{pointed} wrong calls above others, {missing} of them have no wrong one that is influential");
    println!("answers: without pointing, and with it");
    for row in STRATEGIES {
        let (mut plain, mut pointing) = (0, 0);
        for trial in &trials {
            let (one, other) = (trial.play(row.name), trial.play_pointing(row.name));
            let fault = format!("{} {}:{}", row.name, trial.program, trial.line);
            assert_eq!(one.ended_at.as_deref(), Some(trial.faulty.as_str()), "{fault}");
            assert_eq!(other.ended_at, one.ended_at, "{fault}");
            plain += one.answers;
            pointing += other.answers;
        }
        println!("{:<26} {plain:>5} {pointing:>5}", row.name);
    }
}

#[test]
fn operators_change_what_they_are_for() {
    let text = r#"
/** A class; if (a < b) is no code here. */
class Pair {
    private int left;
    private int right;

    int more(int by, int times) {
        String text = "a < b"; // left++;
        if (by < times && left != 0) {
            left += sum(by, times);
        }
        return right - 1;
    }

    public static void main(String[] args) {
        new Pair().more(1, 2);
    }
}
"#;
    let made = mutants(text, &[]);
    let of = |operator: &str| -> Vec<&str> {
        made.iter().filter(|m| m.operator == operator).map(|m| m.becomes.as_str()).collect()
    };
    assert_eq!(
        of("relation"),
        [
            "if (by <= times && left != 0) {",
            "if (by > times && left != 0) {",
            "if (by >= times && left != 0) {",
            "if (by < times && left == 0) {",
        ]
    );
    assert_eq!(of("arithmetic"), ["left -= sum(by, times);", "return right + 1;", "return right * 1;"]);
    assert_eq!(of("connective"), ["if (by < times || left != 0) {"]);
    assert_eq!(of("negation"), ["if (!(by < times && left != 0)) {"]);
    assert_eq!(
        of("mirror"),
        ["if (by < times && right != 0) {", "right += sum(by, times);", "return left - 1;"]
    );
    assert_eq!(of("arguments"), ["left += sum(times, by);"]);
    assert_eq!(of("deletion").len(), 3);
    assert!(of("constant").contains(&"return right - 0;") && of("constant").contains(&"return right - 2;"));
    assert!(of("variable").contains(&"if (by < left && left != 0) {"));
    assert!(made.iter().all(|m| m.method == "Pair.more"));
    assert_eq!(mutants(text, &["Pair.more".to_owned()]), []);
}
