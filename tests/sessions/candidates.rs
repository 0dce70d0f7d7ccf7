//! Questions from a rejected occurrence: `candidates` lists it, `why EXPR from POINT~N` asks from it, and a
//! replay answers the saved chain.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::session::{debug, error, kind, session};
use crate::support::{finish, point, said};
use serde_json::Value;
use std::process::Command;

/// The program's list of its deposits: thread, number in the thread, account, before, after, amount.
fn deposits(case: &Case) -> Vec<Vec<String>> {
    let output = finish(Command::new("java").current_dir(case.work()).args(["-cp", "classes", "Rejected"]));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = text.lines().map(|line| line.split(';').map(str::to_owned).collect::<Vec<_>>());
    rows.filter(|row| row.len() == 6).collect()
}

/// The deposit of a candidate or point, by its thread and hit.
fn deposit<'d>(deposits: &'d [Vec<String>], hit: &Value) -> &'d [String] {
    let number = hit["hit"].as_u64().expect("a hit").to_string();
    let found = deposits.iter().find(|row| row[0] == hit["thread"] && row[1] == number);
    found.unwrap_or_else(|| panic!("no deposit is {hit:#}"))
}

#[test]
fn a_question_goes_on_from_a_candidate_that_was_not_the_answer() {
    let case = Case::new("rejected");
    let deposits = deposits(&case);
    assert_eq!(deposits.len(), 16, "{deposits:?}");
    let line = case.line("Rejected.java", "// <- A");
    let script = format!(
        "set output off\nset candidates 20\nbreak Rejected:{line}\nrun\nwhy ann.balance\ncandidates B\n\
         why after from B~9\nwhy account.balance from B~9\nwhy account.balance from B~2\nwhy from B~4\n\
         save saved.ron\n"
    );
    let (_, replies) = session(&mut debug(&case, "Rejected"), &script);
    let kinds: Vec<&str> = replies.iter().map(kind).collect();
    assert_eq!(kinds[5..], ["candidates", "ran", "ran", "ran", "ran", "done"], "{replies:#?}");

    // All deposits except ann's, with the hit and thread that the program itself counts.
    let listed = replies[5]["content"]["candidates"].as_array().expect("a list");
    let others: Vec<&Vec<String>> = deposits.iter().filter(|row| row[2] != "ann").collect();
    assert_eq!(listed.len(), others.len());
    for (number, (candidate, other)) in (1..).zip(listed.iter().zip(&others)) {
        assert_eq!(candidate["number"], number, "{candidate:#}");
        assert_eq!(deposit(&deposits, candidate), other.as_slice(), "{candidate:#}");
        assert_eq!(candidate["place"]["line"], case.line("Rejected.java", "// <- B"));
        assert!(candidate["owner"].as_str().is_some_and(|o| o.starts_with("Rejected.Account@")));
        assert_eq!(candidate["reason"], "another object than at A");
    }
    assert_eq!(replies[5]["content"]["rejections"]["another object than at A"], others.len());

    // C is candidate 9. D and E ask from it; F is candidate 2, H is 4.
    let answer = &replies[9]["content"]["ran"]["answer"];
    let ids: Vec<&str> =
        answer["points"].as_array().unwrap().iter().map(|p| p["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["A", "B", "C", "D", "E", "F", "G", "H", "I"], "C is there once: {answer:#}");
    for (id, number) in [("C", 9), ("F", 2), ("H", 4)] {
        let (found, other) = (point(answer, id), others[number - 1]);
        assert_eq!(deposit(&deposits, found), other.as_slice(), "{id}: {found:#}");
        assert_eq!((&found["old"], &found["new"]), (&other[3].as_str().into(), &other[4].as_str().into()));
    }
    assert_eq!(point(answer, "D")["new"], point(answer, "C")["new"]);
    assert_eq!(point(answer, "D")["line"], case.line("Rejected.java", "// <- after"));
    for (id, from) in [("E", "C"), ("G", "F")] {
        let (before, found) = (point(answer, from), point(answer, id));
        assert_eq!(found["new"], before["old"], "the deposit before, of the same account: {found:#}");
        assert_eq!(deposit(&deposits, found)[2], deposit(&deposits, before)[2]);
    }
    assert_eq!(point(answer, "F")["thread"], "the teller");
    assert_eq!(point(answer, "I")["condition"], "amount > 0");
    assert_eq!(point(answer, "I")["operands"]["amount"], others[3][5].as_str());

    // The saved chain has the same answers by events and by probes.
    for options in
        [&["--backend", "jdwp"][..], &["--backend", "probe"], &["--backend", "probe", "--eager", "0"]]
    {
        let mut command = case.qp();
        command.args(["replay", "--format", "json", "--candidates", "20"]).args(options).arg("saved.ron");
        let output = finish(&mut command);
        assert!(output.status.success(), "{options:?} {}", said(&output));
        let replayed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for id in ids.iter().copied() {
            let (before, after) = (point(answer, id), point(&replayed, id));
            for field in ["question", "line", "thread", "hit", "old", "new", "condition", "operands"] {
                assert_eq!(before[field], after[field], "{options:?} {id} {field}");
            }
        }
    }
}

#[test]
fn what_cannot_be_asked_on_from_is_said() {
    let case = Case::new("rejected");
    let line = case.line("Rejected.java", "// <- A");
    let script = format!(
        "set output off\nbreak Rejected:{line}\ncandidates A\nrun\nwhy ann.balance\ncandidates B\n\
         candidates Z\ncandidates\nset candidates 20\nrun\nwhy after from B~11\nwhy after from B~0\n\
         why nosuch from B~1\npoints\n"
    );
    let (_, replies) = session(&mut debug(&case, "Rejected"), &script);
    assert!(error(&replies[2]).contains("A"), "{replies:#?}");
    assert!(error(&replies[5]).contains("`set candidates 20`, then `run`"), "{replies:#?}");
    assert!(error(&replies[6]).contains("there is no point Z"), "{replies:#?}");
    assert!(error(&replies[7]).contains("candidates POINT"), "{replies:#?}");
    for at in [10, 11] {
        assert!(error(&replies[at]).contains("only 10: `candidates B` lists them"), "{replies:#?}");
    }
    assert!(error(&replies[12]).contains("`nosuch`: is not a local or field"), "{replies:#?}");
    let points = replies[13]["content"][0].as_array().expect("points");
    assert_eq!(points.len(), 2, "a question that is refused adds nothing: {points:?}");
}
