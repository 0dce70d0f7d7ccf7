//! The constants of the specification: tags, event kinds, suspend policies, states and bit sets.

use crate::codec::{Decode, DecodeError, Encode, Reader, Writer};

macro_rules! byte_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$vdoc])* $variant = $value,)*
        }

        impl $name {
            /// All constants, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The constant with this number.
            pub const fn from_raw(raw: u8) -> Option<Self> {
                match raw {
                    $($value => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The constant's number.
            pub const fn raw(self) -> u8 {
                self as u8
            }
        }

        impl Encode for $name {
            fn encode(&self, w: &mut Writer<'_>) {
                w.byte(self.raw());
            }
        }

        impl Decode for $name {
            fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let raw = r.byte()?;
                Self::from_raw(raw)
                    .ok_or(DecodeError::UnknownConstant { what: stringify!($name), value: raw.into() })
            }
        }
    };
}

byte_enum! {
    /// The type of a value ("Tag Constants").
    Tag {
        /// An array.
        Array = b'[',
        /// `byte`.
        Byte = b'B',
        /// `char`.
        Char = b'C',
        /// An object of no special kind.
        Object = b'L',
        /// `float`.
        Float = b'F',
        /// `double`.
        Double = b'D',
        /// `int`.
        Int = b'I',
        /// `long`.
        Long = b'J',
        /// `short`.
        Short = b'S',
        /// `void`: no value.
        Void = b'V',
        /// `boolean`.
        Boolean = b'Z',
        /// A `java.lang.String`.
        String = b's',
        /// A `java.lang.Thread`.
        Thread = b't',
        /// A `java.lang.ThreadGroup`.
        ThreadGroup = b'g',
        /// A `java.lang.ClassLoader`.
        ClassLoader = b'l',
        /// A `java.lang.Class`.
        ClassObject = b'c',
    }
}

impl Tag {
    /// Whether values with this tag are objects (arrays among them) or null.
    pub const fn is_object(self) -> bool {
        matches!(
            self,
            Self::Array
                | Self::Object
                | Self::String
                | Self::Thread
                | Self::ThreadGroup
                | Self::ClassLoader
                | Self::ClassObject
        )
    }

    /// The tag for values of a type, by the first character of its JNI signature, as `StackFrame.GetValues`
    /// needs it for a slot. `None` if the text is not the signature of a field type.
    pub fn of_signature(signature: &str) -> Option<Self> {
        match signature.as_bytes().first()? {
            b'[' => Some(Self::Array),
            b'L' => Some(Self::Object),
            first => Self::from_raw(*first).filter(|tag| !tag.is_object()),
        }
    }
}

byte_enum! {
    /// The kind of a reference type ("TypeTag Constants").
    TypeTag {
        /// A class.
        Class = 1,
        /// An interface.
        Interface = 2,
        /// An array type.
        Array = 3,
    }
}

byte_enum! {
    /// The kind of an event ("EventKind Constants"). No virtual machine sends those marked "Never sent".
    EventKind {
        /// A step completed.
        SingleStep = 1,
        /// A breakpoint was hit.
        Breakpoint = 2,
        /// A frame was popped. Never sent.
        FramePop = 3,
        /// An exception was thrown.
        Exception = 4,
        /// Never sent.
        UserDefined = 5,
        /// A thread started.
        ThreadStart = 6,
        /// A thread ended.
        ThreadDeath = 7,
        /// A class was prepared.
        ClassPrepare = 8,
        /// A class was unloaded.
        ClassUnload = 9,
        /// A class was loaded. Never sent.
        ClassLoad = 10,
        /// A watched field is about to be read.
        FieldAccess = 20,
        /// A watched field is about to be written.
        FieldModification = 21,
        /// An exception was caught. Never sent.
        ExceptionCatch = 30,
        /// A method was entered.
        MethodEntry = 40,
        /// A method is about to return.
        MethodExit = 41,
        /// A method is about to return; the event carries the value.
        MethodExitWithReturnValue = 42,
        /// A thread waits for a monitor that another one owns.
        MonitorContendedEnter = 43,
        /// A thread entered a monitor after waiting for it.
        MonitorContendedEntered = 44,
        /// A thread is about to `wait` on a monitor.
        MonitorWait = 45,
        /// A thread's `wait` ended.
        MonitorWaited = 46,
        /// The virtual machine started.
        VmStart = 90,
        /// The virtual machine is about to end.
        VmDeath = 99,
        /// The connection ended. Never sent.
        VmDisconnected = 100,
    }
}

byte_enum! {
    /// Which threads an event suspends ("SuspendPolicy Constants").
    SuspendPolicy {
        /// No thread.
        None = 0,
        /// The thread of the event.
        EventThread = 1,
        /// All threads.
        All = 2,
    }
}

macro_rules! int_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
            /// A number that the specification does not define.
            Other(i32),
        }

        impl From<i32> for $name {
            fn from(raw: i32) -> Self {
                match raw {
                    $($value => Self::$variant,)*
                    other => Self::Other(other),
                }
            }
        }

        impl From<$name> for i32 {
            fn from(value: $name) -> i32 {
                match value {
                    $($name::$variant => $value,)*
                    $name::Other(other) => other,
                }
            }
        }

        impl Encode for $name {
            fn encode(&self, w: &mut Writer<'_>) {
                i32::from(*self).encode(w);
            }
        }

        impl Decode for $name {
            fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                i32::decode(r).map(Self::from)
            }
        }
    };
}

int_enum! {
    /// What a thread is doing ("ThreadStatus Constants").
    ThreadStatus {
        /// It has ended.
        Zombie = 0,
        /// It is running or runnable.
        Running = 1,
        /// It is in `Thread.sleep`.
        Sleeping = 2,
        /// It waits to enter a monitor.
        Monitor = 3,
        /// It is in `Object.wait`, parked, or not started yet.
        Wait = 4,
    }
}

int_enum! {
    /// How large a step is ("StepSize Constants").
    StepSize {
        /// One instruction, or the smallest possible step.
        Min = 0,
        /// To the next line, if there are line numbers.
        Line = 1,
    }
}

int_enum! {
    /// Into which frames a step goes ("StepDepth Constants").
    StepDepth {
        /// Into the methods called.
        Into = 0,
        /// Over the methods called.
        Over = 1,
        /// Out of the current method.
        Out = 2,
    }
}

macro_rules! bits {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $constant:ident = $value:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            $($(#[$vdoc])* pub const $constant: Self = Self($value);)*

            /// Whether all bits of `other` are set.
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl Encode for $name {
            fn encode(&self, w: &mut Writer<'_>) {
                self.0.encode(w);
            }
        }

        impl Decode for $name {
            fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                u32::decode(r).map(Self)
            }
        }
    };
}

bits! {
    /// The status of a class ("ClassStatus Constants"). Zero for array and primitive types.
    ClassStatus {
        /// Verified.
        VERIFIED = 1,
        /// Prepared: its fields and methods are known.
        PREPARED = 2,
        /// Initialised: its static initialiser has completed.
        INITIALIZED = 4,
        /// Its initialisation failed.
        ERROR = 8,
    }
}

bits! {
    /// How a method is invoked ("InvokeOptions Constants"). Zero resumes all threads during the call.
    InvokeOptions {
        /// Resume only the invoking thread.
        SINGLE_THREADED = 1,
        /// Invoke exactly the given method, without virtual dispatch.
        NONVIRTUAL = 2,
    }
}

bits! {
    /// Whether a thread is suspended ("SuspendStatus Constants").
    SuspendStatus {
        /// Suspended, by the debugger or by an event.
        SUSPENDED = 1,
    }
}
