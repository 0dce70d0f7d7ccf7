//! Finds a line again after an edit (DESIGN §6) by its text, its method, and its ordinal among equal lines. A
//! line is accepted only if it is certain. Otherwise the refusal lists the possible lines.

use bytecode::ClassFile;
use std::collections::{BTreeMap, BTreeSet};

/// The data remembered about a line, in addition to its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remembered {
    /// The trimmed text of the line.
    pub(crate) text: Option<String>,
    /// The method that contains it.
    pub(crate) method: Option<String>,
    /// Its position among the lines with that text in the method, from 1, and the number of those lines.
    pub(crate) ordinal: Option<(u32, u32)>,
}

/// The lines with code of a source file, with the methods that contain them.
pub(crate) struct MethodLines(BTreeMap<u32, BTreeSet<String>>);

impl MethodLines {
    pub(crate) fn of<'c>(classes: impl Iterator<Item = &'c ClassFile>) -> MethodLines {
        let mut lines: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for class in classes {
            for method in &class.methods {
                for entry in method.code.iter().flat_map(|code| &code.lines) {
                    lines.entry(entry.line).or_default().insert(source_name(&method.name).to_owned());
                }
            }
        }
        MethodLines(lines)
    }

    /// All lines with code.
    pub(crate) fn lines(&self) -> BTreeSet<u32> {
        self.0.keys().copied().collect()
    }

    fn holds(&self, line: u32, method: &str) -> bool {
        self.0.get(&line).is_some_and(|methods| methods.contains(method))
    }

    fn has_method(&self, method: &str) -> bool {
        self.0.values().any(|methods| methods.contains(method))
    }

    /// The remembered line, among those with its text; none if it is not certain.
    pub(crate) fn meant(&self, line: u32, with_text: &[u32], remembered: &Remembered) -> Option<u32> {
        let here = with_text.contains(&line).then_some(line);
        let only = |lines: &[u32]| if let [one] = lines { Some(*one) } else { None };
        let Some(method) = &remembered.method else { return here.or_else(|| only(with_text)) };
        let inside: Vec<u32> = with_text.iter().copied().filter(|l| self.holds(*l, method)).collect();
        match (inside.as_slice(), remembered.ordinal) {
            // The line left the method, or the method was renamed.
            ([], _) => only(with_text).or_else(|| here.filter(|_| !self.has_method(method))),
            ([one], None) => Some(*one),
            (many, None) => here.filter(|line| many.contains(line)),
            (many, Some((ordinal, of))) => {
                let at = usize::try_from(ordinal).ok()?.checked_sub(1)?;
                let counted = many.get(at).copied()?;
                // If the number of equal lines has changed, accept only a line that has not moved.
                let as_many = usize::try_from(of).is_ok_and(|of| of == many.len());
                (as_many || here == Some(counted)).then_some(counted)
            }
        }
    }

    /// The data to remember about a line.
    pub(crate) fn remember(&self, line: u32, with_text: &[u32], text: &str) -> Remembered {
        let methods = self.0.get(&line).map(|m| m.iter().cloned().collect::<Vec<_>>()).unwrap_or_default();
        let [method] = methods.as_slice() else {
            return Remembered { text: Some(text.to_owned()), ..Remembered::default() };
        };
        let inside: Vec<u32> = with_text.iter().copied().filter(|l| self.holds(*l, method)).collect();
        let place = inside.iter().position(|l| *l == line).filter(|_| inside.len() > 1);
        let ordinal =
            place.and_then(|place| Some((u32::try_from(place + 1).ok()?, u32::try_from(inside.len()).ok()?)));
        Remembered { text: Some(text.to_owned()), method: Some(method.clone()), ordinal }
    }
}

/// The source name of a method in a class file: a lambda belongs to the method that contains it.
fn source_name(name: &str) -> &str {
    let outer = name.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$'));
    match outer {
        Some(("new", _)) => "<init>",
        Some(("static", _)) => "<clinit>",
        Some((outer, _)) => outer,
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(of: &[(u32, &str)]) -> MethodLines {
        let mut lines: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for (line, method) in of {
            lines.entry(*line).or_default().insert((*method).to_owned());
        }
        MethodLines(lines)
    }

    fn remembered(method: Option<&str>, ordinal: Option<(u32, u32)>) -> Remembered {
        Remembered { text: Some("i++;".into()), method: method.map(str::to_owned), ordinal }
    }

    #[test]
    fn without_a_method_the_line_itself_or_the_only_one() {
        let file = lines(&[(3, "a"), (5, "a"), (9, "b")]);
        assert_eq!(file.meant(5, &[5, 9], &remembered(None, None)), Some(5));
        assert_eq!(file.meant(4, &[9], &remembered(None, None)), Some(9));
        assert_eq!(file.meant(4, &[5, 9], &remembered(None, None)), None);
    }

    #[test]
    fn the_method_chooses_between_equal_lines() {
        let file = lines(&[(3, "a"), (5, "a"), (9, "b")]);
        // Line 3 has the text by chance: the remembered line was in `b`.
        assert_eq!(file.meant(3, &[3, 9], &remembered(Some("b"), None)), Some(9));
        assert_eq!(file.meant(9, &[3, 5], &remembered(Some("b"), None)), None);
        assert_eq!(file.meant(9, &[3], &remembered(Some("b"), None)), Some(3), "moved to another method");
    }

    #[test]
    fn a_renamed_method_keeps_the_line_that_did_not_move() {
        let file = lines(&[(3, "a"), (9, "renamed")]);
        assert_eq!(file.meant(9, &[3, 9], &remembered(Some("b"), None)), Some(9));
        assert_eq!(file.meant(10, &[3, 9], &remembered(Some("b"), None)), None);
    }

    #[test]
    fn the_ordinal_counts_only_where_as_many_are_left() {
        let file = lines(&[(3, "a"), (5, "a"), (7, "a")]);
        assert_eq!(file.meant(4, &[3, 5], &remembered(Some("a"), Some((2, 2)))), Some(5));
        assert_eq!(file.meant(4, &[3, 5, 7], &remembered(Some("a"), Some((2, 2)))), None);
        assert_eq!(
            file.meant(5, &[3, 5, 7], &remembered(Some("a"), Some((2, 2)))),
            Some(5),
            "it did not move"
        );
        assert_eq!(file.meant(5, &[5], &remembered(Some("a"), Some((2, 2)))), None);
    }

    #[test]
    fn what_is_remembered_finds_the_line() {
        let file = lines(&[(3, "a"), (5, "a"), (9, "b")]);
        assert_eq!(file.remember(5, &[3, 5, 9], "i++;"), remembered(Some("a"), Some((2, 2))));
        assert_eq!(file.remember(9, &[3, 5, 9], "i++;"), remembered(Some("b"), None));
        assert_eq!(source_name("lambda$main$0"), "main");
        assert_eq!(source_name("lambda$new$1"), "<init>");
    }
}
