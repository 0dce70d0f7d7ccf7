//! The instructions that a call executed between two of its events. Events are at every line and branch, so
//! only one way leads from one event to the next.

use bytecode::{Code, Op};

/// How far a call has executed its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The instruction at this code index is next.
    Before(u32),
    /// The call at this code index has not returned.
    Calling(u32),
    /// The call at this code index has returned, and nothing since is known.
    Returned(u32),
    /// The instruction at this code index was executed.
    Behind(u32),
    /// Its entry was not recorded, and no event since.
    Unknown,
}

/// The code indices that follow without a branch, in the order in which they are executed. A `goto` is
/// followed.
pub(super) fn straight(code: &Code, from: Progress) -> impl Iterator<Item = u32> {
    let first = match from {
        Progress::Unknown => None,
        Progress::Before(at) => code.index_of(at),
        Progress::Calling(at) | Progress::Returned(at) | Progress::Behind(at) => {
            code.index_of(at).and_then(|at| at.checked_add(1))
        }
    };
    let next = |at: &usize| {
        let instruction = code.instructions.get(*at)?;
        match &instruction.op {
            Op::Goto { target } => code.index_of(*target),
            op if op.is_branch() || op.ends_flow() => None,
            _ => at.checked_add(1),
        }
    };
    let positions = std::iter::successors(first, next);
    let instructions = positions.map_while(|at| code.instructions.get(at));
    // A loop without a branch has no further event.
    instructions.map(|instruction| instruction.pc).take(code.instructions.len())
}
