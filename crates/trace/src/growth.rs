//! Which code makes a recording large, and what would make it smaller.

use super::sites::Sites;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use wire::recording::{FIRST_SITE, Level};

/// `qp` says what makes a recording large from this many bytes on.
pub const LARGE_RECORDING: u64 = 1_000_000_000;

/// Number of classes and methods to name.
const NAMED: usize = 3;
/// Number of patterns that together leave out half of the events.
const PATTERNS: usize = 3;
/// Bytes of an event before its values.
const WORD: u64 = 4;

/// The events of a class or a method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventShare {
    /// The class, with dots, or the method.
    pub of: String,
    /// Their part of the events' bytes, from 0 to 1, without the descriptions of objects.
    pub part: f64,
}

/// What makes a recording large.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EventShares {
    /// The classes with most bytes of events, the largest first.
    pub classes: Vec<EventShare>,
    /// The methods with most bytes of events, the largest first.
    pub methods: Vec<EventShare>,
    /// Patterns of classes without which about half of the events would be left, or fewer; empty if there are
    /// none, or if nearly nothing would be left.
    pub half: Vec<String>,
    /// The next lower level, and the part of the bytes that it would take at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_level: Option<(Level, f64)>,
}

impl EventShares {
    /// From the number of events of each site, by the site's number less the first one. `bytes` is the size
    /// of all events with the descriptions of objects.
    pub fn of(counts: &[u64], sites: &Sites, level: Level, bytes: u64) -> EventShares {
        let lower = level.lower();
        let (mut of_classes, mut of_methods) = (BTreeMap::new(), HashMap::new());
        let (mut all, mut more) = (0, 0);
        for (number, count) in (FIRST_SITE..).zip(counts).filter(|(_, count)| **count > 0) {
            let Some(site) = sites.site(number) else { continue };
            let size = (WORD + u64::try_from(site.length).unwrap_or(0)).saturating_mul(*count);
            all += size;
            more += if lower.is_some_and(|lower| site.what.level() > lower) { size } else { 0 };
            if let Some(method) = sites.method(site.method) {
                *of_classes.entry(&*method.class).or_default() += size;
                *of_methods.entry(site.method).or_default() += size;
            }
        }
        let name = |method| sites.method(method).map(|of| format!("{}.{}", of.class, of.name));
        let methods = of_methods.into_iter().filter_map(|(method, size)| Some((name(method)?, size)));
        EventShares {
            half: half(&of_classes, all),
            classes: largest(of_classes.into_iter().map(|(class, size)| (class.to_owned(), size)), all),
            methods: largest(methods, all),
            lower_level: lower.filter(|_| bytes > 0).map(|lower| (lower, 1.0 - part(more, bytes))),
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "it is shown in percent")]
fn part(size: u64, all: u64) -> f64 {
    (size as f64 / all.max(1) as f64).min(1.0)
}

fn largest(of_each: impl Iterator<Item = (String, u64)>, all: u64) -> Vec<EventShare> {
    let mut sizes: Vec<(String, u64)> = of_each.collect();
    sizes.sort_unstable_by(|(one, of_one), (other, of_other)| of_other.cmp(of_one).then(one.cmp(other)));
    sizes.into_iter().take(NAMED).map(|(of, size)| EventShare { of, part: part(size, all) }).collect()
}

/// The narrowest pattern that selects at least half of the bytes, or else the largest classes that do so
/// together. Empty if they select nearly everything.
fn half(of_classes: &BTreeMap<&str, u64>, all: u64) -> Vec<String> {
    let is_half = |size: u64| size >= all.div_ceil(2);
    let is_less_than_all = |size: u64| part(size, all) < 0.95;
    let mut of_patterns: BTreeMap<String, u64> = BTreeMap::new();
    for (class, size) in of_classes {
        for (at, _) in class.match_indices('.') {
            *of_patterns.entry(format!("{}.**", class.get(..at).unwrap_or(class))).or_default() += size;
        }
        let ends = class.match_indices('$').map(|(at, _)| at).chain([class.len()]);
        for outer in ends.filter_map(|end| class.get(..end)).filter(|outer| !outer.ends_with(['.', '$'])) {
            *of_patterns.entry(outer.to_owned()).or_default() += size;
        }
    }
    let narrow = of_patterns.iter().filter(|(_, size)| is_half(**size));
    // A package with one class selects the same as that class, whose pattern is shorter to read.
    if let Some((pattern, size)) = narrow.min_by_key(|(pattern, size)| (**size, pattern.ends_with("**")))
        && is_less_than_all(*size)
    {
        return vec![pattern.clone()];
    }
    let mut sizes: Vec<(&str, u64)> = of_classes.iter().map(|(class, size)| (*class, *size)).collect();
    sizes.sort_unstable_by_key(|(class, size)| (Reverse(*size), *class));
    let mut sum = 0;
    let mut found = Vec::new();
    for (class, size) in sizes.into_iter().take(PATTERNS) {
        sum += size;
        found.push(class.to_owned());
        if is_half(sum) {
            return if is_less_than_all(sum) { found } else { Vec::new() };
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::{About, Folder};

    #[test]
    fn the_narrowest_pattern_with_half_of_the_events_is_found() {
        let found = |sizes: &[(&str, u64)]| {
            half(&sizes.iter().copied().collect(), sizes.iter().map(|(_, size)| size).sum())
        };
        assert_eq!(found(&[("a.b.Lexer", 60), ("a.Shop", 40)]), ["a.b.Lexer"]);
        assert_eq!(found(&[("a.b.Lexer", 30), ("a.b.Token", 30), ("a.Shop", 40)]), ["a.b.**"]);
        assert_eq!(found(&[("a.Lexer", 20), ("a.Lexer$Rule", 35), ("a.Shop", 45)]), ["a.Lexer"]);
        assert_eq!(found(&[("A", 30), ("B", 30), ("C", 20), ("D", 20)]), ["A", "B"]);
        // Without these classes, nothing would be left.
        assert!(found(&[("A", 100)]).is_empty());
        assert!(found(&[("A", 97), ("B", 3)]).is_empty());
        // Too many classes have the same share.
        let many: Vec<(String, u64)> = (0..20).map(|n| (format!("C{n}"), 5)).collect();
        assert!(found(&many.iter().map(|(name, size)| (&**name, *size)).collect::<Vec<_>>()).is_empty());
        assert!(found(&[]).is_empty());
    }

    #[test]
    fn shares_count_the_bytes_of_events_and_the_level_at_which_they_are_recorded() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(&temporary.path().join("trace"), &About::default()).unwrap();
        let site = |id: u32, what: &str| {
            format!(r#"{{"id":{id},"bci":0,"line":null,"what":{what},"written":null}}"#)
        };
        let class = |name: &str, sites: &str| {
            let facts = r#""source":null,"superclass":null,"access":1,"interfaces":[],"fields":[],"left":[]"#;
            let method = format!(
                r#"{{"name":"m","descriptor":"(J)V","access":8,"level":"all","parameters":[],"sites":[{sites}]}}"#
            );
            format!(r#"{{"Traced":{{"class":"{name}",{facts},"methods":[{method}]}}}}"#) + "\n"
        };
        let a = [site(16, r#""Enter""#), site(17, r#"{"Line":1}"#)].join(",");
        std::fs::write(folder.sites(), class("p/A", &a) + &class("p/B", &site(18, r#""Array""#))).unwrap();
        let sites = Sites::read(&folder, None).unwrap();
        // 10 entries of 12 bytes, 20 lines of 4 bytes, and 100 arrays of 8 bytes.
        let shares = EventShares::of(&[10, 20, 100, 7], &sites, Level::All, 2000);
        let [of_b, of_a] = [("B", 0.8), ("A", 0.2)];
        let share =
            |suffix: &str, (class, part): (&str, f64)| EventShare { of: format!("p.{class}{suffix}"), part };
        assert_eq!(shares.classes, [share("", of_b), share("", of_a)]);
        assert_eq!(shares.methods, [share(".m", of_b), share(".m", of_a)]);
        assert_eq!(shares.half, ["p.B"]);
        // Without the lines, 1920 of 2000 bytes are left; without the arrays too, 1120.
        assert_eq!(shares.lower_level, Some((Level::Writes, 0.96)));
        let shares = EventShares::of(&[10, 0, 100], &sites, Level::Writes, 1000);
        assert_eq!(shares.lower_level, Some((Level::Calls, 1.0 - 0.8)));
        assert_eq!(EventShares::of(&[10], &sites, Level::Calls, 120).lower_level, None);
    }
}
