//! Finds which arm of a `switch` expression, a `?:`, `&&` or `||` produced a value: the arm of the last mark
//! that the activation executed.
//!
//! With JDWP events each mark is a breakpoint. With probes the activation stores its last mark in an added
//! local.

use super::error::RunError;
use super::probes::added_local;
use super::stop::Stop;
use super::vm::bci;
use super::watched::Watched;
use jdwp::{MethodId, ReferenceTypeId};

/// The last mark executed in an activation.
#[derive(Clone, Copy, Debug)]
struct ExecutedMark {
    depth: u32,
    class: ReferenceTypeId,
    method: MethodId,
    bci: u32,
}

/// The last mark executed in each activation of a thread, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct ArmStack {
    marks: Vec<ExecutedMark>,
}

impl ArmStack {
    /// Records that the thread has reached a mark.
    pub(super) async fn mark(&mut self, watched: &mut Watched, stop: &mut Stop) -> Result<(), RunError> {
        let depth = stop.depth(&watched.vm).await?;
        let at = stop.location;
        // Newer frames have ended.
        self.marks.truncate(self.marks.partition_point(|known| known.depth < depth));
        self.marks.push(ExecutedMark { depth, class: at.class, method: at.method, bci: bci(at.index) });
        Ok(())
    }

    /// The last mark executed in the newest activation of the stopped thread, if its method contains marks.
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
        // 0 means none.
        let kept = added_local(watched, stop, &newest, wire::ARM).await?;
        Ok(kept.checked_sub(1).and_then(|bci| u32::try_from(bci).ok()))
    }

    /// The last mark at a depth. Each path to the asking instruction contains a mark, so this is never a mark
    /// of an earlier activation at that depth.
    fn at(&self, depth: u32, class: ReferenceTypeId, method: MethodId) -> Option<u32> {
        let found = self.marks.iter().find(|known| known.depth == depth)?;
        ((found.class, found.method) == (class, method)).then_some(found.bci)
    }
}
