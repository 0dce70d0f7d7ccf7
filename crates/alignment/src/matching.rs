//! Pairs the steps of two aligned calls by what happened in them, whatever the values.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashMap;

/// The kind of a step, with the shared number of its method or field.
pub type StepKey = (u8, u32);

/// Two steps, or one step that the other call lacks, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// A step of both calls.
    Both(usize, usize),
    /// A step of the first call only.
    Here(usize),
    /// A step of the second call only.
    There(usize),
}

/// Up to this number of steps, the longest common subsequence is computed. That takes time up to the square
/// of the number.
const SMALL: usize = 2_000;

/// Pairs the steps in order.
pub fn matched(here: &[StepKey], there: &[StepKey]) -> Vec<Matched> {
    let same = here.iter().zip(there).take_while(|(one, other)| one == other).count();
    let rest = (&here[same..], &there[same..]);
    let tail = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(one, other)| one == other).count();
    let middle = (&rest.0[..rest.0.len() - tail], &rest.1[..rest.1.len() - tail]);
    let mut all: Vec<Matched> = (0..same).map(|at| Matched::Both(at, at)).collect();
    let pairs = match middle.0.len().saturating_add(middle.1.len()) <= SMALL {
        true => common(middle.0, middle.1),
        false => by_occurrence(middle.0, middle.1),
    };
    let (mut at, mut other_at) = (0, 0);
    let end = (middle.0.len(), middle.1.len());
    for (one, other) in pairs.into_iter().chain([end]) {
        all.extend((at..one).map(|at| Matched::Here(same + at)));
        all.extend((other_at..other).map(|at| Matched::There(same + at)));
        if (one, other) != end {
            all.push(Matched::Both(same + one, same + other));
        }
        (at, other_at) = (one + 1, other + 1);
    }
    let from = (same + middle.0.len(), same + middle.1.len());
    all.extend((0..tail).map(|at| Matched::Both(from.0 + at, from.1 + at)));
    all
}

/// A longest common subsequence (Myers 1986).
fn common(here: &[StepKey], there: &[StepKey]) -> Vec<(usize, usize)> {
    let equal = |op| match op {
        DiffOp::Equal { old_index, new_index, len } => (old_index, new_index, len),
        _ => (0, 0, 0),
    };
    let runs = capture_diff_slices(Algorithm::Myers, here, there).into_iter().map(equal);
    runs.flat_map(|(one, other, len)| (0..len).map(move |at| (one + at, other + at))).collect()
}

/// Pairs the n-th step of a kind with the n-th one of the same kind, as far as the pairs are in order. Takes
/// time in proportion to the number of steps, but for a logarithm.
fn by_occurrence(here: &[StepKey], there: &[StepKey]) -> Vec<(usize, usize)> {
    let mut places: HashMap<StepKey, std::collections::VecDeque<usize>> = HashMap::new();
    for (at, key) in there.iter().enumerate() {
        places.entry(*key).or_default().push_back(at);
    }
    let pairs = here.iter().enumerate();
    let pairs = pairs.filter_map(|(at, key)| Some((at, places.get_mut(key)?.pop_front()?)));
    increasing(&pairs.collect::<Vec<_>>())
}

/// The longest part of the pairs whose second numbers increase.
fn increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // By length: the pair with the lowest second number that ends an increasing part of that length.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (at, (_, other)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *other);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut found = Vec::new();
    let mut at = ends.last().copied();
    while let Some(pair) = at {
        found.push(pairs[pair]);
        at = before[pair];
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<StepKey> {
        text.bytes().map(|byte| (byte, 0)).collect()
    }

    /// `=` a step of both, `<` one of the first call, `>` one of the second call.
    fn shown(matched: &[Matched]) -> String {
        let letter = |of: &Matched| match of {
            Matched::Both(..) => '=',
            Matched::Here(_) => '<',
            Matched::There(_) => '>',
        };
        matched.iter().map(letter).collect()
    }

    #[test]
    fn steps_are_paired_in_order() {
        for (here, there, pairs) in [
            ("", "", ""),
            ("abc", "abc", "==="),
            ("abc", "ac", "=<="),
            ("ac", "abc", "=>="),
            ("ab", "cd", "<<>>"),
            ("xabcy", "xbdcy", "=<=>=="),
        ] {
            assert_eq!(shown(&matched(&keys(here), &keys(there))), pairs, "{here} {there}");
        }
    }

    /// The time grows with the number of steps, also where one call has many more of them.
    #[test]
    fn many_steps_are_paired_in_time() {
        let there = keys(&"ab".repeat(200_000));
        let all = matched(&keys("ca"), &there);
        assert_eq!(
            (all.len(), all.iter().filter(|of| matches!(of, Matched::Both(..))).count()),
            (400_001, 1)
        );
    }

    #[test]
    fn each_step_occurs_once_and_pairs_have_the_same_kind() {
        let here = keys(&"abcab".repeat(700));
        let there = keys(&"bcaab".repeat(650));
        for pairs in [common(&here, &there), by_occurrence(&here, &there)] {
            assert!(pairs.iter().all(|(one, other)| here[*one] == there[*other]));
            assert!(pairs.is_sorted_by(|one, other| one.0 < other.0 && one.1 < other.1));
            assert!(pairs.len() > 600);
        }
        let all = matched(&here, &there);
        let of_here = all.iter().filter(|of| !matches!(of, Matched::There(_))).count();
        let of_there = all.iter().filter(|of| !matches!(of, Matched::Here(_))).count();
        assert_eq!((of_here, of_there), (here.len(), there.len()));
    }
}
