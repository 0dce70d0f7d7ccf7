//! The commands of the protocol: one file per command set, one struct per command, one table of them all.
//!
//! The structs and their fields have the names of the specification. The order of the fields is the order in
//! which they are sent. [`COMMAND_SETS`] lists every command.

use crate::codec::{DecodeError, Reader, Writer};

/// Defines commands: the fields of the request, and the reply type after the arrow.
macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $t:ty,)* } -> $reply:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$fdoc])* pub $field: $t,)*
        }

        impl $crate::commands::Command for $name {
            const SET: u8 = <Self as $crate::commands::table::Numbered>::SET;
            const ID: u8 = <Self as $crate::commands::table::Numbered>::ID;
            const NAME: &'static str = <Self as $crate::commands::table::Numbered>::NAME;
            type Reply = $reply;

            fn encode(&self, _w: &mut $crate::codec::Writer<'_>) {
                $($crate::codec::Encode::encode(&self.$field, _w);)*
            }

            fn decode(r: &mut $crate::codec::Reader<'_>) -> Result<$reply, $crate::codec::DecodeError> {
                $crate::codec::Decode::decode(r)
            }
        }
    )*};
}

/// Defines the records that replies (and some commands) consist of, and their codec.
macro_rules! records {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $t:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$fdoc])* pub $field: $t,)*
        }

        impl $crate::codec::Encode for $name {
            fn encode(&self, w: &mut $crate::codec::Writer<'_>) {
                $($crate::codec::Encode::encode(&self.$field, w);)*
            }
        }

        impl $crate::codec::Decode for $name {
            fn decode(r: &mut $crate::codec::Reader<'_>) -> Result<Self, $crate::codec::DecodeError> {
                Ok(Self { $($field: $crate::codec::Decode::decode(r)?,)* })
            }
        }
    )*};
}

pub mod array_reference;
pub mod array_type;
pub mod class_loader_reference;
pub mod class_object_reference;
pub mod class_type;
pub mod event_request;
pub mod interface_type;
pub mod method;
pub mod module_reference;
pub mod object_reference;
pub mod reference_type;
pub mod stack_frame;
pub mod string_reference;
pub(crate) mod table;
pub mod thread_group_reference;
pub mod thread_reference;
pub mod virtual_machine;

pub use table::{COMMAND_SETS, CommandInfo, CommandSet};

/// A command sent by a debugger, with its reply type.
pub trait Command {
    /// The number of the command set.
    const SET: u8;
    /// The number of the command in its set.
    const ID: u8;
    /// The name of the command, as `Set.Command`.
    const NAME: &'static str;
    /// The type of the reply.
    type Reply;

    /// Appends the command's body.
    fn encode(&self, w: &mut Writer<'_>);

    /// Reads the reply's body.
    ///
    /// # Errors
    /// If the bytes do not encode such a reply.
    fn decode(r: &mut Reader<'_>) -> Result<Self::Reply, DecodeError>;
}
