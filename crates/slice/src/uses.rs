//! When the interpreted code used fields, elements and whole objects, so that a change can be ordered by what
//! the slice later read of it.

use super::graph::{Graph, Node};
use std::collections::HashMap;
use trace::EventTime;

/// Maximum number of uses to note, at 32 bytes each. With more, none are known.
const MOST: usize = 2_000_000;
/// The part that stands for a whole object: unrecorded code got it. Recordings use the numbers above it.
const WHOLE: u32 = u32::MAX - 3;

/// A use as it is noted.
struct NotedUse {
    object: u32,
    part: u32,
    /// The next event after it.
    when: EventTime,
    /// What was read, or what unrecorded code made of it: no other use has this node.
    node: Node,
}

/// The uses so far.
pub(super) struct UseLog {
    /// `None` when they are too many.
    uses: Option<Vec<NotedUse>>,
    /// The time of the event that is processed.
    pub now: EventTime,
}

impl Default for UseLog {
    fn default() -> UseLog {
        UseLog { uses: Some(Vec::new()), now: EventTime::BEGIN }
    }
}

impl UseLog {
    /// A field or element with this node was read. Static fields belong to object 0. Returns the node of the
    /// use.
    pub fn part(&mut self, graph: &mut Graph, object: u32, part: u32, node: Node) -> Node {
        self.noted(graph, &[object], part, node)
    }

    /// Unrecorded code got objects and may have read all of them. Returns the node of the use.
    pub fn whole(&mut self, graph: &mut Graph, objects: &[u32], node: Node) -> Node {
        self.noted(graph, objects, WHOLE, node)
    }

    fn noted(&mut self, graph: &mut Graph, objects: &[u32], part: u32, node: Node) -> Node {
        self.uses.take_if(|uses| uses.len() >= MOST);
        let Some(uses) = self.uses.as_mut().filter(|_| !objects.is_empty()) else { return node };
        let (node, when) = (graph.fresh(node), self.now);
        uses.extend(objects.iter().map(|object| NotedUse { object: *object, part, when, node }));
        node
    }

    /// The uses of what is in a slice; `None` if there were too many to note.
    pub fn in_slice(&self, is_in_slice: impl Fn(Node) -> bool) -> Option<PartUses> {
        let mut of_parts: HashMap<(u32, u32), Vec<Use>> = HashMap::new();
        let uses = (0..).zip(self.uses.as_ref()?).filter(|(_, noted)| is_in_slice(noted.node));
        for (place, noted) in uses {
            let of_part = of_parts.entry((noted.object, noted.part)).or_default();
            if of_part.last().is_none_or(|last| last.before != noted.when) {
                of_part.push(Use { before: noted.when, place });
            }
        }
        Some(PartUses { of_parts })
    }
}

/// A use of a part of an object. Uses are in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The time of the next event.
    pub before: EventTime,
    /// Its place among all uses.
    place: u32,
}

/// When the code in a slice used the parts of objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartUses {
    /// By object and part, in the order of time.
    of_parts: HashMap<(u32, u32), Vec<Use>>,
}

impl PartUses {
    /// The first use of a part of an object after a time: a field by its number, an element by its index.
    /// Static fields belong to object 0.
    pub fn first_after(&self, object: u32, part: u32, when: EventTime) -> Option<Use> {
        let first = |part| {
            let uses: &Vec<Use> = self.of_parts.get(&(object, part))?;
            uses.get(uses.partition_point(|used| used.before <= when)).copied()
        };
        let whole = if object == 0 { None } else { first(WHOLE) };
        first(part).into_iter().chain(whole).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(place: u32) -> EventTime {
        EventTime::of_numbers(0, 0, place)
    }

    #[test]
    fn the_first_use_after_a_time_is_of_the_part_or_of_the_whole() {
        let (mut log, mut graph) = (UseLog::default(), Graph::new());
        let mut nodes = Vec::new();
        for (place, object, part) in [(1, 7, 0), (4, 7, 0), (6, 7, 1), (8, 7, 0)] {
            log.now = at(place);
            nodes.push(log.part(&mut graph, object, part, 0));
        }
        log.now = at(9);
        nodes.push(log.whole(&mut graph, &[8, 10], 0));
        let uses = log.in_slice(|node| node != nodes[1]).unwrap();
        let first = |object, part, place| Some(uses.first_after(object, part, at(place))?.before);
        assert_eq!(first(7, 0, 0), Some(at(1)));
        // The second use is not in the slice.
        assert_eq!(first(7, 0, 1), Some(at(8)));
        assert_eq!(first(7, 0, 8), None);
        assert_eq!(first(8, 5, 2), Some(at(9)));
        assert_eq!(first(9, 5, 2), None);
    }
}
