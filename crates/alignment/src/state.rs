//! What is known of both runs at the current step.

use super::AlignedRun;
use super::collections::Collections;
use super::correspondence::{Contents, Correspondence, Sameness};
use super::hashed::{NumberMap, NumberSet};
use super::heap::{Heap, Held, Place};
use super::report::DifferentStep;
use super::steps::{Step, StepKind};
use super::versions::Versions;
use classes::ClassPool;
use std::cell::Cell;
use trace::{CONTENTS, TEXT, TextHistories, Value};

/// How many references are followed in all to find out whether inputs differ. Beyond, calls are not judged.
const FOLLOWED: usize = 20_000_000;

/// The places that differ between the runs, named by objects of the first run.
#[derive(Default)]
struct DifferingPlaces {
    places: NumberSet<Place>,
    /// Number of differing places by object.
    by_object: NumberMap<u32, usize>,
}

/// Both runs up to the current step.
pub struct State<'a> {
    /// The runs.
    pub runs: [AlignedRun<'a>; 2],
    /// The members of both versions.
    pub versions: Versions,
    /// The pairs of objects.
    pub pairs: Correspondence,
    /// What the writes left.
    pub heaps: [Heap; 2],
    /// Their texts.
    pub texts: [TextHistories; 2],
    /// Their collections that were compared.
    pub collections: Collections,
    differing: DifferingPlaces,
    followed: usize,
    in_part: bool,
    /// The part of an object in which the values differed that were compared last.
    pub inner_difference: Option<DifferentStep>,
}

impl<'a> State<'a> {
    /// The state before the first step.
    pub fn new(runs: [AlignedRun<'a>; 2]) -> State<'a> {
        let versions = Versions::new(&runs);
        let mut pairs = Correspondence::default();
        for (side, run) in runs.iter().enumerate() {
            for (stream, name) in run.calls.streams().filter(|(_, name)| name.is_some()) {
                match runs[1 - side].calls.streams().find(|(_, other)| *other == name) {
                    Some((other, _)) if side == 0 => pairs.pair(stream, other),
                    Some(_) => {}
                    None => pairs.set_lone(side, stream),
                }
            }
        }
        State {
            runs,
            versions,
            pairs,
            heaps: Default::default(),
            texts: Default::default(),
            collections: Collections::default(),
            differing: DifferingPlaces::default(),
            followed: 0,
            in_part: false,
            inner_difference: None,
        }
    }

    /// The class files of both versions.
    pub fn pools(&self) -> [Option<&'a ClassPool>; 2] {
        [self.runs[0].pool, self.runs[1].pool]
    }

    /// Compares two values without looking at what can change.
    pub fn compare(&mut self, here: Value, there: Value) -> Sameness {
        match (here, there) {
            (Value::Object(one), Value::Object(other)) => {
                let contents = Contents {
                    calls: [&*self.runs[0].calls, &*self.runs[1].calls],
                    pools: self.pools(),
                    in_part: Cell::new(false),
                };
                let sameness = contents.compare(&self.pairs, &mut self.versions, one, other);
                self.in_part |= contents.in_part.get();
                sameness
            }
            (here, there) if here.is(there) => Sameness::Same,
            _ => Sameness::Different,
        }
    }

    /// Notes that something counts as the same although not all of it is known.
    pub fn is_same_in_part(&mut self) {
        self.in_part = true;
    }

    /// Whether something counted as the same since the last call of this method, although not all of it is
    /// known.
    pub fn take_in_part(&mut self) -> bool {
        std::mem::take(&mut self.in_part)
    }

    /// Whether the recorded writes say nothing about an object, so that it equals any other of its class.
    pub fn is_unwritten(&self, side: usize, object: u32) -> bool {
        self.heaps.get(side).is_none_or(|heap| heap.parts(object).is_empty())
    }

    /// Notes whether a place of the first run differs now.
    pub fn set_differs(&mut self, place: Place, differs: bool) {
        if !differs && self.differing.by_object.is_empty() {
            return;
        }
        let count = self.differing.by_object.entry(place.0).or_default();
        if differs && self.differing.places.insert(place) {
            *count += 1;
        } else if !differs && self.differing.places.remove(&place) {
            *count -= 1;
        }
        if *count == 0 {
            self.differing.by_object.remove(&place.0);
        }
    }

    /// The place of the first run that corresponds to a place of a run; `None` if its object has no partner.
    pub fn place_here(&self, side: usize, place: Place) -> Option<Place> {
        match (side, place.0) {
            (_, 0) => Some(place),
            (0, object) => self.pairs.there(object).map(|_| place),
            (_, object) => self.pairs.here(object).map(|object| (object, place.1)),
        }
    }

    /// Whether code outside of a call knows an object of one run that has no partner. `writes` is the number
    /// of writes before the call.
    pub fn is_shared_alone(&self, side: usize, object: u32, writes: usize) -> bool {
        self.pairs.is_lone(side, object) || self.heaps[side].was_shared(object, writes)
    }

    /// Whether a run stores an object where other code finds it when it stores it in this object.
    pub fn shares_by(&self, side: usize, holder: u32) -> bool {
        holder == 0
            || self.pairs.partner(side, holder).is_some()
            || self.heaps[side].was_shared(holder, usize::MAX)
    }

    /// Whether something that differs can be reached from values of the first run, or is static.
    pub fn reaches_difference(&mut self, values: &[Value]) -> bool {
        if self.differing.by_object.is_empty() {
            return false;
        }
        if self.differing.by_object.contains_key(&0) || self.is_cut() {
            return true;
        }
        let object = |value: &Value| match value {
            Value::Object(object) if *object != 0 => Some(*object),
            _ => None,
        };
        let mut open: Vec<u32> = values.iter().filter_map(object).collect();
        let mut known: NumberSet<u32> = open.iter().copied().collect();
        while let Some(object) = open.pop() {
            if self.differing.by_object.contains_key(&object) {
                return true;
            }
            for inner in self.heaps[0].referred(object) {
                self.followed += 1;
                if known.insert(inner) {
                    open.push(inner);
                }
            }
            if self.is_cut() {
                return true;
            }
        }
        false
    }

    /// Whether too many references were followed already.
    pub fn is_cut(&self) -> bool {
        self.followed > FOLLOWED
    }

    /// A value as text.
    pub fn show(&self, side: usize, value: Value) -> String {
        match value {
            Value::Object(object) => self.runs[side].calls.objects.show(object),
            Value::Boolean(value) => value.to_string(),
            Value::Char(unit) => {
                char::from_u32(unit.into()).map_or_else(|| format!("'\\u{unit:04x}'"), |c| format!("{c:?}"))
            }
            Value::Int(value) => value.to_string(),
            Value::Long(value) => format!("{value}L"),
            Value::Float(value) => format!("{value}f"),
            Value::Double(value) => value.to_string(),
        }
    }

    /// What a place holds, as text.
    pub fn show_held(&self, side: usize, held: Option<Held>) -> String {
        match held {
            Some(Held::Value(value)) => self.show(side, value),
            Some(Held::Contents) => "other contents".to_owned(),
            Some(Held::Varies) | None => "as it was".to_owned(),
        }
    }

    /// Whether an object of a run is a stream with a name, such as `System.err`. All code can reach those.
    pub fn is_named_stream(&self, side: usize, object: u32) -> bool {
        self.runs[side].calls.stream_name(object).is_some()
    }

    /// A place of a run as text.
    pub fn show_place(&self, side: usize, (object, part): Place) -> String {
        let name = |object| self.runs[side].calls.objects.name(object);
        if part == TEXT && self.runs[side].calls.is_stream(object) {
            let stream = self.runs[side].calls.stream_name(object);
            let stream = stream.map_or_else(|| name(object), str::to_owned);
            return format!("what it printed on {stream}");
        }
        if part == CONTENTS || part == TEXT {
            return name(object);
        }
        let field = self.versions.field_name(part);
        match (object, field) {
            (0, Some((class, field))) => format!("{class}.{field}"),
            (_, Some((_, field))) if !self.runs[side].calls.objects.is_array(object) => {
                format!("{}.{field}", name(object))
            }
            _ => format!("{}[{part}]", name(object)),
        }
    }

    /// What a step changed, as text.
    pub fn changed_by(&self, side: usize, step: &Step) -> Option<String> {
        match step.kind {
            StepKind::Enter(node) => Some(self.call(side, node)),
            StepKind::Return => Some("its result".to_owned()),
            StepKind::Throw => Some("its exception".to_owned()),
            StepKind::Born => Some("the object that it initialises".to_owned()),
            StepKind::Start => Some("the thread that it starts".to_owned()),
            _ => step.written().map(|place| self.show_place(side, place)),
        }
    }

    fn call(&self, side: usize, node: u32) -> String {
        let calls = &self.runs[side].calls;
        let method = calls.method(node).map_or_else(|| "?".to_owned(), trace::Method::shown);
        format!("its call #{} {method}", calls.shown(node))
    }
}
