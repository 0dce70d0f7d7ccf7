//! The fields of objects: declared by class files, with the keys under which their writes are found.

use crate::classes::ClassPool;
use crate::trace::{Calls, Level, Value};
use bytecode::Op;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Maximum number of superclasses; no class has that many.
const MOST_ABOVE: usize = 64;
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
    known: HashMap<String, Rc<FieldsOf>>,
    unrecorded: Option<Rc<UnrecordedWrites>>,
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

impl Fields {
    /// Uses class files if available; otherwise only written fields are known.
    pub fn new(pool: Option<ClassPool>) -> Fields {
        Fields { pool, known: HashMap::new(), unrecorded: None }
    }

    /// The class files.
    pub fn pool(&self) -> Option<&ClassPool> {
        self.pool.as_ref()
    }

    /// Forgets the keys, which differ in another recording.
    pub fn forget(&mut self) {
        self.known.clear();
        self.unrecorded = None;
    }

    /// The fields of a class, by its binary name.
    pub fn of(&mut self, class: &str, calls: &Calls) -> Rc<FieldsOf> {
        if let Some(known) = self.known.get(class) {
            return known.clone();
        }
        let found = Rc::new(self.find(class, calls));
        self.known.insert(class.to_owned(), found.clone());
        found
    }

    fn unrecorded(&mut self, calls: &Calls) -> Rc<UnrecordedWrites> {
        self.unrecorded
            .get_or_insert_with(|| Rc::new(UnrecordedWrites::of(self.pool.as_ref(), calls)))
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
                is_whole = false;
                break;
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
        let part = |class: &str, name: &str| {
            (0..)
                .zip(calls.fields())
                .find(|(_, (of, field))| of == class && field == name)
                .map(|(part, _)| part)
        };
        let mut fields: Vec<Field> = Vec::new();
        for (at, (of, name, descriptor)) in declared.iter().enumerate() {
            let is_hidden = declared.iter().skip(at + 1).any(|(_, other, _)| other == name);
            let shown = if is_hidden { hidden(of, name) } else { name.clone() };
            let is_recorded = calls.sites.methods().iter().any(|method| *method.class == **of)
                && !unrecorded.fields.contains(name)
                && !unrecorded.classes.contains(of);
            fields.push(Field {
                class: of.clone(),
                name: shown,
                descriptor: descriptor.clone(),
                part: part(of, name),
                is_recorded,
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

/// The display name of a field hidden by another one of the same name.
fn hidden(class: &str, name: &str) -> String {
    format!("{}.{name}", crate::model::short_class_name(class))
}

impl FieldsOf {
    /// The field that a class declares with this name.
    pub fn declared(&self, class: &str, name: &str) -> Option<&Field> {
        let is_it = |field: &&Field| {
            field.class == class && (field.name == name || field.name == hidden(class, name))
        };
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
