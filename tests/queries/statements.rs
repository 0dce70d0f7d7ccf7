//! Questions about lines, statements and threads have the answers of the exported log, and *no* says why.

use crate::brute::{Brute, mixed};
use crate::jel::Event;
use crate::predefined::{of_kind, programs, sample};
use crate::recordings::{Recorded, fixture, ids, java, queried};
use crate::support::rng::Rng;
use crate::support::{compiled, finish, qp, said};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Deserialisation makes an object without a constructor of its class.
#[test]
fn a_constructor_of_a_superclass_alone_makes_no_object() {
    let recorded = fixture("deserialised", "Deserialised", "all");
    assert!(recorded.printed.contains("7 40 bob null\n"), "{}", recorded.printed);
    let last = recorded.events.len() - 1;
    let instances = recorded.answer(&["instances", "Deserialised$Account", "--at", &last.to_string()]);
    let rows = instances["rows"].as_array().expect("rows");
    let values = |field: &str| -> Vec<String> {
        let of_field = rows.iter().filter(|row| row["name"].as_str().is_some_and(|n| n.ends_with(field)));
        of_field.map(|row| row["value"].as_str().unwrap_or("?").to_owned()).collect()
    };
    assert_eq!([values(".id"), values(".cents")], [["7", "7"], ["40", "?"]], "{instances:#}");
    assert_eq!([values(".owner"), values(".tag")], [["\"bob\"", "?"], ["null", "?"]], "{instances:#}");
    let did = recorded.answer(&["did", "set", "Deserialised$Account.tag", "\"new\""]);
    let notes = did["notes"].to_string();
    assert!(notes.contains("method handles are not recorded") && notes.contains("Deserialised"), "{did:#}");
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
fn threads_run_and_exit_as_in_the_log() {
    let recorded = queried();
    let said = |what: &str, name: &str, options: &[&str]| {
        let answer = recorded.answer(&[&["did", what, name], options].concat());
        (answer["yes"].as_bool().unwrap(), answer["notes"][0].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(said("exit", "worker", &[]), (true, String::new()));
    assert_eq!(said("run", "worker", &[]), (false, String::new()));
    let start = of_kind(&recorded, "threadstart", |event| event.thread.starts_with("worker #"))[0];
    let at = [format!("--to={}", start + 1), format!("--to={}", start - 1)];
    assert!(said("run", "worker", &[&at[0]]).0 && !said("exit", "worker", &[&at[0]]).0);
    assert!(!said("run", "worker", &[&at[1]]).0 && !said("exit", "worker", &[&at[1]]).0);
    let (is_there, why) = said("run", "nobody", &[]);
    assert!(!is_there && why.starts_with("not recorded"), "{why}");
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
    assert!(why(&all, &["set", "Base.never"]).contains("no recorded method has code that writes this field"));
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

#[test]
fn subclasses_are_instances_of_their_superclasses() {
    let recorded = queried();
    // `IllegalStateException`, `UnsupportedOperationException` and `NumberFormatException` were caught.
    for class in ["RuntimeException", "java.lang.IllegalArgumentException", "Exception", "Throwable"] {
        assert_eq!(recorded.answer(&["did", "catch", class])["yes"], true, "{class}");
    }
    assert_eq!(recorded.answer(&["did", "catch", "Error"])["yes"], false);
    assert_eq!(recorded.ids(&["where-thrown", "Exception"]), recorded.ids(&["where-thrown", "--all"]));
    let headings = |class: &str| {
        let answer = recorded.answer(&["instances", class]);
        let rows = answer["rows"].as_array().unwrap().iter().filter(|row| row["row"] == "heading");
        rows.map(|row| row["text"].as_str().unwrap().to_owned()).collect::<BTreeSet<String>>()
    };
    let (recs, bases) = (headings("Queried.Rec"), headings("Queried.Base"));
    assert!(!recs.is_empty() && bases.is_superset(&recs), "{bases:?}");
    let created =
        |class: &str| -> BTreeSet<u64> { recorded.ids(&["where-created", class]).into_iter().collect() };
    let answer = recorded.answer(&["where-created", "Base"]);
    assert!(answer["notes"].to_string().contains("included: Queried.Failing, Queried.Rec"), "{answer:#}");
    assert_eq!(created("Base"), created("Rec").into_iter().chain(created("Failing")).collect());
    for class in ["Base", "Sized", "Named"] {
        let answer = recorded.answer(&["did", "create", class]);
        assert_eq!(answer["yes"], true, "{class}");
        assert!(
            answer["notes"][0].as_str().unwrap().ends_with(&format!("a subtype of {class}")),
            "{answer:#}"
        );
    }
}

#[test]
fn a_call_of_an_overriding_method_is_a_call_of_the_overridden_one() {
    let recorded = queried();
    let sized = of_kind(&recorded, "methodcall", |event| event.name() == "size");
    // The bridge and the method that it calls.
    assert_eq!(sized.len(), 2, "{sized:?}");
    for method in ["Sized.size", "Shape.size"] {
        let answer = recorded.answer(&["did", "call", method, "--arg=0=4"]);
        assert_eq!((answer["yes"].as_bool(), ids(&answer)), (Some(true), vec![sized[1]]), "{answer:#}");
        assert!(answer["notes"][0].as_str().unwrap().ends_with("are included: Queried.Square.size"));
        assert_eq!(recorded.ids(&["results", method, "--value=16"]).len(), 1);
    }
    assert_eq!(recorded.answer(&["did", "call", "Shape.size", "--arg=0=5"])["yes"], false);
    // A class that inherits a method names it, for its own objects.
    let named = of_kind(&recorded, "methodcall", |event| event.name() == "add");
    assert_eq!(recorded.ids(&["calls", "Rec.add"]), named);
    let why = recorded.answer(&["did", "call", "Square.toString"])["notes"].to_string();
    assert!(why.contains("not recorded: "), "{why}");
}

#[test]
fn inherited_fields_are_named_by_subclasses() {
    let recorded = queried();
    let set =
        |name: &str, value: &str| recorded.answer(&["did", "set", name, value])["yes"].as_bool().unwrap();
    // `new Rec(2)` sets 3, and `new Failing()` sets -1.
    assert!(set("Rec.own", "3") && set("Failing.own", "-1") && set("Base.own", "-1"));
    assert!(!set("Rec.own", "-1"));
    assert!(set("Square.made", "1"));
    let [of_sub, of_super] = ["Square.made", "Shape.made"].map(|field| recorded.ids(&["history", field]));
    assert!(of_sub == of_super && of_sub.len() == 1, "{of_sub:?}");
    let folder = recorded.folder.display().to_string();
    let output = finish(qp().args(["trace", "history", "Queried.Square.made", &folder]));
    assert!(said(&output).contains("Shape.made: 0 → 1"), "{}", said(&output));
}

/// A handler for uncaught exceptions is no `catch`, also if it throws and catches others.
#[test]
fn an_exception_that_a_handler_of_its_thread_got_is_uncaught() {
    let recorded = fixture("wrapped", "Wrapped", "calls");
    let answer = recorded.answer(&["where-thrown"]);
    let rows: Vec<&Value> =
        answer["rows"].as_array().unwrap().iter().filter(|row| row["kind"] == "exception").collect();
    let [row] = rows.as_slice() else { panic!("{answer:#}") };
    assert!(row["object"].as_str().unwrap().starts_with("NullPointerException@"), "{row:#}");
    assert_eq!(row["caught"], "uncaught");
    assert!(row["handler"].as_str().unwrap().starts_with("Wrapped.java:"), "{row:#}");
    let answer = recorded.answer(&["where-thrown", "IllegalStateException"]);
    let rows = answer["rows"].as_array().unwrap();
    let causes = rows.iter().find_map(|row| row["causes"].as_array()).unwrap();
    let classes: Vec<&str> = causes.iter().map(|cause| cause["class"].as_str().unwrap()).collect();
    assert_eq!(classes, ["java.lang.reflect.InvocationTargetException", "Wrapped$Busy"], "{answer:#}");
    assert_eq!(causes[1]["message"], "no line");
}

#[test]
fn caught_exceptions_are_offered_where_no_other_was_thrown() {
    let recorded = queried();
    let is_caught = |event: &Event| event.args[3].of("l").is_some();
    let first = of_kind(&recorded, "exception", is_caught)[0];
    let to = format!("--to={first}");
    let answer = recorded.answer(&["where-thrown", "--thread=main", &to]);
    assert_eq!(answer["rows"].as_array().unwrap().len(), 0, "{answer:#}");
    assert!(answer["notes"][0].as_str().unwrap().contains("--all"), "{answer:#}");
}
