//! The calls on the stack of a recorded thread, and the hits found in it.

use super::hit::{Happened, Hit};
use super::open_call::OpenCall;
use super::search::{Search, at_new, frame};
use model::{Activation, ActivationKey, FrameKey, StackKey};
use std::collections::{HashMap, VecDeque};
use trace::{Calls, EventPosition, TracedEvent};

/// A frame of the stack.
#[derive(Clone, Copy)]
pub(super) struct StackedFrame {
    /// The frame.
    pub frame: FrameKey,
    /// The number of its call.
    pub node: u32,
    /// Its activation.
    pub activation: ActivationKey,
}

/// The calls on the stack of a thread, and its hits.
pub(super) struct ThreadStack {
    /// The number of the thread.
    pub thread: u32,
    /// The calls, oldest first.
    pub open: Vec<OpenCall>,
    /// The hits that nobody has taken, in their order.
    pub found: VecDeque<Hit>,
    /// Number of hits by query and place.
    counts: HashMap<(u16, FrameKey), u32>,
    /// Number of hits of queries about value flows, by query and place.
    copies: HashMap<(u16, u32), u32>,
}

impl ThreadStack {
    /// A thread before its first event.
    pub fn new(thread: u32) -> ThreadStack {
        ThreadStack {
            thread,
            open: Vec::new(),
            found: VecDeque::new(),
            counts: HashMap::new(),
            copies: HashMap::new(),
        }
    }

    /// The activations on the stack and of the hits.
    pub fn activations(&self) -> impl Iterator<Item = ActivationKey> {
        let open = self.open.iter().filter_map(|call| call.activation);
        open.chain(self.found.iter().filter_map(|hit| hit.activation))
    }

    /// Makes a call the newest one, as the recording says. Events can be missing in between.
    pub fn restore(&mut self, calls: &Calls, node: u32) {
        if self.open.last().is_some_and(|call| call.node == node) {
            return;
        }
        if let Some(at) = self.open.iter().rposition(|call| call.node == node) {
            self.open.truncate(at + 1);
            return;
        }
        let mut chain: Vec<u32> = std::iter::successors(Some(node), |node| calls.parent(*node)).collect();
        chain.reverse();
        let known = self.open.iter().zip(&chain).take_while(|(call, node)| call.node == **node).count();
        self.open.truncate(known);
        for node in chain.into_iter().skip(known) {
            self.open.push(OpenCall::new(node, calls.method_number(node).unwrap_or(u32::MAX)));
        }
    }

    /// The hit of an object that a constructor creates, in the frame of its `new`, which has
    /// that many newer frames `above` it.
    pub fn made_at(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        query: u16,
        object: u32,
        above: usize,
    ) {
        let Some((frames, stack)) = self.frames(calls, search, seen.site.bci) else { return };
        let Some(event_frame) = frames.first().map(|newest| newest.frame) else { return };
        let ordinal = self.count(query, event_frame);
        let above = above.min(frames.len().saturating_sub(1));
        let Some(StackedFrame { frame, node, activation }) = frames.get(above).copied() else { return };
        let at_new = at_new(search, calls, frame, calls.method_number(node));
        let below = search.tables.frame_keys(stack).skip(above + 1).collect::<Vec<_>>();
        let keys: Vec<FrameKey> = std::iter::once(at_new).chain(below).collect();
        let stack = search.tables.stack_key(&keys);
        let at = self.position_in(calls, seen, above);
        let newer = u32::try_from(above).unwrap_or(u32::MAX);
        let constructor = (above > 0).then_some((event_frame, newer));
        let (Some(at), what) = (at, Happened::Made { object, constructor }) else { return };
        let (when, thread, activation) = (seen.when(), self.thread, Some(activation));
        self.found.push_back(Hit {
            query,
            when,
            at,
            thread,
            ordinal,
            frame: at_new,
            stack,
            activation,
            arm: None,
            results: Vec::new(),
            what,
        });
    }

    /// Counts a hit in the newest frame that the query does not ask about.
    pub fn pass(&mut self, calls: &Calls, search: &mut Search<'_>, query: u16, bci: u32) {
        if let Some((frame, ..)) = self.newest(calls, search, bci) {
            self.count(query, frame);
        }
    }

    /// Adds a hit in the newest frame.
    pub fn hit(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        query: u16,
        bci: u32,
        what: Happened,
    ) {
        let Some(at) = self.position_in(calls, seen, 0) else { return };
        let Some((frame, stack, activation)) = self.newest(calls, search, bci) else { return };
        let ordinal = match &what {
            Happened::Copied { way, .. } => {
                let count = self.copies.entry((query, *way)).or_insert(0);
                *count = count.saturating_add(1);
                *count
            }
            _ => self.count(query, frame),
        };
        let (when, thread, activation) = (seen.when(), self.thread, Some(activation));
        let (arm, results) =
            self.open.last().map(|call| (call.arm, call.results.clone())).unwrap_or_default();
        self.found.push_back(Hit {
            query,
            when,
            at,
            thread,
            ordinal,
            frame,
            stack,
            activation,
            arm,
            results,
            what,
        });
    }

    /// Counts a hit of a query at a place.
    pub fn count(&mut self, query: u16, frame: FrameKey) -> u32 {
        let count = self.counts.entry((query, frame)).or_insert(0);
        *count = count.saturating_add(1);
        *count
    }

    /// Where the frame with so many newer ones stands at an event.
    pub fn position_in(&self, calls: &Calls, seen: &TracedEvent<'_>, above: usize) -> Option<EventPosition> {
        let node = self.open.iter().rev().nth(above)?.node;
        match above.checked_sub(1) {
            None => seen.position().map(|at| at.in_call(node)),
            Some(newer) => calls.made_at(self.open.iter().rev().nth(newer)?.node),
        }
    }

    /// The newest frame at a code index, its stack and its activation.
    fn newest(
        &mut self,
        calls: &Calls,
        search: &mut Search<'_>,
        bci: u32,
    ) -> Option<(FrameKey, StackKey, ActivationKey)> {
        let top = self.open.len().checked_sub(1)?;
        // The frames below the newest one have not moved since they made their calls.
        let known = self.open.iter().take(top).rposition(|call| call.calling.is_some());
        let mut below = known.and_then(|at| self.open.get(at)?.calling).unwrap_or(StackKey::EMPTY);
        for at in known.map_or(0, |at| at + 1)..top {
            let (call, callee) = (self.open.get(at)?, self.open.get(at + 1)?.method);
            let site = call.call_site(callee, search, calls);
            let frame = frame(search, calls, call.method, site)?;
            below = search.tables.push_frame(below, frame);
            self.open.get_mut(at)?.calling = Some(below);
        }
        let mut caller = None;
        for at in 0..=top {
            let depth = u32::try_from(at + 1).unwrap_or(u32::MAX);
            let call = self.open.get_mut(at)?;
            let key = match call.activation {
                Some(key) => key,
                None => {
                    let method = search.tables.method_key(&calls.sites.method_name(call.method)?);
                    let of = Activation { caller, depth, method, certain: true };
                    *call.activation.insert(search.tables.add_activation(of))
                }
            };
            caller = Some(key);
        }
        let newest = frame(search, calls, self.open.last()?.method, bci)?;
        Some((newest, search.tables.push_frame(below, newest), caller?))
    }

    /// All frames, newest first, with their calls and activations; and the stack.
    pub fn frames(
        &mut self,
        calls: &Calls,
        search: &mut Search<'_>,
        bci: u32,
    ) -> Option<(Vec<StackedFrame>, StackKey)> {
        let (_, stack, _) = self.newest(calls, search, bci)?;
        let keys = search.tables.frame_keys(stack);
        let open = self.open.iter().rev().filter_map(|call| Some((call.node, call.activation?)));
        let frames =
            keys.zip(open).map(|(frame, (node, activation))| StackedFrame { frame, node, activation });
        Some((frames.collect(), stack))
    }
}
