//! Methods that cannot lead to a use of the object are recorded in less detail, and the answers are those of
//! a full recording.

use crate::generated::program;
use crate::suggested::asked;
use crate::support::javac::Javac;
use crate::support::{compiled, finish, marked, qp, said, scratch};
use classes::{ClassPaths, ClassPool};
use omission::analysis::{DeclaredTarget, unrelated};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

const FOLDER: &str = "fixtures/omissions/unrelated";
/// Number of random programs, unless `QP_OMISSION_PROGRAMS` says otherwise.
const PROGRAMS: usize = 2;

#[test]
fn methods_are_sorted_by_what_they_can_lead_to() {
    let classes = compiled(FOLDER, &["-g"]);
    let java = std::fs::canonicalize("/usr/bin/java").expect("java");
    let java_home = java.parent().and_then(Path::parent).map(Path::to_owned);
    let paths = ClassPaths { class_path: vec![classes], java_home, ..ClassPaths::default() };
    let pool = ClassPool::open(&paths).expect("the classes");
    let brief = unrelated(&pool, &DeclaredTarget::Object("java.util.List".to_owned()), &[]);
    let named = |of: &trace::MethodsByClass| -> BTreeSet<String> {
        let all = of.iter().flat_map(|(class, names)| names.iter().map(move |name| (class, name)));
        all.map(|(class, name)| format!("{class}.{}", name.split('(').next().unwrap_or_default())).collect()
    };
    let set = |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    // `size` is called by name, and neither it nor its override leads to a list.
    let silent = [
        "Unrelated.count",
        "Unrelated.length",
        "Unrelated.counted",
        "Unrelated.fill",
        "Unrelated.chosen",
        "Unrelated$Base.size",
    ];
    assert_eq!(named(&brief.without_calls), set(&[&silent[..], &["Unrelated$Quiet.size"]].concat()));
    // The override that forgets has its call recorded, and so has what an analysis can begin with.
    let steps = named(&brief.without_steps);
    assert!(steps.contains("Unrelated$Quiet.note"), "{steps:?}");
    assert!(steps.contains("Unrelated.numbers"), "{steps:?}");
    for leading in ["Unrelated$Base.note", "Unrelated$Order.compare", "Unrelated.sort", "Unrelated.perhaps"] {
        assert!(!steps.contains(leading) && !silent.contains(&leading), "{leading}");
    }
}

/// The suggestions without what numbers calls and objects.
fn without_numbers(suggestions: &[Value]) -> Vec<Value> {
    let mut all = suggestions.to_vec();
    for one in &mut all {
        if let Some(pass) = one["pass"].as_object_mut() {
            pass.remove("call");
        }
    }
    all
}

/// Compares the answer of a run for the question with that of a full recording. Returns the number of
/// suggestions.
#[track_caller]
fn compare(what: &str, at: &str, java: &[&str], classes: &Path) -> usize {
    let options = ["--loops", "--reads", "--limit", "1000"];
    let brief = asked(what, at, &options, java, classes);
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let trace = folder.path().join("all");
    let mut record = qp();
    record.current_dir(folder.path()).args(["trace", "record", "--level", "all", "--out"]).arg(&trace);
    let output = finish(record.args(["--", "java", "-cp"]).arg(classes).args(java));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut ask = qp();
    ask.args(["--format", "json", "omitted", what]).arg(&trace).args(["--at", at]).args(options);
    let output = finish(&mut ask);
    let full: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    let full_suggestions = full["suggestions"].as_array().expect("suggestions");
    assert_eq!(without_numbers(brief.suggestions()), without_numbers(full_suggestions), "{what} at {at}");
    assert_eq!(brief.json["reasons"], full["reasons"], "{what} at {at}");
    full_suggestions.len()
}

#[test]
fn answers_are_those_of_a_full_recording() {
    let classes = compiled(FOLDER, &["-g"]);
    let at = format!("Unrelated:{}", marked(FOLDER, "Unrelated.java", "// the point"));
    // The override that forgets, and a condition.
    assert_eq!(compare("list", &at, &["Unrelated"], &classes), 2);
    compare("Unrelated.count", &at, &["Unrelated"], &classes);
}

#[test]
fn answers_about_random_programs_are_those_of_a_full_recording() {
    let programs =
        std::env::var("QP_OMISSION_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(PROGRAMS);
    let (mut compared, mut suggestions, mut seed) = (0, 0, 1000);
    while compared < programs {
        seed += 1;
        let program = program(seed);
        let folder = tempfile::tempdir_in(scratch()).expect("a folder");
        std::fs::write(folder.path().join("Program.java"), &program.source).expect("written");
        Javac::new()
            .args(["-g", "-nowarn", "-d"])
            .arg(folder.path())
            .arg(folder.path().join("Program.java"))
            .run();
        let mut java = std::process::Command::new("java");
        let ran = finish(java.arg("-cp").arg(folder.path()).arg("Program"));
        if !ran.status.success() {
            continue;
        }
        for target in &program.targets {
            let at = format!("Program:{}", program.end);
            suggestions += compare(target.expression, &at, &["Program"], folder.path());
        }
        compared += 1;
    }
    assert!(suggestions > programs, "only {suggestions} suggestions");
}
