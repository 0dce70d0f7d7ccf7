//! Methods that cannot lead to a use of an object. A recording need not have their branches, since no chain
//! passes through them.
//!
//! What is known before a run is the declared type of the object. So every instruction counts as a use whose
//! operand can be of a class that is related to that type. A method leads to what it can call: by name and
//! descriptor, through lambdas, and through methods of a library that may call the program back.

use bytecode::op::{Element, InvokeKind};
use bytecode::{ClassFile, Code, Constant, Method, MethodRef, Op, descriptor};
use classes::ClassPool;
use model::MethodName;
use program::call_index::{Index, MethodAt};
use program::effect::{Effect, effect};
use program::lineage;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use trace::{Brief, MethodsByClass};

/// `ACC_FINAL`
const ACC_FINAL: u16 = 0x0010;

/// What is known of the target before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredTarget {
    /// An object of this class or interface, or of one below it.
    Object(String),
    /// An array.
    Array,
    /// A field with this name.
    Field(String),
}

/// What to record of the methods that cannot lead to a use of the target, except `at`, the methods with the
/// point.
pub fn unrelated(pool: &ClassPool, target: &DeclaredTarget, at: &[MethodName]) -> Brief {
    let index = Index::new(pool);
    let all = index.all();
    let mut finder =
        Finder { pool, index: &index, target, related: HashMap::new(), families: HashMap::new() };
    let leading = finder.leading(&all);
    let mut detailed = leading.clone();
    detailed.extend(at.iter().filter_map(|name| index.find(name)));
    finder.brief(&all, &leading, &detailed)
}

struct Finder<'a> {
    pool: &'a ClassPool,
    index: &'a Index<'a>,
    target: &'a DeclaredTarget,
    /// By class: whether an object of the target's type can be of it.
    related: HashMap<String, bool>,
    /// By class: the names of the class and of all above it, and whether all of these are known.
    families: HashMap<String, Arc<(HashSet<String>, bool)>>,
}

impl Finder<'_> {
    /// The methods that lead to a use.
    fn leading(&mut self, all: &[MethodAt]) -> HashSet<MethodAt> {
        let mut callers: HashMap<MethodAt, Vec<MethodAt>> = HashMap::new();
        let (mut calling_back, mut called_back) = (Vec::new(), self.lambdas(all));
        let mut work = Vec::new();
        for at in all {
            let Some(code) = self.index.code(*at) else { continue };
            if self.has_use(code) {
                work.push(*at);
            }
            for callee in self.callees(code) {
                callers.entry(callee).or_default().push(*at);
            }
            if self.calls_back(code) {
                calling_back.push(*at);
            }
            if self.is_called_back(*at) {
                called_back.insert(*at);
            }
        }
        let mut leading: HashSet<MethodAt> = HashSet::new();
        while let Some(at) = work.pop() {
            if !leading.insert(at) {
                continue;
            }
            work.extend(callers.get(&at).into_iter().flatten());
            if called_back.contains(&at) {
                work.append(&mut calling_back);
            }
        }
        leading
    }

    /// What is recorded of the other methods.
    fn brief(
        &mut self,
        all: &[MethodAt],
        leading: &HashSet<MethodAt>,
        detailed: &HashSet<MethodAt>,
    ) -> Brief {
        let names: HashSet<(&str, &str)> = leading
            .iter()
            .filter_map(|at| self.index.method(*at))
            .map(|method| (method.name.as_str(), method.descriptor.as_str()))
            .collect();
        let loaded: HashSet<Element> =
            detailed.iter().filter_map(|at| self.index.code(*at)).flat_map(elements_read).collect();
        let lambdas = self.lambdas(all);
        let mut brief = Brief::default();
        for at in all.iter().filter(|at| !detailed.contains(at)) {
            let (Some(file), Some(method)) = (self.index.file(*at), self.index.method(*at)) else { continue };
            let (class, name) = (file.name.clone(), format!("{}{}", method.name, method.descriptor));
            // The analysis begins with the outermost calls, and an override tells what did not run.
            let can_begin = lambdas.contains(at)
                || self.is_called_back(*at)
                || method.name.starts_with('<')
                || method.descriptor == "([Ljava/lang/String;)V";
            let is_silent = !can_begin
                && !names.contains(&(method.name.as_str(), method.descriptor.as_str()))
                && !self.hands_over(&method.descriptor)
                && !method.code.as_ref().is_some_and(|code| self.stores_elements(code, &loaded));
            let to: &mut MethodsByClass =
                if is_silent { &mut brief.without_calls } else { &mut brief.without_steps };
            to.entry(class).or_default().insert(name);
        }
        brief
    }

    /// Whether an instruction may use the target.
    fn has_use(&mut self, code: &Code) -> bool {
        code.instructions.iter().any(|instruction| match (&instruction.op, self.target) {
            (
                Op::PutField(field) | Op::PutStatic(field) | Op::GetField(field) | Op::GetStatic(field),
                DeclaredTarget::Field(name),
            ) => field.name == *name,
            (_, DeclaredTarget::Field(_)) => false,
            (Op::PutField(field) | Op::GetField(field), DeclaredTarget::Object(_)) => {
                self.is_related(&field.class)
            }
            (Op::ArrayStore(_) | Op::ArrayLoad(_), DeclaredTarget::Array) => true,
            (Op::Invoke { kind, method }, _) => {
                let has_receiver = *kind != InvokeKind::Static && method.name != "<init>";
                has_receiver && self.is_related(&method.class) || self.takes_it(method)
            }
            _ => false,
        })
    }

    /// Whether a parameter may be the target. One of type `Object` says nothing, as for use sites.
    fn takes_it(&mut self, method: &MethodRef) -> bool {
        let Some(types) = descriptor::parse_method(&method.descriptor) else { return true };
        types.parameters.iter().any(|parameter| match parameter.strip_prefix('L') {
            Some("java/lang/Object;") => false,
            Some(_) => self.is_related(&descriptor::java_type(parameter)),
            None => *self.target == DeclaredTarget::Array && parameter.starts_with('['),
        })
    }

    /// Whether a call can hand over the target, as a parameter or as the result.
    fn hands_over(&mut self, of: &str) -> bool {
        let Some(types) = descriptor::parse_method(of) else { return true };
        let mut all = types.parameters.iter().chain([&types.result]);
        all.any(|one| match one.strip_prefix('L') {
            Some(_) => {
                let class = descriptor::java_type(one);
                class != "java.lang.String" && self.is_related(&class)
            }
            None => one.starts_with('['),
        })
    }

    /// Whether a method writes elements that the untaken way of a jump may read.
    fn stores_elements(&self, code: &Code, loaded: &HashSet<Element>) -> bool {
        code.instructions.iter().any(|instruction| match &instruction.op {
            Op::ArrayStore(element) => *self.target == DeclaredTarget::Array || loaded.contains(element),
            _ => false,
        })
    }

    /// The methods of the program that a method calls, or makes functions of.
    fn callees(&self, code: &Code) -> Vec<MethodAt> {
        let mut found = Vec::new();
        for instruction in &code.instructions {
            match &instruction.op {
                Op::Invoke { kind, method } => found.extend(self.index.targets(*kind, method)),
                Op::InvokeDynamic { bootstrap: Some(bootstrap), .. } => {
                    found.extend(bootstrap.arguments.iter().filter_map(|argument| self.function(argument)));
                }
                _ => {}
            }
        }
        found
    }

    /// The method of the program behind a method handle.
    fn function(&self, argument: &Constant) -> Option<MethodAt> {
        let Constant::MethodHandle(method) = argument else { return None };
        self.index.find(&MethodName::new(
            method.class.as_str(),
            method.name.as_str(),
            method.descriptor.as_str(),
        ))
    }

    /// The methods that functions run.
    fn lambdas(&self, all: &[MethodAt]) -> HashSet<MethodAt> {
        let mut found = HashSet::new();
        for code in all.iter().filter_map(|at| self.index.code(*at)) {
            for instruction in &code.instructions {
                if let Op::InvokeDynamic { bootstrap: Some(bootstrap), .. } = &instruction.op {
                    found.extend(bootstrap.arguments.iter().filter_map(|argument| self.function(argument)));
                }
            }
        }
        found
    }

    /// Whether a method calls a library that may call the program back.
    fn calls_back(&self, code: &Code) -> bool {
        code.instructions.iter().any(|instruction| match &instruction.op {
            Op::Invoke { method, .. } => {
                let is_own = self
                    .pool
                    .find(&method.class)
                    .ok()
                    .flatten()
                    .is_some_and(|found| !found.origin.is_runtime());
                !is_own
                    && method.class != "java.lang.Object"
                    && effect(&method.class, method) != Effect::Computes
            }
            Op::InvokeDynamic { bootstrap, .. } => {
                // Concatenation calls `toString`.
                bootstrap
                    .as_ref()
                    .is_none_or(|bootstrap| bootstrap.method.class != "java.lang.invoke.LambdaMetafactory")
            }
            _ => false,
        })
    }

    /// Whether a library can call a method: it is one that every object has, or one that a library declares.
    fn is_called_back(&mut self, at: MethodAt) -> bool {
        let Some(method) = self.index.method(at) else { return true };
        if method.is_static() || method.name.starts_with('<') {
            return false;
        }
        let Some(file) = self.index.file(at) else { return true };
        let Ok(Some(found)) = self.pool.find(&file.name) else { return true };
        let line = lineage(self.pool, &found.file);
        let is_complete = is_complete(&line);
        !is_complete || line.iter().any(|above| self.is_foreign(above) && declares(above, method))
    }

    fn is_foreign(&self, file: &ClassFile) -> bool {
        self.pool.find(&file.name).ok().flatten().is_none_or(|found| found.origin.is_runtime())
    }

    /// Whether an object of the target's type can be of a class.
    fn is_related(&mut self, class: &str) -> bool {
        let DeclaredTarget::Object(target) = self.target else { return false };
        if class == "java.lang.Object" {
            return true;
        }
        if let Some(known) = self.related.get(class) {
            return *known;
        }
        let is_related = self.have_common_object(&target.clone(), class);
        self.related.insert(class.to_owned(), is_related);
        is_related
    }

    fn have_common_object(&mut self, target: &str, class: &str) -> bool {
        let (of_target, of_class) = (self.family(target), self.family(class));
        if !of_target.1 || !of_class.1 || of_target.0.contains(class) || of_class.0.contains(target) {
            return true;
        }
        let is = |name: &str, of: fn(&ClassFile) -> bool| {
            self.pool.find(name).ok().flatten().is_none_or(|found| of(&found.file))
        };
        let is_final = |name: &str| is(name, |file| file.access & ACC_FINAL != 0);
        let is_interface = |name: &str| is(name, ClassFile::is_interface);
        if is_final(target) || is_final(class) || !is_interface(target) && !is_interface(class) {
            return false;
        }
        let own: Vec<String> = self.pool.user_classes().map(str::to_owned).collect();
        let mut both = own.iter().map(|name| self.family(name));
        if both.any(|family| family.0.contains(target) && family.0.contains(class)) {
            return true;
        }
        // Without an own class between them, only a class of the JDK could be both.
        let is_jdk = |name: &str| name.starts_with("java.");
        if !is_jdk(target) || !is_jdk(class) {
            return false;
        }
        let (map, iterable) = ("java.util.Map", "java.lang.Iterable");
        let is_apart =
            |one: &HashSet<String>, other: &HashSet<String>| one.contains(map) && other.contains(iterable);
        !is_apart(&of_target.0, &of_class.0) && !is_apart(&of_class.0, &of_target.0)
    }

    fn family(&mut self, class: &str) -> Arc<(HashSet<String>, bool)> {
        if let Some(known) = self.families.get(class) {
            return known.clone();
        }
        let family = match self.pool.find(class) {
            Ok(Some(found)) => {
                let line = lineage(self.pool, &found.file);
                (line.iter().map(|file| file.name.clone()).collect(), is_complete(&line))
            }
            _ => (HashSet::from([class.to_owned()]), false),
        };
        let family = Arc::new(family);
        self.families.insert(class.to_owned(), family.clone());
        family
    }
}

/// Whether all classes above are known.
fn is_complete(line: &[Arc<ClassFile>]) -> bool {
    let known: HashSet<&str> = line.iter().map(|file| file.name.as_str()).collect();
    let mut above = line.iter().flat_map(|file| file.super_name.iter().chain(&file.interfaces));
    above.all(|name| known.contains(name.as_str()))
}

fn declares(file: &ClassFile, method: &Method) -> bool {
    file.method(&method.name, &method.descriptor).is_some()
}

/// The kinds of elements that a method reads.
fn elements_read(code: &Code) -> HashSet<Element> {
    let read = code.instructions.iter().filter_map(|instruction| match &instruction.op {
        Op::ArrayLoad(element) => Some(*element),
        _ => None,
    });
    read.collect()
}
