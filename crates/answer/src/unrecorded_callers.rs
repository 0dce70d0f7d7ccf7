//! Finds calls on a recorded stack that code made which was not recorded: a condition of that code can have
//! decided, and the recording does not have it.

use super::answer_facts::AnswerFacts;
use bytecode::Op;
use model::{Frame, short_class_name};
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
    let (callee, caller) =
        newer.iter().zip(newer.iter().skip(1)).find(|(callee, caller)| !calls(facts, caller, callee))?;
    let name =
        |frame: &Frame| format!("{}.{}", short_class_name(&frame.site.method.class), frame.site.method.name);
    Some(format!(
        "code between {} and {} was not recorded, and a condition of it can have come later; ask by running the \
         program again, or record that code with --scope",
        name(caller),
        name(callee)
    ))
}

/// Whether a frame's line has an instruction that can have called the next newer frame's method itself.
/// True if the code is not known.
fn calls(facts: &AnswerFacts<'_>, caller: &Frame, callee: &Frame) -> bool {
    let book = facts.code_book();
    let (at, name) = (&caller.site, &*callee.site.method.name);
    // The VM runs initialisers, and lambdas have methods of their own.
    if name == "<clinit>" || name.starts_with("lambda$") {
        return true;
    }
    let class = facts.run_facts.pool.find(&at.method.class).ok().flatten();
    let method = class.as_ref().and_then(|c| c.file.method(&at.method.name, &at.method.descriptor));
    let Some(code) = method.and_then(|method| method.code.as_ref()) else { return true };
    let line = book.line(&at.method, at.bci);
    code.instructions.iter().filter(|i| line.is_none() || book.line(&at.method, i.pc) == line).any(|i| {
        match &i.op {
            Op::Invoke { method, .. } => &*method.name == name,
            Op::InvokeDynamic { .. } => true,
            _ => false,
        }
    })
}
