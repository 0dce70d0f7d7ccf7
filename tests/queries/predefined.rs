//! Each predefined query gives what a slow reading of the exported log gives. `histories` and
//! `statements` have the queries that this file lacks.

use crate::brute::Brute;
use crate::jel::{Event, Term};
use crate::recordings::{RANDOM, Recorded, example, fixture, ids, queried, random};
use crate::support::rng::Rng;
use std::collections::BTreeSet;
use std::sync::Arc;

pub fn programs() -> Vec<Arc<Recorded>> {
    let mut all = vec![queried(), example("javata", "Example"), fixture("thrown", "Thrown", "all")];
    all.extend((1..=RANDOM / 2).map(random));
    all
}

/// Some ids of a log, and those of rare kinds.
pub fn sample(recorded: &Recorded, rng: &mut Rng, count: usize) -> Vec<u64> {
    let mut ids: BTreeSet<u64> =
        (0..count).map(|_| u64::try_from(rng.below(recorded.events.len())).unwrap()).collect();
    for kind in ["exception", "memberfields", "threadstart", "threaddeath", "datastructure", "methodexit"] {
        let of_kind: Vec<u64> =
            recorded.events.iter().filter(|event| event.is(kind)).map(|event| event.id).collect();
        ids.extend((0..count / 6).filter(|_| !of_kind.is_empty()).map(|_| *rng.pick(&of_kind)));
    }
    ids.into_iter().collect()
}

/// The ids of events of a kind that fit.
pub fn of_kind(recorded: &Recorded, kind: &str, fits: impl Fn(&Event) -> bool) -> Vec<u64> {
    recorded.events.iter().filter(|event| event.is(kind) && fits(event)).map(|event| event.id).collect()
}

#[test]
fn chain_around_and_tree_are_those_of_the_log() {
    let mut compared = 0;
    for (seed, recorded) in (1..).zip(programs()) {
        let brute = Brute::new(&recorded.events);
        for id in sample(&recorded, &mut Rng::new(seed), 6) {
            let around = &brute.around[usize::try_from(id).unwrap()];
            if !brute.is_sure(id) {
                continue;
            }
            let word = id.to_string();
            let event = recorded.event(id).text();
            assert_eq!(recorded.ids(&["chain", &word]), *around, "{}: {event}", recorded.name);
            if around.first().is_some_and(|call| !brute.is_sure(*call)) {
                continue;
            }
            let expected: Vec<u64> = match around.first() {
                Some(call) => std::iter::once(*call).chain(brute.end(*call)).collect(),
                None => Vec::new(),
            };
            assert_eq!(recorded.ids(&["around", &word]), expected, "{}: {event}", recorded.name);
            let root = if recorded.event(id).is("methodcall") { Some(id) } else { around.first().copied() };
            let tree = recorded.ids(&["tree", &word]);
            let expected: Vec<u64> =
                root.into_iter().flat_map(|root| std::iter::once(root).chain(brute.inside(root))).collect();
            let sure = expected.iter().all(|id| brute.is_sure(*id));
            assert!(!sure || tree == expected, "{}: {event}: {tree:?} and {expected:?}", recorded.name);
            compared += 1;
        }
    }
    assert!(compared > 25, "{compared}");
}

#[test]
fn before_and_after_are_those_of_the_log() {
    let mut compared = 0;
    for (seed, recorded) in (11..).zip(programs()) {
        let brute = Brute::new(&recorded.events);
        for id in sample(&recorded, &mut Rng::new(seed), 5) {
            let Some(call) = brute.around[usize::try_from(id).unwrap()].first().copied() else { continue };
            if !brute.is_sure(id) || brute.inside(call).iter().any(|id| !brute.is_sure(*id)) {
                continue;
            }
            for all in [false, true] {
                let calls = if all { brute.inside(call) } else { brute.children(call) };
                // An exit and its call are no earlier call of themselves.
                let own = recorded.event(id).call().filter(|_| recorded.event(id).is("methodexit"));
                let with_ends = |calls: Vec<u64>| -> Vec<u64> {
                    calls.into_iter().flat_map(|call| std::iter::once(call).chain(brute.end(call))).collect()
                };
                let earlier = calls.iter().copied().filter(|call| *call < id && Some(*call) != own);
                let expected = [vec![call], with_ends(earlier.collect())].concat();
                let word = id.to_string();
                let options = if all { &["--all"][..] } else { &[] };
                let found = recorded.ids(&[&["before", &word], options].concat());
                let event = recorded.event(id).text();
                assert_eq!(found, expected, "{} before --all={all} {event}", recorded.name);
                let later = calls.iter().copied().filter(|call| *call > id);
                let expected = [with_ends(later.collect()), brute.end(call).into_iter().collect()].concat();
                let found = recorded.ids(&[&["after", &word], options].concat());
                assert_eq!(found, expected, "{} after --all={all} {event}", recorded.name);
                compared += 1;
            }
            // The variables are those of a step.
            if recorded.event(id).is("step") {
                let rows = recorded.answer(&["before", &id.to_string()]);
                let rows = rows["rows"].as_array().unwrap().iter().filter(|row| row["row"] == "value");
                let names: Vec<&str> = rows.map(|row| row["name"].as_str().unwrap()).collect();
                let locals = recorded.event(id).args[1].list().iter();
                let expected: Vec<&str> = locals.map(|local| local.of("lv").unwrap()[0].name()).collect();
                assert_eq!(names, expected, "{}: {}", recorded.name, recorded.event(id).text());
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

/// An event is in a range and of a thread.
pub fn parts(recorded: &Recorded, rng: &mut Rng) -> (Vec<String>, impl Fn(&Event) -> bool + use<>) {
    let last = recorded.events.len() - 1;
    let (mut from, mut to) = (rng.below(last), rng.below(last));
    if from > to {
        (from, to) = (to, from);
    }
    let (from, to) = (u64::try_from(from).unwrap(), u64::try_from(to).unwrap());
    let threads: BTreeSet<&String> = recorded.events.iter().map(|event| &event.thread).collect();
    let threads: Vec<String> = threads.into_iter().cloned().collect();
    let thread = rng.pick(&threads).clone();
    match rng.below(4) {
        0 => (Vec::new(), None, None),
        1 => (vec![format!("--from={from}"), format!("--to={to}")], Some(from..=to), None),
        2 => (vec![format!("--thread={thread}")], None, Some(thread)),
        _ => (
            vec![format!("--thread={thread}"), format!("--from={from}"), format!("--to={to}")],
            Some(from..=to),
            Some(thread),
        ),
    }
    .pipe(|(options, range, thread)| {
        (options, move |event: &Event| {
            range.as_ref().is_none_or(|range| range.contains(&event.id))
                && thread.as_ref().is_none_or(|thread| event.thread == *thread)
        })
    })
}

trait Pipe: Sized {
    fn pipe<T>(self, to: impl FnOnce(Self) -> T) -> T {
        to(self)
    }
}

impl<T> Pipe for T {}

/// A value as a word of the command line; `None` for one that has no short word.
pub fn word(value: &Term) -> Option<String> {
    Some(match value {
        Term::Atom(name) if matches!(name.as_str(), "null" | "true" | "false") => name.clone(),
        Term::Atom(name) if name.chars().count() == 1 && name != "?" => format!("'{name}'"),
        Term::Int(value) => value.to_string(),
        Term::Float(value) if value.is_finite() => format!("{value:?}"),
        Term::Text(text) if !text.contains(char::is_control) => {
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
        }
        Term::Compound(name, args) if name == "o" => {
            format!("@{}", args[1].int().filter(|number| *number > 0)?)
        }
        _ => return None,
    })
}

/// Whether two terms are the same value: an object is its number.
pub fn same(one: &Term, other: &Term) -> bool {
    match (one.of("o"), other.of("o")) {
        (Some(one), Some(other)) => one[1] == other[1],
        _ => one == other,
    }
}

#[test]
fn calls_results_and_events_are_those_of_the_log() {
    for (seed, recorded) in (21..).zip(programs()) {
        let mut rng = Rng::new(seed);
        let names: BTreeSet<&str> =
            recorded.events.iter().filter(|event| event.is("methodcall")).map(Event::name).collect();
        for name in names {
            let (options, is_part) = parts(&recorded, &mut rng);
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let calls = of_kind(&recorded, "methodcall", |event| event.name() == name && is_part(event));
            let exits = of_kind(&recorded, "methodexit", |event| event.name() == name && is_part(event));
            let ask = |query: &str| recorded.ids(&[&[query, name], options.as_slice()].concat());
            let place = format!("{} {name} {options:?}", recorded.name);
            assert_eq!(ask("calls"), calls, "calls {place}");
            assert_eq!(ask("arguments"), calls, "arguments {place}");
            assert_eq!(ask("results"), exits, "results {place}");
            // Each is preceded by the call around it.
            let brute = Brute::new(&recorded.events);
            let around = |id: &u64| brute.around[usize::try_from(*id).unwrap()].first().copied();
            if calls.iter().all(|id| brute.is_sure(*id)) {
                let expected: Vec<u64> =
                    calls.iter().flat_map(|id| around(id).into_iter().chain([*id])).collect();
                assert_eq!(ask("where-called"), expected, "where-called {place}");
            }
            let yes = recorded.answer(&[&["did", "call", name], options.as_slice()].concat());
            assert_eq!(
                (yes["yes"].as_bool(), ids(&yes).first()),
                (Some(!calls.is_empty()), calls.first()),
                "{place}"
            );
            // One argument, one result.
            let Some(call) = calls.first().map(|id| recorded.event(*id)) else { continue };
            if let Some((at, value)) = call.value().list().iter().enumerate().next_back()
                && let Some(wanted) = word(value)
            {
                let fits = |event: &Event| {
                    event.name() == name
                        && is_part(event)
                        && event.value().list().get(at).is_some_and(|of| same(of, value))
                };
                let option = format!("--arg={at}={wanted}");
                let found = recorded.ids(&[&["calls", name, &option], options.as_slice()].concat());
                assert_eq!(found, of_kind(&recorded, "methodcall", fits), "{option} {place}");
            }
            if let Some(wanted) = exits.first().and_then(|id| word(recorded.event(*id).value())) {
                let value = recorded.event(exits[0]).value();
                let fits =
                    |event: &Event| event.name() == name && is_part(event) && same(event.value(), value);
                let option = format!("--value={wanted}");
                let found = recorded.ids(&[&["results", name, &option], options.as_slice()].concat());
                assert_eq!(found, of_kind(&recorded, "methodexit", fits), "{option} {place}");
            }
        }
        for _ in 0..6 {
            let (options, is_part) = parts(&recorded, &mut rng);
            let mut options: Vec<&str> = options.iter().map(String::as_str).collect();
            let kinds = [&["methodcall"][..], &["step", "exception"], &["setfield", "threaddeath"], &[]];
            let kinds = *rng.pick(&kinds);
            let option = format!("--kinds={}", kinds.join(","));
            if !kinds.is_empty() {
                options.push(&option);
            }
            let events = recorded.events.iter().filter(|event| is_part(event));
            let events = events.filter(|event| kinds.is_empty() || kinds.contains(&event.kind.as_str()));
            let expected: Vec<u64> = events.map(|event| event.id).collect();
            assert_eq!(
                recorded.ids(&[&["events"], options.as_slice()].concat()),
                expected,
                "{} {options:?}",
                recorded.name
            );
        }
        let both = |event: &&Event| event.is("threadstart") || event.is("threaddeath");
        let expected: Vec<u64> = recorded.events.iter().filter(both).map(|event| event.id).collect();
        assert_eq!(recorded.ids(&["threads"]), expected);
    }
}

#[test]
fn found_values_are_those_of_the_log() {
    for (seed, recorded) in (41..).zip(programs()) {
        let mut rng = Rng::new(seed);
        let values = |event: &Event| -> Vec<Term> {
            match event.kind.as_str() {
                "methodcall" => [vec![event.owner().clone()], event.value().list().to_vec()].concat(),
                "methodexit" => vec![event.owner().clone(), event.value().clone()],
                "setfield" => vec![event.value().clone()],
                "exception" => vec![event.args[1].clone(), event.args[2].clone()],
                _ => Vec::new(),
            }
        };
        let all: Vec<Term> =
            recorded.events.iter().flat_map(values).filter(|value| word(value).is_some()).collect();
        for _ in 0..12 {
            let value = rng.pick(&all);
            // The receiver and the message of an exception can be missing: they are not the value `null`.
            if *value == Term::atom("null") {
                continue;
            }
            let (options, is_part) = parts(&recorded, &mut rng);
            let option = format!("--value={}", word(value).unwrap());
            let options: Vec<&str> = options.iter().map(String::as_str).chain([option.as_str()]).collect();
            let expected: Vec<u64> = recorded
                .events
                .iter()
                .filter(|event| is_part(event) && values(event).iter().any(|of| same(of, value)))
                .map(|event| event.id)
                .collect();
            assert_eq!(
                recorded.ids(&[&["find"], options.as_slice()].concat()),
                expected,
                "{} {options:?}",
                recorded.name
            );
        }
    }
    let recorded = queried();
    let with = |part: &str| {
        let texts = |term: &Term| matches!(term, Term::Text(text) if text.contains(part));
        recorded
            .events
            .iter()
            .filter(|event| match event.kind.as_str() {
                "methodcall" => event.value().list().iter().any(texts),
                "methodexit" | "setfield" => texts(event.value()),
                "exception" => texts(&event.args[2]),
                _ => false,
            })
            .map(|event| event.id)
            .collect::<Vec<_>>()
    };
    for part in ["work", "bot", "x1", "!", "\\"] {
        assert!(!with(part).is_empty(), "{part}");
        assert_eq!(recorded.ids(&["find", "--part", part]), with(part), "{part}");
    }
}

#[test]
fn thrown_exceptions_are_those_of_the_log() {
    for recorded in programs() {
        let brute = Brute::new(&recorded.events);
        let thrown = |fits: &dyn Fn(&Event) -> bool| -> Option<Vec<u64>> {
            let ids = of_kind(&recorded, "exception", fits);
            let around = |id: &u64| brute.around[usize::try_from(*id).unwrap()].first().copied();
            let is_sure = ids.iter().all(|id| brute.is_sure(*id));
            is_sure.then(|| ids.iter().flat_map(|id| around(id).into_iter().chain([*id])).collect())
        };
        if let Some(expected) = thrown(&|event| event.args[3] == Term::atom("uncaught")) {
            assert_eq!(recorded.ids(&["where-thrown"]), expected, "{}", recorded.name);
        }
        if let Some(expected) = thrown(&|_| true) {
            assert_eq!(recorded.ids(&["where-thrown", "--all"]), expected, "{}", recorded.name);
        }
        let classes: BTreeSet<String> = recorded
            .events
            .iter()
            .filter(|event| event.is("exception"))
            .map(|event| event.args[1].of("o").unwrap()[0].name().replace('$', "."))
            .collect();
        for class in classes {
            let is_it = |event: &Event| {
                let of = event.args[1].of("o").unwrap()[0].name().replace('$', ".");
                // The only class thrown there whose superclass is thrown too.
                let is_below = of == "java.lang.NumberFormatException";
                of == class || is_below && class == "java.lang.IllegalArgumentException"
            };
            let caught =
                of_kind(&recorded, "exception", |event| is_it(event) && event.args[3].of("l").is_some());
            let answer = recorded.answer(&["did", "catch", &class]);
            assert_eq!(
                (answer["yes"].as_bool(), ids(&answer).first()),
                (Some(!caught.is_empty()), caught.first())
            );
            if let Some(expected) = thrown(&is_it) {
                assert_eq!(recorded.ids(&["where-thrown", &class]), expected, "{} {class}", recorded.name);
            }
        }
    }
}
