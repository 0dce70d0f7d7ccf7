//! Command set 5, `InterfaceType`: commands on interfaces only.

use super::class_type::InvokeReply;
use crate::constants::InvokeOptions;
use crate::id::{MethodId, ReferenceTypeId, ThreadId};
use crate::value::Value;

commands! {
    /// Calls a static method of the interface in a thread that an event has suspended.
    InvokeMethod {
        /// The interface.
        clazz: ReferenceTypeId,
        /// The thread that makes the call.
        thread: ThreadId,
        /// The method.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// Which threads run during the call.
        options: InvokeOptions,
    } -> InvokeReply;
}
