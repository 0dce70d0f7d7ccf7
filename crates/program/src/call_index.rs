//! An index of the program's own classes: their methods, the calls of each method, and the writes to fields
//! and arrays.

use super::hierarchy::{lineage, method_name};
use bytecode::descriptor::parse_method;
use bytecode::op::{Bootstrap, Element, InvokeKind};
use bytecode::{ClassFile, Code, Constant, FieldRef, Method, MethodRef, Op};
use classes::ClassPool;
use model::MethodName;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A method, identified by its class and its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodAt {
    class: usize,
    method: usize,
}

/// An instruction of a method.
pub type PlaceAt = (MethodAt, u32);

/// A name and a descriptor.
type Named = (String, String);

/// A lambda or method reference, with the method it runs.
struct Lambda {
    /// The interface's method.
    name: String,
    /// Its descriptor.
    of: String,
    /// The method it runs.
    runs: MethodRef,
    /// Number of captured leading arguments, including the object.
    captured: usize,
}

/// A call that can run a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The call.
    pub place: PlaceAt,
    /// Index of the call's argument that is the method's first parameter. Negative if a lambda has captured
    /// that parameter.
    pub first: isize,
}

/// The index.
pub struct Index<'a> {
    pool: &'a ClassPool,
    files: Vec<Arc<ClassFile>>,
    own: HashSet<String>,
    methods: HashMap<Named, Vec<MethodAt>>,
    calls: HashMap<Named, Vec<PlaceAt>>,
    puts: HashMap<Named, Vec<PlaceAt>>,
    elements: HashMap<Element, Vec<PlaceAt>>,
    lambdas: Vec<Lambda>,
    /// Calls of instance methods, by name, for the names that lambdas implement.
    calls_by_name: HashMap<String, Vec<PlaceAt>>,
}

impl<'a> Index<'a> {
    /// Indexes every class outside the JDK. Skips classes that cannot be read.
    pub fn new(pool: &'a ClassPool) -> Index<'a> {
        Index::of(pool, &|_| true)
    }

    /// Indexes the classes outside the JDK that are wanted. Skips classes that cannot be read.
    pub fn of(pool: &'a ClassPool, is_wanted: &dyn Fn(&str) -> bool) -> Index<'a> {
        let names = pool.user_classes().filter(|name| is_wanted(name));
        let found = names.filter_map(|name| pool.find(name).ok().flatten());
        let files: Vec<Arc<ClassFile>> = found.map(|found| found.file.clone()).collect();
        let own = files.iter().map(|file| file.name.clone()).collect();
        let (methods, calls) = (HashMap::new(), HashMap::new());
        let (puts, elements) = (HashMap::new(), HashMap::new());
        let (lambdas, calls_by_name) = (Vec::new(), HashMap::new());
        let mut index = Index { pool, files, own, methods, calls, puts, elements, lambdas, calls_by_name };
        for class in 0..index.files.len() {
            index.read(class);
        }
        let names: HashSet<String> = index.lambdas.iter().map(|lambda| lambda.name.clone()).collect();
        for ((name, _), places) in &index.calls {
            if names.contains(name) {
                index.calls_by_name.entry(name.clone()).or_default().extend(places);
            }
        }
        index.calls_by_name.values_mut().for_each(|places| places.sort_unstable());
        index
    }

    fn read(&mut self, class: usize) {
        let Some(file) = self.files.get(class).cloned() else { return };
        for (method, declared) in file.methods.iter().enumerate() {
            let Some(code) = &declared.code else { continue };
            let at = MethodAt { class, method };
            let named = (declared.name.clone(), declared.descriptor.clone());
            self.methods.entry(named).or_default().push(at);
            for instruction in &code.instructions {
                let place = (at, instruction.pc);
                let named = |name: &str, descriptor: &str| (name.to_owned(), descriptor.to_owned());
                match &instruction.op {
                    Op::Invoke { method, .. } => {
                        self.calls.entry(named(&method.name, &method.descriptor)).or_default().push(place);
                    }
                    Op::PutField(field) | Op::PutStatic(field) => {
                        self.puts.entry(named(&field.name, &field.descriptor)).or_default().push(place);
                    }
                    Op::InvokeDynamic { name, descriptor, bootstrap: Some(bootstrap) } => {
                        self.lambdas.extend(lambda(name, descriptor, bootstrap));
                    }
                    Op::ArrayStore(element) => self.elements.entry(*element).or_default().push(place),
                    _ => {}
                }
            }
        }
    }

    /// The methods with code, in order.
    pub fn all(&self) -> Vec<MethodAt> {
        let mut all: Vec<MethodAt> = self.methods.values().flatten().copied().collect();
        all.sort_unstable();
        all
    }

    /// The class of a method.
    pub fn file(&self, at: MethodAt) -> Option<&ClassFile> {
        self.files.get(at.class).map(|file| &**file)
    }

    /// The method.
    pub fn method(&self, at: MethodAt) -> Option<&Method> {
        self.file(at)?.methods.get(at.method)
    }

    /// The method's code.
    pub fn code(&self, at: MethodAt) -> Option<&Code> {
        self.method(at)?.code.as_ref()
    }

    /// The operation of an instruction.
    pub fn op(&self, (at, pc): PlaceAt) -> Option<&Op> {
        self.code(at)?.at(pc).map(|instruction| &instruction.op)
    }

    /// The method's name.
    pub fn name(&self, at: MethodAt) -> Option<MethodName> {
        Some(method_name(self.file(at)?, self.method(at)?))
    }

    /// Finds a method of the program by its name.
    pub fn find(&self, name: &MethodName) -> Option<MethodAt> {
        let named = (name.name.to_string(), name.descriptor.to_string());
        let mut all = self.methods.get(&named)?.iter();
        all.find(|at| self.file(**at).is_some_and(|file| *file.name == *name.class)).copied()
    }

    /// The methods with code that a call can run, directly or through a lambda.
    pub fn targets(&self, kind: InvokeKind, called: &MethodRef) -> Vec<MethodAt> {
        let named = (called.name.clone(), called.descriptor.clone());
        let all = self.methods.get(&named).map(Vec::as_slice).unwrap_or_default();
        let mut found: Vec<MethodAt> =
            all.iter().copied().filter(|at| self.can_run(kind, called, *at)).collect();
        if matches!(kind, InvokeKind::Interface | InvokeKind::Virtual) {
            let lambdas = self.lambdas.iter().filter(|lambda| lambda.name == called.name);
            let lambdas = lambdas.filter(|lambda| takes(&lambda.of) == takes(&called.descriptor));
            for at in lambdas.filter_map(|lambda| self.implementation(lambda)) {
                if !found.contains(&at) {
                    found.push(at);
                }
            }
        }
        found
    }

    fn implementation(&self, lambda: &Lambda) -> Option<MethodAt> {
        let MethodRef { class, name, descriptor, .. } = &lambda.runs;
        self.find(&MethodName::new(class.as_str(), name.as_str(), descriptor.as_str()))
    }

    /// The calls that can run a method, directly or through a lambda.
    pub fn callers(&self, at: MethodAt) -> Vec<Caller> {
        let mut found: Vec<Caller> =
            self.direct_callers(at).into_iter().map(|place| Caller { place, first: 0 }).collect();
        let Some(method) = self.method(at) else { return found };
        for lambda in self.lambdas.iter().filter(|lambda| lambda.runs.name == method.name) {
            if self.implementation(lambda) != Some(at) {
                continue;
            }
            let object = isize::from(!method.is_static());
            let first = object - isize::try_from(lambda.captured).unwrap_or_default();
            let calls = self.calls_by_name.get(&lambda.name).map(Vec::as_slice).unwrap_or_default();
            for place in calls {
                let caller = Caller { place: *place, first };
                let can = match self.op(*place) {
                    Some(Op::Invoke { kind: InvokeKind::Interface | InvokeKind::Virtual, method }) => {
                        takes(&lambda.of) == takes(&method.descriptor)
                    }
                    _ => false,
                };
                if can && !found.iter().any(|known| known.place == *place) {
                    found.push(caller);
                }
            }
        }
        found
    }

    fn direct_callers(&self, at: MethodAt) -> Vec<PlaceAt> {
        let Some(method) = self.method(at) else { return Vec::new() };
        let named = (method.name.clone(), method.descriptor.clone());
        let all = self.calls.get(&named).map(Vec::as_slice).unwrap_or_default();
        let runs = |place: &PlaceAt| match self.op(*place) {
            Some(Op::Invoke { kind, method }) => self.can_run(*kind, method, at),
            _ => false,
        };
        all.iter().copied().filter(runs).collect()
    }

    /// Whether a call by that name can run the method. An overridable method may be that of any class: the
    /// object decides, and a class can inherit the implementation of another class's interface.
    fn can_run(&self, kind: InvokeKind, called: &MethodRef, at: MethodAt) -> bool {
        let (Some(file), Some(method)) = (self.file(at), self.method(at)) else { return false };
        if method.is_static() != (kind == InvokeKind::Static) {
            return false;
        }
        match kind {
            InvokeKind::Virtual | InvokeKind::Interface => true,
            InvokeKind::Static | InvokeKind::Special => {
                let Ok(Some(found)) = self.pool.find(&called.class) else { return false };
                let line = lineage(self.pool, &found.file);
                let declares = |f: &&Arc<ClassFile>| f.method(&called.name, &called.descriptor).is_some();
                line.iter().find(declares).is_some_and(|f| f.name == file.name)
            }
        }
    }

    /// The class that declares a field, and whether it is one of the program's own.
    pub fn declares(&self, field: &FieldRef) -> Option<(String, bool)> {
        let found = self.pool.find(&field.class).ok().flatten()?;
        let line = lineage(self.pool, &found.file);
        let declares = |f: &&Arc<ClassFile>| {
            f.field(&field.name).is_some_and(|declared| declared.descriptor == field.descriptor)
        };
        let name = line.iter().find(declares)?.name.clone();
        let own = self.own.contains(&name);
        Some((name, own))
    }

    /// The writes to a field that a class declares.
    pub fn puts(&self, class: &str, name: &str, descriptor: &str) -> Vec<PlaceAt> {
        let all = self.puts.get(&(name.to_owned(), descriptor.to_owned()));
        let mut known: HashMap<&str, bool> = HashMap::new();
        let mut meant = Vec::new();
        for place in all.map(Vec::as_slice).unwrap_or_default() {
            let Some((field, _)) = self.op(*place).and_then(Op::field_access) else { continue };
            let is = known
                .entry(&field.class)
                .or_insert_with(|| self.declares(field).is_some_and(|(declaring, _)| declaring == class));
            if *is {
                meant.push(*place);
            }
        }
        meant
    }

    /// The writes to elements of arrays of a kind.
    pub fn elements(&self, element: Element) -> &[PlaceAt] {
        self.elements.get(&element).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Reads the lambda or method reference that an `invokedynamic` creates.
fn lambda(name: &str, descriptor: &str, bootstrap: &Bootstrap) -> Option<Lambda> {
    if bootstrap.method.class != "java.lang.invoke.LambdaMetafactory" {
        return None;
    }
    let Some(Constant::MethodHandle(runs)) = bootstrap.arguments.get(1) else { return None };
    let Some(Constant::MethodType(of)) = bootstrap.arguments.first() else { return None };
    let captured = takes(descriptor);
    Some(Lambda { name: name.to_owned(), of: of.clone(), runs: runs.clone(), captured })
}

/// Number of arguments of a method.
fn takes(descriptor: &str) -> usize {
    parse_method(descriptor).map_or(0, |d| d.parameters.len())
}
