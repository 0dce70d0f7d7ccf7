//! Runs of altered code that do far more than the recorded run.

use crate::suggested::{Answer, asked};
use crate::support::{compiled, marked};

const FOLDER: &str = "fixtures/omissions/flips";

#[track_caller]
fn of(what: &str, options: &[&str], java: &[&str]) -> Answer {
    let classes = compiled(FOLDER, &["-g"]);
    let at = format!("Guards:{}", marked(FOLDER, "Guards.java", "// the point"));
    asked("list", &at, &[&["--confirm"], options].concat(), &[java, &["Guards", what]].concat(), &classes)
}

#[track_caller]
fn found(answer: &Answer) -> &str {
    answer.suggestions()[0]["confirmation"]["found"].as_str().expect("what was found")
}

#[test]
fn a_run_that_prints_without_end_is_ended() {
    let answer = of("print", &["--want", "list.size() == 1"], &[]);
    assert_eq!((answer.verdicts(), found(&answer)), (vec!["did-not-end"], "it printed more than 16 MB"));
}

/// The recorded run printed 20 MB, so that another one may do so too.
#[test]
fn a_run_may_print_as_much_as_the_recorded_one() {
    let answer = of("much", &["--want", "list.size() == 1"], &[]);
    assert_eq!(answer.verdicts(), ["right"]);
    // The end of the output is not kept, so nobody knows whether it has the text.
    assert_eq!(of("much", &["--want-output", "[more]"], &[]).verdicts(), ["changed"]);
    assert_eq!(of("much", &["--want-output", "line after line"], &[]).verdicts(), ["right"]);
}

/// The heap is limited as in the recorded run.
#[test]
fn a_run_that_takes_memory_without_end_fails() {
    let answer = of("keep", &["--want", "list.size() == 1"], &["-Xmx64m"]);
    assert_eq!(answer.verdicts(), ["crashed"]);
}

/// The value at the point is right, and how the program ends is not known.
#[test]
fn an_end_that_is_not_reached_is_not_right() {
    assert_eq!(of("hang", &["--want", "list.size() == 1"], &[]).verdicts(), ["right"]);
    assert_eq!(of("hang", &["--want-output", "hang"], &[]).verdicts(), ["did-not-end"]);
    assert_eq!(of("hang", &["--want-exit", "0"], &[]).verdicts(), ["did-not-end"]);
}
