//! Changes that a person judges as one: those of neighbouring elements of one array or list, such as the
//! characters that a call put into a buffer.

use super::changes::Change;
use past::snapshot::Shape;

/// Fewer changed elements of one array are shown one by one.
const LEAST: usize = 4;
/// Most groups of changes that a person can judge.
pub const JUDGEABLE: usize = 10;

/// One change, or the changes of several elements of one array or list.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeGroup<'a> {
    /// A change.
    One(&'a Change),
    /// Changes of elements, in the order of their indices.
    Elements {
        /// The array with the first and the last index: `this.buf[0…57]`.
        path: String,
        /// Number of elements that changed.
        count: usize,
        /// Their values at the entry, as text.
        old: String,
        /// Their values at the exit.
        new: String,
    },
}

/// Groups changes. Their order stays.
pub fn change_groups<'a>(changes: impl Iterator<Item = &'a Change>) -> Vec<ChangeGroup<'a>> {
    let mut groups = Vec::new();
    let mut run: Vec<(&str, usize, &Change)> = Vec::new();
    for change in changes {
        let element = element(&change.path);
        let goes_on = run
            .last()
            .zip(element)
            .is_some_and(|((array, last, _), (other, index))| *array == other && index > *last);
        if !goes_on {
            groups.extend(group(&std::mem::take(&mut run)));
        }
        match element {
            Some((array, index)) => run.push((array, index, change)),
            None => groups.push(ChangeGroup::One(change)),
        }
    }
    groups.extend(group(&run));
    groups
}

/// The array and the index of an element's path.
pub(super) fn element(path: &str) -> Option<(&str, usize)> {
    let (array, index) = path.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse().ok()?))
}

fn group<'a>(run: &[(&str, usize, &'a Change)]) -> Vec<ChangeGroup<'a>> {
    let (Some((array, first, _)), Some((.., last, _))) = (run.first(), run.last()) else { return Vec::new() };
    if run.len() < LEAST {
        return run.iter().map(|(.., change)| ChangeGroup::One(change)).collect();
    }
    let side =
        |of: fn(&Change) -> &Shape| text(&run.iter().map(|(.., change)| of(change)).collect::<Vec<_>>());
    vec![ChangeGroup::Elements {
        path: format!("{array}[{first}…{last}]"),
        count: run.len(),
        old: side(|change| &change.old),
        new: side(|change| &change.new),
    }]
}

/// Values of elements as text: characters and bytes of a text in quotes, equal values once with their number,
/// others one after another.
fn text(values: &[&Shape]) -> String {
    let texts: Vec<String> = values.iter().map(|value| value.text(0)).collect();
    match texts.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => {
            return format!("{} times {first}", values.len());
        }
        _ => {}
    }
    let letters: Option<String> = values.iter().map(|value| letter(value)).collect();
    match letters {
        Some(letters) => model::quoted(&letters, '"'),
        None => texts.join(", "),
    }
}

/// The character of a `char`, or of a `byte` that is one of a text in ASCII.
fn letter(value: &Shape) -> Option<char> {
    let Shape::Plain { of, value, .. } = value else { return None };
    match of.as_str() {
        "char" => value.as_str()?.chars().next(),
        "byte" => {
            let letter = char::from(u8::try_from(value.as_i64()?).ok()?);
            (letter.is_ascii_graphic() || matches!(letter, ' ' | '\t' | '\n' | '\r')).then_some(letter)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn change(path: &str, of: &str, old: serde_json::Value, new: serde_json::Value) -> Change {
        let plain = |value| Shape::Plain { of: of.to_owned(), value, truncated: false };
        Change { path: path.to_owned(), old: plain(old), new: plain(new), by_initialiser: false, part: None }
    }

    fn shown(changes: &[Change]) -> Vec<String> {
        let groups = change_groups(changes.iter());
        let text = |group: ChangeGroup<'_>| match group {
            ChangeGroup::One(change) => change.path.clone(),
            ChangeGroup::Elements { path, count, old, new } => format!("{path} {count}: {old} -> {new}"),
        };
        groups.into_iter().map(text).collect()
    }

    #[test]
    fn elements_of_one_array_are_one_group() {
        let letters = |array: &str, text: &str| -> Vec<Change> {
            let one = |(at, c): (usize, char)| {
                change(&format!("{array}[{at}]"), "char", json!("\0"), json!(c.to_string()))
            };
            text.chars().enumerate().map(one).collect()
        };
        let mut all = letters("buf", "hello");
        all.push(change("this.length", "int", json!(0), json!(5)));
        all.extend(letters("other", "abc"));
        let buffer = "buf[0…4] 5: 5 times '\\u0000' -> \"hello\"";
        let expected = [buffer, "this.length", "other[0]", "other[1]", "other[2]"];
        assert_eq!(shown(&all), expected);
        let numbers = [(3, 1), (5, 2), (6, 3), (9, 200)];
        let of = |of: &str| -> Vec<Change> {
            numbers.map(|(at, new)| change(&format!("a[{at}]"), of, json!(0), json!(new))).to_vec()
        };
        assert_eq!(shown(&of("int")), ["a[3…9] 4: 4 times 0 -> 1, 2, 3, 200"]);
        // The indices begin again, as in an array within an array.
        let twice = [of("int"), of("int")].concat();
        assert_eq!(shown(&twice).len(), 2);
    }
}
