//! Asks `qp` about each fault, and prints a table per library.

use super::ask::{Case, Ranked, qp};
use super::fault::{RealFault, place_saved, saved};
use super::make::make;
use super::projects::{Project, corpus, projects};
use super::table::print;
use super::verdict::{Answer, Verdict};
use serde::Serialize;
use std::io::Write;

/// What was measured about a fault.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    pub id: String,
    pub test: String,
    /// Whether its library is held out.
    pub held_out: bool,
    pub methods: Vec<String>,
    /// Duration of the test alone in seconds.
    pub plain_s: f64,
    pub diff: Option<Answer>,
    pub reference: Option<Answer>,
    /// `qp diagnose --strategy foremost` with an oracle.
    pub foremost: Option<Answer>,
    /// The same, weighed by the other tests of the class.
    pub passing: Option<Answer>,
    /// The place of the faulty method by `qp diagnose --rank`.
    pub ranked: Option<Ranked>,
    /// The rank of the faulty method by Ochiai's formula.
    pub rank: Option<f64>,
}

/// The parts to measure: `QP_BENCH_PARTS=diff,reference,foremost,passing,rank` has all of them.
fn has(part: &str) -> bool {
    std::env::var("QP_BENCH_PARTS").map_or(true, |parts| parts.split(',').any(|p| p == part))
}

/// Whether to measure this fault: `QP_BENCH_ONLY` is the beginning of its id.
fn is_meant(fault: &RealFault) -> bool {
    std::env::var("QP_BENCH_ONLY").map_or(true, |only| fault.id.starts_with(&only))
}

/// Measures the saved faults. `QP_BENCH_EVERY=5` takes every fifth.
pub fn measure() {
    make();
    let projects = projects();
    place_saved(&projects);
    println!("{}", qp());
    let every = std::env::var("QP_BENCH_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let faults = saved();
    let faults = faults.drawn.into_iter().chain(faults.by_hand).filter(is_meant).step_by(every);
    let mut results = std::fs::File::create(corpus().join("results.jsonl")).expect("a file");
    let mut measured = Vec::new();
    for fault in faults {
        let project = projects.iter().find(|p| p.name == fault.project).expect("a library");
        let one = measured_of(project, &fault);
        let line = serde_json::to_string(&one).expect("written as JSON");
        writeln!(results, "{line}").expect("written");
        let parts = [
            ("diff", &one.diff),
            ("reference", &one.reference),
            ("foremost", &one.foremost),
            ("passing", &one.passing),
        ];
        for (part, answer) in parts {
            let wrong = answer.as_ref().filter(|answer| answer.verdict != Verdict::Exact);
            if let Some(answer) = wrong.filter(|_| !one.held_out) {
                complain(part, &one, answer);
            }
        }
        measured.push(one);
    }
    print(&measured);
}

fn measured_of(project: &Project, fault: &RealFault) -> Measured {
    let case = Case { project, fault };
    let diff = has("diff").then(|| case.diff());
    let reference = has("reference").then(|| case.diagnose());
    let exact = diff.as_ref().filter(|(answer, _)| answer.verdict == Verdict::Exact);
    let wrong = exact.and_then(|(_, node)| *node);
    let foremost = has("foremost").then(|| case.with_oracle("foremost", wrong, false));
    let passing = has("passing").then(|| case.with_oracle("foremost", wrong, true));
    let without = |part: &str, why: &str| {
        if !project.held_out {
            println!("{part} {} {}", fault.id, shortened(why));
        }
    };
    let ranked = has("rank").then(|| case.ranked());
    let rank = has("rank").then(|| {
        case.rank().unwrap_or_else(|why| {
            without("ochiai", &why);
            None
        })
    });
    let ranked = ranked.and_then(|ranked| ranked.inspect_err(|why| without("rank", why)).ok());
    let late = ranked.filter(|of| !project.held_out && of.place.is_none_or(|at| at > 5));
    if let (Some(of), Some(other)) = (late, rank) {
        let place = of.place.map_or("-".to_owned(), |place| place.to_string());
        println!("rank {} {place} of {}, Ochiai {other:?}: {}", fault.id, of.of, fault.methods.join(" "));
    }
    Measured {
        id: fault.id.clone(),
        test: fault.test.clone(),
        held_out: project.held_out,
        methods: fault.methods.clone(),
        plain_s: case.plain(),
        diff: diff.map(|(answer, _)| answer),
        reference,
        foremost,
        passing,
        ranked,
        rank: rank.flatten(),
    }
}

/// Prints a line about an answer that does not name the faulty method.
fn complain(part: &str, one: &Measured, answer: &Answer) {
    let named = answer.named.as_deref().unwrap_or("-");
    let verdict = serde_json::to_value(answer.verdict).expect("a word");
    let why = shortened(&answer.why);
    println!(
        "{part} {} {} ({:.1} s) {}: {} named {named}: {why}",
        one.id,
        verdict.as_str().unwrap_or_default(),
        answer.took_s,
        one.test,
        one.methods.join(" "),
    );
}

/// The beginning of a text.
fn shortened(text: &str) -> String {
    text.chars().take(300).collect::<String>().replace('\n', " ")
}
