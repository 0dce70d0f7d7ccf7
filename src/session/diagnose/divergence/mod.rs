//! Finds where recorded runs of two versions diverge: the innermost call that has the same arguments and the
//! same callees in both, and another effect. `walk` goes through the calls, `comparison` compares their
//! values.
//!
//! Several runs of each version show what differs from run to run: time, random numbers, races of threads.
//! Such a difference says nothing about the versions, and is left out.

mod comparison;
mod walk;

pub use walk::Varying;

use super::chance::may_vary;
use super::lambdas::Lambdas;
use super::question::Question;
use super::{Buggy, Diagnoser};
use crate::classes::{ClassPaths, ClassPool};
use crate::session::context::Context;
use crate::session::error::SessionError;
use serde::Serialize;
use walk::{DivergenceCandidate, Runs, Variation};

/// Number of runs of each version that confirm a difference.
const RUNS: usize = 2;
/// The same for a program with several threads, or one in which something varies.
const IN_DOUBT: usize = 4;
/// The same for a call that itself reads the time, random numbers or the like. A call that draws one random
/// bit agrees in a few runs by chance.
const IN_GREAT_DOUBT: usize = 8;

/// The place at which two versions diverge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Divergence {
    /// The diverging call, with its method's place. None: the first calls of a thread differ already.
    #[serde(flatten)]
    pub call: Option<Buggy>,
    /// Its arguments and effects in the version under test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub here: Option<Box<Question>>,
    /// Its arguments and effects in the reference version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub there: Option<Box<Question>>,
    /// How its effects differ.
    pub differs: Vec<VersionDifference>,
    /// Number of compared calls that do the same.
    pub same: usize,
}

/// One difference between the versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VersionDifference {
    /// What differs: a callee, the result, the exception, or a changed place.
    pub what: String,
    /// Its value in the version under test.
    pub here: String,
    /// Its value in the reference version.
    pub there: String,
}

/// The result of comparing runs of two versions.
#[derive(Debug)]
pub struct VersionComparison {
    /// Where the versions diverge. None: all calls do the same.
    pub divergence: Option<Divergence>,
    /// What varies between runs of the same version; it is not compared.
    pub varies: Vec<Varying>,
    /// Number of further places that vary.
    pub more: usize,
    /// Number of runs of each version that confirm the divergence; 0 without one.
    pub wanted: usize,
}

/// Checks that a class path has a class of the recorded program. Without one the VM would load the program's
/// own classes, and the program would be compared with itself. Relative paths start at the current folder.
///
/// # Errors
/// The class path has no such class.
pub fn check_reference(here: &Diagnoser, class_path: &str) -> Result<(), SessionError> {
    let paths = ClassPaths {
        cwd: std::env::current_dir().unwrap_or_default(),
        class_path: std::env::split_paths(class_path).collect(),
        ..ClassPaths::default()
    };
    let Ok(pool) = ClassPool::open(&paths) else { return Ok(()) };
    let mut methods = here.trace.calls.sites.methods().iter().peekable();
    if methods.peek().is_none() || methods.any(|method| matches!(pool.find(&method.class), Ok(Some(_)))) {
        return Ok(());
    }
    let missing = pool.missing().iter().map(|path| format!("; {} does not exist", path.display())).collect();
    Err(SessionError::NoReference { class_path: class_path.to_owned(), missing })
}

/// Finds where two versions diverge. Both slices have the same number of runs.
///
/// # Errors
/// A recording cannot be read, or the user interrupts.
pub async fn find_divergence(
    here: &mut [Diagnoser],
    there: &mut [Diagnoser],
    context: &Context,
) -> Result<VersionComparison, SessionError> {
    let first = here.len();
    let mut runs = Runs {
        all: here.iter_mut().chain(there).collect(),
        lambdas: [Lambdas::default(), Lambdas::default()],
        first,
        variation: Variation::default(),
        same: 0,
    };
    let mut threads: Vec<Vec<Thread>> = runs.all.iter().map(|run| threads_of(run)).collect();
    let mut found: Vec<(Option<u32>, DivergenceCandidate)> = Vec::new();
    let mut count = 0;
    while let Some(roots) = next_thread(&mut runs, &mut threads) {
        count += 1;
        if let Some(candidate) = runs.divergence(&roots.name, roots.calls, context).await? {
            found.push((roots.started_in, candidate));
        }
    }
    let is_in_doubt = count > 1 || !runs.variation.is_empty();
    let ((varies, more), same) = (runs.variation.listed(), runs.same);
    let Some((shown, candidate)) = here.first().and_then(|run| Some((run, innermost(run, found)?))) else {
        return Ok(VersionComparison { divergence: None, varies, more, wanted: 0 });
    };
    let DivergenceCandidate { call, differs } = candidate;
    let own = call.as_ref().and_then(|(one, _)| shown.trace.calls.method(shown.trace.calls.own(one.node)));
    let wanted = match own {
        Some(method) if may_vary(method, shown.fields.pool()) => IN_GREAT_DOUBT,
        _ if is_in_doubt => IN_DOUBT,
        _ => RUNS,
    };
    let divergence = match call {
        None => Divergence { call: None, here: None, there: None, differs, same },
        Some((one, other)) => Divergence {
            call: Some(shown.buggy(shown.trace.calls.own(one.node))),
            here: Some(Box::new(one)),
            there: Some(Box::new(other)),
            differs,
            same,
        },
    };
    Ok(VersionComparison { divergence: Some(divergence), varies, more, wanted })
}

/// A thread of a run.
struct Thread {
    name: String,
    number: u32,
}

fn threads_of(run: &Diagnoser) -> Vec<Thread> {
    run.trace.calls.threads().into_iter().map(|(number, name, _)| Thread { name, number }).collect()
}

/// The first calls of a thread in each run.
struct Roots {
    name: String,
    calls: Vec<Vec<u32>>,
    /// The call that started the thread, in the first run.
    started_in: Option<u32>,
}

/// Takes the next thread of all runs. In each run it is the first remaining thread of that name.
fn next_thread(runs: &mut Runs<'_>, threads: &mut [Vec<Thread>]) -> Option<Roots> {
    loop {
        let name = threads.iter().find_map(|of| of.first()).map(|thread| thread.name.clone())?;
        let mut numbers = Vec::new();
        for of in threads.iter_mut() {
            let at = of.iter().position(|thread| thread.name == name);
            numbers.push(at.map(|at| of.remove(at).number));
        }
        let (ours, theirs) = numbers.split_at(runs.first);
        let is_steady = |version: &[Option<u32>]| {
            version.iter().all(Option::is_some) || version.iter().all(Option::is_none)
        };
        if !is_steady(ours) || !is_steady(theirs) {
            runs.variation.add(format!("thread {name}"), "whether it runs".to_owned(), Vec::new());
            continue;
        }
        let calls = runs.all.iter().zip(&numbers);
        let calls = calls.map(|(run, number)| number.map(|of| run.trace.calls.roots(of)).unwrap_or_default());
        let calls = calls.collect();
        let of = numbers.first().copied().flatten();
        let started_in = of.and_then(|of| runs.all.first()?.trace.calls.started_in(of));
        return Some(Roots { name, calls, started_in });
    }
}

/// A diverging call that started no thread with a diverging call. A thread's own divergence explains that of
/// the call that started it.
fn innermost(
    shown: &Diagnoser,
    mut found: Vec<(Option<u32>, DivergenceCandidate)>,
) -> Option<DivergenceCandidate> {
    if found.is_empty() {
        return None;
    }
    let mut at = 0;
    let mut left = found.len();
    while left > 0 {
        left -= 1;
        let tree = found.get(at).and_then(|(_, candidate)| {
            let (one, _) = candidate.call.as_ref()?;
            let calls = &shown.trace.calls;
            let own = calls.own(one.node);
            Some(one.node..=one.node.saturating_add(calls.below(own)))
        });
        let is_inside =
            |started: &Option<u32>| tree.as_ref().zip(*started).is_some_and(|(tree, of)| tree.contains(&of));
        match found.iter().enumerate().position(|(other, (started, _))| other != at && is_inside(started)) {
            Some(inside) => at = inside,
            None => break,
        }
    }
    Some(found.swap_remove(at).1)
}
