//! Which calls of a thread are open while its events are read.

/// The calls that are open, the outermost first, with their methods.
#[derive(Debug)]
pub struct OpenCalls<C>(Vec<(u32, C)>);

/// What ends with a call.
#[derive(Debug, PartialEq, Eq)]
pub struct EndedCalls<C> {
    /// The call.
    pub call: C,
    /// Those inside it whose ends were not recorded, the innermost first.
    pub unseen: Vec<C>,
}

impl<C> Default for OpenCalls<C> {
    fn default() -> OpenCalls<C> {
        OpenCalls(Vec::new())
    }
}

impl<C> OpenCalls<C> {
    /// A method is entered.
    pub fn enter(&mut self, method: u32, call: C) {
        self.0.push((method, call));
    }

    /// The innermost call ends, if it is of this method: nearly always it is.
    pub fn leave_innermost(&mut self, method: u32) -> Option<C> {
        self.0.pop_if(|(of, _)| *of == method).map(|(_, call)| call)
    }

    /// A call of a method ends: none if none is open. Where the end of one inside it was not recorded, that
    /// has ended too.
    pub fn leave(&mut self, method: u32) -> Option<EndedCalls<C>> {
        let depth = self.0.iter().rposition(|(of, _)| *of == method)?;
        let mut ended = self.0.split_off(depth).into_iter().map(|(_, call)| call);
        let call = ended.next()?;
        Some(EndedCalls { call, unseen: ended.rev().collect() })
    }

    /// The innermost.
    pub fn innermost(&self) -> Option<&C> {
        self.0.last().map(|(_, call)| call)
    }

    /// All, the innermost first.
    pub fn all(self) -> impl Iterator<Item = C> {
        self.0.into_iter().rev().map(|(_, call)| call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_of_a_call_ends_with_it() {
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
}
