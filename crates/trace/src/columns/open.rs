//! Tracks the open calls of a thread while its events are read.

/// The open calls with their methods, the outermost first.
#[derive(Debug)]
pub struct OpenCalls<C>(Vec<(u32, C)>);

/// The calls that end together.
#[derive(Debug, PartialEq, Eq)]
pub struct EndedCalls<C> {
    /// The call whose end was recorded.
    pub call: C,
    /// Calls inside it whose ends were not recorded, the innermost first.
    pub unseen: Vec<C>,
}

impl<C> Default for OpenCalls<C> {
    fn default() -> OpenCalls<C> {
        OpenCalls(Vec::new())
    }
}

impl<C> OpenCalls<C> {
    /// Opens a call.
    pub fn enter(&mut self, method: u32, call: C) {
        self.0.push((method, call));
    }

    /// Closes the innermost call if it is of this method, which is nearly always so.
    pub fn leave_innermost(&mut self, method: u32) -> Option<C> {
        self.0.pop_if(|(of, _)| *of == method).map(|(_, call)| call)
    }

    /// Closes the innermost call of a method, and all calls inside it whose ends were not recorded. `None` if
    /// no call of the method is open.
    pub fn leave(&mut self, method: u32) -> Option<EndedCalls<C>> {
        let depth = self.0.iter().rposition(|(of, _)| *of == method)?;
        let mut ended = self.0.split_off(depth).into_iter().map(|(_, call)| call);
        let call = ended.next()?;
        Some(EndedCalls { call, unseen: ended.rev().collect() })
    }

    /// Closes all calls inside the innermost call of a method, and returns them, the innermost first.
    pub fn return_to(&mut self, method: u32) -> Vec<C> {
        let is_it = |(of, _): &(u32, C)| *of == method;
        match self.0.iter().rposition(is_it) {
            Some(depth) => self.0.split_off(depth + 1).into_iter().rev().map(|(_, call)| call).collect(),
            None => Vec::new(),
        }
    }

    /// The innermost open call.
    pub fn innermost(&self) -> Option<&C> {
        self.0.last().map(|(_, call)| call)
    }

    /// All open calls, the outermost first.
    pub fn each(&self) -> impl Iterator<Item = &C> {
        self.0.iter().map(|(_, call)| call)
    }

    /// The innermost open call, to change it.
    pub fn innermost_mut(&mut self) -> Option<&mut C> {
        self.0.last_mut().map(|(_, call)| call)
    }

    /// The methods of all open calls, the outermost first.
    pub fn methods(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|(method, _)| *method)
    }

    /// All open calls, the innermost first.
    pub fn all(self) -> impl Iterator<Item = C> {
        self.0.into_iter().rev().map(|(_, call)| call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_inside_a_call_end_with_it() {
        let mut open = OpenCalls::default();
        for (call, method) in [(1, 10), (2, 20), (3, 10), (4, 30)] {
            open.enter(method, call);
        }
        assert_eq!(open.innermost(), Some(&4));
        assert_eq!(open.leave(10), Some(EndedCalls { call: 3, unseen: vec![4] }));
        assert_eq!(open.leave(30), None);
        assert_eq!(open.leave(10), Some(EndedCalls { call: 1, unseen: vec![2] }));
        assert_eq!(open.all().count(), 0);
    }

    #[test]
    fn a_call_that_goes_on_ends_those_inside_it() {
        let mut open = OpenCalls::default();
        for (call, method) in [(1, 10), (2, 20), (3, 30), (4, 40)] {
            open.enter(method, call);
        }
        assert!(open.return_to(50).is_empty());
        assert!(open.return_to(40).is_empty());
        assert_eq!(open.return_to(20), [4, 3]);
        assert_eq!(open.innermost(), Some(&2));
    }
}
