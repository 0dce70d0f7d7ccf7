//! What code that did not run could have written, as far as that was asked.

use crate::program::effect::Effect;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// What some code can write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// Variables by their slots.
    pub slots: BTreeSet<u16>,
    /// Fields by their names, of whatever class.
    pub fields: BTreeSet<String>,
    /// Elements of arrays.
    pub elements: bool,
    /// What objects of the JDK hold.
    pub state: bool,
    /// Anything.
    pub everything: bool,
    /// It can throw an exception: then what a handler does is written, and what is before it is not.
    pub throws: bool,
}

impl Around {
    /// What is not recorded does that too.
    pub(super) fn does(&mut self, effect: Effect) {
        match effect {
            Effect::Computes | Effect::Looks | Effect::Reads | Effect::Prints => {}
            Effect::Changes | Effect::Backs => self.state = true,
            Effect::Foreign => self.everything = true,
        }
    }

    /// Other code can run too.
    pub(super) fn add(&mut self, other: &Around) {
        self.slots.extend(&other.slots);
        self.fields.extend(other.fields.iter().cloned());
        self.elements |= other.elements;
        self.state |= other.state;
        self.everything |= other.everything;
        self.throws |= other.throws;
    }
}

/// A method by its name and descriptor, of whatever class.
pub(super) type Named = (String, String);

/// What branches lead around, as far as somebody has asked.
#[derive(Default)]
pub struct Ways {
    pub(super) known: HashMap<(u32, u32, u32), Rc<Around>>,
    /// By method: what it can write itself, and what it calls.
    pub(super) own: HashMap<u32, Rc<(Around, HashSet<Named>)>>,
    /// By method: what it and those that it calls can write.
    pub(super) below: HashMap<Named, Rc<Around>>,
    /// What can be called by a name.
    pub(super) called: Called,
}

/// What is called by names.
#[derive(Default)]
pub(super) struct Called {
    pub(super) is_found: bool,
    /// The numbers of recorded methods.
    pub(super) numbers: HashMap<Named, Vec<u32>>,
    /// What those do that are not recorded.
    pub(super) unrecorded: HashMap<Named, Around>,
    /// The methods that lambdas and method references stand for.
    pub(super) referred_to: HashSet<Named>,
    /// The recorded methods that the JDK can call.
    pub(super) called_back: HashSet<u32>,
    /// Whether arrays are made collections of anywhere.
    pub(super) backs: bool,
}

impl Called {
    /// The recorded methods.
    pub(super) fn numbers(&self, named: &Named) -> Vec<u32> {
        self.numbers.get(named).cloned().unwrap_or_default()
    }

    /// What the others do.
    pub(super) fn unrecorded(&self, named: &Named) -> Option<&Around> {
        self.unrecorded.get(named)
    }

    /// Whether there are several methods of a name.
    pub(super) fn has_others(&self, named: &Named) -> bool {
        self.numbers.get(named).map_or(0, Vec::len) > 1 || self.unrecorded.contains_key(named)
    }

    /// Whether a lambda or a method reference stands for a method.
    pub(super) fn is_referred_to(&self, named: &Named) -> bool {
        self.referred_to.contains(named)
    }
}
