//! How suspicious an edge of the failed run is by the other runs that cover it.

use declarative::suspicion;
use trace::{CoveringRuns, FlowEdge, Method, RunsCoverage};

/// How suspicious an edge of the failed run is by the other runs ([`declarative::suspicion`]), and how many
/// of them cover it. The failed run counts as one of those that failed.
pub fn suspicion_by(runs: &RunsCoverage, method: &Method, edge: FlowEdge) -> (CoveringRuns, f64) {
    let CoveringRuns { passed, failed } = runs.covering(method, edge);
    // No test is among those that failed if only commands ran.
    let (failed, all) = (failed.max(1), u32::try_from(runs.failed.len()).unwrap_or(u32::MAX).max(1));
    let own = suspicion(failed, all.saturating_sub(failed), passed);
    (CoveringRuns { passed, failed }, own)
}
