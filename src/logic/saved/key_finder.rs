//! Finds keys in a recording, and what has a key.
//!
//! - An event is the n-th of its kind for its method, field or class in its thread. A step is the n-th at its
//!   line.
//! - An object is the n-th of its class that was born at its line in its thread; without lines, in its
//!   method. Without a recorded birth, it is the n-th of its class that the run met.
//! - A line is its text. Without the source, it is its distance from the first line of its method.

use super::form::SavedAnswer;
use super::keys::{EventKey, Keys, LineKey, ObjectKey};
use super::mentions::Mentions;
use crate::inspect::InspectError;
use crate::logic::error::LogicError;
use crate::logic::log::{BlockSummary, DecodedBlock, Kind, LogEvent};
use crate::logic::names::{java_name, source_file};
use crate::logic::search::Source;
use crate::trace::{CREATION, Calls, EventTime, Method, Value, WalkControl, shown_class};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::SystemTime;

/// Most objects of a class whose births are read. Objects of larger classes are counted as the run met them.
const BIRTHS: usize = 50_000;

impl SavedAnswer {
    /// Adds the keys of what the answer names. Sources that were changed after `recorded` are not read.
    ///
    /// # Errors
    /// The events cannot be read, or `goes_on` stopped the work.
    pub fn with_keys(
        mut self,
        source: &mut Source,
        recorded: Option<SystemTime>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<SavedAnswer, LogicError> {
        self.keys = keys(&Mentions::of(&self.reply), source, recorded, goes_on)?;
        Ok(self)
    }
}

/// The keys of what an answer names. Sources that were changed after `recorded` are not read.
///
/// # Errors
/// The events cannot be read, or `goes_on` stopped the work.
pub(super) fn keys(
    mentions: &Mentions,
    source: &mut Source,
    recorded: Option<SystemTime>,
    goes_on: &dyn Fn() -> bool,
) -> Result<Keys, LogicError> {
    let threads = thread_names(&source.recording.calls);
    let events = events(&mentions.events, source, &threads, recorded, goes_on)?;
    let mut objects = BTreeMap::new();
    let mut by_class: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for number in &mentions.objects {
        let calls = &source.recording.calls;
        if let Some(class) = calls.objects.class(calls.objects.own(*number)) {
            by_class.entry(class.to_string()).or_default().push(*number);
        }
    }
    for (class, wanted) in by_class {
        births(&class, &|number| wanted.contains(&number), source, &threads, (recorded, &mut objects))?;
    }
    let lines = lines(&mentions.lines, source, recorded);
    Ok(Keys { events, objects, lines })
}

/// Names of threads, different ones for different threads.
fn thread_names(calls: &Calls) -> HashMap<u32, String> {
    let mut met: HashMap<String, u32> = HashMap::new();
    let mut names = HashMap::new();
    for (thread, name, _) in calls.threads() {
        let count = met.entry(name.clone()).or_default();
        *count += 1;
        names.insert(thread, if *count == 1 { name } else { format!("{name} ({count})") });
    }
    names
}

fn method_name(method: &Method) -> String {
    format!("{}.{}{}", method.class, method.name, parameters(&method.descriptor))
}

/// The parameters of a method as they are written in Java.
fn parameters(descriptor: &str) -> String {
    let inside =
        descriptor.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(all, _)| all);
    let mut all = Vec::new();
    let mut rest = inside;
    while !rest.is_empty() {
        let dimensions = rest.len() - rest.trim_start_matches('[').len();
        let base = rest.get(dimensions..).unwrap_or("");
        let end = match base.starts_with('L') {
            true => base.find(';').map_or(base.len(), |end| end + 1),
            false => base.chars().next().map_or(0, char::len_utf8),
        };
        let (one, after) = rest.split_at((dimensions + end).min(rest.len()));
        if one.is_empty() {
            break;
        }
        all.push(shown_class(&bytecode::descriptor::java_type(one)));
        rest = after;
    }
    format!("({})", all.join(", "))
}

/// What an event happened to: its method, field or class.
fn subject(source: &Source, block: &DecodedBlock, event: &LogEvent) -> Option<String> {
    let calls = &source.recording.calls;
    let object = match block.values(event).first() {
        Some(Value::Object(object)) if *object != 0 => Some(*object),
        _ => None,
    };
    let class_of = |object: u32| calls.objects.class(object).map(|class| java_name(class).into_owned());
    match event.kind {
        Kind::MethodCall | Kind::MethodExit | Kind::Step => {
            event.call().and_then(|node| calls.method(node)).map(method_name)
        }
        Kind::SetField => {
            let written = calls.sites.site(event.site)?.written.clone()?;
            Some(format!("{}.{}", calls.sites.declares(&written), written.name))
        }
        Kind::DataStructure | Kind::Exception => object.and_then(class_of),
        Kind::MemberFields => source.log.index().class(event.site).map(|class| java_name(class).into_owned()),
        Kind::ThreadStart | Kind::ThreadDeath => None,
    }
}

/// The keys of events. Calls and exits come from the index of their method, the others from one pass over the
/// events of their kinds.
fn events(
    wanted: &BTreeSet<u64>,
    source: &mut Source,
    threads: &HashMap<u32, String>,
    recorded: Option<SystemTime>,
    goes_on: &dyn Fn() -> bool,
) -> Result<BTreeMap<u64, EventKey>, LogicError> {
    let mut keys = BTreeMap::new();
    let (mut kinds, mut last) = (0, 0);
    let mut counted = BTreeSet::new();
    let mut of_methods: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
    for id in wanted {
        let Some((block, event)) = source.event(*id)? else { continue };
        let is_call = matches!(event.kind, Kind::MethodCall | Kind::MethodExit);
        let calls = &source.recording.calls;
        let method =
            event.call().filter(|_| is_call).and_then(|node| Some((node, calls.method_number(node)?)));
        let Some((node, method)) = method else {
            kinds |= event.kind.bit();
            last = last.max(*id);
            counted.insert(*id);
            continue;
        };
        let of_method =
            of_methods.entry((method, block.thread)).or_insert_with(|| calls.of_method(method, block.thread));
        let ordinal = of_method.partition_point(|other| *other < node) + 1;
        let key = EventKey {
            thread: threads.get(&block.thread).cloned().unwrap_or_default(),
            kind: event.kind.functor().to_owned(),
            of: subject(source, &block, &event),
            at: None,
            ordinal: u64::try_from(ordinal).unwrap_or(u64::MAX),
        };
        keys.insert(*id, key);
    }
    if counted.is_empty() {
        return Ok(keys);
    }
    let mut counts: HashMap<(u32, Kind, Option<String>, u16), u64> = HashMap::new();
    let index = source.log.index().clone();
    for number in 0..index.blocks() {
        let Some(summary) = index.summary(number) else { break };
        let thread = summary.thread;
        if summary.kinds & kinds == 0 {
            continue;
        }
        if !goes_on() {
            return Err(LogicError::Inspect(InspectError::from(crate::trace::TraceError::Interrupted)));
        }
        let (calls, log) = source.parts();
        let block = log.block(calls, number)?;
        if block.first > last {
            break;
        }
        for (id, event) in (block.first..).zip(&block.events) {
            if event.kind.bit() & kinds == 0 {
                continue;
            }
            let of = subject(source, &block, event);
            let line = if event.kind == Kind::Step { event.line } else { 0 };
            let count = counts.entry((thread, event.kind, of.clone(), line)).or_default();
            *count += 1;
            if counted.contains(&id) {
                let thread = threads.get(&thread).cloned().unwrap_or_default();
                let kind = event.kind.functor().to_owned();
                let ordinal = *count;
                let method = event.call().and_then(|node| source.recording.calls.method_number(node));
                let at = method.filter(|_| line != 0).map(|method| line_of(source, method, line, recorded));
                keys.insert(id, EventKey { thread, kind, of, at, ordinal });
            }
        }
    }
    Ok(keys)
}

/// A line by its text, or by its distance from the first line of its method.
fn line_of(source: &mut Source, number: u32, line: u16, recorded: Option<SystemTime>) -> String {
    let (calls, lines) = (&source.recording.calls, &mut source.recording.lines);
    let method = calls.sites.method(number);
    let text =
        method.and_then(|method| lines.text(&method.class, method.source.as_deref(), line.into(), recorded));
    text.unwrap_or_else(|| {
        let of_method = calls.sites.all().filter(|site| site.method == number);
        let first = of_method.filter_map(|site| site.line).min().unwrap_or(0);
        format!("line +{}", line.saturating_sub(first))
    })
}

/// The number of the object with a key, as it is shown.
///
/// # Errors
/// The events cannot be read.
pub fn object_with(
    key: &ObjectKey,
    source: &mut Source,
    recorded: Option<SystemTime>,
) -> Result<Option<u32>, LogicError> {
    let threads = thread_names(&source.recording.calls);
    let classes = source.recording.calls.objects.all().map(|(_, class)| class);
    let class = classes.into_iter().find(|class| java_name(class) == key.class).cloned();
    let Some(class) = class else { return Ok(None) };
    let mut keys = BTreeMap::new();
    births(&class, &|_| true, source, &threads, (recorded, &mut keys))?;
    Ok(keys.into_iter().find(|(_, other)| other == key).map(|(number, _)| number))
}

/// The id of the event with a key.
///
/// # Errors
/// The events cannot be read.
pub fn event_with(
    key: &EventKey,
    source: &mut Source,
    recorded: Option<SystemTime>,
) -> Result<Option<u64>, LogicError> {
    let threads = thread_names(&source.recording.calls);
    let Some(kind) = Kind::named(&key.kind) else { return Ok(None) };
    let index = source.log.index().clone();
    let mut count = 0;
    for number in 0..index.blocks() {
        let Some(BlockSummary { thread, kinds, .. }) = index.summary(number) else { break };
        if kinds & kind.bit() == 0 || threads.get(&thread) != Some(&key.thread) {
            continue;
        }
        let (calls, log) = source.parts();
        let block = log.block(calls, number)?;
        for (id, event) in (block.first..).zip(&block.events) {
            if event.kind != kind || subject(source, &block, event) != key.of {
                continue;
            }
            if kind == Kind::MethodExit {
                // An exit has the ordinal of its call.
                let ordinal = event.call().and_then(|node| source.recording.calls.ordinal(node));
                if ordinal.and_then(|ordinal| u64::try_from(ordinal + 1).ok()) == Some(key.ordinal) {
                    return Ok(Some(id));
                }
                continue;
            }
            if let Some(at) = &key.at {
                let method = event.call().and_then(|node| source.recording.calls.method_number(node));
                let line = method.map(|method| line_of(source, method, event.line, recorded));
                if line.as_ref() != Some(at) {
                    continue;
                }
            }
            count += 1;
            if count == key.ordinal {
                return Ok(Some(id));
            }
        }
    }
    Ok(None)
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
fn creation(calls: &mut Calls, object: u32) -> Result<Option<Birth>, InspectError> {
    let Some(row) = calls.write_rows(object, CREATION).next() else { return Ok(None) };
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
fn births(
    class: &str,
    is_wanted: &dyn Fn(u32) -> bool,
    source: &mut Source,
    threads: &HashMap<u32, String>,
    (recorded, keys): (Option<SystemTime>, &mut BTreeMap<u32, ObjectKey>),
) -> Result<(), LogicError> {
    let calls = &mut source.recording.calls;
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
        let count = counts.entry(place).or_default();
        *count += 1;
        let number = source.recording.calls.objects.number(object);
        if !is_wanted(number) {
            continue;
        }
        let known = place.filter(|place| place.line != 0);
        let born_at = known.map(|place| line_of(source, place.method, place.line, recorded));
        let method = place.and_then(|place| source.recording.calls.sites.method(place.method));
        let key = ObjectKey {
            class: java_name(class).into_owned(),
            thread: place.and_then(|place| threads.get(&place.thread).cloned()),
            born_in: method.map(method_name),
            born_at,
            ordinal: *count,
        };
        keys.insert(number, key);
    }
    Ok(())
}

/// The objects that recorded constructors made. The caller of the constructor is the place.
fn constructed(class: &str, calls: &mut Calls) -> Result<HashMap<u32, Birth>, InspectError> {
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

/// The keys of lines.
fn lines(
    wanted: &BTreeSet<(String, u16)>,
    source: &mut Source,
    recorded: Option<SystemTime>,
) -> BTreeMap<String, LineKey> {
    if wanted.is_empty() {
        return BTreeMap::new();
    }
    let recording = &mut source.recording;
    // By file and line, the method that comes closest from above, and its first line.
    let mut first: HashMap<u32, u16> = HashMap::new();
    let mut known: BTreeMap<(String, u16), u32> = BTreeMap::new();
    for site in recording.calls.sites.all() {
        let (Some(method), Some(line)) = (recording.calls.sites.method(site.method), site.line) else {
            continue;
        };
        let low = first.entry(site.method).or_insert(line);
        *low = line.min(*low);
        let file = source_file(method).into_owned();
        if wanted.range((file.clone(), 0)..=(file.clone(), u16::MAX)).next().is_some() {
            known.entry((file, line)).or_insert(site.method);
        }
    }
    let mut keys = BTreeMap::new();
    for (file, line) in wanted {
        let before = known.range((file.clone(), 0)..=(file.clone(), *line)).next_back();
        let number = before.map(|(_, method)| *method);
        let method = number.and_then(|number| recording.calls.sites.method(number)).cloned();
        let text = method.as_ref().and_then(|method| {
            recording.lines.text(&method.class, method.source.as_deref(), (*line).into(), recorded)
        });
        let key = LineKey {
            method: method.as_ref().map(method_name),
            offset: number.and_then(|number| line.checked_sub(*first.get(&number)?)),
            text,
        };
        keys.insert(format!("{file}:{line}"), key);
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_written_as_in_java() {
        assert_eq!(parameters("()V"), "()");
        assert_eq!(parameters("(I[[JLjava/lang/String;[Lcom/acme/Rec;)V"), "(int, long[][], String, Rec[])");
    }
}
