//! Compares the points-to analysis with a naive one, which applies all rules to all instructions until
//! nothing changes. The naive one shares only the parser and the instruction set with the real one.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod support;

use bytecode::op::{Bootstrap, Constant, Element, InvokeKind, Kind, Op};
use bytecode::{ClassFile, Code, Method, MethodRef, descriptor, lines, stack};
use pointsto::{Entry, Limits, PointsTo, Position};
use std::collections::{BTreeMap, BTreeSet};
use support::generated::generate;
use support::library::TestProgram;

/// A method: class, name, descriptor.
type Name = (String, String, String);

/// An object of the program by the instruction that creates it and its type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    method: Name,
    pc: u32,
    ty: String,
}

type Objects = BTreeSet<Object>;

/// Where references are kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Field(Object, String),
    Contents(Object),
    Static(String),
    Parameter(Name, usize),
    Result(Name, u32),
    Returned(Name),
}

/// The definition that a value in a frame comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Definition {
    Parameter(usize),
    Result(u32),
}

type Frame = Vec<BTreeSet<Definition>>;

/// The state of the naive analysis.
struct Naive<'a> {
    classes: &'a [ClassFile],
    known: BTreeMap<Place, Objects>,
    reached: BTreeSet<Name>,
    /// The name of the implemented method, the implementation, the captured objects.
    lambdas: BTreeMap<Object, (String, MethodRef, Vec<Objects>)>,
    frames: BTreeMap<Name, BTreeMap<u32, Frame>>,
    changed: bool,
}

impl<'a> Naive<'a> {
    fn class(&self, name: &str) -> Option<&'a ClassFile> {
        self.classes.iter().find(|c| c.name == name)
    }

    fn is_below(&self, ty: &str, above: &str) -> bool {
        if ty == above || above == "java.lang.Object" {
            return true;
        }
        match (ty.strip_suffix("[]"), above.strip_suffix("[]")) {
            (Some(ty), Some(above)) => return self.is_below(ty, above),
            (None, None) => {}
            _ => return false,
        }
        let library: &[(&str, &[&str])] = &[
            ("java.util.ArrayList", &["java.util.List", "java.util.Collection", "java.lang.Iterable"]),
            ("java.util.HashMap", &["java.util.Map"]),
        ];
        match self.class(ty) {
            Some(class) => {
                let mut direct = class.super_name.iter().chain(&class.interfaces);
                direct.any(|name| self.is_below(name, above))
            }
            None => library.iter().any(|(name, all)| *name == ty && all.contains(&above)),
        }
    }

    fn find(&self, ty: &str, name: &str, wanted: &str) -> Option<(&'a ClassFile, &'a Method)> {
        let mut at = self.class(ty);
        while let Some(class) = at {
            if let Some(method) = class.method(name, wanted).filter(|m| m.code.is_some()) {
                return Some((class, method));
            }
            at = class.super_name.as_ref().and_then(|s| self.class(s));
        }
        let class = self.class(ty)?;
        let mut above = class.interfaces.iter().chain(&class.super_name);
        above.find_map(|name_above| self.find(name_above, name, wanted))
    }

    fn get(&self, place: &Place) -> Objects {
        self.known.get(place).cloned().unwrap_or_default()
    }

    fn add(&mut self, place: Place, objects: Objects) {
        let known = self.known.entry(place).or_default();
        let before = known.len();
        known.extend(objects);
        self.changed |= known.len() > before;
    }

    fn reach(&mut self, class: &str, method: &Method) -> Name {
        let name = (class.to_owned(), method.name.clone(), method.descriptor.clone());
        if self.reached.insert(name.clone()) {
            self.changed = true;
            let frames = frames(method, method.code.as_ref().unwrap());
            self.frames.insert(name.clone(), frames);
        }
        name
    }

    fn initialise(&mut self, class: &str) {
        let Some(class) = self.class(class) else { return };
        if let Some(method) = class.methods.iter().find(|m| m.name == "<clinit>") {
            self.reach(&class.name, method);
        }
        if let Some(name) = &class.super_name {
            self.initialise(name);
        }
    }

    fn value(&self, method: &Name, value: &BTreeSet<Definition>) -> Objects {
        let of = |definition: &Definition| match definition {
            Definition::Parameter(place) => self.get(&Place::Parameter(method.clone(), *place)),
            Definition::Result(pc) => self.get(&Place::Result(method.clone(), *pc)),
        };
        value.iter().flat_map(of).collect()
    }

    fn round(&mut self) {
        for name in self.reached.clone() {
            let class = self.class(&name.0).unwrap();
            let code = class.method(&name.1, &name.2).unwrap().code.as_ref().unwrap();
            for (pc, frame) in self.frames[&name].clone() {
                self.apply(&name, pc, &code.at(pc).unwrap().op, &frame);
            }
        }
    }

    fn apply(&mut self, method: &Name, pc: u32, op: &Op, frame: &Frame) {
        let below = |n: usize| &frame[frame.len() - 1 - n];
        let result = Place::Result(method.clone(), pc);
        let here = |ty: &str| Object { method: method.clone(), pc, ty: ty.to_owned() };
        match op {
            Op::New(ty) => {
                self.initialise(ty);
                self.add(result, Objects::from([here(ty)]));
            }
            Op::NewArray(element) => self.add(result, Objects::from([here(&format!("{element}[]"))])),
            Op::CheckCast(ty) => {
                let from = self.value(method, below(0));
                let kept = from.into_iter().filter(|o| self.is_below(&o.ty, ty)).collect();
                self.add(result, kept);
            }
            Op::GetField(field) => {
                for object in self.value(method, below(0)) {
                    let held = self.get(&Place::Field(object, field.name.clone()));
                    self.add(result.clone(), held);
                }
            }
            Op::PutField(field) if Kind::of_descriptor(&field.descriptor) == Kind::Reference => {
                for object in self.value(method, below(1)) {
                    let stored = self.value(method, below(0));
                    self.add(Place::Field(object, field.name.clone()), stored);
                }
            }
            Op::GetStatic(field) => {
                self.initialise(&field.class);
                let held = self.get(&Place::Static(format!("{}.{}", field.class, field.name)));
                self.add(result, held);
            }
            Op::PutStatic(field) => {
                self.initialise(&field.class);
                let stored = self.value(method, below(0));
                self.add(Place::Static(format!("{}.{}", field.class, field.name)), stored);
            }
            Op::ArrayLoad(Element::Reference) => {
                for array in self.value(method, below(1)) {
                    let held = self.get(&Place::Contents(array));
                    self.add(result.clone(), held);
                }
            }
            Op::ArrayStore(Element::Reference) => {
                for array in self.value(method, below(2)) {
                    let element = array.ty.strip_suffix("[]").unwrap().to_owned();
                    let stored = self.value(method, below(0));
                    let kept = stored.into_iter().filter(|o| self.is_below(&o.ty, &element)).collect();
                    self.add(Place::Contents(array), kept);
                }
            }
            Op::Return(Some(Kind::Reference)) => {
                let returned = self.value(method, below(0));
                self.add(Place::Returned(method.clone()), returned);
            }
            Op::Invoke { kind, method: target } => {
                let arguments = arguments(frame, &target.descriptor, *kind != InvokeKind::Static);
                let given: Vec<Objects> = arguments.iter().map(|a| self.value(method, a)).collect();
                if let Some(returned) = self.call(method, pc, *kind, target, &given) {
                    self.add(result, returned);
                }
            }
            Op::InvokeDynamic { name, descriptor, bootstrap: Some(bootstrap) } => {
                let captured = arguments(frame, descriptor, false);
                let captured = captured.iter().map(|a| self.value(method, a)).collect();
                let object = here(&descriptor::java_type(descriptor.rsplit(')').next().unwrap()));
                if let Some(target) = implementation(bootstrap) {
                    self.lambdas.insert(object.clone(), (name.clone(), target, captured));
                    self.add(result, Objects::from([object]));
                }
            }
            _ => {}
        }
    }

    fn pass(&mut self, class: &str, method: &Method, given: &[Objects]) -> Objects {
        let callee = self.reach(class, method);
        let mut declared = descriptor::parse_method(&method.descriptor).unwrap().parameters;
        if !method.is_static() {
            declared.insert(0, descriptor::descriptor_of(class));
        }
        for (place, objects) in given.iter().enumerate() {
            let ty = descriptor::java_type(&declared[place]);
            let kept = objects.iter().filter(|o| self.is_below(&o.ty, &ty)).cloned().collect();
            self.add(Place::Parameter(callee.clone(), place), kept);
        }
        self.get(&Place::Returned(callee))
    }

    /// The result of a call, if it has one.
    fn call(
        &mut self,
        caller: &Name,
        pc: u32,
        kind: InvokeKind,
        target: &MethodRef,
        given: &[Objects],
    ) -> Option<Objects> {
        let mut returned = Objects::new();
        if kind == InvokeKind::Static || kind == InvokeKind::Special {
            if kind == InvokeKind::Static {
                self.initialise(&target.class);
            }
            if let Some((class, method)) = self.find(&target.class, &target.name, &target.descriptor) {
                returned.extend(self.pass(&class.name, method, given));
            } else if target.name == "requireNonNull" {
                returned.extend(given[0].iter().cloned());
            }
            return Some(returned);
        }
        for receiver in given[0].clone() {
            let mut mine = given.to_vec();
            mine[0] = Objects::from([receiver.clone()]);
            if let Some((name, implementation, captured)) = self.lambdas.get(&receiver).cloned() {
                if name == target.name {
                    let all: Vec<Objects> = captured.into_iter().chain(given[1..].iter().cloned()).collect();
                    returned.extend(self.call_lambda(&receiver, &implementation, &all));
                }
            } else if let Some((class, method)) = self.find(&receiver.ty, &target.name, &target.descriptor) {
                returned.extend(self.pass(&class.name, method, &mine));
            } else {
                returned.extend(self.library(caller, pc, &receiver, target, given));
            }
        }
        Some(returned)
    }

    fn call_lambda(&mut self, lambda: &Object, target: &MethodRef, all: &[Objects]) -> Objects {
        if target.name == "<init>" {
            let object = Object { ty: target.class.clone(), ..lambda.clone() };
            self.initialise(&target.class);
            let mut given = vec![Objects::from([object.clone()])];
            given.extend_from_slice(all);
            let (class, method) = self.find(&target.class, "<init>", &target.descriptor).unwrap();
            self.pass(&class.name, method, &given);
            return Objects::from([object]);
        }
        let count = descriptor::parse_method(&target.descriptor).unwrap().parameters.len();
        let kind = if count == all.len() { InvokeKind::Static } else { InvokeKind::Virtual };
        self.call(&lambda.method, lambda.pc, kind, target, all).unwrap_or_default()
    }

    /// The few methods of containers that the test programs call.
    fn library(
        &mut self,
        caller: &Name,
        pc: u32,
        receiver: &Object,
        target: &MethodRef,
        given: &[Objects],
    ) -> Objects {
        let held = self.get(&Place::Contents(receiver.clone()));
        match target.name.as_str() {
            "add" | "put" => {
                let stored: Objects = given[1..].iter().flatten().cloned().collect();
                self.add(Place::Contents(receiver.clone()), stored);
                // `Map.put` returns the value before; the real analysis also allows the new one.
                if target.name == "put" {
                    return held.into_iter().chain(given[1..].iter().flatten().cloned()).collect();
                }
                Objects::new()
            }
            "get" | "next" => held,
            "iterator" | "values" => {
                let ty = descriptor::java_type(target.descriptor.rsplit(')').next().unwrap());
                let view = Object { method: caller.clone(), pc, ty };
                self.add(Place::Contents(view.clone()), held);
                Objects::from([view])
            }
            "hasNext" => Objects::new(),
            other => panic!("the naive analysis has no rule for {other}"),
        }
    }
}

fn implementation(bootstrap: &Bootstrap) -> Option<MethodRef> {
    match bootstrap.arguments.get(1)? {
        Constant::MethodHandle(method) => Some(method.clone()),
        _ => None,
    }
}

/// The receiver (if any) and the arguments on a frame.
fn arguments(frame: &Frame, descriptor: &str, has_receiver: bool) -> Vec<BTreeSet<Definition>> {
    let mut types = descriptor::parse_method(descriptor).unwrap().parameters;
    if has_receiver {
        types.insert(0, "Ljava/lang/Object;".to_owned());
    }
    let mut at = frame.len() - types.iter().map(|t| usize::from(descriptor::slots(t))).sum::<usize>();
    let mut found = Vec::new();
    for ty in types {
        found.push(frame[at].clone());
        at += usize::from(descriptor::slots(&ty));
    }
    found
}

/// The frame before each instruction, by the definitions that reach it.
fn frames(method: &Method, code: &Code) -> BTreeMap<u32, Frame> {
    let mut first: Frame = vec![BTreeSet::new(); usize::from(code.max_locals)];
    let parameters = descriptor::parameter_slots(&method.descriptor, method.is_static());
    let this = (!method.is_static()).then_some(0);
    for (place, slot) in this.into_iter().chain(parameters.iter().map(|p| p.0)).enumerate() {
        first[usize::from(slot)].insert(Definition::Parameter(place));
    }
    let mut frames = BTreeMap::from([(0, first)]);
    loop {
        let before = frames.clone();
        for (pc, frame) in &before {
            let instruction = code.at(*pc).unwrap();
            let mut after = frame.clone();
            step(&instruction.op, *pc, &mut after);
            let mut targets = instruction.op.targets();
            if !instruction.op.ends_flow() {
                targets.extend(code.successor(*pc));
            }
            for target in targets {
                let known = frames.entry(target).or_insert_with(|| after.clone());
                for (old, new) in known.iter_mut().zip(&after) {
                    old.extend(new.iter().cloned());
                }
            }
        }
        if frames == before {
            return frames;
        }
    }
}

fn step(op: &Op, pc: u32, frame: &mut Frame) {
    match op {
        Op::Load { kind, slot } => {
            let value = frame[usize::from(*slot)].clone();
            frame.push(value);
            frame.extend((1..kind.slots()).map(|_| BTreeSet::new()));
        }
        Op::Store { kind, slot } => {
            frame.truncate(frame.len() + 1 - usize::from(kind.slots()));
            let value = frame.pop().unwrap();
            frame[usize::from(*slot)] = if *kind == Kind::Reference { value } else { BTreeSet::new() };
        }
        Op::Dup => frame.push(frame.last().unwrap().clone()),
        Op::DupX1 => frame.insert(frame.len() - 2, frame.last().unwrap().clone()),
        Op::Dup2 | Op::DupX2 | Op::Dup2X1 | Op::Dup2X2 | Op::Swap => panic!("the programs do not use {op:?}"),
        _ => {
            let (pops, pushes) = stack::effect(op);
            frame.truncate(frame.len() - usize::from(pops));
            frame.extend((0..pushes).map(|_| BTreeSet::from([Definition::Result(pc)])));
        }
    }
}

/// Compares the results of all instructions and the parameters of all methods. Returns the number of objects
/// in the results.
fn compare(name: &str, text: &str) -> usize {
    compare_classes(name, &support::compile_text(name, text, &["-g"])).0
}

fn compare_classes(name: &str, classes: &[ClassFile]) -> (usize, PointsTo) {
    let main = (name.to_owned(), "main".to_owned(), "([Ljava/lang/String;)V".to_owned());
    let mut naive = Naive {
        classes,
        known: BTreeMap::new(),
        reached: BTreeSet::new(),
        lambdas: BTreeMap::new(),
        frames: BTreeMap::new(),
        changed: true,
    };
    let class = naive.class(name).unwrap();
    naive.reach(name, class.method(&main.1, &main.2).unwrap());
    naive.initialise(name);
    while std::mem::take(&mut naive.changed) {
        naive.round();
    }
    let entry = Entry { class: main.0, name: main.1, descriptor: main.2 };
    let found = PointsTo::solve(&TestProgram::new(classes), &[entry], Limits::default());
    let methods: BTreeMap<Name, _> = found
        .methods()
        .map(|(id, m)| ((m.class.name.clone(), m.method.name.clone(), m.method.descriptor.clone()), id))
        .collect();
    assert_eq!(methods.keys().collect::<Vec<_>>(), naive.reached.iter().collect::<Vec<_>>());
    let objects = |set: &pointsto::Set| -> Objects {
        let object = |id| {
            let allocation = found.allocation(id).unwrap();
            let site = allocation.site?;
            let method = (site.class.to_owned(), site.name.to_owned(), site.descriptor.to_owned());
            Some(Object { method, pc: site.pc, ty: allocation.ty.to_owned() })
        };
        set.iter().filter_map(object).collect()
    };
    let mut compared = 0;
    for (method, id) in methods {
        for pc in naive.frames[&method].keys() {
            let expected = naive.get(&Place::Result(method.clone(), *pc));
            assert_eq!(objects(found.result(id, *pc)), expected, "{method:?} at {pc}");
            compared += expected.len();
        }
        for place in 0..4 {
            let expected = naive.get(&Place::Parameter(method.clone(), place));
            let place = u32::try_from(place).unwrap();
            assert_eq!(objects(found.parameter(id, place)), expected, "{method:?} parameter {place}");
        }
    }
    (compared, found)
}

#[test]
fn random_programs_see_only_objects_that_both_analyses_find() {
    for seed in 1..=3 {
        let generated = generate(seed);
        let (compared, found) = compare_classes("Gen", &generated.classes);
        let mut allowed: BTreeSet<(u32, u32)> = BTreeSet::new();
        for (id, reached) in found.methods() {
            let code = reached.method.code.as_ref().unwrap();
            let line = |pc| lines::line_of(code, pc).unwrap();
            for instruction in &code.instructions {
                if !matches!(&instruction.op, Op::Invoke { method, .. } if method.name == "see") {
                    continue;
                }
                for object in found.operand(id, instruction.pc, Position::Argument(1)).iter() {
                    let site = found.allocation(object).unwrap().site.unwrap();
                    let made_in = found.method(site.method).unwrap().method.code.as_ref().unwrap();
                    allowed.insert((line(instruction.pc), lines::line_of(made_in, site.pc).unwrap()));
                }
            }
        }
        println!(
            "seed {seed}: {} seen, {} allowed, {compared} compared",
            generated.seen.len(),
            allowed.len()
        );
        assert!(generated.seen.len() > 100, "seed {seed} sees too little");
        let missed: Vec<_> = generated.seen.difference(&allowed).collect();
        assert!(missed.is_empty(), "seed {seed}: {missed:?}");
    }
}

#[test]
fn fields_and_arrays_are_those_of_the_naive_analysis() {
    let text = r"
        class Fields {
            static class Node { Node next; Object held; Node(Object held) { this.held = held; } }
            static Node shared;
            static Node last(Node of) { while (of.next != null) of = of.next; return of; }
            public static void main(String[] args) {
                Node one = new Node(new Object());
                Node two = new Node(new int[3]);
                one.next = two;
                shared = args.length > 1 ? one : last(one);
                Object[] all = { one, two, shared };
                Node[] nodes = new Node[4];
                for (int i = 0; i < 3; i++) nodes[i] = (Node) all[i];
                Object copy = nodes[0].held;
                if (copy instanceof Node) shared = (Node) copy;
                two = new Node(copy);
                shared.next = two;
                Object seen = last(shared).held;
                all = new Object[] { seen };
            }
        }";
    assert!(compare("Fields", text) >= 40);
}

#[test]
fn calls_and_lambdas_are_those_of_the_naive_analysis() {
    let text = r"
        class Calls {
            interface Shape { Object make(Object of); default Shape twice() { return of -> make(make(of)); } }
            static abstract class Base implements Shape {
                Object kept;
                public Object make(Object of) { kept = of; return wrap(of); }
                abstract Object wrap(Object of);
            }
            static class One extends Base { Object wrap(Object of) { return new Object[] { of }; } }
            static class Two extends Base {
                Two(Object first) { kept = first; }
                Object wrap(Object of) { return kept; }
                public Object make(Object of) { return super.make(of); }
            }
            interface Maker { Base make(Object of); }
            static Object use(Shape shape, Object of) { return shape.make(of); }
            static Object free(Object of) { return of; }
            public static void main(String[] args) {
                Object seed = new Object();
                Maker maker = Two::new;
                Base made = maker.make(new Calls());
                Object a = use(new One(), seed);
                Object b = use(made, a);
                Object c = use(Calls::free, new int[1]);
                Object captured = new Calls[2];
                Object d = use(of -> captured, b);
                Object e = use(made::wrap, c);
                Object f = use(new One().twice(), d);
                Shape anonymous = new Shape() {
                    public Object make(Object of) { return args.length > 0 ? f : e; }
                };
                Object g = use(anonymous, f);
            }
        }";
    assert!(compare("Calls", text) >= 90);
}

#[test]
fn containers_are_those_of_the_naive_analysis() {
    let text = r"
        import java.util.*;
        class Containers {
            static class Item { Object tag = new Object(); }
            static class Special extends Item { }
            static List<Item> both(Item one, Item two) {
                List<Item> made = new ArrayList<>();
                made.add(one);
                made.add(two);
                return made;
            }
            public static void main(String[] args) {
                List<Item> items = both(new Item(), new Special());
                Map<Item, List<Item>> groups = new HashMap<>();
                groups.put(items.get(0), items);
                for (List<Item> group : groups.values()) {
                    for (Item item : group) {
                        if (item instanceof Special) {
                            Special special = (Special) item;
                            special.tag = group;
                        }
                    }
                }
                List<Object> tags = new ArrayList<>();
                Iterator<Item> left = groups.get(items.get(1)).iterator();
                while (left.hasNext()) tags.add(left.next().tag);
                Object tag = tags.get(0);
            }
        }";
    assert!(compare("Containers", text) >= 40);
}
