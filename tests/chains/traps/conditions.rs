//! LastCondition: which condition, or handler, led to a point (DESIGN §5.6 and §5.7).

use super::fixture::Fixture;

#[test]
fn of_several_operands_the_one_that_decided_is_named() {
    let points = r#"
        (id: "A1", at: Line("Conditions", {A1})), (id: "B1", at: LastCondition("A1")),
        (id: "A2", at: Line("Conditions", {A2})), (id: "B2", at: LastCondition("A2")),
    "#;
    for asked in Fixture::new("conditions", "Conditions").and_recorded().ask(points) {
        asked.held().at("B1", "B1").at("B2", "B2");
        asked.has("B1", &[("condition", "left || right"), ("decided_by", "right"), ("taken", "true")]);
        asked.has("B1", &[("operands.right", "true"), ("method", "main"), ("thread", "main")]);
        asked.has("B2", &[("condition", "!left && right"), ("decided_by", "right"), ("taken", "true")]);
    }
}

#[test]
fn a_stored_value_is_due_to_the_condition_that_chose_it() {
    let points = r#"
        (id: "A3", at: Line("Conditions", {A3})), (id: "B3", at: LastChange("A3:size")),
        (id: "B4", at: LastCondition("B3")),
        (id: "A4", at: Line("Conditions", {A4})), (id: "B5", at: LastChange("A4:flag")),
        (id: "B7", at: LastCondition("B5")),
        (id: "A6", at: Line("Conditions", {A6})), (id: "B8", at: LastChange("A6:last")),
        (id: "B9", at: LastCondition("B8")), (id: "B10", at: LastCondition("B9")),
        (id: "A7", at: Line("Conditions", {A7}), when: "n == 1"), (id: "B11", at: LastChange("A7:name")),
        (id: "B12", at: LastCondition("B11")), (id: "B13", at: LastCondition("B12")),
        (id: "A9", at: Line("Conditions", {A9})), (id: "B15", at: LastChange("A9:given")),
        (id: "B16", at: LastCondition("B15")),
    "#;
    for asked in Fixture::new("conditions", "Conditions").and_recorded().ask(points) {
        asked.held().at("B3", "B3").has("B3", &[("old", "unassigned"), ("new", "\"small\"")]);
        asked.at("B4", "B3").has("B4", &[("condition", "args.length > 3"), ("taken", "false")]);
        asked.at("B5", "B5").has("B5", &[("old", "unassigned"), ("new", "true")]);
        asked.at("B7", "B5").has("B7", &[("decided_by", "size.length() == 5"), ("taken", "true")]);
        asked.at("B8", "B8").has("B8", &[("old", "20L"), ("new", "10L")]);
        asked
            .at("B9", "B8")
            .has("B9", &[("condition", "n % 3 == 1"), ("taken", "true"), ("operands.n", "4")]);
        asked.at("B10", "B10").has("B10", &[("condition", "n < 5"), ("taken", "true")]);
        asked.at("B11", "B11").has("B11", &[("new", "\"one\"")]);
        asked.at("B12", "B12").has("B12", &[("condition", "switch (n)"), ("taken", "case 1")]);
        asked.at("B13", "B13").has("B13", &[("condition", "n < 3"), ("taken", "true")]);
        asked.at("B15", "B15").at("B16", "B10").has("B16", &[("condition", "n < 5"), ("taken", "true")]);
    }
}

#[test]
fn a_call_in_a_condition_is_not_made_again() {
    let points = r#"
        (id: "A5", at: Line("Conditions", {A5}), collect: ["asked"]), (id: "B6", at: LastCondition("A5")),
        (id: "E", at: Exit("Conditions.main"), collect: ["Conditions.asked"]),
    "#;
    for asked in Fixture::new("conditions", "Conditions").and_recorded().ask(points) {
        asked.held().at("B6", "B6");
        asked.has("B6", &[("condition", "asked(\"x\") > 3"), ("taken", "true")]);
        let value = if asked.java.contains("jdwp") { "? (not kept in a variable)" } else { "4" };
        asked.has("B6", &[("operands.asked(\"x\")", value)]);
        asked.has("A5", &[("collected.asked", "1")]).has("E", &[("collected.Conditions.asked", "1")]);
    }
}

#[test]
fn every_kind_of_switch_says_which_case() {
    let points = r#"
        (id: "A1", at: Line("Switches", {A1})), (id: "B1", at: LastCondition("A1")),
        (id: "A2", at: Line("Switches", {A2})), (id: "B2", at: LastCondition("A2")),
        (id: "A3", at: Line("Switches", {A3})), (id: "B3", at: LastCondition("A3")),
        (id: "A4", at: Line("Switches", {A4})), (id: "B4", at: LastCondition("A4")),
    "#;
    for asked in Fixture::new("switches", "Switches").and_recorded().ask(points) {
        asked.held().at("B1", "B1").at("B2", "B2").at("B3", "B3").at("B4", "B4");
        asked.has("B1", &[("taken", "case 2"), ("operands.small", "2")]);
        asked.has("B2", &[("taken", "default"), ("operands.sparse", "5")]);
        asked.has("B3", &[("taken", "case \"FB\""), ("operands.name", "\"FB\"")]);
        asked.has("B4", &[("condition", "switch (color)"), ("taken", "case GREEN, BLUE")]);
    }
}

#[test]
fn the_first_pass_of_a_do_while_is_decided_before_the_loop() {
    let fixture = Fixture::new("do-while", "DoWhile").and_recorded();
    let first =
        r#"(id: "A", at: Line("DoWhile", {A}), when: "pass == 0"), (id: "B", at: LastCondition("A"))"#;
    for asked in fixture.ask(first) {
        asked.held().runs(1).at("B", "B0").has("B", &[("taken", "true"), ("operands.limit", "3")]);
    }
    let third =
        r#"(id: "A", at: Line("DoWhile", {A}), when: "pass == 2"), (id: "B", at: LastCondition("A"))"#;
    for asked in fixture.ask(third) {
        asked.held().at("B", "B2").certain("B");
        asked.has("B", &[("condition", "pass < limit"), ("taken", "true")]);
        asked.has("B", &[("operands.pass", "2"), ("operands.limit", "3")]);
    }
}

#[test]
fn the_first_pass_of_a_loop_that_nothing_leads_to_has_no_condition() {
    let points = r#"(id: "U", at: Line("DoWhile", {U})), (id: "V", at: LastCondition("U"))"#;
    for asked in Fixture::new("do-while", "DoWhile").and_recorded().ask(points) {
        assert_eq!(asked.code, 1, "{:#}", asked.answer);
        asked.at("U", "U");
        assert_eq!(asked.point("V")["located"], false);
    }
    // The condition that left the loop before leads there too, since a `do` need not end.
    let points = r#"(id: "L", at: Line("DoWhile", {L})), (id: "M", at: LastCondition("L"))"#;
    for asked in Fixture::new("do-while", "DoWhile").and_recorded().ask(points) {
        asked.held().at("M", "B2").has("M", &[("condition", "pass < limit"), ("taken", "false")]);
        assert_eq!(asked.point("M")["turns"], 2);
    }
    // Its condition is decided before the last iteration, but it leads from the previous iteration to that
    // one, not to the first.
    let points = r#"
        (id: "W", at: Line("DoWhile", {U}), index: -1), (id: "U", at: Line("DoWhile", {U}), before: "W"),
        (id: "V", at: LastCondition("U")), (id: "X", at: LastCondition("W")),
    "#;
    for asked in Fixture::new("do-while", "DoWhile").and_recorded().ask(points) {
        asked.has("X", &[("condition", "left > 0"), ("taken", "true"), ("operands.left", "1")]);
        asked.missing("V", "no condition led there");
    }
}

/// The condition for the first iteration of an activation is in its caller, which only a run can name.
#[test]
fn two_activations_with_equal_stacks_are_told_apart() {
    let points =
        r#"(id: "A", at: Line("EqualStacks", {A}), when: "x == 20"), (id: "B", at: LastCondition("A"))"#;
    for asked in Fixture::new("equal-stacks", "EqualStacks").ask(points) {
        asked.held().runs(2).at("A", "A").at("B", "B").certain("B");
        asked.has("B", &[("method", "main"), ("condition", "args.length == 0"), ("taken", "true")]);
    }
}

#[test]
fn with_one_run_the_callers_condition_is_said_to_need_another() {
    let points =
        r#"(id: "A", at: Line("EqualStacks", {A}), when: "x == 20"), (id: "B", at: LastCondition("A"))"#;
    for asked in Fixture::new("equal-stacks", "EqualStacks").ask_with(points, &["--max-runs", "1"]) {
        assert_eq!(asked.code, 1, "{:#}", asked.answer);
        asked.runs(1).at("A", "A");
        asked.missing("B", "what leads to A in its callers was not watched");
    }
}

#[test]
fn a_handler_is_its_own_condition() {
    let points = r#"(id: "A", at: Line("HandlerOnly", {A})), (id: "B", at: LastCondition("A"))"#;
    for asked in Fixture::new("handler-only", "HandlerOnly").and_recorded().ask(points) {
        asked.held().has("B", &[("condition", "an exception caught here"), ("taken", "caught")]);
        let exception = &asked.point("B")["exception"];
        assert_eq!(exception["class"], "java.lang.ArithmeticException");
        asked.place(&exception["thrown"], "B");
    }
}

#[test]
fn a_condition_over_one_or_two_lines_names_the_operand_that_decided() {
    let points = r#"
        (id: "C", at: Line("TwoEntries", {C})), (id: "B", at: LastCondition("C")),
        (id: "E", at: Line("TwoEntries", {E})), (id: "D", at: LastCondition("E")),
    "#;
    for asked in Fixture::new("two-entries", "TwoEntries").and_recorded().ask(points) {
        asked.held().at("B", "B");
        asked.has("B", &[("condition", "i > 0 && i > 1"), ("decided_by", "i > 1"), ("operands.i", "2")]);
        asked.has("D", &[("condition", "i > 0 && i < 2"), ("decided_by", "i < 2"), ("operands.i", "1")]);
        let line = asked.point("D")["line"].as_u64();
        let expected = Fixture::new("two-entries", "TwoEntries").line("D");
        assert!(line == Some(u64::from(expected)) || line == Some(u64::from(expected) + 1), "{line:?}");
    }
}

#[test]
fn the_condition_of_an_entry_is_its_callers() {
    let points = r#"
        (id: "A", at: Entry("Recursion.descend"), when: "depth == 3"),
        (id: "B", at: LastCondition("A")),
    "#;
    for asked in Fixture::new("recursion", "Recursion").and_recorded().ask(points) {
        asked
            .held()
            .runs(2)
            .has("B", &[("condition", "depth < 4"), ("taken", "true"), ("operands.depth", "2")]);
        assert_eq!(asked.point("B")["stack"].as_array().map(Vec::len), Some(3));
    }
}

#[test]
fn a_variable_without_a_name_is_no_operand() {
    let points = r#"
        (id: "A", at: Line("Unnamed", {A}), when: "letter == 'b'"), (id: "B", at: LastCondition("A")),
    "#;
    for asked in Fixture::new("unnamed", "Unnamed").ask(points) {
        asked.held().at("B", "B").has("B", &[("taken", "true")]);
        let operands = asked.point("B")["operands"].as_object().cloned().unwrap_or_default();
        assert!(operands.keys().all(|name| !name.contains("slot")), "{}: {operands:?}", asked.java);
        let collected = asked.point("B")["collected"].as_object().cloned().unwrap_or_default();
        assert!(collected.keys().all(|name| !name.contains("slot")), "{}: {collected:?}", asked.java);
        let length = if asked.java.contains("jdwp") { "? (not kept in a variable)" } else { "3" };
        assert_eq!(operands["text.toCharArray().length"], length, "{}", asked.java);
    }
}

/// The back ends: both must count the same iterations.
const BACKENDS: [&[&str]; 3] =
    [&["--backend", "jdwp"], &["--backend", "probe"], &["--backend", "probe", "--eager", "0"]];

#[test]
fn what_leaves_an_endless_loop_is_decided_in_its_last_turn() {
    let points = r#"
        (id: "A1", at: Line("EndlessLoops", {A1})), (id: "B1", at: LastCondition("A1")),
        (id: "C1", at: Line("EndlessLoops", {C1})), (id: "D1", at: LastCondition("C1")),
        (id: "A2", at: Line("EndlessLoops", {A2})), (id: "B2", at: LastCondition("A2")),
        (id: "A3", at: Line("EndlessLoops", {A3})), (id: "B3", at: LastCondition("A3")),
        (id: "A4", at: Line("EndlessLoops", {A4})), (id: "B4", at: LastCondition("A4")),
        (id: "A5", at: Line("EndlessLoops", {A5})), (id: "B5", at: LastCondition("A5")),
        (id: "D", at: Line("EndlessLoops", {D})), (id: "E", at: LastCondition("D")),
        (id: "A7", at: Line("EndlessLoops", {A7})), (id: "B7", at: LastCondition("A7")),
    "#;
    let fixture = Fixture::new("endless-loops", "EndlessLoops").and_recorded();
    for options in BACKENDS {
        for asked in fixture.ask_with(points, options) {
            asked.held().at("B1", "B1").at("D1", "B1").at("B2", "B2").at("B3", "B3").at("B4", "B4");
            asked.at("B5", "B4").at("E", "E").at("B7", "B7");
            asked.has("B1", &[("condition", "n < 3"), ("taken", "true"), ("operands.n", "2")]);
            asked.has("D1", &[("condition", "n < 3"), ("taken", "true")]);
            asked.has("B2", &[("condition", "n < 3 && EndlessLoops.n == 0"), ("taken", "true")]);
            asked.has("B3", &[("condition", "n < 3"), ("taken", "true")]);
            asked.has("B4", &[("condition", "n >= 3"), ("taken", "true")]);
            asked.has("B5", &[("condition", "n >= 3"), ("taken", "false")]);
            asked.has("E", &[("condition", "wanted"), ("taken", "true")]);
            asked.has("B7", &[("condition", "n >= 3"), ("taken", "false")]);
            let turns =
                ["B1", "D1", "B2", "B3", "B4", "B5", "E", "B7"].map(|id| asked.point(id)["turns"].as_u64());
            let expected = [Some(4), Some(4), Some(4), Some(3), None, Some(3), None, Some(2)];
            assert_eq!(turns, expected, "{options:?} {}", asked.java);
        }
    }
}

#[test]
fn the_turns_are_those_of_one_activation_and_one_execution_of_the_loop() {
    // Each execution of the inner loop takes 2, 3 or 4 iterations, regardless of the calls within it.
    let fixture = Fixture::new("endless-loops", "EndlessLoops").and_recorded();
    for options in BACKENDS {
        for (index, turns) in [(0, 1), (1, 2), (2, 3), (3, 1), (4, 1), (11, 3)] {
            let points = format!(
                r#"(id: "A", at: Line("EndlessLoops", {{A6}}), index: {index}), (id: "B", at: LastCondition("A"))"#
            );
            for asked in fixture.ask_with(&points, options) {
                asked.held().at("B", "B6").has("B", &[("condition", "left == 0"), ("taken", "true")]);
                assert_eq!(asked.point("B")["turns"].as_u64(), Some(turns), "{index} {options:?}");
            }
        }
    }
}

#[test]
fn an_assertion_that_is_off_has_not_held() {
    let points = r#"
        (id: "A", at: Line("Assertions", {A})), (id: "B", at: LastCondition("A")),
        (id: "D", at: Line("Assertions", {D})), (id: "E", at: LastCondition("D")),
    "#;
    for options in BACKENDS {
        for asked in Fixture::new("assertions", "Assertions").ask_with(points, options) {
            asked.held().at("B", "B").at("E", "E");
            asked.has("B", &[("condition", "assert z != 0"), ("taken", "not evaluated: assertions are off")]);
            asked.has(
                "E",
                &[("condition", "assert holds(n)"), ("taken", "not evaluated: assertions are off")],
            );
            assert_eq!(asked.point("B").get("operands"), None, "nothing was read to decide it");
        }
        for asked in Fixture::new("assertions", "Assertions").vm("-ea").args(&["1"]).ask_with(points, options)
        {
            asked.held().at("B", "B").at("E", "E");
            asked.has("B", &[("condition", "assert z != 0"), ("taken", "true"), ("operands.z", "1")]);
            asked.has("E", &[("condition", "assert holds(n)"), ("taken", "true")]);
            // The branch taken gives the result of the call.
            asked.has("E", &[("operands.holds(n)", "true")]);
        }
    }
}

#[test]
fn the_call_in_an_assertion_is_made_since_assertions_are_on() {
    let points = r#"(id: "C", at: Line("Assertions", {C})), (id: "E", at: LastCondition("C"))"#;
    for asked in Fixture::new("assertions", "Assertions").vm("-ea").args(&["1"]).ask(points) {
        asked.held().at("E", "E").has("E", &[("taken", "evaluated: assertions are on")]);
    }
}

#[test]
fn the_default_that_the_compiler_adds_decides_nothing() {
    let points = r#"
        (id: "A", at: Line("Exhaustive", {A})), (id: "B", at: LastCondition("A")),
        (id: "C", at: Line("Exhaustive", {C})), (id: "D", at: LastCondition("C")),
    "#;
    for options in BACKENDS {
        for asked in Fixture::new("exhaustive", "Exhaustive").ask_with(points, options) {
            asked.held().at("B", "B").has("B", &[("condition", "known"), ("taken", "true")]);
            asked.at("D", "D").has("D", &[("condition", "switch (level)"), ("taken", "case MID")]);
        }
    }
}

#[test]
fn the_line_where_one_stands_has_not_run_before() {
    // The condition of the previous iteration decides, and there was none.
    let fixture = Fixture::new("endless-loops", "EndlessLoops").and_recorded();
    let points = r#"(id: "P", at: Line("EndlessLoops", {B3})), (id: "Q", at: LastCondition("P"))"#;
    let line = fixture.line("B3");
    for asked in fixture.ask(points) {
        let place = format!("line {line} of EndlessLoops.java");
        asked.missing("Q", &format!("{place} had not run before P, which stands before line {line} runs"));
    }
}

#[test]
fn boxes_of_one_value_are_said_to_be_two_objects() {
    let points = r#"(id: "A8", at: Line("Conditions", {A8})), (id: "B14", at: LastCondition("A8"))"#;
    for asked in Fixture::new("conditions", "Conditions").and_recorded().ask(points) {
        asked.held().at("B14", "B14").has("B14", &[("condition", "first != second"), ("taken", "true")]);
        let notes = asked.point("B14")["notes"].to_string();
        assert!(notes.contains("first and second are two objects of one value"), "{notes}");
    }
}
