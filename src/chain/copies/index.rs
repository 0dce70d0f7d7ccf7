//! The program's own classes, looked through once: which methods there are, who calls them, and what writes fields and
//! arrays.

use crate::chain::translate::classes::{Classes, method_name};
use crate::model::MethodName;
use bytecode::op::{Element, InvokeKind};
use bytecode::{ClassFile, Code, FieldRef, Method, MethodRef, Op};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A method by its class and its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodAt {
    class: usize,
    method: usize,
}

/// An instruction of a method.
pub type PlaceAt = (MethodAt, u32);

/// A name and a descriptor.
type Named = (String, String);

/// What the classes hold.
pub struct Index<'a> {
    classes: &'a Classes<'a>,
    files: Vec<Arc<ClassFile>>,
    own: HashSet<String>,
    methods: HashMap<Named, Vec<MethodAt>>,
    calls: HashMap<Named, Vec<PlaceAt>>,
    puts: HashMap<Named, Vec<PlaceAt>>,
    elements: HashMap<Element, Vec<PlaceAt>>,
}

impl<'a> Index<'a> {
    /// Looks through every class that is not the JDK's. One that cannot be read is left out.
    pub fn new(classes: &'a Classes<'a>) -> Index<'a> {
        let found = classes.pool.user_classes().filter_map(|name| classes.pool.find(name).ok().flatten());
        let files: Vec<Arc<ClassFile>> = found.map(|found| found.file.clone()).collect();
        let own = files.iter().map(|file| file.name.clone()).collect();
        let (methods, calls) = (HashMap::new(), HashMap::new());
        let (puts, elements) = (HashMap::new(), HashMap::new());
        let mut index = Index { classes, files, own, methods, calls, puts, elements };
        for class in 0..index.files.len() {
            index.read(class);
        }
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
                    Op::ArrayStore(element) => self.elements.entry(*element).or_default().push(place),
                    _ => {}
                }
            }
        }
    }

    /// The class of a method.
    pub fn file(&self, at: MethodAt) -> Option<&ClassFile> {
        self.files.get(at.class).map(|file| &**file)
    }

    /// The method itself.
    pub fn method(&self, at: MethodAt) -> Option<&Method> {
        self.file(at)?.methods.get(at.method)
    }

    /// Its code.
    pub fn code(&self, at: MethodAt) -> Option<&Code> {
        self.method(at)?.code.as_ref()
    }

    /// What an instruction does.
    pub fn op(&self, (at, pc): PlaceAt) -> Option<&Op> {
        self.code(at)?.at(pc).map(|instruction| &instruction.op)
    }

    /// Its name.
    pub fn name(&self, at: MethodAt) -> Option<MethodName> {
        Some(method_name(self.file(at)?, self.method(at)?))
    }

    /// The method of a name, if it is one of the program's own.
    pub fn find(&self, name: &MethodName) -> Option<MethodAt> {
        let named = (name.name.to_string(), name.descriptor.to_string());
        let mut all = self.methods.get(&named)?.iter();
        all.find(|at| self.file(**at).is_some_and(|file| *file.name == *name.class)).copied()
    }

    /// The methods with code that a call can run.
    pub fn targets(&self, kind: InvokeKind, called: &MethodRef) -> Vec<MethodAt> {
        let named = (called.name.clone(), called.descriptor.clone());
        let all = self.methods.get(&named).map(Vec::as_slice).unwrap_or_default();
        all.iter().copied().filter(|at| self.can_run(kind, called, *at)).collect()
    }

    /// The calls that can run a method.
    pub fn callers(&self, at: MethodAt) -> Vec<PlaceAt> {
        let Some(method) = self.method(at) else { return Vec::new() };
        let named = (method.name.clone(), method.descriptor.clone());
        let all = self.calls.get(&named).map(Vec::as_slice).unwrap_or_default();
        let runs = |place: &PlaceAt| match self.op(*place) {
            Some(Op::Invoke { kind, method }) => self.can_run(*kind, method, at),
            _ => false,
        };
        all.iter().copied().filter(runs).collect()
    }

    /// Whether a call by that name can run the method. Of an overridable one any class may be meant: the object decides,
    /// and a class can inherit from one what another's interface asks for.
    fn can_run(&self, kind: InvokeKind, called: &MethodRef, at: MethodAt) -> bool {
        let (Some(file), Some(method)) = (self.file(at), self.method(at)) else { return false };
        if method.is_static() != (kind == InvokeKind::Static) {
            return false;
        }
        match kind {
            InvokeKind::Virtual | InvokeKind::Interface => true,
            InvokeKind::Static | InvokeKind::Special => {
                let Ok(Some(found)) = self.classes.pool.find(&called.class) else { return false };
                let line = self.classes.lineage(&found.file);
                let declares = |f: &&Arc<ClassFile>| f.method(&called.name, &called.descriptor).is_some();
                line.iter().find(declares).is_some_and(|f| f.name == file.name)
            }
        }
    }

    /// The class that declares a field, and whether it is one of the program's own.
    pub fn declares(&self, field: &FieldRef) -> Option<(String, bool)> {
        let found = self.classes.pool.find(&field.class).ok().flatten()?;
        let line = self.classes.lineage(&found.file);
        let declares = |f: &&Arc<ClassFile>| {
            f.field(&field.name).is_some_and(|declared| declared.descriptor == field.descriptor)
        };
        let name = line.iter().find(declares)?.name.clone();
        let own = self.own.contains(&name);
        Some((name, own))
    }

    /// What writes a field that a class declares.
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

    /// What writes elements of arrays of a kind.
    pub fn elements(&self, element: Element) -> &[PlaceAt] {
        self.elements.get(&element).map(Vec::as_slice).unwrap_or_default()
    }
}
