//! Which calls of a thread are open while its events are read.

/// The calls that are open, the outermost first.
#[derive(Debug, Default)]
pub struct OpenCalls(Vec<(u32, u32)>);

/// What ends with a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Left {
    /// The call.
    pub node: u32,
    /// Those inside it whose ends were not recorded, the innermost first.
    pub unseen: Vec<u32>,
}

impl OpenCalls {
    /// A method is entered.
    pub fn enter(&mut self, node: u32, method: u32) {
        self.0.push((node, method));
    }

    /// A call of a method ends: none if none is open. Where the end of one inside it was not recorded, that has ended too.
    pub fn leave(&mut self, method: u32) -> Option<Left> {
        let depth = self.0.iter().rposition(|(_, of)| *of == method)?;
        let mut ended = self.0.split_off(depth).into_iter().map(|(node, _)| node);
        let node = ended.next()?;
        Some(Left { node, unseen: ended.rev().collect() })
    }

    /// The innermost.
    pub fn innermost(&self) -> Option<u32> {
        self.0.last().map(|(node, _)| *node)
    }

    /// The one around the innermost.
    pub fn around(&self) -> Option<u32> {
        self.0.iter().rev().nth(1).map(|(node, _)| *node)
    }

    /// All, the innermost first.
    pub fn all(self) -> impl Iterator<Item = u32> {
        self.0.into_iter().rev().map(|(node, _)| node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_of_a_call_ends_with_it() {
        let mut open = OpenCalls::default();
        for (node, method) in [(1, 10), (2, 20), (3, 10), (4, 30)] {
            open.enter(node, method);
        }
        assert_eq!((open.innermost(), open.around()), (Some(4), Some(3)));
        assert_eq!(open.leave(10), Some(Left { node: 3, unseen: vec![4] }));
        assert_eq!(open.leave(30), None);
        assert_eq!(open.leave(10), Some(Left { node: 1, unseen: vec![2] }));
        assert_eq!(open.all().count(), 0);
    }
}
