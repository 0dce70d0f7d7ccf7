//! The runs that try a suggestion: which jump goes the other way, and at which of its passes.

use super::thrown::jump_before_throw;
use crate::analysis::{JumpKind, Suggestion};
use classes::ClassPool;
use serde::Serialize;
use session::SessionError;
use trace::{Calls, Occurrence, Steering};

/// The passes at which a jump goes the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlippedPasses {
    /// One pass; at first the one that the suggestion names.
    One,
    /// A pass that missed the way, and all later ones with equal operands.
    EqualOperands,
    /// Two passes.
    Two,
    /// All passes go the way that the suggestion names.
    All,
    /// All passes of the run go the way that they would not have gone: the condition is inverted.
    Inverted,
    /// For the condition of a loop: each time the loop ended, it has one more turn.
    OncePerLoop,
    /// For an exception: the pass of the condition before the `throw`.
    BeforeThrow,
}

/// A jump that goes the other way in a run.
#[derive(Clone, Debug)]
pub(super) struct Flip {
    /// What the agent is told.
    pub steering: Steering,
    /// The passes.
    pub passes: FlippedPasses,
}

/// The flip of a suggestion at the pass that it names; `None` if there is no jump to steer.
///
/// # Errors
/// The recording cannot be read.
pub(super) fn at_one_pass(
    suggestion: &Suggestion,
    calls: &mut Calls,
    pool: &ClassPool,
) -> Result<Option<Flip>, SessionError> {
    let pass = &suggestion.pass;
    let which = || Occurrence::Nth { thread: pass.thread.clone(), n: pass.nth };
    Ok(match suggestion.jump.kind {
        JumpKind::Branch | JumpKind::LoopEnd => {
            Some(Flip { steering: steering(suggestion, which()), passes: FlippedPasses::One })
        }
        JumpKind::Exception => jump_before_throw(calls, pool, pass)?
            .map(|steering| Flip { steering, passes: FlippedPasses::BeforeThrow }),
        JumpKind::Dispatch => None,
    })
}

/// The jump of a suggestion at some of its passes.
pub(super) fn steering(suggestion: &Suggestion, which: Occurrence) -> Steering {
    let place = &suggestion.jump.place;
    Steering {
        class: place.class.clone(),
        method: place.method.clone(),
        descriptor: place.descriptor.clone(),
        pc: place.pc,
        to: suggestion.jump.to,
        which,
    }
}

impl Flip {
    /// The first execution that may be steered: the name of the threads and the number of earlier ones.
    pub fn first<'f>(&'f self, of: &'f Suggestion) -> (&'f str, u64) {
        self.steering.which.nth().unwrap_or((&of.pass.thread, 0))
    }
}
