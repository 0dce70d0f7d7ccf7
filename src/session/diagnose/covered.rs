//! What calls have covered of the control flow graph, from the branches that were recorded: the entry of the method, each branch that was
//! taken either way, and each handler (JHyde §2.4).

use crate::declarative::{Coverage, CoverageMaker};
use crate::session::error::SessionError;
use crate::trace::{Calls, Then, Traced};

/// An edge of a method's control flow graph: from where, and to where; where both are -1 the method is entered, where only the first is, a
/// handler begins.
type Edge = (u32, i32, i32);

/// Which edges each call has covered.
///
/// # Errors
/// The events cannot be read.
pub fn edges(calls: &mut Calls) -> Result<Coverage, SessionError> {
    let mut maker: CoverageMaker<Edge> = CoverageMaker::new(calls.count());
    for (thread, ..) in calls.threads() {
        // The calls that are open, each with what it has covered.
        let mut open: Vec<(u32, Vec<u32>)> = Vec::new();
        calls.walk(thread, None, |_, seen| {
            let Some(node) = seen.node else { return Then::Next };
            let index = |at: u32| i32::try_from(at).unwrap_or(i32::MAX);
            let (from, to) = match seen.site.what {
                Traced::Enter => (-1, -1),
                Traced::Branch(to) => (index(seen.site.bci), i32::from(to)),
                Traced::Catch => (-1, index(seen.site.bci)),
                _ => return Then::Next,
            };
            if (from, to) == (-1, -1) {
                let around = seen.around;
                finish(&mut open, |other| Some(other) != around, |node, covered| maker.call(node, covered));
                open.push((node, Vec::new()));
            } else {
                finish(&mut open, |other| other != node, |node, covered| maker.call(node, covered));
            }
            let entity = maker.entity((seen.site.method, from, to));
            if let Some((_, covered)) = open.last_mut().filter(|(_, covered)| !covered.contains(&entity)) {
                covered.push(entity);
            }
            Then::Next
        })?;
        finish(&mut open, |_| true, |node, covered| maker.call(node, covered));
    }
    Ok(maker.finish())
}

/// The innermost calls that are open have ended, as long as that is said of them.
pub fn finish<T>(open: &mut Vec<(u32, T)>, has_ended: impl Fn(u32) -> bool, mut ended: impl FnMut(u32, T)) {
    while let Some((node, of)) = open.pop_if(|(node, _)| has_ended(*node)) {
        ended(node, of);
    }
}
