//! `qp log`: the lines are those that the program itself prints at the same places, in the same order.

use crate::support::case::{Case, Run};
use crate::support::{javas, javas_in_turn, unwrapped};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the program prints, as a log point.
const TEXT: &str = r#"i + ": " + total + ' ' + letter + " " + share + " " + box + " " + name + " "
    + kind.name() + " " + cells[i % 5] + (i > 2) + (float) i + cells.length + " " + list.size()"#;

/// Runs a log point on the line before the step.
fn log(case: &Case, text: &str, marker: &str, options: &[&str], java: &str, passes: &str) -> Run {
    let at = format!("Logged:{}", case.line("Logged.java", marker));
    let program = ["--", java, "-cp", "classes", "Logged", passes];
    case.run(&[&["log", text, "--at", &at], options, &program].concat())
}

/// The lines of a run's output that begin with a thread.
fn lines(run: &Run) -> Vec<String> {
    let output = String::from_utf8_lossy(&run.output.stdout).into_owned();
    output.lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect()
}

/// What the program printed; without the lines for method calls.
fn printed(run: &Run) -> Vec<String> {
    let output = String::from_utf8_lossy(&run.output.stderr).into_owned();
    output.lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect()
}

#[test]
fn lines_are_those_that_the_program_prints() {
    let case = Case::new("logged");
    for java in javas_in_turn(1) {
        for options in [["--backend", "probe"], ["--backend", "jdwp"]] {
            let passes = if options[1] == "jdwp" { "20" } else { "200" };
            let options = [&options[..], &["--show-output", "--limit", "100000"]].concat();
            let run = log(&case, TEXT, "// <- outside", &options, &java, passes);
            run.is(0, &[]);
            let expected = printed(&run);
            assert_eq!(expected.len(), 3 * passes.parse::<usize>().unwrap());
            assert_eq!(lines(&run), expected, "{java} {options:?}");
        }
    }
}

#[test]
fn what_the_vm_cannot_evaluate_has_its_place_among_the_lines() {
    let case = Case::new("logged");
    // Every third pass has a text that the VM makes itself; the others call a method of the program.
    let text = r#"i % 3 == 0 ? i : tax(i)"#;
    let (java, options) = (&javas()[0], ["--backend", "probe"]);
    let run = log(&case, &format!("\"x\" + ({text})"), "// <- outside", &options, java, "60");
    let found = lines(&run);
    assert_eq!(found.len(), 180, "{}", run.said());
    for thread in ["worker-0", "worker-1", "worker-2"] {
        let own: Vec<&String> = found.iter().filter(|line| line.contains(thread)).collect();
        let expected: Vec<String> =
            (0..60).map(|i| format!("[{thread}] x{}", if i % 3 == 0 { i } else { i / 2 })).collect();
        assert_eq!(own, expected.iter().collect::<Vec<_>>());
    }
    let note = "the VM cannot evaluate `tax(i)`: the program stopped 120 times";
    assert!(unwrapped(&run.said()).contains(note), "{}", run.said());
}

#[test]
fn lines_beyond_the_limit_are_counted() {
    let case = Case::new("logged");
    let java = &javas()[0];
    let (when, thread) = (["--when", "i % 10 == 4"], ["--thread", "worker-1"]);
    let options = [&["--limit", "3"][..], &when, &thread].concat();
    let run = log(&case, "i", "// <- step", &options, java, "20000");
    run.is(0, &[]);
    assert_eq!(lines(&run), ["[worker-1] 4", "[worker-1] 14", "[worker-1] 24"]);
    let said = unwrapped(&run.said());
    assert!(said.contains("3 lines of 60,000 passes; 1,997 lines left out, since --limit is 3"), "{said}");
    // The same by events, which count each pass.
    let options = [&options[..], &["--backend", "jdwp"]].concat();
    let said = unwrapped(&log(&case, "i", "// <- step", &options, java, "50").said());
    assert!(said.contains("3 lines of 150 passes; 2 lines left out"), "{said}");
}

#[test]
fn a_condition_from_outside_leaves_out_what_is_false() {
    let case = Case::new("logged");
    let options = ["--when", "tax(i) == 7", "--limit", "100"];
    let run = log(&case, "i", "// <- step", &options, &javas()[0], "40");
    let found: Vec<String> = lines(&run).iter().filter(|line| line.contains("worker-2")).cloned().collect();
    assert_eq!(found, ["[worker-2] 14", "[worker-2] 15"]);
    let said = unwrapped(&run.said());
    assert!(said.contains("6 lines of 120 passes"), "{said}");
    assert!(!said.contains("left out"), "{said}");
}

#[test]
fn a_log_point_without_a_line_says_why() {
    let case = Case::new("logged");
    let java = &javas()[0];
    let run = log(&case, "i", "// <- step", &["--when", "i < 0"], java, "40");
    run.is(3, &["no line of 120 passes"]);
    let run = log(&case, "i", "// <- step", &[], java, "0");
    run.is(3, &["the program never came there (it ended: exit code 0)"]);
    let run = log(&case, "i + nothing", "// <- step", &[], java, "40");
    run.is(2, &["`nothing`: is not a local or field here"]);
    let run = log(&case, "i +", "// <- step", &[], java, "40");
    run.is(2, &["expected an expression"]);
    // Conditions can begin with a minus sign.
    let run = log(&case, "0 - i", "// <- step", &["--when", "-i < -3"], java, "7");
    run.is(0, &["-4", "-5"]);
    let run = log(&case, "i", "// <- step", &["--when", "name.length() == 0"], java, "10");
    run.is(3, &["the condition could not be evaluated 6 times"]);
}

#[test]
fn a_run_that_is_cut_off_shows_its_lines() {
    let case = Case::new("logged");
    let at = format!("Logged:{}", case.line("Logged.java", "// <- step"));
    let program = ["--", &javas()[0], "-cp", "classes", "Logged", "5", "60000"];
    let began = Instant::now();
    let run = case.run(&[&["log", "i", "--at", &at, "--timeout", "3"][..], &program].concat());
    assert!(began.elapsed() < Duration::from_secs(30));
    run.is(4, &["lines may be missing: qp ended the program after 3 s"]);
    assert_eq!(lines(&run).len(), 15, "{}", run.said());
}

#[test]
fn nobody_who_reads_ends_the_program() {
    let case = Case::new("logged");
    let at = format!("Logged:{}", case.line("Logged.java", "// <- step"));
    let program = ["--", &javas()[0], "-cp", "classes", "Logged", "100000000"];
    let mut qp = case.qp();
    qp.args([&["log", "i", "--at", &at, "--limit", "1000000"][..], &program].concat());
    let mut qp = qp.stdout(Stdio::piped()).spawn().expect("qp");
    let head = Command::new("head").arg("-2").stdin(qp.stdout.take().expect("its output")).output();
    assert_eq!(String::from_utf8_lossy(&head.expect("head").stdout).lines().count(), 2);
    let began = Instant::now();
    qp.wait().expect("it ends");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn machines_get_json() {
    let case = Case::new("logged");
    let at = format!("Logged:{}", case.line("Logged.java", "// <- step"));
    let program = ["--", &javas()[0], "-cp", "classes", "Logged", "20"];
    let run = case
        .run(&[&["--format", "json", "log", "cells", "--at", &at, "--limit", "1"][..], &program].concat());
    let answer = run.answer();
    assert_eq!(answer["lines"].as_array().map(Vec::len), Some(1), "{answer:#}");
    let text = answer["lines"][0]["text"].as_str().unwrap_or_default();
    assert_eq!(text, "int[]@1 [3, 1, 4, 1, 5]", "{answer:#}");
    assert_eq!((&answer["shown"], &answer["passes"]), (&1.into(), &60.into()), "{answer:#}");
}
