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
pub(super) fn straight(code: &Code, from: Progress) -> Vec<u32> {
    let mut next = match from {
        Progress::Unknown => None,
        Progress::Before(at) => Some(at),
        Progress::Calling(at) | Progress::Returned(at) | Progress::Behind(at) => code.successor(at),
    };
    let mut found = Vec::new();
    // A loop without a branch has no further event.
    while let Some(instruction) =
        next.and_then(|at| code.at(at)).filter(|_| found.len() < code.instructions.len())
    {
        found.push(instruction.pc);
        next = match &instruction.op {
            Op::Goto { target } => Some(*target),
            op if op.is_branch() || op.ends_flow() => None,
            _ => code.successor(instruction.pc),
        };
    }
    found
}
