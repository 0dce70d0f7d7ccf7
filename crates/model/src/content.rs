//! What is known about an object besides its class and identity, for display to the user.

use super::value::{ObjectId, Value};
use std::sync::Arc;

/// Maximum number of elements, pairs or fields kept per object.
pub const MOST_ITEMS: usize = 16;

/// Number of hits of one point whose objects' contents are read. A point can have millions of hits.
pub const DESCRIBED_HITS: u64 = 500;
/// Maximum number of objects per hit whose contents are read.
pub const DESCRIBED_OBJECTS: usize = 24;

/// A description of an immutable object. Read once per run.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectDescription {
    /// The primitive value in a box.
    Boxed(Value),
    /// A text that represents the object: `Level.HIGH`, `BigDecimal 12.50`, `Order.class`.
    Text(Arc<str>),
    /// An `Optional` with this value.
    Optional(Value),
    /// An exception. [`crate::exception_text`] shows it.
    Exception {
        /// Its message, if it has one.
        message: Option<Arc<str>>,
        /// Its cause: itself as long as none is set.
        cause: Value,
    },
    /// The code of a lambda or method reference.
    Lambda(Arc<LambdaCode>),
}

/// The method called by a lambda or method reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LambdaCode {
    /// Binary name of its class.
    pub class: Arc<str>,
    /// Name of the method. javac names the body of a lambda `lambda$caller$0`.
    pub method: Arc<str>,
    /// Name of the source file and the first line of the body.
    pub place: Option<(Arc<str>, u32)>,
}

impl LambdaCode {
    /// Whether the method is the body of a lambda rather than the target of a method reference.
    pub fn is_body(&self) -> bool {
        self.method.starts_with("lambda$")
    }
}

/// The contents of an object when it was read. At most [`MOST_ITEMS`] items are kept.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectContents {
    /// The elements of an array or collection, in its order.
    Elements {
        /// The first elements.
        first: Vec<Value>,
        /// The number of elements.
        size: usize,
    },
    /// The entries of a map, in its order.
    Pairs {
        /// The first entries.
        first: Vec<(Value, Value)>,
        /// The number of entries.
        size: usize,
    },
    /// The fields of an object, with those of superclasses last.
    Fields {
        /// The first fields.
        first: Vec<(Arc<str>, Value)>,
        /// The number of fields.
        size: usize,
    },
    /// The characters of a string builder.
    Text(Arc<str>),
    /// A single value, such as that of an `AtomicInteger`.
    Value(Value),
}

impl ObjectContents {
    /// The values it contains.
    pub fn values(&self) -> Vec<&Value> {
        match self {
            ObjectContents::Elements { first, .. } => first.iter().collect(),
            ObjectContents::Pairs { first, .. } => {
                first.iter().flat_map(|(key, value)| [key, value]).collect()
            }
            ObjectContents::Fields { first, .. } => first.iter().map(|(_, value)| value).collect(),
            ObjectContents::Text(_) => Vec::new(),
            ObjectContents::Value(value) => vec![value],
        }
    }
}

/// The contents of several objects at one time.
pub type ContentsByObject = Vec<(ObjectId, ObjectContents)>;
