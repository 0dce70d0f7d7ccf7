//! The way of a value checked against what is known: random Java programs that only hand values on, made here statement by
//! statement together with the steps that each of them adds, so that the whole way of what every variable, field and
//! element holds at the end is known without any class file. Many of the values are equal, so that no answer can be right
//! by its value alone.
//!
//! `QP_RANDOM_ORIGINS=200 cargo test --test random_origins` tries two hundred programs, and `QP_RANDOM_SEED=17` begins with
//! the 17th; a wrong answer prints its seed and program.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "random/rng.rs"]
mod rng;
mod support;

use rng::Rng;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use support::{chain_file, replay, said, scratch};

/// Programs tried where `QP_RANDOM_ORIGINS` says nothing.
const FEW: u64 = 6;
/// Statements of one program.
const STATEMENTS: usize = 60;
/// Most steps that `qp` follows.
const MOST: usize = 1000;

/// What every program begins with; the steps below name lines of it by their marks.
const HEAD: &str = "\
class Hand {
    int f;
    int g;
    Hand next;
}
interface Way {
    int go(int v);
}
class Straight implements Way {
    public int go(int v) {
        return v; //straight
    }
}
class Bent extends Straight {
    @Override
    public int go(int v) {
        int w = v; //bent
        int again = super.go(w); //super
        return again; //back
    }
}
class Loop {
    static int s;
    static int t;
    static final Hand A = new Hand();
    static final Hand B = new Hand();
    static final int[] R = new int[3];
    static final int[][] Q = {new int[2], new int[2]};
    static final Way[] WAYS = {new Straight(), new Bent()};

    static int id(int v) {
        return v; //id
    }

    static int make(int n) {
        return n + 7; //make
    }

    static int rec(int n, int v) {
        if (n == 0) {
            return v; //inner
        }
        return rec(n - 1, v); //outer
    }

    static void put(Hand hand, int v) {
        hand.f = v; //put
    }

    static int fail(int v) {
        int kept = v; //kept
        try {
            if (v > -1) {
                throw new IllegalStateException();
            }
        } catch (IllegalStateException e) {
            return kept; //caught
        }
        return 0;
    }

    static void run(Runnable body) throws Exception {
        Thread thread = new Thread(body, \"other\");
        thread.start();
        thread.join();
    }
";

/// The places that hold values: what Java calls them, and how a store into them is told.
const PLACES: [(&str, &str); 13] = [
    ("a", "assigned"),
    ("b", "assigned"),
    ("c", "assigned"),
    ("s", "field"),
    ("t", "field"),
    ("A.f", "field"),
    ("A.g", "field"),
    ("B.f", "field"),
    ("B.g", "field"),
    ("R[0]", "element"),
    ("R[2]", "element"),
    ("Q[0][1]", "element"),
    ("Q[1][1]", "element"),
];
/// So many of them are local variables.
const LOCALS: usize = 3;

/// A step: how, and in which line.
type Step = (&'static str, usize);

/// The steps of a value from the last back.
type Way = Vec<Step>;

struct Made {
    text: String,
    /// What each place holds at the end.
    ways: Vec<Way>,
    last_line: usize,
}

struct Maker {
    rng: Rng,
    text: String,
    ways: Vec<Way>,
}

fn marked(mark: &str) -> usize {
    let found = HEAD.lines().position(|line| line.ends_with(&format!("//{mark}")));
    found.expect("a marked line") + 1
}

impl Maker {
    fn line(&mut self, text: &str) -> usize {
        self.text.push_str(text);
        self.text.push('\n');
        self.text.lines().count()
    }

    fn store(&mut self, to: usize, line: usize, between: &[Step], from: Way) {
        let mut way = vec![(PLACES[to].1, line)];
        way.extend(between);
        way.extend(from);
        self.ways[to] = way;
    }

    fn statement(&mut self) {
        let (to, from) = (self.rng.below(PLACES.len()), self.rng.below(PLACES.len()));
        let (target, source) = (PLACES[to].0, PLACES[from].0);
        let way = self.ways[from].clone();
        let at = marked;
        if way.len() > MOST / 2 {
            return self.compute(to);
        }
        match self.rng.below(16) {
            0 => self.compute(to),
            1 => {
                let line = self.line(&format!("        {target} = id({source});"));
                self.store(to, line, &[("returned", at("id")), ("parameter", line)], way);
            }
            2 => {
                let line = self.line(&format!("        {target} = WAYS[0].go({source});"));
                self.store(to, line, &[("returned", at("straight")), ("parameter", line)], way);
            }
            3 => {
                let line = self.line(&format!("        {target} = WAYS[1].go({source});"));
                let between = [
                    ("returned", at("back")),
                    ("assigned", at("super")),
                    ("returned", at("straight")),
                    ("parameter", at("super")),
                    ("assigned", at("bent")),
                    ("parameter", line),
                ];
                self.store(to, line, &between, way);
            }
            4 => {
                let depth = self.rng.below(4);
                let line = self.line(&format!("        {target} = rec({depth}, {source});"));
                let mut between = vec![("returned", at("outer")); depth];
                between.push(("returned", at("inner")));
                between.extend(vec![("parameter", at("outer")); depth]);
                between.push(("parameter", line));
                self.store(to, line, &between, way);
            }
            5 => {
                let (hand, place) = if self.rng.chance(50) { ("A", 5) } else { ("B", 7) };
                let line = self.line(&format!("        put({hand}, {source});"));
                self.ways[place] = [vec![("field", at("put")), ("parameter", line)], way].concat();
            }
            6 => {
                let line = self.line(&format!("        {target} = args.length == 0 ? {source} : 1;"));
                self.store(to, line, &[], way);
            }
            7 => {
                let line =
                    self.line(&format!("        {target} = args.length > 0 ? {source} : id({source});"));
                self.store(to, line, &[("returned", at("id")), ("parameter", line)], way);
            }
            8 => {
                let line = self.line(&format!("        {target} = (Integer) (Object) {source};"));
                self.store(to, line, &[], way);
            }
            9 => {
                let line = self.line(&format!("        {target} = fail({source});"));
                let between = [("returned", at("caught")), ("assigned", at("kept")), ("parameter", line)];
                self.store(to, line, &between, way);
            }
            10 => {
                let line = self.line(&format!("        {target} = make({});", self.text.len() % 3));
                self.store(to, line, &[("returned", at("make"))], Vec::new());
            }
            11 => {
                let line = self.line(&format!("        {target} = id(args.length + 7);"));
                let between = [("returned", at("id")), ("parameter", line), ("argument", line)];
                self.store(to, line, &between, Vec::new());
            }
            12 if to != from => {
                let line =
                    self.line(&format!("        for (int i = 0; i < 300; i++) {{ {target} = {source}; }}"));
                self.store(to, line, &[], way);
            }
            13 if to != from => {
                let line =
                    self.line(&format!("        {{ int x = {source}; {source} = {target}; {target} = x; }}"));
                let other = self.ways[to].clone();
                self.store(to, line, &[("assigned", line)], way);
                self.store(from, line, &[], other);
            }
            14 if to >= LOCALS && from >= LOCALS => {
                let line = self.line(&format!("        run(() -> {{ {target} = {source}; }});"));
                self.store(to, line, &[], way);
            }
            _ => {
                let line = self.line(&format!("        {target} = {source};"));
                self.store(to, line, &[], way);
            }
        }
    }

    fn compute(&mut self, to: usize) {
        // Few values, so that most ways carry equal ones.
        let value = self.rng.below(2) + 7;
        let line = self.line(&format!("        {} = args.length + {value};", PLACES[to].0));
        self.store(to, line, &[], Vec::new());
    }
}

fn made(seed: u64) -> Made {
    let mut maker =
        Maker { rng: Rng::new(seed), text: HEAD.to_owned(), ways: vec![Vec::new(); PLACES.len()] };
    maker.line("    public static void main(String[] args) throws Exception {");
    maker.line("        int a, b, c;");
    for to in 0..PLACES.len() {
        maker.compute(to);
    }
    for _ in 0..STATEMENTS {
        maker.statement();
    }
    let last_line =
        maker.line("        System.out.println(a + b + c + s + t + A.f + A.g + B.f + B.g + R[0] + R[2]);");
    maker.line("    }\n}");
    Made { text: maker.text, ways: maker.ways, last_line }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn the_way_of_every_value_is_the_one_it_took() {
    let first = number("QP_RANDOM_SEED", 1);
    let many = number("QP_RANDOM_ORIGINS", FEW);
    let mut steps = 0;
    for seed in first..first + many {
        steps += check(seed);
    }
    eprintln!("{many} programs, {steps} steps as they must be");
    assert!(steps > 20, "{steps}");
}

/// Gives the number of steps that were compared.
fn check(seed: u64) -> usize {
    let made = made(seed);
    let folder = scratch().join(format!("origins-{seed}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("Loop.java"), &made.text).unwrap();
    compile(&folder);
    let mut points = format!("(id: \"P\", at: Line(\"Loop\", {})),", made.last_line);
    for (n, (name, _)) in PLACES.iter().enumerate() {
        let _ = write!(points, "(id: \"O{n}\", at: Origin(\"P:{name}\")),");
    }
    let chain = format!(
        "(format: 1, debuggee: (command: [\"java\", \"-cp\", {folder:?}, \"Loop\"], sources: [{folder:?}], \
         timeout_s: 60), points: [{points}])"
    );
    let (code, answer) = replay(&chain_file(&format!("origins-{seed}.ron"), &chain), &[]);
    let told = || format!("seed {seed}\n{}\n{answer:#}", made.text);
    assert_eq!(code, 0, "{}", told());
    assert_eq!(answer["runs"], 2, "{}", told());
    let mut compared = 0;
    for (n, way) in made.ways.iter().enumerate() {
        let point = support::point(&answer, &format!("O{n}"));
        let found: Vec<(String, u64)> = steps(point);
        let wanted: Vec<(String, u64)> =
            way.iter().map(|(how, line)| ((*how).to_owned(), *line as u64)).collect();
        assert_eq!(found, wanted, "{} in seed {seed}\n{}\n{point:#}", PLACES[n].0, made.text);
        assert_eq!(point["line"], wanted.last().unwrap().1, "{} in seed {seed}", PLACES[n].0);
        assert_eq!(point["notes"], Value::Null, "{}", told());
        compared += way.len();
    }
    compared
}

fn steps(point: &Value) -> Vec<(String, u64)> {
    let steps = point["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    steps
        .iter()
        .map(|step| (step["passed"].as_str().unwrap().to_owned(), step["line"].as_u64().unwrap()))
        .collect()
}

fn compile(folder: &Path) {
    let output = Command::new("javac")
        .args(["-g", "-nowarn", "-d"])
        .arg(folder)
        .arg(folder.join("Loop.java"))
        .output();
    let output = output.expect("javac");
    assert!(output.status.success(), "{}", said(&output));
}
