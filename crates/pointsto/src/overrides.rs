//! Program classes that extend or implement library types: the code that they inherit, and library code that
//! gets them as collections, calls the methods that they override.

use super::library::Source;
use super::nodes::{NOWHERE, NodeId, Use};
use super::solver::{CONTENTS, Solver};
use super::types::{OBJECT, TypeId};
use super::{AllocId, AllocKind};

/// What library code iterates over.
const ITERATED: [&str; 4] =
    ["java.lang.Iterable", "java.util.Map", "java.util.Iterator", "java.util.Map$Entry"];

/// The methods that iteration calls.
const READING: [&str; 20] = [
    "contains",
    "containsKey",
    "entrySet",
    "forEach",
    "forEachRemaining",
    "get",
    "getKey",
    "getValue",
    "hasNext",
    "isEmpty",
    "iterator",
    "keySet",
    "listIterator",
    "next",
    "previous",
    "size",
    "spliterator",
    "stream",
    "toArray",
    "values",
];

impl Solver<'_> {
    /// The receiver of a library call is an object of the program: the method that it inherits may call the
    /// methods that its class overrides. What they return counts as the contents of the receiver.
    pub(super) fn inherits(&mut self, call: u32, id: AllocId) {
        let Some(object) = self.graph.object(id).cloned() else { return };
        let (name, class) = self.called(call);
        let class = self.graph.types.name(class).to_owned();
        // A constructor calls no method that a subclass overrides; `start` calls `run` by its summary.
        let is_free = name == "<init>"
            || matches!(class.as_str(), "java.lang.Object" | "java.lang.Thread" | "java.util.Comparator")
            || class.starts_with("java.util.function.")
            || class.ends_with("Exception")
            || class.ends_with("Error")
            || class == "java.lang.Throwable"
            || class == "java.lang.Enum";
        let is_program = object.kind == AllocKind::Lambda || self.graph.types.is_analysed(object.ty);
        if !is_free && is_program {
            let returned = self.returned_to(call, &[Source::Receiver]);
            self.call_overrides(call, id, returned, false);
        }
    }

    /// An argument of a library call may be a collection of the program: the library may iterate over it.
    pub(super) fn iterates(&mut self, call: u32, id: AllocId) {
        let Some(ty) = self.graph.object(id).map(|o| o.ty) else { return };
        if !self.graph.types.is_analysed(ty) {
            return;
        }
        if !self.may_be_iterated(ty) {
            return;
        }
        let count = self.argument_count(call);
        let sources: Vec<Source> = (0..count).map(Source::Argument).chain([Source::Arguments]).collect();
        let returned = self.returned_to(call, &sources);
        self.call_overrides(call, id, returned, true);
    }

    /// Whether library code may iterate over objects of a type. If a supertype is not known, it may.
    fn may_be_iterated(&mut self, ty: TypeId) -> bool {
        let above = self.graph.types.above(ty);
        !above.is_complete || above.types.iter().any(|t| ITERATED.contains(&self.graph.types.name(*t)))
    }

    /// Library code calls the methods of a program object that override library methods, or the reading ones
    /// among them.
    fn call_overrides(&mut self, call: u32, id: AllocId, returned: NodeId, only_reading: bool) {
        let Some(site) = self.library_at(call).map(|c| c.site) else { return };
        let given = self.peers(call);
        if self.lambdas.contains_key(&id) {
            self.call_lambda(site, id, given, returned);
            return;
        }
        let Some(ty) = self.graph.object(id).map(|o| o.ty).filter(|ty| self.graph.types.is_analysed(*ty))
        else {
            return;
        };
        for (class, at) in self.methods_for_library(ty).iter() {
            let methods = self.graph.types.class(*class);
            let name = methods.and_then(|c| c.methods.get(*at)).map_or("", |m| &m.name);
            if only_reading && !READING.contains(&name) {
                continue;
            }
            self.call_from_library(site, id, *class, *at, given, returned);
        }
    }

    /// The node for what overridden methods return. It flows into the contents of the sources.
    fn returned_to(&mut self, call: u32, sources: &[Source]) -> NodeId {
        let known = self.library_at(call).map_or(NOWHERE, |c| c.returned);
        let returned = if known == NOWHERE { self.graph.node(OBJECT) } else { known };
        if let Some(library) = usize::try_from(call).ok().and_then(|at| self.library.get_mut(at)) {
            library.returned = returned;
        }
        for source in sources {
            let contents = self.source(call, &source.clone().contents());
            self.graph.edge(returned, contents);
            self.load(returned, CONTENTS, contents);
        }
        self.when(returned, Use::Returned(call));
        returned
    }

    /// An overridden method returned an object.
    pub(super) fn returned(&mut self, call: u32, id: AllocId) {
        let returned = self.library_at(call).map_or(NOWHERE, |c| c.returned);
        let ty = self.graph.object(id).map_or(OBJECT, |o| o.ty);
        if self.may_be_iterated(ty) {
            self.call_overrides(call, id, returned, true);
        }
    }

    fn called(&self, call: u32) -> (String, TypeId) {
        let library = self.library_at(call);
        let name = library.and_then(|c| self.site(c.site)).map(|s| s.name.clone());
        (name.unwrap_or_default(), library.map_or(OBJECT, |c| c.class))
    }

    fn argument_count(&self, call: u32) -> u16 {
        let site = self.library_at(call).and_then(|c| self.site(c.site));
        site.map_or(0, |s| u16::try_from(s.arguments.len()).unwrap_or(u16::MAX))
    }
}
