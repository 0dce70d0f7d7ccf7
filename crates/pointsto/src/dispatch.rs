//! Calls: which methods the objects of a receiver execute.

use super::nodes::{NOWHERE, NodeId, Use};
use super::sites::{Call, CallSite, InstructionAt};
use super::solver::Solver;
use super::types::{Found, OBJECT, TypeId};
use super::{AllocId, AllocKind, MethodId};
use bytecode::class::Method;
use bytecode::op::InvokeKind;
use std::collections::{HashMap, HashSet};

/// `ACC_PRIVATE`
const ACC_PRIVATE: u16 = 0x0002;

impl Solver<'_> {
    pub(super) fn site(&self, id: u32) -> Option<&CallSite> {
        self.sites.get(usize::try_from(id).ok()?)
    }

    pub(super) fn site_mut(&mut self, id: u32) -> Option<&mut CallSite> {
        self.sites.get_mut(usize::try_from(id).ok()?)
    }

    /// Adds a call site and the constraints of the call. Returns its number.
    pub(super) fn add_site(&mut self, call: Call) -> u32 {
        let id = u32::try_from(self.sites.len()).unwrap_or(u32::MAX);
        let receiver = call.arguments.first().copied().unwrap_or(NOWHERE);
        let (kind, class) = (call.kind, call.class);
        let direct = match kind {
            InvokeKind::Static | InvokeKind::Special => {
                Some(self.lookup(class, &call.name, &call.descriptor))
            }
            InvokeKind::Virtual | InvokeKind::Interface => {
                // A private method is not overridden.
                let found = self.lookup(class, &call.name, &call.descriptor);
                Some(found).filter(|f| self.declared(f).is_some_and(|m| m.access & ACC_PRIVATE != 0))
            }
        };
        self.sites.push(CallSite {
            call,
            targets: Vec::new(),
            connected: HashSet::new(),
            called_from: Vec::new(),
            inner: Vec::new(),
            found: HashMap::new(),
        });
        if kind == InvokeKind::Static {
            self.initialise(class);
        }
        match direct {
            Some(Found::Analysed(ty, at)) => match self.reach(ty, at) {
                Some(method) => self.connect(id, method, true),
                None => self.without_code(id, class, receiver),
            },
            Some(Found::Library(ty)) => {
                // The named class has the facts; only a program class inherits from the library.
                let ty = if self.graph.types.is_analysed(class) { ty } else { class };
                self.without_code(id, ty, receiver);
            }
            None => self.when(receiver, Use::Receive(id)),
        }
        id
    }

    /// A directly named method that has no code to analyse.
    fn without_code(&mut self, site: u32, class: TypeId, receiver: NodeId) {
        let call = self.library_call(site, class);
        let has_receiver = self.site(site).is_some_and(|s| s.kind != InvokeKind::Static);
        if has_receiver {
            let node = self.receiver_of(call);
            self.graph.edge(receiver, node);
        }
    }

    fn lookup(&mut self, class: TypeId, name: &str, descriptor: &str) -> Found {
        if !self.graph.types.is_analysed(class) {
            return Found::Library(class);
        }
        self.graph.types.method(class, name, descriptor)
    }

    fn declared(&self, found: &Found) -> Option<&Method> {
        let Found::Analysed(ty, at) = found else { return None };
        self.graph.types.class(*ty)?.methods.get(*at)
    }

    /// Connects arguments and result of a call with a method.
    pub(super) fn connect(&mut self, site: u32, method: MethodId, with_receiver: bool) {
        let Some(call) = self.site_mut(site) else { return };
        if !call.connected.insert(method) {
            return;
        }
        let is_static = call.kind == InvokeKind::Static;
        let arguments = call.arguments.clone();
        let result = call.result;
        for (place, argument) in (0u32..).zip(arguments) {
            if place > 0 || with_receiver || is_static {
                let parameter = self.parameter(method, place);
                self.graph.edge(argument, parameter);
            }
        }
        let returned = self.result(method);
        self.graph.edge(returned, result);
        self.add_target(site, method);
    }

    /// Records that a call may execute a method, directly or through the library.
    pub(super) fn add_target(&mut self, site: u32, method: MethodId) {
        let Some(call) = self.site_mut(site) else { return };
        if call.targets.contains(&method) {
            return;
        }
        call.targets.push(method);
        let callers = if call.is_lambda { call.called_from.clone() } else { vec![call.at()] };
        for caller in callers {
            self.record(caller, method);
        }
    }

    /// Records that a call executes the call that a lambda makes.
    pub(super) fn add_inner(&mut self, site: u32, inner: u32) {
        let Some(call) = self.site_mut(site) else { return };
        if call.inner.contains(&inner) {
            return;
        }
        call.inner.push(inner);
        let callers = if call.is_lambda { call.called_from.clone() } else { vec![call.at()] };
        for caller in callers {
            self.called_from(inner, caller);
        }
    }

    /// Records that an instruction executes the call of a lambda, and the calls inside it.
    fn called_from(&mut self, site: u32, caller: InstructionAt) {
        let mut work = vec![site];
        while let Some(site) = work.pop() {
            let Some(call) = self.site_mut(site).filter(|s| !s.called_from.contains(&caller)) else {
                continue;
            };
            call.called_from.push(caller);
            work.extend(&call.inner);
            for target in call.targets.clone() {
                self.record(caller, target);
            }
        }
    }

    fn record(&mut self, caller: InstructionAt, method: MethodId) {
        if self.callers.entry(method.0).or_default().insert(caller.key()) {
            self.callees.entry(caller.key()).or_default().push(method);
        }
    }

    /// A new object of the receiver of a call.
    pub(super) fn receive(&mut self, site: u32, id: AllocId) {
        let Some(object) = self.graph.object(id).cloned() else { return };
        let Some(call) = self.site(site) else { return };
        let class = call.class;
        if self.lambdas.contains_key(&id) && self.call_lambda_from(site, id) {
            return;
        }
        if self.graph.types.element(object.ty).is_some() {
            let call = self.library_call(site, object.ty);
            let node = self.receiver_of(call);
            self.graph.add_one(node, id);
            return;
        }
        if !self.graph.passes(id, class) {
            return;
        }
        if object.is_exact || object.kind == AllocKind::Lambda {
            self.execute(site, id, object.ty);
            return;
        }
        let is_below = self.graph.types.may_be_subtype(object.ty, class);
        let base = if self.graph.types.is_analysed(object.ty) && is_below { object.ty } else { class };
        if !self.graph.types.is_analysed(base) {
            // The facts of the class of the receiver are more precise, if it is a library class.
            let is_known = object.ty != OBJECT && is_below && !self.graph.types.is_analysed(object.ty);
            let call = self.library_call(site, if is_known { object.ty } else { class });
            let node = self.receiver_of(call);
            self.graph.add_one(node, id);
            return;
        }
        let below = self.graph.types.below(base);
        for class in std::iter::once(base).chain(below.iter().copied()) {
            let is_abstract = self
                .graph
                .types
                .class(class)
                .is_some_and(|c| c.is_interface() || c.access & bytecode::class::ACC_ABSTRACT != 0);
            // The methods of an abstract class are executed by its subclasses, if some are known.
            if !is_abstract || class == base {
                self.execute(site, id, class);
            }
        }
    }

    /// Lets an object of exactly this class execute a call.
    fn execute(&mut self, site: u32, id: AllocId, class: TypeId) {
        let Some(call) = self.site(site) else { return };
        let found = if let Some(found) = call.found.get(&class) {
            found.clone()
        } else {
            let (name, descriptor) = (call.name.clone(), call.descriptor.clone());
            let found = self.graph.types.method(class, &name, &descriptor);
            if let Some(call) = self.site_mut(site) {
                call.found.insert(class, found.clone());
            }
            found
        };
        let library = match found {
            Found::Analysed(ty, at) => match self.reach(ty, at) {
                Some(method) => {
                    self.connect(site, method, false);
                    self.add_parameter(method, 0, Some(id));
                    return;
                }
                None => ty,
            },
            Found::Library(ty) => {
                let named = self.site(site).map_or(OBJECT, |s| s.class);
                // A method of an interface is not a method of `Object`.
                if ty == OBJECT && !self.graph.types.is_analysed(named) { named } else { ty }
            }
        };
        let is_abstract = self.graph.types.is_analysed(library)
            && self.site(site).is_some_and(|s| {
                let class = self.graph.types.class(library);
                class.and_then(|c| c.method(&s.name, &s.descriptor)).is_some_and(Method::is_abstract)
            });
        if !is_abstract {
            let call = self.library_call(site, library);
            let node = self.receiver_of(call);
            self.graph.add_one(node, id);
        }
    }
}
