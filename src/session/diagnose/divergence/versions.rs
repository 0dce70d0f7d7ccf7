//! Compares runs of two versions, and decides which call is to blame for what differs.

use super::super::Diagnoser;
use super::super::chance::may_vary;
use crate::alignment::{self, AlignedRun, Alignment, ChangedMethods, Variation};
use crate::classes::ClassPool;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::trace::{Calls, TraceError};
use indexmap::IndexMap;

/// Number of runs of each version that confirm a difference.
const RUNS: usize = 2;
/// The same for a program with several threads, or a call in which something varies.
const IN_DOUBT: usize = 4;
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
    /// Number of runs of each version that confirm the difference; 0 without one.
    pub wanted: usize,
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
    // A method with the same code in both versions differs only by something that was not recorded.
    let is_blamed = alignment.differing.iter().position(|call| call.is_changed != Some(false));
    let at = is_blamed.unwrap_or(0);
    let Some(first) = alignment.differing.get(at) else {
        let wanted = if alignment.among_roots.is_empty() { 0 } else { RUNS };
        return Ok(ComparedVersions { alignment, varies, blamed: None, wanted });
    };
    let calls = &one.trace.calls;
    let wanted = match calls.method(first.here) {
        _ if runs < RUNS => RUNS,
        Some(method) if may_vary(method, one.fields.pool()) => IN_GREAT_DOUBT,
        _ if calls.threads().len() > 1 || first.is_in_doubt => IN_DOUBT,
        _ => RUNS,
    };
    let pools = [one.fields.pool(), other.fields.pool()];
    let suspects = match first.is_changed {
        Some(false) => changed_methods(calls, pools, first.here),
        _ => Vec::new(),
    };
    let blamed = match suspects[..] {
        [only] => BlamedCall { call: only, at, suspects: Vec::new() },
        _ => BlamedCall { call: first.here, at, suspects },
    };
    Ok(ComparedVersions { alignment, varies, blamed: Some(blamed), wanted })
}

/// The last calls of methods with other code in the second version: those below a call or, if there are none,
/// those before its end.
fn changed_methods(calls: &Calls, pools: [Option<&ClassPool>; 2], node: u32) -> Vec<u32> {
    let mut changed = ChangedMethods::default();
    let mut among = |nodes: std::ops::RangeInclusive<u32>| {
        let mut last: IndexMap<u32, u32> = IndexMap::new();
        for call in nodes {
            let Some(method) = calls.method_number(call) else { continue };
            let found = calls.sites.method(method);
            if found.is_some_and(|method| changed.is_changed(method, pools) == Some(true)) {
                last.insert(method, call);
            }
        }
        last.into_values().collect::<Vec<u32>>()
    };
    let end = node.saturating_add(calls.below(node));
    let below = among(node..=end);
    if below.is_empty() { among(0..=end) } else { below }
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
