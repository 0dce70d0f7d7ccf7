//! Jumps that are taken the other way at several passes, before a `throw`, and for operations that only read.
//! A version of the source with the condition changed is the independent answer.

use crate::suggested::{Answer, asked};
use crate::support::javac::Javac;
use crate::support::{compiled, marked, root, scratch};

const FOLDER: &str = "fixtures/omissions/ends";

#[track_caller]
fn of(what: &str, options: &[&str]) -> Answer {
    let classes = compiled(FOLDER, &["-g"]);
    let at = format!("Every:{}", marked(FOLDER, "Every.java", "// the point"));
    asked(what, &at, &[&["--confirm"], options].concat(), &["Every"], &classes)
}

/// The program with another condition in one place.
fn version(from: &str, to: &str) -> String {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let text =
        std::fs::read_to_string(root().join("tests").join(FOLDER).join("Every.java")).expect("the source");
    assert!(text.contains(from));
    std::fs::write(folder.join("Every.java"), text.replacen(from, to, 1)).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&folder).arg(folder.join("Every.java")).run();
    folder.display().to_string()
}

/// The verdict, the passes, and their number, of a suggestion.
fn tried(answer: &Answer, number: usize) -> (String, String, u64) {
    let of = &answer.suggestions()[number]["confirmation"];
    let text = |name: &str| of[name].as_str().unwrap_or_default().to_owned();
    (text("verdict"), text("passes"), of["flipped"].as_u64().unwrap_or_default())
}

#[test]
fn equal_operands_go_the_other_way_together() {
    // One more order is another value, and not the right one.
    let answer = of("orders", &["--want", "orders.size() == 2"]);
    assert_eq!(tried(&answer, 0), ("right".to_owned(), "equal-operands".to_owned(), 2));
    let right = version("if (isOpen) {\n                orders", "if (true) {\n                orders");
    let answer = of("orders", &["--reference", &right]);
    assert_eq!(tried(&answer, 0).0, "right");
    // Of the sizes, three are equal.
    let answer = of("sizes", &["--want", "sizes.size() == 3"]);
    assert_eq!(tried(&answer, 0), ("right".to_owned(), "equal-operands".to_owned(), 3));
}

#[test]
fn all_passes_go_the_other_way_together() {
    let right = version("number > 10", "number > 0");
    let answer = of("sizes", &["--reference", &right]);
    assert_eq!(tried(&answer, 0), ("right".to_owned(), "all".to_owned(), 4));
    // Nothing makes this right, and the first try is what is told.
    let answer = of("sizes", &["--want", "sizes.size() == 7"]);
    assert_eq!(tried(&answer, 0), ("changed-not-right".to_owned(), "one".to_owned(), 1));
}

/// As in a fault of commons-csv: of the 9 passes, those at one character are right. That is neither the first
/// pass that missed the way nor the last.
#[test]
fn other_passes_are_tried_by_their_operands_and_two_by_two() {
    let classes = compiled(FOLDER, &["-g"]);
    let at = format!("Ends:{}", marked(FOLDER, "Ends.java", "// the point"));
    let asked = |want: &str| {
        let options = ["--confirm", "--want", want];
        asked("counting.lines", &at, &options, &["Ends", "a\rb\rcd\r\ref"], &classes)
    };
    let answer = asked("counting.lines == 4");
    assert_eq!(tried(&answer, 0), ("right".to_owned(), "equal-operands".to_owned(), 4));
    let right = &answer.suggestions()[0];
    let line = marked(FOLDER, "Ends.java", "// the end of a line");
    assert_eq!((&right["jump"]["line"], &right["operation"]["text"]), (&line.into(), &"lines++".into()));
    // What changed nothing comes last.
    let verdicts = answer.verdicts();
    assert!(verdicts.iter().skip(1).all(|verdict| *verdict != "right"), "{verdicts:?}");
    let is_unchanged = verdicts.iter().skip(1).map(|verdict| !verdict.starts_with("changed"));
    assert!(is_unchanged.is_sorted(), "{verdicts:?}");
    let answer = asked("counting.lines == 2");
    assert_eq!(tried(&answer, 0), ("right".to_owned(), "two".to_owned(), 2));
}

/// Each of three loops leaves out its last turn.
#[test]
fn a_loop_has_one_more_turn_each_time() {
    let right = version("i < last", "i <= last");
    let answer = of("rows", &["--loops", "--reference", &right]);
    let inner = answer
        .suggestions()
        .iter()
        .position(|of| of["jump"]["kind"] == "loop-end" && of["passes"]["missed"] == 3);
    let inner = inner.unwrap_or_else(|| panic!("{:#}", answer.json));
    assert_eq!(tried(&answer, inner), ("right".to_owned(), "once-per-loop".to_owned(), 3));
}

#[test]
fn an_exception_is_avoided_by_the_condition_before_its_throw() {
    let right = version("amount > 3", "amount > 30");
    let answer = of("paid", &["--reference", &right]);
    let kinds: Vec<&str> =
        answer.suggestions().iter().map(|one| one["jump"]["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["exception"]);
    assert_eq!(tried(&answer, 0), ("right".to_owned(), "before-throw".to_owned(), 1));
}

/// What only reads the object is tried, and shown if it makes the point right.
#[test]
fn an_operation_that_only_reads_can_be_the_right_one() {
    let answer = of("names", &["--want", "count == 1"]);
    assert_eq!(answer.suggestions().len(), 1, "{:#}", answer.json);
    assert_eq!(answer.suggestions()[0]["operation"]["writes"], false);
    assert_eq!((tried(&answer, 0).0.as_str(), &answer.json["hidden"]), ("right", &0.into()));
    assert!(!answer.reasons().contains("hidden"), "{}", answer.reasons());
    let answer = of("names", &["--want", "count == 5"]);
    assert_eq!((answer.suggestions().len(), &answer.json["hidden"]), (0, &1.into()));
    assert!(answer.reasons().contains("1 operation that only reads it is hidden"), "{}", answer.reasons());
}
