//! Every write to a field or an element of a recorded run, in their order.

use super::error::SessionError;
use super::events::{EventShown, event, index};
use super::record::RecordedTrace;
use crate::trace::{Calls, Level, Seen, Then, Traced, Value};
use serde::Serialize;
use std::path::Path;

/// A field or an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// `Rec@7.bar` or `@7.bar`: a field of an object, by its number; `@7.Base.bar` the one that this class declares.
    Field(u32, String),
    /// `int[]@9[3]` or `@9[3]`: an element of an array, by its number.
    Element(u32, i32),
    /// `com.acme.Shop.open`: a static field, by the name of the class that declares it, or how that ends.
    Static(String),
}

impl Variable {
    /// From its text.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Variable, SessionError> {
        let parsed = match text.split_once('@') {
            Some((_, of)) => {
                let digits = of.find(|c: char| !c.is_ascii_digit()).unwrap_or(of.len());
                let (number, rest) = of.split_at(digits);
                let number = number.parse().ok();
                let element = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.parse().ok());
                let field = rest.strip_prefix('.').filter(|name| !name.is_empty());
                match (number, field, element) {
                    (Some(number), Some(field), _) => Some(Variable::Field(number, field.to_owned())),
                    (Some(number), None, Some(index)) => Some(Variable::Element(number, index)),
                    _ => None,
                }
            }
            None => text
                .rsplit_once('.')
                .filter(|(class, name)| !class.is_empty() && !name.is_empty())
                .map(|_| Variable::Static(text.to_owned())),
        };
        parsed.ok_or_else(|| SessionError::NoVariable(text.to_owned()))
    }

    /// Whether an event writes it.
    fn is_written(&self, calls: &Calls, seen: &Seen<'_>) -> bool {
        let is_field = |wanted: &str| {
            let (class, field) = wanted.rsplit_once('.').unwrap_or(("", wanted));
            seen.site.written.as_ref().is_some_and(|written| {
                written.name == field
                    && (class.is_empty() || ends_with(&calls.sites.declares(written), class))
            })
        };
        match (self, seen.site.what) {
            (Variable::Field(object, field), Traced::Put) => {
                seen.values.first() == Some(&Value::Object(*object)) && is_field(field)
            }
            (Variable::Field(object, field), Traced::Preset) => {
                seen.node.and_then(|node| calls.born(node)) == Some(*object) && is_field(field)
            }
            (Variable::Element(array, at), Traced::Element(_)) => {
                seen.values.first() == Some(&Value::Object(*array))
                    && seen.values.get(1).and_then(index) == Some(*at)
            }
            (Variable::Static(field), Traced::PutStatic) => is_field(field),
            _ => false,
        }
    }
}

/// Whether a class is named by how its name ends: `Shop` is `com.acme.Shop`.
fn ends_with(class: &str, wanted: &str) -> bool {
    let (class, wanted) = (class.replace('$', "."), wanted.replace('$', "."));
    class.strip_suffix(&wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The writes to a variable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct History {
    /// What was asked.
    pub variable: String,
    /// The writes, in their order.
    pub writes: Vec<WriteShown>,
    /// How many there were before those.
    pub before: usize,
}

/// A write.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WriteShown {
    /// The name of the thread.
    pub thread: String,
    /// The call that it is in.
    pub node: Option<u32>,
    /// The method of that, as CLASS.METHOD.
    pub method: String,
    /// The write.
    #[serde(flatten)]
    pub write: EventShown,
}

/// Shows the last so many writes to a variable.
///
/// # Errors
/// The folder holds no recorded run, or one without writes, or the text names no variable.
pub fn history(folder: &Path, variable: &str, limit: usize) -> Result<History, SessionError> {
    let wanted = Variable::parse(variable)?;
    let RecordedTrace { about, mut calls } = RecordedTrace::open(folder)?;
    if about.level < Level::Writes {
        return Err(SessionError::NoWrites);
    }
    let mut found: Vec<((u64, usize), WriteShown)> = Vec::new();
    let mut before = 0;
    for (number, thread, _) in calls.threads() {
        let mut count = 0;
        calls.walk(number, None, |calls, seen| {
            count += 1;
            if wanted.is_written(calls, seen) {
                let method = calls.sites.method(seen.site.method);
                let method = method.map(|m| format!("{}.{}", m.class, m.name)).unwrap_or_default();
                let write = event(calls, seen);
                let shown = WriteShown { thread: thread.clone(), node: seen.node, method, write };
                found.push(((seen.turn, count), shown));
            }
            Then::Next
        })?;
        // Turns order what different threads have written.
        found.sort_by_key(|(at, _)| *at);
        let more = found.len().saturating_sub(limit);
        before += more;
        found.drain(..more);
    }
    let writes = found.into_iter().map(|(_, write)| write).collect();
    Ok(History { variable: variable.to_owned(), writes, before })
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
        for none in ["", "bar", "@x.bar", "@7", "@7.", "@7[x]", ".bar", "@7[3"] {
            assert_eq!(parsed(none), None, "{none}");
        }
    }
}
