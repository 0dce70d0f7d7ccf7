//! Evaluates expressions in one frame of a stopped thread through JDWP.
//!
//! Calling a method lets the thread run. Interruptions during the call are not occurrences (DESIGN §5.15).

use super::error::RunError;
use super::loaded::{DeclaredMethod, LoadedField, LoadedMethod, LoadedVariable};
use super::stop::Stop;
use super::vm::{ACC_ABSTRACT, ACC_VARARGS, to_wire};
use super::watched::Watched;
use expr::{ClassInfo, EventPart, FieldInfo, Invoked, Machine, MethodInfo, Scope, ScopeLocal};
use jdwp::commands::{array_reference, array_type, class_type, object_reference, reference_type};
use jdwp::commands::{stack_frame, virtual_machine};
use jdwp::{ArrayId, FrameId, InvokeOptions, Location, ReferenceTypeId, Tag};
use model::{ObjectId, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A frame of a stopped thread.
pub struct FrameMachine<'a> {
    watched: &'a mut Watched,
    stop: &'a mut Stop,
    frame: usize,
    location: Location,
    scope: Scope,
    infos: HashMap<ReferenceTypeId, Arc<ClassInfo<ReferenceTypeId>>>,
    absent: HashSet<String>,
}

/// The names in scope at an index of a method.
pub fn scope_at(method: &LoadedMethod, index: u64) -> Scope {
    let local = |v: &LoadedVariable| ScopeLocal {
        name: v.name.to_string(),
        descriptor: v.descriptor.to_string(),
        slot: v.slot,
    };
    let locals: Vec<ScopeLocal> = method.visible(index).into_iter().map(local).collect();
    let is_copied = method.copied.iter().any(|range| range.contains(&index));
    Scope {
        of_copied: if is_copied { ScopeLocal::of_copied(&locals) } else { Vec::new() },
        class: method.name.class.clone(),
        is_static: method.is_static,
        locals,
        has_variable_table: method.variables.is_some(),
    }
}

impl<'a> FrameMachine<'a> {
    /// The frame with an index as in references; `None` if the stack has no such frame.
    pub async fn new(
        watched: &'a mut Watched,
        stop: &'a mut Stop,
        frame: i32,
    ) -> Result<Option<FrameMachine<'a>>, RunError> {
        let (index, location) = if frame == 0 {
            (0, stop.location)
        } else {
            let Some(index) = stop.frame_index(&mut watched.vm, frame).await? else { return Ok(None) };
            match stop.frames(&mut watched.vm).await?.get(index) {
                Some(frame) => (index, frame.location),
                None => return Ok(None),
            }
        };
        let method = watched.vm.method(location.class, location.method).await?;
        let scope = scope_at(&method, location.index);
        let (infos, absent) = (HashMap::new(), HashSet::new());
        Ok(Some(FrameMachine { watched, stop, frame: index, location, scope, infos, absent }))
    }

    async fn frame_id(&mut self) -> Result<FrameId, RunError> {
        let id = match self.frame {
            0 => self.stop.newest(&self.watched.vm).await?,
            older => self.stop.frames(&mut self.watched.vm).await?.get(older).map(|f| f.frame_id),
        };
        id.ok_or(jdwp::Error::VmDead.into())
    }

    async fn value(&mut self, raw: jdwp::Value) -> Result<Value, RunError> {
        self.watched.vm.value(&mut self.watched.tables, raw).await
    }

    async fn only(&mut self, raw: Vec<jdwp::Value>) -> Result<Value, RunError> {
        match raw.into_iter().next() {
            Some(raw) => self.value(raw).await,
            None => Ok(Value::Null),
        }
    }
}

/// The JDWP id of an object.
pub fn wire_id(object: ObjectId) -> jdwp::ObjectId {
    jdwp::ObjectId::new(object.0)
}

impl Machine for FrameMachine<'_> {
    type Class = ReferenceTypeId;
    type Error = RunError;

    fn scope(&self) -> &Scope {
        &self.scope
    }

    fn event_part(&self, part: EventPart) -> Option<Value> {
        self.stop.parts.get(part)
    }

    async fn local(&mut self, local: &ScopeLocal) -> Result<Value, RunError> {
        if self.frame == 0
            && let Some(raw) = self.stop.local(i32::from(local.slot))
        {
            return self.value(raw).await;
        }
        let sigbyte = Tag::of_signature(&local.descriptor).unwrap_or(Tag::Object);
        let slots = vec![stack_frame::Slot { slot: i32::from(local.slot), sigbyte }];
        let frame = self.frame_id().await?;
        let thread = self.stop.thread;
        match self.watched.vm.conn().send(stack_frame::GetValues { thread, frame, slots }).await {
            Ok(raw) => self.only(raw).await,
            Err(e) if e.is_fatal() => Err(e.into()),
            Err(_) => Ok(Value::Unassigned),
        }
    }

    async fn this_object(&mut self) -> Result<Option<Value>, RunError> {
        let frame = self.frame_id().await?;
        let ask = stack_frame::ThisObject { thread: self.stop.thread, frame };
        match self.watched.vm.conn().send(ask).await? {
            Some(object) => Ok(Some(self.value(object.into()).await?)),
            None => Ok(None),
        }
    }

    async fn frame_class(&mut self) -> Result<ReferenceTypeId, RunError> {
        Ok(self.location.class)
    }

    async fn class_of(&mut self, object: ObjectId) -> Result<ReferenceTypeId, RunError> {
        let ask = object_reference::ReferenceType { object: wire_id(object) };
        Ok(self.watched.vm.conn().send(ask).await?.type_id)
    }

    async fn find_class(&mut self, name: &str) -> Result<Option<ReferenceTypeId>, RunError> {
        // In its own code, the name of a hidden class means that class. Other code cannot name it.
        if *self.watched.vm.class(self.location.class).await?.name == *name {
            return Ok(Some(self.location.class));
        }
        if self.absent.contains(name) {
            return Ok(None);
        }
        let found = self.watched.vm.classes_named(name).await?;
        match found.as_slice() {
            [] => {
                self.absent.insert(name.to_owned());
                Ok(None)
            }
            [one] => Ok(Some(*one)),
            several => self.watched.vm.seen_from(self.location.class, several).await,
        }
    }

    async fn class_object(&mut self, class: &ReferenceTypeId) -> Result<Option<Value>, RunError> {
        let raw = self.watched.vm.class_object(*class).await?;
        self.value(raw).await.map(Some)
    }

    fn denoted(&self, simple: &str) -> Vec<String> {
        self.watched.pool().denoted(&self.scope.class, simple).to_vec()
    }

    fn imported(&self, name: &str, is_method: bool) -> Vec<String> {
        self.watched.pool().imported(&self.scope.class, name, is_method).to_vec()
    }

    fn full_names(&self, simple: &str) -> Vec<String> {
        self.watched.pool().full_names(simple)
    }

    async fn class_info(
        &mut self,
        class: &ReferenceTypeId,
    ) -> Result<Arc<ClassInfo<ReferenceTypeId>>, RunError> {
        if let Some(info) = self.infos.get(class) {
            return Ok(info.clone());
        }
        let loaded = self.watched.vm.class(*class).await?;
        let field = |f: &LoadedField| FieldInfo {
            name: f.name.clone(),
            descriptor: f.descriptor.clone(),
            is_static: f.is_static,
            is_synthetic: f.is_synthetic,
        };
        let method = |m: &DeclaredMethod| MethodInfo {
            name: m.name.clone(),
            descriptor: m.descriptor.clone(),
            is_static: m.access & super::vm::ACC_STATIC != 0,
            is_varargs: m.access & ACC_VARARGS != 0,
            is_abstract: m.access & ACC_ABSTRACT != 0,
        };
        let info = Arc::new(ClassInfo {
            name: loaded.name.clone(),
            superclass: loaded.superclass,
            interfaces: loaded.interfaces.clone(),
            fields: loaded.fields.iter().map(field).collect(),
            methods: loaded.methods.iter().map(method).collect(),
        });
        self.infos.insert(*class, info.clone());
        Ok(info)
    }

    async fn get_field(
        &mut self,
        object: ObjectId,
        class: &ReferenceTypeId,
        field: usize,
    ) -> Result<Value, RunError> {
        let loaded = self.watched.vm.class(*class).await?;
        let fields: Vec<_> = loaded.fields.get(field).map(|f| f.id).into_iter().collect();
        let ask = object_reference::GetValues { object: wire_id(object), fields };
        let raw = self.watched.vm.conn().send(ask).await?;
        self.only(raw).await
    }

    async fn get_static(&mut self, class: &ReferenceTypeId, field: usize) -> Result<Value, RunError> {
        let loaded = self.watched.vm.class(*class).await?;
        let fields: Vec<_> = loaded.fields.get(field).map(|f| f.id).into_iter().collect();
        let raw = self.watched.vm.conn().send(reference_type::GetValues { ref_type: *class, fields }).await?;
        self.only(raw).await
    }

    async fn array_length(&mut self, array: ObjectId) -> Result<i32, RunError> {
        let array_object = ArrayId::of(wire_id(array));
        Ok(self.watched.vm.conn().send(array_reference::Length { array_object }).await?)
    }

    async fn array_get(&mut self, array: ObjectId, index: i32) -> Result<Value, RunError> {
        let array_object = ArrayId::of(wire_id(array));
        let ask = array_reference::GetValues { array_object, first_index: index, length: 1 };
        let region = self.watched.vm.conn().send(ask).await?;
        self.only(region.iter().collect()).await
    }

    async fn invoke(
        &mut self,
        target: Option<ObjectId>,
        class: &ReferenceTypeId,
        method: usize,
        arguments: Vec<Value>,
        nonvirtual: bool,
    ) -> Result<Invoked, RunError> {
        let loaded = self.watched.vm.class(*class).await?;
        let Some(id) = loaded.methods.get(method).map(|m| m.id) else {
            return Err(jdwp::Error::VmDead.into());
        };
        let thread = self.stop.thread;
        let arguments = arguments.iter().map(to_wire).collect();
        let mut options = InvokeOptions::SINGLE_THREADED;
        if nonvirtual {
            options = options | InvokeOptions::NONVIRTUAL;
        }
        super::probes::quiet(self.watched, self.stop, true).await?;
        let conn = self.watched.vm.conn().clone();
        let pending = match target {
            Some(object) => conn.send(object_reference::InvokeMethod {
                object: wire_id(object),
                thread,
                clazz: *class,
                method: id,
                arguments,
                options,
            }),
            None => {
                conn.send(class_type::InvokeMethod { clazz: *class, thread, method: id, arguments, options })
            }
        };
        let reply = self.watched.while_running(thread, pending).await?;
        self.stop.ran();
        super::probes::quiet(self.watched, self.stop, false).await?;
        match reply.exception {
            Some(thrown) => Ok(Invoked::Threw(self.value(thrown.into()).await?)),
            None => Ok(Invoked::Returned(self.value(reply.return_value).await?)),
        }
    }

    async fn new_array(
        &mut self,
        array: &ReferenceTypeId,
        elements: Vec<Value>,
    ) -> Result<Option<Value>, RunError> {
        let conn = self.watched.vm.conn().clone();
        let length = i32::try_from(elements.len()).unwrap_or(i32::MAX);
        let made = conn.send(array_type::NewInstance { arr_type: *array, length }).await?;
        let values = elements.iter().map(|v| to_wire(v).into()).collect();
        let array_object = ArrayId::of(made.id);
        conn.send(array_reference::SetValues { array_object, first_index: 0, values }).await?;
        Ok(Some(self.value(made.into()).await?))
    }

    async fn new_string(&mut self, text: &str) -> Result<Value, RunError> {
        let made = self.watched.vm.conn().send(virtual_machine::CreateString { utf: text.into() }).await?;
        self.value(jdwp::Value::Object { tag: Tag::String, id: Some(made.into()) }).await
    }

    async fn is_instance(&mut self, object: ObjectId, class: &ReferenceTypeId) -> Result<bool, RunError> {
        let mut have = self.class_of(object).await?;
        let mut have_name = self.watched.vm.class(have).await?.name.to_string();
        let mut want_name = self.watched.vm.class(*class).await?.name.to_string();
        // Arrays are covariant (JLS §4.10.3): compare their element types.
        let arrays = have_name.ends_with("[]") && want_name.ends_with("[]");
        while let (Some(h), Some(w)) = (have_name.strip_suffix("[]"), want_name.strip_suffix("[]")) {
            (have_name, want_name) = (h.to_owned(), w.to_owned());
        }
        if have_name.ends_with("[]") {
            return Ok(matches!(
                &*want_name,
                "java.lang.Object" | "java.lang.Cloneable" | "java.io.Serializable"
            ));
        }
        if arrays {
            match self.find_class(&have_name).await? {
                Some(element) => have = element,
                None => return Ok(have_name == want_name),
            }
        }
        let (mut next, mut seen) = (vec![have], HashSet::new());
        while let Some(at) = next.pop() {
            if at == *class {
                return Ok(true);
            }
            if !seen.insert(at) {
                continue;
            }
            let loaded = self.watched.vm.class(at).await?;
            if arrays && *loaded.name == *want_name {
                return Ok(true);
            }
            next.extend(loaded.superclass.into_iter().chain(loaded.interfaces.iter().copied()));
        }
        Ok(arrays && want_name == "java.lang.Object")
    }
}
