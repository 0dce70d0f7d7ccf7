//! Potential definitions: writes that code could have made if it had run. Cached per request.

use program::effect::Effect;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The possible writes of some code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PossibleWrites {
    /// Local variables, by slot.
    pub slots: BTreeSet<u16>,
    /// Fields, by name, in any class.
    pub fields: BTreeSet<String>,
    /// Array elements.
    pub elements: bool,
    /// The state of JDK objects.
    pub state: bool,
    /// Anything.
    pub everything: bool,
    /// Whether it can throw an exception. The handler's writes are then possible, and later writes may be
    /// missing.
    pub throws: bool,
}

impl PossibleWrites {
    /// Adds the writes of an unrecorded method.
    pub(super) fn does(&mut self, effect: Effect) {
        match effect {
            Effect::Computes | Effect::Looks | Effect::Reads | Effect::Prints => {}
            Effect::Changes | Effect::Backs => self.state = true,
            Effect::Foreign => self.everything = true,
        }
    }

    /// Adds the writes of other code.
    pub(super) fn add(&mut self, other: &PossibleWrites) {
        self.slots.extend(&other.slots);
        self.fields.extend(other.fields.iter().cloned());
        self.elements |= other.elements;
        self.state |= other.state;
        self.everything |= other.everything;
        self.throws |= other.throws;
    }
}

/// A method by name and descriptor, in any class.
pub(super) type Named = (String, String);

/// The potential definitions bypassed by branches, as far as requested.
#[derive(Default)]
pub struct PotentialDefinitions {
    pub(super) known: HashMap<(u32, u32, u32), Rc<PossibleWrites>>,
    /// By method: its own possible writes, and its callees.
    pub(super) own: HashMap<u32, Rc<(PossibleWrites, HashSet<Named>)>>,
    /// By method: the possible writes of it and all its callees.
    pub(super) below: HashMap<Named, Rc<PossibleWrites>>,
    /// The possible targets of calls, by name.
    pub(super) called: CallTargets,
}

/// The possible targets of calls, by name.
#[derive(Default)]
pub(super) struct CallTargets {
    pub(super) is_found: bool,
    /// The numbers of recorded methods.
    pub(super) numbers: HashMap<Named, Vec<u32>>,
    /// The possible writes of unrecorded methods.
    pub(super) unrecorded: HashMap<Named, PossibleWrites>,
    /// The methods behind lambdas and method references.
    pub(super) referred_to: HashSet<Named>,
    /// The recorded methods that the JDK can call.
    pub(super) called_back: HashSet<u32>,
    /// Whether the program creates collections backed by arrays.
    pub(super) backs: bool,
}

impl CallTargets {
    /// The recorded methods with this name and descriptor.
    pub(super) fn numbers(&self, named: &Named) -> Vec<u32> {
        self.numbers.get(named).cloned().unwrap_or_default()
    }

    /// The possible writes of unrecorded methods with this name and descriptor.
    pub(super) fn unrecorded(&self, named: &Named) -> Option<&PossibleWrites> {
        self.unrecorded.get(named)
    }

    /// Whether several methods have this name and descriptor.
    pub(super) fn has_others(&self, named: &Named) -> bool {
        self.numbers.get(named).map_or(0, Vec::len) > 1 || self.unrecorded.contains_key(named)
    }

    /// Whether a lambda or method reference stands for a method.
    pub(super) fn is_referred_to(&self, named: &Named) -> bool {
        self.referred_to.contains(named)
    }
}
