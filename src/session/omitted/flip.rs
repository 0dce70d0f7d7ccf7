//! The runs that try a suggestion: which jump goes the other way, and at which of its passes.

use super::thrown::jump_before_throw;
use crate::classes::ClassPool;
use crate::omission::{JumpKind, Suggestion};
use crate::session::error::SessionError;
use crate::trace::{Calls, Occurrence, Steering};
use serde::Serialize;

/// The passes at which a jump goes the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlippedPasses {
    /// The pass that the suggestion names.
    One,
    /// The first pass that missed the way, and all later ones with equal operands.
    EqualOperands,
    /// All passes.
    All,
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

/// The flips of a suggestion, in the order in which they are tried. The first that makes the point right is
/// the last.
///
/// # Errors
/// The recording cannot be read.
pub(super) fn flips(
    suggestion: &Suggestion,
    calls: &mut Calls,
    pool: &ClassPool,
) -> Result<Vec<Flip>, SessionError> {
    let (place, pass) = (&suggestion.jump.place, &suggestion.pass);
    let thread = || pass.thread.clone();
    match suggestion.jump.kind {
        JumpKind::Branch | JumpKind::LoopEnd => {}
        JumpKind::Exception => {
            let before = jump_before_throw(calls, pool, pass)?;
            return Ok(before
                .into_iter()
                .map(|steering| Flip { steering, passes: FlippedPasses::BeforeThrow })
                .collect());
        }
        JumpKind::Dispatch => return Ok(Vec::new()),
    }
    let flip = |passes, which| Flip {
        steering: Steering {
            class: place.class.clone(),
            method: place.method.clone(),
            descriptor: place.descriptor.clone(),
            pc: place.pc,
            to: suggestion.jump.to,
            which,
        },
        passes,
    };
    let mut flips = vec![flip(FlippedPasses::One, Occurrence::Nth { thread: thread(), n: pass.nth })];
    if suggestion.passes.missed > 1 {
        // A loop that always goes on does not end.
        if suggestion.jump.kind == JumpKind::LoopEnd {
            let turns = Occurrence::OncePerLoop { thread: thread(), n: pass.first };
            flips.push(flip(FlippedPasses::OncePerLoop, turns));
        } else {
            let equal = Occurrence::EqualOperands { thread: thread(), n: pass.first };
            flips.push(flip(FlippedPasses::EqualOperands, equal));
            flips.push(flip(FlippedPasses::All, Occurrence::All));
        }
    }
    Ok(flips)
}

impl Flip {
    /// The first execution that may be steered: the name of the threads and the number of earlier ones.
    pub fn first<'f>(&'f self, of: &'f Suggestion) -> (&'f str, u64) {
        self.steering.which.nth().unwrap_or((&of.pass.thread, 0))
    }
}
