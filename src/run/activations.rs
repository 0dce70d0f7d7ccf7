//! Tells activations of a method apart (DESIGN §5.5).
//!
//! Frame ids die on resume and stacks of two calls from one place look alike, so each entry into a tracked
//! method starts a new activation at its depth, and whatever was recorded at that depth or deeper has ended.

use crate::model::{Activation, ActivationKey, Tables};

#[derive(Clone, Copy, Debug)]
struct Open {
    depth: u32,
    method: u32,
    key: ActivationKey,
    /// The number that the method itself has given the activation; 0 where it gives none.
    serial: i64,
}

/// The tracked activations on one thread's stack, oldest first.
#[derive(Clone, Debug, Default)]
pub struct ActivationStack {
    open: Vec<Open>,
}

impl ActivationStack {
    /// A tracked method was entered at this depth (its frame's, counted from 1 at the oldest).
    pub fn enter(&mut self, tables: &mut Tables, method: u32, depth: u32, certain: bool) -> ActivationKey {
        // Depths ascend, and a recursion can be thousands deep.
        self.open.truncate(self.open.partition_point(|a| a.depth < depth));
        let caller = self.open.last().map(|a| a.key);
        let key = tables.add_activation(Activation { caller, depth, method, certain });
        self.open.push(Open { depth, method, key, serial: 0 });
        key
    }

    /// Whether the activation at this depth is known by its number. Then so is everything below it.
    pub fn is_numbered(&self, method: u32, depth: u32, serial: i64) -> bool {
        let at = self.open.partition_point(|a| a.depth < depth);
        self.open.get(at).is_some_and(|a| (a.depth, a.method, a.serial) == (depth, method, serial))
    }

    /// What stands on the stack above a depth, oldest first, as `(method, depth, serial)`: all else above it
    /// has ended.
    pub fn set_above(&mut self, tables: &mut Tables, depth: u32, numbered: &[(u32, u32, i64)]) {
        self.open.truncate(self.open.partition_point(|a| a.depth <= depth));
        for (method, depth, serial) in numbered {
            self.enter(tables, *method, *depth, *serial > 0);
            if let Some(open) = self.open.last_mut() {
                open.serial = *serial;
            }
        }
    }

    /// The thread stands in a frame of this depth. `method` is the frame's method if it is tracked. Gives the
    /// newest tracked activation on the stack; a tracked frame whose entry was not seen gets an uncertain
    /// one.
    pub fn at(&mut self, tables: &mut Tables, method: Option<u32>, depth: u32) -> Option<ActivationKey> {
        self.open.truncate(self.open.partition_point(|a| a.depth <= depth));
        if let Some(top) = self.open.last()
            && top.depth == depth
        {
            if Some(top.method) == method {
                return Some(top.key);
            }
            self.open.pop();
        }
        match method {
            Some(method) => Some(self.enter(tables, method, depth, false)),
            None => self.open.last().map(|a| a.key),
        }
    }

    /// The activation of a tracked method's frame at this depth, while newer frames still stand above it.
    pub fn lookup(&mut self, tables: &mut Tables, method: u32, depth: u32) -> Option<ActivationKey> {
        let open = self.open.iter().find(|a| a.depth == depth && a.method == method).map(|a| a.key);
        // Not seen at its entry: it and what stands above it cannot be told apart from earlier ones.
        open.or_else(|| self.at(tables, Some(method), depth))
    }

    /// As [`ActivationStack::at`], while newer frames still stand above.
    pub fn below(&mut self, tables: &mut Tables, method: Option<u32>, depth: u32) -> Option<ActivationKey> {
        match method {
            Some(method) => self.lookup(tables, method, depth),
            None => self.open.iter().rev().find(|a| a.depth <= depth).map(|a| a.key),
        }
    }

    /// Forgets activations that have ended unnoticed: `is_at` tells whether a tracked method's frame stands
    /// at a depth. Without it, an activation stays until its thread is seen at its depth again.
    pub fn confirm(&mut self, is_at: impl Fn(u32, u32) -> bool) {
        self.open.retain(|a| is_at(a.depth, a.method));
    }

    /// The activations that may still be on the stack.
    pub fn keys(&self) -> impl Iterator<Item = ActivationKey> {
        self.open.iter().map(|a| a.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_of_two_calls_are_two_activations() {
        let mut tables = Tables::default();
        let mut stack = ActivationStack::default();
        let first = stack.enter(&mut tables, 0, 2, true);
        assert_eq!(stack.at(&mut tables, Some(0), 2), Some(first));
        let second = stack.enter(&mut tables, 0, 2, true);
        assert_ne!(first, second);
    }

    #[test]
    fn recursion_keeps_the_callers() {
        let mut tables = Tables::default();
        let mut stack = ActivationStack::default();
        let outer = stack.enter(&mut tables, 0, 2, true);
        let inner = stack.enter(&mut tables, 0, 3, true);
        assert_eq!(tables.activation(inner).and_then(|a| a.caller), Some(outer));
        assert_eq!(stack.at(&mut tables, None, 7), Some(inner));
        assert_eq!(stack.at(&mut tables, Some(0), 2), Some(outer));
        assert_eq!(stack.keys().collect::<Vec<_>>(), [outer]);
    }

    #[test]
    fn an_activation_ends_when_another_method_stands_at_its_depth() {
        let mut tables = Tables::default();
        let mut stack = ActivationStack::default();
        let ended = stack.enter(&mut tables, 0, 2, true);
        // Now the thread is in an untracked method at depth 3, called by another method at depth 2.
        assert_eq!(stack.at(&mut tables, None, 3), Some(ended));
        stack.confirm(|depth, method| (depth, method) != (2, 0));
        assert_eq!(stack.at(&mut tables, None, 3), None);
    }

    #[test]
    fn an_entry_not_seen_is_uncertain() {
        let mut tables = Tables::default();
        let mut stack = ActivationStack::default();
        let key = stack.at(&mut tables, Some(4), 5);
        assert!(key.and_then(|k| tables.activation(k)).is_some_and(|a| !a.certain));
        assert_eq!(stack.at(&mut tables, Some(4), 5), key);
    }
}
