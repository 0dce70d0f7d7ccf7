//! Finds where recorded runs of two versions part: the innermost call that has equal inputs and equal calls
//! in both, and different effects. `walk` goes through the calls, `told` compares what they did.
//!
//! Several runs of each version show what differs from run to run: time, random numbers, races between
//! threads. Such differences are ignored.

mod told;
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
use walk::{Candidate, Runs, Variation};

/// Number of runs of each version that confirm a difference.
const RUNS: usize = 2;
/// The same, if the program has several threads or something varies between runs.
const IN_DOUBT: usize = 4;
/// The same, if the call itself uses time, random numbers or the like. A call that draws one random bit can
/// agree by chance in a few runs.
const IN_GREAT_DOUBT: usize = 8;

/// The call in which two versions part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parted {
    /// The call and its method; `None` if the outermost calls of a thread differ already.
    #[serde(flatten)]
    pub call: Option<Buggy>,
    /// Its inputs and effects here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub here: Option<Box<Question>>,
    /// Its inputs and effects in the other version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub there: Option<Box<Question>>,
    /// The differences.
    pub differs: Vec<Departure>,
    /// Number of compared calls that behave alike.
    pub same: usize,
}

/// A difference between the versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Departure {
    /// What differs: a call that it makes, its result or exception, or a change that it makes.
    pub what: String,
    /// The value here.
    pub here: String,
    /// The value in the other version.
    pub there: String,
}

/// The result of a comparison of runs.
#[derive(Debug)]
pub struct Compared {
    /// Where the versions part; `None` if all calls behave alike.
    pub parted: Option<Parted>,
    /// What varies between runs of the same version. It was not compared.
    pub varies: Vec<Varying>,
    /// Number of further places that vary.
    pub more: usize,
    /// Number of runs of each version needed to be sure; 0 if they do not part.
    pub wanted: usize,
}

/// Checks that a class path contains a class of the recorded program. Otherwise the VM would fall back on the
/// program's own classes, and a version would be compared with itself. Relative paths start at the current
/// folder.
///
/// # Errors
/// The class path contains none.
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

/// Finds where two versions part. Both slices contain the same number of runs.
///
/// # Errors
/// The recordings cannot be read.
pub async fn parted(
    here: &mut [Diagnoser],
    there: &mut [Diagnoser],
    context: &Context,
) -> Result<Compared, SessionError> {
    let first = here.len();
    let mut runs = Runs {
        all: here.iter_mut().chain(there).collect(),
        lambdas: [Lambdas::default(), Lambdas::default()],
        first,
        variation: Variation::default(),
        same: 0,
    };
    let mut threads: Vec<Vec<Thread>> = runs.all.iter().map(|run| threads_of(run)).collect();
    let mut found: Vec<(Option<u32>, Candidate)> = Vec::new();
    let mut count = 0;
    while let Some(roots) = next_thread(&mut runs, &mut threads) {
        count += 1;
        if let Some(candidate) = runs.parted(&roots.name, roots.calls, context).await? {
            found.push((roots.started_in, candidate));
        }
    }
    let is_in_doubt = count > 1 || !runs.variation.is_empty();
    let ((varies, more), same) = (runs.variation.told(), runs.same);
    let Some((shown, candidate)) = here.first().and_then(|run| Some((run, innermost(run, found)?))) else {
        return Ok(Compared { parted: None, varies, more, wanted: 0 });
    };
    let Candidate { call, differs } = candidate;
    let own = call.as_ref().and_then(|(one, _)| shown.trace.calls.method(shown.trace.calls.own(one.node)));
    let wanted = match own {
        Some(method) if may_vary(method, shown.fields.pool()) => IN_GREAT_DOUBT,
        _ if is_in_doubt => IN_DOUBT,
        _ => RUNS,
    };
    let parted = match call {
        None => Parted { call: None, here: None, there: None, differs, same },
        Some((one, other)) => Parted {
            call: Some(shown.buggy(shown.trace.calls.own(one.node))),
            here: Some(Box::new(one)),
            there: Some(Box::new(other)),
            differs,
            same,
        },
    };
    Ok(Compared { parted: Some(parted), varies, more, wanted })
}

/// A thread of a run.
struct Thread {
    name: String,
    number: u32,
}

fn threads_of(run: &Diagnoser) -> Vec<Thread> {
    run.trace.calls.threads().into_iter().map(|(number, name, _)| Thread { name, number }).collect()
}

/// The outermost calls of a thread, in all runs.
struct Roots {
    name: String,
    calls: Vec<Vec<u32>>,
    /// The call that started the thread, in the first run.
    started_in: Option<u32>,
}

/// Takes the next thread: in each run, the first remaining one with the same name.
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

/// Chooses among the candidates of several threads. A thread's difference explains that of the call that
/// started it, so the candidate must contain no start of a thread with another candidate.
fn innermost(shown: &Diagnoser, mut found: Vec<(Option<u32>, Candidate)>) -> Option<Candidate> {
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
