//! Describes events that a run cannot observe, and what of the program can cause them.

use super::answer_facts::AnswerFacts;
use bytecode::class::ACC_TRANSIENT;
use bytecode::{ClassFile, Method, Op};
use model::{Occurrence, short_class_name};
use program::{UnseenCalls, UnseenWriters, lineage};
use query::{Event, Field, Making};

const SERIALIZABLE: &str = "java.io.Serializable";
/// Number of methods that are named.
const NAMED: usize = 3;

/// What is known about a change that the event did not observe: the program's calls that make such changes
/// without an event.
pub fn missed_writes(facts: &AnswerFacts<'_>, event: &Event) -> String {
    let (of, changed, none) = match event {
        Event::Stored(_) => return OF_LOCAL.to_owned(),
        Event::Changed(_) => (UnseenCalls::OfContents, "changed", "clone, setValue"),
        Event::ElementWritten(_) => (UnseenCalls::OfElements, "wrote", "copies or views of arrays"),
        _ => (UnseenCalls::OfFields, "wrote", "field updaters"),
    };
    match unseen(facts, of) {
        Some(unseen) => format!("{unseen}: it is unknown which of them {changed} it"),
        None => format!(
            "What {changed} it is unknown: no class on the class path calls reflection, handles, {none} or \
             deserialisation, or has native methods"
        ),
    }
}

/// A store to a local variable is missed only if the stores were observed wrongly.
const OF_LOCAL: &str = "Nothing but its own method stores to a local variable, so an earlier store may be \
                        shown instead of the last one";

/// The program's calls and methods that write fields without an event, if it has some.
pub fn unseen_writes(facts: &AnswerFacts<'_>) -> Option<String> {
    unseen(facts, UnseenCalls::OfFields)
}

fn unseen(facts: &AnswerFacts<'_>, of: UnseenCalls) -> Option<String> {
    let UnseenWriters { calls, natives, is_whole } = UnseenWriters::making(&facts.run_facts.pool, of);
    let more =
        |count: usize| if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
    let mut parts = Vec::new();
    if !calls.is_empty() {
        let call = |(by, called): &(_, String)| format!("{} in {by}", short_class_name(called));
        let named: Vec<String> = calls.iter().take(NAMED).map(call).collect();
        parts.push(format!("the program's calls of {}{}", named.join(", "), more(calls.len())));
    }
    if !natives.is_empty() {
        let named: Vec<String> = natives.iter().take(NAMED).map(ToString::to_string).collect();
        parts.push(format!("its native methods {}{}", named.join(", "), more(natives.len())));
    }
    if !is_whole {
        parts.push("classes that could not be searched".to_owned());
    }
    (!parts.is_empty()).then(|| format!("No event tells what {} write", parts.join("; ")))
}

/// Says of a transient field that deserialisation leaves it out, if the program deserialises.
pub fn left_out(facts: &AnswerFacts<'_>, field: &Field) -> Option<String> {
    let pool = &facts.run_facts.pool;
    let class = pool.find(&field.class).ok().flatten()?;
    class.file.field(&field.name).filter(|declared| declared.access & ACC_TRANSIENT != 0)?;
    let calls = UnseenWriters::of(pool).calls;
    let (by, _) = calls.iter().find(|(_, called)| called == "java.io.ObjectInputStream.readObject")?;
    Some(format!("; `readObject`, which {by} calls, does not set `transient` fields"))
}

/// Says that an object was made by deserialisation, which runs no constructor of a serialisable class: no
/// write of a field was seen, and each constructor writes it. `at` is where the field was seen.
pub fn without_constructor(facts: &AnswerFacts<'_>, field: &Field, at: &Occurrence) -> Option<String> {
    let pool = &facts.run_facts.pool;
    let found = pool.find(&field.class).ok().flatten()?;
    // Until a constructor has returned, the write can still come.
    let mut stack = facts.run_facts.outcome.tables.stack(at.stack);
    let constructs = stack.any(|frame| &*frame.site.method.name == "<init>");
    if field.is_static || constructs || !each_constructor_writes(&found.file, &field.name) {
        return None;
    }
    let is_serialisable =
        lineage(pool, &found.file).iter().any(|class| class.interfaces.iter().any(|of| of == SERIALIZABLE));
    if !is_serialisable {
        return None;
    }
    let readers = UnseenWriters::of(pool).calls;
    let (by, called) = readers.iter().find(|(_, called)| called.starts_with("java.io.ObjectInputStream."))?;
    let (class, name) = (short_class_name(&field.class), &field.name);
    let declared = found.file.field(name)?;
    let end = match declared.access & ACC_TRANSIENT {
        0 => "and sets the fields that the stream has".to_owned(),
        _ => format!("and {name} is transient: the stream does not have it"),
    };
    Some(format!(
        "Each constructor of {class} writes it, so none ran for this object: deserialisation ({} in {by}) \
         makes objects without one, {end}",
        short_class_name(called)
    ))
}

/// Whether each constructor of a class certainly writes a field: it calls another one, or a write comes
/// before its first branch.
fn each_constructor_writes(class: &ClassFile, field: &str) -> bool {
    let mut constructors = class.methods_named("<init>").peekable();
    let writes = |method: &Method| {
        let code = method.code.iter().flat_map(|code| &code.instructions);
        let straight = code.take_while(|instruction| instruction.op.targets().is_empty());
        straight.map(|instruction| &instruction.op).any(|op| match op {
            Op::PutField(put) => put.name == field && put.class == class.name,
            Op::Invoke { method, .. } => method.name == "<init>" && method.class == class.name,
            _ => false,
        })
    };
    constructors.peek().is_some() && constructors.all(writes)
}

/// The kind of change that the event can miss.
pub fn missable(event: &Event) -> &'static str {
    if matches!(event, Event::Changed(_)) { "change" } else { "write" }
}

/// Explains why no creation was observed, and how objects can be created unobserved.
pub fn unmade(making: &Making) -> &'static str {
    match making {
        Making::Object { .. } => {
            "its creation was not seen: clone, deserialisation, Unsafe and native code run no constructor of its class, \
             and objects that existed before the program was watched are unknown"
        }
        Making::Array { .. } => {
            "its creation was not seen: arrays that the JDK or native code creates (clone, Arrays.copyOf, toArray, the arguments of \
             main, values() of an enum) are not seen"
        }
    }
}
