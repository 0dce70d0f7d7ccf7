//! Each predefined query gives what a slow reading of the exported log gives. The table of
//! src/logic/queries/mod.rs has a row here for each query.

use crate::brute::{Brute, mixed};
use crate::jel::{Event, Term};
use crate::recordings::{RANDOM, Recorded, fixture, ids, java, queried, random};
use crate::support::rng::Rng;
use crate::support::{compiled, said};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn programs() -> Vec<Arc<Recorded>> {
    let mut all = vec![queried(), fixture("javata", "Example", "all"), fixture("thrown", "Thrown", "all")];
    all.extend((1..=RANDOM / 2).map(random));
    all
}

/// Some ids of a log, and those of rare kinds.
fn sample(recorded: &Recorded, rng: &mut Rng, count: usize) -> Vec<u64> {
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
fn of_kind(recorded: &Recorded, kind: &str, fits: impl Fn(&Event) -> bool) -> Vec<u64> {
    recorded.events.iter().filter(|event| event.is(kind) && fits(event)).map(|event| event.id).collect()
}

#[test]
fn chain_around_and_tree_are_those_of_the_log() {
    let mut compared = 0;
    for (seed, recorded) in (1..).zip(programs()) {
        let brute = Brute::new(&recorded.events);
        for id in sample(&recorded, &mut Rng::new(seed), 25) {
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
    assert!(compared > 150, "{compared}");
}

#[test]
fn before_and_after_are_those_of_the_log() {
    let mut compared = 0;
    for (seed, recorded) in (11..).zip(programs()) {
        let brute = Brute::new(&recorded.events);
        for id in sample(&recorded, &mut Rng::new(seed), 20) {
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
    assert!(compared > 150, "{compared}");
}

/// An event is in a range and of a thread.
fn parts(recorded: &Recorded, rng: &mut Rng) -> (Vec<String>, impl Fn(&Event) -> bool + use<>) {
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
fn word(value: &Term) -> Option<String> {
    Some(match value {
        Term::Atom(name) if matches!(name.as_str(), "null" | "true" | "false") => name.clone(),
        Term::Atom(name) if name.chars().count() == 1 && name != "?" => format!("'{name}'"),
        Term::Int(value) => value.to_string(),
        Term::Float(value) if value.is_finite() => format!("{value:?}"),
        Term::Text(text) if !text.contains('"') => format!("\"{text}\""),
        Term::Compound(name, args) if name == "o" => {
            format!("@{}", args[1].int().filter(|number| *number > 0)?)
        }
        _ => return None,
    })
}

/// Whether two terms are the same value: an object is its number.
fn same(one: &Term, other: &Term) -> bool {
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
fn fields_have_the_history_of_the_log() {
    for (seed, recorded) in (31..).zip(programs()) {
        let mut rng = Rng::new(seed);
        let brute = Brute::new(&recorded.events);
        let fields: BTreeSet<&str> =
            recorded.events.iter().filter(|event| event.is("setfield")).map(Event::name).collect();
        for name in &fields {
            let (options, is_part) = parts(&recorded, &mut rng);
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let writes = of_kind(&recorded, "setfield", |event| event.name() == *name && is_part(event));
            let around = |id: &u64| brute.around[usize::try_from(*id).unwrap()].first().copied();
            if writes.iter().all(|id| brute.is_sure(*id)) {
                let expected: Vec<u64> =
                    writes.iter().flat_map(|id| around(id).into_iter().chain([*id])).collect();
                let found = recorded.ids(&[&["where-set", name], options.as_slice()].concat());
                assert_eq!(found, expected, "{} where-set {name} {options:?}", recorded.name);
            }
            let Some(value) = writes.first().map(|id| recorded.event(*id).value()) else { continue };
            let Some(wanted) = word(value) else { continue };
            let fits = |event: &Event| event.name() == *name && is_part(event) && same(event.value(), value);
            let first = of_kind(&recorded, "setfield", fits).first().copied();
            let found = recorded.answer(&[&["did", "set", name, &wanted], options.as_slice()].concat());
            assert_eq!((found["yes"].as_bool(), ids(&found).first().copied()), (Some(true), first));
        }
        // Each object, each field: its history, and its state at some events.
        let mut objects: BTreeMap<i64, String> = BTreeMap::new();
        for event in recorded.events.iter().filter(|event| event.is("setfield")) {
            if let Some([Term::Atom(class), Term::Int(number)]) = event.owner().of("o") {
                objects.insert(*number, class.clone());
            }
        }
        for (number, class) in objects.iter().take(6) {
            let is_own = |event: &Event| event.owner().of("o").is_some_and(|of| of[1] == Term::Int(*number));
            let of_object: BTreeSet<&str> = recorded
                .events
                .iter()
                .filter(|event| event.is("setfield") && is_own(event))
                .map(Event::name)
                .collect();
            for field in of_object {
                let variable = format!("{}@{number}.{field}", class.replace('$', "."));
                let (options, is_part) = parts(&recorded, &mut rng);
                let options: Vec<&str> = options.iter().map(String::as_str).collect();
                let expected = of_kind(&recorded, "setfield", |event| {
                    is_own(event) && event.name() == field && is_part(event)
                });
                let found = recorded.ids(&[&["history", &variable], options.as_slice()].concat());
                assert_eq!(found, expected, "{} {variable} {options:?}", recorded.name);
            }
            for _ in 0..4 {
                let at = u64::try_from(rng.below(recorded.events.len())).unwrap();
                let word = format!("@{number}");
                let state = recorded.answer(&["object", &word, "--at", &at.to_string()]);
                state_is_that_of_the_log(&recorded, &state, *number, at);
            }
        }
        static_fields(&recorded, &mut rng);
    }
}

fn static_fields(recorded: &Recorded, rng: &mut Rng) {
    let statics: BTreeSet<(String, String)> = recorded
        .events
        .iter()
        .filter(|event| event.is("setfield"))
        .filter_map(|event| Some((event.owner().of("c")?[0].name().to_owned(), event.name().to_owned())))
        .collect();
    for (class, field) in statics {
        let (options, is_part) = parts(recorded, rng);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let variable = format!("{}.{field}", class.replace('$', "."));
        let owner = Term::Compound("c".to_owned(), vec![Term::Atom(class)]);
        let expected = of_kind(recorded, "setfield", |event| {
            *event.owner() == owner && event.name() == field && is_part(event)
        });
        let found = recorded.ids(&[&["history", &variable], options.as_slice()].concat());
        assert_eq!(found, expected, "{} {variable} {options:?}", recorded.name);
    }
}

/// Each field has its last write up to an event; a field without one is marked.
fn state_is_that_of_the_log(recorded: &Recorded, state: &Value, number: i64, at: u64) {
    let last = |name: &str| {
        let (class, field) = name.rsplit_once('.').unwrap();
        let is_own = |event: &Event| match (event.owner().of("o"), event.owner().of("c")) {
            (Some(of), _) => class.ends_with(&format!("@{number}")) && of[1] == Term::Int(number),
            (_, Some(of)) => !class.contains('@') && of[0].name().replace('$', ".").ends_with(class),
            _ => false,
        };
        of_kind(recorded, "setfield", |event| event.name() == field && event.id <= at && is_own(event))
            .last()
            .copied()
    };
    for row in state["rows"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        assert_eq!(row["event"].as_u64(), last(name), "{} {name} at {at}: {state:#}", recorded.name);
        let is_constant = matches!(name, "Queried.Failing.KIND" | "Queried.Failing.LABEL");
        let is_default = row["is_default"].as_bool().unwrap_or(false);
        let expected = row["event"].is_null() && !is_constant && !name.contains('[');
        assert!(is_default == expected || name.contains('['), "{} {name} at {at}: {state:#}", recorded.name);
    }
}

#[test]
fn constants_of_class_files_have_their_values() {
    let recorded = queried();
    let made = recorded
        .events
        .iter()
        .find(|event| event.is("methodcall") && event.owner().to_string().contains("Failing"));
    let made = made.unwrap();
    let number = made.owner().of("o").unwrap()[1].int().unwrap();
    let state = recorded.answer(&["object", &format!("@{number}")]);
    let row = |name: &str| {
        let rows = state["rows"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).cloned().unwrap_or_else(|| panic!("{name}: {state:#}"))
    };
    let kind = row("Queried.Failing.KIND");
    assert_eq!((kind["value"].as_str(), &kind["is_default"]), (Some("3"), &Value::Null));
    assert_eq!(
        row("Queried.Failing.LABEL")["value"],
        Value::Null,
        "a string of the class file has no number"
    );
    let goal = format!("event(Id, main, threaddeath(_)), field_at(Id, o(_, {number}), 'KIND', How, Value)");
    let found = recorded.ask(&goal, &[]);
    assert!(found.len() == 1 && found[0].ends_with("How=constant Value=3"), "{found:?}");
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
fn lines_are_counted_as_in_the_log() {
    for recorded in programs().into_iter().filter(|recorded| mixed(&recorded.events).is_empty()) {
        // A pass is the entry of a method at its first line, or a step that no exit precedes.
        let mut passes: BTreeMap<(String, i64), Vec<u64>> = BTreeMap::new();
        let mut last: BTreeMap<&str, &Event> = BTreeMap::new();
        for event in &recorded.events {
            let before = last.get(event.thread.as_str());
            let returns = before.is_some_and(|before| before.is("methodexit"));
            let is_pass = event.is("methodcall") || event.is("step") && !returns;
            if is_pass && let Some((file, line)) = event.place() {
                passes.entry((file.to_owned(), line)).or_default().push(event.id);
            }
            if !event.is("datastructure") {
                last.insert(&event.thread, event);
            }
        }
        let files: BTreeSet<&String> = passes.keys().map(|(file, _)| file).collect();
        for file in files {
            let answer = recorded.answer(&["lines", file]);
            let found: BTreeMap<i64, u64> = answer["rows"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| {
                    let (_, line) = row["what"].as_str().unwrap().rsplit_once(':').unwrap();
                    (line.parse().unwrap(), row["count"].as_u64().unwrap())
                })
                .collect();
            let expected: BTreeMap<i64, u64> = passes
                .iter()
                .filter(|((of, _), _)| of == file)
                .map(|((_, line), ids)| (*line, u64::try_from(ids.len()).unwrap()))
                .collect();
            assert_eq!(found, expected, "{} {file}", recorded.name);
            for (line, count) in expected.iter().take(5) {
                let place = format!("{file}:{line}");
                let answer = recorded.answer(&["did", "line", &place]);
                assert_eq!(answer["yes"], true);
                assert_eq!(answer["rows"][0]["count"].as_u64(), Some(*count), "{place}");
            }
        }
    }
}

#[test]
fn lines_are_counted_by_thread_and_range() {
    let recorded = queried();
    let line =
        i64::from(crate::support::marked("fixtures/queried", "Queried.java", "// <- twice on one line"));
    let count = |options: &[&str]| {
        let answer = recorded.answer(&[&["did", "line", &format!("Queried:{line}")], options].concat());
        (answer["yes"].as_bool(), answer["rows"][0]["count"].as_u64())
    };
    assert_eq!(count(&[]), (Some(true), Some(1)), "once, whatever it calls");
    assert_eq!(count(&["--thread=worker"]), (Some(false), None));
    let call = of_kind(&recorded, "methodcall", |event| event.name() == "applied")[0];
    assert_eq!(count(&[&format!("--to={}", call - 1)]), (Some(false), None));
    assert_eq!(count(&[&format!("--from={}", call + 3)]), (Some(false), None));
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
            let is_it = |event: &Event| event.args[1].of("o").unwrap()[0].name().replace('$', ".") == class;
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

#[test]
fn instances_exist_from_their_constructors_on() {
    for (seed, recorded) in (51..).zip(programs()) {
        let mut rng = Rng::new(seed);
        let mut made: BTreeMap<(String, i64), (u64, u64)> = BTreeMap::new();
        let brute = Brute::new(&recorded.events);
        for event in recorded.events.iter().filter(|event| event.is("methodcall") && event.name() == "<init>")
        {
            let [Term::Atom(class), Term::Int(number)] = event.owner().of("o").unwrap() else { continue };
            let end = brute.end(event.id).unwrap_or(u64::MAX);
            made.entry((class.clone(), *number)).or_insert((event.id, end));
        }
        let classes: BTreeSet<&String> = made.keys().map(|(class, _)| class).collect();
        for class in classes {
            let name = class.replace('$', ".");
            let at = u64::try_from(rng.below(recorded.events.len())).unwrap();
            let answer = recorded.answer(&["instances", &name, "--at", &at.to_string()]);
            let rows = answer["rows"].as_array().unwrap().iter().filter(|row| row["row"] == "heading");
            let found: BTreeSet<i64> = rows
                .map(|row| {
                    row["text"]
                        .as_str()
                        .unwrap()
                        .rsplit_once('@')
                        .unwrap()
                        .1
                        .split(' ')
                        .next()
                        .unwrap()
                        .parse()
                        .unwrap()
                })
                .collect();
            let of = |fits: &dyn Fn((u64, u64)) -> bool| -> BTreeSet<i64> {
                let of_class = made.iter().filter(|((of, _), _)| of == class);
                of_class.filter(|(_, times)| fits(**times)).map(|((_, number), _)| *number).collect()
            };
            let (begun, done) = (of(&|(begin, _)| begin <= at), of(&|(_, end)| end <= at));
            assert!(
                found.is_superset(&done) && found.is_subset(&begun),
                "{} {name} at {at}: {found:?}, {done:?} to {begun:?}",
                recorded.name
            );
            let calls: Vec<u64> = recorded
                .ids(&["where-created", &name])
                .into_iter()
                .filter(|id| {
                    recorded.event(*id).name() == "<init>"
                        && recorded.event(*id).owner().of("o").is_some_and(|of| of[0].name() == class)
                })
                .collect();
            let first: Vec<u64> =
                made.iter().filter(|((of, _), _)| of == class).map(|(_, (begin, _))| *begin).collect();
            assert!(
                first.iter().all(|id| calls.contains(id)),
                "{} {name}: {first:?} in {calls:?}",
                recorded.name
            );
            let answer = recorded.answer(&["did", "create", &name]);
            assert_eq!(
                (answer["yes"].as_bool(), ids(&answer).first()),
                (Some(true), first.iter().min()),
                "{name}"
            );
        }
    }
}

#[test]
fn threads_run_and_exit_as_in_the_log() {
    let recorded = queried();
    let said = |what: &str, name: &str, options: &[&str]| {
        let answer = recorded.answer(&[&["did", what, name], options].concat());
        (answer["yes"].as_bool().unwrap(), answer["notes"][0].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(said("exit", "worker", &[]), (true, String::new()));
    assert_eq!(said("run", "worker", &[]), (false, String::new()));
    let start = of_kind(&recorded, "threadstart", |event| event.thread == "worker")[0];
    let at = [format!("--to={}", start + 1), format!("--to={}", start - 1)];
    assert!(said("run", "worker", &[&at[0]]).0 && !said("exit", "worker", &[&at[0]]).0);
    assert!(!said("run", "worker", &[&at[1]]).0 && !said("exit", "worker", &[&at[1]]).0);
    let (is_there, why) = said("run", "nobody", &[]);
    assert!(!is_there && why.starts_with("not recorded"), "{why}");
}

#[test]
fn histories_of_locals_and_elements_are_in_order() {
    let recorded = queried();
    let values = |words: &[&str]| -> Vec<(u64, String)> {
        let answer = recorded.answer(words);
        let rows = answer["rows"].as_array().unwrap().iter();
        rows.map(|row| (row["event"].as_u64().unwrap(), row["value"].as_str().unwrap().to_owned())).collect()
    };
    let plain = |rows: &[(u64, String)]| rows.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
    let sums = values(&["history", "Queried.loop:sum"]);
    assert_eq!(plain(&sums), ["0", "0", "1", "5", "14", "15", "17"]);
    assert!(sums.is_sorted_by_key(|(event, _)| *event));
    // A call that began before the range goes on in it.
    let from = format!("--from={}", sums[3].0);
    assert_eq!(plain(&values(&["history", "Queried.loop:sum", &from])), ["5", "14", "15", "17"]);
    assert_eq!(plain(&values(&["history", "loop:sum", "--value=0"])), ["0", "0"]);
    // The values of recursive calls come in the order of time.
    let smaller = values(&["history", "factorial:smaller"]);
    assert_eq!(plain(&smaller), ["1", "2", "6", "1"]);
    assert!(smaller.is_sorted_by_key(|(event, _)| *event));
    let table = recorded.events.iter().find(|event| event.is("setfield") && event.name() == "table").unwrap();
    let number = table.value().of("o").unwrap()[1].int().unwrap();
    assert_eq!(plain(&values(&["history", &format!("int[3]@{number}[1]")])), ["1", "9"]);
    assert_eq!(plain(&values(&["history", &format!("int[]@{number}[1]"), "--value=9"])), ["9"]);
    assert_eq!(plain(&values(&["history", &format!("int[]@{number}")])), ["3", "1", "2", "9"]);
    let none = recorded.answer(&["history", &format!("int[]@{number}"), "--thread=worker"]);
    assert_eq!(none["rows"].as_array().unwrap().len(), 0);
}

#[test]
fn no_tells_what_did_not_happen_from_what_was_not_recorded() {
    let all = queried();
    let why = |recorded: &Recorded, words: &[&str]| {
        let answer = recorded.answer(&[&["did"], words].concat());
        assert_eq!(answer["yes"], false, "{words:?}");
        answer["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| note.as_str().unwrap())
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert!(why(&all, &["call", "Queried.helper", "--arg=0=77"]).starts_with("not executed"));
    assert!(why(&all, &["call", "Queried.nowhere"]).starts_with("not recorded"));
    assert!(why(&all, &["call", "Arrays.sort"]).starts_with("not recorded"));
    assert!(why(&all, &["set", "Rec.bar", "77"]).starts_with("not executed"));
    assert!(why(&all, &["set", "Rec.count"]).starts_with("not recorded"), "`count` is of another class");
    assert!(why(&all, &["set", "Other.x"]).starts_with("not recorded"));
    assert!(why(&all, &["create", "Base"]).contains("subclasses"));
    assert!(why(&all, &["create", "Nothing"]).starts_with("not recorded"));
    assert!(why(&all, &["catch", "IllegalMonitorStateException"]).starts_with("not executed"));
    assert!(why(&all, &["line", "Elsewhere:3"]).starts_with("not recorded"));
    assert!(why(&all, &["line", "Queried:1"]).contains("has no code"));
    // At a lower level, what was not recorded is an error that says so.
    let classes = compiled("fixtures/queried", &["-g"]);
    let calls = Recorded::new("queried-calls", "calls", &[], &java(&classes, "Queried"));
    for words in [
        &["did", "line", "Queried:82"][..],
        &["did", "set", "Rec.bar"],
        &["where-set", "Rec.bar"],
        &["history", "deep:left"],
        &["instances", "Rec"],
        &["lines", "Queried"],
    ] {
        let output = calls.query(words);
        assert!(
            !output.status.success() && said(&output).contains("not recorded at level calls"),
            "{words:?}: {}",
            said(&output)
        );
    }
    assert!(why(&calls, &["call", "helper", "--arg=0=77"]).contains("level calls"));
    assert_eq!(calls.answer(&["did", "call", "helper"])["yes"], true);
}

#[test]
fn a_log_of_calls_alone_has_chains_and_trees() {
    let classes = compiled("fixtures/queried", &["-g"]);
    for level in ["calls", "writes"] {
        let recorded = Recorded::new("queried-lower", level, &[], &java(&classes, "Queried"));
        let brute = Brute::new(&recorded.events);
        for id in sample(&recorded, &mut Rng::new(61), 30) {
            if brute.is_sure(id) {
                let around = &brute.around[usize::try_from(id).unwrap()];
                assert_eq!(
                    recorded.ids(&["chain", &id.to_string()]),
                    *around,
                    "{level}: {}",
                    recorded.event(id).text()
                );
            }
        }
    }
}
