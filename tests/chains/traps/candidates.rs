//! `Candidate`: hit N of a point's event at a line, regardless of the point's constraints.

use super::fixture::Fixture;

const OPTIONS: [&[&str]; 3] = [&[], &["--backend", "probe"], &["--backend", "probe", "--eager", "0"]];

#[test]
fn a_candidate_is_a_hit_of_the_event_whatever_the_constraints_say() {
    // In the main thread, deposits 5 and 8 go to bob (4011 to 4025, 4025 to 4042), and 6 to eve (12 to 27).
    let points = r#"
        (id: "A", at: Line("Rejected", {A})),
        (id: "B", at: LastChange("A:ann.balance"), when: "amount > 12"),
        (id: "C", at: Candidate("B", "Rejected:{B}", 5), thread: "main"),
        (id: "D", at: LastChange("C:after")),
        (id: "E", at: Candidate("D", "Rejected:{after}", 8), thread: "main"),
        (id: "X", at: Exit("Rejected.deposit"), before: "A"),
        (id: "Y", at: Candidate("X", "Rejected:{return}", 6), thread: "main"),
        (id: "L", at: Line("Rejected", {after}), before: "C"),
        (id: "M", at: Candidate("L", "Rejected:{after}", 2), thread: "main", collect: ["account.name"]),
        (id: "T", at: Candidate("B", "Rejected:{B}", 3), thread: "the teller"),
        (id: "N", at: Candidate("B", "Rejected:{B}", 7), collect: ["account.name"]),
    "#;
    let fixture = Fixture::new("rejected", "Rejected");
    for asked in OPTIONS.iter().flat_map(|options| fixture.ask_with(points, options)) {
        asked.held().at("B", "B").has("B", &[("old", "6039"), ("new", "6058")]);
        asked.at("C", "B").has("C", &[("old", "4011"), ("new", "4025"), ("thread", "main")]);
        asked.at("D", "after").has("D", &[("new", "4025")]);
        asked.at("E", "after").has("E", &[("old", "unassigned"), ("new", "4042")]);
        asked.at("Y", "return").has("Y", &[("result", "27")]);
        asked.at("M", "after").has("M", &[("collected.account.name", "\"bob\"")]);
        asked.at("T", "B").has("T", &[("old", "1000"), ("new", "4000"), ("thread", "the teller")]);
        // Without a thread, all threads count: four deposits of the teller, then three.
        asked.at("N", "B").has("N", &[("old", "0"), ("new", "12"), ("collected.account.name", "\"eve\"")]);
        for (id, hit) in [("C", 5), ("D", 5), ("E", 8), ("Y", 6), ("M", 2), ("T", 3), ("N", 3)] {
            assert_eq!(asked.point(id)["hit"], hit, "{}: {id}", asked.java);
        }
    }
}

#[test]
fn a_hit_that_is_not_there_is_told() {
    let points = r#"
        (id: "A", at: Line("Rejected", {A})),
        (id: "B", at: LastChange("A:ann.balance")),
        (id: "C", at: Candidate("B", "Rejected:{B}", 17)),
    "#;
    let fixture = Fixture::new("rejected", "Rejected");
    for asked in OPTIONS.iter().flat_map(|options| fixture.ask_with(points, options)) {
        assert_eq!(asked.code, 1, "{}", asked.java);
        let reason = asked.point("C")["reason"].as_str().expect("a reason");
        assert!(reason.contains("it occurred 16 times"), "{}: {reason}", asked.java);
    }
}

#[test]
fn what_is_not_counted_by_line_is_refused() {
    let fixture = Fixture::new("rejected", "Rejected");
    let refused = |question: &str, candidate: &str| {
        fixture.refused(&format!(
            r#"(id: "A", at: Line("Rejected", {{A}})), (id: "B", at: {question}), (id: "C", at: {candidate})"#
        ))
    };
    let balance = r#"LastChange("A:ann.balance")"#;
    let two_sites = refused(r#"LastChange("A:ann.twice")"#, r#"Candidate("B", "Rejected:{twice}", 1)"#);
    assert!(two_sites.contains("B has 2 sites on line"), "{two_sites}");
    let elsewhere = refused(balance, r#"Candidate("B", "Rejected:{after}", 1)"#);
    assert!(elsewhere.contains("B has no hit on line"), "{elsewhere}");
    for field in [r#"when: "true""#, r#"before: "A""#, "index: 1"] {
        let narrowed = refused(balance, &format!(r#"Candidate("B", "Rejected:{{B}}", 1), {field}"#));
        assert!(narrowed.contains("does not go with `Candidate`"), "{narrowed}");
    }
    let zero = refused(balance, r#"Candidate("B", "Rejected:{B}", 0)"#);
    assert!(zero.contains("hits are counted from 1"), "{zero}");
    let nowhere = refused(balance, r#"Candidate("B", "Rejected", 1)"#);
    assert!(nowhere.contains("`Rejected` is no place"), "{nowhere}");
    for question in [r#"Exception("java.lang.Error")"#, r#"Origin("A:ann")"#] {
        let kind = refused(question, r#"Candidate("B", "Rejected:{B}", 1)"#);
        let name = question.split('(').next().unwrap_or_default();
        assert!(kind.contains(&format!("`B` is {name}(")), "{kind}");
        assert!(kind.contains("not counted by line"), "{kind}");
    }
}

#[test]
fn what_a_run_must_tell_first_is_refused_after_it() {
    let points = r#"
        (id: "A", at: Line("Rejected", {A})),
        (id: "B", at: LastChange("A:ann.balance")),
        (id: "K", at: LastCondition("B")),
        (id: "C", at: Candidate("K", "Rejected:{B}", 1)),
        (id: "M", at: Created("A:ann")),
        (id: "D", at: Candidate("M", "Rejected:{B}", 1)),
    "#;
    for asked in Fixture::new("rejected", "Rejected").ask(points) {
        assert_eq!(asked.code, 1, "{}", asked.java);
        for (id, question) in [("C", "`K` is LastCondition(B)"), ("D", "`M` is Created(A:ann)")] {
            let reason = asked.point(id)["reason"].as_str().expect("a reason");
            assert!(
                reason.starts_with(&format!("{question}, whose hits are not counted by line")),
                "{reason}"
            );
        }
    }
}
