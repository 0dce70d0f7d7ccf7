//! Faults drawn by a seed. The mutants of a program's lines are put into a random order: first an operator is
//! drawn, then one of its mutants. The first visible ones in that order become the program's faults.

use super::operators::{Mutant, mutants};
use super::rng::Rng;
use super::runs::{Outcome, counted, run};
use super::{Fault, Faults, Program};
use std::collections::BTreeMap;

/// Maximum number of faults of a program that may end it by an exception.
const THROWN: usize = 1;

/// A program while its faults are drawn.
struct Drawing {
    program: Program,
    text: String,
    /// Its output, and its number of calls.
    right: (String, usize),
    order: std::vec::IntoIter<Mutant>,
    faults: Vec<Fault>,
    thrown: usize,
}

/// Draws the faults of all programs.
pub fn draw(programs: &[Program], seed: u64) -> Faults {
    let texts: Vec<String> = programs.iter().map(Program::text).collect();
    let whole: Vec<(String, String)> =
        programs.iter().zip(&texts).map(|(p, text)| (p.name.clone(), counted(text))).collect();
    let rights = run(&whole);
    let mut drawings: Vec<Drawing> = Vec::new();
    for (number, ((program, text), right)) in programs.iter().zip(texts).zip(rights).enumerate() {
        let Outcome::Ended { output, thrown: false, calls: Some(calls) } = right else {
            panic!("{}: {right:?}", program.name)
        };
        let mut rng = Rng::new(seed.wrapping_mul(1000).wrapping_add(number as u64));
        let order = order(mutants(&text, &program.trusted), &mut rng).into_iter();
        let program = program.clone();
        drawings.push(Drawing {
            program,
            text,
            right: (output, calls),
            order,
            faults: Vec::new(),
            thrown: 0,
        });
    }
    loop {
        // The number tried at a time does not affect the selection.
        let mut tried: Vec<(usize, Fault)> = Vec::new();
        for (number, drawing) in drawings.iter_mut().enumerate() {
            let missing = drawing.program.faults - drawing.faults.len();
            let program = drawing.program.clone();
            let next = drawing.order.by_ref().take(if missing > 0 { 2 * missing + 2 } else { 0 });
            tried.extend(next.map(|mutant| (number, fault(&program, mutant))));
        }
        if tried.is_empty() {
            break;
        }
        let texts: Vec<(String, String)> = tried
            .iter()
            .map(|(number, fault)| {
                let text = fault.apply(&drawings[*number].text).expect("made from this text");
                (fault.program.clone(), counted(&text))
            })
            .collect();
        for ((number, fault), outcome) in tried.into_iter().zip(run(&texts)) {
            drawings[number].consider(fault, &outcome);
        }
    }
    for Drawing { program, faults, .. } in &drawings {
        assert_eq!(faults.len(), program.faults, "{}: no more mutants", program.name);
    }
    let mut faults: Vec<Vec<Fault>> = drawings.into_iter().map(|d| d.faults).collect();
    faults.iter_mut().for_each(|of_one| of_one.sort_by_key(|fault| fault.line));
    Faults { seed, faults: faults.into_iter().flatten().collect() }
}

impl Drawing {
    /// Takes a fault if there is room for it and its effect is visible.
    fn consider(&mut self, fault: Fault, outcome: &Outcome) {
        let Outcome::Ended { output, thrown, calls } = outcome else { return };
        let (right, right_calls) = &self.right;
        let shows = *thrown || output != right;
        let similar = calls.is_some_and(|calls| 2 * calls >= *right_calls && calls <= 3 * right_calls);
        let taken = self.faults.iter().any(|f| f.line == fault.line);
        let room = self.faults.len() < self.program.faults && (!thrown || self.thrown < THROWN);
        if shows && similar && !taken && room {
            self.thrown += usize::from(*thrown);
            self.faults.push(fault);
        }
    }
}

fn fault(program: &Program, mutant: Mutant) -> Fault {
    Fault {
        program: program.name.clone(),
        file: program.file.clone(),
        line: mutant.line,
        method: mutant.method,
        operator: mutant.operator.to_owned(),
        was: mutant.was,
        becomes: mutant.becomes,
    }
}

/// Puts mutants into a random order, in which every operator has the same chance while it has mutants.
fn order(mutants: Vec<Mutant>, rng: &mut Rng) -> Vec<Mutant> {
    let mut by_operator: BTreeMap<&str, Vec<Mutant>> = BTreeMap::new();
    for mutant in mutants {
        by_operator.entry(mutant.operator).or_default().push(mutant);
    }
    let mut groups: Vec<Vec<Mutant>> = by_operator.into_values().collect();
    let mut order = Vec::new();
    loop {
        groups.retain(|group| !group.is_empty());
        if groups.is_empty() {
            return order;
        }
        let group = rng.below(groups.len());
        let mutant = rng.below(groups[group].len());
        order.push(groups[group].remove(mutant));
    }
}
