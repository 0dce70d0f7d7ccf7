//! The place of a point and its number of hits: lines with several entries, overloads, exceptions, exits
//! (DESIGN §5.8 to §5.12).

use super::fixture::Fixture;

fn occurred(times: usize) -> String {
    if times == 1 { "it occurred once".to_owned() } else { format!("it occurred {times} times") }
}

/// Asserts how often a line is hit: the last index is located, the next is not.
fn hit_times(fixture: &Fixture, class: &str, mark: &str, times: usize) {
    for asked in fixture.ask(&format!(r#"(id: "A", at: Line("{class}", {{{mark}}}), index: {})"#, times - 1))
    {
        asked.held().at("A", mark);
    }
    for asked in fixture.ask(&format!(r#"(id: "A", at: Line("{class}", {{{mark}}}), index: {times})"#)) {
        assert_eq!(asked.code, 3, "{mark}: {:#}", asked.answer);
        asked.missing("A", &format!("{}, which is not enough for index {times}", occurred(times)));
    }
}

#[test]
fn a_pass_over_a_line_is_one_hit() {
    let fixture = Fixture::new("two-entries", "TwoEntries");
    for (mark, times) in [("A", 4), ("B", 3), ("F", 1)] {
        hit_times(&fixture, "TwoEntries", mark, times);
    }
}

#[test]
fn an_index_counts_from_either_end() {
    let fixture = Fixture::new("two-entries", "TwoEntries");
    for (index, i) in [("0", "0"), ("1", "1"), ("2", "2"), ("-1", "2"), ("-2", "1"), ("-3", "0")] {
        let points = format!(r#"(id: "B", at: Line("TwoEntries", {{B}}), index: {index})"#);
        for asked in fixture.ask(&points) {
            asked.held().at("B", "B").has("B", &[("collected.i", i)]);
        }
    }
    for asked in fixture.ask(r#"(id: "B", at: Line("TwoEntries", {B}), index: -4)"#) {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.missing("B", "it occurred 3 times");
    }
}

#[test]
fn before_and_after_make_a_window() {
    let points = r#"
        (id: "E", at: Line("TwoEntries", {E})),
        (id: "C", at: Line("TwoEntries", {C})),
        (id: "between", at: Line("TwoEntries", {B}), after: "E", before: "C"),
        (id: "last", at: Line("TwoEntries", {B}), before: "C"),
        (id: "second", at: Line("TwoEntries", {B}), before: "C", index: -2),
        (id: "first", at: Line("TwoEntries", {B}), before: "C", index: 0),
        (id: "next", at: Line("TwoEntries", {A}), after: "C"),
        (id: "none", at: Line("TwoEntries", {E}), after: "C", expect: (located: false)),
    "#;
    for asked in Fixture::new("two-entries", "TwoEntries").ask(points) {
        asked.held().runs(1);
        for (id, i) in
            [("E", "1"), ("C", "2"), ("between", "2"), ("last", "2"), ("second", "1"), ("first", "0")]
        {
            asked.has(id, &[("collected.i", i)]);
        }
        asked.at("next", "A").has("next", &[("collected.i", "2")]).missing("none", "not after C");
    }
}

#[test]
fn an_overload_is_chosen_by_its_parameter_types() {
    let fixture = Fixture::new("overloads", "Overloads");
    let said = fixture.refused(r#"(id: "A", at: Entry("Overloads.put"))"#);
    for overload in ["put(int)", "put(long)", "put(java.lang.Object)", "put(int[],java.lang.String)"] {
        assert!(said.contains(overload), "{overload}: {said}");
    }
    let points = r#"
        (id: "A", at: Entry("Overloads.put(int)"), index: -1),
        (id: "B", at: Entry("Overloads.put(long)"), index: -1),
        (id: "C", at: Entry("Overloads.put(java.lang.Object)"), index: -1),
        (id: "D", at: Entry("Overloads.put(int[],java.lang.String)"), index: -1),
    "#;
    for asked in fixture.ask(points) {
        asked.held().has("A", &[("collected.value", "2")]).has("B", &[("collected.value", "3L")]);
        asked.has("C", &[("collected.value", "\"text\"")]).has("D", &[("collected.name", "\"array\"")]);
    }
    for (types, times) in [("int", 2), ("long", 1), ("java.lang.Object", 1), ("int[],java.lang.String", 1)] {
        for asked in
            fixture.ask(&format!(r#"(id: "A", at: Entry("Overloads.put({types})"), index: {times})"#))
        {
            asked.missing("A", &occurred(times));
        }
    }
}

#[test]
fn calls_in_conditions_choose_overloads_as_java_does_and_are_announced() {
    let points = r#"
        (id: "B", at: Line("Overloads", {B}), when: "describe(1) == \"int\" && describe('c') == \"int\"",
         collect: ["describe(o.sum)", "describe('c')", "describe(1L)", "describe(\"s\")"]),
    "#;
    for asked in Fixture::new("overloads", "Overloads").ask(points) {
        asked.held().at("B", "B").warned("call methods of the program");
        asked.has("B", &[("collected.describe(o.sum)", "\"int\""), ("collected.describe('c')", "\"int\"")]);
        asked
            .has("B", &[("collected.describe(1L)", "\"long\""), ("collected.describe(\"s\")", "\"object\"")]);
    }
}

#[test]
fn exceptions_are_caught_uncaught_or_both() {
    let fixture = Fixture::new("exceptions", "Exceptions");
    for (fields, mark, class, message) in [
        ("caught: true", "A0", "Exceptions$Closed", "first"),
        ("caught: true, index: 1", "A1", "java.lang.IllegalStateException", "second"),
        ("caught: false", "A2", "java.lang.IllegalStateException", "third"),
        ("index: 0", "A0", "Exceptions$Closed", "first"),
        ("index: -1", "A2", "java.lang.IllegalStateException", "third"),
    ] {
        let points = format!(
            r#"(id: "A", at: Exception("java.lang.IllegalStateException"), {fields}, collect: [".exception.detailMessage"])"#
        );
        for asked in fixture.ask(&points) {
            asked.held().at("A", mark);
            let found = asked.point("A");
            assert_eq!(found["collected"][".exception.detailMessage"], format!("{message:?}"), "{found:#}");
            let exception = &found["exception"];
            assert_eq!(exception["class"], class);
            asked.place(&exception["thrown"], mark);
            if message == "third" {
                assert!(exception["caught"].is_null(), "{exception:#}");
            } else {
                assert_eq!(exception["caught"]["method"], "main");
                asked.place(&exception["caught"], &format!("caught {message}"));
            }
        }
    }
    for asked in fixture.ask(r#"(id: "A", at: Exception("IllegalStateException"), caught: true, index: 2)"#) {
        asked.missing("A", "it occurred 2 times");
    }
    for asked in fixture.ask(r#"(id: "A", at: Exception("Exceptions.Closed"), index: -1)"#) {
        asked.held().at("A", "A0");
    }
}

#[test]
fn the_exception_that_skipped_a_line_came_out_of_this_one() {
    let points = r#"
        (id: "M", at: Entry("Exceptions.main")),
        (id: "C", at: SkippedLine("Exceptions", {C}), after: "M"),
    "#;
    for asked in Fixture::new("exceptions", "Exceptions").ask(points) {
        asked.held().at("C", "D").has("C", &[("method", "main")]);
        asked.place(&asked.point("C")["exception"]["thrown"], "A1");
    }
}

#[test]
fn the_last_exception_before_a_point_skipped_a_line() {
    let points = r#"
        (id: "M", at: Exception("IllegalStateException"), caught: false),
        (id: "C", at: SkippedLine("Exceptions", {C}), before: "M"),
    "#;
    for asked in Fixture::new("exceptions", "Exceptions").ask(points) {
        asked.held().at("M", "A2").at("C", "D").has("C", &[("method", "main")]);
        asked.place(&asked.point("C")["exception"]["thrown"], "A1");
    }
}

#[test]
fn a_throw_statement_skips_what_stands_after_it() {
    let points = r#"
        (id: "R", at: Entry("InlinedFinally.leave"), when: "way == 2"),
        (id: "S", at: SkippedLine("InlinedFinally", {S}), after: "R"),
    "#;
    for asked in Fixture::new("inlined-finally", "InlinedFinally").ask(points) {
        asked.held().at("S", "T").has("S", &[("method", "leave")]);
        let exception = &asked.point("S")["exception"];
        asked.place(&exception["thrown"], "T");
        assert_eq!(exception["caught"]["method"], "leave");
        assert_ne!(exception["caught"]["line"], exception["thrown"]["line"]);
    }
}

#[test]
fn an_exceptions_fields_and_methods_can_be_asked() {
    let points = r#"
        (id: "A", at: Exception("IllegalStateException"), when: ".exception.getMessage().equals(\"second\")",
         collect: ["message", ".exception.getMessage()"]),
    "#;
    for asked in Fixture::new("exceptions", "Exceptions").ask(points) {
        asked.held().at("A", "A1").warned("call methods of the program");
        asked.has("A", &[("collected.message", "\"second\"")]);
        assert_eq!(asked.point("A")["collected"][".exception.getMessage()"], "\"second\"");
    }
}

#[test]
fn a_caller_can_be_asked_for() {
    let fixture = Fixture::new("exceptions", "Exceptions");
    let points = r#"(id: "A", at: Entry("Exceptions.inner"), from: "Exceptions.outer")"#;
    for asked in fixture.ask(points) {
        asked.held().has("A", &[("collected.message", "\"second\"")]);
    }
    let points = r#"(id: "A", at: Entry("Exceptions.outer"), from: "Exceptions.inner")"#;
    for asked in fixture.ask(points) {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.missing("A", "once without Exceptions.inner on the stack (called from Exceptions.main once)");
    }
    // A method is not its own caller unless it recurs.
    let points = r#"(id: "A", at: Entry("Recursion.descend"), from: "Recursion.descend")"#;
    for asked in Fixture::new("recursion", "Recursion").ask(points) {
        asked.held().has("A", &[("collected.depth", "2")]);
    }
}

#[test]
fn a_thread_can_be_asked_for() {
    let fixture = Fixture::new("threads", "Threads");
    for (thread, number) in [("main", "7"), ("writer", "8")] {
        let points = format!(r#"(id: "A", at: Line("Threads", {{B}}), thread: "{thread}")"#);
        for asked in fixture.ask(&points) {
            asked.held().has("A", &[("thread", thread), ("collected.number", number)]);
        }
    }
    for asked in fixture.ask(r#"(id: "A", at: Line("Threads", {B}), thread: "reader")"#) {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.missing("A", "2 times in another thread than reader");
    }
}

#[test]
fn within_means_while_the_points_activation_is_on_the_stack() {
    let points = r#"
        (id: "W", at: Entry("Recursion.descend"), when: "depth == 3"),
        (id: "first", at: Line("Recursion", {A}), within: "W"),
        (id: "last", at: Line("Recursion", {A}), within: "W", index: -1),
    "#;
    for asked in Fixture::new("recursion", "Recursion").ask(points) {
        asked.held().has("W", &[("collected.depth", "3")]);
        asked.has("first", &[("collected.depth", "4")]).has("last", &[("collected.depth", "3")]);
    }
}

#[test]
fn what_a_call_in_an_expression_threw_is_shown_with_its_message() {
    let points = r#"
        (id: "A", at: Line("Unnamed", {A}), collect: ["fails()", "fails(500)", "silent()"]),
    "#;
    let long = format!("? (`fails(500)` threw java.lang.IllegalStateException: \"{}…\")", "x".repeat(120));
    for asked in Fixture::new("unnamed", "Unnamed").ask(points) {
        let collected = &asked.held().point("A")["collected"];
        assert_eq!(
            collected["fails()"], r#"? (`fails()` threw java.lang.IllegalStateException: "no \"b\"\nhere")"#,
            "{}",
            asked.java
        );
        assert_eq!(collected["fails(500)"], long.as_str(), "{}", asked.java);
        assert_eq!(collected["silent()"], "? (`silent()` threw java.lang.IllegalStateException)");
    }
}
