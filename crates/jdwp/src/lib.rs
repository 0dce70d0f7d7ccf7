#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod codec;
pub mod commands;
mod connection;
mod constants;
mod error;
mod error_code;
mod event;
mod handshake;
mod id;
mod modifier;
mod options;
mod packet;
mod reader;
mod state;
pub mod text;
mod top_frame;
mod value;

pub use codec::{DecodeError, EncodeError};
pub use commands::Command;
pub use connection::{Connection, Events, Pending};
pub use constants::{
    ClassStatus, EventKind, InvokeOptions, StepDepth, StepSize, SuspendPolicy, SuspendStatus, Tag,
    ThreadStatus, TypeTag,
};
pub use error::{ClosedBy, Error, HandshakeError, MalformedPacket};
pub use error_code::ErrorCode;
pub use event::{Event, EventSet, RequestId};
pub use id::{
    ArrayId, ClassLoaderId, ClassObjectId, FieldId, FrameId, IdSize, IdSizes, MethodId, ModuleId, ObjectId,
    ReferenceTypeId, StringId, ThreadGroupId, ThreadId,
};
pub use modifier::Modifier;
pub use options::Options;
pub use text::JavaString;
pub use top_frame::TopFrames;
pub use value::{ArrayRegion, Location, TaggedObject, UntaggedValue, Value};
