//! Resolves a class name that the user wrote, and suggests similar names.

use bytecode::descriptor::written;
use std::collections::BTreeSet;

/// Maximum number of suggested names.
const MAX_NEAR: usize = 3;

/// The result of resolving a class name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// One class, by its binary name.
    One(String),
    /// Several user classes end with the written name: their binary names, sorted.
    Many(Vec<String>),
    /// No class has this name.
    None {
        /// User classes with similar names, best first.
        near: Vec<String>,
    },
}

/// The binary names that `a.Outer.Inner` can mean; those with fewer `$` come first.
pub(super) fn spellings(written: &str) -> Vec<String> {
    let mut out = vec![written.to_owned()];
    let mut current = written.to_owned();
    while let Some(dot) = current.rfind('.') {
        current.replace_range(dot..=dot, "$");
        out.push(current.clone());
    }
    out
}

/// Finds the user classes whose names end with the written one at a package or class boundary.
pub(super) fn resolve_among(names: &BTreeSet<String>, wanted: &str) -> Resolution {
    let spelled = spellings(wanted);
    let ends = |name: &str, boundary: char| {
        spelled.iter().any(|s| name.strip_suffix(s.as_str()).is_some_and(|rest| rest.ends_with(boundary)))
    };
    // `pkg.Intro` takes precedence over `pkg.Main$Intro`.
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
    // As the language of the class writes it.
    let shown_name = wanted.replace('$', ".");
    let is_it = |name: &&String| {
        let shown = written::class(name);
        let ends = |shown: String| {
            shown.strip_suffix(&shown_name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        *shown != **name && ends(shown.replace(['$', '/'], "."))
    };
    let mut found: Vec<String> = names.iter().filter(is_it).cloned().collect();
    match (found.len(), found.pop()) {
        (1, Some(one)) => Resolution::One(one),
        (_, Some(last)) => {
            found.push(last);
            Resolution::Many(found)
        }
        _ => Resolution::None { near: nearest(names, wanted) },
    }
}

/// The names within a small edit distance, ignoring case; compares full and simple names.
pub(super) fn nearest(names: &BTreeSet<String>, written: &str) -> Vec<String> {
    let wanted = written.replace('$', ".").to_lowercase();
    let wanted_simple = simple(&wanted);
    let mut scored: Vec<(usize, &String)> = names
        .iter()
        .filter(|n| !is_anonymous(n))
        .filter_map(|name| {
            let shown = name.replace('$', ".").to_lowercase();
            let whole = strsim::damerau_levenshtein(&shown, &wanted);
            // A wrong package counts as one edit more than the correct one.
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

/// Whether a class is anonymous or local (`Outer$1`, `Outer$1Local`); users do not write such names.
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
    fn a_name_in_a_wrong_package_is_suggested() {
        let all = names(&["com.shop.Cart", "com.shop.Other"]);
        assert_eq!(nearest(&all, "org.bank.Cart"), ["com.shop.Cart"]);
    }

    #[test]
    fn spellings_of_inner_classes() {
        assert_eq!(spellings("a.B.C"), ["a.B.C", "a.B$C", "a$B$C"]);
    }
}
