//! What makes a recording large, and what would make it smaller.

use trace::{EventShare, EventShares, Level, size_text as bytes};

/// How a recording grows: its size on disk, by how much each second, both in bytes, and what makes it large.
pub fn grown(stored: u64, each_second: u64, shares: Option<&EventShares>) -> String {
    let mut parts = vec![format!("{} on disk, {} more each second", bytes(stored), bytes(each_second))];
    if let Some(shares) = shares {
        parts.extend(
            shares.classes.first().map(|share| format!("{} of it is of {}", percent(share.part), share.of)),
        );
        parts.extend(trusted(shares).map(|options| format!("{options} leaves out about half")));
        parts.extend(
            lower(shares).map(|(level, part)| format!("--level {level} takes at most {}", percent(part))),
        );
    }
    parts.join("; ")
}

/// What makes a recording large that has ended, with this many bytes of events.
pub fn large(shares: &EventShares, of: u64) -> String {
    let each = |of_each: &[EventShare]| {
        let named = of_each.iter().map(|share| format!("{} ({})", share.of, percent(share.part)));
        named.collect::<Vec<_>>().join(", ")
    };
    let mut out = format!(
        "the classes with most bytes of events: {}\nthe methods with most: {}\n",
        each(&shares.classes),
        each(&shares.methods)
    );
    if let Some(options) = trusted(shares) {
        out.push_str(&format!("{options} would leave out about half\n"));
    }
    if let Some((level, part)) = lower(shares) {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let most = (of as f64 * part) as u64;
        out.push_str(&format!("--level {level} would take at most {}\n", bytes(most)));
    }
    out
}

/// The options that leave out about half.
fn trusted(shares: &EventShares) -> Option<String> {
    let quoted = shares.half.iter().map(|pattern| format!("--trust '{pattern}'")).collect::<Vec<_>>();
    (!quoted.is_empty()).then(|| quoted.join(" "))
}

/// The next lower level, if it takes less.
fn lower(shares: &EventShares) -> Option<(Level, f64)> {
    shares.lower_level.filter(|(_, part)| *part < 0.995)
}

fn percent(part: f64) -> String {
    format!("{:.0}%", part * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_recording_says_what_would_make_it_smaller() {
        let share = |of: &str, part| EventShare { of: of.to_owned(), part };
        let mut shares = EventShares {
            classes: vec![share("a.Lexer", 0.514), share("a.Shop", 0.2)],
            methods: vec![share("a.Lexer.next", 0.3)],
            half: vec!["a.Lexer".to_owned()],
            lower_level: Some((Level::Writes, 0.25)),
        };
        let text = grown(2_100_000_000, 130_000_000, Some(&shares));
        let wanted = "2.1 GB on disk, 130.0 MB more each second; 51% of it is of a.Lexer; \
                      --trust 'a.Lexer' leaves out about half; --level writes takes at most 25%";
        assert_eq!(text, wanted);
        let wanted = "the classes with most bytes of events: a.Lexer (51%), a.Shop (20%)\n\
                      the methods with most: a.Lexer.next (30%)\n\
                      --trust 'a.Lexer' would leave out about half\n\
                      --level writes would take at most 1.0 GB\n";
        assert_eq!(large(&shares, 4_000_000_000), wanted);
        (shares.half, shares.lower_level) = (Vec::new(), None);
        let wanted = "1.0 GB on disk, 0 bytes more each second; 51% of it is of a.Lexer";
        assert_eq!(grown(1_000_000_000, 0, Some(&shares)), wanted);
        assert_eq!(grown(1_000_000_000, 0, None), "1.0 GB on disk, 0 bytes more each second");
    }
}
