//! Formats JDK numbers that do not fit a machine word, as Java does.

/// A `BigInteger` given by its sign and magnitude, highest word first.
pub fn integer(negative: bool, words: &[u32]) -> String {
    const CHUNK: u64 = 1_000_000_000;
    let mut words = words.to_vec();
    let mut chunks: Vec<u64> = Vec::new();
    while words.iter().any(|word| *word != 0) {
        let mut rest: u64 = 0;
        for word in &mut words {
            let value = rest << 32 | u64::from(*word);
            // The remainder is less than the divisor, so the quotient fits a word.
            *word = u32::try_from(value / CHUNK).unwrap_or(u32::MAX);
            rest = value % CHUNK;
        }
        chunks.push(rest);
    }
    let Some(first) = chunks.pop() else { return "0".to_owned() };
    let mut out = if negative { format!("-{first}") } else { first.to_string() };
    chunks.iter().rev().for_each(|chunk| out.push_str(&format!("{chunk:09}")));
    out
}

/// A `BigDecimal` given by its signed digits and its scale (`BigDecimal.toString`).
pub fn decimal(digits: &str, scale: i32) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    if scale == 0 {
        return format!("{sign}{digits}");
    }
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let adjusted = length - 1 - i64::from(scale);
    if scale > 0 && adjusted >= -6 {
        let scale = usize::try_from(scale).unwrap_or(0);
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, part) = padded.split_at(padded.len() - scale);
        return format!("{sign}{whole}.{part}");
    }
    let (first, rest) = digits.split_at(1.min(digits.len()));
    let point = if rest.is_empty() { "" } else { "." };
    let exponent = if adjusted == 0 { String::new() } else { format!("E{adjusted:+}") };
    format!("{sign}{first}{point}{rest}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_several_words() {
        assert_eq!(integer(false, &[]), "0");
        assert_eq!(integer(true, &[7]), "-7");
        assert_eq!(integer(false, &[1, 0]), "4294967296");
        assert_eq!(
            integer(false, &[0x0000_0001, 0x8ee9_0ff6, 0xc373_e0ee, 0x4e3f_0ad2]),
            "123456789012345678901234567890"
        );
    }

    #[test]
    fn decimals_as_java_writes_them() {
        assert_eq!(decimal("1250", 2), "12.50");
        assert_eq!(decimal("-5", 3), "-0.005");
        assert_eq!(decimal("5", 7), "5E-7");
        assert_eq!(decimal("123", -2), "1.23E+4");
        assert_eq!(decimal("0", 0), "0");
    }
}
