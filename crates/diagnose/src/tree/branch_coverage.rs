//! The control flow edges that each call covers, from the recorded branches: the method's entry, each branch
//! in either direction, and each handler (JHyde §2.4).

use super::nodes::{Along, Gathered, Nodes};
use crate::edge_suspicion::suspicion_by;
use declarative::{Coverage, CoverageBuilder};
use session::SessionError;
use trace::{Calls, FlowEdge, RunsCoverage, WalkControl};

/// An edge of a control flow graph, with the number of its method.
type Edge = (u32, FlowEdge);

impl Gathered for Vec<u32> {}

/// Computes which edges each node covers. Edges weigh what the other runs tell of them.
///
/// # Errors
/// The events cannot be read.
pub fn edges(calls: &mut Calls, nodes: &Nodes, passing: &RunsCoverage) -> Result<Coverage, SessionError> {
    let mut maker: CoverageBuilder<Edge> = CoverageBuilder::new(nodes.count(calls.count()));
    for (thread, ..) in calls.threads() {
        let mut along: Along<Vec<u32>> = Along::new(nodes, calls.of_thread(thread).start);
        calls.walk(thread, None, |_, seen| {
            let Some(edge) = seen.site.flow_edge() else { return WalkControl::Next };
            let Some(covered) = along.step(seen, |node, covered| maker.call(node, covered)) else {
                return WalkControl::Next;
            };
            let entity = maker.entity((seen.site.method, edge));
            if !covered.contains(&entity) {
                covered.push(entity);
            }
            WalkControl::Next
        })?;
        along.end(|node, covered| maker.call(node, covered));
    }
    if passing.passed == 0 {
        return Ok(maker.finish());
    }
    let sites = &calls.sites;
    Ok(maker.finish_weighed(|(method, edge)| {
        sites.method(*method).map_or(1.0, |method| suspicion_by(passing, method, *edge).1)
    }))
}
