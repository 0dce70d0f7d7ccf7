//! The chain file: reading, writing, and the errors of wrong files.

use super::*;

const INTRO: &str = r#"(
    format: 1,
    about: "foo is null at the assertion",
    debuggee: (
        build: ["javac", "-g", "-d", "classes", "Intro.java"],  // optional
        command: ["java", "-ea", "-cp", "classes", "Intro"],
        jvm: "Intro",
        cwd: "../examples/intro",
        stdin: "input.txt", env: {"LANG": "C"},
        before_run: ["rm", "-rf", "out"], drive: ["./clicks.sh"],
        sources: ["."], timeout_s: 60,
    ),
    points: [
        (id: "A", at: Line("Intro", 31), text: "assert foo != null;", when: "foo == null"),
        (id: "B", at: LastChange("A(0):foo"), collect: ["record.bar"], expect: (text: "foo = expr2(record);", new: "null")),
        (id: "C", at: LastCondition("B")),
        (id: "D", at: LastChange("C:record.bar"), expect: (text: "record.bar = true;")),
        (id: "E", at: SkippedLine("Intro", 14), text: "record.bar = expr1(record);", after: "D", expect: (text: "stmt2(record);")),
    ],
)
"#;

#[test]
fn the_chain_of_the_design_is_read() {
    let chain = Chain::parse(INTRO, "intro.ron").unwrap();
    assert_eq!(chain.points.len(), 5);
    assert_eq!(chain.points[0].at, Kind::Line("Intro".into(), 31));
    assert_eq!(chain.points[1].expect.as_ref().unwrap().new.as_deref(), Some("null"));
    assert_eq!(chain.points[3].at.to_string(), "LastChange(C:record.bar)");
    assert_eq!(chain.debuggee.env["LANG"], "C");
    assert_eq!(chain.debuggee.timeout_s, Some(60));
    let indices: Vec<i64> = chain.points.iter().map(Point::effective_index).collect();
    assert_eq!(indices, [0, -1, -1, -1, 0]);
}

#[test]
fn the_default_index_follows_before_and_after() {
    let points = chain(
        r#"(id: "A", at: Line("Main", 3)), (id: "B", at: Line("Main", 4), before: "A"),
           (id: "C", at: Line("Main", 4), before: "A", after: "B"), (id: "D", at: Line("Main", 4), before: "A", index: 2)"#,
    );
    assert_eq!(points.points.iter().map(Point::effective_index).collect::<Vec<_>>(), [0, -1, 0, 2]);
}

#[test]
fn a_chain_is_written_stably_and_read_back() {
    let chain = Chain::parse(INTRO, "intro.ron").unwrap();
    let text = chain.to_ron().unwrap();
    let again = Chain::parse(&text, "written.ron").unwrap();
    assert_eq!(again, chain);
    assert_eq!(again.to_ron().unwrap(), text);
    insta::assert_snapshot!(text);
}

#[test]
fn paths_are_relative_to_cwd_and_cwd_to_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("intro.ron");
    std::fs::write(&file, INTRO).unwrap();
    let chain = Chain::load(&file).unwrap();
    let cwd = dir.path().join("../examples/intro");
    assert_eq!(chain.cwd(), cwd);
    assert_eq!(chain.path(Path::new("input.txt")), cwd.join("input.txt"));
    assert_eq!(chain.source_roots(), [cwd.join(".")]);
    let missing = Chain::load(&dir.path().join("none.ron")).unwrap_err();
    assert!(missing.to_string().contains("none.ron"), "{missing}");
    assert!(missing.render(false).starts_with("error: cannot read"), "{}", missing.render(false));
}

#[test]
fn a_chain_made_by_a_command_is_checked_too() {
    let mut chain = chain(r#"(id: "A", at: Line("Main", 3))"#);
    assert!(chain.check("qp why").is_ok());
    chain.points[0].when = Some("foo ==".into());
    let error = chain.check("qp why").unwrap_err();
    let ChainError::Invalid(invalid) = &error else { panic!("{error}") };
    assert!(error.to_string().starts_with("qp why:"), "{error}");
    assert!(invalid.text.contains("foo =="), "{}", invalid.text);
}

/// Replaces a part of the chain above, which must contain it.
fn with(old: &str, new: &str) -> String {
    assert!(INTRO.contains(old), "{old}");
    INTRO.replacen(old, new, 1)
}

/// A chain with this debuggee.
fn remote(debuggee: &str) -> String {
    format!(
        "(\n    format: 1,\n    debuggee: ({debuggee}),\n    points: [(id: \"A\", at: Line(\"Intro\", 31))],\n)\n"
    )
}

#[test]
fn a_remote_program_is_read_and_written_back() {
    let text = remote(r#"attach: "localhost:5005", relaunch: ["./restart.sh"], classes: ["classes"]"#);
    let chain = Chain::parse(&text, "remote.ron").unwrap();
    let address = chain.debuggee.address().unwrap();
    assert_eq!((address.host.as_str(), address.port), ("localhost", 5005));
    let written = chain.to_ron().unwrap();
    assert!(!written.contains("command"), "{written}");
    assert_eq!(Chain::parse(&written, "written.ron").unwrap(), chain);
}

#[test]
fn errors_point_at_the_place_and_say_what_was_expected() {
    let wrong = [
        ("a bracket that is not closed", with("    ],\n)\n", "    ],\n")),
        ("a quote that is not closed", with("\"Intro\", 31)", "\"Intro, 31)")),
        ("a colon that is missing", with("cwd: ", "cwd ")),
        ("an unknown field of a point", with("when: ", "wen: ")),
        ("an unknown field of the chain", with("about: ", "title: ")),
        ("an unknown field of the debuggee", with("stdin: ", "std_in: ")),
        (
            "an unknown field of expect",
            with("(text: \"record.bar = true;\")", "(txt: \"record.bar = true;\")"),
        ),
        ("an unknown kind", with("LastChange(\"A", "LastChanged(\"A")),
        ("a missing field", with("command: [\"java\", \"-ea\", \"-cp\", \"classes\", \"Intro\"],", "")),
        ("a field twice", with("jvm: \"Intro\",", "jvm: \"Intro\", jvm: \"Other\",")),
        ("a text where a list belongs", with("[\"rm\", \"-rf\", \"out\"]", "\"rm -rf out\"")),
        ("a text where a number belongs", with("timeout_s: 60", "timeout_s: \"60\"")),
        ("a number where a text belongs", with("LastCondition(\"B\")", "LastCondition(2)")),
        ("a kind with too little", with("Line(\"Intro\", 31)", "Line(\"Intro:31\")")),
        ("another format", with("format: 1", "format: 2")),
        ("an empty command", with("[\"java\", \"-ea\", \"-cp\", \"classes\", \"Intro\"]", "[]")),
        ("attach is no address", remote(r#"attach: "localhost", relaunch: ["true"]"#)),
        ("attach without relaunch", remote(r#"attach: "localhost:5005""#)),
        ("attach and command", remote(r#"attach: "localhost:5005", command: ["java", "Intro"]"#)),
        ("relaunch without attach", remote(r#"relaunch: ["true"]"#)),
        (
            "what a remote program cannot have",
            remote(r#"attach: "[::1]:5005", relaunch: ["true"], stdin: "x", jvm: "Intro""#),
        ),
        ("ready without drive", with("drive: [\"./clicks.sh\"],", "ready: Port(8080),")),
        ("an id twice", with("id: \"C\"", "id: \"B\"")),
        ("an id that is none", with("id: \"E\"", "id: \"the end\"")),
        ("a forward reference", with("LastChange(\"A(0):foo\")", "LastChange(\"D(0):foo\")")),
        ("an unknown point", with("LastCondition(\"B\")", "LastCondition(\"X\")")),
        ("a reference to itself", with("after: \"D\"", "after: \"E\"")),
        ("a reference without a point", with("LastChange(\"A(0):foo\")", "LastChange(\"foo\")")),
        ("a bad reference", with("\"C:record.bar\"", "\"C:record..bar\"")),
        ("a bad condition", with("foo == null\"", "foo == = null\"")),
        ("a bad expression", with("[\"record.bar\"]", "[\"record.bar\", \"record.\"]")),
        ("after that is missing", with("after: \"D\", ", "")),
        ("a field that does not fit", with("when: \"foo == null\"", "caught: true")),
        ("text that does not fit", with("at: LastCondition(\"B\")", "at: LastCondition(\"B\"), text: \"x\"")),
        (
            "method without text",
            with("when: \"foo == null\"", "method: \"main\"").replacen(
                "text: \"assert foo != null;\", ",
                "",
                1,
            ),
        ),
        ("ordinal without method", with("when: \"foo == null\"", "ordinal: (1, 2)")),
        ("ordinal out of range", with("when: \"foo == null\"", "method: \"main\", ordinal: (3, 2)")),
        ("alive is no point", with("format: 1", "format: 1, alive: \"X\"")),
        ("alive is the root", with("format: 1", "format: 1, alive: \"A\"")),
        ("alive is asked from another point", with("format: 1", "format: 1, alive: \"E\"")),
        ("guards is no word of it", with("format: 1", "format: 1, guards: Gone")),
        ("line zero", with("Line(\"Intro\", 31)", "Line(\"Intro\", 0)")),
        (
            "a method without a class",
            with("Line(\"Intro\", 31), text: \"assert foo != null;\"", "Entry(\"main\")"),
        ),
        ("from without a class", with("when: \"foo == null\"", "from: \"main\"")),
        ("two at once", with("after: \"D\"", "after: \"F\", when: \"(\"")),
    ];
    let mut shown = String::new();
    for (what, text) in wrong {
        let error = Chain::parse(&text, "intro.ron").expect_err(what);
        shown += &format!("== {what} ==\n{}\n\n{error}\n\n\n", error.render(false));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn colors_are_only_used_when_asked_for() {
    let error = Chain::parse(&with("when: ", "wen: "), "intro.ron").unwrap_err();
    assert!(!error.render(false).contains('\u{1b}'));
    assert!(error.render(true).contains('\u{1b}'));
}

#[test]
fn no_text_makes_the_reader_panic() {
    for cut in (0..INTRO.len()).step_by(7) {
        if let (Some(start), Some(end)) = (INTRO.get(..cut), INTRO.get(cut..)) {
            for text in [start.to_owned(), end.to_owned(), format!("{start}é\"({end}")] {
                if let Err(error) = Chain::parse(&text, "cut.ron") {
                    assert!(!error.render(false).is_empty() && !error.to_string().is_empty());
                }
            }
        }
    }
}
