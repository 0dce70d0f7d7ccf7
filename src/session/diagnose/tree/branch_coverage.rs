//! The control flow edges that each call covers, from the recorded branches: the method's entry, each branch
//! in either direction, and each handler (JHyde §2.4).

use super::nodes::{Along, Gathered, Nodes};
use crate::declarative::{Coverage, CoverageBuilder};
use crate::session::error::SessionError;
use crate::trace::{Calls, Traced, WalkControl};

/// An edge of a control flow graph: the method, the source and the target. Both are -1 for the method's
/// entry; only the source is -1 for the start of a handler.
type Edge = (u32, i32, i32);

impl Gathered for Vec<u32> {}

/// Computes which edges each node covers.
///
/// # Errors
/// The events cannot be read.
pub fn edges(calls: &mut Calls, nodes: &Nodes) -> Result<Coverage, SessionError> {
    let mut maker: CoverageBuilder<Edge> = CoverageBuilder::new(nodes.count(calls.count()));
    for (thread, ..) in calls.threads() {
        let mut along: Along<Vec<u32>> = Along::new(nodes, calls.of_thread(thread).start);
        calls.walk(thread, None, |_, seen| {
            let index = |at: u32| i32::try_from(at).unwrap_or(i32::MAX);
            let (from, to) = match seen.site.what {
                Traced::Enter => (-1, -1),
                Traced::Branch(to) => (index(seen.site.bci), i32::from(to)),
                Traced::Catch => (-1, index(seen.site.bci)),
                _ => return WalkControl::Next,
            };
            let Some(covered) = along.step(seen, |node, covered| maker.call(node, covered)) else {
                return WalkControl::Next;
            };
            let entity = maker.entity((seen.site.method, from, to));
            if !covered.contains(&entity) {
                covered.push(entity);
            }
            WalkControl::Next
        })?;
        along.end(|node, covered| maker.call(node, covered));
    }
    Ok(maker.finish())
}
