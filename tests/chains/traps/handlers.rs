//! The condition that led to an exception handler, and the first throw of a rethrown exception (DESIGN §5.6,
//! §5.7).

use super::fixture::Fixture;

fn program() -> Fixture {
    Fixture::new("handlers", "Handlers").and_recorded()
}

#[test]
fn the_condition_that_led_to_a_handler_led_to_the_throw() {
    let points = r#"
        (id: "A", at: Line("Handlers", {A plain})), (id: "B", at: LastCondition("A")),
        (id: "C", at: LastCondition("B")),
    "#;
    for asked in program().ask(points) {
        asked.held().has("B", &[("condition", "an exception caught here")]).at("C", "C plain").certain("C");
        asked.place(&asked.point("B")["exception"]["thrown"], "T plain");
        asked.has("C", &[("condition", "k == 1"), ("taken", "true"), ("operands.k", "1")]);
    }
}

/// The way back goes through the handlers that javac makes for `finally` and the like.
#[test]
fn the_condition_of_a_handler_goes_back_through_what_throws_again() {
    let program = program();
    for name in ["resource", "last", "locked", "named"] {
        let points = format!(
            r#"
            (id: "A", at: Line("Handlers", {{A {name}}})), (id: "B", at: LastCondition("A")),
            (id: "C", at: LastCondition("B")), (id: "D", at: LastCondition("C")),
            "#
        );
        for asked in program.ask(&points) {
            asked.held().has("C", &[("condition", "an exception caught here")]).at("D", &format!("C {name}"));
            asked.place(&asked.point("C")["exception"]["thrown"], &format!("T {name}"));
            asked.has("D", &[("condition", "k == 1"), ("operands.k", "1")]);
        }
    }
}

#[test]
fn what_led_to_a_throw_in_a_called_method_is_another_question() {
    let points = r#"
        (id: "A", at: Line("Handlers", {A called})), (id: "B", at: LastCondition("A")),
        (id: "C", at: LastCondition("B")),
        (id: "T", at: Exception("IllegalStateException"), before: "A"), (id: "D", at: LastCondition("T")),
    "#;
    for asked in program().ask(points) {
        asked.held().at("C", "loop").at("T", "T called").at("D", "C called");
        asked.noted("C", "the exception of B came from Handlers.thrower on line");
        asked.noted("C", "`Exception(\"java.lang.IllegalStateException\")` and the LastCondition of that");
    }
}

#[test]
fn what_is_thrown_again_is_said_to_be_and_where_the_first_throw_is_found() {
    let program = program();
    let protects = "thrown again there, by the `finally`, `synchronized` or try-with-resources that protects";
    for name in ["plain", "resource", "last", "locked", "named"] {
        let points = format!(
            r#"
            (id: "A", at: Line("Handlers", {{A {name}}})), (id: "B", at: LastCondition("A")),
            (id: "C", at: LastCondition("B")),
            (id: "E", at: Exception("IllegalStateException"), before: "A"), (id: "F", at: LastCondition("E")),
            (id: "X", at: Exception("RuntimeException"), before: "A"),
            (id: "G", at: Exception("IllegalStateException"), before: "X"),
            "#
        );
        for asked in program.ask(&points) {
            if name != "plain" {
                // A throw that two points ask for is not before itself.
                asked.place(&asked.point("G")["exception"]["thrown"], &format!("T {name}")).held();
            }
            if name == "plain" {
                asked.certain("B").certain("E");
                continue;
            }
            let (first, last) = (program.line(&format!("C {name}")), program.line(&format!("T {name}")));
            let said = match name {
                "named" => format!("thrown again there: `inner` was caught from lines {first} to {last}"),
                _ => format!("{protects} lines {first} to"),
            };
            for id in ["B", "E"] {
                asked.noted(id, &said).noted(id, &format!("before that ask `LastCondition(\"{id}\")`"));
            }
            // The next step leads there.
            for id in ["C", "F"] {
                asked.place(&asked.point(id)["exception"]["thrown"], &format!("T {name}")).certain(id);
            }
        }
    }
}

#[test]
fn what_a_called_method_throws_again_is_asked_for_as_an_exception() {
    let points = r#"
        (id: "A", at: Line("Handlers", {A outer})), (id: "B", at: LastCondition("A")),
        (id: "E", at: Exception("IllegalStateException"), before: "B"), (id: "F", at: LastCondition("E")),
    "#;
    for asked in program().ask(points) {
        asked.held().noted("B", "or try-with-resources that protects line");
        asked.noted("B", r#"ask `Exception("java.lang.IllegalStateException")` with `before: "B"`, and the LastCondition of that"#);
        asked.place(&asked.point("F")["exception"]["thrown"], "T inner").certain("F");
    }
}

#[test]
fn another_exception_in_the_same_variable_is_not_thrown_again() {
    let points = r#"(id: "A", at: Line("Handlers", {A replaced})), (id: "B", at: LastCondition("A"))"#;
    for asked in program().ask(points) {
        asked.held().certain("B").place(&asked.point("B")["exception"]["thrown"], "T replaced");
    }
}
