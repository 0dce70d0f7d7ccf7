//! Finds calls on a recorded stack that code made which was not recorded: a condition of that code can have
//! decided, and the recording does not have it.

use super::answer_facts::AnswerFacts;
use bytecode::Op;
use classes::CodeOwner;
use model::Frame;
use query::{Constraint, TraceQuery};
use run::Ended;

/// What to add to the answer of a `LastCondition`: that code which was not recorded called one of the methods
/// on the stack. `reached` is the frame of the condition, if there is one; frames below it do not matter.
pub fn conditions_between(
    facts: &AnswerFacts<'_>,
    query: &TraceQuery,
    reached: Option<&Frame>,
) -> Option<String> {
    if !matches!(facts.run_facts.outcome.ended, Ended::Recorded { .. }) {
        return None;
    }
    let effect = query.constraints.iter().find_map(|constraint| match constraint {
        Constraint::Controls(point) => Some(*point),
        _ => None,
    })?;
    let found = &facts.run_facts.located(effect)?.occurrence;
    let frames: Vec<&Frame> = facts.run_facts.outcome.tables.stack(found.stack).collect();
    let is_reached = |frame: &Frame| reached.is_some_and(|to| to.site.method == frame.site.method);
    let end = frames.iter().position(|frame| is_reached(frame)).unwrap_or(frames.len());
    let newer = frames.get(..=end).unwrap_or(&frames);
    let name = |frame: &Frame| frame.site.method.short();
    let between =
        newer.iter().zip(newer.iter().skip(1)).find(|(callee, caller)| !calls(facts, caller, callee));
    let code = match (between, frames.last().filter(|oldest| end == frames.len() && !begins(oldest))) {
        (Some((callee, caller)), _) => format!("code between {} and {}", name(caller), name(callee)),
        (None, Some(oldest)) => format!("the code that called {}", name(oldest)),
        (None, None) => return None,
    };
    Some(format!(
        "{code} was not recorded, and a condition of it can have come later; ask by running the program \
         again, or record that code with --scope"
    ))
}

/// Whether the VM itself can have called a frame's method: that of a thread or of the program, or an
/// initialiser.
fn begins(frame: &Frame) -> bool {
    matches!(&*frame.site.method.name, "main" | "run" | "<clinit>")
}

/// Whether a frame's line has an instruction that can have called the next newer frame's method itself.
/// True if the code is not known.
fn calls(facts: &AnswerFacts<'_>, caller: &Frame, callee: &Frame) -> bool {
    let book = facts.code_book();
    let (at, name) = (&caller.site, &*callee.site.method.name);
    if name == "<clinit>" {
        return true;
    }
    let class = facts.run_facts.pool.find(&at.method.class).ok().flatten();
    let method = class.as_ref().and_then(|c| c.file.method(&at.method.name, &at.method.descriptor));
    let Some(code) = method.and_then(|method| method.code.as_ref()) else { return true };
    let line = book.line(&at.method, at.bci);
    let is_there = |pc: u32| line.is_none() || book.line(&at.method, pc) == line;
    code.instructions.iter().filter(|instruction| is_there(instruction.pc)).any(|instruction| {
        match &instruction.op {
            // The method of a lambda has another name than that of its interface.
            Op::Invoke { method, .. } if name.starts_with("lambda$") => {
                is_functional(&method.class) || facts.run_facts.pool.owner_of(&method.class) == CodeOwner::Own
            }
            Op::Invoke { method, .. } => &*method.name == name,
            _ => false,
        }
    })
}

/// Whether a class of the JDK is an interface for lambdas, which have code of their own only in `default`
/// methods.
fn is_functional(class: &str) -> bool {
    let others = ["java.lang.Runnable", "java.util.concurrent.Callable", "java.util.Comparator"];
    class.starts_with("java.util.function.") || others.contains(&class)
}
