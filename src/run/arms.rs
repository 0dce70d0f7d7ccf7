//! Which arm of a `switch` expression, a `?:`, `&&` or `||` gave a value: the last mark that ran in the
//! activation.
//!
//! By JDWP events each mark is a breakpoint. By probes the activation keeps its last mark in a local of its
//! own.

use super::error::RunError;
use super::probes::added_local;
use super::stop::Stop;
use super::vm::bci;
use super::watched::Watched;
use jdwp::{MethodId, ReferenceTypeId};

/// The last mark of an activation.
#[derive(Clone, Copy, Debug)]
struct Last {
    depth: u32,
    class: ReferenceTypeId,
    method: MethodId,
    bci: u32,
}

/// The last mark that ran in each activation of a thread, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct ArmStack {
    last: Vec<Last>,
}

impl ArmStack {
    /// The thread comes by a mark.
    pub(super) async fn mark(&mut self, watched: &mut Watched, stop: &mut Stop) -> Result<(), RunError> {
        let depth = stop.depth(&watched.vm).await?;
        let at = stop.location;
        // Frames that were newer have ended.
        self.last.truncate(self.last.partition_point(|known| known.depth < depth));
        self.last.push(Last { depth, class: at.class, method: at.method, bci: bci(at.index) });
        Ok(())
    }

    /// The last mark that ran in the newest activation of the stopped thread, where its method holds marks.
    pub(super) async fn last(&self, watched: &mut Watched, stop: &mut Stop) -> Result<Option<u32>, RunError> {
        let at = stop.location;
        let method = watched.vm.method(at.class, at.method).await?;
        if !watched.is_marked(&method.name) {
            return Ok(None);
        }
        if !watched.vm.is_probed() {
            let depth = stop.depth(&watched.vm).await?;
            return Ok(self.at(depth, at.class, at.method));
        }
        let newest = stop.frames(&mut watched.vm).await?.first().cloned();
        let Some(newest) = newest else { return Ok(None) };
        // 0 stands for none.
        let kept = added_local(watched, stop, &newest, wire::ARM).await?;
        Ok(kept.checked_sub(1).and_then(|bci| u32::try_from(bci).ok()))
    }

    /// The last mark at a depth. Each path to what asks has a mark, so it is never one of an earlier
    /// activation there.
    fn at(&self, depth: u32, class: ReferenceTypeId, method: MethodId) -> Option<u32> {
        let found = self.last.iter().find(|known| known.depth == depth)?;
        ((found.class, found.method) == (class, method)).then_some(found.bci)
    }
}
