//! The error codes of the specification (its section "Error Constants").

use std::fmt;

/// Why the virtual machine refused a command. A number, so that codes of other versions pass through.
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
    /// The thread must be suspended for this and is not.
    THREAD_NOT_SUSPENDED = 13,
    /// The thread is already suspended.
    THREAD_SUSPENDED = 14,
    /// The thread has not started or has ended.
    THREAD_NOT_ALIVE = 15,
    /// The object was collected, or the id is of another kind or made up.
    INVALID_OBJECT = 20,
    /// The class id is not valid.
    INVALID_CLASS = 21,
    /// The class is loaded and not yet prepared.
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
    /// Nothing is known of the frame, or it does not allow this.
    OPAQUE_FRAME = 32,
    /// The operation is possible on the top frame only.
    NOT_CURRENT_FRAME = 33,
    /// The value is not of the type needed here.
    TYPE_MISMATCH = 34,
    /// The slot is not one of the frame.
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
    /// The bytes are no class file.
    INVALID_CLASS_FORMAT = 60,
    /// The new class would be its own superclass.
    CIRCULAR_CLASS_DEFINITION = 61,
    /// The verifier refused the class file.
    FAILS_VERIFICATION = 62,
    /// Redefinition cannot add methods here.
    ADD_METHOD_NOT_IMPLEMENTED = 63,
    /// Redefinition cannot change fields here.
    SCHEMA_CHANGE_NOT_IMPLEMENTED = 64,
    /// The state of the thread does not fit the redefined class.
    INVALID_TYPESTATE = 65,
    /// Redefinition cannot change supertypes here.
    HIERARCHY_CHANGE_NOT_IMPLEMENTED = 66,
    /// Redefinition cannot remove methods here.
    DELETE_METHOD_NOT_IMPLEMENTED = 67,
    /// The VM is too old for the class file (JDWP: UNSUPPORTED_VERSION).
    UNSUPPORTED_VERSION = 68,
    /// The class file names another class.
    NAMES_DONT_MATCH = 69,
    /// Redefinition cannot change the class's modifiers here.
    CLASS_MODIFIERS_CHANGE_NOT_IMPLEMENTED = 70,
    /// Redefinition cannot change a method's modifiers here.
    METHOD_MODIFIERS_CHANGE_NOT_IMPLEMENTED = 71,
    /// Redefinition cannot change the class's attributes here.
    CLASS_ATTRIBUTE_CHANGE_NOT_IMPLEMENTED = 72,
    /// The virtual machine does not implement this; see its capabilities.
    NOT_IMPLEMENTED = 99,
    /// Null where it is not allowed.
    NULL_POINTER = 100,
    /// The information is absent, for instance debug tables not compiled in.
    ABSENT_INFORMATION = 101,
    /// The event kind is not recognised.
    INVALID_EVENT_TYPE = 102,
    /// An argument is not allowed.
    ILLEGAL_ARGUMENT = 103,
    /// The virtual machine has no memory left for this.
    OUT_OF_MEMORY = 110,
    /// Debugging is not enabled.
    ACCESS_DENIED = 111,
    /// The virtual machine is not running.
    VM_DEAD = 112,
    /// An internal error occurred in the virtual machine.
    INTERNAL = 113,
    /// The thread is not attached to the virtual machine.
    UNATTACHED_THREAD = 115,
    /// The tag is no object type or primitive type.
    INVALID_TAG = 500,
    /// The last invoke of this thread has not ended.
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
    /// The method is native, which does not allow this.
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
