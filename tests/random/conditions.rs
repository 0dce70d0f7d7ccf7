//! Random conditions of `when`, by three ways: the program itself evaluates them at each pass, `qp` evaluates
//! them from outside by JDWP, and the VM tests them by probes.
//!
//! `QP_CONDITIONS=50 cargo test --release --test random conditions::` tries fifty programs instead of one;
//! `QP_CONDITIONS_SEED=17` begins with the 17th.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::dice::Dice;
use crate::support::javac::Javac;
use crate::support::{finish, qp, said, scratch};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Conditions of one program.
const CONDITIONS: usize = 14;
/// Passes over the line.
const PASSES: usize = 120;

impl Dice {
    /// A number of type `int` or smaller.
    fn int(&mut self, deep: usize) -> String {
        match self.roll(if deep == 0 { 4 } else { 10 }) {
            0 => (self.roll(9) as i64 - 2).to_string(),
            1 => self
                .one(&["i", "(i % 7)", "letter", "octet", "small", "(int) wide", "(int) exact"])
                .to_owned(),
            2 => self
                .one(&[
                    "count",
                    "this.count",
                    "node.value",
                    "node.next.value",
                    "shared",
                    "Other.LEVEL",
                    "xs.length",
                    "grid[1].length",
                    "text.length()",
                    "list.size()",
                    "map.size()",
                    "kind.ordinal()",
                    "boxed",
                    "'c'",
                    "node.next.next.value",
                ])
                .to_owned(),
            3 => self.one(&["(byte) (i * 50)", "(short) (i << 12)", "(char) (i - 3)"]).to_owned(),
            4 | 5 => {
                let operator = self.one(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"]);
                format!("({} {operator} {})", self.int(deep - 1), self.int(deep - 1))
            }
            6 => {
                let array =
                    self.one(&["xs[{}]", "octets[{}]", "grid[1][{}]", "letters[{}]", "text.charAt({})"]);
                array.replace("{}", &self.int(deep - 1))
            }
            7 => format!("({}({}))", self.one(&["-", "~", "+"]), self.int(deep - 1)),
            8 => format!("({} ? {} : {})", self.boolean(deep - 1), self.int(0), self.int(0)),
            _ => self.one(&["text.indexOf(name)", "text.hashCode()", "node.name.length()"]).to_owned(),
        }
    }

    /// A number of any type.
    fn number(&mut self, deep: usize) -> String {
        match self.roll(if deep == 0 { 5 } else { 7 }) {
            0 => self.one(&["wide", "this.wide", "node.weight", "5L", "wides[1]"]).to_owned(),
            1 => self.one(&["exact", "real", "1.5f", "2.5", "-0.0", "doubles[0]", "0.0 / exact"]).to_owned(),
            2..5 => self.int(deep),
            5 => {
                let operator = self.one(&["+", "-", "*", "/", "%"]);
                format!("({} {operator} {})", self.number(deep - 1), self.number(deep - 1))
            }
            _ => format!("({}) {}", self.one(&["long", "float", "double", "int"]), self.number(0)),
        }
    }

    fn boolean(&mut self, deep: usize) -> String {
        match self.roll(if deep == 0 { 5 } else { 12 }) {
            0 => self
                .one(&["flag", "node.leaf", "flags[i % 3]", "Other.ready", "boxedFlag", "i > 100"])
                .to_owned(),
            1 | 2 => {
                let operator = self.one(&["==", "!=", "<", "<=", ">", ">="]);
                format!("{} {operator} {}", self.number(deep), self.number(deep))
            }
            3 => self
                .one(&[
                    "text.equals(name)",
                    "text.isEmpty()",
                    "text.startsWith(\"t1\")",
                    "text.endsWith(name)",
                    "text.contains(\"2\")",
                    "name == null",
                    "node.name.equals(\"n1\")",
                    "any.equals(\"t17\")",
                    "boxed.equals(3)",
                    "list.isEmpty()",
                    "list.contains(\"t12\")",
                    "map.containsKey(\"t9\")",
                    "set.contains(text)",
                    "list.get(i % 9) == null",
                ])
                .to_owned(),
            4 => self
                .one(&[
                    "node.next == node",
                    "node.next != null",
                    "any instanceof String",
                    "any instanceof Node",
                    "node.next instanceof Leaf",
                    "any == node",
                    "(Object) node.next == any",
                    "kind == Kind.SECOND",
                    "((Leaf) node.next).extra > 2",
                ])
                .to_owned(),
            5 | 6 => format!("({} && {})", self.boolean(deep - 1), self.boolean(deep - 1)),
            7 | 8 => format!("({} || {})", self.boolean(deep - 1), self.boolean(deep - 1)),
            9 => format!("!({})", self.boolean(deep - 1)),
            10 => format!("({} ? {} : {})", self.boolean(0), self.boolean(0), self.boolean(deep - 1)),
            _ => {
                let operator = self.one(&["&", "|", "^", "==", "!="]);
                format!("(({}) {operator} ({}))", self.boolean(deep - 1), self.boolean(0))
            }
        }
    }
}

const PROGRAM: &str = r#"
import java.util.*;

public class Tested {
    enum Kind { FIRST, SECOND, THIRD { @Override public String toString() { return "t"; } } }
    static class Node { private int value; long weight; boolean leaf; String name; Node next; }
    static class Leaf extends Node { private int extra; }

    private int count;
    private long wide;
    private double exact;
    private float real;
    private boolean flag;
    private Boolean boxedFlag = true;
    static private int shared;
    private final int[][] grid = {{1}, {1, 2, 3}};
    private final List<String> list = new ArrayList<>();
    private final Map<String, Integer> map = new HashMap<>();
    private final Set<String> set = new LinkedHashSet<>();
    private final Node[] nodes = {new Node(), new Leaf(), new Node(), null};

    public static void main(String[] args) throws Exception {
        Tested tested = new Tested();
        for (int i = 0; i < PASSES; i++) {
            tested.change(i);
            tested.look(i);
        }
        StringBuilder out = new StringBuilder();
        for (int k = 0; k < CONDITIONS; k++) {
            out.append("condition " + k + " " + first[k] + " " + trues[k]);
            out.append(" " + falses[k] + " " + fails[k] + "\n");
        }
        out.append(tested.list).append(tested.map).append(tested.set).append(shared).append(Other.ready);
        out.append(tested.wide).append(tested.nodes[1].name).append(tested.boxedFlag);
        out.append(new Error().getStackTrace().length);
        java.nio.file.Files.writeString(java.nio.file.Path.of("out"), out);
    }

    private void change(int i) {
        count = i * 31 % 11;
        wide = i * 1_000_000_007L;
        exact = i % 4 == 0 ? Double.NaN : i / 3.0;
        real = i / 7f;
        flag = i % 3 == 1;
        boxedFlag = i % 50 == 49 ? null : (Boolean) (i % 2 == 0);
        shared = i >> 3;
        Other.ready = i > 90;
        if (i % 5 == 0) {
            list.add("t" + i);
            map.put("t" + i, i);
        }
        if (i % 7 == 0) {
            set.add("t" + i);
        }
        for (int n = 0; n < 3; n++) {
            nodes[n].value = i * (n + 3) % 17;
            nodes[n].weight = i * (long) n;
            nodes[n].leaf = (i >> n & 1) == 1;
            nodes[n].name = i % 9 == n ? null : "n" + n;
            nodes[n].next = nodes[(i + n) % 4];
        }
        if (nodes[1] instanceof Leaf) {
            ((Leaf) nodes[1]).extra = i % 6;
        }
    }

    private void look(int i) {
        char letter = (char) ('a' + i % 26);
        byte octet = (byte) (i * 3);
        short small = (short) (i * 300);
        Node node = nodes[i % 3];
        String text = "t" + i;
        String name = i % 8 == 0 ? null : String.valueOf(i % 10);
        Object any = i % 4 == 0 ? node : i % 4 == 1 ? text : i % 4 == 2 ? (Object) i : null;
        Integer boxed = i % 6 == 5 ? null : (Integer) (i % 6);
        Kind kind = Kind.values()[i % 3];
        int[] xs = new int[i % 5];
        byte[] octets = {1, -2, 3};
        char[] letters = {'x', 'y'};
        boolean[] flags = {true, false, i % 2 == 0};
        long[] wides = {1L, i * 3_000_000_000L};
        double[] doubles = {exact, real};
        passes++; // <- here
LOGGED    }

    static int passes;
    static final int[] first = new int[CONDITIONS];
    static final int[] trues = new int[CONDITIONS];
    static final int[] falses = new int[CONDITIONS];
    static final int[] fails = new int[CONDITIONS];

    static void log(int k, boolean is) {
        if (is && trues[k]++ == 0) {
            first[k] = passes;
        }
        if (!is) {
            falses[k]++;
        }
    }
}

class Other {
    static final int LEVEL = Integer.parseInt("4");
    static boolean ready;
}
"#;

/// What the program has found of a condition.
struct Truth {
    first: u64,
    trues: u64,
    falses: u64,
    fails: u64,
}

#[test]
fn conditions_agree_with_the_program_and_with_each_other() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
    };
    let (first, many) = (number("QP_CONDITIONS_SEED", 1), number("QP_CONDITIONS", 1));
    let mut wrong = Vec::new();
    let (mut located, mut missed, mut failed) = (0, 0, 0);
    for seed in first..first + many {
        let folder = scratch().join(format!("conditions-{seed}"));
        std::fs::create_dir_all(&folder).unwrap();
        let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let conditions: Vec<String> = (0..CONDITIONS).map(|_| dice.boolean(3)).collect();
        let truths = run(&folder, &conditions);
        let plain = std::fs::read_to_string(folder.join("out")).unwrap();
        let mut answers = Vec::new();
        for backend in ["jdwp", "probe"] {
            std::fs::remove_file(folder.join("out")).unwrap();
            answers.push(answer(&folder, &conditions, backend));
            // The program has done the same as without `qp`.
            assert_eq!(std::fs::read_to_string(folder.join("out")).unwrap(), plain, "{seed} {backend}");
        }
        for (k, (condition, truth)) in conditions.iter().zip(&truths).enumerate() {
            let [outside, inside] = [&answers[0]["points"][k], &answers[1]["points"][k]];
            for key in ["located", "reason", "hit", "line"] {
                if outside[key] != inside[key] {
                    wrong.push(format!("{seed}: {condition}: {key} {} and {}", outside[key], inside[key]));
                }
            }
            if truth.trues > 0 {
                located += 1;
                if inside["hit"] != truth.first {
                    wrong.push(format!(
                        "{seed}: {condition}: first at {}, not {}",
                        truth.first, inside["hit"]
                    ));
                }
                continue;
            }
            missed += 1;
            failed += u64::from(truth.fails > 0);
            let reason = inside["reason"].as_str().unwrap_or_default().to_owned();
            let times = |n: u64| if n == 1 { "once".to_owned() } else { format!("{n} times") };
            if truth.falses > 0
                && !reason.contains(&format!("its condition was false {}", times(truth.falses)))
            {
                wrong.push(format!("{seed}: {condition}: false {} times: {reason}", truth.falses));
            }
            let text = format!("could not be evaluated {}", times(truth.fails));
            if truth.fails > 0 && !reason.contains(&text) {
                wrong.push(format!("{seed}: {condition}: failed {} times: {reason}", truth.fails));
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
    eprintln!("{located} located, {missed} missed, {failed} of them failed");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        located >= 10 && missed >= 3 && failed >= 1,
        "{located} located, {missed} missed, {failed} failed"
    );
}

/// Compiles the program with its conditions, and runs it.
fn run(folder: &Path, conditions: &[String]) -> Vec<Truth> {
    let mut logged = String::new();
    for (k, condition) in conditions.iter().enumerate() {
        writeln!(
            logged,
            "        try {{ log({k}, {condition}); }} catch (RuntimeException e) {{ fails[{k}]++; }}"
        )
        .unwrap();
    }
    let text = PROGRAM
        .replace("LOGGED", &logged)
        .replace("CONDITIONS", &conditions.len().to_string())
        .replace("PASSES", &PASSES.to_string());
    std::fs::write(folder.join("Tested.java"), text).unwrap();
    let classes = folder.join("classes");
    Javac::new().args(["-g", "-nowarn", "-d"]).arg(&classes).arg(folder.join("Tested.java")).run();
    let ended = Command::new("java").current_dir(folder).args(["-cp", "classes", "Tested"]).status().unwrap();
    assert!(ended.success());
    let output = std::fs::read_to_string(folder.join("out")).unwrap();
    let numbers = output.lines().filter_map(|line| line.strip_prefix("condition "));
    let truths: Vec<Truth> = numbers
        .map(|line| {
            let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            Truth { first: numbers[1], trues: numbers[2], falses: numbers[3], fails: numbers[4] }
        })
        .collect();
    assert_eq!(truths.len(), conditions.len());
    truths
}

/// What `qp` says of a chain with a point for each condition.
fn answer(folder: &Path, conditions: &[String], backend: &str) -> Value {
    let text = std::fs::read_to_string(folder.join("Tested.java")).unwrap();
    let line = 1 + text.lines().position(|line| line.contains("<- here")).unwrap();
    let points = conditions.iter().enumerate().fold(String::new(), |mut all, (k, condition)| {
        writeln!(all, "(id: \"C{k}\", at: Line(\"Tested\", {line}), when: {condition:?}),").unwrap();
        all
    });
    let chain = format!(
        "(format: 1, debuggee: (command: [\"java\", \"-cp\", \"classes\", \"Tested\"], sources: [\".\"]), \
         points: [{points}])"
    );
    std::fs::write(folder.join("chain.ron"), chain).unwrap();
    let output = finish(qp().arg("replay").arg(folder.join("chain.ron")).args([
        "--format",
        "json",
        "--backend",
        backend,
    ]));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}
