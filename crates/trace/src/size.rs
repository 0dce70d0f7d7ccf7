//! Sizes and counts as people write them.

/// A number of bytes, in decimal units.
pub fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", ratio(bytes, 1_000)),
        1_000_000..1_000_000_000 => format!("{:.1} MB", ratio(bytes, 1_000_000)),
        _ => format!("{:.1} GB", ratio(bytes, 1_000_000_000)),
    }
}

#[allow(clippy::cast_precision_loss, reason = "one decimal is shown")]
fn ratio(count: u64, of: u64) -> f64 {
    count as f64 / of as f64
}

/// The bytes of a size such as `500MB`; `None` if it is not a whole number of kB, MB or GB.
pub fn parse_size(text: &str) -> Option<u64> {
    let units = [("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)];
    let found = |(unit, bytes): (&str, u64)| {
        text.strip_suffix(unit)?.trim_end().parse::<u64>().ok()?.checked_mul(bytes)
    };
    units.into_iter().find_map(found)
}

/// A whole number with commas between groups of three digits.
pub fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written_in_decimal_units() {
        let read = ["800kB", "500MB", "2 GB", "0GB"].map(parse_size);
        assert_eq!(read, [Some(800_000), Some(500_000_000), Some(2_000_000_000), Some(0)]);
        for wrong in ["2", "GB", "1.5GB", "2gb", "-1MB", "99999999999GB"] {
            assert_eq!(parse_size(wrong), None, "{wrong}");
        }
        assert_eq!([999, 800_000, 2_100_000_000].map(size_text), ["999 bytes", "800.0 kB", "2.1 GB"]);
        assert_eq!([0, 999, 1_000, 12_345_678].map(thousands), ["0", "999", "1,000", "12,345,678"]);
    }
}
