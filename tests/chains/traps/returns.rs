//! The last return of a call as seen at a point: its object, its arguments, and its thread.

use super::fixture::Fixture;

const KEPT: [&str; 4] = ["--backend", "probe", "--eager", "0"];

#[test]
fn a_return_is_of_the_call_that_the_point_sees() {
    let points = r#"
        (id: "A", at: Line("Returns", {end})),
        (id: "R1", at: LastReturn("A:a.area()")), (id: "R2", at: LastReturn("A:b.area()")),
        (id: "I", at: LastReturn("A:twice(four)")), (id: "L", at: LastReturn("A:twice(5)")),
        (id: "S1", at: LastReturn("A:length(text)")), (id: "S2", at: LastReturn("A:length(null)")),
        (id: "O", at: LastReturn("A:first(a)")), (id: "N", at: LastReturn("A:Returns.first(7)")),
        (id: "D1", at: LastReturn("A:half(8, true)")), (id: "D2", at: LastReturn("A:half(8, false)")),
        (id: "X", at: LastReturn("A:first(c)"), expect: (located: false)),
    "#;
    let fixture = Fixture::new("returns", "Returns");
    for asked in fixture.ask(points).iter().chain(&fixture.ask_with(points, &KEPT)) {
        let results = [
            ("R1", "9", "square"),
            ("R2", "4", "line"),
            ("I", "8", "twice"),
            ("L", "10", "twice"),
            ("S1", "3", "length"),
            ("S2", "-1", "length"),
            ("O", "103", "first"),
            ("N", "7", "number"),
            ("D1", "5.0", "half"),
            ("D2", "4.0", "half"),
        ];
        for (id, result, mark) in results {
            asked.at(id, mark).certain(id).has(id, &[("result", result), ("thread", "main")]);
        }
        // Another thread made the third call of `first`, with `a`.
        asked.missing("X", "1 another thread than A, 2 received another value than A has");
    }
}

#[test]
fn a_method_that_is_named_alone_is_called_on_this() {
    let points = r#"
        (id: "A", at: Line("Returns", {compared})),
        (id: "M", at: LastReturn("A:scaled(2)")), (id: "T", at: LastReturn("A:other.scaled(2)")),
    "#;
    let fixture = Fixture::new("returns", "Returns");
    for asked in fixture.ask(points).iter().chain(&fixture.ask_with(points, &KEPT)) {
        asked.at("M", "scaled").has("M", &[("result", "6")]).has("T", &[("result", "8")]);
    }
}

#[test]
fn the_call_before_a_line_is_told_from_the_one_that_the_line_makes() {
    let points = r#"
        (id: "A", at: Line("Returns", {theirs})), (id: "B", at: LastReturn("A:scaled(2)")),
        (id: "C", at: Line("Returns", {compared})), (id: "D", at: LastReturn("C:scaled(2)")),
    "#;
    for asked in Fixture::new("returns", "Returns").ask(points) {
        asked.at("B", "scaled").has("B", &[("result", "6")]);
        let warnings = asked.answer["warnings"].to_string();
        assert!(warnings.contains("calls `scaled` too, and A stands before that"), "{warnings}");
        assert!(!warnings.contains("and C stands"), "{warnings}");
    }
}

#[test]
fn what_cannot_be_compared_is_said() {
    let points = |call: &str| {
        format!("(id: \"A\", at: Line(\"Returns\", {{end}})), (id: \"B\", at: LastReturn(\"A:{call}\")),")
    };
    let fixture = Fixture::new("returns", "Returns");
    let said =
        |fixture: &Fixture, call: &str| fixture.ask_jdwp(&points(call))[0].answer["warnings"].to_string();
    let assigned = said(&fixture, "down(35)");
    assert!(
        assigned.contains("of `35`, which cannot be compared: the method assigns its parameter"),
        "{assigned}"
    );
    let code = said(&fixture, "twice(length(text))");
    assert!(code.contains("of `length(text)`, which cannot be compared: it calls code"), "{code}");
    let unnamed = Fixture::compiled_with("returns", "Returns", &["-g:lines", "-nowarn"]);
    let text = said(&unnamed, "twice(4)");
    assert!(text.contains("cannot be compared: the class file names no variables of the method"), "{text}");
    let refused = fixture.refused(&points("four"));
    assert!(refused.contains("`four` is no call"), "{refused}");
}
