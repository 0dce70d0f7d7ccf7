//! What evaluates an expression, and its intermediate values.

use super::error::EvalError;
use super::machine::Machine;
use super::number::primitive_of;
use super::types::{Primitive, Type};
use model::Value;

pub(super) type EvalResult<T, M> = Result<T, EvalError<<M as Machine>::Error>>;

pub(super) struct Evaluator<'m, M: Machine> {
    pub(super) machine: &'m mut M,
}

/// An intermediate value.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) value: OperandValue,
    /// The static type, if known.
    pub(super) declared: Type,
    /// Whether the static type comes from a cast and therefore counts in overload selection.
    pub(super) is_cast: bool,
}

/// A value of the debuggee, or a string that does not exist there yet.
#[derive(Clone, Debug)]
pub(super) enum OperandValue {
    Value(Value),
    Text(String),
}

impl Operand {
    pub(super) fn declared(value: Value, declared: Type) -> Operand {
        Operand { value: OperandValue::Value(value), declared, is_cast: false }
    }

    pub(super) fn of(value: Value) -> Operand {
        let declared = primitive_of(&value).map_or(Type::Unknown, Type::Primitive);
        Operand::declared(value, declared)
    }

    pub(super) fn text(text: String) -> Operand {
        Operand { value: OperandValue::Text(text), declared: Type::string(), is_cast: false }
    }

    pub(super) fn is_string(&self) -> bool {
        matches!(self.value, OperandValue::Text(_) | OperandValue::Value(Value::Str(_)))
            || self.declared.is_string()
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, OperandValue::Value(Value::Null))
    }

    pub(super) fn primitive(&self) -> Option<Primitive> {
        match &self.value {
            OperandValue::Value(value) => primitive_of(value),
            OperandValue::Text(_) => None,
        }
    }
}

pub(super) fn type_error<T, M: Machine>(text: impl ToString, problem: impl Into<String>) -> EvalResult<T, M> {
    Err(EvalError::Type { text: text.to_string(), problem: problem.into() })
}
