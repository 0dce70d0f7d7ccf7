//! Watches, reads, exits and conditions, and the options of `qp replay` that keep more than the answer.

use super::fixture::Fixture;

#[test]
fn a_watch_knows_the_owner_and_both_values() {
    let points = r#"
        (id: "A", at: Watch("ManyOwners.Owner", "value"), when: ".owner.number == 3 && .new == 2",
         collect: [".owner.number", ".old", ".new", "owner.value"]),
    "#;
    for asked in Fixture::new("many-owners", "ManyOwners").args(&["10"]).ask(points) {
        asked.held().at("A", "B").has("A", &[("old", "1"), ("new", "2")]);
        let collected = &asked.point("A")["collected"];
        for (name, value) in [(".owner.number", "3"), (".old", "1"), (".new", "2"), ("owner.value", "1")] {
            assert_eq!(collected[name], value, "{collected:#}");
        }
        assert!(asked.point("A")["owner"].is_string());
    }
}

#[test]
fn a_read_is_a_point_too() {
    let fixture = Fixture::new("static-field", "StaticField");
    for asked in fixture.ask(r#"(id: "R", at: Read("StaticField", "counter"), index: -1)"#) {
        asked.held().at("R", "A").has("R", &[("new", "2")]);
        assert!(asked.point("R")["old"].is_null());
    }
    let points =
        r#"(id: "R", at: Read("StaticField", "counter"), index: 1), (id: "B", at: LastChange("R:counter"))"#;
    for asked in fixture.ask(points) {
        asked.held().at("R", "B1").has("R", &[("new", "1")]).has("B", &[("old", "0"), ("new", "1")]);
    }
    let points = r#"(id: "R", at: Read("Fields$Upper", "inherited"), when: ".owner == next", collect: [".owner.inherited"])"#;
    for asked in Fixture::new("fields", "Fields").ask(points) {
        asked.held().at("R", "A").has("R", &[("new", "20")]);
        assert_eq!(asked.point("R")["collected"][".owner.inherited"], "20");
    }
}

#[test]
fn an_exit_has_the_result() {
    let fixture = Fixture::new("recursion", "Recursion");
    let points = r#"
        (id: "X", at: Exit("Recursion.descend"), when: ".result > 800", collect: [".result", "depth"]),
        (id: "B", at: LastChange("X:sum")),
    "#;
    // depth 4: 400, 3: 700, 2: 900, 1: 100.
    for asked in fixture.ask(points) {
        asked.held().has("X", &[("result", "900"), ("collected.depth", "2")]);
        assert_eq!(asked.point("X")["collected"][".result"], "900");
        asked.at("B", "not B").has("B", &[("old", "200"), ("new", "900")]);
    }
    for asked in fixture.ask(r#"(id: "X", at: Exit("Recursion.descend"), index: -1)"#) {
        asked.held().has("X", &[("result", "100")]);
    }
}

#[test]
fn an_exceptional_exit_is_no_exit() {
    let points = r#"(id: "X", at: Exit("Exceptions.inner"))"#;
    for asked in Fixture::new("exceptions", "Exceptions").ask(points) {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.warned("never returns normally").missing("X", "an exceptional exit is an Exception point");
    }
    let points = r#"(id: "X", at: Exit("InlinedFinally.leave"), index: -1)"#;
    for asked in Fixture::new("inlined-finally", "InlinedFinally").ask(points) {
        // The third call ends with an exception.
        asked.held().has("X", &[("result", "1")]);
    }
}

#[test]
fn a_condition_that_fails_is_never_false_without_a_word() {
    let points = r#"(id: "A", at: Line("Conditions", {A1}), when: "args[3].length() == 1")"#;
    for asked in Fixture::new("conditions", "Conditions").ask(points) {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.missing("A", "its condition could not be evaluated once");
        asked.missing("A", "args[3]");
    }
}

#[test]
fn a_false_condition_shows_what_its_operands_were() {
    let points = r#"(id: "A", at: Line("TwoEntries", {B}), when: "i > 5 && sum == 0")"#;
    for asked in Fixture::new("two-entries", "TwoEntries").ask(points) {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.missing("A", "its condition was false 3 times").missing("A", "i = 0");
    }
}

#[test]
fn a_condition_that_means_nothing_is_refused_before_any_run() {
    let fixture = Fixture::new("two-entries", "TwoEntries");
    let said = fixture.refused(r#"(id: "A", at: Line("TwoEntries", {B}), when: "summ == 0")"#);
    assert!(said.contains("summ"), "{said}");
    let said = fixture.refused(r#"(id: "A", at: Line("TwoEntries", {B}), when: "sum + 1")"#);
    assert!(said.contains("sum + 1"), "{said}");
    let said = fixture.refused(r#"(id: "A", at: Line("TwoEntries", {B}), when: ".new == 1")"#);
    assert!(said.contains(".new"), "{said}");
    let said = fixture.refused(r#"(id: "A", at: Line("TwoEntrys", 3))"#);
    assert!(said.contains("did you mean `TwoEntries`"), "{said}");
    let said = fixture.refused(r#"(id: "A", at: Line("TwoEntries", 1))"#);
    assert!(said.contains("line 1 of TwoEntries.java has no code"), "{said}");
}

#[test]
fn the_last_root_hits_are_answered_each_with_its_own_causes() {
    let points = r#"(id: "A", at: Line("Recursion", {A})), (id: "B", at: LastChange("A:sum"))"#;
    for asked in Fixture::new("recursion", "Recursion").ask_with(points, &["--last", "3"]) {
        asked.held().has("A", &[("collected.depth", "1")]).at("B", "B").has("B", &[("new", "100")]);
        let earlier = asked.answer["earlier"].as_array().expect("earlier answers");
        let seen = earlier.iter().map(|points| {
            let (root, change) = (&points[0], &points[1]);
            asked.place(change, "not B");
            (root["collected"]["depth"].as_str(), change["new"].as_str())
        });
        assert_eq!(seen.collect::<Vec<_>>(), [(Some("3"), Some("700")), (Some("2"), Some("900"))]);
    }
    // More than there are returns all of them.
    for asked in Fixture::new("recursion", "Recursion").ask_with(points, &["-n", "9"]) {
        asked.held();
        assert_eq!(asked.answer["earlier"].as_array().map(Vec::len), Some(3));
    }
}

#[test]
fn candidates_that_were_not_the_answer_say_why() {
    let points =
        r#"(id: "A", at: Line("Recursion", {A}), when: "depth == 1"), (id: "B", at: LastChange("A:sum"))"#;
    for asked in Fixture::new("recursion", "Recursion").ask_with(points, &["--candidates", "4"]) {
        asked.held();
        let rejected = asked.point("B")["rejected"].as_array().expect("a sample");
        assert_eq!(rejected.len(), 4);
        for one in rejected {
            assert_eq!(one["place"]["method"], "descend");
            assert!(
                one["hit"].is_u64() && one["reason"].as_str().is_some_and(|r| r.contains('A')),
                "{one:#}"
            );
        }
        // Seven stores: one to each of the four variables, three more after the calls.
        let counts = asked.point("B")["rejections"].as_object().expect("counts");
        assert_eq!(counts.values().filter_map(serde_json::Value::as_u64).sum::<u64>(), 6, "{counts:?}");
    }
}

#[test]
fn an_expectation_that_fails_says_what_was_found() {
    let points = r#"
        (id: "A", at: Line("Recursion", {A}), when: "depth == 1"),
        (id: "B", at: LastChange("A:sum"), expect: (new: "101", method: "descend")),
        (id: "C", at: LastChange("A:below"), expect: (located: false)),
    "#;
    for asked in Fixture::new("recursion", "Recursion").ask(points) {
        assert_eq!(asked.code, 1, "{:#}", asked.answer);
        assert_eq!(asked.answer["outcome"], "differs");
        let expectation = &asked.point("B")["expectation"];
        assert_eq!(expectation["held"], false);
        assert_eq!(expectation["differences"], serde_json::json!(["new: expected `101`, found `100`"]));
        assert_eq!(asked.point("C")["expectation"]["held"], false);
    }
}
