//! Hand-written runs for the locator's tests: TraceQueries, and a program of two threads with calls, returns
//! and hits.

use locate::Locator;
use model::{
    Activation, ActivationKey, Catch, ClassKey, Detail, ExceptionDetail, Frame, FrameKey, MethodName,
    ObjectId, Occurrence, ShapeKey, Site, StackKey, Tables, ThreadKey, Value, Way,
};
use query::{
    BranchSite, Constraint, Event, Field, FrameSelector, LocalConditions, Pass, PointIndex, Slot, StoreSite,
    TraceQuery,
};
use std::collections::BTreeMap;

/// An occurrence with only its TraceQuery and its sequence.
pub fn occurrence(query: u16, sequence: u64) -> Occurrence {
    Occurrence {
        sequence,
        query,
        thread: ThreadKey(0),
        frame: FrameKey(0),
        stack: StackKey::EMPTY,
        activation: None,
        owner: Value::Null,
        old: Value::Unassigned,
        new: Value::Unassigned,
        way: None,
        ordinal: 0,
        shape: ShapeKey::NONE,
        kept: Box::default(),
        detail: None,
    }
}

/// A TraceQuery with an arbitrary event.
pub fn query(point: u16, constraints: Vec<Constraint>, index: i64) -> TraceQuery {
    let id = char::from(b'A' + (point % 26) as u8).to_string();
    TraceQuery {
        point: PointIndex(point),
        id: id.into(),
        event: Event::Reached(vec![Pass {
            method: MethodName::new("Intro", "main", "()V"),
            entries: vec![0],
            exits: Vec::new(),
            on_entry: false,
            gates: Vec::new(),
        }]),
        constraints,
        index,
        keep: Vec::new(),
        local: LocalConditions::default(),
        collect: None,
        text: None,
        compare_at: None,
    }
}

pub const A: PointIndex = PointIndex(0);
pub const B: PointIndex = PointIndex(1);
pub const C: PointIndex = PointIndex(2);
pub const D: PointIndex = PointIndex(3);
pub const E: PointIndex = PointIndex(4);

pub fn site(method: &str, bci: u32) -> Site {
    Site { method: MethodName::new("Intro", method, "()V"), bci }
}

pub fn object(id: u64) -> Value {
    Value::Object { id: ObjectId(id), class: ClassKey(0) }
}

pub fn written() -> Event {
    Event::Written(Field { class: "Record".into(), name: "bar".into(), is_static: false })
}

pub fn stored(stores: &[(&str, u32)], asked_at: &[Site]) -> Event {
    let store = |(method, bci): &(&str, u32)| StoreSite {
        site: site(method, *bci),
        value_at: bci + 1,
        old_readable: true,
        slot: 1,
        descriptor: "I".into(),
        asked_at: asked_at.to_vec(),
    };
    Event::Stored(stores.iter().map(store).collect())
}

/// Branches: each site with the sites it controls and the ways that lead there.
pub fn branched(branches: &[(Site, &[(Site, u32)])]) -> Event {
    let branch = |(at, controls): &(Site, &[(Site, u32)])| {
        let mut by_site: BTreeMap<Site, Vec<u32>> = BTreeMap::new();
        for (effect, way) in *controls {
            by_site.entry(effect.clone()).or_default().push(*way);
        }
        BranchSite { site: at.clone(), targets: vec![0, 1], controls: by_site, turns: None }
    };
    Event::Branched(branches.iter().map(branch).collect())
}

pub fn last_change_of_local(of: PointIndex) -> Vec<Constraint> {
    vec![
        Constraint::Before(of),
        Constraint::SameThread(of),
        Constraint::MayAffect { point: of, frame: FrameSelector::Nth(0) },
        Constraint::StoresFor { point: of, frame: 0 },
    ]
}

pub fn last_condition(of: PointIndex) -> Vec<Constraint> {
    vec![
        Constraint::Before(of),
        Constraint::SameThread(of),
        Constraint::MayAffect { point: of, frame: FrameSelector::Any },
        Constraint::Controls(of),
    ]
}

pub fn last_change_of_field(of: PointIndex, theirs: Slot) -> Vec<Constraint> {
    vec![Constraint::Before(of), Constraint::Sameness { mine: Slot::Owner, point: of, theirs }]
}

pub struct Call {
    method: &'static str,
    bci: u32,
    activation: ActivationKey,
}

/// A hand-written run of two threads in which all methods are tracked.
#[derive(Default)]
pub struct Run {
    pub tables: Tables,
    threads: [Vec<Call>; 2],
    pub sequence: u64,
}

impl Run {
    pub fn call(&mut self, thread: usize, method: &'static str) -> ActivationKey {
        let calls = &mut self.threads[thread];
        let caller = calls.last().map(|c| c.activation);
        let depth = calls.len() as u32 + 1;
        let key = self.tables.method_key(&MethodName::new("Intro", method, "()V"));
        let activation = self.tables.add_activation(Activation { caller, depth, method: key, certain: true });
        calls.push(Call { method, bci: 0, activation });
        activation
    }

    pub fn exit(&mut self, thread: usize) {
        self.threads[thread].pop();
    }

    /// The thread's newest frame reaches `bci`, which is an occurrence of `query`.
    pub fn hit(&mut self, thread: usize, query: PointIndex, bci: u32) -> Occurrence {
        self.threads[thread].last_mut().unwrap().bci = bci;
        self.sequence += 1;
        let calls = &self.threads[thread];
        let mut frames: Vec<FrameKey> = Vec::new();
        for call in calls.iter().rev() {
            let frame =
                Frame { site: site(call.method, call.bci), line: None, source_file: None, loader: None };
            frames.push(self.tables.frame_key(frame));
        }
        Occurrence {
            thread: ThreadKey(thread as u32),
            frame: frames[0],
            stack: self.tables.stack_key(&frames),
            activation: calls.last().map(|c| c.activation),
            ..occurrence(query.0, self.sequence)
        }
    }

    pub fn live(&self) -> Vec<ActivationKey> {
        self.threads.iter().flatten().map(|c| c.activation).collect()
    }
}

pub fn way(way: u16, occurrence: Occurrence) -> Occurrence {
    Occurrence { way: Way::new(way), ..occurrence }
}

pub fn owner(id: u64, occurrence: Occurrence) -> Occurrence {
    Occurrence { owner: object(id), ..occurrence }
}

pub fn keeps(value: Value, occurrence: Occurrence) -> Occurrence {
    Occurrence { kept: Box::new([value]), ..occurrence }
}

pub fn caught_in(activation: ActivationKey, occurrence: Occurrence) -> Occurrence {
    let catch = Catch { frame: occurrence.frame, handler: 9, above: 0, activation: Some(activation) };
    let exception = ExceptionDetail { caught: Some(catch), thrown: occurrence.frame, bypassed: None };
    Occurrence {
        detail: Some(Box::new(Detail { exception: Some(exception), ..Detail::default() })),
        ..occurrence
    }
}

pub fn sequence(locator: &Locator, point: PointIndex) -> Option<u64> {
    locator.located(point).map(|l| l.occurrence.sequence)
}
