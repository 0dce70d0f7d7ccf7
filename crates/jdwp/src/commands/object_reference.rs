//! Command set 9, `ObjectReference`: objects.

use super::class_type::{FieldValue, InvokeReply};
use super::reference_type::TypeInfo;
use crate::constants::InvokeOptions;
use crate::id::{FieldId, MethodId, ObjectId, ReferenceTypeId, ThreadId};
use crate::value::{TaggedObject, Value};

commands! {
    /// The type of the object.
    ReferenceType {
        /// The object.
        object: ObjectId,
    } -> TypeInfo;
    /// The values of fields of the object, in the order asked.
    GetValues {
        /// The object.
        object: ObjectId,
        /// The fields, of its class or superclasses.
        fields: Vec<FieldId>,
    } -> Vec<Value>;
    /// Sets fields of the object.
    SetValues {
        /// The object.
        object: ObjectId,
        /// The fields and their new values.
        values: Vec<FieldValue>,
    } -> ();
    /// Who owns the object's monitor and who waits for it. Needs `canGetMonitorInfo`.
    MonitorInfo {
        /// The object.
        object: ObjectId,
    } -> MonitorInfoReply;
    /// Calls a method of the object in a thread that an event suspended.
    InvokeMethod {
        /// The object.
        object: ObjectId,
        /// The thread that makes the call.
        thread: ThreadId,
        /// The type that declares the method.
        clazz: ReferenceTypeId,
        /// The method.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// How.
        options: InvokeOptions,
    } -> InvokeReply;
    /// Keeps the object from being collected.
    DisableCollection {
        /// The object.
        object: ObjectId,
    } -> ();
    /// Lets the object be collected again.
    EnableCollection {
        /// The object.
        object: ObjectId,
    } -> ();
    /// Whether the object has been collected.
    IsCollected {
        /// The object.
        object: ObjectId,
    } -> bool;
    /// The objects that refer to this one. Needs `canGetInstanceInfo`.
    ReferringObjects {
        /// The object.
        object: ObjectId,
        /// The most to return; zero is all.
        max_referrers: i32,
    } -> Vec<TaggedObject>;
}

records! {
    /// A monitor.
    MonitorInfoReply {
        /// The thread that owns it.
        owner: Option<ThreadId>,
        /// How often the owner entered it.
        entry_count: i32,
        /// The threads that wait to enter it or to be notified.
        waiters: Vec<ThreadId>,
    }
}
