//! The shape of the execution trees, and what each node of them covers.

use super::nodes::Nodes;
use classes::ClassPool;
use declarative::{Coverage, Forest, Needs};
use recorded::RecordedTrace;
use session::SessionError;
use trace::{Calls, Exit, Level, RunsCoverage};

/// The coverage of the calls, if the strategy needs it and the recording has it.
///
/// # Errors
/// The recording cannot be read.
pub fn coverage(
    trace: &mut RecordedTrace,
    nodes: &Nodes,
    needs: Needs,
    pool: Option<&ClassPool>,
    passing: &RunsCoverage,
) -> Result<Option<Coverage>, SessionError> {
    Ok(match needs {
        _ if trace.about.level < Level::All => None,
        Needs::Nothing => None,
        Needs::Edges => Some(super::branch_coverage::edges(&mut trace.calls, nodes, passing)?),
        Needs::Chains => Some(super::def_use::chains(&mut trace.calls, nodes, pool)?),
    })
}

/// The shape of the execution trees and the meaning of their nodes. Loops are nodes too if requested and
/// recorded.
///
/// # Errors
/// The recording cannot be read.
pub fn trees(
    trace: &mut RecordedTrace,
    with_loops: bool,
    pool: Option<&ClassPool>,
    notes: &mut Vec<String>,
) -> Result<(Forest, Nodes), SessionError> {
    let level = trace.about.level;
    if with_loops && level < Level::All {
        notes.push(format!("loops are not asked about: their iterations are not recorded at level {level}"));
    } else if with_loops && let Some(found) = super::loops::trees(&mut trace.calls, pool, notes)? {
        return Ok(found);
    }
    Ok((forest(&trace.calls), Nodes::default()))
}

/// The shape of the execution trees, with calls alone.
fn forest(calls: &Calls) -> Forest {
    let mut forest = Forest::with_capacity(calls.count());
    let all = u32::try_from(calls.count()).unwrap_or(u32::MAX);
    // Strategies count methods by number. All methods without one share a number.
    let methods = u32::try_from(calls.sites.methods().len()).unwrap_or(u32::MAX);
    for node in 0..all {
        let has_ended = matches!(calls.exit(node), Exit::Returned | Exit::Threw);
        forest.push(
            calls.below(node).saturating_add(1),
            calls.method_number(node).unwrap_or(methods).min(methods),
            has_ended,
        );
    }
    for (thread, ..) in calls.threads() {
        forest.thread(calls.of_thread(thread));
    }
    forest
}
