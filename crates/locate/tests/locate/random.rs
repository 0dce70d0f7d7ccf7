//! Compares the locator with the oracle on random chains and runs: several threads, recursion, ended
//! activations, few objects, and pruning at random moments.

use crate::brute;
use crate::script::{occurrence, query};
use locate::{Locator, Options, Unlocated};
use model::{
    Activation, ActivationKey, Catch, ClassKey, Detail, ExceptionDetail, Frame, FrameKey, MethodName,
    ObjectId, Occurrence, Site, StackKey, Tables, ThreadIdentity, ThreadKey, Value, Way,
};
use proptest::prelude::*;
use query::{BranchSite, Constraint, Event, FrameSelector, PointIndex, Slot, StoreSite, TraceQuery};
use std::collections::BTreeMap;

const METHODS: u8 = 3;
const SITES: u32 = 3;

fn site(method: u8, bci: u32) -> Site {
    Site { method: MethodName::new("C", format!("m{method}"), "()V"), bci }
}

/// One step of a run.
#[derive(Clone, Debug)]
enum Step {
    Call {
        thread: u8,
        method: u8,
        certain: bool,
    },
    Return {
        thread: u8,
    },
    Event {
        thread: u8,
        query: u8,
        bci: u32,
        way: u32,
        owner: u8,
        kept: [u8; 2],
        caught: u8,
        same_event: bool,
    },
    Prune,
}

fn step() -> impl Strategy<Value = Step> {
    let event = (0..2u8, 0..5u8, 0..SITES, 0..3u32, 0..3u8, [0..3u8, 0..3u8], 0..4u8, any::<bool>());
    prop_oneof![
        3 => (0..2u8, 0..METHODS, prop::bool::weighted(0.9))
            .prop_map(|(thread, method, certain)| Step::Call { thread, method, certain }),
        2 => (0..2u8).prop_map(|thread| Step::Return { thread }),
        14 => event.prop_map(|(thread, query, bci, way, owner, kept, caught, same_event)| Step::Event {
            thread, query, bci, way, owner, kept, caught, same_event,
        }),
        2 => Just(Step::Prune),
    ]
}

/// The constraints of a template, with the kind of event they need.
fn constraints(choice: u8, p: u16, frame: i32, extra: u8) -> (u8, Vec<Constraint>) {
    let p = PointIndex(p);
    let same = |mine| Constraint::Sameness { mine, point: p, theirs: Slot::Kept(usize::from(extra % 2)) };
    let nth = FrameSelector::Nth(frame);
    match choice {
        0 => (0, vec![Constraint::Before(p), same(Slot::Owner)]),
        1 => (
            1,
            vec![
                Constraint::Before(p),
                Constraint::SameThread(p),
                Constraint::MayAffect { point: p, frame: nth },
                Constraint::StoresFor { point: p, frame },
            ],
        ),
        2 => (
            2,
            vec![
                Constraint::Before(p),
                Constraint::MayAffect { point: p, frame: FrameSelector::Any },
                Constraint::Controls(p),
            ],
        ),
        3 => (2, vec![Constraint::Before(p), Constraint::Controls(p)]),
        4 => (0, vec![Constraint::After(p), Constraint::CaughtIn(p)]),
        5 => (0, vec![Constraint::After(p), Constraint::Within(p)]),
        6 => (0, vec![Constraint::Before(p), Constraint::Within(p)]),
        7 => (0, vec![Constraint::After(p), Constraint::SameThread(p)]),
        8 => (0, vec![Constraint::Before(p), Constraint::CaughtIn(p)]),
        9 => (0, vec![same(Slot::Kept(0))]),
        10 => (0, vec![Constraint::Before(p)]),
        11 => (0, vec![Constraint::MayAffect { point: p, frame: nth }, same(Slot::Kept(1))]),
        12 => (1, vec![Constraint::Before(p), Constraint::StoresFor { point: p, frame }]),
        13 => {
            let equal = Constraint::SameValue {
                mine: Slot::Kept(0),
                point: p,
                theirs: Slot::Kept(usize::from(extra % 2)),
            };
            (0, vec![Constraint::Before(p), Constraint::SameThread(p), equal])
        }
        _ => (0, vec![]),
    }
}

fn event(kind: u8, salt: u8) -> Event {
    match kind {
        1 => {
            let asked = |slot: u8| {
                let all = (0..METHODS).flat_map(|m| (0..SITES).map(move |b| (m, b)));
                let some = all.filter(|(m, b)| (u32::from(*m) + b + u32::from(slot + salt)) % 3 != 0);
                some.map(|(m, b)| site(m, b)).collect::<Vec<_>>()
            };
            let stores = (0..3u8).map(|way| StoreSite {
                site: site(way % METHODS, u32::from(way) % SITES),
                value_at: 0,
                old_readable: false,
                slot: u16::from(way),
                descriptor: "I".into(),
                asked_at: asked(way),
            });
            Event::Stored(stores.collect())
        }
        2 => {
            let branches = (0..METHODS).flat_map(|m| (0..SITES - 1).map(move |b| (m, b)));
            let branch = |(m, b): (u8, u32)| {
                let ways =
                    |at: u32| (0..3).filter(|w| (w + at + b + u32::from(salt)).is_multiple_of(2)).collect();
                let controls: BTreeMap<Site, Vec<u32>> =
                    (0..SITES).map(|at| (site(m, at), ways(at))).collect();
                BranchSite { site: site(m, b), targets: vec![0, 1, 2], controls, turns: None }
            };
            Event::Branched(branches.map(branch).collect())
        }
        _ => Event::Written(query::Field { class: "C".into(), name: "f".into(), is_static: false }),
    }
}

/// Template number, the named point, a frame and a salt.
type Templates = Vec<(u8, u16, i32, u8)>;

fn chain() -> impl Strategy<Value = Vec<TraceQuery>> {
    let one =
        (prop::collection::vec((0..15u8, any::<u16>(), -2..3i32, any::<u8>()), 0..3), -3..3i64, any::<u8>());
    prop::collection::vec(one, 1..=5).prop_map(|points| {
        let build = |(place, (templates, index, salt)): (usize, (Templates, i64, u8))| {
            let mut kind = 0;
            let mut all = Vec::new();
            // Real chains nearly always have one root.
            for (choice, p, frame, extra) in templates.into_iter().filter(|_| place > 0) {
                let (k, some) = constraints(choice, p % place as u16, frame, extra);
                kind = kind.max(k);
                all.extend(some);
            }
            TraceQuery { event: event(kind, salt % 4), ..query(place as u16, all, index) }
        };
        points.into_iter().enumerate().map(build).collect()
    })
}

/// One thread's stack: the method of each call, and its activation if tracked.
#[derive(Default, Clone)]
struct Thread {
    calls: Vec<(u8, Option<ActivationKey>)>,
}

struct World {
    tables: Tables,
    threads: Vec<Thread>,
    sequence: u64,
}

impl World {
    fn new() -> World {
        let mut tables = Tables::default();
        for name in ["main", "worker"] {
            tables.thread_key(ThreadIdentity::named(name));
        }
        World { tables, threads: vec![Thread::default(); 2], sequence: 0 }
    }

    fn frame(&mut self, method: u8, bci: u32) -> FrameKey {
        self.tables.frame_key(Frame { site: site(method, bci), line: None, source_file: None, loader: None })
    }

    fn live(&self) -> Vec<ActivationKey> {
        self.threads.iter().flat_map(|t| t.calls.iter().filter_map(|(_, a)| *a)).collect()
    }

    fn call(&mut self, thread: u8, method: u8, certain: bool) {
        let calls = &mut self.threads[thread as usize].calls;
        let caller = calls.iter().rev().find_map(|(_, a)| *a);
        let depth = calls.len() as u32 + 1;
        // Method 2 is not tracked.
        let key = (method != 2).then(|| {
            self.tables.add_activation(Activation { caller, depth, method: u32::from(method), certain })
        });
        calls.push((method, key));
    }

    fn occurrence(&mut self, step: &Step) -> Option<Occurrence> {
        let Step::Event { thread, query, bci, way, owner, kept, caught, same_event } = step else {
            return None;
        };
        let calls = self.threads[*thread as usize].calls.clone();
        if calls.is_empty() {
            return None;
        }
        let mut stack = StackKey::EMPTY;
        for (i, (method, _)) in calls.iter().enumerate() {
            let at = if i + 1 == calls.len() { *bci } else { (i as u32) % SITES };
            let frame = self.frame(*method, at);
            stack = self.tables.push_frame(stack, frame);
        }
        let frame = self.tables.frame_keys(stack).next()?;
        self.sequence += u64::from(!*same_event);
        let object = |n: u8| match n {
            0 => Value::Null,
            n => Value::Object { id: ObjectId(u64::from(n)), class: ClassKey(0) },
        };
        let catching = calls.iter().rev().nth(usize::from(*caught));
        let catch = catching.map(|(_, activation)| Catch {
            frame,
            handler: 0,
            above: u32::from(*caught),
            activation: *activation,
        });
        let exception = ExceptionDetail { caught: catch, thrown: frame, bypassed: None };
        Some(Occurrence {
            thread: ThreadKey(u32::from(*thread)),
            frame,
            stack,
            activation: calls.iter().rev().find_map(|(_, a)| *a),
            owner: object(*owner),
            way: Way::new(*way),
            kept: kept.iter().map(|n| object(*n)).collect(),
            detail: Some(Box::new(Detail { exception: Some(exception), ..Detail::default() })),
            ..occurrence(u16::from(*query), self.sequence)
        })
    }
}

/// Runs the steps. With `patience`, the locator prunes at every `Prune`.
fn run(
    queries: &[TraceQuery],
    steps: &[Step],
    last_roots: Option<usize>,
    patience: Option<usize>,
) -> (Locator, World, Vec<Occurrence>) {
    let mut world = World::new();
    let patience_of = patience.unwrap_or(0);
    let options = Options { last_roots, keep_rejected: 3, patience: patience_of, ..Options::default() };
    let mut locator = Locator::new(queries.to_vec(), options).unwrap();
    let mut log = Vec::new();
    let mut early = Vec::new();
    for step in steps {
        match step {
            Step::Call { thread, method, certain } => world.call(*thread, *method, *certain),
            Step::Return { thread } => {
                world.threads[*thread as usize].calls.pop();
            }
            Step::Prune if patience.is_some() => {
                let live = world.live();
                locator.prune(&mut world.tables, live);
            }
            Step::Prune => {}
            Step::Event { query, .. } if usize::from(*query) < queries.len() => {
                let Some(occurrence) = world.occurrence(step) else { continue };
                log.push(occurrence.clone());
                let progress = locator.offer(occurrence, &world.tables).unwrap();
                for point in progress.newly_located {
                    early.push((point, locator.located(point).unwrap().occurrence.clone()));
                }
            }
            Step::Event { .. } => {}
        }
    }
    locator.finish(&world.tables);
    // A point located during the run keeps its answer.
    for (point, occurrence) in early {
        assert_eq!(locator.located(point).map(|l| &l.occurrence), Some(&occurrence));
    }
    (locator, world, log)
}

fn compare(queries: &[TraceQuery], steps: &[Step], last_roots: Option<usize>) -> usize {
    let (_, whole, log) = run(queries, steps, last_roots, None);
    let from_last = last_roots.map(|_| 1);
    let expected = brute::answers(queries, &log, &whole.tables, from_last);
    let mut found = 0;
    // With a patience of 0, pruning keeps what any bound needs.
    for pruned in [None, Some(64), Some(0)] {
        let (locator, _, _) = run(queries, steps, last_roots, pruned);
        let reports = locator.report();
        for (at, want) in expected.iter().enumerate() {
            let got = locator.located(PointIndex(at as u16)).map(|l| (l.occurrence.clone(), l.uncertain));
            assert_eq!(got, want.answer, "point {at}, pruned: {pruned:?}");
            found += usize::from(at > 0 && got.is_some());
            let report = &reports[at];
            let hits = log.iter().filter(|o| usize::from(o.query) == at).count() as u64;
            match (report.outcome, want.instances) {
                (Ok(()), Some(_)) => assert!(want.answer.is_some()),
                (Err(Unlocated::EffectNotLocated(p)), None) => {
                    assert!(expected[p.0 as usize].answer.is_none());
                }
                (Err(Unlocated::NeverOccurred), Some(0)) => assert_eq!(hits, 0),
                (Err(Unlocated::AllRejected), Some(0)) => assert!(hits > 0),
                (Err(Unlocated::IndexOutOfRange { instances }), Some(n)) => assert_eq!(instances, n as u64),
                other => panic!("point {at}, pruned {pruned:?}: {other:?}"),
            }
            assert_eq!(report.hits, hits);
            if report.outcome != Err(Unlocated::NotYet) && want.instances.is_some() {
                let rejected: u64 = report.rejected.values().sum();
                assert_eq!(report.instances + rejected + report.later, hits, "{report:?}");
            }
            assert!(report.sample.len() <= 3);
        }
        let roots = log.iter().filter(|o| o.query == 0).count();
        assert_eq!(locator.solutions().len(), last_roots.map_or(0, |n| n.min(roots)));
        for (i, solution) in locator.solutions().iter().rev().enumerate() {
            let want = brute::answers(queries, &log, &whole.tables, Some(i + 1));
            for (got, want) in solution.iter().zip(&want) {
                let got = got.as_ref().map(|l| (l.occurrence.clone(), l.uncertain));
                assert_eq!(got, want.answer, "solution {i}, pruned {pruned:?}");
            }
        }
    }
    found
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..120).prop_map(|steps| {
        // Fill each stack first; otherwise half of the events would be lost.
        let calls = [(0, 0), (1, 1), (0, 1)];
        let begin = calls.map(|(thread, method)| Step::Call { thread, method, certain: true });
        begin.into_iter().chain(steps).collect()
    })
}

/// Number of cases: `QP_ORACLE_CASES`, or 1000.
fn cases() -> u32 {
    std::env::var("QP_ORACLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_equal_the_oracles_with_and_without_pruning(queries in chain(), steps in steps()) {
        compare(&queries, &steps, None);
    }

    #[test]
    fn the_last_root_hits_each_have_their_own_chain(queries in chain(), steps in steps(), n in 1..4usize) {
        compare(&queries, &steps, Some(n));
    }
}

#[test]
fn random_runs_locate_a_quarter_of_the_dependent_points() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut found, mut possible) = (0, 0);
    for _ in 0..300 {
        let queries = chain().new_tree(&mut runner).unwrap().current();
        let steps = steps().new_tree(&mut runner).unwrap().current();
        possible += 3 * (queries.len() - 1);
        found += compare(&queries, &steps, None);
    }
    assert!(found * 4 > possible, "{found} of {possible} dependent points located");
}
