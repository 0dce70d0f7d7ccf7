//! Compares every operator on edge values of every pair of numeric types with the results of javac and the
//! VM.

use super::fake::{Fake, now};
use super::oracle::{arithmetic_lines, heap};
use crate::{EvalError, EventTypes, Expr, check, evaluate};
use model::Value;
use std::fmt::Write as _;

const KINDS: [(&str, &str); 7] = [
    ("byte", "B"),
    ("short", "S"),
    ("char", "C"),
    ("int", "I"),
    ("long", "J"),
    ("float", "F"),
    ("double", "D"),
];
const NUMERIC: [&str; 11] = ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!="];
const INTEGRAL: [&str; 6] = ["&", "|", "^", "<<", ">>", ">>>"];
const UNARY: [&str; 3] = ["-", "+", "~"];

/// Edge values of each type.
fn samples(kind: &str) -> Vec<Value> {
    match kind {
        "byte" => [i8::MIN, -1, 0, 7, i8::MAX].map(Value::Byte).to_vec(),
        "short" => [i16::MIN, -1, 0, 300, i16::MAX].map(Value::Short).to_vec(),
        "char" => [0, 1, 120, u16::MAX].map(Value::Char).to_vec(),
        "int" => [i32::MIN, -33, -1, 0, 1, 33, 16_777_217, i32::MAX].map(Value::Int).to_vec(),
        "long" => [i64::MIN, -65, -1, 0, 1, 1 << 40, (1 << 53) + 1, i64::MAX].map(Value::Long).to_vec(),
        "float" => [f32::NAN, f32::NEG_INFINITY, -2.5, -0.0, 0.0, 1.5, 1e10, f32::MAX, f32::MIN_POSITIVE]
            .map(Value::Float)
            .to_vec(),
        _ => [f64::NAN, f64::INFINITY, -2.5, -0.0, 0.0, 0.1, 2_147_483_648.5, 1e19, 1e300, f64::MIN_POSITIVE]
            .map(Value::Double)
            .to_vec(),
    }
}

fn java_literal(value: &Value) -> String {
    match value {
        Value::Byte(v) => v.to_string(),
        Value::Short(v) => v.to_string(),
        Value::Char(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Long(v) => format!("{v}L"),
        Value::Float(v) => format!("Float.intBitsToFloat({})", v.to_bits() as i32),
        Value::Double(v) => format!("Double.longBitsToDouble({}L)", v.to_bits() as i64),
        other => panic!("{other:?}"),
    }
}

fn is_floating(kind: &str) -> bool {
    matches!(kind, "float" | "double")
}

/// A Java class that prints the result of every operator on every pair of samples, and of every prefix
/// operator and cast.
pub(super) fn java_source() -> String {
    let mut methods = String::new();
    let mut calls = String::new();
    for (kind, letter) in KINDS {
        let values: Vec<String> = samples(kind).iter().map(java_literal).collect();
        writeln!(methods, "static final {kind}[] {letter} = {{{}}};", values.join(", ")).unwrap();
    }
    for (kind, a) in KINDS {
        let mut body = String::new();
        for operator in UNARY.iter().filter(|o| **o != "~" || !is_floating(kind)) {
            write!(body, "out({operator} a); ").unwrap();
        }
        for (to, _) in KINDS {
            write!(body, "out(({to}) a); ").unwrap();
        }
        writeln!(methods, "static void {a}() {{ for ({kind} a : {a}) {{ {body} line(); }} }}").unwrap();
        writeln!(calls, "{a}();").unwrap();
        for (other, b) in KINDS {
            let floating = is_floating(kind) || is_floating(other);
            let mut body = String::new();
            for operator in NUMERIC.iter().chain(INTEGRAL.iter().filter(|_| !floating)) {
                write!(body, "try {{ out(a {operator} b); }} catch (ArithmeticException e) {{ out(e); }} ")
                    .unwrap();
            }
            writeln!(
                methods,
                "static void {a}{b}() {{ for ({kind} a : {a}) for ({other} b : {b}) {{ {body} line(); }} }}"
            )
            .unwrap();
            writeln!(calls, "{a}{b}();").unwrap();
        }
    }
    format!(
        "package shop; class Arithmetic {{
        static final StringBuilder line = new StringBuilder();
        static void line() {{ System.out.println(line); line.setLength(0); }}
        static void out(int v) {{ line.append(\"I\").append(v).append(' '); }}
        static void out(byte v) {{ line.append(\"B\").append(v).append(' '); }}
        static void out(short v) {{ line.append(\"S\").append(v).append(' '); }}
        static void out(char v) {{ line.append(\"C\").append((int) v).append(' '); }}
        static void out(long v) {{ line.append(\"J\").append(v).append(' '); }}
        static void out(boolean v) {{ line.append(v).append(' '); }}
        static void out(float v) {{ line.append(\"F\").append(Float.floatToIntBits(v)).append(' '); }}
        static void out(double v) {{ line.append(\"D\").append(Double.doubleToLongBits(v)).append(' '); }}
        static void out(ArithmeticException v) {{ line.append(\"zero \"); }}
        {methods}
        static void main() {{ {calls} }} }}"
    )
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Boolean(v) => v.to_string(),
        Value::Byte(v) => format!("B{v}"),
        Value::Short(v) => format!("S{v}"),
        Value::Char(v) => format!("C{v}"),
        Value::Int(v) => format!("I{v}"),
        Value::Long(v) => format!("J{v}"),
        Value::Float(v) => format!("F{}", if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() as i32 }),
        Value::Double(v) => format!("D{}", if v.is_nan() { 0x7ff8 << 48 } else { v.to_bits() as i64 }),
        other => format!("{other:?}"),
    }
}

#[test]
fn arithmetic_equals_java_for_every_pair_of_types() {
    let mut m = heap("shop.Outer");
    let mut java = arithmetic_lines().iter();
    let mut compared = 0;
    let mut compare = |m: &mut Fake, texts: &[Expr], values: &str| {
        let expected = java.next().unwrap();
        let mut line = String::new();
        for text in texts {
            let text = match now(evaluate(text, m)) {
                Ok(value) => text_of(&value),
                Err(EvalError::DivisionByZero { .. }) => "zero".to_owned(),
                Err(error) => error.to_string(),
            };
            write!(line, "{text} ").unwrap();
            compared += 1;
        }
        assert_eq!(line, *expected, "{values}: {texts:?}");
    };
    for (kind, a) in KINDS {
        let unary = UNARY.iter().filter(|o| **o != "~" || !is_floating(kind)).map(|o| format!("{o} a"));
        let casts = KINDS.map(|(to, _)| format!("({to}) a"));
        let texts: Vec<Expr> = unary.chain(casts).map(|t| Expr::parse(&t).unwrap()).collect();
        for value in samples(kind) {
            m.scope_mut().locals.clear();
            m.local_value("a", a, value.clone());
            compare(&mut m, &texts, &format!("{value:?}"));
        }
        for (other, b) in KINDS {
            let floating = is_floating(kind) || is_floating(other);
            let operators = NUMERIC.iter().chain(INTEGRAL.iter().filter(|_| !floating));
            let texts: Vec<Expr> = operators.map(|o| Expr::parse(&format!("a {o} b")).unwrap()).collect();
            for left in samples(kind) {
                for right in samples(other) {
                    m.scope_mut().locals.clear();
                    m.local_value("a", a, left.clone());
                    m.local_value("b", b, right.clone());
                    compare(&mut m, &texts, &format!("{left:?} {right:?}"));
                }
            }
            if floating {
                for operator in INTEGRAL {
                    let expr = Expr::parse(&format!("a {operator} b")).unwrap();
                    let scope = m.scope.clone().unwrap();
                    check(&expr, &scope, &m.classes, &EventTypes::default()).unwrap_err();
                    now(evaluate(&expr, &mut m)).unwrap_err();
                }
            }
        }
    }
    assert!(java.next().is_none());
    assert!(compared > 30_000, "{compared}");
}
