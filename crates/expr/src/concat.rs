//! Converts values to text for string concatenation with `+` (JLS §5.1.11).

use model::Value;

/// The text of a primitive value, a string or `null`; `None` for other objects, which would need a call of
/// `toString`.
pub fn text_of(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(v) => v.to_string(),
        Value::Byte(v) => v.to_string(),
        Value::Short(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Long(v) => v.to_string(),
        Value::Char(v) => String::from_utf16_lossy(&[*v]),
        Value::Float(v) => floating(f64::from(*v), &format!("{v:e}")),
        Value::Double(v) => floating(*v, &format!("{v:e}")),
        Value::Str(s) => s.text.clone(),
        Value::Unassigned | Value::Absent | Value::Failed(_) | Value::Void | Value::Object { .. } => {
            return None;
        }
    })
}

/// Formats like `Double.toString`: decimal from 10⁻³ to below 10⁷, otherwise scientific. Uses the fewest
/// digits that identify the number, as since JDK 19; older versions sometimes print one digit more.
fn floating(value: f64, shortest: &str) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}Infinity");
    }
    let shortest = shortest.trim_start_matches('-');
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = if value != 0.0 && !(-3..7).contains(&exponent) {
        let (first, rest) = digits.split_at(1.min(digits.len()));
        return format!("{sign}{first}.{}E{exponent}", if rest.is_empty() { "0" } else { rest });
    } else if let Ok(places) = usize::try_from(exponent) {
        let padded = format!("{digits:0<width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(places + 1);
        (whole.to_owned(), fraction.to_owned())
    } else {
        let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
        ("0".to_owned(), format!("{}{digits}", "0".repeat(zeros)))
    };
    format!("{sign}{whole}.{}", if fraction.is_empty() { "0" } else { &fraction })
}
