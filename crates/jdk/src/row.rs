//! A row of the table.

use crate::facts::{
    Arrays, Calls, Change, Contents, Facts, Fields, Holds, Objects, Reads, Returns, TextChange, Writes,
};
use crate::pattern;

/// The facts about a method, or about all methods that match.
///
/// | part | text | matches |
/// | --- | --- | --- |
/// | class | `java.util.Arrays` | the class |
/// | | `java.util.*` | the classes of the package: `*` stands for text without a dot |
/// | | `java.util.**` | also the classes of its subpackages: `**` stands for any text |
/// | | `java.lang.**Error` | the classes whose names end so |
/// | | `[]` | all arrays |
/// | name | `sort` | the methods with that name |
/// | | `set*` | the methods whose names begin so, including `set` |
/// | | `*` | all methods |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The binary name of the class, or a pattern.
    pub class: &'static str,
    /// The name of the method, or a pattern.
    pub name: &'static str,
    /// Selects among the methods with that name.
    pub descriptor: Descriptor,
    /// The first JDK version with the method; 0 if all supported versions have it.
    pub since: u32,
    /// Whether a program class can have the method too, because it overrides or inherits it.
    pub is_inherited: bool,
    /// The facts.
    pub facts: Facts,
}

/// Selects methods with the same name by their descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Descriptor {
    /// All.
    Any,
    /// Those that take an array.
    TakesArray,
    /// Those whose first parameters are an array and an `int`.
    BeginsWithElement,
    /// Those whose descriptor begins so.
    Begins(&'static str),
    /// The one with this descriptor.
    Is(&'static str),
}

impl Descriptor {
    /// Whether it selects a method with this descriptor.
    pub fn matches(self, descriptor: &str) -> bool {
        match self {
            Descriptor::Any => true,
            Descriptor::TakesArray => descriptor.split(')').next().is_some_and(|given| given.contains('[')),
            Descriptor::BeginsWithElement => begins_with_element(descriptor).unwrap_or(false),
            Descriptor::Begins(begin) => descriptor.starts_with(begin),
            Descriptor::Is(whole) => descriptor == whole,
        }
    }

    /// How precise it is; higher is more precise.
    pub(crate) fn precision(self) -> usize {
        match self {
            Descriptor::Any => 0,
            Descriptor::TakesArray => 1,
            Descriptor::BeginsWithElement => 2,
            Descriptor::Begins(begin) => 3 + begin.len(),
            Descriptor::Is(_) => usize::MAX,
        }
    }
}

fn begins_with_element(descriptor: &str) -> Option<bool> {
    let element = descriptor.strip_prefix("([")?.trim_start_matches('[');
    let behind = match element.strip_prefix('L') {
        Some(class) => class.split_once(';')?.1,
        None => element.get(1..)?,
    };
    Some(behind.starts_with('I'))
}

impl Row {
    /// Whether the row describes a method.
    pub fn matches(&self, class: &str, name: &str, descriptor: &str) -> bool {
        pattern::matches_name(self.name, name) && self.descriptor.matches(descriptor) && self.covers(class)
    }

    /// Whether the row describes methods of this class.
    pub fn covers(&self, class: &str) -> bool {
        pattern::matches_class(self.class, class)
    }

    /// How precise it is; higher is more precise. The class counts first, then the name, then the descriptor.
    pub(crate) fn precision(&self) -> (usize, usize, usize) {
        (pattern::precision(self.class), pattern::precision(self.name), self.descriptor.precision())
    }

    /// Restricts the row to the methods that a descriptor selects.
    pub(crate) const fn of(mut self, descriptor: Descriptor) -> Row {
        self.descriptor = descriptor;
        self
    }

    /// Restricts the row to the method with this descriptor.
    pub(crate) const fn is(self, descriptor: &'static str) -> Row {
        self.of(Descriptor::Is(descriptor))
    }

    /// Restricts the row to the methods whose descriptor begins so.
    pub(crate) const fn begins(self, descriptor: &'static str) -> Row {
        self.of(Descriptor::Begins(descriptor))
    }

    /// Marks a method that exists since this JDK version.
    pub(crate) const fn since(mut self, version: u32) -> Row {
        self.since = version;
        self
    }

    /// Marks a method that program classes can have too.
    pub(crate) const fn inherited(mut self) -> Row {
        self.is_inherited = true;
        self
    }

    /// See [`Facts::reads`].
    pub(crate) const fn reads(mut self, reads: Reads) -> Row {
        self.facts.reads = Some(reads);
        self
    }

    /// See [`Facts::writes`].
    pub(crate) const fn writes(mut self, writes: Writes) -> Row {
        self.facts.writes = Some(writes);
        self
    }

    /// See [`Facts::arrays`].
    pub(crate) const fn arrays(mut self, arrays: Arrays) -> Row {
        self.facts.arrays = Some(arrays);
        self
    }

    /// See [`Facts::objects`].
    pub(crate) const fn objects(mut self, objects: Objects) -> Row {
        self.facts.objects = Some(objects);
        self
    }

    /// See [`Facts::fields`].
    pub(crate) const fn fields(mut self, fields: Fields) -> Row {
        self.facts.fields = Some(fields);
        self
    }

    /// See [`Facts::contents`].
    pub(crate) const fn contents(mut self, contents: Contents) -> Row {
        self.facts.contents = Some(contents);
        self
    }

    /// See [`Facts::change`].
    pub(crate) const fn change(mut self, change: Change) -> Row {
        self.facts.change = Some(change);
        self
    }

    /// See [`Facts::text`].
    pub(crate) const fn text(mut self, text: TextChange) -> Row {
        self.facts.text = Some(text);
        self
    }

    /// See [`Facts::holds`].
    pub(crate) const fn holds(mut self, holds: Holds) -> Row {
        self.facts.holds = Some(holds);
        self
    }

    /// See [`Facts::returns`].
    pub(crate) const fn returns(mut self, returns: Returns) -> Row {
        self.facts.returns = Some(returns);
        self
    }

    /// See [`Facts::calls`].
    pub(crate) const fn calls(mut self, calls: Calls) -> Row {
        self.facts.calls = Some(calls);
        self
    }

    /// See [`Facts::pure`].
    pub(crate) const fn pure(mut self, is_pure: bool) -> Row {
        self.facts.pure = Some(is_pure);
        self
    }

    /// See [`Facts::entered`].
    pub(crate) const fn entered(mut self) -> Row {
        self.facts.entered = Some(true);
        self
    }
}

/// A row about all methods with that name, which states no facts yet.
pub(crate) const fn row(class: &'static str, name: &'static str) -> Row {
    Row { class, name, descriptor: Descriptor::Any, since: 0, is_inherited: false, facts: Facts::NONE }
}
