//! Modifiers: the conditions of an event request (`EventRequest.Set`).

use crate::codec::{Encode, Writer};
use crate::constants::{StepDepth, StepSize};
use crate::id::{FieldId, ObjectId, ReferenceTypeId, ThreadId};
use crate::value::Location;

/// One condition on the events of a request. The virtual machine applies modifiers in the given order.
///
/// A class pattern is an exact name, or a name that begins or ends with `*`: `java.*`, `*.Foo`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// Report only the `n`th event that satisfies the preceding modifiers, then no more.
    Count(i32),
    /// Reserved by the specification.
    Conditional(i32),
    /// Only in this thread.
    ThreadOnly(ThreadId),
    /// Only in this type or its subtypes.
    ClassOnly(ReferenceTypeId),
    /// Only in types whose name matches the pattern.
    ClassMatch(String),
    /// Only in types whose name does not match the pattern.
    ClassExclude(String),
    /// Only at this location.
    LocationOnly(Location),
    /// Only these exceptions.
    ExceptionOnly {
        /// The exception's class or a superclass; `None` means all exceptions.
        class: Option<ReferenceTypeId>,
        /// Report caught exceptions.
        caught: bool,
        /// Report uncaught exceptions.
        uncaught: bool,
    },
    /// Only this field.
    FieldOnly {
        /// The type that declares the field.
        declaring: ReferenceTypeId,
        /// The field.
        field: FieldId,
    },
    /// Makes the request a step request. A thread can have only one.
    Step {
        /// The thread.
        thread: ThreadId,
        /// The size of the step.
        size: StepSize,
        /// The frames that it enters.
        depth: StepDepth,
    },
    /// Only with this object as `this`; `None` for static methods. For field events HotSpot compares the
    /// object that holds the field; `None` for static fields.
    InstanceOnly(Option<ObjectId>),
    /// Only prepared classes with a matching source name (JSR-45). Needs `canUseSourceNameFilters`.
    SourceNameMatch(String),
    /// Only platform threads, for thread start and death events. Since JDK 21.
    PlatformThreadsOnly,
}

impl Modifier {
    /// The modifier's number in the specification.
    pub const fn kind(&self) -> u8 {
        match self {
            Self::Count(_) => 1,
            Self::Conditional(_) => 2,
            Self::ThreadOnly(_) => 3,
            Self::ClassOnly(_) => 4,
            Self::ClassMatch(_) => 5,
            Self::ClassExclude(_) => 6,
            Self::LocationOnly(_) => 7,
            Self::ExceptionOnly { .. } => 8,
            Self::FieldOnly { .. } => 9,
            Self::Step { .. } => 10,
            Self::InstanceOnly(_) => 11,
            Self::SourceNameMatch(_) => 12,
            Self::PlatformThreadsOnly => 13,
        }
    }
}

impl Encode for Modifier {
    fn encode(&self, w: &mut Writer<'_>) {
        w.byte(self.kind());
        match self {
            Self::Count(number) | Self::Conditional(number) => number.encode(w),
            Self::ThreadOnly(thread) => thread.encode(w),
            Self::ClassOnly(class) => class.encode(w),
            Self::ClassMatch(pattern) | Self::ClassExclude(pattern) | Self::SourceNameMatch(pattern) => {
                pattern.encode(w);
            }
            Self::LocationOnly(location) => location.encode(w),
            Self::ExceptionOnly { class, caught, uncaught } => {
                class.encode(w);
                caught.encode(w);
                uncaught.encode(w);
            }
            Self::FieldOnly { declaring, field } => {
                declaring.encode(w);
                field.encode(w);
            }
            Self::Step { thread, size, depth } => {
                thread.encode(w);
                size.encode(w);
                depth.encode(w);
            }
            Self::InstanceOnly(instance) => instance.encode(w),
            Self::PlatformThreadsOnly => {}
        }
    }
}
