//! Command set 3, `ClassType`: what only classes have.

use crate::codec::{Encode, Writer};
use crate::constants::InvokeOptions;
use crate::id::{FieldId, MethodId, ReferenceTypeId, ThreadId};
use crate::value::{TaggedObject, UntaggedValue, Value};

commands! {
    /// The class's superclass; `None` for `java.lang.Object`.
    Superclass {
        /// The class.
        clazz: ReferenceTypeId,
    } -> Option<ReferenceTypeId>;
    /// Sets static fields of the class.
    SetValues {
        /// The class.
        clazz: ReferenceTypeId,
        /// The fields and their new values.
        values: Vec<FieldValue>,
    } -> ();
    /// Calls a static method in a thread that an event suspended.
    InvokeMethod {
        /// The class, or one of its superclasses that declares the method.
        clazz: ReferenceTypeId,
        /// The thread that makes the call.
        thread: ThreadId,
        /// The method.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// How.
        options: InvokeOptions,
    } -> InvokeReply;
    /// Makes an object and calls a constructor in a thread that an event suspended.
    NewInstance {
        /// The class.
        clazz: ReferenceTypeId,
        /// The thread that makes the call.
        thread: ThreadId,
        /// The constructor.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// How.
        options: InvokeOptions,
    } -> NewInstanceReply;
}

records! {
    /// How a call ended.
    InvokeReply {
        /// What it returned, if it threw nothing.
        return_value: Value,
        /// What it threw, if anything.
        exception: Option<TaggedObject>,
    }
    /// How a construction ended.
    NewInstanceReply {
        /// The object, if nothing was thrown.
        new_object: Option<TaggedObject>,
        /// What was thrown, if anything.
        exception: Option<TaggedObject>,
    }
}

/// A field and its new value, which must have the field's type: the protocol sends it without a tag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldValue {
    /// The field.
    pub field: FieldId,
    /// Its new value.
    pub value: UntaggedValue,
}

impl Encode for FieldValue {
    fn encode(&self, w: &mut Writer<'_>) {
        self.field.encode(w);
        self.value.encode(w);
    }
}
