//! The values in questions of `qp diagnose`: at the entry in their state then, at the end, and the changes in
//! between.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::questions::told;
use crate::support::{compiled, qp};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The questions about the fixture, by method; the first of several calls of a method.
fn questions() -> &'static HashMap<String, Value> {
    static QUESTIONS: OnceLock<HashMap<String, Value>> = OnceLock::new();
    QUESTIONS.get_or_init(|| {
        let mut command = qp();
        command.args(["diagnose", "--format=json", "--strategy=top-down", "--", "java", "-cp"]);
        command.arg(compiled("fixtures/asked", &["-g"])).arg("Asked");
        // Somebody who knows nothing is asked about each call.
        let told = told(&mut command, |_| "unknown");
        let mut found = HashMap::new();
        for question in told.questions {
            let class =
                question["class"].as_str().expect("a class").rsplit('$').next().expect("a name").to_owned();
            let name = format!("{class}.{}", question["method"].as_str().expect("a method"));
            found.entry(name).or_insert(question);
        }
        found
    })
}

fn plain(of: &str, value: impl Into<Value>) -> Value {
    json!({"type": of, "value": value.into()})
}

fn text(value: &str) -> Value {
    plain("java.lang.String", value)
}

#[test]
fn a_constructor_makes_an_object_that_was_empty() {
    let question = &questions()["Node.<init>"];
    let this = &question["entry"]["this"];
    let object = |name: Value, id: i64| {
        let fields = json!({"name": name, "box": null, "next": null, "id": plain("long", id)});
        json!({"type": "Asked$Node", "object": this["object"], "fields": fields, "truncated": false})
    };
    assert_eq!(*this, object(Value::Null, 0));
    assert_eq!(question["exit"]["this"], object(text("one"), 1 << 40));
    // A static field is shown next to `this` and the arguments.
    assert_eq!(
        (&question["entry"]["Asked.count"], &question["exit"]["Asked.count"]),
        (&plain("int", 0), &plain("int", 1))
    );
    let changed = json!([
        {"path": "Asked.count", "old": plain("int", 0), "new": plain("int", 1)},
        {"path": "this.name", "old": null, "new": text("one")},
        {"path": "this.id", "old": plain("long", 0), "new": plain("long", 1_i64 << 40)},
    ]);
    assert_eq!(question["changed"], changed);
    assert_eq!((&question["result"], &question["exception"]), (&Value::Null, &Value::Null));
}

#[test]
fn objects_that_refer_to_each_other_are_shown_once() {
    let question = &questions()["Asked.link"];
    let (entry, exit) = (&question["entry"], &question["exit"]);
    let (one, other) = (&entry["one"]["object"], &entry["other"]["object"]);
    assert_ne!(one, other);
    assert_eq!(
        (&entry["one"]["fields"]["next"], &entry["one"]["fields"]["box"]),
        (&Value::Null, &Value::Null)
    );
    let fields = &exit["one"]["fields"];
    assert_eq!(fields["box"], plain("java.lang.Integer", 42));
    assert_eq!(fields["next"]["object"], *other);
    assert_eq!(fields["next"]["fields"]["next"], json!({"type": "Asked$Node", "object": one}));
    // The same the other way round, and in a static field.
    assert_eq!(
        exit["other"]["fields"]["next"]["fields"]["next"],
        json!({"type": "Asked$Node", "object": other})
    );
    assert_eq!((&entry["Asked.root"], &exit["Asked.root"]), (&Value::Null, &exit["one"]));
    let paths: Vec<&str> = question["changed"]
        .as_array()
        .expect("changes")
        .iter()
        .map(|c| c["path"].as_str().expect("a path"))
        .collect();
    assert_eq!(paths, ["Asked.root", "one.box", "one.next", "other.next"]);
}

#[test]
fn what_a_call_replaces_is_told_as_it_was() {
    let question = &questions()["Node.rename"];
    let changed = json!([
        {"path": "Asked.last", "old": null, "new": text("other")},
        {"path": "this.name", "old": text("other"), "new": text("new")},
    ]);
    assert_eq!(question["changed"], changed);
    assert_eq!(question["entry"]["this"]["fields"]["name"], text("other"));
    assert_eq!(question["exit"]["this"]["fields"]["name"], text("new"));
    // An argument of the same name as a field.
    assert_eq!((&question["entry"]["name"], &question["exit"]["name"]), (&text("new"), &text("new")));
}

#[test]
fn an_exception_leaves_a_call_without_a_result() {
    let question = &questions()["Asked.fails"];
    assert_eq!(question["result"], Value::Null);
    assert_eq!(question["exception"]["type"], "java.lang.IllegalStateException");
    assert_eq!(question["changed"], json!([{"path": "node.name", "old": text("one"), "new": null}]));
    // The exception was caught: the enclosing call has none.
    assert_eq!(questions()["Asked.main"]["exception"], Value::Null);
    assert_eq!(questions()["Asked.main"]["exit"]["Asked.last"], text("because"));
}

#[test]
fn values_have_the_types_of_java() {
    let question = &questions()["Asked.kinds"];
    let entry = &question["entry"];
    for (name, wanted) in [
        ("truth", plain("boolean", true)),
        ("small", plain("byte", 2)),
        ("less", plain("short", -3)),
        ("real", plain("float", 0.5)),
        ("none", plain("double", "NaN")),
        ("nothing", Value::Null),
    ] {
        assert_eq!(entry[name], wanted);
        assert_eq!(question["exit"][name], wanted);
    }
    // Local variables appear only at the end.
    assert_eq!((&entry["local"], &entry["twice"]), (&Value::Null, &Value::Null));
    assert!(entry.as_object().expect("an object").get("local").is_none());
    assert_eq!(
        (&question["exit"]["local"], &question["exit"]["twice"]),
        (&text("local"), &plain("long", -6))
    );
    assert_eq!((&question["result"], &question["changed"]), (&plain("char", "c"), &json!([])));
    let boxed = &questions()["Asked.boxed"];
    assert_eq!(
        (&boxed["entry"]["of"], &boxed["entry"]["letter"]),
        (&plain("java.lang.Integer", 1000), &plain("java.lang.Character", "x"))
    );
    assert_eq!(boxed["result"], plain("java.lang.Integer", 1120));
}

#[test]
fn what_is_too_long_is_cut() {
    let question = &questions()["Asked.big"];
    let many = &question["entry"]["many"];
    let elements = many["elements"].as_array().expect("elements");
    assert!(elements.len() < 300 && elements.len() > 100, "{}", elements.len());
    assert_eq!(
        (&many["type"], &many["truncated"], &elements[0]),
        (&json!("int[]"), &json!(true), &plain("int", 0))
    );
    // A change is reported even for a value that is not shown.
    assert_eq!(
        question["changed"],
        json!([{"path": "many[299]", "old": plain("int", 0), "new": plain("int", 5)}])
    );
    let text = &question["entry"]["text"];
    assert_eq!((&text["type"], &text["truncated"]), (&json!("java.lang.String"), &json!(true)));
    let shown = text["value"].as_str().expect("a text");
    assert!(shown.len() > 10 && shown.len() < 5000 && shown.bytes().all(|byte| byte == b'x'), "{shown}");
    assert_eq!(question["result"], plain("int", 5000));
}

#[test]
fn fields_of_classes_above_are_told_apart() {
    let question = &questions()["Asked.leaf"];
    assert_eq!(question["result"]["type"], "Asked$Leaf");
    let fields = question["result"]["fields"].as_object().expect("fields");
    let names: Vec<&str> = fields.keys().map(String::as_str).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    // The name of a hidden field has its class in front.
    assert_eq!((&fields["name"], &fields["Asked.Node.name"]), (&Value::Null, &text("leaf")));
    assert_eq!(fields["data"]["elements"], json!([plain("byte", 1), plain("byte", -1)]));
    // The same object twice in an array, with nothing in between.
    let nodes = &questions()["Asked.nodes"]["result"];
    assert_eq!((&nodes["type"], &nodes["elements"][1]), (&json!("Asked$Node[]"), &Value::Null));
    assert_eq!(nodes["elements"][2], json!({"type": "Asked$Node", "object": nodes["elements"][0]["object"]}));
}
