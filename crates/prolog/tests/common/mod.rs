//! Runs goals in this engine and in SWI-Prolog, and shows both in the same form.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use std::cell::RefCell;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use prolog::{Failure, Limits, Machine, Options, Program, Relations, View};

/// Time limit of one process of SWI-Prolog, which ends its goals after ten seconds each.
const SWIPL_LIMIT: Duration = Duration::from_secs(60);

/// Whether SWI-Prolog is installed.
pub fn has_swipl() -> bool {
    testing::program("swipl", "swi-prolog-nox")
}

/// Names variables as `numbervars` does.
pub fn lettered(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("_G") {
        let (before, after) = rest.split_at(at);
        result.push_str(before);
        let digits: String = after[2..].chars().take_while(char::is_ascii_digit).collect();
        match digits.parse::<u32>() {
            Ok(n) => {
                let letter = char::from(b'A' + (n % 26) as u8);
                result.push(letter);
                if n >= 26 {
                    result.push_str(&(n / 26).to_string());
                }
            }
            Err(_) => result.push_str("_G"),
        }
        rest = &after[2 + digits.len()..];
    }
    result.push_str(rest);
    result
}

/// Limits for tests.
pub fn limits() -> Limits {
    Limits { time: Some(Duration::from_secs(20)), memory: 512 << 20, ..Limits::default() }
}

/// A program of one text.
pub fn program(text: &str) -> Program {
    let mut program = Program::new();
    if let Err(errors) = program.consult("test.pl", text) {
        panic!("the program has errors: {errors:?}");
    }
    program
}

/// Runs a goal and shows its first 30 solutions, its output and its error.
pub fn run(program: &Program, goal: &str) -> String {
    let output = Rc::new(RefCell::new(String::new()));
    let sink = Rc::clone(&output);
    let options =
        Options { limits: limits(), output: Some(Box::new(move |text| sink.borrow_mut().push_str(text))) };
    let mut machine = Machine::new(program, &Relations::new(), options).unwrap();
    let mut shown = String::new();
    let mut ending = String::new();
    match machine.query(goal) {
        Err(_) => return "#syntax\n".to_owned(),
        Ok(mut query) => {
            for _ in 0..30 {
                match query.next() {
                    Ok(Some(solution)) => {
                        for (name, value) in &solution.bindings {
                            shown.push_str(&format!("{name}={} ", lettered(&value.to_string())));
                        }
                        shown.push('\n');
                    }
                    Ok(None) => break,
                    Err(Failure::Thrown(thrown)) => {
                        let root = thrown.term.cursor();
                        ending = match root.view() {
                            View::Compound { name, arity: 2 } if thrown.term.atom_text(name) == "error" => {
                                format!("error {}\n", lettered(&root.arg(0).unwrap().to_string()))
                            }
                            _ => format!("throws {}\n", lettered(&root.to_string())),
                        };
                        break;
                    }
                    Err(other) => {
                        ending = format!("failure {other}\n");
                        break;
                    }
                }
            }
        }
    }
    let output = output.borrow();
    let mut result = format!("#goal\n{shown}");
    if !output.is_empty() {
        let mut quoted = String::from("out \"");
        for c in output.chars() {
            match c {
                '\n' => quoted.push_str("\\n"),
                '\t' => quoted.push_str("\\t"),
                '"' => quoted.push_str("\\\""),
                '\\' => quoted.push_str("\\\\"),
                c => quoted.push(c),
            }
        }
        result.push_str(&quoted);
        result.push_str("\"\n");
    }
    result + &ending
}

/// Runs all goals in one process of SWI-Prolog.
pub fn run_swipl(program: &str, goals: &[String]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("program.pl");
    let list = directory.path().join("goals.pl");
    let head = ":- style_check(-singleton).\n:- style_check(-discontiguous).\n";
    std::fs::write(&file, format!("{head}{program}")).unwrap();
    std::fs::write(&list, goals.iter().map(|goal| format!("{goal}.\n")).collect::<String>()).unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/driver.pl");
    let mut command = Command::new("swipl");
    command.args(["--stack-limit=512m", "-q"]).arg(driver).arg("--").arg(&file).arg(&list);
    command.stdin(std::process::Stdio::null());
    // Now and then one of its processes hangs, which another does not with the same goals.
    let out = (0..3).find_map(|_| testing::finish(&mut command, SWIPL_LIMIT));
    let out = out.unwrap_or_else(|| panic!("swipl hung three times, with {program}\n{goals:#?}"));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut results: Vec<String> = Vec::new();
    for line in text.lines() {
        if line == "#goal" || line == "#syntax" {
            results.push(String::new());
        }
        if let Some(last) = results.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    assert_eq!(
        results.len(),
        goals.len(),
        "swipl answered another number of goals: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    results
}
