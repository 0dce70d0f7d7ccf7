//! Lets conditions read a recorded call, in its state at the entry and at the end. Values are read on demand,
//! so nothing is cut off. An unknown value is an error, never a guess.

use super::library;
use super::library::RecordedObjects;
use super::plain::{class_object, plain_value, primitive};
use super::synthetic_object::SyntheticObject;
use super::unread::{Unread, not_known};
use super::unrecorded_writes::Unseen;
use crate::error::PastError;
use crate::fields::{Fields, StaticName};
use crate::heap::{ObjectPart, held};
use crate::recorded_classes::RecordedClasses;
use crate::snapshot::type_name;
use bytecode::{ClassFile, Constant};
use expr::{
    ClassInfo, ClassLookup, EventPart, FieldInfo, Invoked, Machine, MethodInfo, Scope, ScopeLocal, Type,
};
use jdk::Keeps;
use model::{JavaString, ObjectId, Tables, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use trace::{Call, Calls, CollectionContents, EventTime, Exit, Level, Traced};

/// The name of a call's result.
pub const RESULT: &str = "result";
/// The name of the exception that left a call.
pub const EXCEPTION: &str = "exception";
/// The slot of both names, which are in no slot.
pub const NO_SLOT: u16 = u16::MAX;
/// The objects that a condition creates have numbers from here on, above those of a recording.
const MADE: u64 = 1 << 32;

/// The meaning of names in a method's conditions.
pub struct Names {
    /// At the entry of a call.
    pub at_begin: Scope,
    /// At its end.
    pub at_end: Scope,
    /// The slots that the method's code writes.
    pub written: BTreeSet<u16>,
}

/// A call of a recording.
pub struct CallMachine<'a> {
    /// The recording.
    pub calls: &'a mut Calls,
    fields: &'a mut Fields,
    unseen: &'a Unseen,
    names: &'a Names,
    call: Call,
    span: (EventTime, EventTime),
    begins: bool,
    /// The variables before an event of the call, if the machine reads the state there.
    standing: Option<Vec<(String, trace::Value)>>,
    /// The arguments by slot, with the recorded names of their parameters.
    arguments: Vec<(u16, Option<String>, trace::Value)>,
    result: Type,
    /// The known outcome of the call.
    ended: Vec<(EventPart, Value)>,
    infos: HashMap<Arc<str>, Arc<ClassInfo<Arc<str>>>>,
    /// The classes that values name.
    pub tables: Tables,
    /// The objects that the condition has created.
    pub synthetic_objects: Vec<SyntheticObject>,
}

impl<'a> CallMachine<'a> {
    /// Starts with the state at the call's end.
    pub fn new(
        calls: &'a mut Calls,
        fields: &'a mut Fields,
        names: &'a Names,
        unseen: &'a Unseen,
        call: Call,
        descriptor: &str,
    ) -> Result<CallMachine<'a>, PastError> {
        let types = bytecode::descriptor::parse_method(descriptor);
        let (parameters, result) = types.map(|t| (t.parameters, t.result)).unwrap_or_default();
        let mut slot = u16::from(!names.at_begin.is_static);
        let mut arguments = Vec::new();
        let recorded = calls.method(call.node).map(|method| method.parameters.clone()).unwrap_or_default();
        for (at, (of, value)) in parameters.into_iter().zip(&call.arguments).enumerate() {
            let wide = matches!(of.as_str(), "J" | "D");
            arguments.push((slot, recorded.get(at).cloned().flatten(), *value));
            slot = slot.saturating_add(1 + u16::from(wide));
        }
        let (infos, tables, synthetic_objects) = (HashMap::new(), Tables::default(), Vec::new());
        let (begins, ended, standing) = (false, Vec::new(), None);
        let mut machine = CallMachine {
            span: calls.span(call.node)?,
            calls,
            fields,
            unseen,
            names,
            call,
            begins,
            standing,
            arguments,
            result: Type::of_descriptor(&result),
            ended,
            infos,
            tables,
            synthetic_objects,
        };
        for (part, name) in [(EventPart::Result, RESULT), (EventPart::Exception, EXCEPTION)] {
            match machine.ended(name) {
                Ok(value) => machine.ended.push((part, value)),
                Err(Unread::NotKnown(_)) => {}
                Err(Unread::Broken(error)) => return Err(*error),
            }
        }
        Ok(machine)
    }

    /// Reads the state at a time in the middle of the call, with these variables.
    #[must_use]
    pub fn standing_at(self, when: EventTime, locals: Vec<(String, trace::Value)>) -> CallMachine<'a> {
        // The call has no outcome there yet.
        CallMachine { span: (when, when), standing: Some(locals), ended: Vec::new(), ..self }
    }

    /// Reads these parts of the event that happens there.
    pub fn happens(&mut self, parts: Vec<(EventPart, Value)>) {
        self.ended = parts;
    }

    /// Whether reads return the state at the call's entry.
    pub fn stands_at_the_begin(&self) -> bool {
        self.begins
    }

    /// Selects the state that reads return: at the call's entry, or at its end.
    pub fn stand_at_the_begin(&mut self, begins: bool) {
        self.begins = begins;
    }

    fn classes(&self) -> RecordedClasses<'_> {
        RecordedClasses { pool: self.fields.pool(), calls: Some(self.calls) }
    }

    /// A class from its class file, otherwise as it was recorded.
    fn class_file(&self, class: &str) -> Result<Option<Arc<ClassFile>>, Unread> {
        if let Some(pool) = self.fields.pool()
            && let Some(found) = pool.find(class).map_err(PastError::from)?
        {
            return Ok(Some(found.file.clone()));
        }
        Ok(RecordedClasses::recorded(self.calls, class).map(Arc::new))
    }

    fn when(&self) -> EventTime {
        if self.begins { self.span.0 } else { self.span.1 }
    }

    /// The number of an object in the recording; none for an object that the condition created.
    pub fn number(id: ObjectId) -> Option<u32> {
        u32::try_from(id.0).ok()
    }

    fn synthetic_object(&self, object: ObjectId) -> Option<&SyntheticObject> {
        let at = object.0.checked_sub(MADE)?;
        self.synthetic_objects.get(usize::try_from(at).ok()?)
    }

    fn part(
        &mut self,
        object: u32,
        part: &ObjectPart,
        name: impl FnOnce() -> String,
    ) -> Result<Value, Unread> {
        let when = self.when();
        match held(self.calls, object, part, when)?.value() {
            Some(value) => self.value(value, &part.descriptor),
            None => not_known(format!("the value of `{}` was not recorded", name())),
        }
    }

    /// A parameter in the selected state.
    fn parameter(&mut self, slot: u16, name: &str) -> Result<Option<trace::Value>, Unread> {
        let found = self.arguments.iter().find(|(of, ..)| *of == slot);
        if found.is_some_and(|(_, of, _)| of.as_deref().is_some_and(|of| of != name)) {
            let why = format!(
                "`{name}` had another name when the run was recorded: the class file has changed since"
            );
            return not_known(why);
        }
        let given = found.map(|(.., value)| *value);
        if self.begins || !self.names.written.contains(&slot) {
            return Ok(given);
        }
        let node = self.call.node;
        let is_told = self.calls.method(node).is_some_and(|method| method.level == Level::All);
        if !is_told {
            return not_known(format!(
                "only level `all` records the value of `{name}` at the end: write `old({name})`"
            ));
        }
        let mut last = given;
        if let Some(entry) = self.calls.entry(node) {
            self.calls.events_after(entry, |_, seen| {
                let is_it = matches!(seen.site.what, Traced::Local { slot: of, .. } if of == slot)
                    && seen.site.written.as_ref().is_some_and(|written| written.name == name);
                if is_it {
                    last = seen.values.first().copied();
                }
                true
            })?;
        }
        Ok(last)
    }

    /// The collection in a field of a set or wrapper of the JDK, if that is where the contents are stored.
    fn stored_in(&mut self, class: &str, object: u32, field: &str) -> Result<Option<Value>, Unread> {
        let Some(Keeps::Around { field: keeps, inner, .. }) = jdk::class(class).and_then(|of| of.keeps)
        else {
            return Ok(None);
        };
        let when = self.when();
        let Some(stored) = self.calls.backing(object, when)?.filter(|_| keeps == field) else {
            return Ok(None);
        };
        let own = self.calls.objects.class(stored).map(|class| type_name(class));
        let Some(class) = own.as_deref().or(inner) else { return Ok(None) };
        Ok(Some(Value::Object { id: ObjectId(stored.into()), class: self.tables.class_key(class) }))
    }

    fn ended(&mut self, name: &str) -> Result<Value, Unread> {
        let exit = self.call.exit;
        match (name, exit, self.call.result) {
            (EXCEPTION, Exit::Returned, _) => Ok(Value::Null),
            (RESULT, Exit::Threw, _) => not_known("the call has no result, since an exception left it"),
            (EXCEPTION, Exit::Threw, Some(thrown)) => self.value(thrown, ""),
            (RESULT, Exit::Returned, Some(result)) => {
                let descriptor = self.result.descriptor().unwrap_or_default();
                self.value(result, &descriptor)
            }
            _ => not_known("the end of the call was not recorded"),
        }
    }
}

impl RecordedObjects for CallMachine<'_> {
    fn class_name(&self, object: ObjectId) -> Result<Arc<str>, Unread> {
        let Some(number) = CallMachine::number(object) else {
            return Ok(self
                .synthetic_object(object)
                .map_or("java.lang.String", SyntheticObject::class)
                .into());
        };
        match self.calls.objects.class(number) {
            Some(class) => Ok(type_name(class).into()),
            None => not_known("the class of an object was not recorded"),
        }
    }

    fn value(&mut self, value: trace::Value, descriptor: &str) -> Result<Value, Unread> {
        match plain_value(self.calls, &mut self.tables, value, descriptor) {
            Ok(value) => Ok(value),
            Err(why) => not_known(why),
        }
    }

    fn value_of(&mut self, object: ObjectId) -> Result<Value, Unread> {
        match self.synthetic_object(object) {
            Some(SyntheticObject::Text(text)) => {
                Ok(Value::Str(Arc::new(JavaString { id: object, text: text.clone() })))
            }
            Some(SyntheticObject::Box(_)) => {
                let class = self.class_name(object)?;
                Ok(Value::Object { id: object, class: self.tables.class_key(&class) })
            }
            None => self.value(trace::Value::Object(CallMachine::number(object).unwrap_or(0)), ""),
        }
    }

    fn boxed(&self, object: ObjectId) -> Result<Option<Value>, Unread> {
        let Some(number) = CallMachine::number(object) else {
            return Ok(match self.synthetic_object(object) {
                Some(SyntheticObject::Box(value)) => Some(value.clone()),
                _ => None,
            });
        };
        let class = self.class_name(object)?;
        let Some(of) = expr::Primitive::from_box(&class) else { return Ok(None) };
        let held = self.calls.objects.boxed(number, &class);
        Ok(held.map(|held| match (held, of) {
            (Value::Int(value), expr::Primitive::Byte) => Value::Byte(value as i8),
            (Value::Int(value), expr::Primitive::Short) => Value::Short(value as i16),
            (held, _) => held,
        }))
    }

    fn contents(&mut self, object: ObjectId) -> Result<CollectionContents, Unread> {
        let when = self.when();
        let number = CallMachine::number(object).unwrap_or(0);
        let told = if self.calls.has_contents(number)? { self.calls.contents(number, when)? } else { None };
        match told {
            Some(held) if !held.unsure => Ok(held),
            Some(_) => not_known("unrecorded code may have changed the collection"),
            None => {
                not_known(format!("the contents of {} were not recorded", self.calls.objects.name(number)))
            }
        }
    }

    fn built(&mut self, object: ObjectId) -> Result<String, Unread> {
        let when = self.when();
        let number = CallMachine::number(object).unwrap_or(0);
        let held = if self.calls.has_text(number)? { self.calls.text(number, when)? } else { None };
        let whole = held.filter(|held| held.is_whole() && !held.unsure).map(|held| held.text());
        // An unpaired surrogate reads as this character too.
        match whole.filter(|text| !text.contains('\u{fffd}')) {
            Some(text) => Ok(text),
            None => {
                not_known(format!("not all of the text {} was recorded", self.calls.objects.show(number)))
            }
        }
    }

    fn message(&mut self, exception: ObjectId) -> Result<Value, Unread> {
        let number = CallMachine::number(exception).unwrap_or(0);
        if !self.calls.objects.is_exception(number) {
            return not_known("the message of an exception was not recorded");
        }
        match self.calls.objects.message(number) {
            None => Ok(Value::Null),
            Some(message) if message.is_whole() => Ok(self.create(SyntheticObject::Text(message.begins))),
            Some(_) => not_known("not all of the message of an exception was recorded"),
        }
    }

    fn is_of_jdk(&self, class: &str) -> bool {
        let found = self.fields.pool().and_then(|pool| pool.find(class).ok().flatten());
        found.is_some_and(|found| found.origin.is_runtime())
    }

    fn create(&mut self, object: SyntheticObject) -> Value {
        let id = ObjectId(MADE + u64::try_from(self.synthetic_objects.len()).unwrap_or(u64::MAX - MADE));
        let class = self.tables.class_key(object.class());
        let text = match &object {
            SyntheticObject::Text(text) => Some(text.clone()),
            SyntheticObject::Box(..) => None,
        };
        self.synthetic_objects.push(object);
        match text {
            Some(text) => Value::Str(Arc::new(JavaString { id, text })),
            None => Value::Object { id, class },
        }
    }
}

impl Machine for CallMachine<'_> {
    type Class = Arc<str>;
    type Error = Unread;

    fn look_back(&mut self, to_the_begin: bool) -> Option<bool> {
        Some(std::mem::replace(&mut self.begins, to_the_begin))
    }

    fn is_made(&self, object: ObjectId) -> bool {
        self.synthetic_object(object).is_some()
    }

    fn scope(&self) -> &Scope {
        if self.begins { &self.names.at_begin } else { &self.names.at_end }
    }

    fn event_part(&self, part: EventPart) -> Option<Value> {
        self.ended.iter().find(|(of, _)| *of == part).map(|(_, value)| value.clone())
    }

    async fn local(&mut self, local: &ScopeLocal) -> Result<Value, Unread> {
        if local.slot == NO_SLOT {
            return self.ended(&local.name);
        }
        if let Some(locals) = &self.standing {
            let held = locals.iter().rev().find(|(name, _)| *name == local.name).map(|(_, value)| *value);
            return match held {
                Some(value) => self.value(value, &local.descriptor),
                None => not_known(format!("`{}` has no value here yet", local.name)),
            };
        }
        match self.parameter(local.slot, &local.name)? {
            Some(value) => self.value(value, &local.descriptor),
            None => not_known(format!("the argument `{}` was not recorded", local.name)),
        }
    }

    async fn this_object(&mut self) -> Result<Option<Value>, Unread> {
        match self.call.this {
            None => Ok(None),
            Some(0) => not_known("the object `this` was not recorded"),
            Some(this) => self.value(trace::Value::Object(this), "").map(Some),
        }
    }

    async fn frame_class(&mut self) -> Result<Arc<str>, Unread> {
        Ok(self.names.at_end.class.clone())
    }

    async fn class_of(&mut self, object: ObjectId) -> Result<Arc<str>, Unread> {
        self.class_name(object)
    }

    async fn find_class(&mut self, name: &str) -> Result<Option<Arc<str>>, Unread> {
        let element = name.trim_end_matches("[]");
        if expr::Primitive::from_keyword(element).is_some() {
            return Ok((element != name).then(|| name.into()));
        }
        Ok(self.class_file(element)?.map(|_| name.into()))
    }

    async fn class_object(&mut self, class: &Arc<str>) -> Result<Option<Value>, Unread> {
        let sites = &self.calls.sites;
        let named = sites.method(self.call.method).and_then(|method| sites.class_named(class, method));
        Ok(named.map(|class| class_object(&mut self.tables, &class)))
    }

    fn denoted(&self, simple: &str) -> Vec<String> {
        self.classes().denoted(&self.scope().class, simple)
    }

    fn imported(&self, name: &str, is_method: bool) -> Vec<String> {
        self.classes().imported(&self.scope().class, name, is_method)
    }

    fn full_names(&self, simple: &str) -> Vec<String> {
        self.fields.pool().map(|pool| pool.full_names(simple)).unwrap_or_default()
    }

    async fn class_info(&mut self, class: &Arc<str>) -> Result<Arc<ClassInfo<Arc<str>>>, Unread> {
        if let Some(known) = self.infos.get(class) {
            return Ok(known.clone());
        }
        let mut info = ClassInfo {
            name: class.clone(),
            superclass: None,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
        };
        if class.ends_with("[]") {
            info.superclass = Some("java.lang.Object".into());
        } else {
            let Some(file) = self.class_file(class)? else {
                return not_known(format!("there is no class file of {class}"));
            };
            info.superclass = file.super_name.as_deref().map(Into::into);
            info.interfaces = file.interfaces.iter().map(|name| name.as_str().into()).collect();
            let field = |field: &bytecode::Field| FieldInfo {
                name: field.name.clone(),
                descriptor: field.descriptor.clone(),
                is_static: field.is_static(),
                is_synthetic: field.is_synthetic(),
            };
            info.fields = file.fields.iter().map(field).collect();
            let method = |method: &bytecode::Method| MethodInfo {
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
                is_static: method.is_static(),
                is_varargs: false,
                is_abstract: method.access & bytecode::class::ACC_ABSTRACT != 0,
            };
            info.methods = file.methods.iter().map(method).collect();
        }
        let info = Arc::new(info);
        self.infos.insert(class.clone(), info.clone());
        Ok(info)
    }

    async fn get_field(&mut self, object: ObjectId, class: &Arc<str>, field: usize) -> Result<Value, Unread> {
        if let Some(held) = self.boxed(object)? {
            return Ok(held);
        }
        let info = self.class_info(class).await?;
        let name = info.fields.get(field).map(|field| field.name.clone()).unwrap_or_default();
        let number = CallMachine::number(object).unwrap_or(0);
        if self.is_of_jdk(class) {
            if let Some(inner) = self.stored_in(class, number, &name)? {
                return Ok(inner);
            }
            return not_known(format!("`{name}` is a field of {class}, which is not recorded"));
        }
        if let Some(who) = self.unseen.of_field(&name) {
            return not_known(format!("`{name}` may have been written by {who}, which is not recorded"));
        }
        let of = match self.calls.objects.class(number).cloned() {
            Some(own) => self.fields.of(&own, self.calls),
            None => return not_known("the class of an object was not recorded"),
        };
        match of.declared(class, &name) {
            Some(field) => {
                let part = ObjectPart::of_field(field, self.calls.was_made(number)?);
                self.part(number, &part, || name)
            }
            None => not_known(format!("the value of `{name}` was not recorded")),
        }
    }

    async fn get_static(&mut self, class: &Arc<str>, field: usize) -> Result<Value, Unread> {
        let declared = self.class_file(class)?.and_then(|file| file.fields.get(field).cloned());
        let Some(declared) = declared else { return not_known(format!("there is no class file of {class}")) };
        let name = format!("{class}.{}", declared.name);
        match declared.constant {
            Some(Constant::String(text)) => return Ok(self.create(SyntheticObject::Text(text))),
            Some(constant) => {
                let plain = match constant {
                    Constant::Int(value) => trace::Value::Int(value),
                    Constant::Long(value) => trace::Value::Long(value),
                    Constant::Float(value) => trace::Value::Float(value),
                    Constant::Double(value) => trace::Value::Double(value),
                    _ => return not_known(format!("the class file does not give the value of `{name}`")),
                };
                return Ok(primitive(plain, &declared.descriptor));
            }
            None => {}
        }
        if let Some(who) = self.unseen.of_field(&declared.name) {
            return not_known(format!("`{name}` may have been written by {who}, which is not recorded"));
        }
        let part = {
            let method = Some(self.call.method);
            let named = StaticName { class, name: &declared.name, method };
            ObjectPart::of_static_field(&named, self.fields, self.calls)
        };
        self.part(0, &part, || name)
    }

    async fn array_length(&mut self, array: ObjectId) -> Result<i32, Unread> {
        let number = CallMachine::number(array).unwrap_or(0);
        let length = self.calls.objects.length_of(number).and_then(|length| i32::try_from(length).ok());
        length.map_or_else(|| not_known("the length of an array was not recorded"), Ok)
    }

    async fn array_get(&mut self, array: ObjectId, index: i32) -> Result<Value, Unread> {
        let number = CallMachine::number(array).unwrap_or(0);
        let class = self.calls.objects.class(number).cloned();
        let (Some(class), Ok(at)) = (class, u32::try_from(index)) else {
            return not_known("the class of an array was not recorded");
        };
        let shown = self.calls.objects.name(number);
        if let Some(who) = self.unseen.of_array(&class) {
            return not_known(format!(
                "{shown}[{index}] may have been written by {who}, which is not recorded"
            ));
        }
        let part = ObjectPart::of_element(&class, at, self.calls.was_made(number)?);
        self.part(number, &part, || format!("{shown}[{index}]"))
    }

    async fn invoke(
        &mut self,
        target: Option<ObjectId>,
        class: &Arc<str>,
        method: usize,
        arguments: Vec<Value>,
        _: bool,
    ) -> Result<Invoked, Unread> {
        let info = self.class_info(class).await?;
        let Some(called) = info.methods.get(method).cloned() else {
            return not_known(format!("there is no class file of {class}"));
        };
        library::invoke(self, target, class, &called, arguments).await.map(Invoked::Returned)
    }

    async fn new_string(&mut self, text: &str) -> Result<Value, Unread> {
        Ok(self.create(SyntheticObject::Text(text.to_owned())))
    }

    async fn is_instance(&mut self, object: ObjectId, class: &Arc<str>) -> Result<bool, Unread> {
        let own = self.class_name(object)?;
        let (mut have, mut wanted) = (&*own, &**class);
        // Arrays are covariant (JLS §4.10.3): compare their element types.
        while let (Some(inner), Some(of)) = (have.strip_suffix("[]"), wanted.strip_suffix("[]")) {
            (have, wanted) = (inner, of);
        }
        if have.ends_with("[]") {
            return Ok(matches!(wanted, "java.lang.Object" | "java.lang.Cloneable" | "java.io.Serializable"));
        }
        if expr::Primitive::from_keyword(have).is_some() {
            return Ok(have == wanted);
        }
        let mut names: Vec<Arc<str>> = vec![have.into()];
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            at += 1;
            if *name == *wanted {
                return Ok(true);
            }
            let info = self.class_info(&name).await?;
            for above in info.superclass.iter().chain(&info.interfaces) {
                if !names.contains(above) {
                    names.push(above.clone());
                }
            }
        }
        Ok(wanted == "java.lang.Object")
    }
}
