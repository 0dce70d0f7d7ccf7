//! What is known of an object beside its class and identity, so that a person can judge it.

use super::value::{ObjectId, Value};
use std::sync::Arc;

/// Most elements, pairs or fields that are kept of one object.
pub const MOST_ITEMS: usize = 16;

/// What an object is. It never changes, so it is read once per run.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// The primitive value in a box.
    Boxed(Value),
    /// A text that stands for the object: `Level.HIGH`, `BigDecimal 12.50`, `Order.class`.
    Text(Arc<str>),
    /// An `Optional` that holds this value.
    Optional(Value),
    /// The message of an exception.
    Message(Arc<str>),
    /// The code of a lambda or method reference.
    Lambda(Arc<LambdaCode>),
}

/// The method that a lambda or a method reference calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LambdaCode {
    /// Binary name of its class.
    pub class: Arc<str>,
    /// Name of the method; javac calls the body of a lambda `lambda$caller$0`.
    pub method: Arc<str>,
    /// Name of the source file and the first line of the body.
    pub place: Option<(Arc<str>, u32)>,
}

impl LambdaCode {
    /// Whether the method is the body of a lambda; otherwise it is what a method reference names.
    pub fn is_body(&self) -> bool {
        self.method.starts_with("lambda$")
    }
}

/// What an object held when it was read. At most [`MOST_ITEMS`] parts are kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    /// The elements of an array or a collection, in its order.
    Elements {
        /// The first of them.
        first: Vec<Value>,
        /// How many there are.
        size: usize,
    },
    /// The pairs of a map, in its order.
    Pairs {
        /// The first of them.
        first: Vec<(Value, Value)>,
        /// How many there are.
        size: usize,
    },
    /// The fields of an object, those of its superclasses last.
    Fields {
        /// The first of them.
        first: Vec<(Arc<str>, Value)>,
        /// How many there are.
        size: usize,
    },
    /// The characters of a string builder.
    Text(Arc<str>),
    /// One value, such as that of an `AtomicInteger`.
    Value(Value),
}

impl Held {
    /// The values in it.
    pub fn values(&self) -> Vec<&Value> {
        match self {
            Held::Elements { first, .. } => first.iter().collect(),
            Held::Pairs { first, .. } => first.iter().flat_map(|(key, value)| [key, value]).collect(),
            Held::Fields { first, .. } => first.iter().map(|(_, value)| value).collect(),
            Held::Text(_) => Vec::new(),
            Held::Value(value) => vec![value],
        }
    }
}

/// What several objects held at one time.
pub type HeldByObject = Vec<(ObjectId, Held)>;
