//! The coverage entities (CFG edges or def-use chains) that each call covers (JHyde §2.4).

use super::forest::Forest;
use std::collections::HashMap;

/// The entities covered by each call. Calls with equal coverage share a set.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// By call: the number of its set.
    of: Vec<u32>,
    /// The entities of each set, sorted.
    sets: Vec<Box<[u32]>>,
    /// Number of entities.
    entities: usize,
    /// By entity: its weight before any answer; empty if all weigh 1.
    weights: Vec<f64>,
}

impl Coverage {
    /// The number of the set that a call covers.
    pub fn set_of(&self, node: u32) -> usize {
        let set = usize::try_from(node).ok().and_then(|node| self.of.get(node)).copied().unwrap_or(0);
        usize::try_from(set).unwrap_or(0)
    }

    /// The distinct sets of entities, each sorted.
    pub fn sets(&self) -> &[Box<[u32]>] {
        &self.sets
    }

    /// Number of entities.
    pub fn entities(&self) -> usize {
        self.entities
    }

    /// The weight of an entity before any answer: how suspicious it is, from 0 to 1.
    pub fn weight(&self, entity: usize) -> f64 {
        self.weights.get(entity).copied().unwrap_or(1.0)
    }
}

impl Coverage {
    /// Merges recursions: the outermost call of a recursion covers what its steps cover, and the steps cover
    /// nothing.
    pub fn compressed(&self, forest: &Forest) -> Coverage {
        let mut maker: CoverageBuilder<u32> = CoverageBuilder::new(self.of.len());
        // Register the entities in order, so that they keep their numbers.
        for entity in 0..u32::try_from(self.entities).unwrap_or(u32::MAX) {
            maker.entity(entity);
        }
        // The enclosing calls that are no recursion steps: end of tree, method, node and covered sets.
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
            // Only a recursion step is searched for, and its outermost call is near.
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
        Coverage { weights: self.weights.clone(), ..maker.finish() }
    }
}

/// Collects the coverage of calls.
#[derive(Debug)]
pub struct CoverageBuilder<E> {
    numbers: HashMap<E, u32>,
    known: HashMap<Box<[u32]>, u32>,
    made: Coverage,
}

impl<E: std::hash::Hash + Eq> CoverageBuilder<E> {
    /// Starts with `calls` calls that cover nothing.
    pub fn new(calls: usize) -> CoverageBuilder<E> {
        let nothing: Box<[u32]> = Box::new([]);
        CoverageBuilder {
            numbers: HashMap::new(),
            known: HashMap::from([(nothing.clone(), 0)]),
            made: Coverage { of: vec![0; calls], sets: vec![nothing], ..Coverage::default() },
        }
    }

    /// The number of an entity; assigns one to a new entity.
    pub fn entity(&mut self, entity: E) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(entity).or_insert(next)
    }

    /// Sets the entities that a call covers.
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

    /// Returns the collected coverage.
    pub fn finish(self) -> Coverage {
        Coverage { entities: self.numbers.len(), ..self.made }
    }

    /// Returns the collected coverage, with the weight of each entity before any answer.
    pub fn finish_weighed(self, weight: impl Fn(&E) -> f64) -> Coverage {
        let mut weights = vec![1.0; self.numbers.len()];
        for (entity, number) in &self.numbers {
            if let Some(of) = usize::try_from(*number).ok().and_then(|number| weights.get_mut(number)) {
                *of = weight(entity);
            }
        }
        Coverage { weights, ..self.finish() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_cover_the_same_share_a_set() {
        let mut maker = CoverageBuilder::new(3);
        let entities = ["a", "b", "a"].map(|entity| maker.entity(entity));
        assert_eq!(entities, [0, 1, 0]);
        maker.call(0, vec![1, 0, 1]);
        maker.call(2, vec![0, 1]);
        let coverage = maker.finish();
        assert_eq!([0, 1, 2].map(|node| coverage.set_of(node)), [1, 0, 1]);
        assert_eq!((coverage.sets().len(), coverage.entities()), (2, 2));
    }
}
