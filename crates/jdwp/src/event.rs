//! Events, as the virtual machine reports them (`Event.Composite`).

use crate::codec::{Decode, DecodeError, Encode, Reader, Writer};
use crate::constants::{ClassStatus, EventKind, SuspendPolicy, TypeTag};
use crate::id::{FieldId, ReferenceTypeId, ThreadId};
use crate::value::{Location, TaggedObject, Value};

/// The number of an event request, as returned by `EventRequest.Set`. Zero for events that nobody requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RequestId(pub i32);

impl Encode for RequestId {
    fn encode(&self, w: &mut Writer<'_>) {
        self.0.encode(w);
    }
}

impl Decode for RequestId {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        i32::decode(r).map(Self)
    }
}

/// Events that occurred together, at one location in one thread.
#[derive(Debug, Clone, PartialEq)]
pub struct EventSet {
    /// Which threads the events suspended.
    pub policy: SuspendPolicy,
    /// The events, in the order sent.
    pub events: Vec<Event>,
}

impl Encode for EventSet {
    fn encode(&self, w: &mut Writer<'_>) {
        self.policy.encode(w);
        self.events.encode(w);
    }
}

impl Decode for EventSet {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { policy: Decode::decode(r)?, events: Decode::decode(r)? })
    }
}

/// Generates the enum, its accessors and its codec from one list; the order of the fields is the wire order.
macro_rules! events {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $t:ty,)* })*) => {
        /// One event. `request` is the request that caused it, or zero.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            $($(#[$doc])* $name {
                /// The request that caused the event, or zero.
                request: RequestId,
                $($(#[$fdoc])* $field: $t,)*
            },)*
        }

        impl Event {
            /// The kinds of event a virtual machine sends.
            pub const KINDS: &'static [EventKind] = &[$(EventKind::$name),*];

            /// The kind of the event.
            pub const fn kind(&self) -> EventKind {
                match self {
                    $(Self::$name { .. } => EventKind::$name,)*
                }
            }

            /// The request that caused the event, or zero.
            pub const fn request(&self) -> RequestId {
                match self {
                    $(Self::$name { request, .. } => *request,)*
                }
            }
        }

        impl Encode for Event {
            fn encode(&self, w: &mut Writer<'_>) {
                self.kind().encode(w);
                match self {
                    $(Self::$name { request, $($field),* } => {
                        request.encode(w);
                        $($field.encode(w);)*
                    })*
                }
            }
        }

        impl Decode for Event {
            fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                match EventKind::decode(r)? {
                    $(EventKind::$name => Ok(Self::$name {
                        request: Decode::decode(r)?,
                        $($field: Decode::decode(r)?,)*
                    }),)*
                    // The specification does not define their layout, so the rest of the packet cannot be
                    // read.
                    never_sent => Err(DecodeError::UnknownConstant {
                        what: "EventKind with a known layout",
                        value: never_sent.raw().into(),
                    }),
                }
            }
        }
    };
}

events! {
    /// The virtual machine has started; no application code has run.
    VmStart {
        /// The initial thread.
        thread: ThreadId,
    }
    /// A step has completed; the instruction at `location` has not executed.
    SingleStep {
        /// The thread that stepped.
        thread: ThreadId,
        /// The new location.
        location: Location,
    }
    /// A breakpoint was hit; the instruction at `location` has not executed.
    Breakpoint {
        /// The thread that hit it.
        thread: ThreadId,
        /// The location of the breakpoint.
        location: Location,
    }
    /// A method was entered; none of its code has executed.
    MethodEntry {
        /// The thread.
        thread: ThreadId,
        /// The method's first instruction.
        location: Location,
    }
    /// A method is about to return normally.
    MethodExit {
        /// The thread.
        thread: ThreadId,
        /// The last instruction executed.
        location: Location,
    }
    /// A method is about to return normally.
    MethodExitWithReturnValue {
        /// The thread.
        thread: ThreadId,
        /// The last instruction executed.
        location: Location,
        /// The value returned.
        value: Value,
    }
    /// A thread tries to enter a monitor that another thread owns.
    MonitorContendedEnter {
        /// The thread that waits.
        thread: ThreadId,
        /// The monitor.
        object: TaggedObject,
        /// Where it waits; `None` without a frame, for example while joining a thread that ends.
        location: Option<Location>,
    }
    /// A thread entered a monitor after waiting for it.
    MonitorContendedEntered {
        /// The thread that entered.
        thread: ThreadId,
        /// The monitor.
        object: TaggedObject,
        /// Where it waited; `None` without a frame, for example while joining a thread that ends.
        location: Option<Location>,
    }
    /// A thread is about to wait on a monitor.
    MonitorWait {
        /// The thread.
        thread: ThreadId,
        /// The monitor.
        object: TaggedObject,
        /// Where it will wait.
        location: Location,
        /// The timeout in milliseconds; zero means no timeout.
        timeout: i64,
    }
    /// A thread has finished waiting on a monitor.
    MonitorWaited {
        /// The thread.
        thread: ThreadId,
        /// The monitor.
        object: TaggedObject,
        /// Where it waited.
        location: Location,
        /// Whether the timeout expired.
        timed_out: bool,
    }
    /// An exception was thrown.
    Exception {
        /// The thread.
        thread: ThreadId,
        /// The throwing instruction, or the first location outside native code after it.
        location: Location,
        /// The exception.
        exception: TaggedObject,
        /// Where it will be caught, if known; native code in between can still catch it.
        catch_location: Option<Location>,
    }
    /// A thread has started.
    ThreadStart {
        /// The thread.
        thread: ThreadId,
    }
    /// A thread is about to end.
    ThreadDeath {
        /// The thread.
        thread: ThreadId,
    }
    /// A class was prepared; none of its code has executed.
    ClassPrepare {
        /// The thread that caused it; `None` in the rare case that it is a thread of the debugger agent.
        thread: Option<ThreadId>,
        /// The kind of `type_id`.
        type_tag: TypeTag,
        /// The type.
        type_id: ReferenceTypeId,
        /// Its JNI signature.
        signature: String,
        /// Its status.
        status: ClassStatus,
    }
    /// A class was unloaded.
    ClassUnload {
        /// Its JNI signature.
        signature: String,
    }
    /// A watched field is about to be read.
    FieldAccess {
        /// The thread.
        thread: ThreadId,
        /// The reading instruction.
        location: Location,
        /// The kind of `type_id`.
        type_tag: TypeTag,
        /// The type that declares the field.
        type_id: ReferenceTypeId,
        /// The field.
        field: FieldId,
        /// The object; `None` if the field is static.
        object: Option<TaggedObject>,
    }
    /// A watched field is about to be written.
    FieldModification {
        /// The thread.
        thread: ThreadId,
        /// The writing instruction.
        location: Location,
        /// The kind of `type_id`.
        type_tag: TypeTag,
        /// The type that declares the field.
        type_id: ReferenceTypeId,
        /// The field.
        field: FieldId,
        /// The object; `None` if the field is static.
        object: Option<TaggedObject>,
        /// The value to be written.
        value: Value,
    }
    /// The virtual machine is about to end.
    VmDeath {}
}

impl Event {
    /// The thread of the event, for kinds that have one.
    pub const fn thread(&self) -> Option<ThreadId> {
        match self {
            Self::VmStart { thread, .. }
            | Self::SingleStep { thread, .. }
            | Self::Breakpoint { thread, .. }
            | Self::MethodEntry { thread, .. }
            | Self::MethodExit { thread, .. }
            | Self::MethodExitWithReturnValue { thread, .. }
            | Self::MonitorContendedEnter { thread, .. }
            | Self::MonitorContendedEntered { thread, .. }
            | Self::MonitorWait { thread, .. }
            | Self::MonitorWaited { thread, .. }
            | Self::Exception { thread, .. }
            | Self::ThreadStart { thread, .. }
            | Self::ThreadDeath { thread, .. }
            | Self::FieldAccess { thread, .. }
            | Self::FieldModification { thread, .. } => Some(*thread),
            Self::ClassPrepare { thread, .. } => *thread,
            Self::ClassUnload { .. } | Self::VmDeath { .. } => None,
        }
    }

    /// The location of the event, for kinds that have one.
    pub const fn location(&self) -> Option<Location> {
        match self {
            Self::SingleStep { location, .. }
            | Self::Breakpoint { location, .. }
            | Self::MethodEntry { location, .. }
            | Self::MethodExit { location, .. }
            | Self::MethodExitWithReturnValue { location, .. }
            | Self::MonitorWait { location, .. }
            | Self::MonitorWaited { location, .. }
            | Self::Exception { location, .. }
            | Self::FieldAccess { location, .. }
            | Self::FieldModification { location, .. } => Some(*location),
            Self::MonitorContendedEnter { location, .. } | Self::MonitorContendedEntered { location, .. } => {
                *location
            }
            Self::VmStart { .. }
            | Self::ThreadStart { .. }
            | Self::ThreadDeath { .. }
            | Self::ClassPrepare { .. }
            | Self::ClassUnload { .. }
            | Self::VmDeath { .. } => None,
        }
    }

    /// The memory that the event occupies, in bytes; counts towards the limit of the event queue.
    pub(crate) fn weight(&self) -> usize {
        let text = match self {
            Self::ClassPrepare { signature, .. } | Self::ClassUnload { signature, .. } => signature.len(),
            _ => 0,
        };
        size_of::<Self>() + text
    }
}
