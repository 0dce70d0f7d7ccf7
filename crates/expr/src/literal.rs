//! The values of literals (JLS §3.10). The grammar has already checked their syntax.

use super::tree::Literal;
use model::units;

/// The value of an integer literal. `negative` says whether it follows a minus sign.
///
/// # Errors
/// Why the literal is invalid, for example because it is too large.
pub(super) fn integer(text: &str, negative: bool) -> Result<Literal, String> {
    let (digits, long) = match text.strip_suffix(['l', 'L']) {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if digits.ends_with('_') {
        return Err("an underscore must stand between digits".to_owned());
    }
    let plain = digits.replace('_', "").to_ascii_lowercase();
    let (radix, plain) = if let Some(hex) = plain.strip_prefix("0x") {
        (16, hex)
    } else if let Some(binary) = plain.strip_prefix("0b") {
        (2, binary)
    } else if plain.len() > 1 && plain.starts_with('0') {
        (8, plain.as_str())
    } else {
        (10, plain.as_str())
    };
    let (bits, kind) = if long { (64, "long") } else { (32, "int") };
    let too_large = || {
        let hint = if long { "" } else { "; append L for a long" };
        format!("{text} does not fit into {kind}{hint}")
    };
    let magnitude = u128::from_str_radix(plain, radix).map_err(|_| {
        if radix == 8 && plain.contains(['8', '9']) {
            format!("{text} starts with 0 but is not an octal number")
        } else {
            too_large()
        }
    })?;
    // A decimal literal is at most MAX, or MAX + 1 after a minus; other literals can use all bits (JLS
    // §3.10.1).
    let limit = match radix {
        10 if negative => 1_u128 << (bits - 1),
        10 => (1_u128 << (bits - 1)) - 1,
        _ => (1_u128 << bits) - 1,
    };
    if magnitude > limit {
        return Err(too_large());
    }
    // The magnitude fits into 64 (or 32) bits, so the truncating conversions lose nothing.
    let value = magnitude as u64;
    Ok(if long {
        let value = value as i64;
        Literal::Long(if negative { value.wrapping_neg() } else { value })
    } else {
        let value = value as u32 as i32;
        Literal::Int(if negative { value.wrapping_neg() } else { value })
    })
}

/// The value of a decimal floating-point literal.
///
/// # Errors
/// Why the literal is invalid: it rounds to infinity, or to zero although it is not zero (JLS §3.10.2).
pub(super) fn floating(text: &str) -> Result<Literal, String> {
    let (digits, float) = match text.strip_suffix(['f', 'F']) {
        Some(digits) => (digits, true),
        None => (text.strip_suffix(['d', 'D']).unwrap_or(text), false),
    };
    let bytes = digits.as_bytes();
    let bad = bytes.windows(2).any(|w| matches!(w, [b'_', next] if *next != b'_' && !next.is_ascii_digit()));
    if bad || digits.ends_with('_') {
        return Err("an underscore must stand between digits".to_owned());
    }
    let plain = digits.replace('_', "");
    let mantissa = plain.split(['e', 'E']).next().unwrap_or_default();
    let is_zero = !mantissa.contains(|c: char| c.is_ascii_digit() && c != '0');
    let out_of_range = |infinite: bool, zero: bool| {
        if infinite {
            Err(format!("{text} is too large"))
        } else if zero && !is_zero {
            Err(format!("{text} is too small"))
        } else {
            Ok(())
        }
    };
    if float {
        let value: f32 = plain.parse().map_err(|_| format!("{text} is not a number"))?;
        out_of_range(value.is_infinite(), value == 0.0)?;
        Ok(Literal::Float(value))
    } else {
        let value: f64 = plain.parse().map_err(|_| format!("{text} is not a number"))?;
        out_of_range(value.is_infinite(), value == 0.0)?;
        Ok(Literal::Double(value))
    }
}

/// The value of a string literal, given with its quotes.
pub(super) fn string(text: &str) -> Literal {
    Literal::Text(String::from_utf16_lossy(&units(text)))
}

/// The value of a character literal, given with its quotes.
///
/// # Errors
/// If the character is outside the basic plane: it has two UTF-16 units, too many for a `char`.
pub(super) fn character(text: &str) -> Result<Literal, String> {
    match units(text).as_slice() {
        [unit] => Ok(Literal::Char(*unit)),
        _ => Err(format!("{text} does not fit into char; write it as a string")),
    }
}
