//! Values shown by their content: boxes, constants, dates, exceptions with their messages, collections with
//! their elements.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::session::{debug, session};
use crate::support::{finish, point, said};
use serde_json::Value;

/// Each local with its value, and the contents of the object of that name.
const SHOWN: &[(&str, &str, Option<&str>)] = &[
    ("order", "Shop.Order@1", Some("{total: 90, customer: \"ann\", items: ArrayList@2}")),
    ("box", "Integer 5", None),
    ("big", "Long 1234567890123", None),
    ("yes", "Boolean true", None),
    ("c", "Character 'x'", None),
    ("d", "Double 2.5", None),
    ("b", "Byte 3", None),
    ("s", "Short 4", None),
    ("f", "Float 1.5", None),
    ("level", "Shop.Level.HIGH", None),
    ("some", "Optional[Shop.Order@1]", None),
    ("none", "Optional.empty", None),
    ("seven", "Optional[7]", None),
    ("oi", "OptionalInt[3]", None),
    ("price", "BigDecimal 12.50", None),
    ("huge", "BigDecimal -123456789012345678901234567890.123", None),
    ("bi", "BigInteger 123456789012345678901234567890", None),
    ("date", "LocalDate 2024-02-29", None),
    ("time", "LocalTime 09:05:07", None),
    ("both", "LocalDateTime 2024-02-29T09:05:07", None),
    ("instant", "Instant 2024-02-29T09:05:07.120Z", None),
    ("duration", "Duration PT1M30.5S", None),
    ("uuid", "UUID 123e4567-e89b-12d3-a456-426614174000", None),
    ("type", "Shop.Order.class", None),
    ("array", "int[].class", None),
    ("failure", "Shop.OrderException@1", Some("\"no stock\" caused by IllegalStateException@n \"empty\"")),
    ("ref", "Shop.Order::total", None),
    ("map", "HashMap@1", Some("{\"a\": 1, \"b\": 2}")),
    ("linked", "LinkedHashMap@1", Some("{\"z\": Shop.Level.LOW, \"y\": Shop.Level.HIGH}")),
    ("tree", "TreeMap@1", Some("{0: \"v0\", 1: \"v1\", 2: \"v2\", 3: \"v3\", 4: \"v4\"}")),
    ("set", "HashSet@1", Some("[\"s\"]")),
    ("list", "ArrayList@1", Some("[1, 2, 3]")),
    ("of", "ImmutableCollections.List12@1", Some("[4, 5]")),
    ("of3", "ImmutableCollections.ListN@1", Some("[4, 5, 6]")),
    ("mapOf", "ImmutableCollections.Map1@1", Some("{\"k\": 1}")),
    ("arrays", "Arrays.ArrayList@1", Some("[\"p\", \"q\"]")),
    ("deque", "ArrayDeque@1", Some("[8, 9]")),
    ("linkedList", "LinkedList@1", Some("[\"l1\", \"l2\"]")),
    ("numbers", "int[]@1", Some("[1, 2, 3]")),
    ("words", "String[]@1", Some("[\"w1\", null]")),
    ("sb", "StringBuilder@1", Some("\"built\"")),
    ("em", "EnumMap@1", Some("{Shop.Level.HIGH: 2}")),
    ("es", "RegularEnumSet@1", Some("[Shop.Level.LOW]")),
    ("pq", "PriorityQueue@1", Some("[1, 3, 2]")),
    ("basket", "Shop.Basket@1", Some("[\"egg\"]")),
    // The source declares the fields of one class, and only the compiler has added `this$0` to the other.
    ("priced", "Shop.Priced@1", Some("{this$0: 7, val$tax: 2}")),
    ("inner", "Shop.Inner@1", Some("{own: 3}")),
    ("item", "Shop.Item@1", Some("{name: \"tea\", price: 40, level: Shop.Level.LOW}")),
];

fn collected(case: &Case, java: &str, backend: &str) -> Value {
    let line = case.line("Shop.java", "// AT");
    let debuggee = format!("command: [{java:?}, \"-cp\", \"classes\", \"Shop\"], sources: [\".\"]");
    let points = format!(
        "(id: \"A\", at: Line(\"Shop\", {line})), \
         (id: \"B\", at: LastChange(\"A(0):Shop.last\"), expect: (new: \"Shop.Order@1\")), \
         (id: \"C\", at: LastChange(\"A(0):Shop.count\"), expect: (new: \"Integer 0\")), \
         (id: \"D\", at: Exception(\"java.lang.IllegalStateException\")), \
         (id: \"E\", at: LastChange(\"A(0):Shop.count\"), expect: (new: \"Integer@{{BOX}}\"))"
    );
    // The box's number is that of its first mention in the answer; any other number is refused.
    let by_number = |n: &str| {
        case.replay(&debuggee, &points.replace("{BOX}", n), &["--backend", backend, "--format", "json"])
    };
    let run = by_number("2");
    let answer = run.answer();
    assert_eq!(run.output.status.code(), Some(0), "{}", run.said());
    let other = by_number("3").answer();
    assert_eq!(point(&other, "E")["expectation"]["held"], false, "another number is not its name");
    answer
}

/// The number of the cause depends on what else was shown before.
fn unnumbered(contents: &str) -> String {
    ["@1", "@2"].iter().fold(contents.to_owned(), |text, number| {
        text.replace(&format!("IllegalStateException{number}"), "IllegalStateException@n")
    })
}

#[test]
fn values_read_by_what_they_are_by_every_back_end() {
    let case = Case::new("shown");
    for java in crate::support::javas() {
        for backend in ["jdwp", "probe"] {
            let answer = collected(&case, &java, backend);
            let a = point(&answer, "A");
            for (name, value, contents) in SHOWN {
                assert_eq!(a["collected"][name], *value, "{name} by {backend}: {a:#}");
                assert_eq!(
                    a["contents"].get(value).and_then(Value::as_str).map(unnumbered).as_deref(),
                    *contents,
                    "{name} by {backend}"
                );
            }
            for (name, code) in [("fn", "o -> o.total()"), ("captured", "() -> order.customer + box")] {
                let text = a["collected"][name].as_str().expect("a text");
                assert!(
                    text.starts_with("Shop.java:") && text.ends_with(code),
                    "{name} by {backend}: {text}"
                );
            }
            let d = point(&answer, "D");
            assert_eq!(d["exception"]["message"], "total is 90", "{backend}");
            assert_eq!(
                d["contents"][d["exception"]["object"].as_str().unwrap()],
                "\"total is 90\"",
                "{backend}"
            );
        }
    }
}

#[test]
fn the_prompt_shows_what_collections_hold_and_not_how() {
    let case = Case::new("shown");
    let line = case.line("Shop.java", "// AT");
    let script = format!("break Shop:{line}\nrun\nprint list\nprint map\nprint box\nprint failure\nlocals\n");
    let (_, replies) = session(&mut debug(&case, "Shop"), &script);
    let members = |at: usize| {
        let members = replies[at]["content"]["members"].as_array().cloned().unwrap_or_default();
        members
            .iter()
            .map(|m| format!("{} = {}", m["name"].as_str().unwrap(), m["value"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(members(2), ["[0] = 1", "[1] = 2", "[2] = 3"], "{replies:#?}");
    assert_eq!(members(3), ["\"a\" = 1", "\"b\" = 2"]);
    assert_eq!((&replies[4]["content"]["value"], members(4).len()), (&"Integer 5".into(), 0));
    assert!(members(5).contains(&"detailMessage = \"no stock\"".to_owned()));
    let values = replies[6]["content"]["values"].as_array().expect("locals");
    for (name, value, contents) in SHOWN.iter().filter(|(name, ..)| *name != "order") {
        let shown = values.iter().find(|v| v["name"] == *name).expect("a local");
        assert_eq!(shown["value"], *value, "{name}");
        let found = shown.get("contents").and_then(Value::as_str).map(unnumbered);
        assert_eq!(found.as_deref(), *contents, "{name}");
    }
}

/// The output of `qp`, with its exit code. Reading a recording may change files, since its tables are kept.
fn told(case: &Case, arguments: &[&str]) -> (Option<i32>, String) {
    let output = finish(case.qp().args(arguments));
    (output.status.code(), said(&output))
}

/// Records the fixture at the highest level.
fn recorded(case: &Case) {
    let arguments =
        ["trace", "record", "--level", "all", "-o", "all", "--", "java", "-cp", "classes", "Shop"];
    let (code, said) = told(case, &arguments);
    assert_eq!(code, Some(0), "{said}");
}

fn lines_of(case: &Case, arguments: &[&str]) -> Vec<String> {
    let output = finish(case.qp().args(arguments));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn places_and_objects_are_accepted_as_they_are_shown() {
    let case = Case::new("shown");
    let line = case.line("Shop.java", "// AT");
    for place in [format!("Shop:{line}"), format!("Shop.java:{line}")] {
        let lines = lines_of(&case, &["why", "last", "--at", &place, "--", "java", "-cp", "classes", "Shop"]);
        assert!(
            lines.last().is_some_and(|last| last.starts_with("2 of 2 points located")),
            "{place}: {lines:#?}"
        );
    }
    recorded(&case);
    for method in ["Shop$Order.add", "Shop.Order.add", "Order.add"] {
        let lines = lines_of(&case, &["trace", "calls", "all", "--method", method]);
        assert_eq!(lines.iter().filter(|line| line.contains(".add(")).count(), 2, "{method}: {lines:#?}");
    }
    let calls = lines_of(&case, &["trace", "calls", "all"]);
    let add = calls.iter().find(|line| line.contains(".add(")).expect("a call");
    let object = add.split_whitespace().find_map(|word| word.split_once(".add(")).expect("its object").0;
    let number = object.split_once('@').expect("a number").1;
    for variable in [format!("{object}.total"), format!("Order@{number}.total"), format!("@{number}.total")] {
        let lines = lines_of(&case, &["trace", "history", &variable, "all"]);
        assert_eq!(lines.first(), Some(&format!("{object}.total: 0 → 40")), "{variable}");
    }
    let refused = |arguments: &[&str], texts: &[&str]| {
        let (code, said) = told(&case, arguments);
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(code, Some(2), "{said}");
        assert!(texts.iter().all(|text| flat.contains(text)), "{texts:?}: {said}");
    };
    refused(&["trace", "history", "Order@98765.total", "all"], &["no object Order@98765 was recorded"]);
    let item = format!("Item@{number}.total");
    refused(&["trace", "history", &item, "all"], &[&format!("object {number} is {object}")]);
    let node = add.split_whitespace().next().expect("its number").trim_start_matches('#');
    refused(&["trace", "state", node, "all", "--object", "Order@98765"], &["no object Order@98765"]);
    let at = format!("Shop:{line}");
    refused(
        &["why", "last", "--at", &at, "java", "-cp", "classes", "Shop"],
        &["`--` is missing before the program's command", "-- java -cp classes Shop"],
    );
}

#[test]
fn a_field_of_a_variable_that_has_no_value_yet_is_not_read() {
    let case = Case::new("handed");
    let points = format!(
        "(id: \"A\", at: Line(\"Handed\", {})), (id: \"B\", at: LastChange(\"A:part\"))",
        case.line("Handed.java", "// <- sum")
    );
    let debuggee = "command: [\"java\", \"-cp\", \"classes\", \"Handed\"]";
    let answer = case.replay(debuggee, &points, &["--format=json"]).is(0, &[]).answer();
    assert_eq!(point(&answer, "A")["collected"]["part.size"], "2", "{answer:#}");
    let stored = point(&answer, "B");
    assert_eq!(stored["line"], case.line("Handed.java", "// <- take"), "{stored:#}");
    let names: Vec<&String> = stored["collected"].as_object().expect("values").keys().collect();
    assert_eq!(names, ["sum"]);
}

#[test]
fn text_fits_into_eighty_columns() {
    let case = Case::new("shown");
    recorded(&case);
    let node = |lines: &[String], call: &str| {
        let line = lines.iter().find(|line| line.contains(call)).expect("a call");
        line.split_whitespace().next().expect("a number").trim_start_matches('#').to_owned()
    };
    let calls = lines_of(&case, &["trace", "calls", "all", "--depth", "9"]);
    let (check, add) = (node(&calls, ".check("), node(&calls, ".add("));
    let constants = calls.iter().any(|line| line.contains("new Shop.Item(\"tea\", 40, Shop.Level.LOW)"));
    assert!(constants, "constants have their names: {calls:#?}");
    let events = lines_of(&case, &["trace", "events", &add, "all"]);
    assert!(events.iter().any(|line| line.contains("1 call below")), "{events:#?}");
    assert!(!events.iter().any(|line| line.contains(".Order.total")), "{events:#?}");
    assert!(events.iter().any(|line| line.contains(".total: 0 → 40")), "{events:#?}");
    let at = format!("Shop.java:{}", case.line("Shop.java", "// AT"));
    let why = lines_of(&case, &["why", "last", "--at", &at, "--", "java", "-cp", "classes", "Shop"]);
    let events = lines_of(&case, &["trace", "events", &check, "all"]);
    let mut all = vec![calls, events, why];
    all.extend(
        [&["info", "all"][..], &["state", &add, "all"]]
            .map(|view| lines_of(&case, &[&["trace"], view].concat())),
    );
    for command in [
        &["--help"][..],
        &["why", "--help"],
        &["debug", "--help"],
        &["check", "--help"],
        &["trace", "--help"],
        &["trace", "record", "--help"],
        &["trace", "step", "--help"],
        &["diagnose", "--help"],
    ] {
        all.push(lines_of(&case, command));
    }
    for line in all.iter().flatten() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
}
