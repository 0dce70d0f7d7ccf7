//! Single-line faults in public Java libraries, each with a failing test of the library, and how well `qp`
//! finds them: by `diff`, by `diagnose --reference` without a person, and by the strategy `foremost` with an
//! oracle, beside the rank that Ochiai's formula gives to the faulty method.
//!
//! `cargo bench --bench real_bugs -- make` makes the corpus from source packages. `-- draw SEED [LIBRARY]`
//! draws the faults of `faults.ron`, `-- hand` completes those of `by_hand.ron`, `-- check` runs all failing
//! tests, `-- omitted` asks the questions of `omissions.ron`, and `-- methods` saves which methods the faults
//! change. docs/ARCHITECTURE.md describes the environment variables.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a bench fails by panicking")]

#[path = "real_bugs/ask.rs"]
mod ask;
#[path = "real_bugs/call_tree.rs"]
mod call_tree;
#[path = "real_bugs/draw.rs"]
mod draw;
#[path = "real_bugs/fault.rs"]
mod fault;
#[path = "../tests/diagnosis/faults/mod.rs"]
mod faults;
#[path = "real_bugs/make.rs"]
mod make;
#[path = "real_bugs/measure.rs"]
mod measure;
#[path = "real_bugs/omitted.rs"]
mod omitted;
#[path = "real_bugs/oracle.rs"]
mod oracle;
#[path = "real_bugs/process.rs"]
mod process;
#[path = "real_bugs/projects.rs"]
mod projects;
#[path = "real_bugs/spectrum.rs"]
mod spectrum;
#[path = "real_bugs/table.rs"]
mod table;
#[path = "real_bugs/tests.rs"]
mod tests;
#[path = "real_bugs/verdict.rs"]
mod verdict;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("make") => {
            make::make();
            fault::place_saved(&projects::projects());
        }
        Some("draw") => {
            let seed = arguments.get(1).and_then(|seed| seed.parse().ok()).unwrap_or(1);
            draw::draw(seed, arguments.get(2).map(String::as_str));
        }
        Some("check") => draw::check(),
        Some("methods") => fault::compute_methods(&projects::projects()),
        Some("hand") => draw::complete_by_hand(),
        Some("omitted") => omitted::measure_omissions(),
        _ => measure::measure(),
    }
}
