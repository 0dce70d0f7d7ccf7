//! What the user means by a class name, and what they may have meant.

use std::collections::BTreeSet;

/// How many names "did you mean" offers.
const MAX_NEAR: usize = 3;

/// What a written class name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// One class, by its binary name.
    One(String),
    /// Several user classes end with what was written: their binary names, sorted.
    Many(Vec<String>),
    /// No class.
    None {
        /// User classes with a similar name, the best first.
        near: Vec<String>,
    },
}

/// The binary names that `a.Outer.Inner` can stand for, with the fewest `$` first.
pub(super) fn spellings(written: &str) -> Vec<String> {
    let mut out = vec![written.to_owned()];
    let mut current = written.to_owned();
    while let Some(dot) = current.rfind('.') {
        current.replace_range(dot..=dot, "$");
        out.push(current.clone());
    }
    out
}

/// Picks the user classes whose names end with what was written, at a package or class boundary.
pub(super) fn resolve_among(names: &BTreeSet<String>, written: &str) -> Resolution {
    let spelled = spellings(written);
    let ends = |name: &str, boundary: char| {
        spelled.iter().any(|s| name.strip_suffix(s.as_str()).is_some_and(|rest| rest.ends_with(boundary)))
    };
    // `Intro` for `pkg.Intro` goes before `Intro` for `pkg.Main$Intro`.
    for boundary in ['.', '$'] {
        let mut found: Vec<String> = names.iter().filter(|n| ends(n, boundary)).cloned().collect();
        match (found.len(), found.pop()) {
            (1, Some(one)) => return Resolution::One(one),
            (_, Some(last)) => {
                found.push(last);
                return Resolution::Many(found);
            }
            _ => {}
        }
    }
    Resolution::None { near: nearest(names, written) }
}

/// Names within a small edit distance, compared whole and by simple name, without regard to case.
pub(super) fn nearest(names: &BTreeSet<String>, written: &str) -> Vec<String> {
    let wanted = written.replace('$', ".").to_lowercase();
    let wanted_simple = simple(&wanted);
    let mut scored: Vec<(usize, &String)> = names
        .iter()
        .filter(|n| !is_anonymous(n))
        .filter_map(|name| {
            let shown = name.replace('$', ".").to_lowercase();
            let whole = strsim::damerau_levenshtein(&shown, &wanted);
            // A name that is right but for its package is near, if less so than a slip of the finger.
            let by_simple =
                strsim::damerau_levenshtein(simple(&shown), wanted_simple) + usize::from(shown != wanted);
            let score = whole.min(by_simple);
            (score <= wanted_simple.chars().count() / 3 + 1).then_some((score, name))
        })
        .collect();
    scored.sort();
    scored.into_iter().take(MAX_NEAR).map(|(_, n)| n.clone()).collect()
}

fn simple(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// `Outer$1`, `Outer$1Local`: names that nobody types.
fn is_anonymous(name: &str) -> bool {
    name.split('$').skip(1).any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(|n| (*n).to_owned()).collect()
    }

    #[test]
    fn simple_names_resolve_when_unique() {
        let all = names(&["shop.Cart", "shop.Cart$Item", "shop.Cart$1", "bank.Cart", "shop.Till"]);
        let one = |n: &str| Resolution::One(n.to_owned());
        assert_eq!(resolve_among(&all, "Till"), one("shop.Till"));
        assert_eq!(resolve_among(&all, "Cart.Item"), one("shop.Cart$Item"));
        assert_eq!(resolve_among(&all, "Item"), one("shop.Cart$Item"));
        assert_eq!(
            resolve_among(&all, "Cart"),
            Resolution::Many(vec!["bank.Cart".into(), "shop.Cart".into()])
        );
        assert_eq!(resolve_among(&all, "ill"), Resolution::None { near: vec!["shop.Till".into()] });
        assert_eq!(resolve_among(&all, "Elephant"), Resolution::None { near: vec![] });
    }

    #[test]
    fn a_wrong_package_is_near() {
        let all = names(&["com.shop.Cart", "com.shop.Other"]);
        assert_eq!(nearest(&all, "org.bank.Cart"), ["com.shop.Cart"]);
    }

    #[test]
    fn spellings_of_inner_classes() {
        assert_eq!(spellings("a.B.C"), ["a.B.C", "a.B$C", "a$B$C"]);
    }
}
