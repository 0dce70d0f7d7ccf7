//! The places where values were computed, behind everything that only passes them on.

use super::fixture::{Asked, Fixture};
use serde_json::Value;

fn question(marks: &[(&str, &str)]) -> String {
    let point = |(mark, variable): &(&str, &str)| {
        let index = if *mark == "Callee" { ", index: -1" } else { "" };
        format!(
            "(id: \"{mark}\", at: Line(\"Origins\", {{{mark}}}){index}), (id: \"O{mark}\", at: Origin(\"{mark}:{variable}\")),"
        )
    };
    marks.iter().map(point).collect()
}

fn asked(marks: &[(&str, &str)]) -> Vec<Asked> {
    Fixture::new("origins", "Origins").and_recorded().ask_with(&question(marks), &["--backend", "probe"])
}

/// The steps as `passed variable`, from the last.
fn steps(asked: &Asked, id: &str) -> Vec<String> {
    let steps = asked.point(id)["steps"].as_array().cloned().unwrap_or_default();
    let text = |step: &Value| {
        let variable = step["variable"].as_str().map(|v| format!(" {v}")).unwrap_or_default();
        format!("{}{variable}", step["passed"].as_str().unwrap())
    };
    steps.iter().map(text).collect()
}

#[test]
fn twenty_steps_take_two_runs() {
    for asked in asked(&[("Long", "i")]) {
        asked.held().runs(2).at("OLong", "LongMade").certain("OLong");
        asked.has("OLong", &[("new", "100"), ("method", "made"), ("thread", "main")]);
        let wanted = [
            "assigned i",
            "returned pass()",
            "parameter b",
            "assigned h",
            "assigned g",
            "assigned object",
            "assigned boxed",
            "assigned f",
            "element row[2]",
            "assigned e",
            "returned get()",
            "field number",
            "parameter number",
            "assigned d",
            "field shared",
            "assigned c",
            "returned pass()",
            "parameter b",
            "assigned b",
            "assigned a",
            "returned made()",
        ];
        assert_eq!(steps(&asked, "OLong"), wanted, "{}", asked.java);
    }
}

#[test]
fn every_way_of_passing_on_is_followed() {
    let marks = [
        ("Over", "x"),
        ("Rec", "x"),
        ("Loop", "y"),
        ("Throw", "x"),
        ("Hand", "x"),
        ("Anon", "x"),
        ("LamPar", "x"),
        ("Wide", "x"),
        ("Order", "x"),
        ("Param", "x"),
        ("Store", "x"),
        ("Init", "x"),
        ("Bridge", "x"),
    ];
    for asked in asked(&marks) {
        asked.held().runs(2);
        for (mark, _) in marks {
            let id = format!("O{mark}");
            asked.at(&id, &format!("{mark}Made")).certain(&id);
        }
        let over = ["assigned x", "returned give()", "assigned same", "returned give()"];
        let over = over.into_iter().chain(["parameter n", "parameter n", "argument"]);
        assert_eq!(steps(&asked, "OOver"), over.collect::<Vec<_>>());
        assert_eq!(steps(&asked, "ORec").len(), 14);
        assert_eq!(steps(&asked, "OHand"), ["assigned x", "field handed", "assigned made"]);
        asked.has("OHand", &[("thread", "maker")]);
        let anonymous = ["assigned x", "returned get()", "field val$made"];
        assert_eq!(steps(&asked, "OAnon")[..3], anonymous);
        let lambdas = ["assigned x", "returned same()", "parameter given"];
        assert_eq!(steps(&asked, "OLamPar")[..3], lambdas);
        assert_eq!(steps(&asked, "OLamPar").len(), 6);
        assert_eq!(steps(&asked, "OWide").last().unwrap(), "assigned n");
        let order = ["assigned x", "returned first()", "parameter first", "assigned a"];
        assert_eq!(steps(&asked, "OOrder"), order);
        assert_eq!(steps(&asked, "OStore"), ["assigned x", "element row[1]", "assigned made"]);
        assert_eq!(steps(&asked, "OBridge"), ["assigned x", "returned any()", "parameter", "assigned made"]);
        assert_eq!(steps(&asked, "OInit"), ["assigned x", "field level"]);
    }
}

#[test]
fn the_object_that_was_read_can_be_a_result() {
    let names = ["result", "again", "element", "last", "deep", "fresh", "listed"];
    let points = names.map(|name| format!("(id: \"{name}\", at: Origin(\"P:{name}\")),")).concat();
    let points = format!("(id: \"P\", at: Line(\"Reads\", {{P}})), {points}");
    for asked in Fixture::new("origins", "Reads").and_recorded().ask_with(&points, &["--backend", "probe"]) {
        asked.held().runs(2);
        let is_recorded = asked.answer["recording"].is_string();
        for name in names {
            let ends_early = is_recorded && ["deep", "fresh", "listed"].contains(&name);
            match name {
                "element" => asked.at(name, "element"),
                _ if ends_early => asked.at(name, name),
                _ => asked.at(name, "twice"),
            };
            if ends_early {
                asked
                    .noted(name, "which object it was read from is not known: no recording has the value of");
            }
        }
    }
}

#[test]
fn what_cannot_be_followed_is_said() {
    let marks = [
        ("Map", "x"),
        ("Missed", "x"),
        ("Lambda", "x"),
        ("Copied", "x"),
        ("Callee", "given"),
        ("Default", "x"),
    ];
    for asked in asked(&marks) {
        asked.held();
        assert!(asked.answer["runs"].as_u64().unwrap() <= 3, "{:#}", asked.answer);
        for (mark, _) in marks {
            asked.at(&format!("O{mark}"), &format!("{mark}Made"));
        }
        asked.noted("OMap", "it came out of java.util.Map.get, whose code is not the program's own");
        asked.noted("OMissed", "a write was missed: the last one of value that was seen wrote another value");
        asked.noted("OLambda", "it was captured by a lambda");
        asked.noted("OCopied", "a write was missed");
        asked.noted("OCallee", "it came with a call that is not in the program's own code");
        asked.noted("ODefault", "default value");
    }
}

#[test]
fn it_can_be_asked_from_a_change_and_be_asked_from() {
    let points = r#"
        (id: "P", at: Line("Origins", {Watched})),
        (id: "C", at: LastChange("P:box.value")),
        (id: "O", at: Origin("C:box.value")),
        (id: "E", at: Entry("Origins.overwritten")),
        (id: "OE", at: Origin("E:p")),
        (id: "L", at: Line("Origins", {Throw})),
        (id: "OL", at: Origin("L:x")),
        (id: "M", at: LastCondition("OL"), expect: (located: false)),
        (id: "F", at: Entry("Origins.fails")),
        (id: "D", at: LastChange("OL:shared")),
    "#;
    for asked in Fixture::new("origins", "Origins").and_recorded().ask_with(points, &["--backend", "probe"]) {
        // The run stops before the change.
        asked.at("C", "Again").at("O", "WatchMade").certain("O");
        assert_eq!(steps(&asked, "O"), ["field value", "assigned made"]);
        assert_eq!(steps(&asked, "OE"), ["parameter p", "argument"]);
        asked.at("OL", "ThrowMade").certain("OL");
        assert_eq!(asked.point("D")["located"], true, "{:#}", asked.answer);
        assert_eq!(asked.point("D")["text"], "shared = c;");
    }
}

#[test]
fn fields_that_choose_among_several_are_refused() {
    let points = r#"(id: "A", at: Line("Origins", {Map})), (id: "O", at: Origin("A:x"), index: 2),"#;
    let refused = Fixture::new("origins", "Origins").refused(points);
    assert!(refused.contains("a value has one origin"), "{refused}");
}

#[test]
fn a_value_that_goes_round_is_followed_only_so_far() {
    for asked in asked(&[("Loop", "x")]) {
        asked.held().runs(2).at("OLoop", "Round").noted("OLoop", "1000 steps were followed");
        assert_eq!(steps(&asked, "OLoop").len(), 1000);
    }
}

#[test]
fn an_origin_needs_probes() {
    let refused = Fixture::new("origins", "Origins").refused_by_jdwp(&question(&[("Map", "x")]));
    assert!(refused.contains("OMap") && refused.contains("needs probes"), "{refused}");
}

#[test]
fn a_million_other_values_do_not_hide_it() {
    let points = r#"(id: "A", at: Line("Hot", {A})), (id: "O", at: Origin("A:x")),"#;
    let fixture = Fixture::new("origins", "Hot").args(&["1000000"]);
    let start = std::time::Instant::now();
    let all = fixture.ask_with(points, &["--backend", "probe"]);
    eprintln!(
        "11 million hits logged and a run that stops at the steps: {:?}",
        start.elapsed() / all.len() as u32
    );
    for asked in all {
        asked.held().runs(2).at("O", "Made").certain("O").has("O", &[("new", "2999998")]);
        let way = ["assigned x", "element row[i & 15]", "field kept", "returned pass()", "parameter value"];
        assert_eq!(steps(&asked, "O")[..5], way);
        assert_eq!(asked.point("O")["hit"], 1_000_000);
    }
}
