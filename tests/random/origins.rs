//! Checks the flow of values. Random Java programs only pass values on. The test generates them statement by
//! statement together with the steps that each adds. So it knows the whole path of the final value of every
//! variable, field and element without class files. Many of the values are equal, so no answer can be right
//! by its value alone.
//!
//! The same is asked of a run and of a recording.
//!
//! `QP_RANDOM_ORIGINS=200 cargo test --test random origins::` tries two hundred programs, and
//! `QP_RANDOM_SEED=17` begins with the 17th; a wrong answer prints its seed and program.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::javac::Javac;
use crate::support::rng::Rng;
use crate::support::{chain_file, finish, qp, replay, said, scratch};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Default number of programs.
const FEW: u64 = 6;
/// Statements of one program.
const STATEMENTS: usize = 60;
/// Maximum number of steps that `qp` follows.
const MOST: usize = 1000;

/// The types of a program's values, with an expression that computes one from an `int`, and the cast from
/// `Object`.
const TYPES: [(&str, &str, &str); 5] = [
    ("int", "N", "Integer"),
    ("long", "(N) * 3L", "Long"),
    ("double", "(N) / 2.0", "Double"),
    ("String", "\"v\" + (N)", "String"),
    ("Integer", "N", "Integer"),
];

/// The common beginning of programs, with T for the type; the steps below name its lines by their marks.
const HEAD: &str = "\
class Hand {
    T f;
    T g;
}
interface Way {
    T go(T v);
}
class Straight implements Way {
    public T go(T v) {
        return v; //straight
    }
}
class Bent extends Straight {
    @Override
    public T go(T v) {
        T w = v; //bent
        T again = super.go(w); //super
        return again; //back
    }
}
interface Any<X> {
    X any(X v);
}
class Own implements Any<OBJECT> {
    public OBJECT any(OBJECT v) {
        return v; //own
    }
}
class Held {
    private final T held;

    Held(T v) {
        this.held = v; //held
    }

    T get() {
        return held; //get
    }
}
class Loop {
    static boolean on = true;
    static T s;
    static T t;
    static final Hand A = new Hand();
    static final Hand B = new Hand();
    static final T[] R = new T[3];
    static final T[][] Q = {new T[2], new T[2]};
    static final Way[] WAYS = {new Straight(), new Bent()};
    static final Any<OBJECT> ANY = new Own();

    static T id(T v) {
        return v; //id
    }

    static T make(int n) {
        return COMPUTED; //make
    }

    static T rec(int n, T v) {
        if (n == 0) {
            return v; //inner
        }
        return rec(n - 1, v); //outer
    }

    static void put(Hand hand, T v) {
        hand.f = v; //put
    }

    static T fail(T v) {
        T kept = v; //kept
        try {
            if (on) {
                throw new IllegalStateException();
            }
        } catch (IllegalStateException e) {
            return kept; //caught
        }
        return make(0);
    }

    static T last(T v, T w) {
        if (on) {
            v = w; //again
        }
        return v; //last
    }

    static void run(Runnable body) throws Exception {
        Thread thread = new Thread(body, \"other\");
        thread.start();
        thread.join();
    }
";

/// The places that hold values: their Java expressions, and the names of stores into them.
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
/// Number of local variables among them.
const LOCALS: usize = 3;

/// A step: its kind and its line.
type Step = (&'static str, usize);

/// The steps of a value, the last one first.
type Way = Vec<Step>;

struct Made {
    text: String,
    /// The flow of each place's final value.
    ways: Vec<Way>,
    last_line: usize,
}

struct Maker {
    rng: Rng,
    of: (&'static str, &'static str, &'static str),
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
        match self.rng.below(22) {
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
                let line = self.line(&format!("        {target} = args.length == 0 ? {source} : make(1);"));
                self.store(to, line, &[], way);
            }
            7 => {
                let line =
                    self.line(&format!("        {target} = args.length > 0 ? {source} : id({source});"));
                self.store(to, line, &[("returned", at("id")), ("parameter", line)], way);
            }
            8 => {
                let line = self.line(&format!("        {target} = ({}) (Object) {source};", self.of.2));
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
                let computed = self.computed("args.length + 7");
                let line = self.line(&format!("        {target} = id({computed});"));
                let between = [("returned", at("id")), ("parameter", line), ("argument", line)];
                self.store(to, line, &between, Vec::new());
            }
            12 if to != from => {
                let line =
                    self.line(&format!("        for (int i = 0; i < 300; i++) {{ {target} = {source}; }}"));
                self.store(to, line, &[], way);
            }
            13 if to != from => {
                let line = self.line(&format!(
                    "        {{ {} x = {source}; {source} = {target}; {target} = x; }}",
                    self.of.0
                ));
                let other = self.ways[to].clone();
                self.store(to, line, &[("assigned", line)], way);
                self.store(from, line, &[], other);
            }
            15 => {
                let line = self.line(&format!("        {target} = ANY.any({source});"));
                self.store(to, line, &[("returned", at("own")), ("parameter", line)], way);
            }
            16 => {
                let line = self.line(&format!("        {target} = new Held({source}).get();"));
                let between = [("returned", at("get")), ("field", at("held")), ("parameter", line)];
                self.store(to, line, &between, way);
            }
            17 => {
                let line = self.line(&format!("        {target} = last(make(1), {source});"));
                let between = [("returned", at("last")), ("assigned", at("again")), ("parameter", line)];
                self.store(to, line, &between, way);
            }
            18 => {
                let of = self.of.2;
                let line = self.line(&format!(
                    "        {{ java.util.function.UnaryOperator<{of}> own = v -> v; {target} = own.apply({source}); }}"
                ));
                self.store(to, line, &[("returned", line), ("parameter", line)], way);
            }
            19 => {
                let of = self.of.2;
                let line = self.line(&format!(
                    "        {{ java.util.function.UnaryOperator<{of}> own = Loop::id; {target} = own.apply({source}); }}"
                ));
                self.store(to, line, &[("returned", at("id")), ("parameter", line)], way);
            }
            20 => {
                let line = self.line(&format!(
                    "        {target} = switch (args.length) {{ case 0 -> {source}; default -> make(2); }};"
                ));
                self.store(to, line, &[], way);
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

    fn computed(&self, number: &str) -> String {
        self.of.1.replace('N', number)
    }

    fn compute(&mut self, to: usize) {
        // Few different values, so that most flows carry equal ones.
        let value = self.rng.below(2) + 7;
        let computed = self.computed(&format!("args.length + {value}"));
        let line = self.line(&format!("        {} = {computed};", PLACES[to].0));
        self.store(to, line, &[], Vec::new());
    }
}

fn made(seed: u64) -> Made {
    let mut rng = Rng::new(seed);
    let of = *rng.pick(&TYPES);
    let text = HEAD.replace("COMPUTED", &of.1.replace('N', "n + 7")).replace("OBJECT", of.2);
    let lines: Vec<String> = text.lines().map(|line| typed(line, of.0)).collect();
    let mut maker = Maker { rng, of, text: lines.join("\n") + "\n", ways: vec![Vec::new(); PLACES.len()] };
    maker.line("    public static void main(String[] args) throws Exception {");
    maker.line(&format!("        {} a, b, c;", of.0));
    for to in 0..PLACES.len() {
        maker.compute(to);
    }
    for _ in 0..STATEMENTS {
        maker.statement();
    }
    let last_line =
        maker.line("        System.out.println(\"\" + a + b + c + s + t + A.f + A.g + B.f + B.g + R[0]);");
    maker.line("    }\n}");
    Made { text: maker.text, ways: maker.ways, last_line }
}

/// The line with the type for each T that is a word.
fn typed(line: &str, of: &str) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let chars: Vec<char> = line.chars().collect();
    let mut out = String::new();
    for (n, c) in chars.iter().enumerate() {
        let alone =
            *c == 'T' && !is_word(n.checked_sub(1).map(|n| chars[n])) && !is_word(chars.get(n + 1).copied());
        if alone { out.push_str(of) } else { out.push(*c) }
    }
    out
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

/// Returns the number of compared steps.
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
    let chain = chain_file(&format!("origins-{seed}.ron"), &chain);
    let recording = record(&folder);
    let mut compared = 0;
    for (options, runs) in [(vec![], 2), (vec!["--in", recording.to_str().unwrap()], 0)] {
        let (code, answer) = replay(&chain, &options);
        let told = || format!("seed {seed} {options:?}\n{}\n{answer:#}", made.text);
        assert_eq!(code, 0, "{}", told());
        assert_eq!(answer["runs"], runs, "{}", told());
        for (n, way) in made.ways.iter().enumerate() {
            let point = crate::support::point(&answer, &format!("O{n}"));
            let found: Vec<(String, u64)> = steps(point);
            let wanted: Vec<(String, u64)> =
                way.iter().map(|(how, line)| ((*how).to_owned(), *line as u64)).collect();
            assert_eq!(found, wanted, "{} in seed {seed} {options:?}\n{}\n{point:#}", PLACES[n].0, made.text);
            assert_eq!(point["line"], wanted.last().unwrap().1, "{} in seed {seed}", PLACES[n].0);
            assert_eq!(point["notes"], Value::Null, "{}", told());
            compared += way.len();
        }
    }
    compared
}

/// A recording of the program of a folder.
fn record(folder: &Path) -> PathBuf {
    let recording = folder.join("recorded");
    let mut record = qp();
    record.args(["trace", "record", "--level", "all", "--out"]).arg(&recording);
    let output = finish(record.args(["--", "java", "-cp"]).arg(folder).arg("Loop"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    recording
}

fn steps(point: &Value) -> Vec<(String, u64)> {
    let steps = point["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    steps
        .iter()
        .map(|step| (step["passed"].as_str().unwrap().to_owned(), step["line"].as_u64().unwrap()))
        .collect()
}

fn compile(folder: &Path) {
    Javac::new().args(["-g", "-nowarn", "-d"]).arg(folder).arg(folder.join("Loop.java")).run();
}
