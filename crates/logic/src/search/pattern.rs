//! What is asked for of an event.

use super::wanted::Wanted;
use crate::log::Kind;
use std::collections::BTreeSet;
use std::ops::Range;

/// The receiver of a call, or the owner of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Owner {
    /// Any.
    #[default]
    Any,
    /// `c(Class)`: the class itself, for a static method or field.
    Class(Option<String>),
    /// `o(Class, Number)`: an object.
    Object {
        /// Its class, if that is asked for.
        class: Option<String>,
        /// Its number as it is shown, if that is asked for.
        number: Option<u32>,
    },
}

/// What is asked for of an event. Parts that are `None` fit everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The ids.
    pub ids: Range<u64>,
    /// The name of the thread.
    pub thread: Option<String>,
    /// The kinds; empty means all.
    pub kinds: Vec<Kind>,
    /// The id of the call, for an exit.
    pub call: Option<u64>,
    /// The name of the method or field.
    pub name: Option<String>,
    /// The receiver or owner.
    pub owner: Owner,
    /// The numbers of the methods; `None` if the name alone selects them.
    pub methods: Option<BTreeSet<u32>>,
    /// The class by which a field is named: it declares or inherits the field. The end of the name is enough.
    pub declared_by: Option<String>,
    /// The classes of the receivers and owners. Static members have none, and constructors may have none yet.
    pub receivers: Option<BTreeSet<String>>,
    /// The source file.
    pub file: Option<String>,
    /// The source line.
    pub line: Option<u16>,
    /// The value written or returned.
    pub value: Option<Wanted>,
    /// The arguments of a call, by position.
    pub arguments: Vec<(usize, Wanted)>,
    /// The number of arguments of a call.
    pub arity: Option<usize>,
    /// The thrown exception, or the array or collection.
    pub object: Owner,
    /// Whether only exceptions are asked for that nobody caught. Others may be found too.
    pub uncaught: bool,
}

impl Default for Pattern {
    fn default() -> Pattern {
        Pattern {
            ids: 0..u64::MAX,
            thread: None,
            kinds: Vec::new(),
            call: None,
            name: None,
            owner: Owner::Any,
            methods: None,
            declared_by: None,
            receivers: None,
            file: None,
            line: None,
            value: None,
            arguments: Vec::new(),
            arity: None,
            object: Owner::Any,
            uncaught: false,
        }
    }
}

impl Pattern {
    /// All events of some kinds.
    pub fn of(kinds: &[Kind]) -> Pattern {
        Pattern { kinds: kinds.to_vec(), ..Pattern::default() }
    }
}
