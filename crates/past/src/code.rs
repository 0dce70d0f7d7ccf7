//! The code of a recorded program: what a debugger asks of class files about events.

use crate::error::PastError;
use crate::expression::Unseen;
use crate::fields::Fields;
use classes::{ClassPool, SourceRoots};
use expr::Scope;
use program::code_book::parameter_in;
use program::lineage;
use regex::Regex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use trace::{Calls, EventPosition, Traced, Value};

/// A method by its number in the recording, and a code index in it.
pub type CodeIndex = (u32, u32);

/// Events that are looked at for the code index of a call.
const LOOKED_AT: usize = 64;

/// The class files and sources of a recorded program.
#[derive(Default)]
pub struct Code {
    /// The fields of its classes, and the class files.
    pub fields: Fields,
    /// The sources.
    pub sources: Option<SourceRoots>,
    /// Whether objects of a class belong to a pattern, by both names.
    known: HashMap<(String, String), bool>,
    /// What may have been written without an event.
    unseen: Option<Arc<Unseen>>,
}

impl Code {
    /// Uses these class files and sources, as far as they exist.
    pub fn new(pool: Option<ClassPool>, sources: Option<SourceRoots>) -> Code {
        Code { fields: Fields::new(pool), sources, known: HashMap::new(), unseen: None }
    }

    /// The code index at which the call of an event stands. Of an event that makes a call, it is that of the
    /// last event before it, so that the same variables are visible.
    pub fn index(&self, calls: &mut Calls, at: EventPosition) -> Result<Option<CodeIndex>, PastError> {
        let mut before = at;
        for _ in 0..LOOKED_AT {
            let found = calls.event_at(before, |_, seen| {
                let is_own = seen.node == Some(at.node) && !seen.site.is_nowhere();
                is_own.then(|| match seen.site.what {
                    Traced::Branch(to) => (seen.site.method, u32::from(to)),
                    _ => (seen.site.method, seen.site.bci),
                })
            })?;
            if let Some(found) = found.flatten() {
                return Ok(Some(found));
            }
            let Some(earlier) = calls.preceding(before)? else { break };
            before = earlier;
        }
        Ok(calls.method_number(at.node).map(|method| (method, 0)))
    }

    /// What the calls of the recording may have written without an event.
    pub fn unseen(&mut self, calls: &Calls) -> Arc<Unseen> {
        let pool = self.fields.pool();
        self.unseen
            .get_or_insert_with(|| Arc::new(Unseen::of(calls, pool, false).with_less(calls, pool)))
            .clone()
    }

    /// The parameters of a method that its code assigns, by their positions. `None` without its class file.
    pub fn assigned_parameters(&self, method: &trace::Method) -> Option<HashSet<usize>> {
        let found = self.fields.pool()?.find(&method.class).ok()??;
        let code = found.file.method(&method.name, &method.descriptor)?.code.as_ref()?;
        let stored = code.instructions.iter().filter_map(|instruction| instruction.op.stored_slot());
        let position = |slot| parameter_in(&method.descriptor, method.is_static, slot);
        Some(stored.filter_map(|(slot, _)| position(slot)).collect())
    }

    /// The names of the variables that are visible at a code index; `None` if they are not known.
    pub fn visible(&self, calls: &Calls, (method, bci): CodeIndex) -> Option<HashSet<String>> {
        let method = calls.sites.method(method)?;
        let class = self.fields.pool()?.find(&method.class).ok()??;
        let found = class.file.method(&method.name, &method.descriptor)?;
        let scope = Scope::at(&class.file, found, bci);
        scope.has_variable_table.then(|| scope.locals.into_iter().map(|local| local.name).collect())
    }

    /// The class files.
    pub fn pool(&self) -> Result<&ClassPool, String> {
        self.fields.pool().ok_or_else(|| "the program's class files are not there any more".to_owned())
    }

    /// Whether the exception of an event is of one of these classes, or of a subclass.
    pub fn is_of_classes(
        &mut self,
        calls: &mut Calls,
        at: EventPosition,
        classes: &[String],
    ) -> Result<bool, PastError> {
        if classes.is_empty() {
            return Ok(true);
        }
        let thrown = calls.event_at(at, |_, seen| seen.values.first().copied())?.flatten();
        let Some(Value::Object(thrown)) = thrown else { return Ok(false) };
        let Some(class) = calls.objects.class(thrown).map(ToString::to_string) else { return Ok(false) };
        Ok(classes.iter().any(|pattern| self.is_of_class(&class, pattern)))
    }

    /// Whether an exception is of a class, or of a subclass.
    pub fn is_kind_of(&mut self, calls: &Calls, exception: u32, class: &str) -> bool {
        let own = calls.objects.class(exception).map(ToString::to_string);
        own.is_some_and(|own| self.is_of_class(&own, class))
    }

    fn is_of_class(&mut self, class: &str, pattern: &str) -> bool {
        let key = (class.to_owned(), pattern.to_owned());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let found = self.fields.pool().and_then(|pool| Some((pool, pool.find(class).ok()??)));
        let is_one = fits(class, pattern)
            || found.is_some_and(|(pool, found)| {
                lineage(pool, &found.file)
                    .iter()
                    .any(|above| !above.is_interface() && fits(&above.name, pattern))
            });
        self.known.insert(key, is_one);
        is_one
    }
}

/// Whether a class has a name: the full one, the simple one, or one with `*` for any part.
fn fits(class: &str, pattern: &str) -> bool {
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    let any = regex::escape(pattern).replace(r"\*", ".*");
    Regex::new(&format!("^{any}$")).is_ok_and(|fits| fits.is_match(class) || fits.is_match(simple))
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_name_classes() {
        let class = "java.util.NoSuchElementException";
        for pattern in [class, "NoSuchElementException", "java.util.*", "*Element*", "NoSuch*", "*"] {
            assert!(fits(class, pattern), "{pattern}");
        }
        for pattern in ["java.util", "Exception", "java.io.*", "*Elements*", "Such*"] {
            assert!(!fits(class, pattern), "{pattern}");
        }
    }
}
