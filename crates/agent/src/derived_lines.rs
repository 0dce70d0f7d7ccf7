//! Finds the lines of a method that need no event of their own. Where nothing that is recorded, throws or
//! runs other code lies between an event and the beginning of a line, the line follows from the event: who
//! reads the recording derives it.

use descriptor::Kind;
use rewrite::{Effect, MethodShape, RecordedEffect, Successors};
use std::collections::{BTreeMap, BTreeSet};
use wire::recording::{DERIVED_LINES, Traced, TracedSite};

/// An event after which lines can be derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anchor {
    /// The method is entered.
    Entry,
    /// The handler at this index begins.
    Catch(u32),
    /// The line at this index begins.
    Line(u32),
    /// The instruction at this index has written.
    Store(u32),
    /// The branch at the first index continues at the second.
    Branch(u32, u32),
}

/// The lines of a method that need no event.
#[derive(Debug, Default)]
pub struct DerivedLines {
    /// The code indices where they begin, in order, by the event that they follow.
    after: BTreeMap<Anchor, Vec<u32>>,
    /// All of them.
    lines: BTreeSet<u32>,
}

impl DerivedLines {
    /// Finds them. `flow` are all instructions of the method; if it is empty, all lines need their events.
    pub fn find(shape: &MethodShape, effects: &[RecordedEffect], flow: &[Successors]) -> DerivedLines {
        let Some(first) = flow.first() else { return DerivedLines::default() };
        let mut method = Method::new(shape, effects, flow);
        // A line too far from an event gets an event of its own. It may follow other events too, so all are
        // looked at again.
        loop {
            let lines_before = method.derived.len();
            let mut after = BTreeMap::new();
            let mut left = method.ways(first.pc);
            while let Some((anchor, at)) = left.pop() {
                let (lines, distant) = method.lines_from(anchor, at);
                if !lines.is_empty() {
                    after.insert(anchor, lines);
                }
                if let Some(distant) = distant {
                    method.derived.remove(&distant);
                    left.extend(method.way_from_line(distant));
                }
            }
            if method.derived.len() == lines_before {
                return DerivedLines { after, lines: method.derived };
            }
        }
    }

    /// Whether the line that begins at an index needs no event.
    pub fn has(&self, pc: u32) -> bool {
        self.lines.contains(&pc)
    }

    /// Notes in each site which lines follow its events.
    pub fn note(&self, sites: &mut [TracedSite]) {
        let of_line = |site: &TracedSite| match site.what {
            Traced::Line(_) => Some((site.bci, site.id)),
            _ => None,
        };
        let ids: BTreeMap<u32, u32> = sites.iter().filter_map(of_line).collect();
        for site in sites {
            let lines = anchor(site).and_then(|anchor| self.after.get(&anchor));
            site.lines = lines.into_iter().flatten().filter_map(|pc| ids.get(pc).copied()).collect();
        }
    }
}

/// The anchor of the events of a site.
fn anchor(site: &TracedSite) -> Option<Anchor> {
    match site.what {
        Traced::Enter => Some(Anchor::Entry),
        Traced::Catch => Some(Anchor::Catch(site.bci)),
        Traced::Line(_) => Some(Anchor::Line(site.bci)),
        Traced::Branch(to) => Some(Anchor::Branch(site.bci, to.into())),
        Traced::Local { .. } | Traced::Put | Traced::PutStatic | Traced::Element(_) => {
            Some(Anchor::Store(site.bci))
        }
        _ => None,
    }
}

/// What is known about the code of a method.
struct Method<'a> {
    flow: BTreeMap<u32, &'a Successors>,
    /// The handlers that begin with an event.
    caught: BTreeSet<u32>,
    /// The instructions that write, and record it when they have.
    stores: BTreeSet<u32>,
    branches: BTreeSet<u32>,
    /// The instructions with other effects, which may be recorded or not.
    others: BTreeSet<u32>,
    lines: BTreeSet<u32>,
    /// The lines that can be derived.
    derived: BTreeSet<u32>,
}

impl<'a> Method<'a> {
    fn new(shape: &MethodShape, effects: &[RecordedEffect], flow: &'a [Successors]) -> Method<'a> {
        let mut method = Method {
            flow: flow.iter().map(|instruction| (instruction.pc, instruction)).collect(),
            caught: shape.handlers.iter().copied().collect(),
            stores: BTreeSet::new(),
            branches: BTreeSet::new(),
            others: BTreeSet::new(),
            lines: BTreeSet::new(),
            derived: BTreeSet::new(),
        };
        for effect in effects {
            let is_early = shape.is_early(effect.pc);
            let kind = match &effect.what {
                Effect::Line(_) => &mut method.lines,
                Effect::Branch { .. } => &mut method.branches,
                Effect::Local { kind: Kind::Reference, .. } | Effect::Put { .. } if is_early => {
                    &mut method.others
                }
                Effect::Local { .. } | Effect::Put { .. } | Effect::Element(_) => &mut method.stores,
                _ => &mut method.others,
            };
            kind.insert(effect.pc);
        }
        let uncertain = method.uncertain(shape);
        method.derived = method.lines.difference(&uncertain).copied().collect();
        method
    }

    /// The instructions that can be reached without an event right before: something else lies between.
    fn uncertain(&self, shape: &MethodShape) -> BTreeSet<u32> {
        let handlers = shape.handlers.iter().copied().filter(|handler| !self.caught.contains(handler));
        let mut found: BTreeSet<u32> = handlers.collect();
        let unanchored = self.flow.values().filter(|at| !self.is_plain(at) && !self.is_anchor(at.pc));
        found.extend(unanchored.flat_map(|at| at.next.iter().copied()));
        let mut left: Vec<u32> = found.iter().copied().collect();
        while let Some(pc) = left.pop() {
            // The event of a handler or a line makes certain what follows.
            let is_certain = self.caught.contains(&pc) || self.lines.contains(&pc);
            let Some(at) = self.flow.get(&pc).filter(|at| !is_certain && self.is_plain(at)) else { continue };
            left.extend(at.next.iter().copied().filter(|next| found.insert(*next)));
        }
        found.retain(|pc| !self.caught.contains(pc));
        found
    }

    /// Whether each way on from an instruction begins with an event.
    fn is_anchor(&self, pc: u32) -> bool {
        self.stores.contains(&pc) || self.branches.contains(&pc)
    }

    fn is_plain(&self, at: &Successors) -> bool {
        at.is_plain && !self.is_anchor(at.pc) && !self.others.contains(&at.pc)
    }

    /// Where execution continues after each event.
    fn ways(&self, first: u32) -> Vec<(Anchor, u32)> {
        let mut ways = vec![(Anchor::Entry, first)];
        ways.extend(self.caught.iter().map(|pc| (Anchor::Catch(*pc), *pc)));
        let lines = self.lines.difference(&self.derived);
        ways.extend(lines.filter_map(|pc| self.way_from_line(*pc)));
        for at in self.flow.values() {
            let pc = at.pc;
            if self.stores.contains(&pc) {
                ways.extend(at.next.iter().map(|next| (Anchor::Store(pc), *next)));
            } else if self.branches.contains(&pc) {
                ways.extend(at.next.iter().map(|next| (Anchor::Branch(pc, *next), *next)));
            }
        }
        ways
    }

    /// Where execution continues after the event of a line, if no other event or effect comes first.
    fn way_from_line(&self, pc: u32) -> Option<(Anchor, u32)> {
        let at = self.flow.get(&pc).filter(|at| self.is_plain(at))?;
        Some((Anchor::Line(pc), *at.next.first()?))
    }

    /// The lines that begin between an event and the next one, if execution continues at `pc`; and the first
    /// of them that is too far from the event.
    fn lines_from(&self, anchor: Anchor, mut pc: u32) -> (Vec<u32>, Option<u32>) {
        let mut lines = Vec::new();
        // A loop may have neither lines nor events; with a line, it is too far away after some rounds.
        for _ in 0..self.flow.len() * (DERIVED_LINES + 1) {
            if self.caught.contains(&pc) && anchor != Anchor::Catch(pc) {
                break;
            }
            if self.derived.contains(&pc) {
                if lines.len() == DERIVED_LINES {
                    return (lines, Some(pc));
                }
                lines.push(pc);
            } else if self.lines.contains(&pc) {
                break;
            }
            let at = self.flow.get(&pc).filter(|at| self.is_plain(at));
            let Some(next) = at.and_then(|at| at.next.first()) else { break };
            pc = *next;
        }
        (lines, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rewrite::Reference;

    fn shape(handlers: &[u32]) -> MethodShape {
        MethodShape {
            access: 8,
            name: "m".to_owned(),
            descriptor: "()V".to_owned(),
            length: 100,
            returns: Vec::new(),
            handlers: handlers.to_vec(),
            initialised_from: Some(0),
            constructs_at: None,
        }
    }

    /// Instructions of one byte; what continues elsewhere, or is not plain, is named.
    fn flow(length: u32, apart: &[(u32, &[u32], bool)]) -> Vec<Successors> {
        let one = |pc: u32| match apart.iter().find(|(at, ..)| *at == pc) {
            Some((_, next, is_plain)) => Successors { pc, next: next.to_vec(), is_plain: *is_plain },
            None => Successors { pc, next: vec![pc + 1], is_plain: true },
        };
        (0..length).map(one).collect()
    }

    fn line(pc: u32) -> RecordedEffect {
        RecordedEffect { pc, what: Effect::Line(u16::try_from(pc).unwrap()) }
    }

    fn store(pc: u32) -> RecordedEffect {
        RecordedEffect {
            pc,
            what: Effect::Local { slot: 0, kind: Kind::Int, value: Reference::Usable, named: None },
        }
    }

    fn branch(pc: u32, to: &[u32]) -> RecordedEffect {
        RecordedEffect { pc, what: Effect::Branch { to: to.to_vec(), or: Some(pc + 1) } }
    }

    fn found(handlers: &[u32], effects: &[RecordedEffect], flow: &[Successors]) -> Vec<(Anchor, Vec<u32>)> {
        DerivedLines::find(&shape(handlers), effects, flow).after.into_iter().collect()
    }

    #[test]
    fn lines_follow_entries_stores_and_branches() {
        // 0 line, 1 store, 2 line, 3 branch to 6, 4 line, 5 goto 2, 6 line, 7 return
        let effects = [line(0), store(1), line(2), branch(3, &[6]), line(4), line(6)];
        let flow = flow(8, &[(1, &[2], false), (3, &[4, 6], false), (5, &[2], true), (7, &[], false)]);
        let expected = [
            (Anchor::Entry, vec![0]),
            (Anchor::Store(1), vec![2]),
            (Anchor::Branch(3, 4), vec![4, 2]),
            (Anchor::Branch(3, 6), vec![6]),
        ];
        assert_eq!(found(&[], &effects, &flow), expected);
    }

    #[test]
    fn a_line_after_a_call_has_its_event() {
        // 0 line, 1 store, 2 a call, 3 line, 4 plain, 5 line
        let effects = [line(0), store(1), line(3), line(5)];
        let flow = flow(7, &[(1, &[2], false), (2, &[3], false), (6, &[], false)]);
        assert_eq!(found(&[], &effects, &flow), [(Anchor::Entry, vec![0]), (Anchor::Line(3), vec![5])]);
    }

    #[test]
    fn a_line_that_one_way_reaches_without_an_event_has_its_event() {
        // 0 branch to 3, 1 a call, 2 goto 3, 3 line
        let effects = [branch(0, &[3]), line(3)];
        let flow = flow(5, &[(0, &[1, 3], false), (1, &[2], false), (2, &[3], true), (4, &[], false)]);
        assert_eq!(found(&[], &effects, &flow), []);
    }

    #[test]
    fn lines_follow_the_event_of_a_handler() {
        // 0 store, 1 goto 4, 2 handler with a line, 3 store, 4 line
        let effects = [store(0), line(2), store(3), line(4)];
        let flow = flow(6, &[(0, &[1], false), (1, &[4], true), (3, &[4], false), (5, &[], false)]);
        let expected =
            [(Anchor::Catch(2), vec![2]), (Anchor::Store(0), vec![4]), (Anchor::Store(3), vec![4])];
        assert_eq!(found(&[2], &effects, &flow), expected);
    }

    #[test]
    fn no_line_is_further_from_its_event_than_an_event_has_bytes() {
        let effects: Vec<RecordedEffect> = (0..9).map(line).collect();
        let flow = flow(10, &[(9, &[], false)]);
        let expected =
            [(Anchor::Entry, vec![0, 1, 2]), (Anchor::Line(3), vec![4, 5, 6]), (Anchor::Line(7), vec![8])];
        assert_eq!(found(&[], &effects, &flow), expected);
    }

    #[test]
    fn a_loop_without_events_ends_here_too() {
        assert_eq!(found(&[], &[], &flow(1, &[(0, &[0], true)])), []);
        // Each time round its line begins again.
        let effects = [line(0)];
        assert_eq!(found(&[], &effects, &flow(1, &[(0, &[0], true)])), []);
    }
}
