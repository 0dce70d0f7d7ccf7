//! Command set 9, `ObjectReference`: objects.

use super::class_type::{FieldValue, InvokeReply};
use super::reference_type::TypeInfo;
use crate::constants::InvokeOptions;
use crate::id::{FieldId, MethodId, ObjectId, ReferenceTypeId, ThreadId};
use crate::value::{TaggedObject, Value};

commands! {
    /// The class of the object.
    ReferenceType {
        /// The object.
        object: ObjectId,
    } -> TypeInfo;
    /// The values of fields of the object, in the requested order.
    GetValues {
        /// The object.
        object: ObjectId,
        /// The fields, declared by the object's class or a superclass.
        fields: Vec<FieldId>,
    } -> Vec<Value>;
    /// Sets fields of the object.
    SetValues {
        /// The object.
        object: ObjectId,
        /// The fields and their new values.
        values: Vec<FieldValue>,
    } -> ();
    /// The owner of the object's monitor, and the threads that wait for it. Needs `canGetMonitorInfo`.
    MonitorInfo {
        /// The object.
        object: ObjectId,
    } -> MonitorInfoReply;
    /// Calls a method of the object in a thread that an event has suspended.
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
        /// Which threads run during the call, and how the method is selected.
        options: InvokeOptions,
    } -> InvokeReply;
    /// Prevents garbage collection of the object.
    DisableCollection {
        /// The object.
        object: ObjectId,
    } -> ();
    /// Allows garbage collection of the object again.
    EnableCollection {
        /// The object.
        object: ObjectId,
    } -> ();
    /// Whether the object has been garbage collected.
    IsCollected {
        /// The object.
        object: ObjectId,
    } -> bool;
    /// The objects that refer to this one. Needs `canGetInstanceInfo`.
    ReferringObjects {
        /// The object.
        object: ObjectId,
        /// The maximum number of objects to return; zero means all.
        max_referrers: i32,
    } -> Vec<TaggedObject>;
}

records! {
    /// The state of a monitor.
    MonitorInfoReply {
        /// The thread that owns it.
        owner: Option<ThreadId>,
        /// How many times the owner has entered it.
        entry_count: i32,
        /// The threads that wait to enter it or to be notified.
        waiters: Vec<ThreadId>,
    }
}
