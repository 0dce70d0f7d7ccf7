//! Compares runs of two versions, and decides which call is to blame for what differs.

use super::super::Diagnoser;
use super::super::chance::may_vary;
use super::ends::{self, EndsDivergence};
use super::unseen::{UnseenState, executed};
use crate::alignment::{self, AlignedRun, Alignment, ChangedMethods, Variation};
use crate::classes::ClassPool;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::trace::{Calls, TraceError};
use indexmap::IndexMap;
use std::collections::{BTreeSet, HashSet};

/// Number of runs of each version that confirm a difference.
pub const RUNS: usize = 2;
/// The same for a program with several threads, or a call in which something varies.
pub const IN_DOUBT: usize = 4;
/// The same for a call that itself reads the time, random numbers or the like. A call that draws one random
/// bit agrees in a few runs by chance.
const IN_GREAT_DOUBT: usize = 8;

/// Runs of two versions, compared.
#[derive(Debug, Default)]
pub struct ComparedVersions {
    /// The alignment of the first run of each version.
    pub alignment: Alignment,
    /// What varies between the runs of each version.
    pub varies: [Variation; 2],
    /// The call to blame; `None` if no call differs.
    pub blamed: Option<BlamedCall>,
    /// How the ends of the runs differ, if no call does.
    pub ends: EndsDivergence,
    /// Number of runs of each version that confirm the difference; 0 without one.
    pub wanted: usize,
    /// The methods of the version under test, compared with those of the other one.
    pub code: ComparedCode,
    /// What its methods with other code did to objects whose state was not recorded.
    pub unseen: UnseenState,
    /// The same for both versions as text, as far as it can have made the runs differ.
    pub uncompared: Option<String>,
}

/// The methods of the version under test, by number in its recording. Methods whose class files are missing
/// are in neither set.
#[derive(Debug, Default)]
pub struct ComparedCode {
    /// Those with the same code in the other version.
    same: BTreeSet<u32>,
    /// Those with other code there.
    other: HashSet<u32>,
}

impl ComparedCode {
    fn new(calls: &Calls, pools: [Option<&ClassPool>; 2]) -> ComparedCode {
        let mut code = ComparedCode::default();
        let mut changed = ChangedMethods::default();
        for (number, method) in (0..).zip(calls.sites.methods()) {
            match changed.is_changed(method, pools) {
                Some(true) => code.other.insert(number),
                Some(false) => code.same.insert(number),
                None => false,
            };
        }
        code
    }

    /// Whether the method of a call has the same code in the other version.
    pub fn is_same(&self, calls: &Calls, call: u32) -> bool {
        calls.method_number(call).is_some_and(|method| self.same.contains(&method))
    }

    /// Whether it has other code there.
    pub fn is_other(&self, calls: &Calls, call: u32) -> bool {
        calls.method_number(call).is_some_and(|method| self.other.contains(&method))
    }

    /// Whether the methods of a call and of all calls below it have the same code there.
    pub fn is_same_below(&self, calls: &Calls, call: u32) -> bool {
        (call..=call.saturating_add(calls.below(call))).all(|inner| self.is_same(calls, inner))
    }

    /// The last calls of methods with other code there: those below a call or, if there are none, those
    /// before its end.
    pub fn suspects(&self, calls: &Calls, call: u32) -> Vec<u32> {
        let end = call.saturating_add(calls.below(call));
        let below = self.last_calls(calls, call..end.saturating_add(1));
        if below.is_empty() { self.last_calls(calls, 0..end.saturating_add(1)) } else { below }
    }

    /// The last call of each method with other code among some calls.
    pub fn last_calls(&self, calls: &Calls, among: std::ops::Range<u32>) -> Vec<u32> {
        let mut last: IndexMap<u32, u32> = IndexMap::new();
        for call in among.filter(|call| self.is_other(calls, *call)) {
            last.extend(calls.method_number(call).map(|method| (method, call)));
        }
        last.into_values().collect()
    }
}

/// The call to blame for a difference.
#[derive(Debug)]
pub struct BlamedCall {
    /// The call, a node of the first run of the version under test.
    pub call: u32,
    /// The index of the differing call in which that was seen.
    pub at: usize,
    /// The last calls of methods with other code that ran before the difference was seen, if the method of
    /// the call has the same code in both versions.
    pub suspects: Vec<u32>,
}

/// Compares runs of two versions.
///
/// # Errors
/// A recording cannot be read, or the user interrupts.
pub fn compare_versions(
    here: &mut [&mut Diagnoser],
    there: &mut [&mut Diagnoser],
    context: &Context,
) -> Result<ComparedVersions, SessionError> {
    let runs = here.len();
    let varies = [variation(here, context)?, variation(there, context)?];
    let (Some(one), Some(other)) = (here.first_mut(), there.first_mut()) else {
        return Ok(ComparedVersions::default());
    };
    let alignment = aligned(one, other, &varies, context)?;
    let calls = &one.trace.calls;
    let code = ComparedCode::new(calls, [one.fields.pool(), other.fields.pool()]);
    let of_there = ComparedCode::new(&other.trace.calls, [other.fields.pool(), one.fields.pool()]);
    let versions = [(&*one, &code), (&*other, &of_there)];
    // If no method has other code, data made what differs.
    let is_all = versions.iter().all(|(run, code)| executed(&run.trace.calls).is_subset(&code.same));
    let unseen = versions
        .map(|(run, code)| UnseenState::of(run, false, &|method| is_all || !code.same.contains(&method)));
    let [unseen, of_there] = unseen;
    let (mut unseen, of_there) = (unseen?, of_there?);
    let uncompared = UnseenState::uncompared([(&unseen, calls), (&of_there, &other.trace.calls)]);
    unseen.add(calls, &of_there, &other.trace.calls);
    // A method with the same code in both versions differs only by something that was not recorded.
    let is_blamed = alignment.differing.iter().position(|call| call.is_changed != Some(false));
    let at = is_blamed.unwrap_or(0);
    let Some(first) = alignment.differing.get(at) else {
        let (blamed, ends) = (None, EndsDivergence::default());
        let mut compared =
            ComparedVersions { alignment, varies, blamed, ends, wanted: RUNS, code, unseen, uncompared };
        if compared.alignment.among_roots.is_empty() {
            let here: Vec<&Diagnoser> = here.iter().map(|run| &**run).collect();
            let there: Vec<&Diagnoser> = there.iter().map(|run| &**run).collect();
            compared.ends = ends::divergence(&here, &there, &compared.alignment, &compared.code);
            compared.wanted = compared.ends.wanted;
        }
        return Ok(compared);
    };
    let wanted = match calls.method(first.here) {
        _ if runs < RUNS => RUNS,
        Some(method) if may_vary(method, one.fields.pool()) => IN_GREAT_DOUBT,
        _ if calls.threads().len() > 1 || first.is_in_doubt => IN_DOUBT,
        _ => RUNS,
    };
    let suspects = match first.is_changed {
        Some(false) => code.suspects(calls, first.here),
        _ => Vec::new(),
    };
    let blamed = match suspects[..] {
        [only] => BlamedCall { call: only, at, suspects: Vec::new() },
        _ => BlamedCall { call: first.here, at, suspects },
    };
    let uncompared = uncompared.filter(|_| !unseen.before(calls, blamed.call).is_empty());
    let (blamed, ends) = (Some(blamed), EndsDivergence::default());
    Ok(ComparedVersions { alignment, varies, blamed, ends, wanted, code, unseen, uncompared })
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
    alignment::align(here, there, &mut || !context.is_interrupted()).map_err(unless_interrupted)
}

/// What varies between the runs of one version, as seen by the first one.
fn variation(runs: &mut [&mut Diagnoser], context: &Context) -> Result<Variation, SessionError> {
    let mut found = Variation::default();
    let Some((first, others)) = runs.split_first_mut() else { return Ok(found) };
    for other in others {
        alignment::add_variation(
            (&mut first.trace.calls, first.fields.pool()),
            (&mut other.trace.calls, other.fields.pool()),
            &mut found,
            &mut || !context.is_interrupted(),
        )
        .map_err(unless_interrupted)?;
    }
    Ok(found)
}

fn unless_interrupted(error: TraceError) -> SessionError {
    match error {
        TraceError::Interrupted => SessionError::Interrupted,
        error => error.into(),
    }
}
