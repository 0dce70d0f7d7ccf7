//! Modifiers: what narrows an event request (`EventRequest.Set`).

use crate::codec::{Encode, Writer};
use crate::constants::{StepDepth, StepSize};
use crate::id::{FieldId, ObjectId, ReferenceTypeId, ThreadId};
use crate::value::Location;

/// One condition on the events of a request. Modifiers apply in the order they are given.
///
/// A class pattern is an exact name, or one that begins or ends with `*`: `java.*`, `*.Foo`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// Report the `n`th event that gets here, and then no more.
    Count(i32),
    /// Reserved by the specification.
    Conditional(i32),
    /// In this thread.
    ThreadOnly(ThreadId),
    /// In this type or its subtypes.
    ClassOnly(ReferenceTypeId),
    /// In types whose name matches the pattern.
    ClassMatch(String),
    /// In types whose name does not match the pattern.
    ClassExclude(String),
    /// At this place.
    LocationOnly(Location),
    /// Of exceptions.
    ExceptionOnly {
        /// The exception's class, or a superclass; `None` is all.
        class: Option<ReferenceTypeId>,
        /// Report those that will be caught.
        caught: bool,
        /// Report those that will not be caught.
        uncaught: bool,
    },
    /// Of this field.
    FieldOnly {
        /// The type that declares the field.
        declaring: ReferenceTypeId,
        /// The field.
        field: FieldId,
    },
    /// Of steps. A thread has at most one step request.
    Step {
        /// The thread.
        thread: ThreadId,
        /// How far.
        size: StepSize,
        /// Into which frames.
        depth: StepDepth,
    },
    /// With this object as `this`; `None` for static methods. For field events HotSpot compares the object
    /// whose field it is instead; `None` for static fields.
    InstanceOnly(Option<ObjectId>),
    /// Of prepared classes with a matching source name (JSR-45). Needs `canUseSourceNameFilters`.
    SourceNameMatch(String),
    /// Of platform threads: no virtual ones (thread starts and deaths; since JDK 21).
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
