//! The examples: five programs with an omission each, five without one, and the file lister.

use crate::suggested::{Answer, asked};
use crate::support::{compiled, root};

/// Asks about an expression at the line of a program that prints it.
#[track_caller]
fn of_example(what: &str, program: &str, options: &[&str]) -> Answer {
    let classes = compiled("../examples/omissions", &["-g"]);
    let source = root().join(format!("examples/omissions/{program}.java"));
    let source = std::fs::read_to_string(source).expect("the source");
    let line = 1 + source.lines().position(|line| line.contains("System.out.println")).expect("a line");
    asked(what, &format!("{program}:{line}"), options, &[program], &classes)
}

#[test]
fn a_condition_that_is_the_wrong_way_round() {
    let answer = of_example(
        "invoice.discounts",
        "Inverted",
        &["--want", "invoice.discounts.size() == 1", "--confirm"],
    );
    let reward = "branch Inverted.bill:22 > invoice.discounts.add(\"10%\"):29 certain 1/1";
    assert_eq!(answer.lines(), [reward]);
    assert_eq!((answer.verdicts(), answer.code), (vec!["right"], Some(0)));
}

#[test]
fn a_break_that_should_be_a_continue() {
    let answer = of_example("settings", "Blank", &["--want", "settings.size() > 1", "--confirm"]);
    assert_eq!(answer.lines(), ["branch Blank.read:9 > settings.add(line):12 certain 1/2"]);
    assert_eq!(answer.suggestions()[0]["jump"]["is_partial"], true);
    assert_eq!(answer.verdicts(), ["right"]);
    // What is wanted does not hold, but the value is another one.
    let answer = of_example("settings", "Blank", &["--want", "settings.size() == 2", "--confirm"]);
    assert_eq!(answer.verdicts(), ["changed-not-right"]);
    // Without a wish nobody says what is right.
    assert_eq!(of_example("settings", "Blank", &["--confirm"]).verdicts(), ["changed"]);
}

#[test]
fn a_case_that_a_switch_lacks() {
    let answer = of_example("route.stops", "Parcel", &["--want", "!route.stops.isEmpty()", "--confirm"]);
    assert_eq!(answer.lines(), ["branch Parcel.plan:13 > route.stops.add(where):24 certain 1/1"]);
    let jump = &answer.suggestions()[0]["jump"];
    assert_eq!(jump["condition"], "switch (kind)");
    assert_eq!((&jump["was"], &jump["would_be"]), (&"default".into(), &"case LETTER, PARCEL".into()));
    assert_eq!(answer.verdicts(), ["right"]);
}

#[test]
fn an_override_that_forgets() {
    let answer = of_example("statistics.saves", "Forgetful", &["--confirm"]);
    assert_eq!(answer.lines(), ["dispatch Forgetful$Store.save:16 > statistics.saves++:23 certain 1/1"]);
    let jump = &answer.suggestions()[0]["jump"];
    assert_eq!(jump["was"], "Forgetful.CachedStore.saved");
    assert_eq!(jump["would_be"], "Forgetful.Store.saved");
    assert_eq!(answer.verdicts(), ["not-tried"]);
}

#[test]
fn an_exception_that_skips() {
    let answer = of_example("report.lines", "Skipped", &[]);
    assert_eq!(
        answer.lines(),
        ["exception Skipped.fill:20 > report.lines.add(\"total \" + total):21 certain 1/1"]
    );
}

#[test]
fn nothing_is_suggested_where_nothing_was_omitted() {
    for (what, program) in [
        ("basket", "Cleared"),
        ("order.sum", "Factor"),
        ("copy", "Snapshot"),
        ("front.queue", "Front"),
        ("counts", "Twice"),
    ] {
        let answer = of_example(what, program, &[]);
        assert_eq!((answer.lines(), answer.code), (Vec::new(), Some(1)), "{program}");
        assert!(answer.reasons().contains("executed"), "{program}: {}", answer.reasons());
    }
    // A loop that ended is told only to those who ask.
    let answer = of_example("counts", "Twice", &["--loops"]);
    assert_eq!(answer.lines().len(), 1, "{:?}", answer.lines());
    assert_eq!(answer.suggestions()[0]["jump"]["kind"], "loop-end");
}

/// One suggestion for the list, and one for the list of arguments, if there were none.
#[test]
fn the_file_lister_has_one_suggestion_for_each_list() {
    let classes = compiled("../examples/filelister", &["-g"]);
    let answer = asked("s", "FileLister:55", &[], &["FileLister"], &classes);
    assert_eq!(answer.lines(), ["branch FileLister.run:20 > d.add(n):49 certain 1/1"]);
    assert_eq!(
        answer.suggestions()[0]["operation"]["chain"],
        serde_json::json!(["FileLister.run", "FileLister.addItem"])
    );
    assert_eq!(answer.suggestions()[0]["jump"]["operand"], "active");
    let answer = asked("this.args", "FileLister:55", &[], &["FileLister"], &classes);
    assert_eq!(answer.lines(), ["branch FileLister.setArgs:35 > args.add(a):36 certain 1/1"]);
    // With an argument nothing was left out.
    let answer = asked("this.args", "FileLister:55", &[], &["FileLister", "x"], &classes);
    assert_eq!(answer.lines(), Vec::<String>::new());
}
