//! The graph of the analysis: nodes that hold sets of allocations, edges along which they flow, and the
//! constraints that new members of a node trigger.

use super::set::Set;
use super::types::{ARRAYS, OBJECT, TOUCHED, TypeId, Types};
use super::{AllocId, AllocKind};
use std::collections::{HashSet, VecDeque};

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
struct Node {
    held: Set,
    pending: Set,
    filter: TypeId,
    to: Vec<NodeId>,
    uses: Vec<Use>,
    is_queued: bool,
}

/// What is known about an allocation besides its site.
#[derive(Debug, Clone)]
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
    nodes: Vec<Node>,
    edges: HashSet<(NodeId, NodeId), foldhash::fast::FixedState>,
    registered: HashSet<(NodeId, Use), foldhash::fast::FixedState>,
    queue: VecDeque<NodeId>,
    masks: Vec<Mask>,
}

fn index(id: u32) -> usize {
    usize::try_from(id).unwrap_or(usize::MAX)
}

impl<'p> Graph<'p> {
    pub(super) fn new(types: Types<'p>) -> Graph<'p> {
        Graph {
            types,
            objects: Vec::new(),
            nodes: vec![Node::default()],
            edges: HashSet::default(),
            registered: HashSet::default(),
            queue: VecDeque::new(),
            masks: Vec::new(),
        }
    }

    /// A new node that holds only objects of this type.
    pub(super) fn node(&mut self, filter: TypeId) -> NodeId {
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node { filter, ..Node::default() });
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

    fn mask(&mut self, filter: TypeId) -> &[u64] {
        let at = index(filter);
        if self.masks.len() <= at {
            self.masks.resize_with(at + 1, Mask::default);
        }
        let Some(mut mask) = self.masks.get_mut(at).map(std::mem::take) else { return &[] };
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
        match self.masks.get_mut(at) {
            Some(place) => {
                *place = mask;
                &place.bits
            }
            None => &[],
        }
    }

    /// Adds members to a node.
    pub(super) fn add(&mut self, to: NodeId, members: &Set) {
        let Some(node) = self.nodes.get(index(to)) else { return };
        if to == NOWHERE || members.is_empty() {
            return;
        }
        let filtered;
        let members = if node.filter == OBJECT {
            members
        } else {
            filtered = members.masked(self.mask(node.filter));
            &filtered
        };
        let Some(node) = self.nodes.get_mut(index(to)) else { return };
        let new = node.held.union(members);
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
            self.queue.push_back(to);
        }
    }

    pub(super) fn add_one(&mut self, to: NodeId, member: AllocId) {
        self.add(to, &Set::from_iter([member]));
    }

    /// Lets everything that `from` holds, now and later, flow into `to`.
    pub(super) fn edge(&mut self, from: NodeId, to: NodeId) {
        if from == NOWHERE || to == NOWHERE || from == to || !self.edges.insert((from, to)) {
            return;
        }
        let Some(node) = self.nodes.get_mut(index(from)) else { return };
        node.to.push(to);
        if !node.held.is_empty() {
            let held = node.held.clone();
            self.add(to, &held);
        }
    }

    /// Registers a constraint. Returns the members that a node holds already.
    #[must_use]
    pub(super) fn register(&mut self, node: NodeId, what: Use) -> Set {
        if node == NOWHERE || !self.registered.insert((node, what)) {
            return Set::new();
        }
        let Some(node) = self.nodes.get_mut(index(node)) else { return Set::new() };
        node.uses.push(what);
        node.held.clone()
    }

    /// Takes a node with new members off the queue and passes them along its edges. Returns the members and
    /// the constraints that they trigger.
    pub(super) fn next(&mut self) -> Option<(Set, Vec<Use>)> {
        let id = self.queue.pop_front()?;
        let node = self.nodes.get_mut(index(id))?;
        node.is_queued = false;
        let new = std::mem::take(&mut node.pending);
        let uses = node.uses.clone();
        let to = std::mem::take(&mut node.to);
        for target in &to {
            self.add(*target, &new);
        }
        if let Some(node) = self.nodes.get_mut(index(id)) {
            node.to = to;
        }
        Some((new, uses))
    }

    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The sets of all nodes, by number.
    pub(super) fn into_sets(self) -> (Vec<Set>, Vec<Object>, Types<'p>) {
        (self.nodes.into_iter().map(|n| n.held).collect(), self.objects, self.types)
    }
}
