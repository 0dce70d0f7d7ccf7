//! Values (tagged, untagged and in arrays), and code locations.

use crate::codec::{Decode, DecodeError, Encode, Reader, Writer};
use crate::constants::{Tag, TypeTag};
use crate::id::{MethodId, ObjectId, ReferenceTypeId};

/// A value of the program: a primitive, an object or null.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A `boolean`.
    Boolean(bool),
    /// A `byte`.
    Byte(i8),
    /// A `char`: one UTF-16 unit.
    Char(u16),
    /// A `short`.
    Short(i16),
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float`. Its bits are exactly those sent, for NaN too.
    Float(f32),
    /// A `double`. Its bits are exactly those sent, for NaN too.
    Double(f64),
    /// No value: the result of a `void` method.
    Void,
    /// An object, or null.
    Object {
        /// The kind of object: one of the tags for which [`Tag::is_object`] holds.
        tag: Tag,
        /// The object; `None` means null.
        id: Option<ObjectId>,
    },
}

impl Value {
    /// Null.
    pub const NULL: Self = Self::Object { tag: Tag::Object, id: None };

    /// The value's tag.
    pub const fn tag(self) -> Tag {
        match self {
            Self::Boolean(_) => Tag::Boolean,
            Self::Byte(_) => Tag::Byte,
            Self::Char(_) => Tag::Char,
            Self::Short(_) => Tag::Short,
            Self::Int(_) => Tag::Int,
            Self::Long(_) => Tag::Long,
            Self::Float(_) => Tag::Float,
            Self::Double(_) => Tag::Double,
            Self::Void => Tag::Void,
            Self::Object { tag, .. } => tag,
        }
    }

    /// The object, if the value is one.
    pub const fn object(self) -> Option<ObjectId> {
        match self {
            Self::Object { id, .. } => id,
            _ => None,
        }
    }

    /// Reads an untagged value of the type `tag`.
    ///
    /// # Errors
    /// If the bytes end inside the value.
    pub fn decode_untagged(tag: Tag, r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(match tag {
            Tag::Boolean => Self::Boolean(Decode::decode(r)?),
            Tag::Byte => Self::Byte(Decode::decode(r)?),
            Tag::Char => Self::Char(Decode::decode(r)?),
            Tag::Short => Self::Short(Decode::decode(r)?),
            Tag::Int => Self::Int(Decode::decode(r)?),
            Tag::Long => Self::Long(Decode::decode(r)?),
            Tag::Float => Self::Float(Decode::decode(r)?),
            Tag::Double => Self::Double(Decode::decode(r)?),
            Tag::Void => Self::Void,
            Tag::Array
            | Tag::Object
            | Tag::String
            | Tag::Thread
            | Tag::ThreadGroup
            | Tag::ClassLoader
            | Tag::ClassObject => Self::Object { tag, id: Decode::decode(r)? },
        })
    }

    /// Writes the value without its tag.
    pub fn encode_untagged(&self, w: &mut Writer<'_>) {
        match self {
            Self::Boolean(value) => value.encode(w),
            Self::Byte(value) => value.encode(w),
            Self::Char(value) => value.encode(w),
            Self::Short(value) => value.encode(w),
            Self::Int(value) => value.encode(w),
            Self::Long(value) => value.encode(w),
            Self::Float(value) => value.encode(w),
            Self::Double(value) => value.encode(w),
            Self::Void => {}
            Self::Object { id, .. } => id.encode(w),
        }
    }
}

impl Encode for Value {
    fn encode(&self, w: &mut Writer<'_>) {
        self.tag().encode(w);
        self.encode_untagged(w);
    }
}

impl Decode for Value {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let tag = Tag::decode(r)?;
        Self::decode_untagged(tag, r)
    }
}

/// A value sent without its tag, because the virtual machine knows the type of the field or array. The caller
/// must ensure that the value has that type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UntaggedValue(pub Value);

impl From<Value> for UntaggedValue {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl Encode for UntaggedValue {
    fn encode(&self, w: &mut Writer<'_>) {
        self.0.encode_untagged(w);
    }
}

/// An object and its kind. `Option<TaggedObject>` is an object or null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaggedObject {
    /// The kind of object.
    pub tag: Tag,
    /// The object.
    pub id: ObjectId,
}

impl From<TaggedObject> for Value {
    fn from(object: TaggedObject) -> Self {
        Self::Object { tag: object.tag, id: Some(object.id) }
    }
}

impl Encode for TaggedObject {
    fn encode(&self, w: &mut Writer<'_>) {
        self.tag.encode(w);
        self.id.encode(w);
    }
}

impl Decode for TaggedObject {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Option::<Self>::decode(r)?.ok_or(DecodeError::UnexpectedNull("tagged object"))
    }
}

impl Encode for Option<TaggedObject> {
    fn encode(&self, w: &mut Writer<'_>) {
        match self {
            Some(object) => object.encode(w),
            None => Value::NULL.encode(w),
        }
    }
}

impl Decode for Option<TaggedObject> {
    /// Null can have any tag, even zero.
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let raw = r.byte()?;
        let Some(id) = Option::<ObjectId>::decode(r)? else { return Ok(None) };
        match Tag::from_raw(raw).filter(|tag| tag.is_object()) {
            Some(tag) => Ok(Some(TaggedObject { tag, id })),
            None => Err(DecodeError::UnknownConstant { what: "Tag of an object", value: raw.into() }),
        }
    }
}

/// Consecutive array elements ("typed-sequence").
#[derive(Debug, Clone, PartialEq)]
pub enum ArrayRegion {
    /// Elements of a `boolean[]`.
    Boolean(Vec<bool>),
    /// Elements of a `byte[]`.
    Byte(Vec<i8>),
    /// Elements of a `char[]`.
    Char(Vec<u16>),
    /// Elements of a `short[]`.
    Short(Vec<i16>),
    /// Elements of an `int[]`.
    Int(Vec<i32>),
    /// Elements of a `long[]`.
    Long(Vec<i64>),
    /// Elements of a `float[]`.
    Float(Vec<f32>),
    /// Elements of a `double[]`.
    Double(Vec<f64>),
    /// Elements of an array of objects. Each has its own tag.
    Object {
        /// The tag of the array's elements.
        tag: Tag,
        /// The elements.
        values: Vec<Value>,
    },
}

impl ArrayRegion {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::Boolean(values) => values.len(),
            Self::Byte(values) => values.len(),
            Self::Char(values) => values.len(),
            Self::Short(values) => values.len(),
            Self::Int(values) => values.len(),
            Self::Long(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Double(values) => values.len(),
            Self::Object { values, .. } => values.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`, counted from the start of this region.
    pub fn get(&self, index: usize) -> Option<Value> {
        match self {
            Self::Boolean(values) => values.get(index).copied().map(Value::Boolean),
            Self::Byte(values) => values.get(index).copied().map(Value::Byte),
            Self::Char(values) => values.get(index).copied().map(Value::Char),
            Self::Short(values) => values.get(index).copied().map(Value::Short),
            Self::Int(values) => values.get(index).copied().map(Value::Int),
            Self::Long(values) => values.get(index).copied().map(Value::Long),
            Self::Float(values) => values.get(index).copied().map(Value::Float),
            Self::Double(values) => values.get(index).copied().map(Value::Double),
            Self::Object { values, .. } => values.get(index).copied(),
        }
    }

    /// The elements in order.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl Encode for ArrayRegion {
    fn encode(&self, w: &mut Writer<'_>) {
        fn run<T: Encode>(tag: Tag, values: &Vec<T>, w: &mut Writer<'_>) {
            tag.encode(w);
            values.encode(w);
        }
        match self {
            Self::Boolean(values) => run(Tag::Boolean, values, w),
            Self::Byte(values) => run(Tag::Byte, values, w),
            Self::Char(values) => run(Tag::Char, values, w),
            Self::Short(values) => run(Tag::Short, values, w),
            Self::Int(values) => run(Tag::Int, values, w),
            Self::Long(values) => run(Tag::Long, values, w),
            Self::Float(values) => run(Tag::Float, values, w),
            Self::Double(values) => run(Tag::Double, values, w),
            Self::Object { tag, values } => run(*tag, values, w),
        }
    }
}

impl Decode for ArrayRegion {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(match Tag::decode(r)? {
            Tag::Boolean => Self::Boolean(Decode::decode(r)?),
            Tag::Byte => Self::Byte(Decode::decode(r)?),
            Tag::Char => Self::Char(Decode::decode(r)?),
            Tag::Short => Self::Short(Decode::decode(r)?),
            Tag::Int => Self::Int(Decode::decode(r)?),
            Tag::Long => Self::Long(Decode::decode(r)?),
            Tag::Float => Self::Float(Decode::decode(r)?),
            Tag::Double => Self::Double(Decode::decode(r)?),
            tag if tag.is_object() => Self::Object { tag, values: Decode::decode(r)? },
            tag => {
                return Err(DecodeError::UnknownConstant {
                    what: "Tag of an array element",
                    value: tag.raw().into(),
                });
            }
        })
    }
}

/// A code location. `Option<Location>` may be absent (all zero on the wire).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The kind of `class`.
    pub type_tag: TypeTag,
    /// The type that declares the method.
    pub class: ReferenceTypeId,
    /// The method.
    pub method: MethodId,
    /// The index of the instruction: its byte offset in the method's code, or all ones in a native method.
    pub index: u64,
}

impl Encode for Location {
    fn encode(&self, w: &mut Writer<'_>) {
        self.type_tag.encode(w);
        self.class.encode(w);
        self.method.encode(w);
        self.index.encode(w);
    }
}

impl Decode for Location {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Option::<Self>::decode(r)?.ok_or(DecodeError::UnexpectedNull("location"))
    }
}

impl Encode for Option<Location> {
    fn encode(&self, w: &mut Writer<'_>) {
        match self {
            Some(location) => location.encode(w),
            None => {
                w.byte(0);
                None::<ReferenceTypeId>.encode(w);
                MethodId::new(0).encode(w);
                0u64.encode(w);
            }
        }
    }
}

impl Decode for Option<Location> {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let raw = r.byte()?;
        let class = Option::<ReferenceTypeId>::decode(r)?;
        let method = MethodId::decode(r)?;
        let index = u64::decode(r)?;
        let Some(class) = class else { return Ok(None) };
        match TypeTag::from_raw(raw) {
            Some(type_tag) => Ok(Some(Location { type_tag, class, method, index })),
            None => Err(DecodeError::UnknownConstant { what: "TypeTag", value: raw.into() }),
        }
    }
}
