//! Java arithmetic on values (JLS §5.1.3, §5.6, §15.15 to §15.24).

use super::tree::{BinaryOperator, UnaryOperator};
use super::types::Primitive;
use model::Value;

/// Why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoResult {
    /// The operator does not apply to these types.
    Types,
    /// Integer division or remainder by zero.
    DivisionByZero,
}

/// The primitive type of a value; `None` for references, `void` and unassigned values.
pub(super) fn primitive_of(value: &Value) -> Option<Primitive> {
    Some(match value {
        Value::Boolean(_) => Primitive::Boolean,
        Value::Byte(_) => Primitive::Byte,
        Value::Short(_) => Primitive::Short,
        Value::Char(_) => Primitive::Char,
        Value::Int(_) => Primitive::Int,
        Value::Long(_) => Primitive::Long,
        Value::Float(_) => Primitive::Float,
        Value::Double(_) => Primitive::Double,
        // The others are references or no values.
        _ => return None,
    })
}

/// Converts between numeric types like a cast, widening or narrowing; `boolean` only to itself.
pub(super) fn convert(value: &Value, to: Primitive) -> Option<Value> {
    match (value, to) {
        (Value::Boolean(v), Primitive::Boolean) => Some(Value::Boolean(*v)),
        (Value::Boolean(_), _) | (_, Primitive::Boolean) => None,
        // A float is converted to byte, short and char via int. Conversion to int and long saturates, with
        // NaN as 0 (JLS §5.1.3), as `as` does.
        (Value::Float(v), _) => Some(from_floating(f64::from(*v), to).unwrap_or(Value::Float(*v))),
        (Value::Double(v), Primitive::Float) => Some(Value::Float(*v as f32)),
        (Value::Double(v), _) => Some(from_floating(*v, to).unwrap_or(Value::Double(*v))),
        _ => Some(from_integral(integral(value)?, to)),
    }
}

fn integral(value: &Value) -> Option<i64> {
    Some(match value {
        Value::Byte(v) => i64::from(*v),
        Value::Short(v) => i64::from(*v),
        Value::Char(v) => i64::from(*v),
        Value::Int(v) => i64::from(*v),
        Value::Long(v) => *v,
        _ => return None,
    })
}

fn from_integral(v: i64, to: Primitive) -> Value {
    match to {
        Primitive::Byte => Value::Byte(v as i8),
        Primitive::Short => Value::Short(v as i16),
        Primitive::Char => Value::Char(v as u16),
        Primitive::Int => Value::Int(v as i32),
        Primitive::Long | Primitive::Boolean => Value::Long(v),
        Primitive::Float => Value::Float(v as f32),
        Primitive::Double => Value::Double(v as f64),
    }
}

/// `None` if the value already has the type.
fn from_floating(v: f64, to: Primitive) -> Option<Value> {
    Some(match to {
        Primitive::Byte => Value::Byte(v as i32 as i8),
        Primitive::Short => Value::Short(v as i32 as i16),
        Primitive::Char => Value::Char(v as i32 as u16),
        Primitive::Int => Value::Int(v as i32),
        Primitive::Long => Value::Long(v as i64),
        Primitive::Double => Value::Double(v),
        Primitive::Float | Primitive::Boolean => return None,
    })
}

/// Applies a prefix operator.
pub(super) fn unary(operator: UnaryOperator, operand: &Value) -> Result<Value, NoResult> {
    let kind = primitive_of(operand).ok_or(NoResult::Types)?;
    let promoted = convert(operand, kind.promoted()).ok_or(NoResult::Types)?;
    match (operator, promoted) {
        (UnaryOperator::Not, Value::Boolean(v)) => Ok(Value::Boolean(!v)),
        (UnaryOperator::Plus, v) if kind.is_numeric() => Ok(v),
        (UnaryOperator::Negate, Value::Int(v)) => Ok(Value::Int(v.wrapping_neg())),
        (UnaryOperator::Negate, Value::Long(v)) => Ok(Value::Long(v.wrapping_neg())),
        (UnaryOperator::Negate, Value::Float(v)) => Ok(Value::Float(-v)),
        (UnaryOperator::Negate, Value::Double(v)) => Ok(Value::Double(-v)),
        (UnaryOperator::Complement, Value::Int(v)) => Ok(Value::Int(!v)),
        (UnaryOperator::Complement, Value::Long(v)) => Ok(Value::Long(!v)),
        _ => Err(NoResult::Types),
    }
}

/// Applies an operator to two primitive values. `&&` and `||` are accepted, but the caller must short-circuit
/// them.
pub(super) fn binary(operator: BinaryOperator, left: &Value, right: &Value) -> Result<Value, NoResult> {
    use BinaryOperator::{ShiftLeft, ShiftRight, UnsignedShiftRight};
    if let (Value::Boolean(a), Value::Boolean(b)) = (left, right) {
        return logical(operator, *a, *b).map(Value::Boolean).ok_or(NoResult::Types);
    }
    let (a, b) = (primitive_of(left).ok_or(NoResult::Types)?, primitive_of(right).ok_or(NoResult::Types)?);
    if !a.is_numeric() || !b.is_numeric() {
        return Err(NoResult::Types);
    }
    if matches!(operator, ShiftLeft | ShiftRight | UnsignedShiftRight) {
        // Each operand is promoted separately; the left one determines the type and the mask (JLS §15.19).
        let distance = integral(right).ok_or(NoResult::Types)? as u32;
        return match convert(left, a.promoted()) {
            Some(Value::Int(v)) => Ok(Value::Int(match operator {
                ShiftLeft => v.wrapping_shl(distance),
                ShiftRight => v.wrapping_shr(distance),
                _ => (v as u32).wrapping_shr(distance) as i32,
            })),
            Some(Value::Long(v)) => Ok(Value::Long(match operator {
                ShiftLeft => v.wrapping_shl(distance),
                ShiftRight => v.wrapping_shr(distance),
                _ => (v as u64).wrapping_shr(distance) as i64,
            })),
            _ => Err(NoResult::Types),
        };
    }
    let kind = a.promoted_with(b);
    match (convert(left, kind), convert(right, kind)) {
        (Some(Value::Int(a)), Some(Value::Int(b))) => {
            integral_operation(operator, i64::from(a), i64::from(b), |v| Value::Int(v as i32))
        }
        (Some(Value::Long(a)), Some(Value::Long(b))) => integral_operation(operator, a, b, Value::Long),
        (Some(Value::Float(a)), Some(Value::Float(b))) => {
            let result = match operator {
                BinaryOperator::Add => a + b,
                BinaryOperator::Subtract => a - b,
                BinaryOperator::Multiply => a * b,
                BinaryOperator::Divide => a / b,
                BinaryOperator::Remainder => a % b,
                _ => return compare(operator, &a, &b),
            };
            Ok(Value::Float(result))
        }
        (Some(Value::Double(a)), Some(Value::Double(b))) => {
            let result = match operator {
                BinaryOperator::Add => a + b,
                BinaryOperator::Subtract => a - b,
                BinaryOperator::Multiply => a * b,
                BinaryOperator::Divide => a / b,
                BinaryOperator::Remainder => a % b,
                _ => return compare(operator, &a, &b),
            };
            Ok(Value::Double(result))
        }
        _ => Err(NoResult::Types),
    }
}

fn logical(operator: BinaryOperator, a: bool, b: bool) -> Option<bool> {
    Some(match operator {
        BinaryOperator::Or | BinaryOperator::BitOr => a | b,
        BinaryOperator::And | BinaryOperator::BitAnd => a & b,
        BinaryOperator::BitXor | BinaryOperator::NotEqual => a != b,
        BinaryOperator::Equal => a == b,
        _ => return None,
    })
}

/// For `int` operands, wrapping at 64 bits and keeping the low 32 bits equals wrapping at 32 bits.
fn integral_operation(
    operator: BinaryOperator,
    a: i64,
    b: i64,
    wrap: impl Fn(i64) -> Value,
) -> Result<Value, NoResult> {
    let result = match operator {
        BinaryOperator::Add => a.wrapping_add(b),
        BinaryOperator::Subtract => a.wrapping_sub(b),
        BinaryOperator::Multiply => a.wrapping_mul(b),
        BinaryOperator::Divide | BinaryOperator::Remainder if b == 0 => return Err(NoResult::DivisionByZero),
        BinaryOperator::Divide => a.wrapping_div(b),
        BinaryOperator::Remainder => a.wrapping_rem(b),
        BinaryOperator::BitAnd => a & b,
        BinaryOperator::BitOr => a | b,
        BinaryOperator::BitXor => a ^ b,
        _ => return compare(operator, &a, &b),
    };
    Ok(wrap(result))
}

/// Comparisons; with NaN all are false except `!=` (JLS §15.20.1, §15.21.1), as in Rust.
fn compare<T: PartialOrd>(operator: BinaryOperator, a: &T, b: &T) -> Result<Value, NoResult> {
    Ok(Value::Boolean(match operator {
        BinaryOperator::Equal => a == b,
        BinaryOperator::NotEqual => a != b,
        BinaryOperator::Less => a < b,
        BinaryOperator::LessEqual => a <= b,
        BinaryOperator::Greater => a > b,
        BinaryOperator::GreaterEqual => a >= b,
        _ => return Err(NoResult::Types),
    }))
}
