//! Writes that code of the JDK makes for the program: to arrays that it is given, and to fields by handles,
//! reflection and deserialisation. The programs log the values before and after each write.

use crate::support::finish;
use crate::support::traced::exported;
use crate::traps::fixture::{Asked, Fixture};
use std::process::Command;

/// What a program logs of its writes: name, value before, value after.
fn logged(fixture: &Fixture) -> Vec<[String; 3]> {
    let output = finish(Command::new("java").args(fixture.command()));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter_map(|line| line.strip_prefix("changed\t"));
    lines
        .map(|line| {
            let parts: Vec<String> = line.split('\t').map(str::to_owned).collect();
            <[String; 3]>::try_from(parts).expect("a name and two values")
        })
        .collect()
}

/// A value of an answer or a recording as the program logs it.
fn plain(text: &str) -> String {
    let text = text.strip_prefix("Integer ").unwrap_or(text).trim_matches('"');
    match text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some("\\u0000" | "\\0") => "0".to_owned(),
        Some(of) => of.chars().next().map(|of| u32::from(of).to_string()).unwrap_or_default(),
        None => text.trim_end_matches(['L', 'f', 'F']).to_owned(),
    }
}

/// A field of a point.
fn number(asked: &Asked, id: &str, field: &str) -> String {
    plain(asked.point(id)[field].as_str().unwrap_or_default())
}

/// Asks for the last change that each of these methods logs, by probes on each Java.
fn answers_are_those_of_the_log(main: &str, written: &[(&str, &str, Option<&str>)], options: &[&str]) {
    let fixture = Fixture::new(&format!("jdk-{}", main.to_lowercase()), main);
    let log = logged(&fixture);
    assert_eq!(log.len(), written.len());
    let points: String = (written.iter())
        .map(|(name, what, _)| {
            format!(
                r#"(id: "A{name}", at: Line("{main}", {{A-{name}}})), (id: "{name}", at: LastChange("A{name}:{what}")),"#
            )
        })
        .collect();
    let options = [&["--backend", "probe"], options].concat();
    for asked in fixture.ask_with(&points, &options) {
        asked.held();
        for (name, _, by) in written {
            let [_, before, after] = log.iter().find(|[of, ..]| of == name).expect("logged");
            asked.at(name, name).certain(name);
            let told = (number(&asked, name, "old"), number(&asked, name, "new"));
            assert_eq!(told, (before.clone(), after.clone()), "{} {name}", asked.java);
            assert_eq!(asked.point(name)["by"].as_str(), *by, "{} {name}", asked.java);
        }
    }
}

const ELEMENTS: [(&str, &str, Option<&str>); 17] = [
    ("copied", "row[2]", Some("System.arraycopy")),
    ("beside", "row[3]", None),
    ("filled", "row[1]", Some("Arrays.fill")),
    ("unchanged", "row[1]", None),
    ("other", "row[1]", None),
    ("sorted", "row[0]", Some("Arrays.sort")),
    ("sortedBy", "row[1]", Some("Arrays.sort")),
    ("within", "row[2]", None),
    ("thrown", "row[1]", Some("Arrays.setAll")),
    ("thrownThrough", "row[0]", Some("Arrays.setAll")),
    ("read", "row[2]", Some("ByteArrayInputStream.read")),
    ("characters", "row[1]", Some("String.getChars")),
    ("flags", "row[2]", Some("Arrays.fill")),
    ("reflected", "row[1]", Some("Array.setFloat")),
    ("handled", "row[1]", Some("VarHandle.compareAndSet")),
    ("referred", "row[0]", Some("Consumer.accept")),
    ("often", "row[3]", Some("Arrays.fill")),
];

#[test]
fn elements_that_the_jdk_writes_change_at_its_calls() {
    answers_are_those_of_the_log("Elements", &ELEMENTS, &[]);
}

#[test]
fn elements_that_the_jdk_writes_are_found_by_last_hits_alone() {
    answers_are_those_of_the_log("Elements", &ELEMENTS, &["--eager", "0"]);
}

const FIELDS: [(&str, &str, Option<&str>); 20] = [
    ("reflected", "box.value", Some("Field.setInt")),
    ("same", "box.value", None),
    ("other", "box.value", None),
    ("twin", "box.value", None),
    ("inherited", "box.size", Some("Field.setDouble")),
    ("handled", "box.value", Some("VarHandle.compareAndSet")),
    ("failed", "box.value", None),
    ("ofClass", "Fields$Box.shared", Some("VarHandle.getAndAdd")),
    ("ofClassReflected", "Fields$Box.level", Some("Field.setByte")),
    ("updated", "box.value", Some("AtomicIntegerFieldUpdater.incrementAndGet")),
    ("within", "box.text", None),
    ("exchanged", "box.text", Some("AtomicReferenceFieldUpdater.getAndSet")),
    ("unsafe", "box.value", Some("Unsafe.putInt")),
    ("invoked", "box.value", Some("MethodHandle.invokeExact")),
    ("bound", "box.value", Some("MethodHandle.invoke")),
    ("called", "box.value", None),
    ("read", "box.value", Some("ObjectInputStream.readObject")),
    ("readText", "box.text", Some("ObjectInputStream.readObject")),
    ("ownRead", "read.read", Some("ObjectInputStream.defaultReadObject")),
    ("ownComputed", "read.computed", None),
];

#[test]
fn fields_that_the_jdk_writes_change_at_its_calls() {
    answers_are_those_of_the_log("Fields", &FIELDS, &[]);
}

#[test]
fn fields_that_the_jdk_writes_are_found_by_last_hits_alone() {
    answers_are_those_of_the_log("Fields", &FIELDS, &["--eager", "0"]);
}

/// A condition on the values of such a write is evaluated, also where the VM tests the others itself.
#[test]
fn conditions_see_the_values_before_and_after_the_call() {
    let points = r#"
        (id: "A", at: Line("Fields", {A-updated})),
        (id: "last", at: LastChange("A:box.value"), when: ".old == 200"),
        (id: "none", at: LastChange("A:box.value"), when: ".new == 4000", expect: (located: false)),
        (id: "watched", at: Watch("Fields$Box", "value"), when: ".new == 22 && .old == 21"),
        (id: "third", at: Watch("Fields$Box", "value"), when: ".owner instanceof Fields$Sub && .new != 0"),
        (id: "static", at: Watch("Fields$Box", "shared"), when: ".new > 6"),
    "#;
    for asked in Fixture::new("jdk-fields", "Fields").ask_with(points, &["--backend", "probe"]) {
        asked.held().at("last", "updated").has("last", &[("old", "200"), ("new", "201")]);
        asked.at("watched", "updated").has("watched", &[("new", "22")]);
        asked.at("third", "twin").has("third", &[("new", "2")]);
        let by = ("by", "VarHandle.getAndAdd");
        asked.at("static", "ofClass").has("static", &[("old", "6L"), ("new", "1099511627782L"), by]);
    }
    let points = r#"
        (id: "A", at: Line("Elements", {A-filled})),
        (id: "element", at: LastChange("A:row[1]"), when: ".old == 4"),
        (id: "none", at: LastChange("A:row[1]"), when: ".old == 5", expect: (located: false)),
    "#;
    for asked in Fixture::new("jdk-elements", "Elements").ask_with(points, &["--backend", "probe"]) {
        asked.held().at("element", "filled").has("element", &[("new", "1099511627776L")]);
    }
}

/// Threads that race may report their writes in another order. Then the answer says so.
#[test]
fn of_racing_threads_the_last_write_is_told_or_a_write_was_missed() {
    let points = r#"(id: "A", at: Line("Racing", {A-count})), (id: "B", at: LastChange("A:racing.total"))"#;
    for asked in Fixture::new("jdk-fields", "Racing").ask_with(points, &["--backend", "probe"]) {
        asked.at("B", "count").has("B", &[("by", "AtomicIntegerFieldUpdater.incrementAndGet")]);
        if asked.point("B")["new"] != "60000" {
            asked.noted("B", "a write was missed: the value seen later is 60000");
        }
    }
}

/// Writes that recordings do not see: by `Unsafe`, method handles and deserialisation.
const UNRECORDED: [&str; 6] = ["unsafe", "invoked", "bound", "read", "readText", "ownRead"];

/// A recording has each of these writes at the same line, with the same values and the same method.
#[test]
fn recordings_have_the_same_writes() {
    for (main, written) in [("Elements", ELEMENTS.as_slice()), ("Fields", FIELDS.as_slice())] {
        let fixture = Fixture::new(&format!("jdk-{}", main.to_lowercase()), main);
        let log = logged(&fixture);
        let folder = crate::support::scratch().join(format!("recorded-{main}"));
        let mut record = crate::support::qp();
        record.args(["trace", "record", "--level", "writes", "--out"]).arg(&folder).args(["--", "java"]);
        let output = finish(record.args(fixture.command()));
        assert_eq!(output.status.code(), Some(0), "{}", crate::support::said(&output));
        let events = exported(&folder, &[]);
        for (name, _, by) in written.iter().filter(|(name, ..)| !UNRECORDED.contains(name)) {
            let [_, _, after] = log.iter().find(|[of, ..]| of == name).expect("logged");
            let line = fixture.line(name);
            let is_it = |event: &&serde_json::Value| {
                event["line"] == line && event["new"].as_str().is_some_and(|new| plain(new) == *after)
            };
            let found: Vec<_> = events.iter().filter(is_it).collect();
            let of = |event: &serde_json::Value| {
                let by = event["by"].as_str()?;
                let class = by.rsplit('.').nth(1)?;
                Some(format!("{class}.{}", by.rsplit('.').next()?))
            };
            let is_same = found.iter().any(|event| of(event).as_deref() == *by);
            assert!(is_same, "{main} {name}: {found:#?}");
        }
    }
}
