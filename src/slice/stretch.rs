//! The way of a call through the code of its method, laid out anew from the branches that it took and the
//! handlers that began: behind each of these, and behind the entry, follows a *stretch* of code without a
//! choice, which is known from the class file.

use crate::classes::ClassPool;
use crate::trace::{Level, Method, Traced, TracedEvent};
use bytecode::{Code, Op};
use std::collections::HashMap;

/// Where a stretch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Begins {
    /// Where the method does.
    Entry,
    /// The branch, and where execution goes on behind it.
    Branch(u32, u32),
    /// A handler.
    Handler(u32),
}

impl Begins {
    /// The stretch that begins with an event.
    pub fn with(seen: &TracedEvent<'_>) -> Option<Begins> {
        match seen.site.what {
            Traced::Enter => Some(Begins::Entry),
            Traced::Branch(to) => Some(Begins::Branch(seen.site.bci, to.into())),
            Traced::Catch => Some(Begins::Handler(seen.site.bci)),
            _ => None,
        }
    }

    /// Its first instruction; none where the code is not such that one can begin there.
    fn first(self, code: &Code) -> Option<u32> {
        match self {
            Begins::Entry => code.instructions.first().map(|first| first.pc),
            Begins::Branch(at, to) => {
                let branch = code.at(at).filter(|branch| branch.op.is_branch())?;
                let falls = !branch.op.ends_flow() && branch.next_pc() == to;
                (falls || branch.op.targets().contains(&to)).then_some(to)
            }
            Begins::Handler(at) => code.handlers.iter().any(|handler| handler.handler_pc == at).then_some(at),
        }
    }
}

/// The instructions that execute from one on until there is a choice or an end, each once, and the place
/// where an endless loop without a choice goes on. Subroutines (`jsr`, which compilers have not made since
/// Java 6) end it. None where the code is not such that it can begin there.
pub fn stretch(code: &Code, begins: Begins) -> Option<(Vec<u32>, Option<usize>)> {
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut instructions = Vec::new();
    let mut next = Some(begins.first(code)?);
    while let Some(instruction) = next.take().and_then(|pc| code.at(pc)) {
        if let Some(again) = places.get(&instruction.pc) {
            return Some((instructions, Some(*again)));
        }
        places.insert(instruction.pc, instructions.len());
        instructions.push(instruction.pc);
        next = match &instruction.op {
            Op::Goto { target } => Some(*target),
            op if op.is_branch() || op.ends_flow() || matches!(op, Op::Jsr { .. }) => None,
            _ => code.successor(instruction.pc),
        };
    }
    Some((instructions, None))
}

/// The code of a method whose branches were recorded, if its class file is there.
pub fn code_of(method: &Method, pool: Option<&ClassPool>) -> Option<Code> {
    let class = pool.filter(|_| method.level == Level::All)?.find(&method.class).ok()??;
    class.file.method(&method.name, &method.descriptor)?.code.clone()
}
