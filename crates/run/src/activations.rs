//! Distinguishes activations of a method (DESIGN §5.5).
//!
//! JDWP frame ids become invalid on resume, and two calls from one place have equal stacks. So each entry
//! into a tracked method starts a new activation at its depth. It ends every activation recorded at that
//! depth or deeper.

use model::{Activation, ActivationKey, Tables};

#[derive(Clone, Copy, Debug)]
struct OpenActivation {
    depth: u32,
    method: u32,
    key: ActivationKey,
    /// The serial number that the method itself stores in an added local; 0 if it stores none.
    serial: i64,
}

/// The tracked activations on one thread's stack, oldest first.
#[derive(Clone, Debug, Default)]
pub struct ActivationStack {
    open: Vec<OpenActivation>,
}

impl ActivationStack {
    /// Records the entry of a tracked method at the depth of its frame, counted from 1 at the oldest.
    pub fn enter(&mut self, tables: &mut Tables, method: u32, depth: u32, certain: bool) -> ActivationKey {
        // Depths ascend, so a binary search suffices; a recursion can be thousands deep.
        self.open.truncate(self.open.partition_point(|a| a.depth < depth));
        let caller = self.open.last().map(|a| a.key);
        let key = tables.add_activation(Activation { caller, depth, method, certain });
        self.open.push(OpenActivation { depth, method, key, serial: 0 });
        key
    }

    /// Whether the activation at this depth is known by its serial number. If it is, so are all older ones.
    pub fn is_numbered(&self, method: u32, depth: u32, serial: i64) -> bool {
        let at = self.open.partition_point(|a| a.depth < depth);
        self.open.get(at).is_some_and(|a| (a.depth, a.method, a.serial) == (depth, method, serial))
    }

    /// Replaces the activations above a depth by these, oldest first, as `(method, depth, serial)`. All other
    /// activations above that depth have ended.
    pub fn set_above(&mut self, tables: &mut Tables, depth: u32, numbered: &[(u32, u32, i64)]) {
        self.open.truncate(self.open.partition_point(|a| a.depth <= depth));
        for (method, depth, serial) in numbered {
            self.enter(tables, *method, *depth, *serial > 0);
            if let Some(open) = self.open.last_mut() {
                open.serial = *serial;
            }
        }
    }

    /// Returns the newest tracked activation of a thread whose newest frame has this depth. `method` is that
    /// frame's method if it is tracked. If the entry of a tracked frame was not seen, the frame gets an
    /// uncertain activation.
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

    /// Returns the activation of a tracked method's frame at this depth, which may have newer frames above
    /// it.
    pub fn lookup(&mut self, tables: &mut Tables, method: u32, depth: u32) -> Option<ActivationKey> {
        let open = self.open.iter().find(|a| a.depth == depth && a.method == method).map(|a| a.key);
        // Its entry was not seen: it and the activations above it cannot be distinguished from earlier ones.
        open.or_else(|| self.at(tables, Some(method), depth))
    }

    /// Like [`ActivationStack::at`], but newer frames may still be above.
    pub fn below(&mut self, tables: &mut Tables, method: Option<u32>, depth: u32) -> Option<ActivationKey> {
        match method {
            Some(method) => self.lookup(tables, method, depth),
            None => self.open.iter().rev().find(|a| a.depth <= depth).map(|a| a.key),
        }
    }

    /// Removes activations whose end was not seen: `is_at` checks whether a depth holds a frame of a tracked
    /// method. Without this call, an activation stays until its thread stops at its depth again.
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
