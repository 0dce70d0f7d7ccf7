//! Assertions of `qp diagnose` against Java itself: programs evaluate random conditions at the end of each
//! call and print the results, and `qp` evaluates the same conditions on their recordings.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::dice::Dice;
use crate::support::javac::Javac;
use crate::support::{finish, qp, said, scratch};
use assertions::{AssertFile, AssertedAnswer};
use diagnose::{DiagnoseOptions, Diagnoser};
use past::snapshot::Bounds;
use recorded::{MEMORY, RecordedTrace};
use session::Context;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Conditions of each method in one program.
const CONDITIONS: usize = 10;
/// Programs.
const PROGRAMS: u64 = 2;

/// A method of the program, with the names for its conditions besides the fields.
struct Method {
    name: &'static str,
    /// Its name in assertions.
    written: &'static str,
    ints: &'static [&'static str],
    booleans: &'static [&'static str],
    nodes: &'static [&'static str],
    texts: &'static [&'static str],
    has_result: bool,
}

/// Expressions that work wherever the program's fields are visible.
const INTS: &[&str] = &[
    "count",
    "this.count",
    "tiny",
    "small",
    "letter",
    "(int) big",
    "(int) exact",
    "total",
    "LIMIT",
    "Integer.MAX_VALUE",
    "data.length",
    "grid.length",
    "grid[1].length",
    "list.size()",
    "map.size()",
    "set.size()",
    "shared",
    "map.get(name)",
];
const BOOLEANS: &[&str] = &[
    "flag",
    "list.isEmpty()",
    "set.contains(name)",
    "map.containsKey(name)",
    "flags[1]",
    "real < 1.5f",
    "exact > big",
    "name.equals(\"ab\")",
    "name.startsWith(\"a\")",
    "words[0] == null",
    "map.isEmpty()",
    "name.isEmpty()",
];

const METHODS: &[Method] = &[
    Method {
        name: "step",
        written: "step(int,Node,int[],java.lang.String)",
        ints: &["a", "xs.length", "n.value", "n.next.value", "text.length()", "text.charAt(1)"],
        booleans: &["n.next == n", "text.equals(name)", "n instanceof Leaf", "xs == data"],
        nodes: &["n", "head", "n.next", "head.next"],
        texts: &["text", "name"],
        has_result: true,
    },
    Method {
        name: "sum",
        written: "sum",
        ints: &["(int) start", "bytes.length", "bytes[0]", "total", "LIMIT"],
        booleans: &["up", "bytes == null", "start > 5"],
        nodes: &["last"],
        texts: &["\"ab\""],
        has_result: true,
    },
    Method {
        name: "depth",
        written: "depth",
        ints: &["limit", "n.value"],
        booleans: &["n == null", "limit > 1", "n instanceof Leaf"],
        nodes: &["n", "head"],
        texts: &["name"],
        has_result: true,
    },
    Method {
        name: "touch",
        written: "Inner.touch",
        ints: &["by", "own", "this.own", "count"],
        booleans: &["own == count", "by > 0"],
        nodes: &["head"],
        texts: &["name"],
        has_result: false,
    },
];

struct Maker<'a> {
    dice: &'a mut Dice,
    method: &'a Method,
    /// Inside `old` there is no other `old`, and nothing about the call's end.
    is_old: bool,
    /// The operands of `old` in order: type and expression.
    olds: Vec<(&'static str, String)>,
}

/// An expression: as in an assertion, and as in the program.
struct Both(String, String);

fn same(text: impl Into<String>) -> Both {
    let text = text.into();
    Both(text.clone(), text)
}

impl Maker<'_> {
    fn has_fields(&self) -> bool {
        self.method.name != "sum"
    }

    fn old(&mut self, of: &'static str, make: fn(&mut Self, usize) -> Both, deep: usize) -> Both {
        self.is_old = true;
        let inner = make(self, deep);
        self.is_old = false;
        self.olds.push((of, inner.1));
        let at = self.olds.len() - 1;
        Both(format!("old({})", inner.0), format!("was(bad{{}}_{at}, old{{}}_{at})"))
    }

    fn int(&mut self, deep: usize) -> Both {
        let dice = self.dice.roll(if deep == 0 { 5 } else { 13 });
        match dice {
            0 => same(self.dice.roll(7).to_string()),
            1 | 2 => same(self.dice.one(self.method.ints)),
            3 if self.has_fields() && self.method.name != "touch" => same(self.dice.one(INTS)),
            4 if self.method.has_result && !self.is_old && self.method.name != "sum" => {
                Both("result".to_owned(), "ended(exception, result)".to_owned())
            }
            5 | 6 => {
                let operator = self.dice.one(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"]);
                let (one, other) = (self.int(deep - 1), self.int(deep - 1));
                let both = |one: String, other: String| format!("({one} {operator} {other})");
                Both(both(one.0, other.0), both(one.1, other.1))
            }
            7 => {
                let name = self.dice.one(&["max", "min"]);
                let (one, other) = (self.int(deep - 1), self.int(deep - 1));
                Both(
                    format!("Math.{name}({}, {})", one.0, other.0),
                    format!("Math.{name}({}, {})", one.1, other.1),
                )
            }
            8 if self.has_fields() => {
                let array =
                    self.dice.one(&["data[{}]", "bytes8[{}]", "grid[1][{}]", "list.get({})", "chars[{}]"]);
                let at = self.int(deep - 1);
                Both(array.replace("{}", &at.0), array.replace("{}", &at.1))
            }
            9 => {
                let node = self.node(deep - 1);
                let field = self.dice.one(&["value", "weight"]);
                Both(format!("{}.{field}", node.0), format!("{}.{field}", node.1))
            }
            10 => {
                let (condition, one, other) =
                    (self.boolean(deep - 1), self.int(deep - 1), self.int(deep - 1));
                let both = |c: String, one: String, other: String| format!("({c} ? {one} : {other})");
                Both(both(condition.0, one.0, other.0), both(condition.1, one.1, other.1))
            }
            11 if !self.is_old => self.old("int", Maker::int, deep - 1),
            12 => {
                let inner = self.int(deep - 1);
                let sign = self.dice.one(&["-", "~", "+"]);
                Both(format!("({sign}({}))", inner.0), format!("({sign}({}))", inner.1))
            }
            _ => same(self.dice.one(self.method.ints)),
        }
    }

    fn node(&mut self, deep: usize) -> Both {
        match self.dice.roll(4) {
            0 if !self.is_old && deep > 0 => self.old("Node", Maker::node, deep - 1),
            1 if deep > 0 => {
                let node = self.node(deep - 1);
                Both(format!("{}.next", node.0), format!("{}.next", node.1))
            }
            _ => same(self.dice.one(self.method.nodes)),
        }
    }

    fn boolean(&mut self, deep: usize) -> Both {
        match self.dice.roll(if deep == 0 { 3 } else { 12 }) {
            0 | 1 => same(self.dice.one(self.method.booleans)),
            2 if self.has_fields() && self.method.name != "touch" => same(self.dice.one(BOOLEANS)),
            3..=5 => {
                let operator = self.dice.one(&["<", "<=", ">", ">=", "==", "!="]);
                let (one, other) = (self.int(deep - 1), self.int(deep - 1));
                Both(format!("{} {operator} {}", one.0, other.0), format!("{} {operator} {}", one.1, other.1))
            }
            6 | 7 => {
                let operator = self.dice.one(&["&&", "||"]);
                let (one, other) = (self.boolean(deep - 1), self.boolean(deep - 1));
                let both = |one: String, other: String| format!("(({one}) {operator} ({other}))");
                Both(both(one.0, other.0), both(one.1, other.1))
            }
            8 => {
                let (one, other) = (self.node(deep - 1), self.node(deep - 1));
                let operator = self.dice.one(&["==", "!="]);
                let both = |one: String, other: String| format!("{one} {operator} {other}");
                Both(both(one.0, other.0), both(one.1, other.1))
            }
            9 if !self.is_old => self.old("boolean", Maker::boolean, deep - 1),
            10 if !self.is_old => {
                same(self.dice.one(&["exception == null", "exception instanceof ArithmeticException"]))
            }
            11 if self.has_fields() => {
                let element = self.int(deep - 1);
                Both(format!("list.contains({})", element.0), format!("list.contains({})", element.1))
            }
            _ => {
                let (text, other) = (self.dice.one(self.method.texts), self.dice.one(self.method.texts));
                same(format!("{text}.equals({other})"))
            }
        }
    }
}

/// A condition as in an assertion; the program's code at the entry of the call, and at its end.
struct Condition {
    text: String,
    before: String,
    after: String,
}

fn condition(dice: &mut Dice, method: &Method, number: usize) -> Condition {
    let mut maker = Maker { dice, method, is_old: false, olds: Vec::new() };
    let Both(text, own) = maker.boolean(3);
    let mut before = String::new();
    for (at, (of, inner)) in maker.olds.iter().enumerate() {
        let none = match *of {
            "int" => "0",
            "boolean" => "false",
            _ => "null",
        };
        before.push_str(&format!(
            "{of} old{number}_{at} = {none}; boolean bad{number}_{at} = false; \
             try {{ old{number}_{at} = {inner}; }} catch (RuntimeException e) {{ bad{number}_{at} = true; }}\n"
        ));
    }
    let own = own.replace("{}", &number.to_string());
    let after = format!(
        "try {{ told(\"{} \" + id + \" {number} \" + (exception != null), {own}); }} \
         catch (RuntimeException e) {{ System.out.println(\"{} \" + id + \" {number} \" + (exception != null) + \" unknown\"); }}\n",
        method.name, method.name
    );
    Condition { text, before, after }
}

/// A program that evaluates conditions and prints the results.
fn program(name: &str, seed: u64, of: &BTreeMap<&str, Vec<Condition>>) -> String {
    let mut text = include_str!("../fixtures/asserted/random.txt")
        .replace("NAME", name)
        .replace("SEED", &seed.to_string());
    for (method, conditions) in of {
        let all = |part: fn(&Condition) -> &str| conditions.iter().map(part).collect::<String>();
        text = text.replace(&format!("/* before {method} */"), &all(|condition| &condition.before));
        text = text.replace(&format!("/* after {method} */"), &all(|condition| &condition.after));
    }
    text
}

/// The verdicts of assertions on each asserted call of a recording, in order.
fn told(trace: &Path, assertions: &Path) -> Vec<(String, AssertedAnswer)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let context = Context::silent();
        let trace = RecordedTrace::open(trace, MEMORY, &context).await.expect("a recording");
        let is_tested = |node: &u32| {
            let method = trace.calls.method(*node).expect("a method");
            METHODS.iter().any(|tested| tested.name == method.name)
        };
        let count = u32::try_from(trace.calls.count()).expect("a number");
        let nodes: Vec<u32> = (0..count).filter(is_tested).collect();
        let bounds = Bounds { depth: 1, elements: 4, parts: 10 };
        let options = DiagnoseOptions {
            strategy: Some("top-down".to_owned()),
            p: None,
            node: None,
            compress: None,
            loops: false,
            suspects_tests: false,
            bounds,
        };
        let mut diagnoser = Diagnoser::new(trace, options).expect("a diagnosis");
        let file = AssertFile::load(assertions).unwrap_or_else(|error| panic!("{error}"));
        diagnoser.assert_by(&file, true).unwrap_or_else(|error| panic!("{error}"));
        let mut found = Vec::new();
        for node in nodes {
            let (question, told) = diagnoser.look_at(node, &context).await.expect("a question");
            found.extend(told.map(|told| (question.method, told)));
        }
        found
    })
}

#[test]
fn conditions_are_what_the_program_says_they_are() {
    let folder: PathBuf = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, many) =
        (number("QP_ASSERT_SEED").unwrap_or(1), number("QP_ASSERT_PROGRAMS").unwrap_or(PROGRAMS));
    for seed in first..first + many {
        let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let of: BTreeMap<&str, Vec<Condition>> = METHODS
            .iter()
            .map(|method| (method.name, (0..CONDITIONS).map(|at| condition(&mut dice, method, at)).collect()))
            .collect();
        let name = format!("Program{seed}");
        let file = folder.join(format!("{name}.java"));
        std::fs::write(&file, program(&name, seed, &of)).expect("written");
        let classes = folder.join(format!("classes{seed}"));
        Javac::new().args(["-g", "-nowarn", "-d"]).arg(&classes).arg(&file).run();
        let output = finish(Command::new("java").arg("-cp").arg(&classes).arg(&name));
        assert!(output.status.success(), "{}", said(&output));
        // By method, call and condition: whether an exception left the call, and the result of the condition.
        let mut expected: BTreeMap<(String, usize, usize), (bool, String)> = BTreeMap::new();
        for line in String::from_utf8(output.stdout).expect("text").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [method, id, number, threw, outcome] = words[..] else { panic!("{line}") };
            let key = (method.to_owned(), id.parse().expect("a number"), number.parse().expect("a number"));
            assert_eq!(expected.insert(key, (threw == "true", outcome.to_owned())), None, "{line}");
        }
        let trace = folder.join(format!("trace{seed}"));
        let mut record = qp();
        record.args(["trace", "record", "--level", "all", "--out"]).arg(&trace);
        let output = finish(record.args(["--", "java", "-cp"]).arg(&classes).arg(&name));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        for number in 0..CONDITIONS {
            let row = |method: &Method| {
                let text = of[method.name][number].text.replace('\\', "\\\\").replace('"', "\\\"");
                let class =
                    if method.written.starts_with("Inner") { format!("{name}$") } else { format!("{name}.") };
                format!("(method: \"{class}{}\", ensures: \"{text}\", complete: true),", method.written)
            };
            let rows: Vec<String> = METHODS.iter().map(row).collect();
            let assertions = folder.join("assertions.ron");
            let text = format!("(format: 1, assertions: [\n{}\n])", rows.join("\n"));
            std::fs::write(&assertions, text).expect("written");
            let mut ids: BTreeMap<String, usize> = BTreeMap::new();
            for (method, told) in told(&trace, &assertions) {
                let id = ids.entry(method.clone()).or_insert(0);
                let (threw, outcome) = &expected[&(method.clone(), *id, number)];
                let text = &of[method.as_str()][number].text;
                *id += 1;
                let wanted = if *threw && !text.contains("exception") { "unknown" } else { outcome };
                let is_so = match &told {
                    AssertedAnswer::Valid(_) => "true",
                    AssertedAnswer::Invalid(_) => "false",
                    _ => "unknown",
                };
                assert_eq!(is_so, wanted, "{name}.{method} call {id}: {text}\n{told:?}");
                *compared.entry(is_so).or_default() += 1;
            }
            for method in METHODS {
                let calls = expected.keys().filter(|(of, _, n)| of == method.name && *n == number).count();
                assert_eq!(ids.get(method.name), Some(&calls), "{}", method.name);
            }
        }
    }
    // Every possible result of a condition occurred often.
    assert!(compared.values().all(|many| *many > 200) && compared.len() == 3, "{compared:?}");
}
