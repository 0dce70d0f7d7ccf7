//! Finds where recorded runs of two versions diverge. The room `alignment` finds the calls that were given the
//! same input and did something else. `differences` shows how, by the values that `comparison` compares.
//!
//! Several runs of each version show what differs from run to run: time, random numbers, races of threads.
//! Such a difference says nothing about the versions, and is left out.

mod comparison;
mod differences;
mod varying;

pub use varying::Varying;

use super::chance::may_vary;
use super::question::Question;
use super::{Buggy, Diagnoser};
use crate::alignment::{self, AlignedRun, Alignment, DifferentStep, Variation};
use crate::classes::{ClassPaths, ClassPool};
use crate::session::context::Context;
use crate::session::error::SessionError;
use serde::Serialize;

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

impl VersionDifference {
    fn of(step: &DifferentStep) -> VersionDifference {
        VersionDifference { what: step.what.clone(), here: step.here.clone(), there: step.there.clone() }
    }
}

/// The result of comparing runs of two versions.
#[derive(Debug, Default)]
pub struct VersionComparison {
    /// Where the versions diverge. None: all calls do the same.
    pub divergence: Option<Divergence>,
    /// What varies between runs of the same version; it is not compared.
    pub varies: Vec<Varying>,
    /// Number of further places that vary.
    pub more: usize,
    /// The other calls that differ with equal input, in the order in which they ended.
    pub further: Vec<Buggy>,
    /// Fields and methods that only one version has. They are not compared.
    pub only_in_one: Vec<String>,
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

/// Finds where two versions diverge. Further runs of each version show what varies.
///
/// # Errors
/// A recording cannot be read, or the user interrupts.
pub async fn find_divergence(
    here: &mut [Diagnoser],
    there: &mut [Diagnoser],
    context: &Context,
) -> Result<VersionComparison, SessionError> {
    let varies = [variation(here, context)?, variation(there, context)?];
    let (Some(one), Some(other)) = (here.first_mut(), there.first_mut()) else {
        return Ok(VersionComparison::default());
    };
    let alignment = aligned(one, other, &varies, context)?;
    let (listed, more) = varying::listed([(&one.trace.calls, &varies[0]), (&other.trace.calls, &varies[1])]);
    let mut found = VersionComparison {
        varies: listed,
        more,
        only_in_one: alignment.only_in_one.into_iter().collect(),
        ..VersionComparison::default()
    };
    let same = alignment.same;
    let mut all = alignment.differing.iter();
    let Some(first) = all.next() else {
        if !alignment.among_roots.is_empty() {
            let differs = alignment.among_roots.iter().map(VersionDifference::of).collect();
            found.divergence = Some(Divergence { call: None, here: None, there: None, differs, same });
            found.wanted = RUNS;
        }
        return Ok(found);
    };
    for call in all {
        found.further.push(one.buggy(call.here));
    }
    let own = one.trace.calls.method(first.here);
    let has_threads = one.trace.calls.threads().len() > 1;
    found.wanted = match own {
        Some(method) if may_vary(method, one.fields.pool()) => IN_GREAT_DOUBT,
        _ if has_threads || varies.iter().any(|of| !of.is_empty()) => IN_DOUBT,
        _ => RUNS,
    };
    let questions = (
        one.question(one.trace.calls.shown(first.here), context).await?,
        other.question(other.trace.calls.shown(first.there), context).await?,
    );
    let mut differs =
        differences::differences((&questions.0, one.fields.pool()), (&questions.1, other.fields.pool()));
    if differs.is_empty() {
        differs = first.differs.iter().map(VersionDifference::of).collect();
    }
    found.divergence = Some(Divergence {
        call: Some(one.buggy(first.here)),
        here: Some(Box::new(questions.0)),
        there: Some(Box::new(questions.1)),
        differs,
        same,
    });
    Ok(found)
}

/// Aligns a run of each version.
fn aligned(
    one: &mut Diagnoser,
    other: &mut Diagnoser,
    varies: &[Variation; 2],
    context: &Context,
) -> Result<Alignment, SessionError> {
    let here = AlignedRun { calls: &mut one.trace.calls, pool: one.fields.pool(), variation: &varies[0] };
    let there =
        AlignedRun { calls: &mut other.trace.calls, pool: other.fields.pool(), variation: &varies[1] };
    Ok(alignment::align(here, there, &mut || !context.is_interrupted())?)
}

/// What varies between the runs of one version, as seen by the first one.
fn variation(runs: &mut [Diagnoser], context: &Context) -> Result<Variation, SessionError> {
    let mut found = Variation::default();
    let Some((first, others)) = runs.split_first_mut() else { return Ok(found) };
    for other in others {
        alignment::add_variation(
            (&mut first.trace.calls, first.fields.pool()),
            (&mut other.trace.calls, other.fields.pool()),
            &mut found,
            &mut || !context.is_interrupted(),
        )?;
    }
    Ok(found)
}
