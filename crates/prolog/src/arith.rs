//! Arithmetic on 64-bit integers and floats.
//!
//! Integers do not grow beyond 64 bits: an overflow raises `evaluation_error(int_overflow)`.

use std::cmp::Ordering;

use crate::atoms::{AtomId, Atoms};
use crate::term::int_float;

/// A number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Num {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
}

impl Num {
    /// Compares by value. `None` if one of them is NaN.
    #[must_use]
    pub fn compare(self, other: Num) -> Option<Ordering> {
        match (self, other) {
            (Num::Int(a), Num::Int(b)) => Some(a.cmp(&b)),
            (Num::Float(a), Num::Float(b)) => a.partial_cmp(&b),
            (Num::Int(a), Num::Float(b)) => (!b.is_nan()).then(|| int_float(a, b)),
            (Num::Float(a), Num::Int(b)) => (!a.is_nan()).then(|| int_float(b, a).reverse()),
        }
    }

    /// The value as a float.
    #[must_use]
    // The nearest float is what Prolog specifies.
    #[allow(clippy::cast_precision_loss)]
    pub fn float(self) -> f64 {
        match self {
            Num::Int(value) => value as f64,
            Num::Float(value) => value,
        }
    }
}

/// Why an operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    Overflow,
    FloatOverflow,
    Undefined,
    ZeroDivisor,
    /// The operation needs integers; this operand is none.
    NoInteger(bool),
    /// The shift or exponent is out of range.
    MustBePositive(i64),
}

macro_rules! operations {
    ($($op:ident = $name:literal / $arity:literal),* $(,)?) => {
        /// An evaluable functor.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Op { $($op),* }

        impl Op {
            /// The operation of a functor.
            pub(crate) fn find(name: &str, arity: usize) -> Option<Op> {
                match (name, arity) {
                    $(($name, $arity) => Some(Op::$op),)*
                    _ => None,
                }
            }

            /// Number of operands.
            pub(crate) fn arity(self) -> usize {
                match self { $(Op::$op => $arity),* }
            }
        }
    };
}

operations! {
    Add = "+" / 2, Sub = "-" / 2, Mul = "*" / 2, Div = "/" / 2, IntDiv = "//" / 2, Mod = "mod" / 2,
    Rem = "rem" / 2, FloorDiv = "div" / 2, Neg = "-" / 1, Plus = "+" / 1, Abs = "abs" / 1, Sign = "sign" / 1,
    Min = "min" / 2, Max = "max" / 2, Power = "**" / 2, Caret = "^" / 2, Sqrt = "sqrt" / 1,
    Floor = "floor" / 1, Ceiling = "ceiling" / 1, Round = "round" / 1, Truncate = "truncate" / 1,
    Integer = "integer" / 1, Float = "float" / 1, Shr = ">>" / 2, Shl = "<<" / 2, And = "/\\" / 2,
    Or = "\\/" / 2, Xor = "xor" / 2, Not = "\\" / 1, Msb = "msb" / 1, Sin = "sin" / 1, Cos = "cos" / 1,
    Tan = "tan" / 1, Asin = "asin" / 1, Acos = "acos" / 1, Atan = "atan" / 1, Atan2 = "atan2" / 2,
    AtanTwo = "atan" / 2, Exp = "exp" / 1, Log = "log" / 1,
    Gcd = "gcd" / 2, FloatInt = "float_integer_part" / 1, FloatFrac = "float_fractional_part" / 1,

}

/// A constant such as `pi`.
pub(crate) fn constant(atoms: &Atoms, atom: AtomId) -> Option<Num> {
    Some(match atoms.text(atom) {
        "pi" => Num::Float(std::f64::consts::PI),
        "e" => Num::Float(std::f64::consts::E),
        "inf" | "infinite" => Num::Float(f64::INFINITY),
        "nan" => Num::Float(f64::NAN),
        "epsilon" => Num::Float(f64::EPSILON),
        "max_tagged_integer" => Num::Int((1 << 60) - 1),
        "min_tagged_integer" => Num::Int(-(1 << 60)),
        "max_integer" => Num::Int(i64::MAX),
        "min_integer" => Num::Int(i64::MIN),
        _ => return None,
    })
}

fn checked(value: Option<i64>) -> Result<Num, Fault> {
    value.map(Num::Int).ok_or(Fault::Overflow)
}

fn finite(value: f64) -> Result<Num, Fault> {
    if value.is_nan() {
        Err(Fault::Undefined)
    } else if value.is_infinite() {
        Err(Fault::FloatOverflow)
    } else {
        Ok(Num::Float(value))
    }
}

/// A float as an integer, if it fits.
fn to_int(value: f64) -> Result<Num, Fault> {
    if value.is_nan() {
        return Err(Fault::Undefined);
    }
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value) {
        // The range was checked.
        #[allow(clippy::cast_possible_truncation)]
        return Ok(Num::Int(value as i64));
    }
    Err(Fault::Overflow)
}

fn ints(a: Num, b: Num) -> Result<(i64, i64), Fault> {
    match (a, b) {
        (Num::Int(a), Num::Int(b)) => Ok((a, b)),
        (Num::Int(_), _) => Err(Fault::NoInteger(true)),
        _ => Err(Fault::NoInteger(false)),
    }
}

fn power(a: i64, b: i64) -> Result<Num, Fault> {
    match (a, b) {
        (1, _) => Ok(Num::Int(1)),
        (-1, _) => Ok(Num::Int(if b % 2 == 0 { 1 } else { -1 })),
        (_, 0) => Ok(Num::Int(1)),
        (0, b) if b < 0 => Err(Fault::ZeroDivisor),
        (0, _) => Ok(Num::Int(0)),
        // As in SWI-Prolog without rationals.
        (_, b) if b < 0 => finite(Num::Int(a).float().powf(Num::Int(b).float())),
        _ => checked(u32::try_from(b).ok().and_then(|b| a.checked_pow(b))),
    }
}

/// Applies an operation of two operands.
#[inline]
pub(crate) fn binary(op: Op, a: Num, b: Num) -> Result<Num, Fault> {
    if let (Num::Int(x), Num::Int(y)) = (a, b) {
        match op {
            Op::Add => return checked(x.checked_add(y)),
            Op::Sub => return checked(x.checked_sub(y)),
            Op::Mul => return checked(x.checked_mul(y)),
            _ => {}
        }
    }
    slow_binary(op, a, b)
}

fn slow_binary(op: Op, a: Num, b: Num) -> Result<Num, Fault> {
    match op {
        Op::Add => finite_of(a, b, a.float() + b.float()),
        Op::Sub => finite_of(a, b, a.float() - b.float()),
        Op::Mul => finite_of(a, b, a.float() * b.float()),
        Op::Div => match (a, b) {
            (Num::Int(_), Num::Int(0)) => Err(Fault::ZeroDivisor),
            (Num::Int(a), Num::Int(b)) if a.checked_rem(b) == Some(0) => checked(a.checked_div(b)),
            (Num::Int(_), Num::Int(-1)) => Err(Fault::Overflow),
            _ if b.float() == 0.0 => Err(if a.float() == 0.0 || a.float().is_nan() {
                Fault::Undefined
            } else {
                Fault::ZeroDivisor
            }),
            _ => finite_of(a, b, a.float() / b.float()),
        },
        Op::IntDiv | Op::Mod | Op::Rem | Op::FloorDiv => {
            let (x, y) = ints(a, b)?;
            if y == 0 {
                return Err(Fault::ZeroDivisor);
            }
            let (quotient, rest) = (x.checked_div(y), x.checked_rem(y).unwrap_or(0));
            let crosses = rest != 0 && (rest < 0) != (y < 0);
            match op {
                Op::IntDiv => checked(quotient),
                Op::Rem => Ok(Num::Int(rest)),
                Op::Mod => Ok(Num::Int(if crosses { rest + y } else { rest })),
                _ => checked(quotient.map(|q| if crosses { q - 1 } else { q })),
            }
        }
        Op::Min | Op::Max => {
            let order = a.compare(b).unwrap_or(Ordering::Equal);
            // Of equal numbers SWI-Prolog takes the float.
            let wanted = if op == Op::Min { Ordering::Less } else { Ordering::Greater };
            let first = order == wanted || order == Ordering::Equal && matches!(a, Num::Float(_));
            Ok(if first { a } else { b })
        }
        Op::Power | Op::Caret => match (a, b) {
            (Num::Int(a), Num::Int(b)) => power(a, b),
            (_, Num::Int(0)) => Ok(Num::Int(1)),
            _ => {
                let (a, b) = (a.float(), b.float());
                if a == 0.0 && b < 0.0 {
                    return Err(Fault::ZeroDivisor);
                }
                finite(a.powf(b))
            }
        },
        Op::Shl => {
            let (a, b) = ints(a, b)?;
            if b < 0 { shift_right(a, b.saturating_neg()) } else { shift_left(a, b) }
        }
        Op::Shr => {
            let (a, b) = ints(a, b)?;
            if b < 0 { shift_left(a, b.saturating_neg()) } else { shift_right(a, b) }
        }
        Op::And => ints(a, b).map(|(a, b)| Num::Int(a & b)),
        Op::Or => ints(a, b).map(|(a, b)| Num::Int(a | b)),
        Op::Xor => ints(a, b).map(|(a, b)| Num::Int(a ^ b)),
        Op::Gcd => {
            let (a, b) = ints(a, b)?;
            let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            checked(i64::try_from(a).ok())
        }
        Op::Atan2 | Op::AtanTwo => {
            if a.float() == 0.0 && b.float() == 0.0 && matches!((a, b), (Num::Int(_), Num::Int(_))) {
                return Err(Fault::Undefined);
            }
            finite(a.float().atan2(b.float()))
        }
        _ => Err(Fault::Undefined),
    }
}

/// The result of floats: infinite only if an operand was.
fn finite_of(a: Num, b: Num, value: f64) -> Result<Num, Fault> {
    if a.float().is_finite() && b.float().is_finite() { finite(value) } else { Ok(Num::Float(value)) }
}

fn shift_left(a: i64, by: i64) -> Result<Num, Fault> {
    let shifted = u32::try_from(by).ok().filter(|&by| by < 64).map(|by| (a << by, by));
    match shifted {
        _ if a == 0 => Ok(Num::Int(0)),
        Some((value, by)) if value >> by == a => Ok(Num::Int(value)),
        _ => Err(Fault::Overflow),
    }
}

fn shift_right(a: i64, by: i64) -> Result<Num, Fault> {
    Ok(Num::Int(a >> by.min(63)))
}

/// Applies an operation of one operand.
pub(crate) fn unary(op: Op, a: Num) -> Result<Num, Fault> {
    let int = || match a {
        Num::Int(a) => Ok(a),
        Num::Float(_) => Err(Fault::NoInteger(false)),
    };
    let rounded = |round: fn(f64) -> f64| match a {
        Num::Int(_) => Ok(a),
        Num::Float(value) => to_int(round(value)),
    };
    match op {
        Op::Neg => match a {
            Num::Int(a) => checked(a.checked_neg()),
            Num::Float(a) => Ok(Num::Float(-a)),
        },
        Op::Plus => Ok(a),
        Op::Abs => match a {
            Num::Int(a) => checked(a.checked_abs()),
            Num::Float(a) => Ok(Num::Float(a.abs())),
        },
        Op::Sign => Ok(match a {
            Num::Int(a) => Num::Int(a.signum()),
            Num::Float(a) => Num::Float(if a == 0.0 || a.is_nan() { a } else { a.signum() }),
        }),
        Op::Floor => rounded(f64::floor),
        Op::Ceiling => rounded(f64::ceil),
        Op::Round | Op::Integer => rounded(f64::round),
        Op::Truncate => rounded(f64::trunc),
        Op::Float => Ok(Num::Float(a.float())),
        Op::Not => int().map(|a| Num::Int(!a)),
        Op::Msb => match int()? {
            a if a > 0 => Ok(Num::Int(i64::from(a.ilog2()))),
            a => Err(Fault::MustBePositive(a)),
        },
        Op::Sqrt if a.float() < 0.0 => Err(Fault::Undefined),
        Op::Sqrt => finite_of(a, a, a.float().sqrt()),
        Op::Sin => finite(a.float().sin()),
        Op::Cos => finite(a.float().cos()),
        Op::Tan => finite(a.float().tan()),
        Op::Asin => finite(a.float().asin()),
        Op::Acos => finite(a.float().acos()),
        Op::Atan => finite(a.float().atan()),
        Op::Exp => finite_of(a, a, a.float().exp()),
        Op::Log if a.float() == 0.0 => Err(Fault::FloatOverflow),
        Op::Log if a.float() < 0.0 => Err(Fault::Undefined),
        Op::Log => finite_of(a, a, a.float().ln()),
        Op::FloatInt => Ok(match a {
            Num::Int(_) => a,
            Num::Float(a) => Num::Float(a.trunc()),
        }),
        Op::FloatFrac => Ok(match a {
            Num::Int(_) => Num::Int(0),
            Num::Float(a) => Num::Float(a - a.trunc()),
        }),
        _ => Err(Fault::Undefined),
    }
}
