//! Compares recordings whose first events were dropped with the whole ones.

use super::*;
use crate::calls::{Calls, OpenOptions};
use crate::decode::Value;
use crate::event_time::EventTime;
use crate::folder::{About, RecordingOutcome};
use crate::value_at::HeldValue;
use crate::walk::WalkControl;
use std::collections::{BTreeMap, BTreeSet};
use wire::recording::{Change, MEETING, NAMED, TURN, TextEffect};

/// Numbers of the sites, from 16 on: of a constructor, a method, and a class initialiser.
const NEW: u32 = 16;
const CALL: u32 = 22;
const KINDS: [(u32, &str, &str); 13] = [
    (NEW, "\"Enter\"", ""),
    (NEW + 1, "\"Born\"", ""),
    (NEW + 2, "\"Return\"", ""),
    (NEW + 3, "\"Preset\"", "p:LA;"),
    (NEW + 4, "\"Put\"", "f:I"),
    (NEW + 5, "\"Leave\"", ""),
    (CALL, "\"Enter\"", ""),
    (CALL + 1, "\"Return\"", ""),
    (CALL + 2, "\"Put\"", "g:LA;"),
    (CALL + 3, "\"Put\"", "f:I"),
    (CALL + 4, "\"PutStatic\"", "s:LA;"),
    (CALL + 5, "{\"Element\":\"L\"}", ""),
    (CALL + 6, "\"Array\"", ""),
];

fn report() -> String {
    let site = |(id, what, written): &(u32, &str, &str)| {
        let written = written.split_once(':').map_or("null".to_owned(), |(name, of)| {
            format!(r#"{{"class":"A","name":"{name}","descriptor":"{of}"}}"#)
        });
        format!(r#"{{"id":{id},"bci":0,"line":7,"what":{what},"written":{written}}}"#)
    };
    let of = |sites: &[(u32, &str, &str)]| sites.iter().map(site).collect::<Vec<_>>().join(",");
    let method = |name: &str, access: u32, descriptor: &str, sites: &str| {
        let facts = format!(r#""descriptor":"{descriptor}","access":{access},"level":"all""#);
        format!(r#"{{"name":"{name}",{facts},"parameters":[],"sites":[{sites}]}}"#)
    };
    let (made, called) = KINDS.split_at(6);
    let methods = [method("<init>", 1, "()V", &of(made)), method("m", 8, "(LA;)V", &of(called))].join(",");
    let field = |name: &str, of: &str, access: u32| {
        format!(r#"{{"name":"{name}","descriptor":"{of}","access":{access}}}"#)
    };
    let fields =
        [field("f", "I", 1), field("g", "LA;", 1), field("p", "LA;", 1), field("s", "LA;", 9)].join(",");
    let facts = format!(
        r#""source":null,"superclass":null,"access":1,"interfaces":[],"fields":[{fields}],"left":[]"#
    );
    format!(r#"{{"Traced":{{"class":"A",{facts},"methods":[{methods}]}}}}"#) + "\n"
}

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from((self.0 >> 16) % u64::from(end)).unwrap()
    }
}

/// What an object of the program is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    Array,
    List,
    Builder,
}

/// A program of several threads.
struct Program {
    random: Random,
    turn: u64,
    last: u32,
    /// The events of each thread since its last chunk, and the number of bytes before.
    threads: BTreeMap<u32, (Vec<u8>, u64)>,
    /// The open calls of each thread: a constructor has its object, and its step.
    open: BTreeMap<u32, Vec<Option<(u32, u32)>>>,
    /// The objects, from number 1 on, and whether they were met.
    objects: Vec<(Kind, bool)>,
    lists: BTreeMap<u32, u32>,
    texts: BTreeMap<u32, u32>,
    is_named: bool,
}

impl Program {
    fn new(seed: u64) -> Program {
        let threads: BTreeMap<u32, (Vec<u8>, u64)> = (1..=3).map(|of| (of, Default::default())).collect();
        Program {
            random: Random(seed * 0x9e37_79b9 + 1),
            turn: 0,
            last: 0,
            open: threads.keys().map(|of| (*of, Vec::new())).collect(),
            threads,
            objects: Vec::new(),
            lists: BTreeMap::new(),
            texts: BTreeMap::new(),
            is_named: false,
        }
    }

    fn words(&mut self, words: &[u32]) {
        let (events, _) = self.threads.get_mut(&self.last).unwrap();
        events.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    /// Describes an object at its first use.
    fn meet(&mut self, object: u32) -> u32 {
        if let Some((_, is_met @ false)) = self.objects.get_mut(object as usize - 1) {
            *is_met = true;
            self.words(&[MEETING, object]);
            let is_new = !std::mem::replace(&mut self.is_named, true);
            let (events, _) = self.threads.get_mut(&self.last).unwrap();
            // Each other object is a text.
            events.push(u8::from(object.is_multiple_of(2)));
            events.extend((9_999 | if is_new { NAMED } else { 0 }).to_le_bytes());
            if is_new {
                events.extend([1, 0, b'A', 0]);
            }
            if object.is_multiple_of(2) {
                events.extend(i32::try_from(object).unwrap().to_le_bytes());
                events.extend([1, 0, b'x', 0]);
            }
        }
        object
    }

    fn make(&mut self, kind: Kind) -> u32 {
        self.objects.push((kind, false));
        u32::try_from(self.objects.len()).unwrap()
    }

    /// An old or a new object; rather a new one, so that many become unreachable.
    fn any(&mut self, kind: Kind) -> Option<u32> {
        let of_kind = (1..).zip(&self.objects).filter(|(_, (of, _))| *of == kind).map(|(of, _)| of);
        let all: Vec<u32> = of_kind.collect();
        let count = u32::try_from(all.len()).unwrap();
        let back = if self.random.below(4) == 0 { count } else { count.min(6) };
        let at = count.checked_sub(1 + self.random.below(back.max(1)))?;
        Some(all[at as usize])
    }

    /// One step of some thread.
    fn step(&mut self) {
        let thread = if self.random.below(3) > 0 { self.last.max(1) } else { 1 + self.random.below(3) };
        if thread != self.last {
            self.last = thread;
            self.turn += 1;
            let turn = u32::try_from(self.turn).unwrap();
            self.words(&[TURN, turn, 0]);
        }
        let number = self.random.below(1000);
        if let Some(Some((object, step))) = self.open.get_mut(&thread).unwrap().last_mut() {
            // A constructor writes a field before `super(…)`, knows `this`, writes a field, and returns.
            let (object, now) = (*object, *step);
            *step += 1;
            match now {
                0 => {
                    if let Some(new) = self.any(Kind::Plain).filter(|new| *new != object) {
                        let new = self.meet(new);
                        self.words(&[NEW + 3, new]);
                    }
                }
                1 => {
                    let object = self.meet(object);
                    self.words(&[NEW + 1, object]);
                }
                2 => self.words(&[NEW + 4, object, 0, number]),
                _ => {
                    self.words(&[NEW + 2]);
                    self.open.get_mut(&thread).unwrap().pop();
                }
            }
            return;
        }
        let depth = self.open[&thread].len();
        match self.random.below(13) {
            0 | 1 if depth < 6 => {
                let argument = self.any(Kind::Plain).map_or(0, |object| self.meet(object));
                self.words(&[CALL, argument]);
                self.open.get_mut(&thread).unwrap().push(None);
            }
            2 | 3 => {
                if self.open.get_mut(&thread).unwrap().pop().is_some() {
                    self.words(&[CALL + 1]);
                }
            }
            4 | 5 => {
                let object = self.make(Kind::Plain);
                self.words(&[NEW]);
                let step = self.random.below(2);
                self.open.get_mut(&thread).unwrap().push(Some((object, step)));
            }
            6 => {
                let array = self.make(Kind::Array);
                self.meet(array);
                self.words(&[CALL + 6, array]);
            }
            7 => self.put_in_array(),
            8 => self.change_list(),
            9 => self.change_text(number),
            10 => {
                if let Some(new) = self.any(Kind::List).or(self.any(Kind::Plain)) {
                    let new = self.meet(new);
                    self.words(&[CALL + 4, 0, new]);
                }
            }
            _ => {
                let kinds = [Kind::Plain, Kind::Array, Kind::List, Kind::Builder];
                let kind = kinds[self.random.below(4) as usize];
                if let (Some(owner), Some(new)) = (self.known(), self.any(kind)) {
                    let (owner, new) = (self.meet(owner), self.meet(new));
                    self.words(&[CALL + 2, owner, 0, new]);
                    self.words(&[CALL + 3, owner, 0, number]);
                }
            }
        }
    }

    /// An object that is no longer being made.
    fn known(&mut self) -> Option<u32> {
        let making: Vec<u32> = self.open.values().flatten().flatten().map(|(object, _)| *object).collect();
        self.any(Kind::Plain).filter(|object| !making.contains(object))
    }

    fn put_in_array(&mut self) {
        if let (Some(array), Some(new)) = (self.any(Kind::Array), self.any(Kind::Plain)) {
            let index = self.random.below(3);
            let new = self.meet(new);
            self.words(&[CALL + 5, array, index, 0, new]);
        }
    }

    fn change_list(&mut self) {
        let Some(element) = self.any(Kind::Plain) else { return };
        let element = self.meet(element);
        let list = match self.any(Kind::List) {
            Some(list) if self.random.below(3) > 0 => list,
            _ => {
                let list = self.make(Kind::List);
                self.meet(list);
                self.words(&[4, list, Change::AllOfList as u32, 1, 0, 1, element]);
                self.lists.insert(list, 1);
                return;
            }
        };
        let size = self.lists.get_mut(&list).unwrap();
        *size += 1;
        let size = *size;
        self.words(&[4, list, Change::Insert as u32, size, size - 1, element]);
    }

    fn change_text(&mut self, number: u32) {
        let unit = [97 + u8::try_from(number % 26).unwrap()];
        let builder = match self.any(Kind::Builder) {
            Some(builder) if self.random.below(3) > 0 => builder,
            _ => self.make(Kind::Builder),
        };
        self.meet(builder);
        let is_first = !self.texts.contains_key(&builder);
        let length = self.texts.entry(builder).or_default();
        *length += 1;
        let length = *length;
        let effect = if is_first { TextEffect::Whole } else { TextEffect::Edit };
        self.words(&[8, builder, effect as u32 | wire::recording::AT_END, length, 1]);
        self.threads.get_mut(&self.last).unwrap().0.extend(unit);
    }

    /// Writes the events of some thread as a chunk.
    fn flush(&mut self, thread: u32, writers: &mut [&mut ChunkWriter]) {
        let (events, at) = self.threads.get_mut(&thread).unwrap();
        if !events.is_empty() {
            for writer in writers {
                writer.append(thread, *at, events).unwrap();
            }
            *at += events.len() as u64;
            events.clear();
        }
    }
}

fn new(folder: &std::path::Path) -> (Folder, ChunkWriter) {
    let folder = Folder::create(folder, &About::default()).unwrap();
    std::fs::write(folder.sites(), report()).unwrap();
    let writer = ChunkWriter::open(&folder.events()).unwrap();
    (folder, writer)
}

fn open(folder: &Folder, dropped: Option<Dropped>) -> Calls {
    let sites = Some(folder.sites_checksum().unwrap());
    let recorded = Some(RecordingOutcome { sites, ..Default::default() });
    let about = About { recorded, dropped, ..About::default() };
    let opening =
        OpenOptions { memory: 1 << 20, goes_on: &mut |_, _| true, is_interrupted: Arc::new(|| false) };
    let calls = Calls::open(folder, &about, opening).unwrap();
    assert_eq!(*calls.missing, [""; 0]);
    calls
}

/// The kept events of each thread: time in the whole recording and in the other, values, and methods of the
/// calls around.
type Moments = Vec<(EventTime, EventTime, Vec<Value>)>;

/// The times, values and enclosing methods of a thread's events, without heads and calls that go on.
fn events_of(calls: &mut Calls, thread: u32) -> Vec<(EventTime, Vec<Value>, Vec<u32>, String)> {
    let mut found = Vec::new();
    calls
        .walk_thread(thread, None, |calls, seen| {
            let is_head = calls.source.chunk(seen.place.0).is_none_or(|chunk| chunk.is_head);
            if !is_head && !seen.is_around {
                let mut methods = Vec::new();
                let mut at = seen.node;
                while let Some(node) = at {
                    methods.extend(calls.method_number(node));
                    at = calls.parent(node);
                }
                found.push((seen.when(), seen.values.to_vec(), methods, format!("{:?}", seen.site)));
            }
            WalkControl::Next
        })
        .unwrap();
    found
}

/// Checks the kept events, and returns their times.
fn same_events(whole: &mut Calls, rest: &mut Calls) -> Moments {
    let mut moments = Vec::new();
    for thread in 1..=3 {
        let (all, kept) = (events_of(whole, thread), events_of(rest, thread));
        let before = all.len() - kept.len();
        for (one, other) in all.into_iter().skip(before).zip(kept) {
            assert_eq!(one.0.turn, other.0.turn);
            assert_eq!((&one.1, &one.2, &one.3), (&other.1, &other.2, &other.3), "thread {thread}");
            moments.push((one.0, other.0, one.1));
        }
    }
    moments.sort_by_key(|(when, ..)| *when);
    moments
}

/// What `begin` lead to by references, in the whole recording, at and after a time.
fn reachable(whole: &mut Calls, begin: BTreeSet<u32>, first: EventTime) -> BTreeSet<u32> {
    let (mut found, mut left) = (begin.clone(), begin.into_iter().collect::<Vec<_>>());
    while let Some(object) = left.pop() {
        for next in references(whole, object, first) {
            if next != 0 && found.insert(next) {
                left.push(next);
            }
        }
    }
    found
}

fn references(whole: &mut Calls, object: u32, first: EventTime) -> Vec<u32> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(part) = whole.part_from(object, from).unwrap() {
        // Nothing is known of a field that was written before `super(…)`.
        let is_preset = whole.fields().get(part as usize).is_some_and(|(_, name)| name == "p");
        if !is_preset && let Some(Value::Object(to)) = whole.held(object, part, first).unwrap().value() {
            found.push(to);
        }
        from = part + 1;
    }
    if let Some(contents) = whole.contents(object, first).unwrap()
        && let crate::contents::Items::Elements(elements) = contents.items
    {
        found.extend(elements.iter().map(|element| reference(*element)));
    }
    found
}

fn reference(value: Option<Value>) -> u32 {
    crate::last_state::reference(value.as_ref())
}

/// Whether what one recording says fits the whole one. A reachable location is known.
fn same_values(
    whole: &mut Calls,
    rest: &mut Calls,
    moments: &Moments,
    program: &Program,
    is_exact: bool,
) -> usize {
    let Some((first, ..)) = moments.first() else { return 0 };
    let named = moments.iter().flat_map(|(.., values)| values.iter().map(|value| reference(Some(*value))));
    let mut begin: BTreeSet<u32> = named.filter(|object| *object != 0).collect();
    begin.extend(references(whole, 0, *first));
    let reached = reachable(whole, begin, *first);
    let mut same = 0;
    for object in 0..=u32::try_from(program.objects.len()).unwrap() {
        if reached.contains(&object) && is_exact {
            assert_eq!(rest.objects.class(object), whole.objects.class(object), "class of {object}");
            assert_eq!(rest.objects.show(object), whole.objects.show(object));
        }
        let is_made = rest.was_made(object).unwrap();
        assert!(!is_made || whole.was_made(object).unwrap());
        for (when, then, _) in moments.iter().step_by(1 + moments.len() / 12) {
            let mut from = 0;
            while let Some(part) = whole.part_from(object, from).unwrap() {
                from = part + 1;
                let is_array = object != 0 && program.objects[object as usize - 1].0 == Kind::Array;
                let name = whole.fields().get(part as usize).filter(|_| !is_array).cloned();
                let number = rest.fields().iter().position(|of| Some(of) == name.as_ref());
                let is_preset = name.as_ref().is_some_and(|(_, name)| name == "p");
                let truth = whole.held(object, part, *when).unwrap();
                let Some(part) = number.map(|at| at as u32).or(is_array.then_some(part)) else { continue };
                let held = rest.held(object, part, *then).unwrap();
                match (held, truth) {
                    (HeldValue::Written(held, at), HeldValue::Written(value, time)) => {
                        assert_eq!((held, at.turn), (value, time.turn), "@{object}[{part}]");
                        same += 1;
                    }
                    (HeldValue::Unwritten | HeldValue::Unknown, HeldValue::Written(..)) => {
                        assert!(!is_made, "@{object}[{part}] is taken for its default");
                        let is_known = is_exact && (reached.contains(&object) || object == 0);
                        assert!(!is_known || is_preset, "@{object}[{part}] is not known at {when:?}");
                    }
                    (HeldValue::Written(..), _) => panic!("{held:?} for {truth:?}"),
                    // The program writes no values that a write has replaced.
                    _ => {}
                }
            }
            let truth = whole.contents(object, *when).unwrap();
            let held = rest.contents(object, *then).unwrap().filter(|held| !held.unsure);
            assert!(held.is_none() || held == truth, "contents of {object}: {held:?} for {truth:?}");
            let text = whole.text(object, *when).unwrap();
            let known = rest.text(object, *then).unwrap().filter(|held| !held.unsure);
            assert!(known.is_none() || known == text, "text of {object}");
            if is_exact && reached.contains(&object) {
                assert!(held.is_some() || truth.is_none(), "contents of {object}");
                assert!(known.is_some() || text.is_none(), "text of {object}");
            }
        }
    }
    same
}

/// Records a program whole and with its first events dropped at some moments, and compares both. Returns the
/// number of equal values.
fn compare(seed: u64, room: &dyn Fn(u64) -> Room, is_exact: bool) -> usize {
    let temporary = tempfile::tempdir().unwrap();
    let (all, mut writer) = new(&temporary.path().join("all"));
    let (folder, mut limited) = new(&temporary.path().join("rest"));
    let mut compaction = Compaction::new(&folder, 1 << 30);
    let mut program = Program::new(seed);
    for n in 0..2000 {
        program.step();
        if program.random.below(12) == 0 {
            let thread = 1 + program.random.below(3);
            program.flush(thread, &mut [&mut writer, &mut limited]);
        }
        if n % 450 == 449 && !is_exact {
            let until = limited.stored;
            for thread in 1..=3 {
                program.flush(thread, &mut [&mut writer, &mut limited]);
            }
            let room = Room { until, ..room(limited.stored) };
            let made = written(&folder, room, &AtomicBool::new(false)).unwrap();
            // Some chunks come meanwhile.
            (0..100).for_each(|_| program.step());
            for thread in 1..=2 {
                program.flush(thread, &mut [&mut writer, &mut limited]);
            }
            compaction.replace(made, &mut limited).unwrap();
        }
    }
    for thread in 1..=3 {
        program.flush(thread, &mut [&mut writer, &mut limited]);
    }
    // The program goes on with objects that nothing reaches. At its end, what is kept says all.
    for _ in 0..if is_exact { 1 + seed % 3 } else { 0 } {
        let made = written(&folder, room(limited.stored), &AtomicBool::new(false)).unwrap();
        compaction.replace(made, &mut limited).unwrap();
    }
    for folder in [&all, &folder] {
        std::fs::remove_dir_all(folder.rings()).unwrap();
    }
    let dropped = compaction.dropped().unwrap();
    let (mut whole, mut rest) = (open(&all, None), open(&folder, Some(dropped)));
    assert!(!dropped.is_limited || !is_exact);
    assert!(dropped.events > 100);
    assert_eq!(std::fs::metadata(folder.events()).unwrap().len(), limited.stored);
    let moments = same_events(&mut whole, &mut rest);
    let events: usize = (1..=3).map(|thread| events_of(&mut whole, thread).len()).sum();
    assert_eq!(dropped.events, (events - moments.len()) as u64);
    assert_eq!(rest.bytes, limited.bytes);
    same_values(&mut whole, &mut rest, &moments, &program, is_exact)
}

#[test]
fn what_is_kept_equals_the_whole_recording() {
    let mut same = 0;
    for seed in 1..=8 {
        let room = |stored: u64| Room {
            kept: stored / (2 + seed % 3),
            events: usize::MAX,
            memory: 1 << 20,
            piece: [None, Some(50)][(seed % 2) as usize],
            until: stored,
        };
        same += compare(seed, &room, true);
    }
    assert!(same > 1000, "{same}");
}

#[test]
fn what_is_known_is_right_while_the_program_goes_on_and_without_room() {
    for seed in 1..=8 {
        let events = [usize::MAX, 40][(seed % 2) as usize];
        let memory = [1 << 20, 1 << 12][(seed / 2 % 2) as usize];
        compare(
            seed,
            &|stored| Room {
                kept: stored / 3,
                events,
                memory,
                piece: [None, Some(100)][(seed % 3 % 2) as usize],
                until: stored,
            },
            false,
        );
    }
}
