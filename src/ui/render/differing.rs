//! Two texts beside each other, cut so that the place where they differ can be seen.

use super::clipped;

/// Two texts, each within `room` columns. If they are longer, both are shown from a little before the place
/// where they first differ.
pub fn differing(one: &str, other: &str, room: usize) -> (String, String) {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let same = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let longest = one.len().max(other.len());
    let from = if longest <= room { 0 } else { same.saturating_sub(room / 3) };
    let cut = |text: &[char]| {
        let from = from.min(text.len());
        let rest: String = text.get(from..).unwrap_or_default().iter().collect();
        let begins = if from > 0 { "…" } else { "" };
        clipped(&format!("{begins}{rest}"), room)
    };
    (cut(&one), cut(&other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_where_two_texts_differ_is_seen() {
        assert_eq!(differing("pens", "pen", 10), ("pens".to_owned(), "pen".to_owned()));
        let (one, other) = (format!("{}b{}", "a".repeat(50), "d".repeat(50)), "a".repeat(50));
        assert_eq!(differing(&one, &other, 12), ("…aaaabddddd…".to_owned(), "…aaaa".to_owned()));
        // Without a difference within reach, the beginning is shown.
        assert_eq!(differing("abcdefgh", "bcdefgh", 4), ("abc…".to_owned(), "bcd…".to_owned()));
    }
}
