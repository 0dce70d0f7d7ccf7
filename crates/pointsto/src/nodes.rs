//! The graph of the analysis: nodes that hold sets of allocations, edges along which they flow, and the
//! constraints that new members of a node trigger.

use super::set::Set;
use super::types::{ARRAYS, OBJECT, TOUCHED, TypeId, Types};
use super::{AllocId, AllocKind};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// The number of a node. 0 is [`NOWHERE`].
pub(super) type NodeId = u32;

/// A node that never holds anything.
pub(super) const NOWHERE: NodeId = 0;

/// What a new member of a node triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// The field of the member flows into the node.
    Load(u32, NodeId),
    /// The node flows into the field of the member.
    Store(u32, NodeId),
    /// The member is a receiver at the call site.
    Receive(u32),
    /// The member is a function that the library calls.
    Call(u32),
    /// A library object holds the member: its functions flow into the node.
    Hold(NodeId),
    /// The member is seen by the library, which may call its `toString`, `equals` and so on.
    Touch(u32),
    /// The member is an array that the library sees: the elements that it touches flow into the node.
    TouchElements(NodeId),
    /// The member is the receiver of a library call.
    Inherit(u32),
    /// The member is an argument of a library call.
    Iterate(u32),
    /// The member is what an overridden method returned to a library call.
    Returned(u32),
    /// The member may be a class object: an object of its class is made.
    Instantiate(u32),
    /// The member may be the class object of an enum: its constants flow into the node.
    Constants(NodeId),
}

#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) held: Set,
    /// The members that were not passed along the edges yet.
    pub(super) pending: Set,
    /// The members that were passed on, and did not trigger the constraints yet.
    pub(super) waiting: Set,
    pub(super) filter: TypeId,
    /// The position of the node in the order in which sets are passed on.
    pub(super) rank: u32,
    /// The number of collapses that `to` knows.
    pub(super) epoch: u32,
    pub(super) to: Vec<NodeId>,
    pub(super) uses: Vec<Use>,
    pub(super) is_queued: bool,
}

/// What is known about an allocation besides its site.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Object {
    pub(super) ty: TypeId,
    /// Whether its class is exactly the type, not a subtype.
    pub(super) is_exact: bool,
    /// Whether it may hold objects that no instruction stored.
    pub(super) is_open: bool,
    pub(super) kind: AllocKind,
    /// The method and code index of the site.
    pub(super) site: Option<(u32, u32)>,
}

/// For one type: a bit for every allocation that passes.
#[derive(Debug, Default)]
struct Mask {
    bits: Vec<u64>,
    checked: usize,
}

/// Nodes, edges and allocations.
pub(super) struct Graph<'p> {
    pub(super) types: Types<'p>,
    pub(super) objects: Vec<Object>,
    pub(super) nodes: Vec<Node>,
    /// By node: the node that it was merged into, or itself.
    pub(super) merged: Vec<NodeId>,
    pub(super) edges: HashSet<(NodeId, NodeId), foldhash::fast::FixedState>,
    registered: HashSet<(NodeId, Use), foldhash::fast::FixedState>,
    /// The nodes with members to pass on, by rank.
    queue: BinaryHeap<Reverse<(u32, NodeId)>>,
    /// The nodes with members that are to trigger constraints.
    ready: Vec<NodeId>,
    masks: Vec<Mask>,
    /// Constraints of merged nodes, with the members that did not trigger them yet.
    pub(super) late: Vec<(Use, Set)>,
    /// Sets that were passed on since the last collapse.
    pub(super) passed: usize,
    pub(super) epoch: u32,
}

pub(super) fn index(id: u32) -> usize {
    usize::try_from(id).unwrap_or(usize::MAX)
}

impl<'p> Graph<'p> {
    pub(super) fn new(types: Types<'p>) -> Graph<'p> {
        Graph {
            types,
            objects: Vec::new(),
            nodes: vec![Node::default()],
            merged: vec![NOWHERE],
            edges: HashSet::default(),
            registered: HashSet::default(),
            queue: BinaryHeap::new(),
            ready: Vec::new(),
            masks: Vec::new(),
            late: Vec::new(),
            passed: 0,
            epoch: 0,
        }
    }

    /// The node that a node was merged into, or itself.
    pub(super) fn find(&self, node: NodeId) -> NodeId {
        self.merged.get(index(node)).copied().unwrap_or(NOWHERE)
    }

    /// A new node that holds only objects of this type.
    pub(super) fn node(&mut self, filter: TypeId) -> NodeId {
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node { filter, rank: u32::MAX, epoch: self.epoch, ..Node::default() });
        self.merged.push(id);
        id
    }

    pub(super) fn set_filter(&mut self, node: NodeId, filter: TypeId) {
        if let Some(node) = self.nodes.get_mut(index(node)) {
            node.filter = filter;
        }
    }

    pub(super) fn object(&self, id: AllocId) -> Option<&Object> {
        self.objects.get(index(id.0))
    }

    pub(super) fn add_object(&mut self, object: Object) -> AllocId {
        self.objects.push(object);
        AllocId(u32::try_from(self.objects.len() - 1).unwrap_or(u32::MAX))
    }

    /// Whether an allocation may be used as a type.
    pub(super) fn passes(&mut self, id: AllocId, filter: TypeId) -> bool {
        if filter == OBJECT {
            return true;
        }
        let Some(object) = self.objects.get(index(id.0)) else { return false };
        let ty = object.ty;
        if filter == TOUCHED || filter == ARRAYS {
            return self.types.passes_special(ty, filter);
        }
        if object.is_exact {
            self.types.may_be_subtype(ty, filter)
        } else {
            self.types.may_be_below(ty, filter)
        }
    }

    /// Brings the mask of a filter up to date.
    fn check_objects(&mut self, filter: TypeId) {
        let at = index(filter);
        if self.masks.len() <= at {
            self.masks.resize_with(at + 1, Mask::default);
        }
        let Some(mut mask) = self.masks.get_mut(at).map(std::mem::take) else { return };
        while mask.checked < self.objects.len() {
            let id = u32::try_from(mask.checked).unwrap_or(u32::MAX);
            if mask.checked.is_multiple_of(64) {
                mask.bits.push(0);
            }
            if self.passes(AllocId(id), filter)
                && let Some(word) = mask.bits.last_mut()
            {
                *word |= 1 << (id % 64);
            }
            mask.checked += 1;
        }
        if let Some(place) = self.masks.get_mut(at) {
            *place = mask;
        }
    }

    /// Adds members to a node.
    pub(super) fn add(&mut self, to: NodeId, members: &Set) {
        let to = self.find(to);
        if to == NOWHERE || members.is_empty() {
            return;
        }
        let Some(filter) = self.nodes.get(index(to)).map(|node| node.filter) else { return };
        if filter != OBJECT {
            self.check_objects(filter);
        }
        self.passed += 1;
        let mask = (filter != OBJECT).then(|| self.masks.get(index(filter)).map(|mask| mask.bits.as_slice()));
        let Some(node) = self.nodes.get_mut(index(to)) else { return };
        let new = match mask {
            None => node.held.union(members),
            Some(mask) => node.held.union(&members.masked(mask.unwrap_or_default())),
        };
        if new.is_empty() {
            return;
        }
        if node.pending.is_empty() {
            node.pending = new;
        } else {
            node.pending.union(&new);
        }
        if !node.is_queued {
            node.is_queued = true;
            self.queue.push(Reverse((node.rank, to)));
        }
    }

    pub(super) fn add_one(&mut self, to: NodeId, member: AllocId) {
        self.add(to, &Set::from_iter([member]));
    }

    /// Lets everything that `from` holds, now and later, flow into `to`.
    pub(super) fn edge(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.find(from), self.find(to));
        if from == NOWHERE || to == NOWHERE || from == to || !self.edges.insert((from, to)) {
            return;
        }
        let Some(node) = self.nodes.get_mut(index(from)) else { return };
        node.to.push(to);
        if !node.held.is_empty() {
            let held = std::mem::take(&mut node.held);
            self.add(to, &held);
            if let Some(node) = self.nodes.get_mut(index(from)) {
                node.held = held;
            }
        }
    }

    /// A constraint that names no merged node.
    fn current(&self, what: Use) -> Use {
        match what {
            Use::Load(field, to) => Use::Load(field, self.find(to)),
            Use::Store(field, from) => Use::Store(field, self.find(from)),
            Use::Hold(to) => Use::Hold(self.find(to)),
            Use::TouchElements(to) => Use::TouchElements(self.find(to)),
            Use::Constants(to) => Use::Constants(self.find(to)),
            _ => what,
        }
    }

    /// Adds a constraint to a node that is not merged. Returns whether the node did not have it.
    pub(super) fn attach(&mut self, node: NodeId, what: Use) -> bool {
        let what = self.current(what);
        let is_new = self.registered.insert((node, what));
        if is_new && let Some(node) = self.nodes.get_mut(index(node)) {
            node.uses.push(what);
        }
        is_new
    }

    /// Registers a constraint. Returns the members that a node holds already.
    #[must_use]
    pub(super) fn register(&mut self, node: NodeId, what: Use) -> Set {
        let node = self.find(node);
        if node == NOWHERE || !self.attach(node, what) {
            return Set::new();
        }
        let Some(node) = self.nodes.get(index(node)) else { return Set::new() };
        let held = if node.pending.is_empty() { node.held.clone() } else { node.held.without(&node.pending) };
        if node.waiting.is_empty() { held } else { held.without(&node.waiting) }
    }

    /// Passes the new members of the first node in the queue along its edges. Returns whether there was one.
    pub(super) fn pass_on(&mut self) -> bool {
        let Some(Reverse((_, id))) = self.queue.pop() else { return false };
        if self.find(id) != id {
            return true;
        }
        self.refresh(id);
        let Some(node) = self.nodes.get_mut(index(id)) else { return true };
        node.is_queued = false;
        let new = std::mem::take(&mut node.pending);
        let to = std::mem::take(&mut node.to);
        for target in &to {
            self.add(*target, &new);
        }
        let Some(node) = self.nodes.get_mut(index(id)) else { return true };
        node.to = to;
        if !node.uses.is_empty() && !new.is_empty() {
            if node.waiting.is_empty() {
                node.waiting = new;
                self.ready.push(id);
            } else {
                node.waiting.union(&new);
            }
        }
        true
    }

    /// Names no merged node in the edges of a node.
    pub(super) fn refresh(&mut self, id: NodeId) {
        let (merged, epoch) = (&self.merged, self.epoch);
        let Some(node) = self.nodes.get_mut(index(id)).filter(|node| node.epoch != epoch) else { return };
        node.epoch = epoch;
        for to in &mut node.to {
            *to = merged.get(index(*to)).copied().unwrap_or(NOWHERE);
        }
        node.to.sort_unstable();
        node.to.dedup();
        node.to.retain(|to| *to != id);
    }

    /// The members and the constraints of a node of which members are to trigger constraints.
    pub(super) fn next_ready(&mut self) -> Option<(Set, Vec<Use>)> {
        loop {
            let id = self.ready.pop()?;
            let node = self.nodes.get_mut(index(id))?;
            if !node.waiting.is_empty() {
                return Some((std::mem::take(&mut node.waiting), node.uses.clone()));
            }
        }
    }

    /// Puts a node into the queue anew, by its rank.
    pub(super) fn requeue(&mut self) {
        let queued: Vec<NodeId> = self.queue.drain().map(|Reverse((_, id))| id).collect();
        for id in queued {
            if self.find(id) == id
                && let Some(node) = self.nodes.get(index(id))
            {
                self.queue.push(Reverse((node.rank, id)));
            }
        }
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The sets of all nodes, the set of each node, allocations and types.
    pub(super) fn into_sets(self) -> (Vec<Set>, Vec<NodeId>, Vec<Object>, Types<'p>) {
        (self.nodes.into_iter().map(|n| n.held).collect(), self.merged, self.objects, self.types)
    }
}
