//! The solver: reaches methods, keeps the objects and nodes that they share, and propagates sets until
//! nothing changes or the limit is reached.

use super::body::Body;
use super::library::Source;
use super::nodes::{Graph, NOWHERE, NodeId, Object, Use};
use super::set::Set;
use super::sites::{CallSite, Callback, Instantiation, InstructionAt, Lambda, LibraryCall};
use super::statistics::Statistics;
use super::types::{OBJECT, TypeId, Types, is_primitive};
use super::{AllocId, AllocKind, Entry, Limits, MethodId, PointsTo, Program, Reached};
use bytecode::class::Method;
use bytecode::kind::Kind;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A hash map that is fast for keys of numbers.
pub(super) type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// The number of a field. 0 is [`CONTENTS`].
pub(super) type FieldId = u32;

/// The pseudo field for the elements of an array and what a library object holds.
pub(super) const CONTENTS: FieldId = 0;

/// A field as its declaring class has it.
struct FieldInfo {
    owner: TypeId,
    ty: TypeId,
}

/// What the analysis has found so far.
pub(super) struct Solver<'p> {
    pub(super) graph: Graph<'p>,
    pub(super) methods: Vec<Reached>,
    method_ids: Map<(TypeId, usize), MethodId>,
    unread: VecDeque<MethodId>,
    /// Constraints that were registered on nodes with members. To apply them at once would nest too deeply.
    deferred: Vec<(Use, Set)>,
    fields: Map<(AllocId, FieldId), NodeId>,
    /// The contents of containers by class, if they are not told apart by their allocations.
    by_class: Option<HashMap<TypeId, NodeId>>,
    field_ids: HashMap<(TypeId, String), FieldId>,
    field_infos: Vec<FieldInfo>,
    statics: Map<FieldId, NodeId>,
    pub(super) results: Map<MethodId, NodeId>,
    pub(super) sites: Vec<CallSite>,
    pub(super) lambdas: Map<AllocId, Lambda>,
    pub(super) library: Vec<LibraryCall>,
    pub(super) library_ids: HashMap<(u32, TypeId), u32>,
    pub(super) source_nodes: HashMap<(u32, Source), NodeId>,
    pub(super) callbacks: Vec<Callback>,
    pub(super) instantiations: Vec<Instantiation>,
    pub(super) callback_methods: Map<TypeId, Arc<[(TypeId, usize)]>>,
    /// The touched elements of arrays.
    pub(super) touched_elements: Map<AllocId, NodeId>,
    /// The functions inside library objects.
    pub(super) held_functions: Map<AllocId, NodeId>,
    pub(super) object_methods: Map<TypeId, Arc<[(TypeId, usize)]>>,
    pub(super) class_objects: Map<AllocId, TypeId>,
    /// Everything that is thrown.
    pub(super) thrown: NodeId,
    /// What the callers of entry methods may hold.
    outside: NodeId,
    initialised: HashSet<TypeId>,
    shared: HashMap<(AllocKind, TypeId), AllocId>,
    made: HashMap<(u32, u32, TypeId, bool, AllocKind), AllocId>,
    pub(super) at: HashMap<(u32, u32), AllocId>,
    pub(super) callees: BTreeMap<(u32, u32), Vec<MethodId>>,
    pub(super) callers: BTreeMap<u32, BTreeSet<(u32, u32)>>,
    pub(super) steps: u64,
    reading: Duration,
}

pub(super) fn solve(program: &dyn Program, entries: &[Entry], limits: Limits) -> PointsTo {
    let started = Instant::now();
    let mut solver = Solver::new(program);
    solver.load(solver.outside, CONTENTS, solver.outside);
    solver.by_class = (!limits.tells_containers_apart).then(HashMap::new);
    for entry in entries {
        solver.enter(entry);
    }
    let mut rounds = 0;
    let mut constraining = Duration::ZERO;
    let mut is_complete = true;
    loop {
        if solver.steps > limits.steps {
            is_complete = false;
            break;
        }
        // New methods come first: the more edges there are, the larger the sets that flow at once.
        if let Some(method) = solver.unread.pop_front() {
            let before = (Instant::now(), solver.reading);
            solver.constrain(method);
            constraining += before.0.elapsed().saturating_sub(solver.reading - before.1);
            continue;
        }
        if let Some((what, held)) = solver.deferred.pop() {
            solver.apply(what, &held);
            continue;
        }
        if let Some((new, uses)) = solver.graph.next_ready() {
            for what in uses {
                solver.apply(what, &new);
            }
            continue;
        }
        // Then everything flows as far as it does, before it triggers more.
        if solver.graph.is_quiet() {
            break;
        }
        while !solver.graph.is_quiet() && solver.steps <= limits.steps {
            solver.graph.collapse_if_due();
            solver.graph.pass_on();
            rounds += 1;
            solver.steps += 1;
        }
        solver.deferred.append(&mut solver.graph.late);
    }
    let mut statistics =
        Statistics { rounds, constraining, reading: solver.reading, ..Statistics::default() };
    let solving = statistics.reading + constraining;
    statistics.propagating = started.elapsed().saturating_sub(solving);
    solver.finish(is_complete, statistics)
}

impl<'p> Solver<'p> {
    fn new(program: &'p dyn Program) -> Solver<'p> {
        let mut graph = Graph::new(Types::new(program));
        let thrown = graph.node(OBJECT);
        let outside = graph.node(OBJECT);
        Solver {
            graph,
            methods: Vec::new(),
            method_ids: Map::default(),
            unread: VecDeque::new(),
            deferred: Vec::new(),
            fields: Map::default(),
            by_class: None,
            field_ids: HashMap::new(),
            field_infos: vec![FieldInfo { owner: OBJECT, ty: OBJECT }],
            statics: Map::default(),
            results: Map::default(),
            sites: Vec::new(),
            lambdas: Map::default(),
            library: Vec::new(),
            library_ids: HashMap::new(),
            source_nodes: HashMap::new(),
            callbacks: Vec::new(),
            instantiations: Vec::new(),
            callback_methods: Map::default(),
            touched_elements: Map::default(),
            held_functions: Map::default(),
            object_methods: Map::default(),
            class_objects: Map::default(),
            thrown,
            outside,
            initialised: HashSet::new(),
            shared: HashMap::new(),
            made: HashMap::new(),
            at: HashMap::new(),
            callees: BTreeMap::new(),
            callers: BTreeMap::new(),
            steps: 0,
            reading: Duration::ZERO,
        }
    }

    /// Reaches an entry method. Its arguments are unknown objects and objects of analysed classes
    /// that its callers hold.
    fn enter(&mut self, entry: &Entry) {
        let ty = self.graph.types.id(&entry.class);
        let position =
            self.graph.types.class(ty).filter(|_| self.graph.types.is_analysed(ty)).and_then(|c| {
                c.methods.iter().position(|m| m.name == entry.name && m.descriptor == entry.descriptor)
            });
        let Some(id) = position.and_then(|at| self.reach(ty, at)) else { return };
        self.initialise(ty);
        let is_static = self.method(id).is_some_and(Method::is_static);
        let mut place = 0;
        // The parameters that callers can pass an object of an analysed class for.
        let mut known = Vec::new();
        if !is_static {
            let receiver = self.unknown(ty);
            self.add_parameter(id, place, receiver);
            known.push(place);
            place += 1;
        }
        let parameters = descriptor::parse_method(&entry.descriptor).map(|d| d.parameters);
        for descriptor in parameters.unwrap_or_default() {
            if Kind::of_descriptor(&descriptor) == Kind::Reference {
                let ty = self.graph.types.of_descriptor(&descriptor);
                let argument = self.unknown(ty);
                self.add_parameter(id, place, argument);
                if self.graph.types.is_analysed(ty) {
                    known.push(place);
                }
            }
            place += 1;
        }
        for at in known {
            let parameter = self.parameter(id, at);
            self.graph.edge(self.outside, parameter);
        }
        let returned = self.result(id);
        self.graph.edge(returned, self.outside);
    }

    pub(super) fn method(&self, id: MethodId) -> Option<&Method> {
        self.methods.get(usize::try_from(id.0).ok()?)?.method()
    }

    /// The node of a parameter; the receiver of an instance method is parameter 0.
    pub(super) fn parameter(&self, id: MethodId, place: u32) -> NodeId {
        let reached = usize::try_from(id.0).ok().and_then(|at| self.methods.get(at));
        reached.filter(|m| place < m.body.parameters).map_or(NOWHERE, |m| m.base + place + 1)
    }

    pub(super) fn add_parameter(&mut self, id: MethodId, place: u32, object: Option<AllocId>) {
        if let Some(object) = object {
            let node = self.parameter(id, place);
            self.graph.add_one(node, object);
        }
    }

    /// The node of what a method returns.
    pub(super) fn result(&self, id: MethodId) -> NodeId {
        self.results.get(&id).copied().unwrap_or(NOWHERE)
    }

    /// Makes a method of an analysed class reachable; `None` if it has no code.
    pub(super) fn reach(&mut self, ty: TypeId, at: usize) -> Option<MethodId> {
        if let Some(id) = self.method_ids.get(&(ty, at)) {
            return Some(*id);
        }
        let class = self.graph.types.class(ty)?.clone();
        let method = class.methods.get(at)?;
        let code = method.code.as_ref()?;
        let started = Instant::now();
        let body = Body::new(method, code);
        self.reading += started.elapsed();
        let id = MethodId(u32::try_from(self.methods.len()).ok()?);
        let parsed = descriptor::parse_method(&method.descriptor)?;
        let result = if Kind::of_descriptor(&parsed.result) == Kind::Reference {
            let filter = self.graph.types.of_descriptor(&parsed.result);
            self.graph.node(filter)
        } else {
            NOWHERE
        };
        self.results.insert(id, result);
        let mut filters = Vec::new();
        if !method.is_static() {
            filters.push(ty);
        }
        for parameter in &parsed.parameters {
            filters.push(self.graph.types.of_descriptor(parameter));
        }
        let base = self.graph.node(OBJECT);
        for value in 0..body.values {
            let filter = usize::try_from(value).ok().and_then(|at| filters.get(at));
            self.graph.node(filter.copied().unwrap_or(OBJECT));
        }
        self.methods.push(Reached { class: class.clone(), at, body, base });
        self.method_ids.insert((ty, at), id);
        self.unread.push_back(id);
        Some(id)
    }

    /// Reaches the static initializers that the use of a class executes.
    pub(super) fn initialise(&mut self, ty: TypeId) {
        if !self.graph.types.is_analysed(ty) || !self.initialised.insert(ty) {
            return;
        }
        for above in self.graph.types.above(ty).types.clone() {
            self.initialised.insert(above);
            let class = self.graph.types.class(above).filter(|_| self.graph.types.is_analysed(above));
            let at = class.and_then(|c| c.methods.iter().position(|m| m.name == "<clinit>"));
            if let Some(at) = at {
                self.reach(above, at);
            }
        }
    }

    /// The allocation for all objects of a type that the analysed code does not create; `None` for a
    /// primitive type.
    pub(super) fn unknown(&mut self, ty: TypeId) -> Option<AllocId> {
        if self.graph.types.is_value(ty) {
            return Some(self.shared(AllocKind::Value, ty));
        }
        (!is_primitive(self.graph.types.name(ty))).then(|| self.shared(AllocKind::Unknown, ty))
    }

    /// The allocation of a kind that stands for all objects of a type.
    pub(super) fn shared(&mut self, kind: AllocKind, ty: TypeId) -> AllocId {
        if let Some(id) = self.shared.get(&(kind, ty)) {
            return *id;
        }
        let is_exact = kind == AllocKind::Value;
        let is_open = kind == AllocKind::Unknown;
        let id = self.graph.add_object(Object { ty, is_exact, is_open, kind, site: None });
        self.shared.insert((kind, ty), id);
        id
    }

    /// The class object of a class.
    pub(super) fn class_object(&mut self, of: TypeId) -> AllocId {
        if let Some(id) = self.shared.get(&(AllocKind::Class, of)) {
            return *id;
        }
        let ty = self.graph.types.id("java.lang.Class");
        let object = Object { ty, is_exact: true, is_open: false, kind: AllocKind::Class, site: None };
        let id = self.graph.add_object(object);
        self.shared.insert((AllocKind::Class, of), id);
        self.class_objects.insert(id, of);
        id
    }

    /// The allocation of a kind and type at an instruction.
    pub(super) fn made(
        &mut self,
        site: InstructionAt,
        ty: TypeId,
        is_exact: bool,
        is_open: bool,
        kind: AllocKind,
    ) -> Option<AllocId> {
        if self.graph.types.is_value(ty) {
            return self.unknown(ty);
        }
        if is_primitive(self.graph.types.name(ty)) {
            return None;
        }
        // Which exception is thrown where decides little about other objects, and programs have thousands.
        let is_thrown = kind == AllocKind::New && self.is_throwable(ty);
        let at = if is_thrown { (u32::MAX, 0) } else { site.key() };
        let key = (at.0, at.1, ty, is_open, kind);
        let site = site.key();
        if let Some(id) = self.made.get(&key) {
            self.at.entry(site).or_insert(*id);
            return Some(*id);
        }
        let id = self.graph.add_object(Object { ty, is_exact, is_open, kind, site: Some(site) });
        self.made.insert(key, id);
        if kind == AllocKind::New && self.graph.types.is_analysed(ty) {
            self.graph.add_one(self.outside, id);
        }
        self.at.entry(site).or_insert(id);
        Some(id)
    }

    /// Whether a class is known to be one of exceptions.
    fn is_throwable(&mut self, ty: TypeId) -> bool {
        let throwable = self.graph.types.id("java.lang.Throwable");
        ty == throwable || self.graph.types.above(ty).types.contains(&throwable)
    }

    /// The number of a field that an instruction names, and whether an analysed class declares it.
    pub(super) fn field(&mut self, class: &str, name: &str, descriptor: &str) -> (FieldId, bool) {
        let named = self.graph.types.id(class);
        let owner = self.graph.types.field_owner(named, name);
        let is_analysed = self.graph.types.is_analysed(owner);
        let key = (owner, name.to_owned());
        if let Some(id) = self.field_ids.get(&key) {
            return (*id, is_analysed);
        }
        let ty = self.graph.types.of_descriptor(descriptor);
        let id = u32::try_from(self.field_infos.len()).unwrap_or(u32::MAX);
        self.field_infos.push(FieldInfo { owner, ty });
        self.field_ids.insert(key, id);
        (id, is_analysed)
    }

    /// The node of a static field. One that is not analysed holds an unknown object.
    pub(super) fn static_field(&mut self, class: &str, name: &str, descriptor: &str) -> NodeId {
        let (field, is_analysed) = self.field(class, name, descriptor);
        let (owner, ty) = self.field_info(field);
        self.initialise(owner);
        if let Some(node) = self.statics.get(&field) {
            return *node;
        }
        let node = self.graph.node(ty);
        self.statics.insert(field, node);
        if !is_analysed && let Some(object) = self.unknown(ty) {
            self.graph.add_one(node, object);
        }
        node
    }

    fn field_info(&self, field: FieldId) -> (TypeId, TypeId) {
        let info = usize::try_from(field).ok().and_then(|at| self.field_infos.get(at));
        info.map_or((OBJECT, OBJECT), |i| (i.owner, i.ty))
    }

    /// The node of a field of an allocation; [`NOWHERE`] if its objects have no such field.
    pub(super) fn field_of(&mut self, id: AllocId, field: FieldId) -> NodeId {
        if let Some(node) = self.fields.get(&(id, field)) {
            return *node;
        }
        let node = self.new_field(id, field).unwrap_or(NOWHERE);
        self.fields.insert((id, field), node);
        node
    }

    fn new_field(&mut self, id: AllocId, field: FieldId) -> Option<NodeId> {
        let object = self.graph.object(id)?.clone();
        let (owner, ty) = self.field_info(field);
        let element = self.graph.types.element(object.ty);
        if field == CONTENTS {
            let has_contents = match object.kind {
                AllocKind::Value | AllocKind::Lambda | AllocKind::Class => false,
                _ if element.is_some() => true,
                _ if !self.graph.types.is_analysed(object.ty) => true,
                _ => self.graph.types.first_library(object.ty) != OBJECT,
            };
            if !has_contents {
                return None;
            }
        } else if !self.graph.passes(id, owner) {
            return None;
        }
        let filter = if field == CONTENTS { element.unwrap_or(OBJECT) } else { ty };
        let is_container = field == CONTENTS && element.is_none();
        let node = match self.by_class.as_ref().filter(|_| is_container).map(|all| all.get(&object.ty)) {
            Some(Some(node)) => *node,
            _ => self.graph.node(filter),
        };
        if let Some(by_class) = self.by_class.as_mut().filter(|_| is_container) {
            by_class.insert(object.ty, node);
        }
        // A library fills the fields of its own classes, and its arrays of strings, methods and the like.
        let is_filled = match field {
            CONTENTS => object.kind == AllocKind::Library && self.graph.types.is_final_of_library(filter),
            _ => !self.graph.types.is_analysed(owner),
        };
        if (object.is_open || is_filled)
            && let Some(held) = self.unknown(filter)
        {
            self.graph.add_one(node, held);
        }
        Some(node)
    }

    /// Registers a constraint, and applies it to what the node holds already and to what it will hold.
    pub(super) fn when(&mut self, node: NodeId, what: Use) {
        let held = self.graph.register(node, what);
        if !held.is_empty() {
            self.deferred.push((what, held));
        }
    }

    /// Makes the field of what `object` holds flow into a node.
    pub(super) fn load(&mut self, object: NodeId, field: FieldId, to: NodeId) {
        if to != NOWHERE {
            self.when(object, Use::Load(field, to));
        }
    }

    /// Makes a node flow into the field of what `object` holds.
    pub(super) fn store(&mut self, object: NodeId, field: FieldId, from: NodeId) {
        if from != NOWHERE {
            self.when(object, Use::Store(field, from));
        }
    }

    fn apply(&mut self, what: Use, members: &Set) {
        self.steps += members.len() as u64;
        for id in members.iter() {
            match what {
                Use::Load(field, to) => {
                    let from = self.field_of(id, field);
                    self.graph.edge(from, to);
                }
                Use::Store(field, from) => {
                    let to = self.field_of(id, field);
                    self.graph.edge(from, to);
                }
                Use::Receive(site) => self.receive(site, id),
                Use::Call(callback) => self.call_back(callback, id),
                Use::Hold(functions) => self.hold(id, functions),
                Use::Touch(call) => self.touch(call, id),
                Use::TouchElements(to) => self.touch_elements(id, to),
                Use::Inherit(call) => self.inherits(call, id),
                Use::Iterate(call) => self.iterates(call, id),
                Use::Returned(call) => self.returned(call, id),
                Use::Instantiate(at) => self.instantiate(at, id),
                Use::Constants(to) => self.enum_constants(id, to),
            }
        }
    }

    fn finish(self, is_complete: bool, mut statistics: Statistics) -> PointsTo {
        statistics.methods = self.methods.len();
        statistics.nodes = self.graph.node_count();
        statistics.edges = self.graph.edge_count();
        statistics.steps = self.steps;
        statistics.call_sites = self.sites.len();
        statistics.call_edges = self.callees.values().map(Vec::len).sum();
        let (sets, set_of, objects, types) = self.graph.into_sets();
        statistics.allocations = objects.len();
        let (mut total, mut count) = (0, 0u32);
        for method in &self.methods {
            let first = usize::try_from(method.base).unwrap_or(0) + 1;
            let values = usize::try_from(method.body.values).unwrap_or(0);
            let of_values = set_of.get(first..first + values).unwrap_or_default().iter();
            let of_values = of_values.filter_map(|at| sets.get(usize::try_from(*at).ok()?));
            for set in of_values.filter(|s| !s.is_empty()) {
                total += set.len();
                count += 1;
                statistics.largest_size = statistics.largest_size.max(set.len());
            }
        }
        if count > 0 {
            statistics.mean_size = total as f64 / f64::from(count);
        }
        let ids = (0..).map(MethodId).zip(&self.methods).filter_map(|(id, m)| {
            let found = m.method()?;
            Some(((m.class.name.clone(), found.name.clone(), found.descriptor.clone()), id))
        });
        PointsTo {
            ids: ids.collect(),
            methods: self.methods,
            objects,
            types: types.into_names(),
            sets,
            set_of,
            at: self.at,
            callees: self.callees,
            callers: self.callers,
            is_complete,
            statistics,
        }
    }
}
