//! What the evaluator asks of a run: reads, calls and class information at one frame of one point.

use super::scope::{Scope, ScopeLocal};
use super::tree::EventPart;
use crate::model::{ObjectId, Value};
use std::sync::Arc;

/// A loaded reference type as the evaluator sees it.
#[derive(Clone, Debug)]
pub struct ClassInfo<C> {
    /// Binary name with dots; an array by its element and brackets: `pkg.Outer$Rec[]`, `int[][]`.
    pub name: Arc<str>,
    /// The superclass; none for `java.lang.Object` and interfaces.
    pub superclass: Option<C>,
    /// The direct superinterfaces.
    pub interfaces: Vec<C>,
    /// The fields it declares itself. The index in this list is what [`Machine::get_field`] is given.
    pub fields: Vec<FieldInfo>,
    /// The methods it declares itself. The index in this list is what [`Machine::invoke`] is given.
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

/// How a called method ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Invoked {
    /// It returned this; [`Value::Void`] for a `void` method.
    Returned(Value),
    /// It threw this.
    Threw(Value),
}

/// One frame of one point, readable while its thread is suspended.
///
/// The futures run on one thread, so they need not be `Send`.
#[allow(async_fn_in_trait)]
pub trait Machine {
    /// A loaded class, interface or array type of this run; two loaders' classes of one name differ.
    type Class: Clone + Eq + std::fmt::Debug;
    /// Why a read of the debuggee failed.
    type Error: std::error::Error + 'static;

    /// From now on everything is what it was as the call began, or what it is; told is which of these it was
    /// until now. None if this machine knows one time only: then `old` is a method of the program.
    fn look_back(&mut self, to_the_begin: bool) -> Option<bool> {
        let _ = to_the_begin;
        None
    }

    /// Whether only the expression has this string: a constant that was read from a class file. Which string
    /// of the program that is, nobody knows.
    fn is_made(&self, object: ObjectId) -> bool {
        let _ = object;
        false
    }

    /// What is visible at the frame.
    fn scope(&self) -> &Scope;

    /// What the event knows; none if it has no such part.
    fn event_part(&self, part: EventPart) -> Option<Value>;

    /// Reads a local of the frame: [`Value::Unassigned`] outside its range.
    async fn local(&mut self, local: &ScopeLocal) -> Result<Value, Self::Error>;

    /// `this`; none in a static method.
    async fn this_object(&mut self) -> Result<Option<Value>, Self::Error>;

    /// The class that declares the frame's method.
    async fn frame_class(&mut self) -> Result<Self::Class, Self::Error>;

    /// The runtime class of an object.
    async fn class_of(&mut self, object: ObjectId) -> Result<Self::Class, Self::Error>;

    /// The loaded class of that name (written as [`ClassInfo::name`]) as the frame's loader sees it. It is
    /// asked for many names that do not exist, so this should not cost a round trip each time.
    async fn find_class(&mut self, binary_name: &str) -> Result<Option<Self::Class>, Self::Error>;

    /// What the class declares. Asked often; should be kept.
    async fn class_info(&mut self, class: &Self::Class) -> Result<Arc<ClassInfo<Self::Class>>, Self::Error>;

    /// Reads an instance field that `class` declares.
    async fn get_field(
        &mut self,
        object: ObjectId,
        class: &Self::Class,
        field: usize,
    ) -> Result<Value, Self::Error>;

    /// Reads a static field that `class` declares.
    async fn get_static(&mut self, class: &Self::Class, field: usize) -> Result<Value, Self::Error>;

    /// The length of an array.
    async fn array_length(&mut self, array: ObjectId) -> Result<i32, Self::Error>;

    /// An element of an array; the index is inside it.
    async fn array_get(&mut self, array: ObjectId, index: i32) -> Result<Value, Self::Error>;

    /// Calls a method that `class` declares, static without a target. The arguments already have the
    /// parameters' types. With `nonvirtual` exactly this method is called (`super.m()`), else the target's
    /// override of it.
    async fn invoke(
        &mut self,
        target: Option<ObjectId>,
        class: &Self::Class,
        method: usize,
        arguments: Vec<Value>,
        nonvirtual: bool,
    ) -> Result<Invoked, Self::Error>;

    /// A new array of that type, filled with the elements: for a call of a method of variable arity. None if
    /// this machine makes no arrays.
    async fn new_array(
        &mut self,
        array: &Self::Class,
        elements: Vec<Value>,
    ) -> Result<Option<Value>, Self::Error> {
        let _ = (array, elements);
        Ok(None)
    }

    /// A new string.
    async fn new_string(&mut self, text: &str) -> Result<Value, Self::Error>;

    /// Whether the object is an instance of the class, interface or array type.
    async fn is_instance(&mut self, object: ObjectId, class: &Self::Class) -> Result<bool, Self::Error>;
}
