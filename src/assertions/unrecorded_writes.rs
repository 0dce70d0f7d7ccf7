//! What writes arrays and fields without an event: then nobody knows what they held. Told from the code of
//! the methods that were called: the JDK and classes outside of the scope are not recorded, nor is all of a
//! method that is too long for that.

use crate::classes::ClassPool;
use crate::trace::{Calls, Level, Method};
use bytecode::MethodRef;
use bytecode::op::{Bootstrap, Constant};
use bytecode::{ClassFile, Op};
use jdk::{Arrays, Facts, Fields, Holds, Objects, Returns};
use std::collections::{BTreeMap, HashSet};

/// Every array.
const ANY: &str = "[";

/// What may have been written without an event, with who may have.
#[derive(Clone, Default)]
pub struct Unseen {
    /// By the descriptors of arrays.
    arrays: BTreeMap<String, String>,
    fields: Option<String>,
}

/// The code of a recorded run.
struct Code<'a> {
    pool: Option<&'a ClassPool>,
    /// The classes that are recorded.
    recorded: HashSet<&'a str>,
    /// Whether classes of the program are left out.
    has_outside: bool,
}

impl Unseen {
    /// What the calls of a recording may have written so, of which classes of the program are left out or
    /// not.
    pub fn of(calls: &Calls, pool: Option<&ClassPool>, has_outside: bool) -> Unseen {
        let mut found = Unseen::default();
        let recorded = calls.sites.methods().iter().map(|method| &*method.class).collect();
        let code = Code { pool, recorded, has_outside };
        let threads: Vec<u32> = calls.threads().into_iter().map(|(thread, ..)| thread).collect();
        for (number, method) in (0..).zip(calls.sites.methods()) {
            if threads.iter().any(|thread| !calls.of_method(number, *thread).is_empty()) {
                found.calls_of(method, &code);
            }
        }
        found
    }

    /// The same, and what is missing of methods of which less was recorded than writes.
    pub fn with_less(mut self, calls: &Calls, pool: Option<&ClassPool>) -> Unseen {
        for method in calls.sites.methods().iter().filter(|method| method.level < Level::Writes) {
            self.all_of(
                &format!("{}.{}", method.class, method.name),
                code_of(method, pool).as_deref(),
                &method.name,
            );
        }
        for (method, _) in &calls.sites.left {
            let (class, name) = method.rsplit_once('.').unwrap_or(("", method));
            let file = pool.and_then(|pool| pool.find(class).ok().flatten()).map(|found| found.file.clone());
            self.all_of(method, file.as_deref(), name);
        }
        self
    }

    /// Who may have written the elements of an array of a class, as the VM names it.
    pub fn of_array(&self, class: &str) -> Option<&str> {
        let own = class.replace('.', "/");
        let is_reference = |descriptor: &str| matches!(descriptor.as_bytes().get(1), Some(b'L' | b'['));
        // Only arrays of texts are taken where those are wanted.
        let texts = "[Ljava/lang/String;";
        let may = |(given, _): &(&String, &String)| {
            **given == own || *given == ANY || (is_reference(given) && is_reference(&own) && *given != texts)
        };
        self.arrays.iter().find(may).map(|(_, who)| who.as_str())
    }

    /// Who may have written fields.
    pub fn of_fields(&self) -> Option<&str> {
        self.fields.as_deref()
    }

    fn calls_of(&mut self, method: &Method, code: &Code<'_>) {
        let file = code_of(method, code.pool);
        let declared = file.as_ref().and_then(|file| file.method(&method.name, &method.descriptor));
        let Some(declared) = declared else {
            let why = format!("the code of {}.{}, whose class file is not there", method.class, method.name);
            self.arrays.insert(ANY.to_owned(), why.clone());
            self.fields.get_or_insert(why);
            return;
        };
        for instruction in declared.code.iter().flat_map(|code| &code.instructions) {
            let handles = |bootstrap: &Bootstrap| {
                let of = |constant: &Constant| match constant {
                    Constant::MethodHandle(method) => Some(method.clone()),
                    _ => None,
                };
                bootstrap.arguments.iter().filter_map(of).collect::<Vec<MethodRef>>()
            };
            let called = match &instruction.op {
                Op::Invoke { method, .. } => vec![method.clone()],
                Op::InvokeDynamic { bootstrap: Some(bootstrap), .. } => handles(bootstrap),
                _ => Vec::new(),
            };
            let is_direct = matches!(instruction.op, Op::Invoke { .. }) && method.level >= Level::Writes;
            for method in called.iter().filter(|method| code.is_unseen(method)) {
                self.call(method, &code.recorded, is_direct && code.is_told(method));
            }
        }
    }

    /// A call of a method that is not recorded; where it is told, what arrays hold behind it is recorded.
    fn call(&mut self, method: &MethodRef, recorded: &HashSet<&str>, is_told: bool) {
        let who = format!("{}.{}", method.class, method.name);
        let facts = facts_of(method);
        if facts.arrays == Some(Arrays::Read) {
            return;
        }
        let writes_fields = match facts.fields {
            // Which field it writes is found out as it does.
            Some(Fields::OfReceiver) => !is_told,
            Some(Fields::Any) => true,
            Some(Fields::None) | None => false,
        };
        if writes_fields {
            self.fields.get_or_insert(who.clone());
        }
        let writes_any_array =
            facts.objects == Some(Objects::Array) || matches!(facts.arrays, Some(Arrays::Copied { .. }));
        if !is_told && writes_any_array {
            self.arrays.insert(ANY.to_owned(), who.clone());
        }
        // It fills an array that code of the program has made.
        let inherited = jdk::inherited(&method.name, &method.descriptor);
        if !is_told && inherited.is_some_and(|facts| facts.returns == Some(Returns::Filled)) {
            self.arrays.entry("[Ljava/lang/Object;".to_owned()).or_insert_with(|| who.clone());
        }
        let parsed = bytecode::descriptor::parse_method(&method.descriptor);
        for parameter in parsed.map(|parsed| parsed.parameters).unwrap_or_default() {
            let mut array = parameter.as_str();
            if is_told {
                // Those inside it are not looked at.
                array = array.strip_prefix('[').unwrap_or(array);
            }
            while array.starts_with('[') {
                self.arrays.entry(array.to_owned()).or_insert_with(|| who.clone());
                array = array.get(1..).unwrap_or_default();
            }
            let class = array.strip_prefix('L').and_then(|class| class.strip_suffix(';'));
            if class.is_some_and(|class| recorded.contains(&*class.replace('/', "."))) {
                self.fields.get_or_insert_with(|| who.clone());
            }
        }
    }

    /// All that a method writes itself.
    fn all_of(&mut self, who: &str, file: Option<&ClassFile>, name: &str) {
        let Some(file) = file else {
            self.arrays.insert(ANY.to_owned(), who.to_owned());
            self.fields.get_or_insert_with(|| who.to_owned());
            return;
        };
        let code = file.methods_named(name).filter_map(|method| method.code.as_ref());
        for instruction in code.flat_map(|code| &code.instructions) {
            match &instruction.op {
                Op::ArrayStore(_) => drop(self.arrays.insert(ANY.to_owned(), who.to_owned())),
                Op::PutField(_) | Op::PutStatic(_) => {
                    self.fields.get_or_insert_with(|| who.to_owned());
                }
                _ => {}
            }
        }
    }
}

fn facts_of(method: &MethodRef) -> Facts {
    jdk::facts(&method.class, &method.name, &method.descriptor)
}

fn code_of(method: &Method, pool: Option<&ClassPool>) -> Option<std::sync::Arc<ClassFile>> {
    Some(pool?.find(&method.class).ok()??.file.clone())
}

impl Code<'_> {
    /// Whether it is recorded what the JDK has stored into arrays that a method of it was given.
    fn is_told(&self, method: &MethodRef) -> bool {
        let writes_later = matches!(facts_of(method).holds, Some(Holds::Written | Holds::Elements));
        let found = self.pool.and_then(|pool| pool.find(&method.class).ok().flatten());
        found.is_some_and(|found| found.origin.is_runtime()) && !writes_later
    }

    /// Whether what a method does is not recorded: it is of the JDK or of a class outside of the scope, or
    /// native.
    fn is_unseen(&self, method: &MethodRef) -> bool {
        if method.class.ends_with("[]") {
            return false;
        }
        let mut names = vec![method.class.clone()];
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            at += 1;
            let is_recorded = self.recorded.contains(&*name);
            let found = self.pool.and_then(|pool| pool.find(&name).ok().flatten());
            let Some(found) = found.filter(|found| is_recorded || !found.origin.is_runtime()) else {
                return true;
            };
            if let Some(declared) = found.file.method(&method.name, &method.descriptor) {
                // Without a scope, a class of the program that is not recorded was never entered.
                let is_outside = self.has_outside && !is_recorded && declared.code.is_some();
                return declared.is_native() || is_outside;
            }
            let above: Vec<String> =
                found.file.super_name.iter().chain(&found.file.interfaces).cloned().collect();
            names.extend(
                above
                    .into_iter()
                    .filter(|above| above != "java.lang.Object" && !names.contains(above))
                    .collect::<Vec<_>>(),
            );
        }
        false
    }
}
