//! The fields of objects: declared by class files, with the keys under which their writes are found.

use bytecode::{ClassFile, Method, Op};
use classes::ClassPool;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use trace::{Calls, Level, Traced, Value};

/// Maximum number of superclasses; no class has that many.
const MOST_ABOVE: usize = 64;
/// `ACC_PUBLIC`, `ACC_PRIVATE` and `ACC_PROTECTED` (JVMS table 4.5-A)
const ACC_PUBLIC: u16 = 0x0001;
const ACC_PRIVATE: u16 = 0x0002;
const ACC_PROTECTED: u16 = 0x0004;
/// The superclass of all records.
const RECORD: &str = "java.lang.Record";

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The class that declares it.
    pub class: String,
    /// Its name; prefixed by its class if a subclass declares a field of the same name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The key under which its writes are found; `None` if it is never written.
    pub part: Option<u32>,
    /// Whether writes by the methods of its class are recorded, and no method whose writes are not recorded
    /// can have written it.
    pub is_recorded: bool,
    /// Whether constructors of its class write it before `super(…)`.
    pub is_early: bool,
}

/// The fields of a class and its superclasses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldsOf {
    /// The known fields, those of the topmost class first.
    pub fields: Vec<Field>,
    /// Whether these are all fields, apart from those of JDK superclasses.
    pub is_whole: bool,
    /// Whether the class is a record.
    pub is_record: bool,
}

/// The fields of classes.
#[derive(Default)]
pub struct Fields {
    pool: Option<ClassPool>,
    known: HashMap<String, Arc<FieldsOf>>,
    unrecorded: Option<Arc<UnrecordedWrites>>,
    /// By class and name of a static field.
    statics: HashMap<(String, String, Option<u32>), Arc<StaticField>>,
}

/// The fields that methods of recorded classes can write without a recorded event, since the methods could
/// not be recorded.
#[derive(Default)]
struct UnrecordedWrites {
    /// Names of fields.
    fields: HashSet<String>,
    /// The classes of such methods whose class files are missing.
    classes: HashSet<String>,
}

/// A static field as code names it.
#[derive(Clone, Copy, Debug)]
pub struct StaticName<'a> {
    /// The class that the code names.
    pub class: &'a str,
    /// The field.
    pub name: &'a str,
    /// The number of the method with the code, if it is known: if loaders have made several classes of this
    /// name, it tells which one is meant.
    pub method: Option<u32>,
}

/// A static field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaticField {
    /// Its descriptor; empty without its class file.
    pub descriptor: String,
    /// The key under which its writes are found; `None` if it is never written.
    pub part: Option<u32>,
    /// Whether it has its type's default value before its first recorded write.
    pub begins_empty: bool,
}

impl Fields {
    /// Uses class files if available; otherwise only written fields are known.
    pub fn new(pool: Option<ClassPool>) -> Fields {
        Fields { pool, ..Fields::default() }
    }

    /// The class files.
    pub fn pool(&self) -> Option<&ClassPool> {
        self.pool.as_ref()
    }

    /// Forgets the keys, which differ in another recording.
    pub fn forget(&mut self) {
        self.known.clear();
        self.unrecorded = None;
        self.statics.clear();
    }

    /// A static field.
    pub fn of_static(&mut self, named: &StaticName<'_>, calls: &Calls) -> Arc<StaticField> {
        let key = (named.class.to_owned(), named.name.to_owned(), named.method);
        if let Some(known) = self.statics.get(&key) {
            return known.clone();
        }
        let found = Arc::new(self.find_static(named, calls));
        self.statics.insert(key, found.clone());
        found
    }

    fn find_static(&self, named: &StaticName<'_>, calls: &Calls) -> StaticField {
        let StaticName { class, name, method } = *named;
        let found = self.pool.as_ref().and_then(|pool| Some((pool, declaring(pool, class, name)?)));
        let Some((pool, file)) = found else {
            return StaticField { part: part_of(calls, class, name), ..StaticField::default() };
        };
        let Some(field) = file.field(name) else { return StaticField::default() };
        // Of several classes of this name, the loader of the code tells which one is meant.
        let method = method.and_then(|method| calls.sites.method(method));
        let class = match method {
            Some(method) => calls.sites.class_named(&file.name, method),
            None => Some(file.name.clone()).filter(|class| !calls.sites.is_ambiguous(class)),
        };
        let Some(class) = class else {
            return StaticField { descriptor: field.descriptor.clone(), ..StaticField::default() };
        };
        let part = part_of(calls, &class, name);
        // A constant has its value from the class file, and a class that is not initialised writes later.
        let begins_otherwise = || {
            let mut initial = file.methods_named("<clinit>");
            field.constant.is_some() || part.is_none() && initial.any(|method| writes(method, field))
        };
        let begins_empty = calls.records(&file.name)
            && !begins_otherwise()
            && !may_be_written_unseen(pool, &file.name, field, calls);
        StaticField { descriptor: field.descriptor.clone(), part, begins_empty }
    }

    /// The fields of a class, by its binary name.
    pub fn of(&mut self, class: &str, calls: &Calls) -> Arc<FieldsOf> {
        if let Some(known) = self.known.get(class) {
            return known.clone();
        }
        let found = Arc::new(self.find(class, calls));
        self.known.insert(class.to_owned(), found.clone());
        found
    }

    fn unrecorded(&mut self, calls: &Calls) -> Arc<UnrecordedWrites> {
        self.unrecorded
            .get_or_insert_with(|| Arc::new(UnrecordedWrites::of(self.pool.as_ref(), calls)))
            .clone()
    }

    fn find(&mut self, class: &str, calls: &Calls) -> FieldsOf {
        let unrecorded = self.unrecorded(calls);
        let mut declared: Vec<(String, String, String)> = Vec::new();
        let mut at = Some(class.to_owned());
        let mut is_whole = true;
        let mut is_record = calls.sites.superclass(class) == Some(RECORD);
        for _ in 0..MOST_ABOVE {
            let Some(name) = at.take().filter(|name| name != "java.lang.Object") else { break };
            is_record |= name == RECORD;
            let found = self.pool.as_ref().and_then(|pool| pool.find(&name).ok().flatten());
            let Some(found) = found else {
                // The recording has the fields of its classes, whether or not there are class files.
                let Some(class) = calls.sites.class_of(&name) else {
                    is_whole = false;
                    break;
                };
                // Of a generated class only the superclass was recorded.
                is_whole &= calls.sites.methods().iter().any(|method| *method.class == *name);
                let own = class.fields.iter().filter(|field| !field.is_static);
                let own = own.map(|field| (name.clone(), field.name.clone(), field.descriptor.clone()));
                declared.splice(0..0, own);
                at = class.superclass.clone();
                continue;
            };
            if found.origin.is_runtime() {
                // The fields of JDK classes are not recorded, unless they are in the scope.
                is_whole = matches!(name.as_str(), RECORD | "java.lang.Enum");
                break;
            }
            let own = found.file.fields.iter().filter(|field| !field.is_static());
            let own = own.map(|field| (name.clone(), field.name.clone(), field.descriptor.clone()));
            declared.splice(0..0, own);
            at = found.file.super_name.as_ref().map(|name| name.replace('/', "."));
        }
        let early = calls.sites.all().filter(|site| site.what == Traced::Preset);
        let early: HashSet<(String, &str)> = early
            .filter_map(|site| site.written.as_ref())
            .map(|written| (calls.sites.declares(written), written.name.as_str()))
            .collect();
        let mut fields: Vec<Field> = Vec::new();
        for (at, (of, name, descriptor)) in declared.iter().enumerate() {
            let is_hidden = declared.iter().skip(at + 1).any(|(_, other, _)| other == name);
            let shown = if is_hidden { model::hidden_field_name(of, name) } else { name.clone() };
            let is_recorded = calls.sites.methods().iter().any(|method| *method.class == **of)
                && !unrecorded.fields.contains(name)
                && !unrecorded.classes.contains(of);
            fields.push(Field {
                class: of.clone(),
                name: shown,
                descriptor: descriptor.clone(),
                part: part_of(calls, of, name),
                is_recorded,
                is_early: early.contains(&(of.clone(), name.as_str())),
            });
        }
        FieldsOf { fields, is_whole, is_record }
    }
}

impl UnrecordedWrites {
    fn of(pool: Option<&ClassPool>, calls: &Calls) -> UnrecordedWrites {
        let mut found = UnrecordedWrites::default();
        let methods = calls.sites.methods();
        if methods.iter().all(|method| method.level < Level::Writes) {
            // Nothing is known about any field.
            return found;
        }
        let left = calls.sites.left.iter().filter_map(|(method, _)| method.rsplit_once('.'));
        let lower = methods.iter().filter(|method| method.level < Level::Writes);
        let lower = lower.map(|method| (&*method.class, method.name.as_str()));
        for (class, name) in left.chain(lower) {
            let Some(file) = pool.and_then(|pool| pool.find(class).ok().flatten()) else {
                found.classes.insert(class.to_owned());
                continue;
            };
            let code = file.file.methods.iter().filter(|method| method.name == name);
            let instructions =
                code.filter_map(|method| method.code.as_ref()).flat_map(|code| &code.instructions);
            found.fields.extend(instructions.filter_map(|instruction| match &instruction.op {
                Op::PutField(field) => Some(field.name.clone()),
                _ => None,
            }));
        }
        found
    }
}

/// The key under which the writes to a field are found.
pub fn part_of(calls: &Calls, class: &str, name: &str) -> Option<u32> {
    let mut all = (0..).zip(calls.fields());
    all.find(|(_, (of, field))| of == class && field == name).map(|(part, _)| part)
}

/// The class that declares a static field (JVMS §5.4.3).
fn declaring(pool: &ClassPool, class: &str, name: &str) -> Option<Arc<ClassFile>> {
    let mut next = vec![class.to_owned()];
    for _ in 0..MOST_ABOVE {
        let file = pool.find(&next.pop()?).ok().flatten()?.file.clone();
        if file.field(name).is_some_and(|field| field.is_static()) {
            return Some(file);
        }
        next.extend(file.super_name.iter().chain(file.interfaces.iter().rev()).cloned());
    }
    None
}

/// Whether code that is not recorded may write a static field of a class.
fn may_be_written_unseen(pool: &ClassPool, class: &str, field: &bytecode::Field, calls: &Calls) -> bool {
    // The access of the field tells where such code can be.
    let (nest, package) = (outermost(class), class.rsplit_once('.').map_or("", |(package, _)| package));
    let can_write = |other: &str| match field.access & (ACC_PRIVATE | ACC_PROTECTED | ACC_PUBLIC) {
        ACC_PRIVATE => outermost(other) == nest,
        0 => other.rsplit_once('.').map_or("", |(package, _)| package) == package,
        _ => true,
    };
    let has_write = |other: &str| {
        let Ok(Some(read)) = pool.read(other) else { return true };
        // Few files have the name at all.
        if !read.bytes.windows(field.name.len()).any(|part| part == field.name.as_bytes()) {
            return false;
        }
        let Ok(Some(found)) = pool.find(other) else { return true };
        found.file.methods.iter().any(|method| writes(method, field))
    };
    let mut unseen = pool.user_classes().filter(|other| can_write(other) && !calls.records(other));
    unseen.any(has_write)
}

/// Whether a method writes a static field with this name and type.
fn writes(method: &Method, field: &bytecode::Field) -> bool {
    let is_it = |op: &Op| match op {
        Op::PutStatic(of) => of.name == field.name && of.descriptor == field.descriptor,
        _ => false,
    };
    method.code.iter().any(|code| code.instructions.iter().any(|instruction| is_it(&instruction.op)))
}

/// The name of the class around a nested one. Where `$` is part of a name, other classes have this one too.
fn outermost(class: &str) -> &str {
    let begin = class.rfind('.').map_or(0, |dot| dot + 1);
    let end = class.get(begin + 1..).and_then(|name| name.find('$')).map(|at| begin + 1 + at);
    end.and_then(|end| class.get(..end)).unwrap_or(class)
}

impl Field {
    /// Whether it has this name in its class.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.rsplit('.').next() == Some(name)
    }
}

impl FieldsOf {
    /// The field that a class declares with this name.
    pub fn declared(&self, class: &str, name: &str) -> Option<&Field> {
        let is_it = |field: &&Field| field.class == class && field.is_named(name);
        self.fields.iter().find(is_it)
    }
}

/// The default value of a field or element of this type (JVMS §2.3, §2.4).
pub fn default_of(descriptor: &str) -> Value {
    match descriptor.as_bytes().first() {
        Some(b'Z') => Value::Boolean(false),
        Some(b'C') => Value::Char(0),
        Some(b'J') => Value::Long(0),
        Some(b'F') => Value::Float(0.0),
        Some(b'D') => Value::Double(0.0),
        Some(b'L' | b'[') => Value::Object(0),
        _ => Value::Int(0),
    }
}
