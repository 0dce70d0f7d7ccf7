//! A small simulated heap whose classes are real class files, read through a fake machine.

use crate::{
    ClassInfo, ClassLookup, EventPart, FieldInfo, Invoked, Machine, MethodInfo, Scope, ScopeLocal, Type,
    method_types,
};
use model::{ClassKey, JavaString, ObjectId, Tables, Value};
use std::collections::HashMap;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Runs a future that never waits.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the fake machine never waits"),
    }
}

#[derive(Clone, Default)]
pub(super) struct Classes(pub(super) HashMap<String, Arc<bytecode::ClassFile>>);

impl Classes {
    pub(super) fn add_folder(&mut self, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "class") {
                let class = bytecode::ClassFile::parse(&std::fs::read(&path).unwrap()).unwrap();
                self.0.insert(class.name.clone(), Arc::new(class));
            }
        }
    }
}

impl ClassLookup for Classes {
    fn class(&self, name: &str) -> Option<Arc<bytecode::ClassFile>> {
        self.0.get(name).cloned()
    }
}

pub(super) enum Object {
    Instance { class: String, fields: HashMap<(String, String), Value> },
    Array { class: String, elements: Vec<Value> },
    Text,
}

#[derive(Debug, thiserror::Error)]
#[error("the fake heap has no {0}")]
pub(super) struct Absent(String);

#[derive(Default)]
pub(super) struct Fake {
    pub(super) classes: Classes,
    pub(super) scope: Option<Scope>,
    pub(super) this: Option<Value>,
    pub(super) locals: HashMap<String, Value>,
    pub(super) statics: HashMap<(String, String), Value>,
    pub(super) heap: HashMap<ObjectId, Object>,
    pub(super) events: HashMap<EventPart, Value>,
    pub(super) calls: Vec<String>,
    pub(super) tables: Tables,
}

impl Fake {
    pub(super) fn scope_mut(&mut self) -> &mut Scope {
        self.scope.as_mut().unwrap()
    }

    fn add(&mut self, class: &str, object: Object) -> Value {
        let id = ObjectId(self.heap.len() as u64 + 1);
        self.heap.insert(id, object);
        Value::Object { id, class: self.key(class) }
    }

    fn key(&mut self, class: &str) -> ClassKey {
        self.tables.class_key(class)
    }

    pub(super) fn text(&mut self, text: &str) -> Value {
        let id = ObjectId(self.heap.len() as u64 + 1);
        self.heap.insert(id, Object::Text);
        Value::Str(Arc::new(JavaString { id, text: text.to_owned() }))
    }

    /// Creates an object with these fields: `(declaring class, name, value)`.
    pub(super) fn object(&mut self, class: &str, fields: &[(&str, &str, Value)]) -> Value {
        let fields = fields.iter().map(|(c, n, v)| (((*c).to_owned(), (*n).to_owned()), v.clone())).collect();
        self.add(class, Object::Instance { class: class.to_owned(), fields })
    }

    pub(super) fn array(&mut self, class: &str, elements: Vec<Value>) -> Value {
        self.add(class, Object::Array { class: class.to_owned(), elements })
    }

    pub(super) fn boxed(&mut self, class: &str, value: Value) -> Value {
        self.object(class, &[(class, "value", value)])
    }

    pub(super) fn local_value(&mut self, name: &str, descriptor: &str, value: Value) {
        let scope = self.scope_mut();
        let slot = scope.locals.len() as u16;
        scope.locals.push(ScopeLocal { name: name.to_owned(), descriptor: descriptor.to_owned(), slot });
        self.locals.insert(name.to_owned(), value);
    }

    /// The class of an object.
    pub(super) fn class_name(&self, value: &Value) -> Option<String> {
        Some(match self.heap.get(&value.object_id()?)? {
            Object::Instance { class, .. } | Object::Array { class, .. } => class.clone(),
            Object::Text => "java.lang.String".to_owned(),
        })
    }

    /// The value of a boxed primitive.
    pub(super) fn boxed_value(&self, value: &Value) -> Option<Value> {
        match self.heap.get(&value.object_id()?)? {
            Object::Instance { class, fields } => fields.get(&(class.clone(), "value".to_owned())).cloned(),
            _ => None,
        }
    }

    fn supertypes(&self, class: &str) -> Vec<String> {
        let mut line = vec![class.to_owned()];
        let mut at = 0;
        while let Some(name) = line.get(at).cloned() {
            let file = self.classes.0.get(&name);
            line.extend(file.iter().flat_map(|f| f.super_name.iter().chain(&f.interfaces).cloned()));
            at += 1;
        }
        line
    }
}

impl Machine for Fake {
    type Class = String;
    type Error = Absent;

    fn scope(&self) -> &Scope {
        self.scope.as_ref().unwrap()
    }

    fn event_part(&self, part: EventPart) -> Option<Value> {
        self.events.get(&part).cloned()
    }

    async fn local(&mut self, local: &ScopeLocal) -> Result<Value, Absent> {
        self.locals.get(&local.name).cloned().ok_or_else(|| Absent(local.name.clone()))
    }

    async fn this_object(&mut self) -> Result<Option<Value>, Absent> {
        Ok(self.this.clone())
    }

    async fn frame_class(&mut self) -> Result<String, Absent> {
        Ok(self.scope().class.to_string())
    }

    async fn class_of(&mut self, object: ObjectId) -> Result<String, Absent> {
        let value = Value::Object { id: object, class: self.key("any") };
        self.class_name(&value).ok_or_else(|| Absent(format!("{object:?}")))
    }

    async fn find_class(&mut self, name: &str) -> Result<Option<String>, Absent> {
        let element = name.trim_end_matches("[]");
        let primitive = name != element && crate::Primitive::from_keyword(element).is_some();
        Ok((primitive || self.classes.0.contains_key(element)).then(|| name.to_owned()))
    }

    async fn class_info(&mut self, class: &String) -> Result<Arc<ClassInfo<String>>, Absent> {
        if class.ends_with("[]") {
            return Ok(Arc::new(ClassInfo {
                name: class.as_str().into(),
                superclass: Some("java.lang.Object".to_owned()),
                interfaces: vec!["java.lang.Cloneable".to_owned(), "java.io.Serializable".to_owned()],
                fields: Vec::new(),
                methods: Vec::new(),
            }));
        }
        let file = self.classes.0.get(class).ok_or_else(|| Absent(class.clone()))?;
        let field = |f: &bytecode::Field| FieldInfo {
            name: f.name.clone(),
            descriptor: f.descriptor.clone(),
            is_static: f.is_static(),
            is_synthetic: f.is_synthetic(),
        };
        let method = |m: &bytecode::Method| MethodInfo {
            name: m.name.clone(),
            descriptor: m.descriptor.clone(),
            is_static: m.is_static(),
            is_varargs: m.access & 0x80 != 0,
            is_abstract: m.is_abstract(),
        };
        Ok(Arc::new(ClassInfo {
            name: class.as_str().into(),
            superclass: file.super_name.clone().filter(|_| !file.is_interface()),
            interfaces: file.interfaces.clone(),
            fields: file.fields.iter().map(field).collect(),
            methods: file.methods.iter().map(method).collect(),
        }))
    }

    async fn get_field(&mut self, object: ObjectId, class: &String, field: usize) -> Result<Value, Absent> {
        let name = self.class_info(class).await?.fields[field].name.clone();
        match self.heap.get(&object) {
            Some(Object::Instance { fields, .. }) => {
                fields.get(&(class.clone(), name.clone())).cloned().ok_or(Absent(format!("{class}.{name}")))
            }
            _ => Err(Absent(format!("instance {object:?}"))),
        }
    }

    async fn get_static(&mut self, class: &String, field: usize) -> Result<Value, Absent> {
        let name = self.class_info(class).await?.fields[field].name.clone();
        self.statics.get(&(class.clone(), name.clone())).cloned().ok_or(Absent(format!("{class}.{name}")))
    }

    async fn array_length(&mut self, array: ObjectId) -> Result<i32, Absent> {
        match self.heap.get(&array) {
            Some(Object::Array { elements, .. }) => Ok(elements.len() as i32),
            _ => Err(Absent(format!("array {array:?}"))),
        }
    }

    async fn array_get(&mut self, array: ObjectId, index: i32) -> Result<Value, Absent> {
        match self.heap.get(&array) {
            Some(Object::Array { elements, .. }) => Ok(elements[index as usize].clone()),
            _ => Err(Absent(format!("array {array:?}"))),
        }
    }

    /// Simulates boxing, a few methods of String, and the fixture's methods, which return the text of their
    /// name.
    async fn invoke(
        &mut self,
        target: Option<ObjectId>,
        class: &String,
        method: usize,
        arguments: Vec<Value>,
        nonvirtual: bool,
    ) -> Result<Invoked, Absent> {
        let method = self.class_info(class).await?.methods[method].clone();
        let (types, _) = method_types(&method.descriptor).unwrap();
        assert_eq!(types.len(), arguments.len(), "{class}.{}{}", method.name, method.descriptor);
        for (parameter, argument) in types.iter().zip(&arguments) {
            let given = crate::number::primitive_of(argument).map(Type::Primitive);
            let wanted = Some(parameter.clone()).filter(|t| matches!(t, Type::Primitive(_)));
            assert_eq!(given, wanted, "an argument of {class}.{} has its parameter's type", method.name);
        }
        assert_eq!(target.is_none(), method.is_static);
        self.calls.push(format!("{class}.{}{}", method.name, if nonvirtual { " nonvirtual" } else { "" }));
        if class.starts_with("shop.") {
            let mut runs = class.clone();
            if let (Some(id), false) = (target, nonvirtual) {
                let runtime = self.class_of(id).await?;
                let overrides = |c: &String| {
                    let file = self.classes.0.get(c);
                    file.is_some_and(|f| f.method(&method.name, &method.descriptor).is_some())
                };
                runs = self.supertypes(&runtime).into_iter().find(overrides).unwrap();
            }
            let names: Vec<_> = types.iter().map(Type::to_string).collect();
            let prefix =
                if runs.starts_with("shop.Outer") { String::new() } else { format!("{}.", &runs[5..]) };
            let text = format!("{prefix}{}({})", method.name, names.join(","));
            return Ok(Invoked::Returned(self.text(&text)));
        }
        if method.name == "valueOf" && types.len() == 1 && class.as_str() != "java.lang.String" {
            return Ok(Invoked::Returned(self.boxed(class, arguments[0].clone())));
        }
        let thrown = self.object("java.lang.RuntimeException", &[]);
        Ok(Invoked::Threw(thrown))
    }

    async fn new_array(&mut self, array: &String, elements: Vec<Value>) -> Result<Option<Value>, Absent> {
        Ok(Some(self.array(array, elements)))
    }

    async fn new_string(&mut self, text: &str) -> Result<Value, Absent> {
        Ok(self.text(text))
    }

    async fn is_instance(&mut self, object: ObjectId, class: &String) -> Result<bool, Absent> {
        let own = self.class_of(object).await?;
        let mut line = self.supertypes(&own);
        if own.ends_with("[]") {
            line.push("java.lang.Object".to_owned());
        }
        Ok(line.contains(class))
    }
}
