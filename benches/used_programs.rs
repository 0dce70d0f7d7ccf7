//! `cargo bench --bench used_programs`: asks programs that people use questions whose right answers are
//! known: servers, databases, frameworks, build tools, and other languages. Prints the table of
//! docs/programs.md, and fails if an answer is wrong or refused.
//!
//! `-- NAME…` asks those whose names contain one of the words. A program that is not installed is left out,
//! and named with the package that has it. `used_programs/programs.ron` has the programs; a test of CI asks
//! the small ones.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a bench fails by panicking")]

#[path = "used_programs/row.rs"]
mod row;

use row::Table;
use std::path::Path;
use std::process::ExitCode;

const ROUNDS: usize = 3;

fn main() -> ExitCode {
    let names: Vec<String> =
        std::env::args().skip(1).filter(|a| a != "--bench").map(|a| a.to_lowercase()).collect();
    let table = Table::read();
    let is_meant = |name: &str| names.is_empty() || names.iter().any(|n| name.to_lowercase().contains(n));
    let (mut wrong, mut absent) = (0, Vec::new());
    println!("| program | typed | the answer says | plain, s | with `qp`, s |");
    println!("| --- | --- | --- | --: | --: |");
    for row in table.rows.iter().filter(|row| is_meant(&row.name)) {
        let missing = table.missing(row);
        if !missing.is_empty() {
            absent.push(format!("{} ({}): no {}", row.name, row.from, missing.join(", ")));
            continue;
        }
        let asked = table.ask(row, Path::new(env!("CARGO_BIN_EXE_qp")), ROUNDS);
        for (question, (took, judged)) in row.questions.iter().zip(&asked.questions) {
            let says = match judged {
                Ok(()) => question.says.last().map_or("the same output", String::as_str),
                Err(why) => why.as_str(),
            };
            wrong += u32::from(judged.is_err());
            let mark = if judged.is_ok() { "" } else { "**wrong**: " };
            println!(
                "| {}, {} | `{}` | {mark}{} | {:.1} | {:.1} |",
                row.name,
                row.from,
                question.typed.replace('|', "\\|"),
                says.replace('|', "\\|"),
                asked.plain.as_secs_f64(),
                took.as_secs_f64()
            );
        }
    }
    for program in &absent {
        println!("\nleft out: {program}");
    }
    if wrong > 0 {
        println!("\n{wrong} wrong");
    }
    ExitCode::from(u8::from(wrong > 0))
}
