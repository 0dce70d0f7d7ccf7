//! The condition before the `throw` of an exception that skipped an operation.

use crate::analysis::JumpPass;
use bytecode::Op;
use classes::ClassPool;
use session::SessionError;
use std::collections::HashMap;
use trace::{Calls, Occurrence, Steering, Traced, WalkControl};

/// A pass of a branch: its method, code index and way, and the number of earlier passes.
#[derive(Clone, Copy)]
struct Branch {
    method: u32,
    bci: u32,
    went: u32,
    nth: u64,
}

/// The last condition that the throwing call decided before the `throw`, to be taken the other way. `None` if
/// recorded code did not throw the exception, or threw it without a condition.
///
/// # Errors
/// The recording cannot be read.
pub(super) fn jump_before_throw(
    calls: &mut Calls,
    pool: &ClassPool,
    pass: &JumpPass,
) -> Result<Option<Steering>, SessionError> {
    let after = calls.when_at(pass.at)?;
    let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
    let mut found: Option<Branch> = None;
    for (thread, name, _) in calls.threads() {
        if name != pass.thread {
            continue;
        }
        let mut last: HashMap<u32, Branch> = HashMap::new();
        let mut is_over = false;
        calls.walk(thread, None, |_, seen| {
            let Some(node) = seen.node else { return WalkControl::Next };
            match seen.site.what {
                Traced::Branch(to) => {
                    let count = counts.entry((seen.site.method, seen.site.bci)).or_insert(0);
                    let (method, bci) = (seen.site.method, seen.site.bci);
                    last.insert(node, Branch { method, bci, went: to.into(), nth: *count });
                    *count += 1;
                }
                Traced::Throw if seen.when() >= after => {
                    found = last.get(&node).copied();
                    is_over = true;
                }
                // Another exception than one that recorded code threw.
                Traced::Catch if seen.when() > after && node == pass.at.node => is_over = true,
                Traced::Return | Traced::Leave => _ = last.remove(&node),
                _ => {}
            }
            if is_over { WalkControl::Stop } else { WalkControl::Next }
        })?;
        if is_over {
            break;
        }
    }
    let Some(branch) = found else { return Ok(None) };
    let Some(method) = calls.sites.method(branch.method) else { return Ok(None) };
    let Ok(Some(class)) = pool.find(&method.class) else { return Ok(None) };
    let code = class.file.method(&method.name, &method.descriptor).and_then(|method| method.code.as_ref());
    let Some(code) = code else { return Ok(None) };
    let Some(at) = code.index_of(branch.bci) else { return Ok(None) };
    let next = code.instructions.get(at + 1).map(|instruction| instruction.pc);
    let (Some(Op::If { target, .. }), Some(next)) =
        (code.instructions.get(at).map(|instruction| &instruction.op), next)
    else {
        return Ok(None);
    };
    let to = if branch.went == next { *target } else { next };
    Ok(Some(Steering {
        class: method.class.to_string(),
        method: method.name.clone(),
        descriptor: method.descriptor.clone(),
        pc: branch.bci,
        to,
        which: Occurrence::Nth { thread: pass.thread.clone(), n: branch.nth },
    }))
}
