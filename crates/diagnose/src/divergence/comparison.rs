//! Compares the values of one call in two runs. Before that, object numbers and names of lambdas, which
//! change from run to run, are replaced by names that do not.

use crate::changes::Change;
use crate::question::Question;
use alignment::Lambdas;
use classes::ClassPool;
use past::snapshot::Shape;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The path from the root of a value to a part of it.
pub type Path = Vec<String>;

/// Most differences that are reported for two values.
const MOST_DIFFERENCES: usize = 1000;

/// The paths at which two values differ.
pub fn differing_paths(one: &Value, other: &Value) -> Vec<Path> {
    let mut found = Vec::new();
    compare(one, other, &mut Vec::new(), &mut found);
    found
}

/// Adds the paths at which two values differ, as deep as possible. Arrays of different lengths and objects of
/// different types differ as a whole.
fn compare(one: &Value, other: &Value, at: &mut Path, found: &mut Vec<Path>) {
    if one == other || found.len() >= MOST_DIFFERENCES {
        return;
    }
    match (one, other) {
        (Value::Object(one), Value::Object(other)) if one.get("type") == other.get("type") => {
            let all = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
            for key in all {
                at.push(key.clone());
                match (one.get(key), other.get(key)) {
                    (Some(one), Some(other)) => compare(one, other, at, found),
                    _ => found.push(at.clone()),
                }
                at.pop();
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                at.push(format!("[{index}]"));
                compare(one, other, at, found);
                at.pop();
            }
        }
        _ => found.push(at.clone()),
    }
}

/// A path as people write it: `this.items[2]`, `its result`.
pub fn shown(path: &[String]) -> String {
    let (first, rest) = match path {
        [] => return "all".to_owned(),
        [first, name, rest @ ..] if first == "entry" || first == "exit" || first == "changed" => {
            let rest = if first == "changed" { rest.get(1..).unwrap_or_default() } else { rest };
            (name.clone(), rest)
        }
        [first, rest @ ..] => (format!("its {first}"), rest),
    };
    let plain = ["fields", "elements", "value", "object", "type", "truncated", "key"];
    let parts = rest.iter().filter(|part| !plain.contains(&part.as_str()));
    parts.fold(first, |text, part| if part.starts_with('[') { text + part } else { format!("{text}.{part}") })
}

/// The text of the value at a path, if that value is plain.
pub fn plain(value: &Value, path: &[String]) -> Option<String> {
    let mut at = value;
    for part in path {
        let index = part.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.parse::<usize>().ok());
        at = match index {
            Some(index) if at.is_array() => at.get(index)?,
            _ => at.get(part)?,
        };
    }
    let at = at.get("value").unwrap_or(at);
    (at.is_string() || at.is_number() || at.is_boolean()).then(|| at.to_string())
}

/// A call in a form that can be compared between runs.
pub struct ComparableCall {
    /// Its arguments and effects.
    pub value: Value,
    /// The paths of its changes by their keys in `value`.
    pub changes: HashMap<String, String>,
}

/// Makes the calls of a run comparable with those of other runs.
pub struct Normalizer<'a> {
    /// The lambdas of the version by their places.
    pub lambdas: &'a mut Lambdas,
    /// The class files of the version, if they are there.
    pub pool: Option<&'a ClassPool>,
}

impl Normalizer<'_> {
    /// The arguments and effects of a call, without its local variables.
    pub fn call(&mut self, question: &Question) -> ComparableCall {
        let refers = |(name, shape): (&String, &Shape)| -> Option<(String, Value)> {
            let value = serde_json::to_value(shape).ok()?;
            value.get("object").is_some().then(|| (name.clone(), value))
        };
        let own = question.exit.iter().filter(|(name, _)| question.entry.contains_key(*name));
        let exit: Map<String, Value> = own.filter_map(refers).collect();
        let mut changed = Map::new();
        for change in &question.changed {
            changed.insert(change.path.clone(), json!({ "old": change.old, "new": change.new }));
        }
        let call = json!({
            "entry": question.entry, "exit": exit, "result": question.result, "exception": question.exception,
            "changed": changed,
        });
        let mut objects = HashMap::new();
        let value = self.named(call, "", &mut objects);
        let key = |change: &Change| (keyed(&change.path, &objects), change.path.clone());
        ComparableCall { value, changes: question.changed.iter().map(key).collect() }
    }

    /// Names each object by the first path to it, and each lambda by its place in the source.
    fn named(&mut self, value: Value, at: &str, objects: &mut HashMap<u64, String>) -> Value {
        match value {
            Value::Object(fields) => {
                let mut named = Map::new();
                for (key, value) in fields {
                    let value = match (key.as_str(), value) {
                        ("object", Value::Number(number)) => {
                            let number = number.as_u64().unwrap_or(0);
                            objects.entry(number).or_insert_with(|| at.to_owned()).clone().into()
                        }
                        ("type", Value::String(of)) => self.lambdas.class(&of, self.pool).into(),
                        (_, value) => self.named(value, &format!("{at}/{key}"), objects),
                    };
                    named.insert(keyed(&key, objects), value);
                }
                Value::Object(named)
            }
            Value::Array(values) => {
                let one = |(index, value)| self.named(value, &format!("{at}/{index}"), objects);
                Value::Array(values.into_iter().enumerate().map(one).collect())
            }
            plain => plain,
        }
    }
}

/// A key with each object number in it, as in `this.counts{Key@7}`, replaced by the object's name.
fn keyed(key: &str, objects: &HashMap<u64, String>) -> String {
    let mut parts = key.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        let name = number.parse().ok().and_then(|number: u64| objects.get(&number));
        text = match name {
            Some(name) => format!("{text}@({name}){rest}"),
            None => format!("{text}@{part}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_differ_as_deep_as_possible() {
        let value = |n: u32, m: u32| json!({"entry": {"a": {"fields": {"n": n, "m": m}}}, "result": m});
        let texts = |paths: &[Path]| paths.iter().map(|path| shown(path)).collect::<Vec<_>>();
        assert_eq!(texts(&differing_paths(&value(1, 5), &value(2, 6))), ["a.n", "a.m", "its result"]);
        assert!(differing_paths(&value(1, 5), &value(1, 5)).is_empty());
        // Arrays of different lengths differ as a whole.
        assert_eq!(differing_paths(&json!([1, 2]), &json!([1])), [Path::new()]);
    }
}
