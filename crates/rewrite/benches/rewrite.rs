//! Measures how many classes of java.base are rewritten per second on one thread, compared with two lower
//! bounds: copying their bytes, and reading all methods with `noak`. Run `cargo bench -p bytecode`; needs a
//! JDK with jmods.
//!
//! The plan for each class is made before the clock starts. "identity" inserts nothing: each method is
//! decoded and encoded again.

#[path = "../tests/support/mod.rs"]
mod support;

use bytecode::{ClassFile, Code, Op};
use noak::error::DecodeError;
use noak::reader::{AttributeContent, Class};
use rewrite::{MethodPlan, Plan, rewrite};
use std::hint::black_box;
use std::time::Instant;
use support::rewriting::{classes, counted, everything, jmods, plan};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const ROUNDS: usize = 7;

/// A class file and the plans for it.
struct Subject {
    bytes: Vec<u8>,
    identity: Plan,
    puts: Plan,
    everything: Plan,
}

/// A measured operation: its name, and a function that returns the size of the result in bytes.
type Measurement = (&'static str, fn(&Subject) -> Outcome<usize>);

const MEASUREMENTS: [Measurement; 5] = [
    ("copy the bytes", |s| Ok(black_box(s.bytes.clone()).len())),
    ("noak reads all methods", |s| Ok(read_by_noak(&s.bytes)?)),
    ("identity", |s| rewritten(s, &s.identity)),
    ("a call at every put", |s| rewritten(s, &s.puts)),
    ("calls everywhere", |s| rewritten(s, &s.everything)),
];

fn main() -> Outcome<()> {
    let mut subjects = Vec::new();
    for (name, bytes) in classes(&jmods().join("java.base.jmod"), 1) {
        let class = ClassFile::parse(&bytes).map_err(|e| format!("{name}: {e}"))?;
        let identity = plan(&class, identity);
        let (puts, everything) = (plan(&class, at_every_put), plan(&class, everything));
        subjects.push(Subject { bytes, identity, puts, everything });
    }
    let bytes: usize = subjects.iter().map(|s| s.bytes.len()).sum();
    println!("{} classes, {bytes} bytes; medians of {ROUNDS} rounds", subjects.len());
    println!("methods that cannot get calls everywhere: {}", not_rewritten(&subjects)?);
    println!("| what | classes/s | MB/s | bytes, of the original |");
    println!("| --- | --- | --- | --- |");
    let mut taken = vec![Vec::new(); MEASUREMENTS.len()];
    let mut came = vec![0; MEASUREMENTS.len()];
    for round in 0..ROUNDS {
        for turn in 0..MEASUREMENTS.len() {
            // The operation that goes first alternates between rounds.
            let which = (round + turn) % MEASUREMENTS.len();
            let (Some((_, way)), Some(taken), Some(came)) =
                (MEASUREMENTS.get(which), taken.get_mut(which), came.get_mut(which))
            else {
                continue;
            };
            let began = Instant::now();
            *came = 0;
            for subject in &subjects {
                *came += way(subject)?;
            }
            taken.push(began.elapsed().as_secs_f64());
        }
    }
    for (((what, _), taken), came) in MEASUREMENTS.iter().zip(taken).zip(came) {
        let seconds = median(taken);
        let (rate, size) = (subjects.len() as f64 / seconds, bytes as f64 / 1e6 / seconds);
        println!("| {what} | {rate:.0} | {size:.0} | {:.2} |", came as f64 / bytes as f64);
    }
    Ok(())
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A plan that rewrites the method without inserting anything.
fn identity(_: bool, _: &Code) -> MethodPlan {
    MethodPlan { before: [(0, Vec::new())].into(), ..MethodPlan::default() }
}

fn at_every_put(_: bool, code: &Code) -> MethodPlan {
    let is_put = |op: &Op| matches!(op.field_access(), Some((_, true)));
    let puts = code.instructions.iter().filter(|i| is_put(&i.op));
    MethodPlan { after: puts.map(|i| (i.pc, counted("put"))).collect(), ..MethodPlan::default() }
}

fn rewritten(subject: &Subject, plan: &Plan) -> Outcome<usize> {
    Ok(black_box(rewrite(&subject.bytes, plan)?.bytes).len())
}

/// The number of methods that become too long. Any other reason is an error.
fn not_rewritten(subjects: &[Subject]) -> Outcome<usize> {
    let mut count = 0;
    for subject in subjects {
        count += rewrite(&subject.bytes, &subject.everything)?.not_rewritten.len();
    }
    Ok(count)
}

/// Reads every instruction of every method.
fn read_by_noak(bytes: &[u8]) -> Result<usize, DecodeError> {
    let class = Class::new(bytes)?;
    let pool = class.pool();
    for method in class.methods().iter() {
        for attribute in method?.attributes().iter() {
            let attribute = attribute?;
            if pool.retrieve(attribute.name())?.as_bytes() != b"Code" {
                continue;
            }
            if let AttributeContent::Code(code) = attribute.read_content(pool)? {
                for instruction in code.raw_instructions() {
                    black_box(instruction?);
                }
                for handler in code.exception_handlers() {
                    black_box(handler.handler());
                }
            }
        }
    }
    Ok(bytes.len())
}
