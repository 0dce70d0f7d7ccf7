//! Describes events that a run cannot observe, and what of the program can cause them.

use super::answer_facts::AnswerFacts;
use crate::model::short_class_name;
use crate::program::UnseenWriters;
use crate::query::{Event, Field, Making};

/// Number of methods that are named.
const NAMED: usize = 3;
/// ACC_TRANSIENT (JVMS table 4.5-A).
const ACC_TRANSIENT: u16 = 0x0080;

/// What is known about a change that the event did not observe: the limits of the event, or the program's
/// calls that write fields without an event.
pub fn missed_writes(facts: &AnswerFacts<'_>, event: &Event) -> String {
    if let Some(limits) = limits(event) {
        return limits.to_owned();
    }
    match unseen_writes(facts) {
        Some(unseen) => format!("{unseen}: it is unknown which of them wrote it"),
        None => "What wrote it is unknown: no class on the class path calls reflection, handles, field \
                 updaters or deserialisation, or has native methods"
            .to_owned(),
    }
}

/// What events of this kind never show; `None` for fields, where the program's code says more.
fn limits(event: &Event) -> Option<&'static str> {
    match event {
        Event::Changed(_) => Some(
            "Map.Entry.setValue, clone, deserialisation, reflection, and simultaneous changes of a collection by \
             two threads are not seen",
        ),
        Event::ElementWritten(_) => Some(
            "Not seen are elements that native code stores, that the JDK stores into an array that it makes (clone, \
             Arrays.copyOf, toArray, a collection's own array), or through a view of the array (Arrays.asList, \
             ByteBuffer.wrap)",
        ),
        Event::Stored(_) => Some(
            "Nothing but its own method stores to a local variable, so an earlier store may be shown instead of \
             the last one",
        ),
        _ => None,
    }
}

/// The program's calls and methods whose writes raise no event, if it has some.
pub fn unseen_writes(facts: &AnswerFacts<'_>) -> Option<String> {
    let UnseenWriters { calls, natives, is_whole } = UnseenWriters::of(&facts.run_facts.pool);
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
    Some(format!("; `readObject`, which {by} calls, leaves `transient` fields so"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reflection_stores_to_no_local_variable() {
        assert!(limits(&Event::Stored(Vec::new())).is_some_and(|text| !text.contains("reflection")));
    }
}
