//! Histories of fields, variables and elements, and the states of objects, are those of the exported log.

use crate::brute::Brute;
use crate::jel::{Event, Term};
use crate::predefined::{of_kind, parts, programs, same, word};
use crate::recordings::{Recorded, ids, queried};
use crate::support::rng::Rng;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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
            // Instances of subclasses are in the answer too.
            let is_own = |text: &str| name.ends_with(text.split('@').next().unwrap());
            let rows = rows.filter(|row| is_own(row["text"].as_str().unwrap()));
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

/// A class name stands before static fields only: "no such event" would be false for a field of objects.
#[test]
fn the_history_of_a_field_of_objects_names_what_to_ask() {
    let recorded = queried();
    let output = recorded.query(&["history", "Queried.Rec.bar"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("`Queried.Rec.bar` is not a static field"), "{text}");
    assert!(text.contains("where-set bar"), "{text}");
    let answer = recorded.answer(&["history", "Queried.count"]);
    assert!(!ids(&answer).is_empty(), "{answer:#}");
}

/// Each change of a growing text or map is looked at once: 3,000 changes took minutes when each built the
/// whole text anew.
#[test]
fn histories_of_what_grows() {
    let folder = tempfile::tempdir_in(crate::support::scratch()).unwrap().keep();
    let source = crate::support::root().join("benches/growth/Growth.java");
    crate::support::javac::Javac::new().args(["-g", "-nowarn", "-d"]).arg(&folder).arg(&source).run();
    let rows = |kind: &str, n: &str, words: &[&str]| {
        let trace = folder.join(kind);
        let mut record = crate::support::qp();
        record.args(["trace", "record", "--level", "writes", "--out"]).arg(&trace);
        record.args(["--", "java", "-cp"]).arg(&folder).args(["Growth", kind, n]);
        assert!(crate::support::finish(&mut record).status.success());
        let began = std::time::Instant::now();
        let mut ask = crate::support::qp();
        let output =
            crate::support::finish(ask.args(["query", "history", "--format=json"]).args(words).arg(&trace));
        assert!(began.elapsed() < std::time::Duration::from_secs(10), "{kind}: {:?}", began.elapsed());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["rows"].as_array().unwrap().iter().map(|row| row["value"].to_string()).collect::<Vec<_>>()
    };
    let absent = rows("text", "1000", &["StringWriter@6", "--value=absent"]);
    assert_eq!(absent, Vec::<String>::new());
    // From the key 7 on, each change leaves it there.
    let seven = rows("map", "300", &["HashMap@6", "--value=7", "--limit=1000"]);
    assert_eq!(seven.len(), 293);
    assert!(
        seven[0].ends_with("6=6, 7=7]\"") && seven[292].contains("300 in all"),
        "{} {}",
        seven[0],
        seven[292]
    );
    // A sorted map, whose new keys come first.
    let first = rows("tree", "2000", &["TreeMap@6", "--value=2000=0", "--limit=3000"]);
    assert_eq!(first, Vec::<String>::new());
    let began = std::time::Instant::now();
    let mut ask = crate::support::qp();
    ask.args(["query", "ask", "--format=json", "aggregate_all(count, event(_, _, _), Count)"]);
    let output = crate::support::finish(ask.arg(folder.join("tree")));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(began.elapsed() < std::time::Duration::from_secs(10), "{:?}", began.elapsed());
}
