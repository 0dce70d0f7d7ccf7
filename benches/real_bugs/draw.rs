//! Draws faults by a seed: an operator, a file that it can change, and one of its changes there. A fault is
//! kept if a test fails by it.

use super::fault::{ByHand, Compiler, RealFault, by_hand, save, saved};
use super::faults::operators::{Mutant, mutants};
use super::faults::rng::Rng;
use super::make::java_files;
use super::projects::{Project, projects};
use super::tests::{Tests, fails_by};
use std::collections::BTreeMap;

/// Maximum number of faults of a file.
const OF_FILE: usize = 2;
/// Number of faults that are drawn of a library before the next library has its turn.
const TURN: usize = 5;

/// A library while its faults are drawn.
struct Drawing {
    project: Project,
    tests: Tests,
    rng: Rng,
    /// The mutants by operator and file.
    rest: BTreeMap<&'static str, BTreeMap<String, Vec<Mutant>>>,
    faults: Vec<RealFault>,
    tried: usize,
}

/// Draws the faults of all libraries, or of one, with this seed.
pub fn draw(seed: u64, only: Option<&str>) {
    let mut compiler = Compiler::new();
    let mut faults = saved();
    faults.seed = seed;
    let is_meant = |(_, project): &(usize, Project)| only.is_none_or(|only| project.name == only);
    let mut drawings: Vec<Drawing> = projects()
        .into_iter()
        .enumerate()
        .filter(is_meant)
        .map(|(number, project)| Drawing::new(project, seed, number as u64))
        .collect();
    let order: Vec<String> = projects().into_iter().map(|project| project.name).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for drawing in &mut drawings {
            let wanted = (drawing.faults.len() + TURN).min(drawing.project.faults);
            while drawing.faults.len() < wanted && drawing.next(&mut compiler) {
                changed = true;
            }
            faults.drawn.retain(|fault| fault.project != drawing.project.name);
            faults.drawn.extend(drawing.faults.iter().cloned());
            faults.drawn.sort_by_key(|fault| order.iter().position(|name| *name == fault.project));
            save(&faults);
        }
    }
    for drawing in &drawings {
        println!("{}: {} faults of {} changes", drawing.project.name, drawing.faults.len(), drawing.tried);
    }
}

/// Finds the failing tests of the faults made by hand.
pub fn complete_by_hand() {
    let mut compiler = Compiler::new();
    let mut faults = saved();
    let before = std::mem::take(&mut faults.by_hand);
    for project in projects() {
        let mut tests = Tests::of(&project);
        let of_project = by_hand().into_iter().filter(|fault| fault.project == project.name);
        for (number, made) in of_project.enumerate() {
            let id = format!("{}-hand-{}", project.name, number + 1);
            let mut fault = placed(&project, &id, made);
            if let Some(known) = before.iter().find(|known| known.id == id && known.becomes == fault.becomes)
            {
                faults.by_hand.push(known.clone());
                continue;
            }
            let Some(methods) = compiler.place(&project, &fault) else {
                println!("{id}: does not compile");
                continue;
            };
            fault.methods = methods;
            match tests.failing(&project, &id, &fault.file) {
                Some(test) => {
                    println!("{id}: {test} fails");
                    fault.test = test;
                    faults.by_hand.push(fault);
                }
                None => println!("{id}: no test fails"),
            }
        }
    }
    save(&faults);
}

/// Runs the failing test of each saved fault, and prints those that do not fail by it alone.
pub fn check() {
    let faults = saved();
    let projects = projects();
    let all: Vec<RealFault> = faults.drawn.into_iter().chain(faults.by_hand).collect();
    let wrong = all.iter().filter(|fault| {
        let project = projects.iter().find(|p| p.name == fault.project).expect("a library");
        let fails = fails_by(project, &fault.id, &fault.test);
        if !fails {
            println!("{}: {} does not fail by it alone", fault.id, fault.test);
        }
        !fails
    });
    println!("{} of {} are wrong", wrong.count(), all.len());
}

/// A fault made by hand, at the first line with its text.
fn placed(project: &Project, id: &str, made: ByHand) -> RealFault {
    let text = std::fs::read_to_string(project.file(&made.file)).expect("UTF-8");
    let line = text.lines().position(|line| line.trim() == made.was);
    let line = line.unwrap_or_else(|| panic!("{id}: {} has no line `{}`", made.file, made.was)) + 1;
    let ByHand { project, file, kind, was, becomes } = made;
    RealFault {
        id: id.to_owned(),
        project,
        file,
        line,
        methods: Vec::new(),
        kind,
        was,
        becomes,
        test: String::new(),
    }
}

impl Drawing {
    fn new(project: Project, seed: u64, number: u64) -> Drawing {
        let folder = project.file("");
        let mut rest: BTreeMap<&'static str, BTreeMap<String, Vec<Mutant>>> = BTreeMap::new();
        for file in java_files(&folder) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let name = file.strip_prefix(&folder).expect("below it").display().to_string();
            for mutant in mutants(&text, &[]) {
                rest.entry(mutant.operator).or_default().entry(name.clone()).or_default().push(mutant);
            }
        }
        let rng = Rng::new(seed.wrapping_mul(1000).wrapping_add(number));
        let tests = Tests::of(&project);
        Drawing { project, tests, rng, rest, faults: Vec::new(), tried: 0 }
    }

    /// Draws changes until a test fails by one; false if there are no more.
    fn next(&mut self, compiler: &mut Compiler) -> bool {
        while let Some((file, mutant)) = self.pick() {
            if self.faults.iter().filter(|f| f.file == file).count() >= OF_FILE {
                continue;
            }
            self.tried += 1;
            let mut fault = RealFault {
                id: format!("{}-{:02}", self.project.name, self.faults.len() + 1),
                project: self.project.name.clone(),
                file,
                line: mutant.line,
                methods: Vec::new(),
                kind: mutant.operator.to_owned(),
                was: mutant.was,
                becomes: mutant.becomes,
                test: String::new(),
            };
            let Some(methods) = compiler.place(&self.project, &fault).filter(|m| !m.is_empty()) else {
                continue;
            };
            if self.faults.iter().any(|f| f.methods == methods) {
                continue;
            }
            fault.methods = methods;
            if let Some(test) = self.tests.failing(&self.project, &fault.id, &fault.file) {
                println!("{} {} {}: {test}", fault.id, fault.methods[0], fault.kind);
                fault.test = test;
                self.faults.push(fault);
                return true;
            }
            let _ = std::fs::remove_dir_all(self.project.wrong(&fault.id));
        }
        false
    }

    fn pick(&mut self) -> Option<(String, Mutant)> {
        loop {
            let operators: Vec<&'static str> = self.rest.keys().copied().collect();
            if operators.is_empty() {
                return None;
            }
            let operator = *self.rng.pick(&operators);
            let files = self.rest.get_mut(operator)?;
            let names: Vec<String> = files.keys().cloned().collect();
            if names.is_empty() {
                self.rest.remove(operator);
                continue;
            }
            let name = self.rng.pick(&names).clone();
            let mutants = files.get_mut(&name)?;
            let mutant = mutants.swap_remove(self.rng.below(mutants.len()));
            if mutants.is_empty() {
                files.remove(&name);
            }
            return Some((name, mutant));
        }
    }
}
