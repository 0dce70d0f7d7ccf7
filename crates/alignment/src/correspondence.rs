//! Which objects of one run are those of the other.

use super::hashed::{NumberMap, NumberSet};
use super::versions::Versions;
use classes::ClassPool;
use std::cell::Cell;
use trace::{Calls, Value};

/// The pairs of objects, found where both runs used them in the same step.
#[derive(Default)]
pub struct Correspondence {
    /// By an object of the first run: its partner, and the number of the pair.
    there: NumberMap<u32, (u32, u32)>,
    here: NumberMap<u32, u32>,
    /// The pairs in the order in which they were found.
    pairs: Vec<(u32, u32)>,
    /// The objects of each run that never have a partner: streams that the other run does not use.
    lone: [NumberSet<u32>; 2],
}

/// Whether two objects are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// They are paired, or are equal by content and cannot change.
    Same,
    /// They are not.
    Different,
    /// Neither has a partner. They have the same class and length.
    New,
}

impl Correspondence {
    /// Pairs two objects.
    pub fn pair(&mut self, here: u32, there: u32) {
        let number = u32::try_from(self.pairs.len()).unwrap_or(u32::MAX);
        if self.there.insert(here, (there, number)).is_none() {
            self.here.insert(there, here);
            self.pairs.push((here, there));
        }
    }

    /// Notes that an object of a run never has a partner.
    pub fn set_lone(&mut self, side: usize, object: u32) {
        if let Some(lone) = self.lone.get_mut(side) {
            lone.insert(object);
        }
    }

    /// Whether an object of a run never has a partner.
    pub fn is_lone(&self, side: usize, object: u32) -> bool {
        self.lone.get(side).is_some_and(|lone| lone.contains(&object))
    }

    /// The partner of an object of a run.
    pub fn partner(&self, side: usize, object: u32) -> Option<u32> {
        if side == 0 { self.there(object) } else { self.here(object) }
    }

    /// Number of pairs.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Dissolves the pairs from a number on.
    pub fn dissolve(&mut self, from: usize) {
        for (here, there) in self.pairs.drain(from.min(self.pairs.len())..) {
            self.there.remove(&here);
            self.here.remove(&there);
        }
    }

    /// The partner of an object of the first run.
    pub fn there(&self, here: u32) -> Option<u32> {
        self.there.get(&here).map(|(there, _)| *there)
    }

    /// The partner of an object of the second run.
    pub fn here(&self, there: u32) -> Option<u32> {
        self.here.get(&there).copied()
    }

    /// The number of pairs before that of an object of the first run.
    pub fn number(&self, here: u32) -> Option<usize> {
        self.there.get(&here).and_then(|(_, number)| usize::try_from(*number).ok())
    }

    /// Whether an object of the first run was paired among the first `pairs` pairs.
    pub fn is_among(&self, here: u32, pairs: usize) -> bool {
        self.number(here).is_some_and(|number| number < pairs)
    }
}

/// Both runs, as far as objects are compared.
pub struct Contents<'a> {
    /// The recordings.
    pub calls: [&'a Calls; 2],
    /// The class files.
    pub pools: [Option<&'a ClassPool>; 2],
    /// Whether objects counted as the same although only a part of their content is known.
    pub in_part: Cell<bool>,
}

/// How deep immutable objects of the JDK contain each other.
const DEEP: u32 = 4;

impl Contents<'_> {
    /// Compares two objects without looking at what can change.
    pub fn compare(&self, pairs: &Correspondence, versions: &mut Versions, one: u32, other: u32) -> Sameness {
        if one == 0 || other == 0 {
            return if one == other { Sameness::Same } else { Sameness::Different };
        }
        match (pairs.there(one), pairs.here(other)) {
            (Some(there), _) if there == other => return Sameness::Same,
            (None, None) => {
                let is_lone = [pairs.is_lone(0, one), pairs.is_lone(1, other)];
                let [here, there] = self.calls;
                if is_lone[0] && there.is_stream(other) || is_lone[1] && here.is_stream(one) {
                    return Sameness::Different;
                }
                // A recording names a stream only where something was printed on it.
                self.in_part.set(self.in_part.get() || is_lone[0] || is_lone[1]);
            }
            // Objects that are equal by content can stand for each other.
            _ => return if self.is_equal(one, other, DEEP) { Sameness::Same } else { Sameness::Different },
        }
        let [here, there] = [&self.calls[0].objects, &self.calls[1].objects];
        let classes = (here.class(one), there.class(other));
        let (Some(class), Some(other_class)) = classes else { return Sameness::New };
        let is_same_class = class == other_class
            || versions.class(0, class, self.pools[0]) == versions.class(1, other_class, self.pools[1]);
        if !is_same_class || here.length_of(one) != there.length_of(other) {
            return Sameness::Different;
        }
        match (here.content(one), there.content(other)) {
            (None, None) => Sameness::New,
            (Some(one), Some(other)) if one.is_exception() && one == other => {
                self.in_part.set(self.in_part.get() || one.is_part());
                Sameness::New
            }
            _ if self.is_equal(one, other, DEEP) => Sameness::Same,
            _ => Sameness::Different,
        }
    }

    /// Whether both objects have the same class and the same content, which cannot change.
    fn is_equal(&self, one: u32, other: u32, depth: u32) -> bool {
        let [here, there] = [&self.calls[0].objects, &self.calls[1].objects];
        let (Some(content), Some(other_content)) = (here.content(one), there.content(other)) else {
            return false;
        };
        if here.class(one) != there.class(other) {
            return false;
        }
        match (content.fields(), other_content.fields()) {
            (Some(fields), Some(others)) => {
                fields.len() == others.len()
                    && fields.iter().zip(&others).all(|pair| match pair {
                        (Value::Object(0), Value::Object(0)) => true,
                        (Value::Object(one), Value::Object(other)) => {
                            depth > 0 && self.is_equal(*one, *other, depth - 1)
                        }
                        (one, other) => one.is(*other),
                    })
            }
            _ => {
                let is_equal = content == other_content;
                self.in_part.set(self.in_part.get() || is_equal && content.is_part());
                is_equal
            }
        }
    }
}
