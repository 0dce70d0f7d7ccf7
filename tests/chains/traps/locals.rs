//! LastChange of local variables and parameters (DESIGN §5.3 to §5.5).

use super::fixture::Fixture;
use crate::support::{finish, qp, said};

#[test]
fn a_variable_begins_after_the_store_that_initialises_it() {
    let points = r#"
        (id: "A1", at: Line("LateRange", {A1})), (id: "B1", at: LastChange("A1:total")),
        (id: "A2", at: Line("LateRange", {A2})), (id: "B2", at: LastChange("A2:kind")),
    "#;
    for asked in Fixture::new("late-range", "LateRange").and_recorded().ask(points) {
        asked.held().runs(1).at("B1", "B1").has("B1", &[("old", "unassigned"), ("new", "42")]);
        asked.at("B2", "B2").has("B2", &[("old", "unassigned"), ("new", "\"even\"")]);
    }
}

#[test]
fn a_parameter_is_assigned_by_the_call() {
    let points = r#"
        (id: "A1", at: Line("Parameters", {A1}), index: -1, collect: ["changed.value"]),
        (id: "B1", at: LastChange("A1:kept")), (id: "B2", at: LastChange("A1:changed"), collect: [".old.value"]),
        (id: "B3", at: LastChange("A1:counted")),
    "#;
    for asked in Fixture::new("parameters", "Parameters").and_recorded().ask(points) {
        asked
            .held()
            .has("B1", &[("method", "use"), ("new", "\"b\"")])
            .noted("B1", "the value came with the call as `\"b\"`. Ask about the caller");
        asked.place(&asked.point("B1")["stack"][1], "C");
        asked.at("B2", "B2").has("A1", &[("collected.changed.value", "21")]);
        assert_eq!(asked.point("B2")["collected"][".old.value"], "20", "{:#}", asked.point("B2"));
        assert_ne!(asked.point("B2")["old"], asked.point("B2")["new"]);
        asked.at("B3", "B3").has("B3", &[("old", "7"), ("new", "8")]);
    }
}

/// The state at a point is that before its first instruction, which is the increment itself here.
#[test]
fn what_the_points_own_instruction_does_comes_after_it() {
    let points = r#"
        (id: "A", at: Line("TwoEntries", {A}), index: 2), (id: "B", at: LastChange("A:i")),
        (id: "C", at: LastChange("B:i")),
    "#;
    for asked in Fixture::new("two-entries", "TwoEntries").and_recorded().ask(points) {
        asked.held().has("A", &[("collected.i", "1")]);
        asked.at("B", "A").has("B", &[("old", "0"), ("new", "1")]);
        asked.at("C", "A").has("C", &[("old", "unassigned"), ("new", "0")]);
    }
}

/// A parameter's value in a caller's frame.
#[test]
fn a_reference_can_name_an_older_frame() {
    let points = r#"
        (id: "A", at: Line("Recursion", {A}), when: "depth == 3"),
        (id: "B", at: LastChange("A(1):sum")), (id: "C", at: LastChange("A(-1):args")),
    "#;
    for asked in Fixture::new("recursion", "Recursion").and_recorded().ask(points) {
        asked.held().runs(2).at("B", "B").has("B", &[("new", "200")]);
        asked.has("C", &[("method", "main")]);
    }
}

#[test]
fn each_activation_has_its_own_variables() {
    let points = r#"
        (id: "A", at: Line("Recursion", {A}), when: "depth == 1"), (id: "B", at: LastChange("A:sum")),
    "#;
    for asked in Fixture::new("recursion", "Recursion").and_recorded().ask(points) {
        asked.held().at("B", "B").has("B", &[("old", "unassigned"), ("new", "100")]).certain("B");
        assert_eq!(asked.point("B")["stack"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn a_lambda_has_its_own_parameters() {
    let fixture = Fixture::new("lambdas", "Lambdas");
    for asked in fixture.ask(r#"(id: "A", at: Line("Lambdas", {A})), (id: "C", at: Line("Lambdas", {C}))"#) {
        asked.held().at("A", "A").has("A", &[("method", "main")]);
        asked.at("C", "C").has("C", &[("class", "Lambdas$1"), ("method", "applyAsInt")]);
    }
    let points = r#"
        (id: "A", at: Line("Lambdas", {A}), when: "x == 2", collect: ["x.intValue()"]), (id: "B", at: LastChange("A:factor")),
    "#;
    for asked in fixture.ask(points) {
        asked.held().has("A", &[("method", "lambda$main$0"), ("collected.x.intValue()", "2")]);
        // `x` has no meaning in main, where the line is hit first: that is no pass of the question.
        asked.certain("A");
        asked
            .has("B", &[("method", "lambda$main$0"), ("new", "10")])
            .noted("B", "the value came with the call");
    }
}

#[test]
fn without_debug_information_fields_are_found_by_method_and_index() {
    let points = r#"(id: "A", at: Entry("NoDebugInfo.show")), (id: "C", at: LastChange("A:this.field"))"#;
    for asked in Fixture::compiled_with("no-debug-info", "NoDebugInfo", &["-g:none"]).ask(points) {
        asked.held().has("C", &[("method", "fill"), ("old", "0"), ("new", "9")]).certain("C");
        assert!(asked.point("C")["line"].is_null() && asked.point("C")["bci"].is_u64());
    }
    let points = r#"(id: "A", at: Line("NoDebugInfo", {A})), (id: "C", at: LastChange("A:this.field"))"#;
    for asked in Fixture::compiled_with("no-debug-info", "NoDebugInfo", &["-g:lines"]).ask(points) {
        let line = Fixture::new("no-debug-info", "NoDebugInfo").line("A");
        assert_eq!(asked.held().point("A")["line"], line);
        assert_eq!(asked.point("C")["line"], Fixture::new("no-debug-info", "NoDebugInfo").line("C"));
        asked.has("C", &[("new", "9")]);
    }
}

#[test]
fn without_debug_information_a_local_has_no_name() {
    let none = Fixture::compiled_with("no-debug-info", "NoDebugInfo", &["-g:none"]);
    let said = none.refused(r#"(id: "A", at: Line("NoDebugInfo", {A}))"#);
    assert!(said.contains("was compiled without line numbers") && said.contains("javac -g"), "{said}");
    let lines = Fixture::compiled_with("no-debug-info", "NoDebugInfo", &["-g:lines"]);
    let said =
        lines.refused(r#"(id: "A", at: Line("NoDebugInfo", {A})), (id: "B", at: LastChange("A:local"))"#);
    assert!(said.contains("slot") && said.contains("-g"), "{said}");
    let said = lines.refused(r#"(id: "A", at: Line("NoDebugInfo", {A}), when: "local == 1")"#);
    assert!(said.contains("local") && said.contains("-g"), "{said}");
    // A compiler writes no table for a method without variables.
    let said = Fixture::new("ends", "Ends")
        .refused(r#"(id: "A", at: Line("Ends", 16)), (id: "B", at: LastChange("A:x"))"#);
    assert!(said.contains("no local variable is in scope there") && !said.contains("-g"), "{said}");
}

/// A line can have code in a lambda and in the method around it, each with names of its own.
#[test]
fn a_name_that_only_the_lambda_knows_asks_about_the_lambda() {
    let fixture = Fixture::new("lambdas", "Lambdas");
    let points = r#"(id: "A", at: Line("Lambdas", {A}), index: 1), (id: "B", at: LastChange("A:x"))"#;
    for asked in fixture.ask(points) {
        asked.held().has("A", &[("method", "lambda$main$0")]).has("B", &[("method", "lambda$main$0")]);
        assert_eq!(asked.point("A")["hit"], 2, "{}", asked.java);
    }
    let at = format!("Lambdas:{}", fixture.line("A"));
    let mut log = qp();
    let logged = said(&finish(log.args(["log", "x", "--at", &at, "--", "java"]).args(fixture.command())));
    assert!(logged.contains("3 lines of 3 passes") && !logged.contains("invalid"), "{logged}");
    let said = fixture.refused(r#"(id: "A", at: Line("Lambdas", {A})), (id: "B", at: LastChange("A:y"))"#);
    for names in ["in scope there: `args`, `factor`", "lambda$main$0@0", "in scope there: `factor`, `x`"] {
        assert!(said.contains(names), "{names}: {said}");
    }
    let points = r#"(id: "A", at: Line("Lambdas", {A})), (id: "B", at: LastReturn("A:Lambdas.doubled(x)"))"#;
    for asked in fixture.ask(points) {
        asked.held().has("A", &[("method", "lambda$main$0")]).has("B", &[("result", "2")]);
    }
    let said = fixture.refused(r#"(id: "A", at: Line("Lambdas", {D})), (id: "B", at: LastChange("A:own"))"#);
    let line = fixture.line("D");
    let text = format!("gets its value within line {line}, and the point stands before the line's first");
    assert!(said.contains(&text), "{said}");
}
