//! What a library calls in the program: functions, and the methods of `Object` that programs override.

use super::nodes::{NodeId, Object, Use};
use super::solver::{CONTENTS, Solver};
use super::types::{ARRAYS, Found, OBJECT, OF_OBJECT, TOUCHED, TypeId};
use super::{AllocId, AllocKind};
use bytecode::class::ClassFile;
use std::collections::BTreeSet;
use std::sync::Arc;

/// `ACC_PRIVATE`
const ACC_PRIVATE: u16 = 0x0002;

/// Adds the methods of a class that the library can call.
fn add_methods(names: &mut BTreeSet<(String, String)>, class: &ClassFile) {
    for method in &class.methods {
        if !method.is_static() && !method.name.starts_with('<') && method.access & ACC_PRIVATE == 0 {
            names.insert((method.name.clone(), method.descriptor.clone()));
        }
    }
}

/// Whether a library object may hold functions.
fn is_container(object: &Object) -> bool {
    matches!(object.kind, AllocKind::New | AllocKind::Library | AllocKind::Array)
}

impl Solver<'_> {
    /// A library calls an object as a function.
    pub(super) fn call_back(&mut self, callback: u32, id: AllocId) {
        let Some(call) = usize::try_from(callback).ok().and_then(|at| self.callbacks.get(at)).copied() else {
            return;
        };
        let Some(object) = self.graph.object(id).cloned() else { return };
        if self.lambdas.contains_key(&id) {
            self.call_lambda(call.site, id, call.given, call.results);
            return;
        }
        if self.graph.types.is_analysed(object.ty) {
            for (ty, at) in self.methods_for_library(object.ty).iter() {
                self.call_from_library(call.site, id, *ty, *at, call.given, call.results);
            }
            return;
        }
        // A comparator made of functions, a thread with its `Runnable`.
        if is_container(&object) {
            let held = self.functions_in(id);
            self.graph.edge(held, call.inner);
        }
    }

    /// The node of the functions that a library object holds, directly or in other library objects.
    fn functions_in(&mut self, id: AllocId) -> NodeId {
        if let Some(node) = self.held_functions.get(&id) {
            return *node;
        }
        let node = self.graph.node(OBJECT);
        self.held_functions.insert(id, node);
        let contents = self.field_of(id, CONTENTS);
        self.when(contents, Use::Hold(node));
        node
    }

    /// A library object holds another object: its functions flow into a node.
    pub(super) fn hold(&mut self, id: AllocId, functions: NodeId) {
        let Some(object) = self.graph.object(id).cloned() else { return };
        let is_function = self.lambdas.contains_key(&id)
            || self.graph.types.is_analysed(object.ty) && !self.methods_for_library(object.ty).is_empty();
        if is_function {
            self.graph.add_one(functions, id);
        } else if is_container(&object) {
            let inner = self.functions_in(id);
            self.graph.edge(inner, functions);
        }
    }

    /// A library calls a lambda.
    pub(super) fn call_lambda(&mut self, site: u32, id: AllocId, given: NodeId, results: NodeId) {
        let Some(lambda) = self.lambdas.get(&id).cloned() else { return };
        for parameter in &lambda.parameters {
            self.graph.edge(given, *parameter);
        }
        self.graph.edge(lambda.result, results);
        if let Some(inner) = self.site_of_lambda(id) {
            self.add_inner(site, inner);
        }
    }

    /// A library calls a method of an object, by its class and its index there.
    pub(super) fn call_from_library(
        &mut self,
        site: u32,
        id: AllocId,
        ty: TypeId,
        at: usize,
        given: NodeId,
        results: NodeId,
    ) {
        let Some(method) = self.reach(ty, at) else { return };
        self.add_parameter(method, 0, Some(id));
        let count = self.method(method).and_then(|m| descriptor::parse_method(&m.descriptor));
        for (place, parameter) in (1..).zip(count.map(|d| d.parameters).unwrap_or_default()) {
            if bytecode::kind::Kind::of_descriptor(&parameter) == bytecode::kind::Kind::Reference {
                let node = self.parameter(method, place);
                self.graph.edge(given, node);
            }
        }
        let returned = self.result(method);
        self.graph.edge(returned, results);
        self.add_target(site, method);
    }

    /// The methods of an analysed class that implement or override one that a library declares. If a
    /// supertype is not known, every method may do so.
    pub(super) fn methods_for_library(&mut self, ty: TypeId) -> Arc<[(TypeId, usize)]> {
        if let Some(known) = self.callback_methods.get(&ty) {
            return known.clone();
        }
        let above = self.graph.types.above(ty);
        let mut names = BTreeSet::new();
        for above_ty in &above.types {
            let is_wanted =
                *above_ty != OBJECT && (self.graph.types.is_analysed(*above_ty) != above.is_complete);
            if let Some(class) = self.graph.types.class(*above_ty).filter(|_| is_wanted) {
                add_methods(&mut names, class);
            }
        }
        let found = self.implementations(ty, names.iter().map(|(n, d)| (n.as_str(), d.as_str())));
        self.callback_methods.insert(ty, found.clone());
        found
    }

    /// What objects of a class execute for these methods, if it is analysed.
    fn implementations<'n>(
        &mut self,
        ty: TypeId,
        names: impl Iterator<Item = (&'n str, &'n str)>,
    ) -> Arc<[(TypeId, usize)]> {
        let mut found = Vec::new();
        for (name, descriptor) in names {
            if let Found::Analysed(class, at) = self.graph.types.method(ty, name, descriptor) {
                found.push((class, at));
            }
        }
        found.into()
    }

    /// A library sees an array: the elements whose methods it may call flow into a node.
    pub(super) fn touch_elements(&mut self, id: AllocId, to: NodeId) {
        let known = self.touched_elements.get(&id).copied();
        let node = known.unwrap_or_else(|| self.graph.node(TOUCHED));
        if known.is_none() {
            self.touched_elements.insert(id, node);
            let elements = self.field_of(id, CONTENTS);
            let nested = self.graph.node(ARRAYS);
            self.graph.edge(elements, node);
            self.graph.edge(elements, nested);
            self.when(nested, Use::TouchElements(node));
        }
        self.graph.edge(node, to);
    }

    /// A library sees an object: it may call the methods that every object has.
    pub(super) fn touch(&mut self, call: u32, id: AllocId) {
        let Some(object) = self.graph.object(id) else { return };
        let ty = object.ty;
        if self.lambdas.contains_key(&id) {
            return;
        }
        let methods = match self.object_methods.get(&ty) {
            Some(known) => known.clone(),
            None => {
                let found = self.implementations(ty, OF_OBJECT.into_iter());
                self.object_methods.insert(ty, found.clone());
                found
            }
        };
        let Some(site) = self.library_at(call).map(|c| c.site).filter(|_| !methods.is_empty()) else {
            return;
        };
        let peers = self.peers(call);
        for (class, at) in methods.iter() {
            // What these methods return is of no use to the caller.
            self.call_from_library(site, id, *class, *at, peers, super::nodes::NOWHERE);
        }
    }
}
