//! Keys of objects: an object is the n-th of its class that was born at its line in its thread; without
//! lines, in its method. Without a recorded birth, it is the n-th of its class that the run met.

use super::keys::ObjectKey;
use super::run_names::RunNames;
use crate::error::LogicError;
use crate::names::java_name;
use past::PastError;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use trace::{CREATION, Calls, EventTime, WalkControl};

/// Most objects of a class whose births are read. Objects of larger classes are counted as the run met them.
const BIRTHS: usize = 50_000;

/// The keys of objects, by their numbers as they are shown.
///
/// # Errors
/// The events cannot be read.
pub(super) fn objects(
    wanted: &BTreeSet<u32>,
    names: &mut RunNames<'_>,
) -> Result<BTreeMap<u32, ObjectKey>, LogicError> {
    let mut by_class: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for number in wanted {
        let objects = &names.source.recording.calls.objects;
        if let Some(class) = objects.class(objects.own(*number)) {
            by_class.entry(class.to_string()).or_default().insert(*number);
        }
    }
    let mut keys = BTreeMap::new();
    for (class, of_class) in by_class {
        of_one_class(&class, &|number| of_class.contains(&number), names, &mut keys)?;
    }
    Ok(keys)
}

/// The number of the object with a key, as it is shown.
///
/// # Errors
/// The events cannot be read.
pub(super) fn object_with(key: &ObjectKey, names: &mut RunNames<'_>) -> Result<Option<u32>, LogicError> {
    let objects = &names.source.recording.calls.objects;
    let class = objects.all().map(|(_, class)| class).find(|class| java_name(class) == key.class).cloned();
    let Some(class) = class else { return Ok(None) };
    let mut keys = BTreeMap::new();
    of_one_class(&class, &|_| true, names, &mut keys)?;
    Ok(keys.into_iter().find(|(_, other)| other.is_same(key)).map(|(number, _)| number))
}

/// Where an object was born.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct BirthPlace {
    thread: u32,
    method: u32,
    /// The line; 0 if unknown.
    line: u16,
}

/// Where and when an object was born.
type Birth = (BirthPlace, EventTime);

/// The birth of an array, or of an object whose constructor is not recorded.
fn creation(calls: &mut Calls, object: u32) -> Result<Option<Birth>, PastError> {
    let Some(row) = calls.write_rows(object, CREATION)?.next() else { return Ok(None) };
    let mut born = None;
    calls.each_write(calls.writes_in(row), |calls, seen| {
        let thread = seen.node.and_then(|node| calls.thread_number(node));
        let (method, line) = (seen.site.method, seen.site.line.unwrap_or(0));
        born = thread.map(|thread| (BirthPlace { thread, method, line }, seen.when()));
        WalkControl::Stop
    })?;
    Ok(born)
}

/// The keys of objects of one class.
fn of_one_class(
    class: &str,
    is_wanted: &dyn Fn(u32) -> bool,
    names: &mut RunNames<'_>,
    keys: &mut BTreeMap<u32, ObjectKey>,
) -> Result<(), LogicError> {
    let calls = &mut names.source.recording.calls;
    let mut all: Vec<u32> =
        calls.objects.all().filter(|(_, of)| ***of == *class).map(|(object, _)| object).collect();
    all.sort_by_key(|object| calls.objects.number(*object));
    let reads_births = all.len() <= BIRTHS;
    let constructed = if reads_births { constructed(class, calls)? } else { HashMap::new() };
    let mut born: Vec<(u32, Option<Birth>)> = Vec::with_capacity(all.len());
    for object in all {
        let birth = match constructed.get(&object) {
            Some(birth) => Some(*birth),
            None if reads_births => creation(calls, object)?,
            None => None,
        };
        born.push((object, birth));
    }
    // The order in a thread is the order of births; without one, that in which the run met them.
    born.sort_by_key(|(object, born)| {
        (born.map(|(_, when)| when.place_in_thread()), calls.objects.number(*object))
    });
    let mut counts: HashMap<Option<BirthPlace>, u64> = HashMap::new();
    for (object, born) in born {
        let place = born.map(|(place, _)| place);
        // Lines with the same text count as one.
        let group = place.map(|place| match place.line {
            0 => place,
            line => BirthPlace { line: names.group(place.method, line), ..place },
        });
        let count = counts.entry(group).or_default();
        *count += 1;
        let number = names.source.recording.calls.objects.number(object);
        if is_wanted(number) {
            let known = place.filter(|place| place.line != 0);
            let key = ObjectKey {
                class: java_name(class).into_owned(),
                thread: place.map(|place| names.thread(place.thread).to_owned()),
                born_in: place.and_then(|place| names.method(place.method)).map(|of| of.to_string()),
                born_at: known.map(|place| names.line(place.method, place.line)),
                ordinal: *count,
            };
            keys.insert(number, key);
        }
    }
    Ok(())
}

/// The objects that recorded constructors made. The caller of the constructor is the place.
fn constructed(class: &str, calls: &mut Calls) -> Result<HashMap<u32, Birth>, PastError> {
    let mut constructors: HashMap<u32, u32> = HashMap::new();
    for (method, of) in (0..).zip(calls.sites.methods()) {
        if *of.class != *class || of.name != "<init>" {
            continue;
        }
        for (thread, ..) in calls.threads() {
            for node in calls.of_method(method, thread) {
                // Of constructors that call each other, the outermost has the lowest number.
                if let Some(object) = calls.born(node) {
                    let first = constructors.entry(object).or_insert(node);
                    *first = node.min(*first);
                }
            }
        }
    }
    let mut made = HashMap::with_capacity(constructors.len());
    for (object, node) in constructors {
        let method = calls.parent(node).and_then(|parent| calls.method_number(parent));
        let place = (calls.thread_number(node), method, calls.time_of_entry(node));
        if let (Some(thread), Some(method), Some(when)) = place {
            let line = match calls.made_at(node) {
                Some(at) => calls.called_from(at)?.unwrap_or(0),
                None => 0,
            };
            made.insert(object, (BirthPlace { thread, method, line }, when));
        }
    }
    Ok(made)
}
