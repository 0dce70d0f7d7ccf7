//! The VM of one run as the rest of `run` sees it. It caches loaded classes, methods and values.
//!
//! JDWP ids stay inside `run`. Rooms above it see names, values and object numbers.

use super::error::RunError;
use super::loaded::{DeclaredMethod, LoadedClass, LoadedField, LoadedMethod, LoadedVariable};
use super::probes::agent_report::{AgentReport, RewrittenMethod};
use bytecode::descriptor::written::{Language, write_variables};
use jdwp::commands::{
    class_loader_reference, method, object_reference, reference_type, string_reference, virtual_machine,
};
use jdwp::{ClassLoaderId, Connection, Location, MethodId, ReferenceTypeId, StringId, Tag};
use model::{ClassKey, Frame, FrameKey, JavaString, MethodName, ObjectId, Site, Tables, Value};
use smap::SourceMap;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// ACC_STATIC (JVMS table 4.5-A and 4.6-A).
pub const ACC_STATIC: u32 = 0x0008;
/// ACC_SYNTHETIC, and the bits by which JDWP marks a synthetic field.
const SYNTHETIC: u32 = 0xF000_1000;
/// ACC_VARARGS (JVMS table 4.6-A).
pub const ACC_VARARGS: u32 = 0x0080;
/// ACC_NATIVE (JVMS table 4.6-A).
pub const ACC_NATIVE: u32 = 0x0100;
/// ACC_ABSTRACT (JVMS table 4.6-A).
pub const ACC_ABSTRACT: u32 = 0x0400;

/// The VM, with cached facts about it.
pub struct Vm {
    conn: Connection,
    classes: HashMap<ReferenceTypeId, Rc<LoadedClass>>,
    methods: HashMap<(ReferenceTypeId, MethodId), Rc<LoadedMethod>>,
    frames: HashMap<Location, FrameKey>,
    names: HashMap<String, Vec<ReferenceTypeId>>,
    loaders: HashMap<ReferenceTypeId, Option<ClassLoaderId>>,
    /// The names of the loaders of watched classes.
    pub loader_names: HashMap<ReferenceTypeId, Arc<str>>,
    class_objects: HashMap<ReferenceTypeId, jdwp::Value>,
    kinds: HashMap<jdwp::ObjectId, (ReferenceTypeId, ClassKey)>,
    /// Interpretations of the fields of classes.
    pub layouts: super::content::Layouts,
    /// Reads stacks together with the locals of their newest frame.
    pub top: jdwp::TopFrames,
    /// The largest number of a thread that was there before the debug agent's, if these keep their numbers.
    pub before_debug_agent: Option<u64>,
    /// The agent's report about rewritten code, if the run has an agent.
    pub agent_report: Option<Box<AgentReport>>,
    rewritten_methods: HashMap<(ReferenceTypeId, MethodId), Option<Arc<RewrittenMethod>>>,
}

/// Maximum number of objects whose classes are cached.
const KINDS: usize = 16_384;

impl Vm {
    /// Wraps a connection.
    pub fn new(conn: Connection) -> Vm {
        // The numbers of line tables as they are: the back end would give lines of all files as if they were
        // of one.
        let stratum_id = "Java".to_owned();
        drop(conn.send(virtual_machine::SetDefaultStratum { stratum_id }));
        Vm {
            conn,
            classes: HashMap::new(),
            methods: HashMap::new(),
            frames: HashMap::new(),
            names: HashMap::new(),
            loaders: HashMap::new(),
            loader_names: HashMap::new(),
            class_objects: HashMap::new(),
            kinds: HashMap::new(),
            layouts: super::content::Layouts::default(),
            top: jdwp::TopFrames::default(),
            before_debug_agent: None,
            agent_report: None,
            rewritten_methods: HashMap::new(),
        }
    }

    /// The connection for commands.
    pub fn conn(&self) -> &Connection {
        &self.conn
    }

    /// Whether methods may have been rewritten.
    pub fn is_probed(&self) -> bool {
        self.agent_report.is_some()
    }

    /// How a method was rewritten, if it was.
    pub async fn rewritten(
        &mut self,
        class: ReferenceTypeId,
        method: MethodId,
    ) -> Result<Option<Arc<RewrittenMethod>>, RunError> {
        if self.agent_report.is_none() {
            return Ok(None);
        }
        if let Some(known) = self.rewritten_methods.get(&(class, method)) {
            return Ok(known.clone());
        }
        let owner = self.class(class).await?;
        let declared = owner.methods.iter().find(|m| m.id == method);
        let name =
            declared.map(|m| MethodName::new(owner.name.clone(), m.name.as_str(), m.descriptor.as_str()));
        let found = name.and_then(|name| self.agent_report.as_mut()?.rewritten(&name));
        self.rewritten_methods.insert((class, method), found.clone());
        Ok(found)
    }

    /// Maps a location in rewritten code to one in the original code, that of the class file.
    pub async fn original(&mut self, location: Location) -> Result<Location, RunError> {
        Ok(match self.rewritten(location.class, location.method).await? {
            // Native frames have index -1.
            Some(method) if u32::try_from(location.index).is_ok() => {
                Location { index: method.was(location.index), ..location }
            }
            _ => location,
        })
    }

    /// A loaded class with its declarations.
    pub async fn class(&mut self, id: ReferenceTypeId) -> Result<Rc<LoadedClass>, RunError> {
        if let Some(class) = self.classes.get(&id) {
            return Ok(class.clone());
        }
        let signature = self.conn.send(reference_type::Signature { ref_type: id });
        let fields = self.conn.send(reference_type::Fields { ref_type: id });
        let methods = self.conn.send(reference_type::Methods { ref_type: id });
        let superclass = self.conn.send(jdwp::commands::class_type::Superclass { clazz: id });
        let interfaces = self.conn.send(reference_type::Interfaces { ref_type: id });
        let source = self.conn.send(reference_type::SourceFile { ref_type: id });
        let map = self.conn.send(reference_type::SourceDebugExtension { ref_type: id });
        let signature = signature.await?;
        let name: Arc<str> = type_name(&signature).into();
        let fields = fields.await;
        // The declarations of a class are known once it is prepared, so do not cache it before.
        let is_prepared =
            fields.as_ref().err().and_then(jdwp::Error::code) != Some(jdwp::ErrorCode::CLASS_NOT_PREPARED);
        let source: Option<Arc<str>> = or_default(source.await.map(Some))?.map(Arc::from);
        let map = or_default(map.await.map(Some))?;
        let source_map = map.and_then(|map| SourceMap::parse(&map, source.as_deref()));
        let class = LoadedClass {
            id,
            name,
            // The signature of another class has no dot (JVMTI, GetClassSignature).
            is_hidden: signature.contains('.'),
            fields: or_default(fields)?
                .into_iter()
                .map(|f| LoadedField {
                    id: f.field_id,
                    name: f.name,
                    descriptor: f.signature,
                    is_static: f.mod_bits & ACC_STATIC != 0,
                    is_synthetic: f.mod_bits & SYNTHETIC != 0,
                })
                .collect(),
            methods: or_default(methods.await)?
                .into_iter()
                .map(|m| DeclaredMethod {
                    id: m.method_id,
                    name: m.name,
                    descriptor: m.signature,
                    access: m.mod_bits,
                })
                .collect(),
            // Interfaces and arrays have no superclass; the VM answers with an error.
            superclass: or_default(superclass.await)?,
            interfaces: or_default(interfaces.await)?,
            source_file: source_map.as_ref().map(|map| map.source_file().into()).or(source),
            source_map,
        };
        let class = Rc::new(class);
        if is_prepared {
            self.classes.insert(id, class.clone());
        }
        Ok(class)
    }

    /// A method with its line and variable tables.
    pub async fn method(
        &mut self,
        class: ReferenceTypeId,
        id: MethodId,
    ) -> Result<Rc<LoadedMethod>, RunError> {
        if let Some(method) = self.methods.get(&(class, id)) {
            return Ok(method.clone());
        }
        let lines = self.conn.send(method::LineTable { ref_type: class, method: id });
        let variables = self.conn.send(method::VariableTable { ref_type: class, method: id });
        let owner = self.class(class).await?;
        let declared = owner.methods.iter().find(|m| m.id == id);
        // A redefined class's old methods are no longer declared; they still run.
        let (name, descriptor, access) = match declared {
            Some(m) => (m.name.as_str(), m.descriptor.as_str(), m.access),
            None => ("(obsolete method)", "()V", ACC_STATIC),
        };
        let mut lines: Vec<(u64, u32)> = or_default(lines.await.map(|t| t.lines))?
            .into_iter()
            .filter_map(|l| Some((l.line_code_index, u32::try_from(l.line_number).ok()?)))
            .collect();
        lines.sort_unstable();
        let rewritten = self.rewritten(class, id).await?;
        let was = |now: u64| rewritten.as_ref().map_or(now, |method| method.was(now));
        lines.iter_mut().for_each(|(start, _)| *start = was(*start));
        let mut copied = Vec::new();
        if let Some(map) = &owner.source_map {
            let ends = lines.iter().skip(1).map(|(start, _)| *start).chain([u64::MAX]);
            let ranges = lines.iter().zip(ends).filter(|((_, number), _)| map.copied(*number).is_some());
            copied = ranges.map(|((start, _), end)| *start..end).collect();
            let written = |(start, number)| Some((start, map.line(number)?));
            lines = lines.into_iter().filter_map(written).collect();
        }
        let variables = match variables.await {
            Ok(mut table) => {
                let language = Language::of(owner.source_file.as_deref());
                write_variables(language, &mut table.slots, |variable| &mut variable.name);
                Some(
                    table
                        .slots
                        .into_iter()
                        // Locals added by the agent or a compiler are not variables of the program.
                        .filter(|s| s.length > 0 && !s.name.contains(':'))
                        .map(|s| {
                            let start = was(s.code_index);
                            LoadedVariable {
                                name: s.name.into(),
                                descriptor: s.signature.into(),
                                slot: u16::try_from(s.slot).unwrap_or_default(),
                                start,
                                length: was(s.code_index.saturating_add(s.length.into()))
                                    .saturating_sub(start),
                            }
                        })
                        .collect(),
                )
            }
            Err(e) if e.is_fatal() => return Err(e.into()),
            Err(_) => None,
        };
        let method = Rc::new(LoadedMethod {
            name: MethodName::new(owner.name.clone(), name, descriptor),
            is_static: access & ACC_STATIC != 0,
            lines,
            copied,
            variables,
            source_file: owner.source_file.clone(),
        });
        self.methods.insert((class, id), method.clone());
        Ok(method)
    }

    /// The key of a frame at a location.
    pub async fn frame_key(&mut self, tables: &mut Tables, location: Location) -> Result<FrameKey, RunError> {
        if let Some(key) = self.frames.get(&location) {
            return Ok(*key);
        }
        let method = self.method(location.class, location.method).await?;
        let site = Site { method: method.name.clone(), bci: bci(location.index) };
        let line = method.line(location.index);
        let key = tables.frame_key(Frame {
            site,
            line,
            source_file: method.source_file.clone(),
            loader: self.loader_names.get(&location.class).cloned(),
        });
        self.frames.insert(location, key);
        Ok(key)
    }

    /// The loaded classes with a name (dots; arrays with brackets). Caches a non-empty result.
    pub async fn classes_named(&mut self, name: &str) -> Result<Vec<ReferenceTypeId>, RunError> {
        if let Some(known) = self.names.get(name) {
            return Ok(known.clone());
        }
        let signature = type_signature(name);
        let found = self.conn.send(virtual_machine::ClassesBySignature { signature }).await?;
        let ids: Vec<_> = found.into_iter().map(|c| c.type_id).collect();
        if !ids.is_empty() {
            self.names.insert(name.to_owned(), ids.clone());
        }
        Ok(ids)
    }

    /// Which of several classes of one name the code of a class refers to: the one that its loader defines,
    /// or to which its loader has resolved the name, or else the only one of the JDK's loaders. `None` if
    /// that is unknown.
    pub async fn seen_from(
        &mut self,
        from: ReferenceTypeId,
        several: &[ReferenceTypeId],
    ) -> Result<Option<ReferenceTypeId>, RunError> {
        let mine = self.loader(from).await?;
        let mut loaders = Vec::with_capacity(several.len());
        for class in several {
            loaders.push((*class, self.loader(*class).await?));
        }
        if let Some((class, _)) = loaders.iter().find(|(_, loader)| *loader == mine) {
            return Ok(Some(*class));
        }
        if mine.is_some() {
            let class_loader_object = mine;
            let seen = or_default(
                self.conn.send(class_loader_reference::VisibleClasses { class_loader_object }).await,
            )?;
            let is_seen = |class: &&ReferenceTypeId| seen.iter().any(|seen| seen.type_id == **class);
            if let Some(class) = several.iter().find(is_seen) {
                return Ok(Some(*class));
            }
        }
        let mut of_jdk = Vec::new();
        for (class, loader) in loaders {
            let is_jdks = match loader {
                Some(loader) => self.loader_class(loader).await?.starts_with("jdk.internal.loader."),
                None => true,
            };
            of_jdk.extend(is_jdks.then_some(class));
        }
        Ok(match of_jdk[..] {
            [only] => Some(only),
            _ => None,
        })
    }

    /// The loader that defined a class; `None` for the VM's own.
    pub async fn loader(&mut self, class: ReferenceTypeId) -> Result<Option<ClassLoaderId>, RunError> {
        if let Some(known) = self.loaders.get(&class) {
            return Ok(*known);
        }
        let loader = or_default(self.conn.send(reference_type::ClassLoader { ref_type: class }).await)?;
        self.loaders.insert(class, loader);
        Ok(loader)
    }

    /// The binary name of a loader's class.
    async fn loader_class(&mut self, loader: ClassLoaderId) -> Result<Arc<str>, RunError> {
        let object = jdwp::ObjectId::from(loader);
        let of = self.conn.send(object_reference::ReferenceType { object }).await?;
        Ok(self.class(of.type_id).await?.name.clone())
    }

    /// The `java.lang.Class` object of a class.
    pub async fn class_object(&mut self, class: ReferenceTypeId) -> Result<jdwp::Value, RunError> {
        if let Some(known) = self.class_objects.get(&class) {
            return Ok(*known);
        }
        let object = self.conn.send(reference_type::ClassObject { ref_type: class }).await?;
        let object = jdwp::Value::Object { tag: Tag::ClassObject, id: Some(object.into()) };
        self.class_objects.insert(class, object);
        Ok(object)
    }

    /// The loaded classes with a VM signature, including hidden classes.
    pub async fn classes_of(&mut self, signature: &str) -> Result<Vec<ReferenceTypeId>, RunError> {
        let signature = signature.to_owned();
        let found = self.conn.send(virtual_machine::ClassesBySignature { signature }).await?;
        Ok(found.into_iter().map(|c| c.type_id).collect())
    }

    /// Drops the cached classes of a name, because a class with that name was loaded.
    pub fn forget_name(&mut self, name: &str) {
        self.names.remove(name);
    }

    /// Drops the cached data of a redefined class, whose methods' tables may have changed.
    pub fn forget_class(&mut self, class: ReferenceTypeId) {
        self.classes.remove(&class);
        self.layouts.forget(class);
        self.methods.retain(|(owner, _), _| *owner != class);
        self.rewritten_methods.retain(|(owner, _), _| *owner != class);
        self.frames.retain(|location, _| location.class != class);
    }

    /// Converts JDWP values to values that can be kept. Requests all strings and classes at once.
    pub async fn values(&mut self, tables: &mut Tables, raw: &[jdwp::Value]) -> Result<Vec<Value>, RunError> {
        enum PendingValue {
            Known(Value),
            Text(ObjectId, jdwp::Pending<jdwp::JavaString>),
            Class(jdwp::ObjectId, jdwp::Pending<reference_type::TypeInfo>),
        }
        if self.kinds.len() > KINDS {
            self.kinds.clear();
        }
        let mut pending = Vec::with_capacity(raw.len());
        for value in raw {
            pending.push(match value {
                jdwp::Value::Object { id: None, .. } => PendingValue::Known(Value::Null),
                jdwp::Value::Object { tag: Tag::String, id: Some(id) } => PendingValue::Text(
                    ObjectId(id.raw()),
                    self.conn.send(string_reference::Value { string_object: StringId::of(*id) }),
                ),
                jdwp::Value::Object { id: Some(id), .. } => match self.kinds.get(id) {
                    // The class of an object and the meaning of its id never change.
                    Some((_, class)) => {
                        PendingValue::Known(Value::Object { id: ObjectId(id.raw()), class: *class })
                    }
                    None => PendingValue::Class(
                        *id,
                        self.conn.send(object_reference::ReferenceType { object: *id }),
                    ),
                },
                jdwp::Value::Boolean(v) => PendingValue::Known(Value::Boolean(*v)),
                jdwp::Value::Byte(v) => PendingValue::Known(Value::Byte(*v)),
                jdwp::Value::Char(v) => PendingValue::Known(Value::Char(*v)),
                jdwp::Value::Short(v) => PendingValue::Known(Value::Short(*v)),
                jdwp::Value::Int(v) => PendingValue::Known(Value::Int(*v)),
                jdwp::Value::Long(v) => PendingValue::Known(Value::Long(*v)),
                jdwp::Value::Float(v) => PendingValue::Known(Value::Float(*v)),
                jdwp::Value::Double(v) => PendingValue::Known(Value::Double(*v)),
                jdwp::Value::Void => PendingValue::Known(Value::Void),
            });
        }
        let mut values = Vec::with_capacity(pending.len());
        for item in pending {
            values.push(match item {
                PendingValue::Known(value) => value,
                PendingValue::Text(id, text) => match text.await {
                    // The text is too long to keep or read, so represent the string by its identity.
                    Err(jdwp::Error::ReplyTooLong { .. }) => {
                        Value::Object { id, class: tables.class_key("java.lang.String") }
                    }
                    text => Value::Str(Arc::new(JavaString { id, text: text?.into_string() })),
                },
                PendingValue::Class(id, class) => {
                    let type_id = class.await?.type_id;
                    let name = self.class(type_id).await?.name.clone();
                    let class = tables.class_key(&name);
                    self.kinds.insert(id, (type_id, class));
                    Value::Object { id: ObjectId(id.raw()), class }
                }
            });
        }
        Ok(values)
    }

    /// The runtime class of an object, if cached.
    pub fn type_of(&self, object: jdwp::ObjectId) -> Option<ReferenceTypeId> {
        self.kinds.get(&object).map(|(class, _)| *class)
    }

    /// [`Vm::values`] of one value.
    pub async fn value(&mut self, tables: &mut Tables, raw: jdwp::Value) -> Result<Value, RunError> {
        Ok(self.values(tables, &[raw]).await?.pop().unwrap_or(Value::Null))
    }
}

/// The reply, or the default value if the VM refuses (absent information, not applicable). A lost connection
/// is an error.
pub fn or_default<T: Default>(reply: Result<T, jdwp::Error>) -> Result<T, RunError> {
    match reply {
        Ok(value) => Ok(value),
        Err(e) if e.is_fatal() => Err(e.into()),
        Err(_) => Ok(T::default()),
    }
}

/// A JDWP index as a bytecode index. Native frames have index -1, shown as 0.
pub fn bci(index: u64) -> u32 {
    u32::try_from(index).unwrap_or(0)
}

/// The JDWP value for a kept value, to pass it as an argument.
pub fn to_wire(value: &Value) -> jdwp::Value {
    match value {
        Value::Boolean(v) => jdwp::Value::Boolean(*v),
        Value::Byte(v) => jdwp::Value::Byte(*v),
        Value::Char(v) => jdwp::Value::Char(*v),
        Value::Short(v) => jdwp::Value::Short(*v),
        Value::Int(v) => jdwp::Value::Int(*v),
        Value::Long(v) => jdwp::Value::Long(*v),
        Value::Float(v) => jdwp::Value::Float(*v),
        Value::Double(v) => jdwp::Value::Double(*v),
        Value::Void => jdwp::Value::Void,
        Value::Str(s) => jdwp::Value::Object { tag: Tag::String, id: Some(jdwp::ObjectId::new(s.id.0)) },
        Value::Object { id, .. } => {
            jdwp::Value::Object { tag: Tag::Object, id: Some(jdwp::ObjectId::new(id.0)) }
        }
        Value::Null | Value::Unassigned | Value::Absent | Value::Failed(_) => jdwp::Value::NULL,
    }
}

/// Converts `Lpkg/Outer$Rec;` to `pkg.Outer$Rec`, and `[[I` to `int[][]`.
pub fn type_name(signature: &str) -> String {
    let element = signature.trim_start_matches('[');
    let brackets = "[]".repeat(signature.len() - element.len());
    let name = match element {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        class => class.strip_prefix('L').unwrap_or(class).trim_end_matches(';').replace('/', "."),
    };
    // The name of a hidden class ends in its address (JVMTI, GetClassSignature), which differs between runs.
    let name = match name.rsplit_once('.') {
        Some((named, address)) if address.starts_with("0x") => named.to_owned(),
        _ => name,
    };
    name + &brackets
}

/// The signature of a class or array name: the inverse of [`type_name`].
pub fn type_signature(name: &str) -> String {
    let element = name.trim_end_matches("[]");
    let dimensions = "[".repeat((name.len() - element.len()) / 2);
    let letter = match element {
        "boolean" => "Z",
        "byte" => "B",
        "char" => "C",
        "short" => "S",
        "int" => "I",
        "long" => "J",
        "float" => "F",
        "double" => "D",
        class => return format!("{dimensions}L{};", class.replace('.', "/")),
    };
    dimensions + letter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_and_signatures_are_inverse() {
        for (signature, name) in [
            ("Lpkg/Outer$Rec;", "pkg.Outer$Rec"),
            ("[[I", "int[][]"),
            ("[Ljava/lang/String;", "java.lang.String[]"),
            ("LLine;", "Line"),
        ] {
            assert_eq!(type_name(signature), name);
            assert_eq!(type_signature(name), signature);
        }
        assert_eq!(type_name("LIntro$$Lambda$14.0x00007f98b8001000;"), "Intro$$Lambda$14");
    }

    #[test]
    fn a_line_lasts_until_the_next() {
        let method = LoadedMethod {
            name: MethodName::new("C", "m", "()V"),
            is_static: true,
            lines: vec![(0, 3), (4, 5), (9, 4)],
            copied: Vec::new(),
            variables: None,
            source_file: None,
        };
        assert_eq!([0, 3, 4, 20].map(|i| method.line(i)), [Some(3), Some(3), Some(5), Some(4)]);
    }
}
