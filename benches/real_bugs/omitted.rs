//! Asks `qp omitted --confirm` about failing tests, and prints where the right jump stands among its answers.

use super::ask::{Case, limit, qp};
use super::fault::{RealFault, place_saved, saved};
use super::make::make;
use super::process::run;
use super::projects::projects;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// A question about the failing test of a fault.
#[derive(Debug, Deserialize)]
struct Asked {
    fault: String,
    /// The expression.
    what: String,
    /// The line of the point, with `index`; without it the failure of the test.
    #[serde(default)]
    at: String,
    /// Which execution of the line.
    #[serde(default)]
    index: i64,
    /// Whether the field is meant, and not its object.
    #[serde(default)]
    field: bool,
}

/// `omissions.ron`.
#[derive(Debug, Deserialize)]
struct Questions {
    /// Of faults that change a condition.
    lost: Vec<Asked>,
    /// Of faults that take code away.
    missing: Vec<Asked>,
}

/// The answer to a question.
struct Found {
    /// The jumps in the order of the answer, each with whether it is the changed condition and its verdict.
    jumps: Vec<(bool, String)>,
    took_s: f64,
    /// Why there is no answer; empty if there is one.
    error: String,
}

/// Asks all questions, or those whose fault begins with `QP_BENCH_ONLY`.
pub fn measure_omissions() {
    make();
    let projects = projects();
    place_saved(&projects);
    println!("{}", qp());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/real_bugs/omissions.ron");
    let text = std::fs::read_to_string(file).expect("omissions.ron");
    let questions: Questions = ron::from_str(&text).unwrap_or_else(|e| panic!("omissions.ron: {e}"));
    let saved = saved();
    let faults: Vec<RealFault> = saved.drawn.into_iter().chain(saved.by_hand).collect();
    let only = std::env::var("QP_BENCH_ONLY").unwrap_or_default();
    let answered = |kind: &str, asked: &[Asked]| -> Vec<Found> {
        let meant = asked.iter().filter(|asked| asked.fault.starts_with(&only));
        let answers = meant.map(|asked| {
            let fault = faults.iter().find(|fault| fault.id == asked.fault).expect("a saved fault");
            let project = projects.iter().find(|of| of.name == fault.project).expect("a library");
            let found = answer(&Case { project, fault }, asked);
            let verdicts: Vec<&str> = found.jumps.iter().map(|(_, verdict)| verdict.as_str()).collect();
            let place = place(&found).map_or("-".to_owned(), |place| place.to_string());
            println!(
                "{kind:<8} {:<20} {place:>3} of {:<3} {:>5.1} s  {}{}",
                asked.fault,
                found.jumps.len(),
                found.took_s,
                verdicts.join(" "),
                found.error
            );
            found
        });
        answers.collect()
    };
    let (lost, missing) = (answered("lost", &questions.lost), answered("missing", &questions.missing));
    let among = |most: usize| lost.iter().filter(|of| place(of).is_some_and(|at| at <= most)).count();
    let is_right = |(_, verdict): &&(bool, String)| verdict == "right";
    let confirmed = lost.iter().filter(|of| of.jumps.iter().any(|jump| jump.0 && is_right(&jump))).count();
    println!(
        "the changed condition: first {}, among three {}, among five {} of {}; confirmed {confirmed}",
        among(1),
        among(3),
        among(5),
        lost.len()
    );
    let wrongly = missing.iter().filter(|of| of.jumps.iter().any(|jump| is_right(&jump))).count();
    println!("code is missing: something confirmed in {wrongly} of {}", missing.len());
}

/// The place of the changed condition among the jumps, from 1.
fn place(found: &Found) -> Option<usize> {
    found.jumps.iter().position(|(is_right, _)| *is_right).map(|at| at + 1)
}

fn answer(case: &Case<'_>, asked: &Asked) -> Found {
    let class_path = case.project.class_path(Some(&case.fault.id));
    let (program, index) = (qp(), format!("--index={}", asked.index));
    let words = [&program, "--format", "json", "omitted", &asked.what, "--confirm"];
    let words = words.into_iter().chain(["--test", &case.fault.test, "--classpath", &class_path]);
    let at = ["--at", &asked.at, &index].into_iter().filter(|_| !asked.at.is_empty());
    let words = words.chain(at).chain(asked.field.then_some("--field"));
    let command: Vec<String> = words.map(str::to_owned).collect();
    let ended = run(&command, &case.folder(), limit());
    let took_s = ended.took.as_secs_f64();
    let Ok(found) = serde_json::from_str::<Value>(&ended.output) else {
        let last =
            ended.errors.lines().rev().find(|line| line.starts_with("error")).unwrap_or("over the limit");
        return Found { jumps: Vec::new(), took_s, error: last.to_owned() };
    };
    let mut seen: Vec<&Value> = Vec::new();
    let mut jumps = Vec::new();
    for suggestion in found["suggestions"].as_array().into_iter().flatten() {
        let jump = &suggestion["jump"];
        if !seen.contains(&jump) {
            seen.push(jump);
            let verdict = suggestion["confirmation"]["verdict"].as_str().unwrap_or("untried");
            jumps.push((is_changed(jump, case.fault), verdict.to_owned()));
        }
    }
    Found { jumps, took_s, error: String::new() }
}

/// Whether a jump is one of the line that the fault changed, or its condition is a call of the changed
/// method.
fn is_changed(jump: &Value, fault: &RealFault) -> bool {
    let text = |name: &str| jump[name].as_str().unwrap_or_default();
    let called = |method: &String| {
        let name = method.split('(').next().and_then(|name| name.rsplit('.').next()).unwrap_or_default();
        text("condition").trim_start_matches('!').starts_with(&format!("{name}("))
    };
    if fault.methods.iter().any(called) {
        return true;
    }
    let method = format!("{}.{}{}", text("class"), text("method"), text("descriptor"));
    jump["line"].as_u64() == u64::try_from(fault.line).ok() && fault.methods.contains(&method)
}
