//! The interface between the evaluator and a run: reads, calls and class information in one frame of one
//! point.

use super::scope::{Scope, ScopeLocal};
use super::tree::EventPart;
use model::{ObjectId, Value};
use std::sync::Arc;

/// A loaded reference type.
#[derive(Clone, Debug)]
pub struct ClassInfo<C> {
    /// Binary name with dots; for an array, its element type and brackets: `pkg.Outer$Rec[]`, `int[][]`.
    pub name: Arc<str>,
    /// The superclass; `None` for `java.lang.Object` and interfaces.
    pub superclass: Option<C>,
    /// The direct superinterfaces.
    pub interfaces: Vec<C>,
    /// The fields that it declares. [`Machine::get_field`] takes an index into this list.
    pub fields: Vec<FieldInfo>,
    /// The methods that it declares. [`Machine::invoke`] takes an index into this list.
    pub methods: Vec<MethodInfo>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Its name.
    pub name: String,
    /// Its field descriptor (JVMS §4.3.2).
    pub descriptor: String,
    /// ACC_STATIC
    pub is_static: bool,
    /// Whether the source does not declare it: `this$0`, `val$x`.
    pub is_synthetic: bool,
}

impl FieldInfo {
    /// Whether it has the enclosing instance of an inner class.
    pub fn is_outer_instance(&self) -> bool {
        !self.is_static && self.is_synthetic && self.name.starts_with("this$")
    }
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// Its name.
    pub name: String,
    /// Its method descriptor (JVMS §4.3.3).
    pub descriptor: String,
    /// ACC_STATIC
    pub is_static: bool,
    /// ACC_VARARGS
    pub is_varargs: bool,
    /// ACC_ABSTRACT
    pub is_abstract: bool,
}

/// The outcome of a method call.
#[derive(Clone, Debug, PartialEq)]
pub enum Invoked {
    /// The value returned; [`Value::Void`] for a `void` method.
    Returned(Value),
    /// The exception thrown.
    Threw(Value),
}

/// One frame of one point, readable while its thread is suspended.
///
/// The futures run on one thread, so they need not be `Send`.
#[allow(async_fn_in_trait)]
pub trait Machine {
    /// A loaded class, interface or array type of this run. Classes with the same name from different loaders
    /// differ.
    type Class: Clone + Eq + std::fmt::Debug;
    /// Why a read of the debuggee failed.
    type Error: std::error::Error + 'static;

    /// Switches between the state at the beginning of the call and the current state, for `old(x)`. Returns
    /// the previous setting. `None` if this machine knows only one state; `old` is then a method of the
    /// program.
    fn look_back(&mut self, to_the_begin: bool) -> Option<bool> {
        let _ = to_the_begin;
        None
    }

    /// Whether a string exists only in the expression: a constant read from a class file. It is unknown which
    /// string of the program it is.
    fn is_made(&self, object: ObjectId) -> bool {
        let _ = object;
        false
    }

    /// The names visible in the frame.
    fn scope(&self) -> &Scope;

    /// A part of the event; `None` if the event has no such part.
    fn event_part(&self, part: EventPart) -> Option<Value>;

    /// Reads a local of the frame: [`Value::Unassigned`] outside its range.
    async fn local(&mut self, local: &ScopeLocal) -> Result<Value, Self::Error>;

    /// `this`; `None` in a static method.
    async fn this_object(&mut self) -> Result<Option<Value>, Self::Error>;

    /// The class that declares the frame's method.
    async fn frame_class(&mut self) -> Result<Self::Class, Self::Error>;

    /// The runtime class of an object.
    async fn class_of(&mut self, object: ObjectId) -> Result<Self::Class, Self::Error>;

    /// The loaded class with this name (in the form of [`ClassInfo::name`]), as visible to the frame's class
    /// loader. Called for many names that do not exist, so it should not cost a round trip each time.
    async fn find_class(&mut self, binary_name: &str) -> Result<Option<Self::Class>, Self::Error>;

    /// The `java.lang.Class` object of a class; `None` if this machine does not know it.
    async fn class_object(&mut self, class: &Self::Class) -> Result<Option<Value>, Self::Error> {
        let _ = class;
        Ok(None)
    }

    /// The classes that a simple name denotes in the frame's code outside its nest, by binary name and loaded
    /// or not; several if it is ambiguous. Empty if class files do not tell.
    fn denoted(&self, simple: &str) -> Vec<String> {
        let _ = simple;
        Vec::new()
    }

    /// The classes from which the source imports static fields or methods of this name, by binary name and
    /// loaded or not; several if a field is ambiguous.
    fn imported(&self, name: &str, is_method: bool) -> Vec<String> {
        let _ = (name, is_method);
        Vec::new()
    }

    /// The full names of classes with a simple name, for suggestions.
    fn full_names(&self, simple: &str) -> Vec<String> {
        let _ = simple;
        Vec::new()
    }

    /// The declarations of a class. Called often; implementations should cache it.
    async fn class_info(&mut self, class: &Self::Class) -> Result<Arc<ClassInfo<Self::Class>>, Self::Error>;

    /// Reads an instance field declared by `class`.
    async fn get_field(
        &mut self,
        object: ObjectId,
        class: &Self::Class,
        field: usize,
    ) -> Result<Value, Self::Error>;

    /// Reads a static field declared by `class`.
    async fn get_static(&mut self, class: &Self::Class, field: usize) -> Result<Value, Self::Error>;

    /// The length of an array.
    async fn array_length(&mut self, array: ObjectId) -> Result<i32, Self::Error>;

    /// Reads an element of an array. The index is in range.
    async fn array_get(&mut self, array: ObjectId, index: i32) -> Result<Value, Self::Error>;

    /// Calls a method declared by `class`; a static method has no target. The arguments already have the
    /// parameter types. With `nonvirtual`, calls exactly this method (`super.m()`), otherwise the override in
    /// the target's class.
    async fn invoke(
        &mut self,
        target: Option<ObjectId>,
        class: &Self::Class,
        method: usize,
        arguments: Vec<Value>,
        nonvirtual: bool,
    ) -> Result<Invoked, Self::Error>;

    /// Creates an array of this type with these elements, for a call of a variable arity method. `None` if
    /// this machine cannot create arrays.
    async fn new_array(
        &mut self,
        array: &Self::Class,
        elements: Vec<Value>,
    ) -> Result<Option<Value>, Self::Error> {
        let _ = (array, elements);
        Ok(None)
    }

    /// Creates a string.
    async fn new_string(&mut self, text: &str) -> Result<Value, Self::Error>;

    /// Whether the object is an instance of the class, interface or array type.
    async fn is_instance(&mut self, object: ObjectId, class: &Self::Class) -> Result<bool, Self::Error>;
}
