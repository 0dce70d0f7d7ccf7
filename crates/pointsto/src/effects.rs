//! Calls of methods that are not analysed: the constraints of their summaries.

use super::library::{Effect, Source, Summary};
use super::nodes::{NOWHERE, NodeId, Use};
use super::sites::{Callback, Instantiation, LibraryCall};
use super::solver::{CONTENTS, Solver};
use super::types::{ARRAYS, OBJECT, TOUCHED, TypeId};
use super::{AllocId, AllocKind};
use bytecode::op::InvokeKind;

impl Solver<'_> {
    pub(super) fn receiver_of(&self, call: u32) -> NodeId {
        self.library_at(call).map_or(NOWHERE, |c| c.receiver)
    }

    /// What `equals` and `compareTo` of the arguments of a call may get: an argument, or what the receiver
    /// holds.
    pub(super) fn peers(&mut self, call: u32) -> NodeId {
        let known = self.library_at(call).map_or(NOWHERE, |c| c.peers);
        if known != NOWHERE {
            return known;
        }
        let peers = self.graph.node(OBJECT);
        for source in [Source::Arguments, Source::Receiver.contents()] {
            let from = self.source(call, &source);
            self.graph.edge(from, peers);
        }
        if let Some(call) = usize::try_from(call).ok().and_then(|at| self.library.get_mut(at)) {
            call.peers = peers;
        }
        peers
    }

    pub(super) fn library_at(&self, call: u32) -> Option<&LibraryCall> {
        self.library.get(usize::try_from(call).ok()?)
    }

    /// The call of a site with the method of a class that is not analysed.
    pub(super) fn library_call(&mut self, site: u32, class: TypeId) -> u32 {
        if let Some(id) = self.library_ids.get(&(site, class)) {
            return *id;
        }
        let id = u32::try_from(self.library.len()).unwrap_or(u32::MAX);
        self.library_ids.insert((site, class), id);
        let Some(call) = self.site(site) else { return id };
        let (name, descriptor) = (call.name.clone(), call.descriptor.clone());
        let declared = descriptor.rsplit(')').next().unwrap_or_default();
        let result_type = self.graph.types.of_descriptor(declared);
        let class_name = match self.graph.types.element(class) {
            Some(_) => "[]",
            None => self.graph.types.name(class),
        };
        let summary = if class_name == "[]" {
            Summary::of_jdk(class_name, &name, &descriptor)
        } else {
            self.graph.types.program().summary(class_name, &name, &descriptor)
        };
        let receiver = self.graph.node(OBJECT);
        let results = self.graph.node(OBJECT);
        self.library.push(LibraryCall {
            site,
            receiver,
            results,
            result_type,
            peers: NOWHERE,
            class,
            returned: NOWHERE,
        });
        let arguments = self.source(id, &Source::Arguments);
        let touched = self.graph.node(TOUCHED);
        let arrays = self.graph.node(ARRAYS);
        self.graph.edge(receiver, touched);
        self.graph.edge(arguments, touched);
        self.graph.edge(arguments, arrays);
        self.when(touched, Use::Touch(id));
        self.when(arrays, Use::TouchElements(touched));
        self.when(receiver, Use::Inherit(id));
        self.when(arguments, Use::Iterate(id));
        for effect in &summary.effects {
            self.effect(id, effect);
        }
        // Whatever the summary says of where it comes from: a text is a text.
        let result = self.site(site).map_or(NOWHERE, |s| s.result);
        if self.graph.types.is_value(result_type)
            && let Some(value) = self.unknown(result_type)
        {
            self.graph.add_one(result, value);
        }
        id
    }

    fn effect(&mut self, id: u32, effect: &Effect) {
        let Some(call) = self.library_at(id).cloned() else { return };
        let result = self.site(call.site).map_or(NOWHERE, |s| s.result);
        match effect {
            Effect::Return(source) => {
                if result != NOWHERE {
                    let from = self.source(id, source);
                    self.graph.edge(from, result);
                }
            }
            Effect::Store { into, value } => {
                let object = self.source(id, into);
                let from = self.source(id, value);
                self.store(object, CONTENTS, from);
            }
            Effect::Call { function, given } => {
                let functions = self.source(id, function);
                let parameters = self.graph.node(OBJECT);
                for source in given {
                    let from = self.source(id, source);
                    self.graph.edge(from, parameters);
                }
                let at = u32::try_from(self.callbacks.len()).unwrap_or(u32::MAX);
                let inner = self.graph.node(OBJECT);
                let (site, results) = (call.site, call.results);
                self.callbacks.push(Callback { site, given: parameters, results, inner });
                self.when(functions, Use::Call(at));
                self.when(inner, Use::Call(at));
            }
            Effect::Instantiate { class } => {
                let classes = self.source(id, class);
                let given = self.source(id, &Source::Arguments.contents());
                let at = u32::try_from(self.instantiations.len()).unwrap_or(u32::MAX);
                self.instantiations.push(Instantiation { site: call.site, given });
                self.when(classes, Use::Instantiate(at));
            }
            Effect::EnumConstants { class } => {
                let classes = self.source(id, class);
                if result != NOWHERE {
                    self.when(classes, Use::Constants(result));
                }
            }
        }
    }

    /// The node with the references of a source.
    pub(super) fn source(&mut self, id: u32, source: &Source) -> NodeId {
        if let Some(node) = self.source_nodes.get(&(id, source.clone())) {
            return *node;
        }
        let node = self.new_source(id, source).unwrap_or(NOWHERE);
        self.source_nodes.insert((id, source.clone()), node);
        node
    }

    fn new_source(&mut self, id: u32, source: &Source) -> Option<NodeId> {
        let call = self.library_at(id)?.clone();
        let site = self.site(call.site)?;
        let skipped = usize::from(site.kind != InvokeKind::Static);
        let at = site.at();
        let holding = |solver: &mut Self, object: Option<AllocId>| {
            let object = object?;
            let node = solver.graph.node(OBJECT);
            solver.graph.add_one(node, object);
            Some(node)
        };
        match source {
            Source::Receiver => Some(call.receiver),
            Source::Argument(place) => site.arguments.get(usize::from(*place) + skipped).copied(),
            Source::Arguments => {
                let arguments: Vec<NodeId> = site.arguments.iter().skip(skipped).copied().collect();
                let node = self.graph.node(OBJECT);
                for argument in arguments {
                    self.graph.edge(argument, node);
                }
                Some(node)
            }
            Source::Fresh | Source::FreshUnknown => {
                let is_open = *source == Source::FreshUnknown;
                let object = self.made(at, call.result_type, false, is_open, AllocKind::Library);
                holding(self, object)
            }
            Source::FreshOf(name) => {
                let ty = self.graph.types.id(name);
                let object = self.made(at, ty, false, false, AllocKind::Library);
                holding(self, object)
            }
            Source::Results => Some(call.results),
            Source::Unknown => {
                let object = self.unknown(OBJECT);
                holding(self, object)
            }
            Source::Contents(of) => {
                let objects = self.source(id, of);
                let node = self.graph.node(OBJECT);
                self.load(objects, CONTENTS, node);
                Some(node)
            }
        }
    }
}
