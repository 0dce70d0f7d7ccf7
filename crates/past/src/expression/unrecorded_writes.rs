//! Finds the arrays and fields that a run may have written without an event. Their recorded values may be
//! wrong. The code of the called methods tells. The JDK and classes outside the scope are not recorded, and a
//! method that is too long is not recorded in full.

use bytecode::MethodRef;
use bytecode::op::{Bootstrap, Constant};
use bytecode::{ClassFile, Op};
use classes::ClassPool;
use jdk::{Arrays, Facts, Fields, Holds, Objects, Returns};
use std::collections::{BTreeMap, HashSet};
use trace::{Calls, Level, Method};

/// The descriptor that stands for all arrays.
const ANY: &str = "[";

/// The arrays and fields that may have been written without an event, with the methods that may have
/// written them.
#[derive(Clone, Default)]
pub struct Unseen {
    /// The method, by array descriptor.
    arrays: BTreeMap<String, String>,
    /// The method that may have written fields of any name.
    fields: Option<String>,
    /// The method whose code writes fields of a name.
    named: BTreeMap<String, String>,
}

/// The code of a recorded run.
struct Code<'a> {
    pool: Option<&'a ClassPool>,
    /// The classes that are recorded.
    recorded: HashSet<&'a str>,
    /// Whether the recording leaves out classes of the program.
    has_outside: bool,
}

impl Unseen {
    /// Finds the possible writes of the recorded calls. `has_outside` tells whether the recording leaves out
    /// classes of the program.
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

    /// Adds the writes of the program's methods that were recorded below level `writes`, or not at all.
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

    /// The method that may have written elements of an array of this class, as the VM names it.
    pub fn of_array(&self, class: &str) -> Option<&str> {
        let own = class.replace('.', "/");
        let is_reference = |descriptor: &str| matches!(descriptor.as_bytes().get(1), Some(b'L' | b'['));
        // Arrays are covariant: a parameter of one reference array type can take another. But a `String[]`
        // parameter takes only `String[]`.
        let texts = "[Ljava/lang/String;";
        let may = |(given, _): &(&String, &String)| {
            **given == own || *given == ANY || (is_reference(given) && is_reference(&own) && *given != texts)
        };
        self.arrays.iter().find(may).map(|(_, who)| who.as_str())
    }

    /// The method that may have written fields of this name.
    pub fn of_field(&self, name: &str) -> Option<&str> {
        self.fields.as_ref().or_else(|| self.named.get(name)).map(String::as_str)
    }

    fn calls_of(&mut self, method: &Method, code: &Code<'_>) {
        let file = code_of(method, code.pool);
        let declared = file.as_ref().and_then(|file| file.method(&method.name, &method.descriptor));
        let Some(declared) = declared else {
            let why = format!("the code of {}.{}, whose class file is missing", method.class, method.name);
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

    /// Adds the possible writes of a call to an unrecorded method. With `is_told`, the recording has the
    /// elements of its array arguments after the call.
    fn call(&mut self, method: &MethodRef, recorded: &HashSet<&str>, is_told: bool) {
        let who = format!("{}.{}", method.class, method.name);
        let facts = facts_of(method);
        if facts.arrays == Some(Arrays::Read) {
            return;
        }
        let writes_fields = match facts.fields {
            // The agent records which field the handle writes.
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
        // `toArray` fills an array that the program's function creates.
        let inherited = jdk::inherited(&method.name, &method.descriptor);
        if !is_told && inherited.is_some_and(|facts| facts.returns == Some(Returns::Filled)) {
            self.arrays.entry("[Ljava/lang/Object;".to_owned()).or_insert_with(|| who.clone());
        }
        let parsed = bytecode::descriptor::parse_method(&method.descriptor);
        for parameter in parsed.map(|parsed| parsed.parameters).unwrap_or_default() {
            let mut array = parameter.as_str();
            if is_told {
                // The agent records the outer array, but not the arrays inside it.
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

    /// Adds all writes in a method's own code.
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
                Op::PutField(field) | Op::PutStatic(field) => {
                    self.named.entry(field.name.clone()).or_insert_with(|| who.to_owned());
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
    /// Whether the recording has the elements that a method stores into its array arguments. It has them for
    /// a JDK method that does not write the arrays after it returns.
    fn is_told(&self, method: &MethodRef) -> bool {
        let writes_later = matches!(facts_of(method).holds, Some(Holds::Written | Holds::Elements));
        let found = self.pool.and_then(|pool| pool.find(&method.class).ok().flatten());
        found.is_some_and(|found| found.origin.is_runtime()) && !writes_later
    }

    /// Whether the effects of a method are not recorded: the JDK or a class outside the scope declares it, or
    /// it is native.
    fn is_unseen(&self, method: &MethodRef) -> bool {
        if method.class.ends_with("[]") {
            return false;
        }
        if method.class == "java.lang.Object" {
            return true;
        }
        // A class comes before its interfaces, as where the VM looks for the method (JVMS §5.4.3).
        let mut names = vec![method.class.clone()];
        let mut known: HashSet<String> = HashSet::new();
        while let Some(name) = names.pop() {
            if name == "java.lang.Object" || !known.insert(name.clone()) {
                continue;
            }
            let found = self.pool.and_then(|pool| pool.find(&name).ok().flatten());
            let Some(found) = found else { return true };
            if let Some(declared) = found.file.method(&method.name, &method.descriptor) {
                let is_recorded = self.recorded.contains(&*name);
                // Without a scope, a class of the program that is not recorded was never entered.
                let is_outside = self.has_outside && !is_recorded && declared.code.is_some();
                let is_of_jdk = found.origin.is_runtime() && !is_recorded;
                return is_of_jdk || declared.is_native() || is_outside;
            }
            names.extend(found.file.interfaces.iter().rev().chain(&found.file.super_name).cloned());
        }
        false
    }
}
