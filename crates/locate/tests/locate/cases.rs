//! Examples of locating points in small, hand-written runs.

use crate::script::*;
use locate::*;
use model::{Activation, Frame, Occurrence, Tables};
use query::{Constraint, FrameSelector, PointIndex, Slot, TraceQuery};
use std::collections::BTreeMap;

/// The paper's Figure 1: one loop sets `record.bar` in a try block, another loop reads it.
fn introduction() -> Vec<TraceQuery> {
    let assertion = site("check", 31);
    let assignments = [("check", 13), ("check", 17), ("check", 19)];
    let asked = [assertion];
    let then = (site("check", 17), 16);
    let otherwise = (site("check", 19), 18);
    vec![
        query(0, vec![], 0),
        TraceQuery { event: stored(&assignments, &asked), ..query(1, last_change_of_local(A), -1) },
        TraceQuery {
            event: branched(&[(site("check", 15), &[then, otherwise])]),
            ..query(2, last_condition(B), -1)
        },
        TraceQuery { event: written(), ..query(3, last_change_of_field(C, Slot::Kept(0)), -1) },
        query(4, vec![Constraint::After(D), Constraint::CaughtIn(D)], 0),
    ]
}

/// Three records. The second constructor sets `bar`, and an exception skips the line that would change it.
fn introduce(run: &mut Run, mut offer: impl FnMut(&mut Run, Occurrence)) {
    run.call(0, "main");
    for record in 1..=3 {
        let fill = run.call(0, "fill");
        let hit = owner(record, run.hit(0, D, 2));
        offer(run, hit);
        if record == 2 {
            let thrown = run.hit(0, E, 5);
            offer(run, caught_in(fill, thrown));
        } else {
            let hit = owner(record, run.hit(0, D, 7));
            offer(run, hit);
        }
        run.exit(0);
    }
    run.call(0, "check");
    for record in 1..=3 {
        let hit = way(0, run.hit(0, B, 13));
        offer(run, hit);
        let taken = if record == 2 { 16 } else { 18 };
        let hit = keeps(object(record), way(taken, run.hit(0, C, 15)));
        offer(run, hit);
        let hit = if record == 2 { way(1, run.hit(0, B, 17)) } else { way(2, run.hit(0, B, 19)) };
        offer(run, hit);
        if record == 2 {
            let hit = run.hit(0, A, 31);
            offer(run, hit);
        }
    }
}

#[test]
fn the_introductory_chain_leads_from_the_assertion_to_the_exception() {
    let mut locator = Locator::new(introduction(), Options::default()).unwrap();
    let mut run = Run::default();
    let mut order = Vec::new();
    introduce(&mut run, |run, occurrence| {
        let progress = locator.offer(occurrence, &run.tables).unwrap();
        assert_eq!(progress.complete, !order.is_empty() || !progress.newly_located.is_empty());
        order.extend(progress.newly_located);
    });
    // The assertion locates all points at once, from effect to cause; E came after D, long before.
    assert_eq!(order, [A, B, C, D, E]);
    let bci = |p| run.tables.frame(locator.located(p).unwrap().occurrence.frame).unwrap().site.bci;
    assert_eq!([A, B, C, D, E].map(bci), [31, 17, 15, 2, 5]);
    assert_eq!(locator.located(D).unwrap().occurrence.owner, object(2));
    assert!(!locator.located(C).unwrap().uncertain);
    let report = locator.report();
    // `fill` also ran for the other two records before the assertion.
    assert_eq!(report[3].rejected, BTreeMap::from([(Rejection::OtherObject(C), 4)]));
    assert_eq!((report[3].hits, report[3].instances), (5, 1));
}

#[test]
fn pruning_after_every_occurrence_changes_nothing() {
    let mut locator = Locator::new(introduction(), Options::default()).unwrap();
    let mut run = Run::default();
    introduce(&mut run, |run, occurrence| {
        locator.offer(occurrence, &run.tables).unwrap();
        let live = run.live();
        locator.prune(&mut run.tables, live);
    });
    let bci = |p| run.tables.frame(locator.located(p).unwrap().occurrence.frame).unwrap().site.bci;
    assert_eq!([A, B, C, D, E].map(bci), [31, 17, 15, 2, 5]);
}

#[test]
fn the_graph_leads_from_each_point_to_those_its_constraints_name() {
    let graph = Graph::new(&introduction()).unwrap();
    assert_eq!(graph.roots().collect::<Vec<_>>(), [A]);
    assert_eq!(graph.order().collect::<Vec<_>>(), [A, B, C, D, E]);
    assert_eq!(graph.depends_on(C).collect::<Vec<_>>(), [B]);
    assert_eq!(graph.dependents(C).collect::<Vec<_>>(), [D]);
    assert_eq!(graph.reach(C), [C, D, E]);
    assert_eq!(graph.constraints_between(E, D), [Constraint::After(D), Constraint::CaughtIn(D)]);
    assert!(graph.constraints_between(D, E).is_empty());
}

#[test]
fn a_store_in_a_recursive_call_is_to_another_variable() {
    let queries = vec![
        query(0, vec![], 0),
        TraceQuery { event: stored(&[("m", 3)], &[site("m", 9)]), ..query(1, last_change_of_local(A), -1) },
    ];
    let options = Options { keep_rejected: 5, ..Options::default() };
    let mut locator = Locator::new(queries, options).unwrap();
    let mut run = Run::default();
    run.call(0, "m");
    let outer = way(0, run.hit(0, B, 3));
    locator.offer(outer.clone(), &run.tables).unwrap();
    run.call(0, "m");
    let inner = way(0, run.hit(0, B, 3));
    locator.offer(inner.clone(), &run.tables).unwrap();
    run.exit(0);
    // The other thread runs a method of the same name at the same depth.
    run.call(1, "m");
    let other = way(0, run.hit(1, B, 3));
    locator.offer(other.clone(), &run.tables).unwrap();
    let hit = run.hit(0, A, 9);
    let progress = locator.offer(hit, &run.tables).unwrap();
    assert_eq!(progress, Progress { newly_located: vec![A, B], complete: true });
    assert_eq!(locator.located(B).map(|l| &l.occurrence), Some(&outer));
    let sample = &locator.report()[1].sample;
    assert_eq!(*sample, [(inner, Rejection::OtherActivation(A)), (other, Rejection::OtherThread(A))]);
}

#[test]
fn a_do_while_loop_is_entered_by_one_condition_and_repeated_by_another() {
    // if (cond1) do { P } while (cond2): P at 4 depends on the `if` at 1 (taken: 4) and the `while` at 6
    // (taken: 4).
    let point = || (site("m", 4), 4);
    let branches = [(site("m", 1), &[point()][..]), (site("m", 6), &[point()][..])];
    let condition_of = |hit: i64| {
        let queries = vec![
            query(0, vec![], hit),
            TraceQuery { event: branched(&branches), ..query(1, last_condition(A), -1) },
        ];
        let mut locator = Locator::new(queries, Options::default()).unwrap();
        let mut run = Run::default();
        for _ in 0..2 {
            run.call(0, "m");
            for (bci, taken, point) in [(1, 4, A), (4, 0, A), (6, 4, B), (4, 0, A), (6, 7, B)] {
                let hit = if bci == 4 { run.hit(0, point, 4) } else { way(taken, run.hit(0, B, bci)) };
                locator.offer(hit, &run.tables).unwrap();
            }
            run.exit(0);
        }
        let frame = locator.located(B).unwrap().occurrence.frame;
        (run.tables.frame(frame).unwrap().site.bci, sequence(&locator, B).unwrap())
    };
    assert_eq!(condition_of(0), (1, 1));
    assert_eq!(condition_of(1), (6, 3));
    // In the next call of `m`, the `while` that ended before belongs to another activation.
    assert_eq!(condition_of(2), (1, 6));
    assert_eq!(condition_of(3), (6, 8));
}

#[test]
fn rejections_are_counted_and_sampled() {
    let queries = vec![
        query(0, vec![], 0),
        TraceQuery { event: written(), ..query(1, last_change_of_field(A, Slot::Kept(0)), -1) },
        query(2, vec![Constraint::Before(B)], -1),
        query(3, vec![], 2),
        query(4, vec![], -1),
    ];
    let mut locator = Locator::new(queries, Options { keep_rejected: 4, ..Options::default() }).unwrap();
    let mut run = Run::default();
    run.call(0, "m");
    for id in 0..100 {
        let mut write = run.hit(0, B, 1);
        if id > 0 {
            write.owner = object(id);
        }
        locator.offer(write, &run.tables).unwrap();
        let hit = run.hit(0, D, 2);
        if id < 2 {
            locator.offer(hit, &run.tables).unwrap();
        }
    }
    let root = keeps(object(1_000), run.hit(0, A, 1));
    assert_eq!(locator.report()[1].outcome, Err(Unlocated::NotYet));
    locator.offer(root, &run.tables).unwrap();
    let late = owner(1_000, run.hit(0, B, 1));
    locator.offer(late, &run.tables).unwrap();
    locator.finish(&run.tables);
    let report = locator.report();
    let counts =
        [(Rejection::NotBefore(A), 1), (Rejection::OtherObject(A), 99), (Rejection::NoReference(A), 1)];
    assert_eq!(report[1].rejected, BTreeMap::from(counts));
    assert_eq!((report[1].hits, report[1].outcome), (101, Err(Unlocated::AllRejected)));
    let sampled: Vec<u64> = report[1].sample.iter().map(|(o, _)| o.sequence).collect();
    assert_eq!(sampled.len(), 4);
    assert!(sampled.is_sorted() && sampled[0] < 60 && sampled[3] > 140, "{sampled:?}");
    assert_eq!(report[2].outcome, Err(Unlocated::EffectNotLocated(B)));
    assert_eq!(report[3].outcome, Err(Unlocated::IndexOutOfRange { instances: 2 }));
    assert_eq!(report[4].outcome, Err(Unlocated::NeverOccurred));
    assert_eq!(Rejection::OtherObject(A).to_string(), "another object than at point number 1");
}

#[test]
fn a_last_instance_without_a_bound_waits_for_the_end() {
    let queries = vec![
        query(0, vec![], 0),
        query(1, vec![Constraint::After(A)], -2),
        query(2, vec![Constraint::After(A)], 1),
    ];
    let mut locator = Locator::new(queries, Options::default()).unwrap();
    let mut run = Run::default();
    run.call(0, "m");
    for point in [B, C, A, B, C, B, C, B, C] {
        let hit = run.hit(0, point, 0);
        let at = hit.sequence;
        let progress = locator.offer(hit, &run.tables).unwrap();
        assert!(!progress.complete);
        let expected: &[PointIndex] = match at {
            3 => &[A],
            7 => &[C],
            _ => &[],
        };
        assert_eq!(progress.newly_located, expected);
        // Only candidates that a last instance may need are kept.
        assert!(locator.report()[1].kept <= 2);
    }
    locator.finish(&run.tables);
    assert_eq!([A, B, C].map(|p| sequence(&locator, p)), [Some(3), Some(6), Some(7)]);
}

#[test]
fn the_last_hits_of_the_root_keep_their_own_causes() {
    let queries = vec![
        query(0, vec![], 0),
        TraceQuery { event: written(), ..query(1, last_change_of_field(A, Slot::Owner), -1) },
    ];
    let options = Options { last_roots: Some(3), ..Options::default() };
    let mut locator = Locator::new(queries, options).unwrap();
    let mut run = Run::default();
    run.call(0, "m");
    for id in [1, 2, 1, 3] {
        let write = owner(id, run.hit(0, B, 0));
        locator.offer(write, &run.tables).unwrap();
        let root = owner(if id == 3 { 2 } else { id }, run.hit(0, A, 1));
        assert!(locator.offer(root, &run.tables).unwrap().newly_located.is_empty());
    }
    locator.finish(&run.tables);
    let solutions: Vec<Vec<Option<u64>>> = locator
        .solutions()
        .iter()
        .map(|s| s.iter().map(|l| l.as_ref().map(|l| l.occurrence.sequence)).collect())
        .collect();
    assert_eq!(solutions, [[Some(4), Some(3)], [Some(6), Some(5)], [Some(8), Some(3)]]);
    assert_eq!([A, B].map(|p| sequence(&locator, p)), [Some(8), Some(3)]);
}

#[test]
fn a_million_writes_to_few_objects_keep_few_candidates() {
    let queries = vec![
        query(0, vec![], 0),
        TraceQuery { event: written(), ..query(1, last_change_of_field(A, Slot::Owner), -1) },
        TraceQuery { event: written(), ..query(2, last_change_of_field(B, Slot::Kept(0)), -1) },
    ];
    let mut locator = Locator::new(queries, Options::default()).unwrap();
    let mut run = Run::default();
    run.call(0, "m");
    let (mut most, mut prunes) = (0, 0);
    for n in 0..1_000_000_u64 {
        let write = keeps(object(n % 7), owner(n / 2 % 10, run.hit(0, PointIndex(1 + (n % 2) as u16), 1)));
        locator.offer(write, &run.tables).unwrap();
        most = most.max(locator.kept());
        if locator.wants_prune() {
            prunes += 1;
            let live = run.live();
            locator.prune(&mut run.tables, live);
            assert!(locator.kept() < 100, "{}", locator.kept());
        }
    }
    assert!(most <= 8192 && prunes > 100, "{most} candidates, {prunes} prunes");
    let root = owner(3, run.hit(0, A, 1));
    let progress = locator.offer(root, &run.tables).unwrap();
    assert_eq!(progress.newly_located, [A, B, C]);
    // Writes number 0 to 999,999: the last even one to object 3, then the last odd one to the object that it
    // keeps.
    let b = (0..1_000_000).rev().find(|n| n / 2 % 10 == 3 && n % 2 == 0).unwrap();
    let c = (0..b).rev().find(|n| n / 2 % 10 == b % 7 && n % 2 == 1).unwrap();
    assert_eq!([B, C].map(|p| sequence(&locator, p)), [Some(b + 1), Some(c + 1)]);
    let report = &locator.report()[1];
    assert_eq!(report.hits, report.instances + report.rejected.values().sum::<u64>());
}

#[test]
fn ended_activations_are_dropped_with_their_candidates() {
    let queries = vec![
        query(0, vec![], 0),
        TraceQuery { event: stored(&[("m", 3)], &[site("m", 9)]), ..query(1, last_change_of_local(A), -1) },
    ];
    let mut locator = Locator::new(queries, Options::default()).unwrap();
    let mut run = Run::default();
    run.call(0, "main");
    for _ in 0..20_000 {
        run.call(0, "m");
        let store = way(0, run.hit(0, B, 3));
        locator.offer(store, &run.tables).unwrap();
        if locator.wants_prune() {
            let live = run.live();
            locator.prune(&mut run.tables, live);
            assert_eq!((locator.kept(), run.tables.activation_count()), (1, 2));
        }
        run.exit(0);
    }
    assert!(run.tables.activation_count() < 10_000);
    run.call(0, "m");
    let store = way(0, run.hit(0, B, 3));
    let hit = run.hit(0, A, 9);
    locator.offer(store.clone(), &run.tables).unwrap();
    locator.offer(hit, &run.tables).unwrap();
    assert_eq!(locator.located(B).map(|l| &l.occurrence), Some(&store));
}

#[test]
fn a_point_with_too_many_candidates_is_an_error_that_names_it() {
    let queries = vec![
        query(0, vec![], 0),
        TraceQuery { event: written(), ..query(1, last_change_of_field(A, Slot::Owner), -1) },
    ];
    let mut locator = Locator::new(queries, Options { limit: 1_000, ..Options::default() }).unwrap();
    let mut run = Run::default();
    run.call(0, "m");
    let mut error = None;
    for id in 0..2_000 {
        // Each object is written twice, so half of the candidates can be dropped.
        let write = owner(id / 2, run.hit(0, B, 1));
        if let Err(e) = locator.offer(write, &run.tables) {
            error = Some(e);
            break;
        }
        assert!(locator.kept() <= 1_000);
        if locator.wants_prune() {
            let live = run.live();
            locator.prune(&mut run.tables, live);
        }
    }
    let error = error.unwrap();
    assert!(run.sequence > 1_700, "{}", run.sequence);
    let text = error.to_string();
    assert!(matches!(error, LocateError::TooMany { point: B, limit: 1_000, .. }));
    assert!(text.contains("point \"B\" keeps") && text.contains("`when`"), "{text}");
}

#[test]
fn misplaced_queries_and_occurrences_are_refused() {
    let forward = vec![query(0, vec![Constraint::Before(B)], -1), query(1, vec![], 0)];
    let error = Graph::new(&forward).unwrap_err();
    assert_eq!(error, LocateError::ForwardReference { point: A, id: "A".into(), names: B });
    assert!(error.to_string().contains("move the point it depends on up"));
    let misplaced = Locator::new(vec![query(3, vec![], 0)], Options::default());
    assert!(matches!(misplaced, Err(LocateError::Misplaced { point: D, place: 0, .. })));
    let mut locator = Locator::new(vec![query(0, vec![], 5)], Options::default()).unwrap();
    let tables = Tables::default();
    let stranger = locator.offer(occurrence(1, 1), &tables);
    assert_eq!(stranger, Err(LocateError::NoSuchPoint { query: 1, points: 1 }));
    locator.offer(occurrence(0, 7), &tables).unwrap();
    let old = locator.offer(occurrence(0, 6), &tables);
    assert_eq!(old, Err(LocateError::OutOfOrder { id: "A".into(), sequence: 6, newest: 7 }));
    // An occurrence that is out of order is not counted.
    assert_eq!(locator.report()[0].hits, 1);
}

#[test]
fn an_uncertain_activation_is_reported() {
    let queries = vec![
        query(0, vec![], 0),
        query(
            1,
            vec![Constraint::Before(A), Constraint::MayAffect { point: A, frame: FrameSelector::Nth(-1) }],
            -1,
        ),
    ];
    let mut locator = Locator::new(queries, Options::default()).unwrap();
    let mut tables = Tables::default();
    let frame = tables.frame_key(Frame { site: site("m", 0), line: None, source_file: None, loader: None });
    let stack = tables.stack_key(&[frame]);
    let activation = tables.add_activation(Activation { caller: None, depth: 1, method: 0, certain: false });
    for (query, sequence) in [(1, 1), (0, 2)] {
        let hit = Occurrence { frame, stack, activation: Some(activation), ..occurrence(query, sequence) };
        locator.offer(hit, &tables).unwrap();
    }
    assert!(locator.located(B).unwrap().uncertain);
    assert!(!locator.located(A).unwrap().uncertain);
}
