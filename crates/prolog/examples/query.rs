//! Runs a goal over a file of clauses and prints its solutions: `query GOAL [FILE]`.

use std::time::{Duration, Instant};

use prolog::{Limits, Machine, Options, Program, Relations};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let goal = args.next().ok_or("usage: query GOAL [FILE]")?;
    let mut program = Program::new();
    for file in args {
        let text = std::fs::read_to_string(&file)?;
        program.consult(&file, &text)?;
    }
    for warning in program.warnings() {
        eprintln!("warning: {warning}");
    }
    let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
    let options = Options { limits, output: Some(Box::new(|text| print!("{text}"))) };
    let mut machine =
        Machine::new(&program, &Relations::new(), options).map_err(|errors| format!("{errors:?}"))?;
    let started = Instant::now();
    let mut query = machine.query(&goal)?;
    loop {
        match query.next() {
            Ok(Some(solution)) => {
                for (name, value) in &solution.bindings {
                    println!("{name} = {value}");
                }
                println!("{}", if query.has_more() { ";" } else { "." });
            }
            Ok(None) => {
                println!("no (more) solutions");
                break;
            }
            Err(error) => {
                println!("{error}");
                break;
            }
        }
    }
    eprintln!("{:.3} s", started.elapsed().as_secs_f64());
    Ok(())
}
