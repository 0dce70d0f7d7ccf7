//! The error codes of the specification (its section "Error Constants").

use std::fmt;

/// The reason why the virtual machine refused a command. Kept as a number, so that codes of other versions
/// pass through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorCode(pub u16);

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        impl ErrorCode {
            $($(#[$doc])* pub const $name: Self = Self($code);)*

            /// The specification's name of the code, if it has one.
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($code => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

error_codes! {
    /// No error has occurred.
    NONE = 0,
    /// The thread is null, is not a thread or has exited.
    INVALID_THREAD = 10,
    /// The thread group is not valid.
    INVALID_THREAD_GROUP = 11,
    /// The priority is not valid.
    INVALID_PRIORITY = 12,
    /// The operation needs a suspended thread, and this thread is running.
    THREAD_NOT_SUSPENDED = 13,
    /// The thread is already suspended.
    THREAD_SUSPENDED = 14,
    /// The thread has not started or has ended.
    THREAD_NOT_ALIVE = 15,
    /// The object was collected, or the id is invalid or of another kind.
    INVALID_OBJECT = 20,
    /// The class id is not valid.
    INVALID_CLASS = 21,
    /// The class is loaded but not yet prepared.
    CLASS_NOT_PREPARED = 22,
    /// The method id is not valid.
    INVALID_METHODID = 23,
    /// The location is not valid.
    INVALID_LOCATION = 24,
    /// The field id is not valid.
    INVALID_FIELDID = 25,
    /// The frame id is not valid: its thread has been resumed since, or is not suspended.
    INVALID_FRAMEID = 30,
    /// There are no more frames on the stack.
    NO_MORE_FRAMES = 31,
    /// The frame gives no information, or does not support the operation.
    OPAQUE_FRAME = 32,
    /// The operation is possible only on the top frame.
    NOT_CURRENT_FRAME = 33,
    /// The value does not have the required type.
    TYPE_MISMATCH = 34,
    /// The frame has no such slot.
    INVALID_SLOT = 35,
    /// The item is already set.
    DUPLICATE = 40,
    /// The element was not found.
    NOT_FOUND = 41,
    /// The module is not valid.
    INVALID_MODULE = 42,
    /// The monitor is not valid.
    INVALID_MONITOR = 50,
    /// The thread does not own the monitor.
    NOT_MONITOR_OWNER = 51,
    /// The call was interrupted.
    INTERRUPT = 52,
    /// The bytes are not a class file.
    INVALID_CLASS_FORMAT = 60,
    /// The new class would be its own superclass.
    CIRCULAR_CLASS_DEFINITION = 61,
    /// The verifier refused the class file.
    FAILS_VERIFICATION = 62,
    /// Redefinition cannot add methods in this virtual machine.
    ADD_METHOD_NOT_IMPLEMENTED = 63,
    /// Redefinition cannot change fields in this virtual machine.
    SCHEMA_CHANGE_NOT_IMPLEMENTED = 64,
    /// The state of the thread does not fit the redefined class.
    INVALID_TYPESTATE = 65,
    /// Redefinition cannot change supertypes in this virtual machine.
    HIERARCHY_CHANGE_NOT_IMPLEMENTED = 66,
    /// Redefinition cannot remove methods in this virtual machine.
    DELETE_METHOD_NOT_IMPLEMENTED = 67,
    /// The virtual machine does not support the version of the class file.
    UNSUPPORTED_VERSION = 68,
    /// The class file defines a class of another name.
    NAMES_DONT_MATCH = 69,
    /// Redefinition cannot change the class's modifiers in this virtual machine.
    CLASS_MODIFIERS_CHANGE_NOT_IMPLEMENTED = 70,
    /// Redefinition cannot change a method's modifiers in this virtual machine.
    METHOD_MODIFIERS_CHANGE_NOT_IMPLEMENTED = 71,
    /// Redefinition cannot change the class's attributes in this virtual machine.
    CLASS_ATTRIBUTE_CHANGE_NOT_IMPLEMENTED = 72,
    /// The virtual machine does not implement this; see its capabilities.
    NOT_IMPLEMENTED = 99,
    /// A null value where none is allowed.
    NULL_POINTER = 100,
    /// The information is absent, for example debug tables that were not compiled in.
    ABSENT_INFORMATION = 101,
    /// The event kind is not recognised.
    INVALID_EVENT_TYPE = 102,
    /// An argument is not valid.
    ILLEGAL_ARGUMENT = 103,
    /// The virtual machine is out of memory.
    OUT_OF_MEMORY = 110,
    /// Debugging is not enabled.
    ACCESS_DENIED = 111,
    /// The virtual machine is not running.
    VM_DEAD = 112,
    /// An internal error occurred in the virtual machine.
    INTERNAL = 113,
    /// The thread is not attached to the virtual machine.
    UNATTACHED_THREAD = 115,
    /// The tag is neither an object type nor a primitive type.
    INVALID_TAG = 500,
    /// The previous invocation in this thread has not ended.
    ALREADY_INVOKING = 502,
    /// The index is not valid.
    INVALID_INDEX = 503,
    /// The length is not valid.
    INVALID_LENGTH = 504,
    /// The string is not valid.
    INVALID_STRING = 506,
    /// The class loader is not valid.
    INVALID_CLASS_LOADER = 507,
    /// The array is not valid.
    INVALID_ARRAY = 508,
    /// The transport could not be loaded.
    TRANSPORT_LOAD = 509,
    /// The transport could not be initialised.
    TRANSPORT_INIT = 510,
    /// The operation does not support native methods.
    NATIVE_METHOD = 511,
    /// The count is not valid.
    INVALID_COUNT = 512,
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "error {}", self.0),
        }
    }
}
