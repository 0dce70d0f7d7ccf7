//! `wrong PATH`: somebody points at what is wrong, and calls that have influenced it are asked about first.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod faults;
mod support;

use faults::trial::Trial;
use querypoint::declarative::STRATEGIES;

/// The 32 faults of `examples/declarative`: whoever points at the first part that differs is led to the same method, by every strategy.
#[test]
fn whoever_points_at_what_differs_is_led_to_the_fault_too() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(tokio::task::LocalSet::new().run_until(play_all()));
}

async fn play_all() {
    let programs = faults::programs();
    let mut trials = Vec::new();
    for fault in faults::saved().faults {
        let program = programs.iter().find(|p| p.name == fault.program).expect("a program");
        let trial = Trial::new(program, &fault).await;
        for why in &trial.unknown {
            println!("{}:{} {why}", fault.program, fault.line);
        }
        let (mut wrong, mut pointed, mut below, mut influential) = (0, 0, 0, 0);
        for (at, right) in trial.right.iter().enumerate() {
            wrong += usize::from(*right == Some(false));
            if let Some(these) = &trial.influential[at] {
                pointed += 1;
                below += trial.forest.tree(at as u32).len() - 1;
                influential += these.len();
                println!("      {at} {}: {} of {}", trial.name(at as u32), these.len(), trial.forest.tree(at as u32).len() - 1);
            }
        }
        println!("{}:{} {}: {pointed} of {wrong}, {influential} of {below}", fault.program, fault.line, fault.method);
        trials.push(trial);
    }
    for row in STRATEGIES {
        let (mut plain, mut pointing) = (0, 0);
        for trial in &trials {
            let (one, other) = (trial.play(row.name), trial.play_pointing(row.name));
            assert_eq!(one.ended_at.as_deref(), Some(trial.faulty.as_str()), "{}:{}", trial.program, trial.line);
            assert_eq!(other.ended_at, one.ended_at, "{} {}:{}", row.name, trial.program, trial.line);
            plain += one.answers;
            pointing += other.answers;
            if ["foremost", "top-down", "divide-and-query"].contains(&row.name) && one.answers != other.answers {
                println!("   {} {}:{} {} -> {}", row.name, trial.program, trial.line, one.answers, other.answers);
            }
        }
        println!("{:<26} {plain:>5} {pointing:>5}", row.name);
    }
}
