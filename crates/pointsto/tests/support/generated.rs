//! Random Java programs that print where the objects that they see were created.

use bytecode::ClassFile;
use std::collections::BTreeSet;
use std::process::Command;

/// A generated program and what one run of it saw.
pub struct Generated {
    /// Its classes; the main one is `Gen`.
    pub classes: Vec<ClassFile>,
    /// Lines that saw an object, with the line that created it.
    pub seen: BTreeSet<(u32, u32)>,
}

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

struct Writer {
    random: Random,
    lines: Vec<String>,
    captured: usize,
}

const METHODS: u64 = 5;

const HEAD: &str = "class Gen {
    interface F { Object call(Object o); }
    static Object s0, s1, s2;
    static int calls;
    static void see(int line, Object o) {
        if (o instanceof A) System.out.println(line * 10000 + ((A) o).made);
    }
    static Object pick(Object a, Object b) { if (calls % 2 == 0) return a; return b; }";

impl Writer {
    fn line(&mut self, text: String) {
        self.lines.push(text);
    }

    fn body(&mut self) {
        let first = self.lines.len() + 1;
        self.line(format!("Object o0 = x, o1 = new A({first}), o2 = s0;"));
        let next = self.lines.len() + 1;
        self.line(format!("A a0 = y, a1 = new B({next});"));
        self.line("Object[] r0 = new Object[2], r1 = new A[2];".to_owned());
        self.line("F f0 = o -> o, f1 = f0;".to_owned());
        for _ in 0..16 {
            self.statement(2);
        }
        let result = self.random.below(3);
        self.line(format!("return o{result};"));
    }

    fn statement(&mut self, depth: u32) {
        let n = self.random.below(3);
        let m = self.random.below(3);
        let (a, b, f) = (self.random.below(2), self.random.below(2), self.random.below(2));
        let line = self.lines.len() + 1;
        let class = if self.random.below(2) == 0 { "A" } else { "B" };
        let text = match self.random.below(18) {
            0 => format!("o{n} = new {class}({line});"),
            1 => format!("a{a} = new {class}({line});"),
            2 => format!("a{a}.f = o{n};"),
            3 => format!("o{n} = a{a}.f;"),
            4 => format!("a{a}.g = a{b};"),
            5 => format!("if (a{a}.g != null) a{b} = a{a}.g;"),
            6 => format!("s{m} = o{n};"),
            7 => format!("o{n} = s{m};"),
            8 => format!("r0[{a}] = o{n};"),
            9 => format!("o{n} = r{f}[{a}];"),
            10 => format!("r1[{a}] = a{b};"),
            11 => format!("o{n} = a{a}.m(o{m});"),
            12 => {
                let callee = self.random.below(METHODS);
                format!("if (calls < 300) {{ calls++; o{n} = p{callee}(o{m}, a{a}); }}")
            }
            13 => {
                self.captured += 1;
                let c = self.captured;
                self.line(format!("final Object c{c} = o{m};"));
                format!("f{f} = z -> pick(z, c{c});")
            }
            14 => format!("f{f} = a{a}::m;"),
            15 => format!("o{n} = f{f}.call(o{m});"),
            16 => format!("if (o{n} instanceof {class}) a{a} = ({class}) o{n};"),
            _ if depth > 0 => {
                let i = self.lines.len();
                self.line(format!("for (int i{i} = 0; i{i} < 2; i{i}++) {{"));
                self.statement(depth - 1);
                self.statement(depth - 1);
                "}".to_owned()
            }
            _ => format!("r0 = r1; r1 = new Object[] {{ o{n} }};"),
        };
        self.line(text);
        let line = self.lines.len() + 1;
        self.line(format!("see({line}, o{n}); see({line}, a{a});"));
    }
}

/// Generates, compiles and runs the program of a seed.
pub fn generate(seed: u64) -> Generated {
    let mut writer = Writer { random: Random(seed), lines: Vec::new(), captured: 0 };
    HEAD.lines().for_each(|l| writer.line(l.to_owned()));
    for (class, extends) in [("A", ""), ("B", " extends A")] {
        writer.line(format!("static class {class}{extends} {{"));
        if class == "A" {
            writer.line("final int made; Object f; A g; A(int made) { this.made = made; }".to_owned());
        } else {
            writer.line("B(int made) { super(made); }".to_owned());
        }
        writer.line("Object m(Object x) { A y = this; if (calls++ > 300) return x;".to_owned());
        writer.body();
        writer.line("} }".to_owned());
    }
    for method in 0..METHODS {
        writer.line(format!("static Object p{method}(Object x, A y) {{"));
        writer.body();
        writer.line("}".to_owned());
    }
    writer.line("public static void main(String[] args) {".to_owned());
    for method in 0..METHODS {
        let line = writer.lines.len() + 1;
        writer.line(format!("p{method}(null, new A({line}));"));
    }
    writer.line("} }".to_owned());
    run(&writer.lines.join("\n"))
}

fn run(text: &str) -> Generated {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Gen.java");
    std::fs::write(&source, text).unwrap();
    let javac = super::javac(17).expect("a JDK of 17 or newer: install openjdk-17-jdk-headless");
    let output = Command::new(&javac).args(["-g", "-d"]).arg(folder.path()).arg(&source).output().unwrap();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let mut classes: Vec<ClassFile> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "class"))
        .map(|p| ClassFile::parse(&std::fs::read(p).unwrap()).unwrap())
        .collect();
    classes.sort_by(|a, b| a.name.cmp(&b.name));
    let java = javac.with_file_name("java");
    let output = Command::new(java).arg("-cp").arg(folder.path()).arg("Gen").output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let number = |l: &str| l.parse::<u32>().map(|n| (n / 10000, n % 10000)).unwrap();
    Generated { classes, seen: printed.lines().map(number).collect() }
}
