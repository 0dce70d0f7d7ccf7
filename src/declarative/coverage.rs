//! What calls have covered of the code: entities, by number, and which of them each call has covered (JHyde
//! §2.4).

use super::forest::Forest;
use std::collections::HashMap;

/// Which entities each call has covered. Calls that have covered the same share a set.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// By call: the number of its set.
    of: Vec<u32>,
    /// The entities of each set, sorted.
    sets: Vec<Box<[u32]>>,
    /// How many entities there are.
    entities: usize,
}

impl Coverage {
    /// The number of a call's set.
    pub fn set_of(&self, node: u32) -> usize {
        let set = usize::try_from(node).ok().and_then(|node| self.of.get(node)).copied().unwrap_or(0);
        usize::try_from(set).unwrap_or(0)
    }

    /// The sets.
    pub fn sets(&self) -> &[Box<[u32]>] {
        &self.sets
    }

    /// How many entities there are.
    pub fn entities(&self) -> usize {
        self.entities
    }
}

impl Coverage {
    /// The same where a recursion is one call: the call that begins it has covered what its steps have, and
    /// they have covered nothing.
    pub fn compressed(&self, forest: &Forest) -> Coverage {
        let mut maker: CoverageMaker<u32> = CoverageMaker::new(self.of.len());
        // Entities keep their numbers.
        for entity in 0..u32::try_from(self.entities).unwrap_or(u32::MAX) {
            maker.entity(entity);
        }
        // The calls that begin a recursion or none, as long as they are open: where their trees end, their
        // methods and what they have covered.
        let mut open: Vec<(u32, u32, u32, Vec<usize>)> = Vec::new();
        let mut finish = |node: u32, sets: &[usize]| {
            let sets = sets.iter().filter_map(|set| self.sets.get(*set));
            maker.call(node, sets.flat_map(|set| set.iter().copied()).collect());
        };
        for row in forest.rows(0..forest.count()) {
            while let Some((_, _, node, sets)) = open.pop_if(|(end, ..)| *end <= row.node) {
                finish(node, &sets);
            }
            let set = self.set_of(row.node);
            // Only of a step of a recursion it is looked for: that is not far away.
            let around = if row.repeats { open.as_mut_slice() } else { &mut [] };
            match around.iter_mut().rev().find(|(_, method, ..)| *method == row.method) {
                Some((.., sets)) if sets.contains(&set) => {}
                Some((.., sets)) => sets.push(set),
                None if row.size == 1 => finish(row.node, &[set]),
                None => open.push((row.node.saturating_add(row.size), row.method, row.node, vec![set])),
            }
        }
        while let Some((_, _, node, sets)) = open.pop() {
            finish(node, &sets);
        }
        maker.finish()
    }
}

/// Gathers what calls cover.
#[derive(Debug)]
pub struct CoverageMaker<E> {
    numbers: HashMap<E, u32>,
    known: HashMap<Box<[u32]>, u32>,
    made: Coverage,
}

impl<E: std::hash::Hash + Eq> CoverageMaker<E> {
    /// Of so many calls, none of which has covered anything.
    pub fn new(calls: usize) -> CoverageMaker<E> {
        let nothing: Box<[u32]> = Box::new([]);
        CoverageMaker {
            numbers: HashMap::new(),
            known: HashMap::from([(nothing.clone(), 0)]),
            made: Coverage { of: vec![0; calls], sets: vec![nothing], entities: 0 },
        }
    }

    /// The number of an entity.
    pub fn entity(&mut self, entity: E) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(entity).or_insert(next)
    }

    /// What a call has covered, by the numbers of entities.
    pub fn call(&mut self, node: u32, mut covered: Vec<u32>) {
        covered.sort_unstable();
        covered.dedup();
        let next = u32::try_from(self.made.sets.len()).unwrap_or(u32::MAX);
        let covered: Box<[u32]> = covered.into();
        let set = match self.known.get(&covered) {
            Some(set) => *set,
            None => {
                self.made.sets.push(covered.clone());
                self.known.insert(covered, next);
                next
            }
        };
        if let Some(of) = usize::try_from(node).ok().and_then(|node| self.made.of.get_mut(node)) {
            *of = set;
        }
    }

    /// That was all.
    pub fn finish(self) -> Coverage {
        Coverage { entities: self.numbers.len(), ..self.made }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_cover_the_same_share_a_set() {
        let mut maker = CoverageMaker::new(3);
        let entities = ["a", "b", "a"].map(|entity| maker.entity(entity));
        assert_eq!(entities, [0, 1, 0]);
        maker.call(0, vec![1, 0, 1]);
        maker.call(2, vec![0, 1]);
        let coverage = maker.finish();
        assert_eq!([0, 1, 2].map(|node| coverage.set_of(node)), [1, 0, 1]);
        assert_eq!((coverage.sets().len(), coverage.entities()), (2, 2));
    }
}
