//! More rules first (Silva 2006): top-down, and of the calls of an invalid one that with most different methods in its tree.

use super::{Situation, Strategy};
use std::collections::HashSet;

/// Takes the most diverse.
pub struct MoreRulesFirst;

impl Strategy for MoreRulesFirst {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let outermost = situation.outermost();
        let mut methods: Vec<HashSet<u32>> = vec![HashSet::new(); outermost.len()];
        situation.each(|node| {
            // The last one that begins before it, if it is around it.
            let at = outermost.partition_point(|outer| *outer <= node).checked_sub(1);
            if let Some(at) =
                at.filter(|at| outermost.get(*at).is_some_and(|o| situation.forest.tree(*o).contains(&node)))
                && let Some(methods) = methods.get_mut(at)
            {
                methods.insert(situation.forest.method(node));
            }
        });
        let most = methods.iter().map(HashSet::len).max()?;
        let first = methods.iter().position(|methods| methods.len() == most)?;
        outermost.get(first).copied()
    }
}
