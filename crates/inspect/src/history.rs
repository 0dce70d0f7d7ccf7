//! The writes to a field or element in a recording, in order.

use super::error::InspectError;
use super::event::{EventShown, event};
use super::recording::Recording;
use serde::Serialize;
use trace::{CONTENTS, Calls, EventPosition, TEXT, WalkControl, Writes, class_fits, shown_class};

/// A field, an element or the contents of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
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

impl Variable {
    /// Parses a variable.
    ///
    /// # Errors
    /// The text is not a variable.
    pub fn parse(text: &str) -> Result<Variable, InspectError> {
        let parsed = match text.split_once('@') {
            Some((_, of)) => {
                let digits = of.find(|c: char| !c.is_ascii_digit()).unwrap_or(of.len());
                let (number, rest) = of.split_at(digits);
                let number = number.parse().ok();
                let element = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.parse().ok());
                let is_field = |name: &&str| !name.is_empty() && !name.contains(['[', '{', '(']);
                let field = rest.strip_prefix('.').filter(is_field);
                match (number, field, element) {
                    (Some(number), Some(field), _) => Some(Variable::Field(number, field.to_owned())),
                    (Some(number), None, Some(index)) => Some(Variable::Element(number, index)),
                    (Some(number), None, None) if rest.is_empty() => Some(Variable::Contents(number)),
                    _ => None,
                }
            }
            None => text
                .rsplit_once('.')
                .filter(|(class, name)| !class.is_empty() && !name.is_empty())
                .map(|_| Variable::Static(text.to_owned())),
        };
        parsed.ok_or_else(|| InspectError::NoVariable(text.to_owned()))
    }

    /// Its object, if it has one: the number, and the class as the user wrote it.
    fn object<'t>(&self, text: &'t str) -> Option<(u32, &'t str)> {
        match self {
            Variable::Field(object, _) | Variable::Element(object, _) | Variable::Contents(object) => {
                Some((*object, text.split('@').next().unwrap_or_default()))
            }
            Variable::Static(_) => None,
        }
    }

    /// Checks that its object was recorded and has the given class.
    ///
    /// # Errors
    /// The object was not recorded, or has another class; or it has no elements, and the variable is one.
    pub fn check(&self, text: &str, calls: &Calls) -> Result<(), InspectError> {
        if let Some((number, class)) = self.object(text) {
            check_object(calls, number, class)?;
        }
        match self {
            Variable::Element(object, _) => check_element(text, calls.objects.own(*object), calls),
            _ => Ok(()),
        }
    }

    /// Its representation in the tables: an object and the matching parts.
    pub fn parts(&self, calls: &Calls) -> (u32, Vec<u32>) {
        let named = |wanted: &str| {
            let (class, field) = wanted.rsplit_once('.').unwrap_or(("", wanted));
            let owners = calls.sites.field_owners(class, field);
            let is_it = |(declares, name): &(String, String)| name == field && owners.include(declares);
            let fields = (0..).zip(calls.fields()).filter(|(_, name)| is_it(name));
            fields.map(|(number, _)| number).collect()
        };
        let own = |number: &u32| calls.objects.own(*number);
        match self {
            Variable::Field(array, _) if calls.objects.is_array(own(array)) => (own(array), Vec::new()),
            Variable::Field(object, field) => (own(object), named(field)),
            Variable::Element(array, index) if calls.objects.is_array(own(array)) => {
                (own(array), vec![index.cast_unsigned()])
            }
            Variable::Element(object, _) => (own(object), Vec::new()),
            Variable::Contents(object) => (own(object), vec![CONTENTS, TEXT]),
            Variable::Static(field) => (0, named(field)),
        }
    }
}

/// Checks that an object is an array. In a recording, only elements of arrays have writes of their own.
///
/// # Errors
/// It is no array.
pub fn check_element(text: &str, object: u32, calls: &Calls) -> Result<(), InspectError> {
    match calls.objects.is_array(object) {
        true => Ok(()),
        false => {
            Err(InspectError::NoElement { written: text.to_owned(), object: calls.objects.name(object) })
        }
    }
}

/// Checks that an object was recorded and has the class written before its number: `Order` in `Order@80`. For
/// `@80`, any class matches.
///
/// # Errors
/// The object was not recorded, or has another class.
pub fn check_object(calls: &Calls, number: u32, class: &str) -> Result<(), InspectError> {
    let written = format!("{class}@{number}");
    let objects = &calls.objects;
    let own = objects.own(number);
    let Some(found) = objects.class(own).filter(|_| own != 0) else {
        return Err(InspectError::NoSuchObject { written, instead: None });
    };
    // Users write `int[]@9`, `int[3]@9` and `Outer.Rec@7` as displayed, or the full class name.
    let element = |name: &str| name.split('[').next().unwrap_or_default().to_owned();
    let is_it = class.is_empty()
        || class_fits(&element(&shown_class(found)), &element(class))
        || class_fits(found, class);
    let instead = Some(format!("{}@{number}", shown_class(found)));
    if is_it { Ok(()) } else { Err(InspectError::NoSuchObject { written, instead }) }
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

/// The last writes to parts of an object, at most `limit`.
pub fn of_parts(
    trace: &mut Recording,
    variable: &str,
    object: u32,
    parts: &[u32],
    limit: usize,
) -> Result<History, InspectError> {
    let Recording { calls, lines, .. } = trace;
    // A writer may keep its text in a buffer.
    let object = if parts.contains(&TEXT) { calls.text_owner(object)? } else { object };
    let mut rows = Vec::new();
    for part in parts {
        rows.push(calls.write_rows(object, *part)?);
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
    let mut writes = Vec::new();
    for group in groups.into_iter().rev() {
        calls.each_write(group, |calls, seen| {
            let method = seen.method(calls);
            let method = method.map(|m| format!("{}.{}", m.class, m.name)).unwrap_or_default();
            let thread = seen.node.and_then(|node| calls.thread_of(node)).unwrap_or_default();
            let write = event(calls, seen);
            let node = seen.node.map(|node| calls.shown(node));
            let at = seen.position();
            writes.push((at, WriteShown { thread, node, method, run: None, at, write }));
            WalkControl::Next
        })?;
    }
    writes.drain(..writes.len().saturating_sub(limit));
    let mut shown = Vec::with_capacity(writes.len());
    for (at, mut write) in writes {
        if let Some(at) = at {
            lines.correct(calls, at, &mut write.write)?;
        }
        shown.push(write);
    }
    let writes = shown;
    let before = all.saturating_sub(writes.len());
    Ok(History { variable: variable.to_owned(), writes, before, ..History::default() })
}

fn count(writes: Writes) -> usize {
    usize::try_from(writes.count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_named_by_objects_and_classes() {
        let parsed = |text: &str| Variable::parse(text).ok();
        assert_eq!(parsed("Rec@7.bar"), Some(Variable::Field(7, "bar".into())));
        assert_eq!(parsed("@7.bar"), Some(Variable::Field(7, "bar".into())));
        assert_eq!(parsed("int[]@9[3]"), Some(Variable::Element(9, 3)));
        assert_eq!(parsed("com.acme.Shop.open"), Some(Variable::Static("com.acme.Shop.open".into())));
        assert_eq!(parsed("ArrayList@7"), Some(Variable::Contents(7)));
        for none in ["", "bar", "@x.bar", "@7.", "@7[x]", ".bar", "@7[3"] {
            assert_eq!(parsed(none), None, "{none}");
        }
    }
}
