//! Command set 5, `InterfaceType`: what only interfaces have.

use super::class_type::InvokeReply;
use crate::constants::InvokeOptions;
use crate::id::{MethodId, ReferenceTypeId, ThreadId};
use crate::value::Value;

commands! {
    /// Calls a static method of the interface in a thread that an event suspended.
    InvokeMethod {
        /// The interface.
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
}
