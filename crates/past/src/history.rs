//! The writes to a field or element in a recording, in order.

use super::error::PastError;
use super::event::{EventShown, add_line, event};
use super::heap::ObjectPart;
use super::moment::Moment;
use super::name::Variable;
use super::object_names::{check_element, check_object, declaring_class};
use super::recording::Recording;
use super::replaced::{Replaced, add_replaced};
use serde::Serialize;
use std::collections::VecDeque;
use trace::{CONTENTS, Calls, EventPosition, TEXT, Traced, WalkControl, Writes};

/// A field, an element or the contents of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedVariable {
    /// `Rec@7.bar` or `@7.bar`: a field of an object, by the object's number. `@7.Base.bar` is the field
    /// declared by class `Base`.
    Field(u32, String),
    /// `int[]@9[3]` or `@9[3]`: an array element, by the array's number.
    Element(u32, i32),
    /// `ArrayList@5` or `@5`: the contents of a JDK collection, or the text of a builder or stream, by its
    /// number.
    Contents(u32),
    /// `com.acme.Shop.open`: a static field, by the name of its declaring class or the end of that name.
    Static(String),
}

impl NamedVariable {
    /// Parses a variable.
    ///
    /// # Errors
    /// The text is not a variable.
    pub fn parse(text: &str) -> Result<NamedVariable, PastError> {
        let parsed = match text.split_once('@') {
            Some((_, of)) => {
                let digits = of.find(|c: char| !c.is_ascii_digit()).unwrap_or(of.len());
                let (number, rest) = of.split_at(digits);
                let number = number.parse().ok();
                let element = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.parse().ok());
                let is_field = |name: &&str| !name.is_empty() && !name.contains(['[', '{', '(']);
                let field = rest.strip_prefix('.').filter(is_field);
                match (number, field, element) {
                    (Some(number), Some(field), _) => Some(NamedVariable::Field(number, field.to_owned())),
                    (Some(number), None, Some(index)) => Some(NamedVariable::Element(number, index)),
                    (Some(number), None, None) if rest.is_empty() => Some(NamedVariable::Contents(number)),
                    _ => None,
                }
            }
            None => text
                .rsplit_once('.')
                .filter(|(class, name)| !class.is_empty() && !name.is_empty())
                .map(|_| NamedVariable::Static(text.to_owned())),
        };
        parsed.ok_or_else(|| PastError::NoVariable(text.to_owned()))
    }

    /// A field of an object without a class, if it is one: the object and the name.
    pub fn field(&self, calls: &Calls) -> Option<(u32, &str)> {
        match self {
            NamedVariable::Field(object, name) if !name.contains('.') => {
                Some((calls.objects.own(*object), name))
            }
            _ => None,
        }
    }

    /// Its object, if it has one: the number, and the class as the user wrote it.
    fn object<'t>(&self, text: &'t str) -> Option<(u32, &'t str)> {
        match self {
            NamedVariable::Field(object, _)
            | NamedVariable::Element(object, _)
            | NamedVariable::Contents(object) => Some((*object, text.split('@').next().unwrap_or_default())),
            NamedVariable::Static(_) => None,
        }
    }

    /// Checks that its object was recorded and has the given class.
    ///
    /// # Errors
    /// The object was not recorded, or has another class; or it has no elements, and the variable is one.
    pub fn check(&self, text: &str, calls: &Calls) -> Result<(), PastError> {
        if let Some((number, class)) = self.object(text) {
            check_object(calls, number, class)?;
        }
        match self {
            NamedVariable::Element(object, _) => check_element(text, calls.objects.own(*object), calls),
            _ => Ok(()),
        }
    }

    /// Its representation in the tables: an object and the matching parts.
    pub fn parts(&self, calls: &Calls) -> (u32, Vec<u32>) {
        let named = |class: &str, field: &str| {
            let owners = calls.sites.field_owners(class, field);
            let is_it = |(declares, name): &(String, String)| name == field && owners.include(declares);
            let fields = (0..).zip(calls.fields()).filter(|(_, name)| is_it(name));
            fields.map(|(number, _)| number).collect()
        };
        let split = |wanted: &'_ str| match wanted.rsplit_once('.') {
            Some((class, field)) => (class.to_owned(), field.to_owned()),
            None => (String::new(), wanted.to_owned()),
        };
        let own = |number: &u32| calls.objects.own(*number);
        match self {
            NamedVariable::Field(array, _) if calls.objects.is_array(own(array)) => (own(array), Vec::new()),
            NamedVariable::Field(object, field) => {
                let (class, field) = split(field);
                let object = own(object);
                let class = match class.is_empty() {
                    // The nearest field of this name hides others.
                    true => declaring_class(calls, object, &field).unwrap_or_default(),
                    false => class,
                };
                (object, named(&class, &field))
            }
            NamedVariable::Element(array, index) if calls.objects.is_array(own(array)) => {
                (own(array), vec![index.cast_unsigned()])
            }
            NamedVariable::Element(object, _) => (own(object), Vec::new()),
            NamedVariable::Contents(object) => (own(object), vec![CONTENTS, TEXT]),
            NamedVariable::Static(field) => {
                let (class, field) = split(field);
                (0, named(&class, &field))
            }
        }
    }
}

/// The writes to a variable.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct History {
    /// The requested variable.
    pub variable: String,
    /// The writes, in their order.
    pub writes: Vec<WriteShown>,
    /// Number of earlier writes.
    pub before: usize,
    /// The calls whose writes are displayed, because only later runs recorded them. Empty if the run itself
    /// was recorded with writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<u32>,
    /// What the recording lacks that can matter here, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl History {
    /// Which calls the writes are of, if they are not those of the whole run.
    pub fn coverage(&self) -> Option<String> {
        let calls: Vec<String> = self.only.iter().map(|node| format!("#{node}")).collect();
        (!calls.is_empty()).then(|| {
            format!(
                "writes are known only for the calls recorded again: {} and those below",
                calls.join(", ")
            )
        })
    }
}

/// A write.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WriteShown {
    /// Name of the thread.
    pub thread: String,
    /// The call that contains it.
    pub node: Option<u32>,
    /// The method of that call, as CLASS.METHOD.
    pub method: String,
    /// The later run that recorded it, by the name of its folder in `details`; `None` for the first run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Its position; `None` outside any call.
    #[serde(skip)]
    pub at: Option<EventPosition>,
    /// The write.
    #[serde(flatten)]
    pub write: EventShown,
}

impl Recording {
    /// The last writes to a variable, and to the contents of the collection that it refers to at a moment, at
    /// most `limit`.
    ///
    /// # Errors
    /// There is no such variable, or the events cannot be read.
    pub fn history(&mut self, moment: Moment, name: &str, limit: usize) -> Result<History, PastError> {
        let name = name.trim();
        let variable = self.variable(moment, name)?;
        if let Variable::Local { node, name } = &variable {
            return local_history(self, *node, name, limit);
        }
        let all = self.with_contents(moment, variable)?;
        let keys: Vec<(u32, u32)> = all.iter().filter_map(Variable::key).collect();
        let found = of_keys(self, name, &keys, limit)?;
        let mut missing = self.missing();
        if let Some(Variable::Part { object, part: ObjectPart { name: Some(name), .. } }) = all.first() {
            missing.extend(self.unrecorded_changes(*object, name, &found)?);
        }
        Ok(History { missing, ..found })
    }
}

/// The last writes to parts of an object, at most `limit`.
///
/// # Errors
/// The events cannot be read.
pub fn of_parts(
    trace: &mut Recording,
    variable: &str,
    object: u32,
    parts: &[u32],
    limit: usize,
) -> Result<History, PastError> {
    // A writer may keep its text in a buffer.
    let object = if parts.contains(&TEXT) { trace.calls.text_owner(object)? } else { object };
    let keys: Vec<(u32, u32)> = parts.iter().map(|part| (object, *part)).collect();
    of_keys(trace, variable, &keys, limit)
}

/// The last writes to these parts of objects, at most `limit`.
fn of_keys(
    trace: &mut Recording,
    variable: &str,
    keys: &[(u32, u32)],
    limit: usize,
) -> Result<History, PastError> {
    let Recording { calls, lines, .. } = trace;
    let mut rows = Vec::new();
    for (object, part) in keys {
        rows.push(calls.write_rows(*object, *part)?);
    }
    let all: usize = rows.iter().cloned().flatten().map(|row| count(calls.writes_in(row))).sum();
    let mut last = rows;
    let mut groups: Vec<Writes> = Vec::new();
    let mut there = 0;
    // Collects the latest rows of all parts until there are enough writes.
    while there < limit {
        let ends = last.iter_mut().filter_map(|rows| {
            let row = rows.end.checked_sub(1).filter(|row| rows.contains(row))?;
            Some((calls.writes_in(row), rows))
        });
        let Some((writes, rows)) = ends.max_by_key(|(writes, _)| writes.first) else { break };
        rows.end -= 1;
        there += count(writes);
        groups.push(writes);
    }
    let mut found = Vec::new();
    for group in groups.into_iter().rev() {
        calls.each_write(group, |calls, seen| {
            let method = seen.method(calls);
            let method = method.map(trace::Method::shown).unwrap_or_default();
            let thread = seen.node.and_then(|node| calls.thread_of(node)).unwrap_or_default();
            let write = event(calls, seen);
            let node = seen.node.map(|node| calls.shown(node));
            let at = seen.position();
            let shown = WriteShown { thread, node, method, run: None, at, write };
            found.push((seen.when(), Replaced::by(seen), shown));
            WalkControl::Next
        })?;
    }
    found.sort_by_key(|(when, ..)| *when);
    found.drain(..found.len().saturating_sub(limit));
    for (.., shown) in &mut found {
        if let Some(at) = shown.at {
            lines.correct(calls, at, &mut shown.write)?;
            add_line(calls, at, &mut shown.write)?;
        }
    }
    let replaced = found.iter_mut().filter_map(|(when, of, shown)| Some((*when, (*of)?, &mut shown.write)));
    add_replaced(calls, replaced)?;
    let writes: Vec<WriteShown> = found.into_iter().map(|(.., shown)| shown).collect();
    let before = all.saturating_sub(writes.len());
    Ok(History { variable: variable.to_owned(), writes, before, ..History::default() })
}

/// The writes to a local variable of a call, at most the last `limit`.
///
/// # Errors
/// The entry of the call was not recorded, or its events cannot be read.
fn local_history(trace: &mut Recording, node: u32, name: &str, limit: usize) -> Result<History, PastError> {
    let calls = &mut trace.calls;
    let thread = calls.thread_of(node).unwrap_or_default();
    let begin = calls.entry(node).ok_or_else(|| PastError::NoVariable(name.to_owned()))?;
    let mut writes = VecDeque::new();
    let mut before = 0;
    calls.events_after(begin, |calls, seen| {
        let named = seen.site.written.as_ref().is_some_and(|written| written.name == name);
        if named && matches!(seen.site.what, Traced::Local { .. }) {
            let method = calls.sites.method(seen.site.method);
            let method = method.map(trace::Method::shown).unwrap_or_default();
            let write = event(calls, seen);
            let (thread, node) = (thread.clone(), Some(calls.shown(node)));
            let at = seen.position();
            writes.push_back((at, WriteShown { thread, node, method, run: None, at, write }));
            if writes.len() > limit {
                writes.pop_front();
                before += 1;
            }
        }
        true
    })?;
    let Recording { calls, lines, .. } = trace;
    let mut shown = Vec::with_capacity(writes.len());
    for (at, mut write) in writes {
        if let Some(at) = at {
            lines.correct(calls, at, &mut write.write)?;
        }
        shown.push(write);
    }
    let missing = trace.missing_in(node);
    Ok(History { variable: name.to_owned(), writes: shown, before, missing, ..History::default() })
}

fn count(writes: Writes) -> usize {
    usize::try_from(writes.count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_named_by_objects_and_classes() {
        let parsed = |text: &str| NamedVariable::parse(text).ok();
        assert_eq!(parsed("Rec@7.bar"), Some(NamedVariable::Field(7, "bar".into())));
        assert_eq!(parsed("@7.bar"), Some(NamedVariable::Field(7, "bar".into())));
        assert_eq!(parsed("int[]@9[3]"), Some(NamedVariable::Element(9, 3)));
        assert_eq!(parsed("com.acme.Shop.open"), Some(NamedVariable::Static("com.acme.Shop.open".into())));
        assert_eq!(parsed("ArrayList@7"), Some(NamedVariable::Contents(7)));
        for none in ["", "bar", "@x.bar", "@7.", "@7[x]", ".bar", "@7[3"] {
            assert_eq!(parsed(none), None, "{none}");
        }
    }
}
