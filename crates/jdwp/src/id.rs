//! Ids of the virtual machine's objects, types, methods, fields and frames.
//!
//! Each kind of id has its own type. On the wire an id has the size that the virtual machine announced
//! ([`IdSizes`]). Zero stands for null, which is `None` here wherever the specification allows it.

use crate::codec::{Decode, DecodeError, Encode, Reader, Writer};

/// The size of one kind of id on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdSize {
    /// Two bytes.
    Two,
    /// Four bytes.
    Four,
    /// Eight bytes.
    Eight,
}

impl IdSize {
    /// The size of `bytes` bytes; `None` unless that is 2, 4 or 8.
    pub fn from_bytes(bytes: i32) -> Option<Self> {
        match bytes {
            2 => Some(Self::Two),
            4 => Some(Self::Four),
            8 => Some(Self::Eight),
            _ => None,
        }
    }

    /// The number of bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// The id sizes of one connection, as negotiated by `VirtualMachine.IDSizes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdSizes {
    /// Size of a [`FieldId`].
    pub field: IdSize,
    /// Size of a [`MethodId`].
    pub method: IdSize,
    /// Size of an [`ObjectId`] and of its kinds: threads, strings, arrays, loaders and modules.
    pub object: IdSize,
    /// Size of a [`ReferenceTypeId`].
    pub reference_type: IdSize,
    /// Size of a [`FrameId`].
    pub frame: IdSize,
}

impl IdSizes {
    /// The same size for every kind.
    pub const fn all(size: IdSize) -> Self {
        Self { field: size, method: size, object: size, reference_type: size, frame: size }
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $size:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u64);

        impl $name {
            /// The id with this number.
            pub const fn new(raw: u64) -> Self {
                Self(raw)
            }

            /// The id's number.
            pub const fn raw(self) -> u64 {
                self.0
            }
        }

        impl Encode for $name {
            fn encode(&self, w: &mut Writer<'_>) {
                let size = w.sizes().$size;
                w.id(self.0, size);
            }
        }
    };
}

/// Ids for which zero means null. Decoding null fails where the specification does not allow it, and gives
/// `None` elsewhere.
macro_rules! nullable_id {
    ($(#[$doc:meta])* $name:ident, $size:ident) => {
        id!($(#[$doc])* $name, $size);

        impl Decode for $name {
            fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Option::<Self>::decode(r)?.ok_or(DecodeError::UnexpectedNull(stringify!($name)))
            }
        }

        impl Encode for Option<$name> {
            fn encode(&self, w: &mut Writer<'_>) {
                self.unwrap_or($name(0)).encode(w);
            }
        }

        impl Decode for Option<$name> {
            fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let size = r.sizes().$size;
                Ok(match r.id(size)? {
                    0 => None,
                    raw => Some($name(raw)),
                })
            }
        }
    };
}

/// Ids for which zero is an ordinary value.
macro_rules! plain_id {
    ($(#[$doc:meta])* $name:ident, $size:ident) => {
        id!($(#[$doc])* $name, $size);

        impl Decode for $name {
            fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let size = r.sizes().$size;
                r.id(size).map($name)
            }
        }
    };
}

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident) => {
        nullable_id!($(#[$doc])* $name, object);

        impl From<$name> for ObjectId {
            fn from(id: $name) -> ObjectId {
                ObjectId(id.0)
            }
        }

        impl $name {
            /// Converts the id of an object to this kind. The virtual machine checks the kind when the id is
            /// used.
            pub const fn of(object: ObjectId) -> Self {
                Self(object.0)
            }
        }
    };
}

nullable_id!(
    /// Any object.
    ObjectId,
    object
);
object_id!(
    /// A `java.lang.Thread`.
    ThreadId
);
object_id!(
    /// A `java.lang.ThreadGroup`.
    ThreadGroupId
);
object_id!(
    /// A `java.lang.String`.
    StringId
);
object_id!(
    /// A `java.lang.ClassLoader`. `None` is the bootstrap loader.
    ClassLoaderId
);
object_id!(
    /// A `java.lang.Class`.
    ClassObjectId
);
object_id!(
    /// An array.
    ArrayId
);
object_id!(
    /// A `java.lang.Module`.
    ModuleId
);
nullable_id!(
    /// A class, interface or array type. Its `java.lang.Class` object has a [`ClassObjectId`].
    ReferenceTypeId,
    reference_type
);
plain_id!(
    /// A method or constructor, within its declaring type. Zero for an obsolete method, which a redefinition
    /// has replaced.
    MethodId,
    method
);
plain_id!(
    /// A field, within its declaring type.
    FieldId,
    field
);
plain_id!(
    /// A frame of a suspended thread. It becomes invalid when the thread is resumed.
    FrameId,
    frame
);
