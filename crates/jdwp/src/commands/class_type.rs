//! Command set 3, `ClassType`: commands on classes only.

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
    /// Calls a static method in a thread that an event has suspended.
    InvokeMethod {
        /// The class, or one of its superclasses that declares the method.
        clazz: ReferenceTypeId,
        /// The thread that makes the call.
        thread: ThreadId,
        /// The method.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// Which threads run during the call, and how the method is selected.
        options: InvokeOptions,
    } -> InvokeReply;
    /// Creates an object and calls a constructor in a thread that an event has suspended.
    NewInstance {
        /// The class.
        clazz: ReferenceTypeId,
        /// The thread that makes the call.
        thread: ThreadId,
        /// The constructor.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// Which threads run during the call.
        options: InvokeOptions,
    } -> NewInstanceReply;
}

records! {
    /// The outcome of a call.
    InvokeReply {
        /// The value returned, if nothing was thrown.
        return_value: Value,
        /// The exception thrown, if any.
        exception: Option<TaggedObject>,
    }
    /// The outcome of a constructor call.
    NewInstanceReply {
        /// The object, if nothing was thrown.
        new_object: Option<TaggedObject>,
        /// The exception thrown, if any.
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
