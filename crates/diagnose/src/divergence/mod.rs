//! Finds where recorded runs of two versions diverge. The room `alignment` finds the calls that were given
//! the same input and did something else, and `versions` decides which one is to blame. `differences` shows
//! how it differs, by the values that `comparison` compares. `ends` compares what a person sees from outside,
//! and `unseen` names what was not recorded. `right_runs` are the runs of the right version.
//!
//! Several runs of each version show what differs from run to run: time, random numbers, races of threads.
//! Such a difference says nothing about the versions, and is left out.

mod compared_code;
mod comparison;
mod differences;
mod ends;
mod last_calls;
mod right_runs;
mod unseen;
mod varying;
mod versions;

pub use compared_code::ComparedCode;
pub use right_runs::RightVersionRuns;
pub use unseen::UnseenState;
pub use varying::Varying;
pub use versions::{ComparedVersions, KnownVariation, compare_versions};

use super::question::Question;
use super::{Buggy, Diagnoser};
use alignment::DifferentStep;
use classes::{ClassPaths, ClassPool};
use serde::Serialize;
use session::{Context, SessionError};

/// The place at which two versions diverge.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Divergence {
    /// The diverging call, with its method's place. None: the first calls of a thread differ already, or what
    /// differs came from no call with the same input (`at_end`).
    #[serde(flatten)]
    pub call: Option<Buggy>,
    /// The call in which the difference was seen, if `call` is the only one before it whose method has other
    /// code: what it did was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_in: Option<Buggy>,
    /// The last calls of methods with other code that ran before the difference was seen, if the method of
    /// `call` has the same code in both versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Buggy>,
    /// The arguments and effects of the call that differs, in the version under test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub here: Option<Box<Question>>,
    /// The same in the reference version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub there: Option<Box<Question>>,
    /// How its effects differ.
    pub differs: Vec<VersionDifference>,
    /// Number of compared calls that do the same.
    pub same: usize,
    /// Whether the method of `call` has the same code in both versions. Data, or code that was not recorded,
    /// made the call differ.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub same_code: bool,
    /// Whether no call with the same input did something else: the runs differ in what a person sees from
    /// outside.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_end: bool,
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
    /// Whether runs of one version end differently.
    pub ends_vary: bool,
    /// The other calls that differ with equal input, in the order in which they ended.
    pub further: Vec<Buggy>,
    /// Fields and methods that only one version has. They are not compared.
    pub only_in_one: Vec<String>,
    /// What was not compared, because it is not known.
    pub uncompared: Vec<String>,
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

impl VersionComparison {
    /// Takes how the ends of the runs differ, where no call does.
    fn take_ends(&mut self, mut ends: ends::EndsDivergence, one: &Diagnoser, same: usize) {
        self.divergence = ends.divergence(one, same);
        self.ends_vary = ends.ends.varies.iter().any(|varying| ends::is_end(&varying.what));
        self.varies.splice(0..0, ends.ends.varies);
        self.uncompared.extend(ends.ends.unknown);
    }
}

/// Finds where two versions diverge. Further runs of each version show what varies; `known` is what earlier
/// comparisons with fewer runs have shown. Where more runs are wanted, only their number is found, unless
/// there are no more.
///
/// # Errors
/// A recording cannot be read, or the user interrupts.
pub async fn find_divergence(
    here: &mut [Diagnoser],
    there: &mut [Diagnoser],
    known: &mut KnownVariation,
    has_more: bool,
    context: &Context,
) -> Result<VersionComparison, SessionError> {
    let compared = {
        let [mut here, mut there] = [&mut *here, &mut *there].map(|runs| runs.iter_mut().collect::<Vec<_>>());
        compare_versions(&mut here, &mut there, known, context)?
    };
    let wanted = compared.wanted;
    if has_more && wanted > here.len() {
        return Ok(VersionComparison { wanted, ..VersionComparison::default() });
    }
    let (Some(one), Some(other)) = (here.first_mut(), there.first_mut()) else {
        return Ok(VersionComparison::default());
    };
    let [varies, other_varies] = &compared.varies;
    let (listed, more) = varying::listed([(&one.trace.calls, varies), (&other.trace.calls, other_varies)]);
    let alignment = compared.alignment;
    let mut found = VersionComparison {
        varies: listed,
        more,
        only_in_one: alignment.only_in_one.iter().cloned().collect(),
        wanted,
        ..VersionComparison::default()
    };
    if alignment.is_cut {
        found.uncompared.push("calls whose input refers to too many objects".to_owned());
    }
    found.uncompared.extend(compared.uncompared);
    let same = alignment.same;
    let Some((first, blamed)) = compared.blamed.and_then(|of| Some((alignment.differing.get(of.at)?, of)))
    else {
        if !alignment.among_roots.is_empty() {
            let differs = alignment.among_roots.iter().map(VersionDifference::of).collect();
            found.divergence = Some(Divergence { differs, same, ..Divergence::default() });
        } else {
            found.take_ends(compared.ends, one, same);
        }
        return Ok(found);
    };
    for call in alignment.differing.iter().filter(|call| call.here != first.here) {
        found.further.push(one.buggy(call.here));
    }
    let numbers = (one.trace.calls.shown(first.here), other.trace.calls.shown(first.there));
    let questions = (one.question(numbers.0, context).await?, other.question(numbers.1, context).await?);
    let pools = [one.fields.pool(), other.fields.pool()];
    let mut differs = differences::differences(&questions.0, pools[0], &questions.1, pools[1]);
    if differs.is_empty() {
        differs = first.differs.iter().map(VersionDifference::of).collect();
    }
    found.divergence = Some(Divergence {
        call: Some(one.buggy(blamed.call)),
        seen_in: (blamed.call != first.here).then(|| one.buggy(first.here)),
        suspects: blamed.suspects.into_iter().map(|node| one.buggy(node)).collect(),
        here: Some(Box::new(questions.0)),
        there: Some(Box::new(questions.1)),
        differs,
        same,
        same_code: compared.code.is_same(&one.trace.calls, blamed.call),
        at_end: false,
    });
    Ok(found)
}
