//! What a call changed: the values of everything reachable at its entry, compared with those at its exit.

use super::generated::is_hidden_field;
use super::initialisers::ClassInitialisers;
use indexmap::IndexMap;
use past::heap::ObjectPart;
use past::snapshot::{Bounds, Shape, Shaper};
use past::text;
use serde::Serialize;
use session::SessionError;
use std::collections::{HashMap, HashSet, VecDeque};
use trace::{CONTENTS, Calls, EventTime, Items, TEXT, TraceError, Value};

/// How deep the two values of a change are shown.
const CHANGE: Bounds = Bounds { depth: 3, elements: 32, parts: 100 };
/// Maximum number of streams in a question.
const STREAMS: usize = 20;
/// Maximum number of changes in a question.
const CHANGES: usize = 200;
/// Maximum number of fields and elements that are compared.
const COMPARED: usize = 20_000;
/// A field or element that the call changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Its path: `this.root.left`, `c[2]`, `Shop.open`.
    pub path: String,
    /// The value at the entry.
    pub old: Shape,
    /// The value at the exit.
    pub new: Shape,
    /// Whether only the initialisers of classes that the call was the first to use changed it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_initialiser: bool,
    /// The object and the number of its part; object 0 has the static fields. `None` for what was printed.
    #[serde(skip)]
    pub part: Option<(u32, u32)>,
}

/// The time in which changes count.
pub(super) struct ChangeSpan<'a> {
    pub begins: EventTime,
    pub ends: EventTime,
    /// The class initialisers that ran in it.
    pub initialisers: &'a ClassInitialisers,
}

impl ChangeSpan<'_> {
    /// A change of a part of an object, from its values at both ends.
    fn change(
        &self,
        shaper: &mut Shaper<'_>,
        object: u32,
        part: Option<u32>,
        path: &str,
        old: Shape,
        new: Shape,
    ) -> Result<Change, SessionError> {
        let by_initialiser = match part {
            Some(part) => {
                self.initialisers.alone_wrote(shaper.calls, object, part, self.begins..self.ends)?
            }
            None => false,
        };
        let part = part.map(|part| (object, part));
        Ok(Change { path: path.to_owned(), old, new, by_initialiser, part })
    }
}

/// The changes of a call to everything reachable from these objects and from static fields. Also returns
/// whether the list is complete.
pub(super) fn changes(
    shaper: &mut Shaper<'_>,
    roots: Vec<(String, u32)>,
    span: &ChangeSpan<'_>,
) -> Result<(Vec<Change>, bool), SessionError> {
    let (begins, ends) = (span.begins, span.ends);
    let bounds = std::mem::replace(&mut shaper.bounds, CHANGE);
    let mut changed = Vec::new();
    let mut queue: VecDeque<(String, u32)> = roots.into();
    for (number, path) in all_statics(shaper.calls)? {
        let (class, name) = path.rsplit_once('.').unwrap_or(("", &path));
        if is_hidden_field(class, name, shaper.fields.pool()) {
            // A hidden field is no change of its own. An enum constant in it can have changed, so its object
            // is compared.
            let held = shaper.held(0, &ObjectPart::of_static(number), begins)?;
            if let Some(Value::Object(object)) = held.filter(|held| *held != Value::Object(0)) {
                queue.push_back((path, object));
            }
            continue;
        }
        compare(shaper, 0, &ObjectPart::of_static(number), path, span, &mut changed, &mut queue)?;
    }
    let mut seen: HashSet<u32> = HashSet::new();
    let mut reached: HashMap<u32, String> = HashMap::new();
    let mut left = COMPARED;
    let mut is_whole = true;
    while let Some((path, object)) = queue.pop_front() {
        if !seen.insert(object) {
            continue;
        }
        if shaper.calls.has_text(object)? {
            if let Some((old, new)) = text::difference(shaper.calls, object, begins..ends)? {
                changed.push(span.change(shaper, object, Some(TEXT), &path, old, new)?);
            }
            reached.insert(object, path.clone());
        }
        if shaper.calls.has_contents(object)? {
            let compared = collections(shaper, object, &path, span, &mut changed, &mut queue)?;
            left = left.saturating_sub(compared);
        }
        let (parts, _) = shaper.parts(object, left.saturating_add(1))?;
        is_whole &= parts.len() <= left && changed.len() < CHANGES;
        if !is_whole {
            break;
        }
        left -= parts.len();
        for part in parts {
            let path = part.path(&path);
            compare(shaper, object, &part, path, span, &mut changed, &mut queue)?;
        }
    }
    changed.truncate(CHANGES);
    changed.extend(printed(shaper, &reached, begins, ends)?);
    shaper.bounds = bounds;
    Ok((changed, is_whole))
}

/// What a call printed, for each stream. `reached` has the paths of the streams that it was given.
fn printed(
    shaper: &mut Shaper<'_>,
    reached: &HashMap<u32, String>,
    begins: EventTime,
    ends: EventTime,
) -> Result<Vec<Change>, SessionError> {
    let streams: Vec<(u32, Option<String>)> =
        shaper.calls.streams().map(|(stream, name)| (stream, name.map(str::to_owned))).collect();
    let mut changed: Vec<Change> = Vec::new();
    for (stream, name) in streams {
        if changed.len() == STREAMS {
            break;
        }
        let Some(new) = text::printed(shaper.calls, stream, begins..ends)? else { continue };
        let path = name.or_else(|| reached.get(&stream).cloned()).unwrap_or_else(|| {
            let class = shaper.calls.objects.class(stream).map_or("?", |class| &**class);
            let class = model::short_class_name(class);
            let number = changed.iter().filter(|change| change.path.starts_with(&*class)).count();
            // Numbers of objects differ from run to run.
            if number == 0 { class.to_owned() } else { format!("{class} {}", number + 1) }
        });
        let old = Shape::Absent { absent: true };
        changed.push(Change { path, old, new, by_initialiser: false, part: None });
    }
    Ok(changed)
}

/// The static fields that are ever written, with their numbers.
///
/// # Errors
/// The recording cannot be read.
pub fn all_statics(calls: &Calls) -> Result<Vec<(u32, String)>, TraceError> {
    let mut found = Vec::new();
    for (part, (class, name)) in (0..).zip(calls.fields()) {
        if calls.is_ever_written(0, part)? {
            found.push((part, format!("{class}.{name}")));
        }
    }
    Ok(found)
}

/// Compares the contents of a collection: elements by index, elements of sets by themselves, values of maps
/// by key. Returns the number of compared items.
fn collections(
    shaper: &mut Shaper<'_>,
    object: u32,
    path: &str,
    span: &ChangeSpan<'_>,
    changed: &mut Vec<Change>,
    queue: &mut VecDeque<(String, u32)>,
) -> Result<usize, SessionError> {
    let (begins, ends) = (span.begins, span.ends);
    let is_set = shaper.calls.objects.class(object).is_some_and(|class| class.contains("Set"));
    let mut held = |when| -> Result<IndexMap<String, Option<Value>>, SessionError> {
        let contents = shaper.contents(object, when)?;
        let braced = |key: Value| format!("{path}{{{}}}", shaper.key(key));
        Ok(match contents.map(|contents| contents.items) {
            None => IndexMap::new(),
            Some(Items::Pairs(pairs)) => {
                pairs.into_iter().map(|(key, value)| (braced(key), Some(value))).collect()
            }
            Some(Items::Elements(elements)) => elements
                .into_iter()
                .enumerate()
                .map(|(at, value)| match value.filter(|_| is_set) {
                    Some(element) => (braced(element), Some(element)),
                    None => (format!("{path}[{at}]"), value),
                })
                .collect(),
        })
    };
    let (old, new) = (held(begins)?, held(ends)?);
    for (path, value) in &old {
        if let Some(Value::Object(inner)) = value.filter(|value| *value != Value::Object(0)) {
            queue.push_back((path.clone(), inner));
        }
    }
    let absent = |value: Option<&Option<Value>>, when, shaper: &mut Shaper<'_>| match value {
        Some(value) => shaper.shape(*value, "", when),
        None => Ok(Shape::Absent { absent: true }),
    };
    for path in old.keys().chain(new.keys().filter(|path| !old.contains_key(*path))) {
        if old.get(path) != new.get(path) && changed.len() < CHANGES {
            let old = absent(old.get(path), begins, shaper)?;
            let new = absent(new.get(path), ends, shaper)?;
            changed.push(span.change(shaper, object, Some(CONTENTS), path, old, new)?);
        }
    }
    Ok(old.len() + new.len())
}

/// Compares the value of a field or element at the entry of a call and at its exit.
fn compare(
    shaper: &mut Shaper<'_>,
    object: u32,
    part: &ObjectPart,
    path: String,
    span: &ChangeSpan<'_>,
    changed: &mut Vec<Change>,
    queue: &mut VecDeque<(String, u32)>,
) -> Result<(), SessionError> {
    let (begins, ends) = (span.begins, span.ends);
    let may_be = match part.part {
        Some(number) => shaper.calls.may_be_written(object, number, begins, ends)?,
        None => false,
    };
    let refers = part.descriptor.is_empty() || part.descriptor.starts_with(['L', '[']);
    if !may_be && !refers {
        return Ok(());
    }
    let old = shaper.held(object, part, begins)?;
    let new = if may_be { shaper.held(object, part, ends)? } else { old };
    let is_same = match (old, new) {
        (Some(old), Some(new)) => old.is(new),
        (old, new) => old == new,
    };
    if !is_same && changed.len() < CHANGES {
        let (old, new) =
            (shaper.shape(old, &part.descriptor, begins)?, shaper.shape(new, &part.descriptor, ends)?);
        changed.push(span.change(shaper, object, part.part, &path, old, new)?);
    }
    if let Some(Value::Object(inner)) = old.filter(|old| *old != Value::Object(0)) {
        queue.push_back((path, inner));
    }
    Ok(())
}
