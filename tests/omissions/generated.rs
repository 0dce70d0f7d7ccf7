//! Random programs: they make lists, a map, a text and an object with fields, and pass them through
//! parameters, fields and overrides. Each comes twice, with the same lines: as it is recorded, and with
//! probes that log what it does and can take a condition the other way (`Probe.java`).

use crate::support::rng::Rng;
use std::fmt::Write;

/// A generated program.
pub struct Program {
    /// Its source.
    pub source: String,
    /// The source with probes.
    pub probed: String,
    /// The conditions and switches by id: the line of each.
    pub conditions: Vec<usize>,
    /// The line at the end of `main`.
    pub end: usize,
    /// What can be wrong there.
    pub targets: Vec<Target>,
}

/// Something that can be wrong.
#[derive(Clone)]
pub struct Target {
    /// The expression.
    pub expression: &'static str,
    /// How the probes name it.
    pub label: &'static str,
    /// Its size, or itself; nothing if a recording cannot tell.
    pub size: &'static str,
}

/// What the statements of a method can use.
#[derive(Clone, Default)]
struct Scope {
    lists: Vec<String>,
    ints: Vec<String>,
    texts: Vec<String>,
    maps: Vec<String>,
    builders: Vec<String>,
    boxes: Vec<String>,
    /// The methods from this number on can be called.
    below: usize,
    loops: usize,
    is_static: bool,
}

/// Number of methods with numbers, each of which calls only later ones.
const METHODS: usize = 4;

struct Generator {
    rng: Rng,
    is_probed: bool,
    lines: Vec<String>,
    indent: usize,
    conditions: Vec<usize>,
    names: usize,
    /// Statements that are left for the method.
    budget: usize,
}

/// Generates the program of a seed.
pub fn program(seed: u64) -> Program {
    let mut plain = Generator::new(seed, false);
    let end = plain.all();
    let mut probed = Generator::new(seed, true);
    assert_eq!(probed.all(), end);
    assert_eq!(plain.conditions, probed.conditions);
    let target = |expression, label, size| Target { expression, label, size };
    let targets = vec![
        target("a", "a", "a.size()"),
        target("b", "b", "b.size()"),
        target("box.items", "box.items", "box.items.size()"),
        target("box.other", "box.other", "box.other.size()"),
        target("map", "map", "map.size()"),
        target("text", "text", ""),
        target("box.count", "box", "box.count"),
    ];
    let text = |lines: &[String]| lines.join("\n") + "\n";
    Program {
        source: text(&plain.lines),
        probed: text(&probed.lines),
        conditions: plain.conditions,
        end,
        targets,
    }
}

impl Generator {
    fn new(seed: u64, is_probed: bool) -> Generator {
        let rng = Rng::new(seed);
        Generator {
            rng,
            is_probed,
            lines: Vec::new(),
            indent: 0,
            conditions: Vec::new(),
            names: 0,
            budget: 0,
        }
    }

    fn here(&self) -> usize {
        self.lines.len() + 1
    }

    fn raw(&mut self, text: &str) {
        self.lines.push(format!("{}{text}", "    ".repeat(self.indent)));
    }

    /// A statement, or the head of one.
    fn put(&mut self, text: &str) {
        let probe = if self.is_probed { format!("Probe.line({}); ", self.here()) } else { String::new() };
        self.raw(&format!("{probe}{text}"));
    }

    /// An operation on an object.
    fn operation(&mut self, object: &str, text: &str) {
        let here = self.here();
        let probe = if self.is_probed { format!("Probe.op({here}, {object}); ") } else { String::new() };
        self.put(&format!("{probe}{text}"));
    }

    /// A condition on the current line.
    fn condition(&mut self, text: &str) -> String {
        let id = self.conditions.len();
        self.conditions.push(self.here());
        if self.is_probed { format!("Probe.c({id}, {text})") } else { text.to_owned() }
    }

    fn begin(&mut self, head: &str, name: &str) {
        let probe =
            if self.is_probed { format!(" int frame = Probe.in(\"{name}\"); try {{") } else { String::new() };
        self.raw(&format!("{head} {{{probe}"));
        self.indent += 1;
    }

    fn end(&mut self) {
        self.indent -= 1;
        self.raw(if self.is_probed { "} finally { Probe.out(frame); } }" } else { "}" });
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// The program. Returns the line at the end of `main`.
    fn all(&mut self) -> usize {
        self.raw("import java.util.*;");
        self.raw("public class Program {");
        self.indent += 1;
        self.boxes();
        self.begin("static void addTo(List<String> list, String word)", "addTo");
        if self.rng.chance(50) {
            let test = self.condition("word.length() > 9");
            self.put(&format!("if ({test}) {{ return; }}"));
        }
        self.operation("list", "list.add(word);");
        self.end();
        self.recursive();
        for n in 0..METHODS {
            let head = format!(
                "static void m{n}(List<String> p, List<String> q, Box box, Map<String, Integer> map, \
                 StringBuilder text, int x)"
            );
            let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
            let scope = Scope {
                lists: words(&["p", "q", "p", "q", "box.items", "box.other"]),
                ints: words(&["x", "x", "p.size()", "box.count", "map.size()", "text.length()"]),
                texts: Vec::new(),
                maps: words(&["map"]),
                builders: words(&["text"]),
                boxes: words(&["box"]),
                below: n + 1,
                loops: 0,
                is_static: true,
            };
            self.begin(&head, &format!("m{n}"));
            self.budget = 6 + self.rng.below(8);
            self.block(&scope, 3);
            self.end();
        }
        let end = self.main();
        self.indent -= 1;
        self.raw("}");
        end
    }

    fn boxes(&mut self) {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        let scope = Scope {
            lists: words(&["items", "items", "other"]),
            ints: words(&["count", "word.length()", "items.size()"]),
            texts: words(&["word"]),
            boxes: words(&["this"]),
            below: METHODS,
            is_static: false,
            ..Scope::default()
        };
        self.raw("static class Box {");
        self.indent += 1;
        self.raw("List<String> items = new ArrayList<>();");
        self.raw("List<String> other = new ArrayList<>();");
        self.raw("int count;");
        self.raw("boolean open;");
        self.begin("void put(String word)", "Box.put");
        self.budget = 4;
        self.block(&scope, 2);
        self.end();
        self.begin("void mark(List<String> list)", "Box.mark");
        self.operation("this", "count = count + 1;");
        self.end();
        self.indent -= 1;
        self.raw("}");
        self.raw("static class Bag extends Box {");
        self.indent += 1;
        if self.rng.chance(70) {
            self.begin("@Override void put(String word)", "Bag.put");
            self.budget = 4;
            self.block(&scope, 2);
            if self.rng.chance(50) {
                self.put("super.put(word);");
            }
            self.end();
        }
        self.begin("@Override void mark(List<String> list)", "Bag.mark");
        let test = self.condition("open");
        self.put(&format!("if ({test}) {{"));
        self.indent += 1;
        self.operation("list", "list.add(\"mark\");");
        self.indent -= 1;
        self.raw("}");
        self.end();
        self.indent -= 1;
        self.raw("}");
    }

    fn recursive(&mut self) {
        self.begin("static void deep(List<String> list, int depth)", "deep");
        let bound = self.rng.below(3);
        let test = self.condition(&format!("depth > {bound}"));
        self.put(&format!("if ({test}) {{"));
        self.indent += 1;
        self.put("deep(list, depth - 1);");
        self.indent -= 1;
        self.raw("}");
        let test = self.condition("depth % 2 == 1");
        self.put(&format!("if ({test}) {{"));
        self.indent += 1;
        self.operation("list", "list.add(\"deep\");");
        self.indent -= 1;
        self.raw("}");
        self.end();
    }

    fn main(&mut self) -> usize {
        self.begin("public static void main(String[] args)", "main");
        let class = *self.rng.pick(&["ArrayList", "Vector", "LinkedList"]);
        self.put("List<String> a = new ArrayList<>();");
        self.put(&format!("List<String> b = new {class}<>();"));
        let class = *self.rng.pick(&["Box", "Bag", "Bag"]);
        self.put(&format!("Box box = new {class}();"));
        self.put("Map<String, Integer> map = new HashMap<>();");
        self.put("StringBuilder text = new StringBuilder();");
        let mut names = String::new();
        if self.is_probed {
            let named = ["a", "b", "box.items", "box.other", "map", "text", "box"];
            named.iter().for_each(|name| write!(names, "Probe.name(\"{name}\", {name}); ").expect("written"));
        }
        let x = self.rng.below(10);
        self.put(&format!("{names}int x = {x};"));
        if self.rng.chance(40) {
            self.put("box.other = a;");
        }
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        let scope = Scope {
            lists: words(&["a", "b", "box.items", "box.other"]),
            ints: words(&["x", "x", "a.size()", "box.count"]),
            texts: Vec::new(),
            maps: words(&["map"]),
            builders: words(&["text"]),
            boxes: words(&["box"]),
            below: 0,
            loops: 0,
            is_static: false,
        };
        for _ in 0..3 + self.rng.below(3) {
            let n = self.rng.below(METHODS);
            let call = self.call_of(&scope, n);
            self.guarded(&call);
            self.budget = 2 + self.rng.below(3);
            self.statement(&scope, 2);
        }
        let end = self.here();
        let shown = "System.out.println(a + \"|\" + b + \"|\" + box.items + \"|\" + map + \"|\" + text);";
        let mut probes = String::new();
        if self.is_probed {
            for label in ["a", "b", "box.items", "box.other", "map", "text", "box"] {
                let shown = if label == "box" { "box.count" } else { label };
                write!(probes, "Probe.end(\"{label}\", {label}, {shown}); ").expect("written");
            }
        }
        self.put(&format!("{probes}{shown}"));
        self.end();
        end
    }

    /// A call, often within a `try`.
    fn guarded(&mut self, call: &str) {
        if self.rng.chance(60) {
            self.put("try {");
            self.indent += 1;
            self.put(call);
            self.indent -= 1;
            self.caught();
            self.put("box.open = !box.open;");
            self.indent -= 1;
            self.raw("}");
        } else {
            self.put(call);
        }
    }

    fn caught(&mut self) {
        let e = self.fresh("e");
        let probe = if self.is_probed { " Probe.handler();" } else { "" };
        self.raw(&format!("}} catch (IllegalStateException {e}) {{{probe}"));
        self.indent += 1;
    }

    fn block(&mut self, scope: &Scope, depth: usize) {
        let mut scope = scope.clone();
        for _ in 0..1 + self.rng.below(3) {
            if self.rng.chance(15) {
                let name = self.fresh("v");
                let (of, n) = (self.rng.pick(&scope.ints).clone(), self.rng.below(5));
                self.put(&format!("int {name} = {of} + {n};"));
                scope.ints.push(name);
            }
            if self.rng.chance(10) {
                let name = self.fresh("r");
                let of = self.rng.pick(&scope.lists).clone();
                self.put(&format!("List<String> {name} = {of};"));
                scope.lists.push(name);
            }
            self.statement(&scope, depth);
        }
    }

    fn statement(&mut self, scope: &Scope, depth: usize) {
        if self.budget == 0 || depth == 0 {
            return self.simple(scope);
        }
        self.budget -= 1;
        match self.rng.below(13) {
            0..=3 => self.choice(scope, depth),
            4 => self.switch(scope, depth),
            5 => self.counted(scope, depth),
            6 => self.repeated(scope, depth),
            7 => self.trying(scope, depth),
            8 => {
                let test = self.test(scope);
                let test = self.condition(&test);
                let way = match self.rng.below(3) {
                    0 if scope.loops > 0 => "break;",
                    1 if scope.loops > 0 => "continue;",
                    // In `main` that would be the end of the program.
                    _ if scope.below == 0 => "x += 1;",
                    _ => "return;",
                };
                self.put(&format!("if ({test}) {{"));
                self.indent += 1;
                self.put(way);
                self.indent -= 1;
                self.raw("}");
                self.simple(scope);
            }
            _ => self.simple(scope),
        }
    }

    fn test(&mut self, scope: &Scope) -> String {
        let (int, n) = (self.rng.pick(&scope.ints).clone(), self.rng.below(8));
        match self.rng.below(7) {
            0 => format!("{}.isEmpty()", self.rng.pick(&scope.lists)),
            1 if !scope.boxes.is_empty() => format!("{}.open", self.rng.pick(&scope.boxes)),
            2 if !scope.boxes.is_empty() => format!("!{}.open", self.rng.pick(&scope.boxes)),
            3 => format!("{int} % 2 == {}", n % 2),
            4 => format!("{int} != {n}"),
            5 if !scope.texts.is_empty() => format!("{}.startsWith(\"w\")", self.rng.pick(&scope.texts)),
            _ => format!("{int} {} {n}", self.rng.pick(&["<", ">", ">=", "=="])),
        }
    }

    fn choice(&mut self, scope: &Scope, depth: usize) {
        let test = self.test(scope);
        let test = self.condition(&test);
        self.put(&format!("if ({test}) {{"));
        self.indent += 1;
        self.block(scope, depth - 1);
        self.indent -= 1;
        if self.rng.chance(40) {
            self.raw("} else {");
            self.indent += 1;
            self.block(scope, depth - 1);
            self.indent -= 1;
        }
        self.raw("}");
    }

    fn switch(&mut self, scope: &Scope, depth: usize) {
        let id = self.conditions.len();
        self.conditions.push(self.here());
        let of = self.rng.pick(&scope.ints).clone();
        let labels = 2 + self.rng.below(2);
        let by = if self.rng.chance(30) { 100 } else { 1 };
        let keys: Vec<String> = (0..labels).map(|n| (n * by).to_string()).collect();
        let value = format!("{of} % {}", labels + 1);
        let head =
            if self.is_probed { format!("Probe.s({id}, {value}, {})", keys.join(", ")) } else { value };
        self.put(&format!("switch ({head}) {{"));
        self.indent += 1;
        let mut ways: Vec<String> = keys.iter().map(|key| format!("case {key}:")).collect();
        if self.rng.chance(60) {
            ways.push("default:".to_owned());
        }
        for way in ways {
            self.raw(&way);
            self.indent += 1;
            self.raw("{");
            self.indent += 1;
            self.block(scope, depth - 1);
            self.indent -= 1;
            self.raw("}");
            if self.rng.chance(80) {
                self.put("break;");
            }
            self.indent -= 1;
        }
        self.indent -= 1;
        self.raw("}");
    }

    fn counted(&mut self, scope: &Scope, depth: usize) {
        let i = self.fresh("i");
        let bound = if self.rng.chance(50) {
            self.rng.below(4).to_string()
        } else {
            format!("{} % 3", self.rng.pick(&scope.ints))
        };
        let test = self.condition(&format!("{i} < {bound}"));
        self.put(&format!("for (int {i} = 0; {test}; {i}++) {{"));
        let mut scope = scope.clone();
        scope.loops += 1;
        scope.ints.push(i);
        self.indent += 1;
        self.block(&scope, depth - 1);
        self.indent -= 1;
        self.raw("}");
    }

    fn repeated(&mut self, scope: &Scope, depth: usize) {
        let w = self.fresh("w");
        let of = self.rng.pick(&scope.ints).clone();
        self.put(&format!("int {w} = {of} % 4;"));
        let test = self.condition(&format!("{w} > 1"));
        self.put(&format!("while ({test}) {{"));
        self.indent += 1;
        self.put(&format!("{w}--;"));
        let mut scope = scope.clone();
        scope.loops += 1;
        scope.ints.push(w);
        self.block(&scope, depth - 1);
        self.indent -= 1;
        self.raw("}");
    }

    fn trying(&mut self, scope: &Scope, depth: usize) {
        self.put("try {");
        self.indent += 1;
        self.block(scope, depth - 1);
        let test = self.test(scope);
        let test = self.condition(&test);
        self.put(&format!("if ({test}) {{"));
        self.indent += 1;
        self.put("throw new IllegalStateException();");
        self.indent -= 1;
        self.raw("}");
        self.block(scope, depth - 1);
        self.indent -= 1;
        self.caught();
        self.block(scope, depth - 1);
        self.indent -= 1;
        self.raw("}");
    }

    fn call_of(&mut self, scope: &Scope, n: usize) -> String {
        let (p, q) = (self.rng.pick(&scope.lists).clone(), self.rng.pick(&scope.lists).clone());
        let (int, plus) = (self.rng.pick(&scope.ints).clone(), self.rng.below(6));
        format!("m{n}({p}, {q}, box, map, text, {int} + {plus});")
    }

    fn simple(&mut self, scope: &Scope) {
        let list = self.rng.pick(&scope.lists).clone();
        let word = format!("\"{}{}\"", self.rng.pick(&["w", "u", "longer word "]), self.rng.below(5));
        let int = self.rng.pick(&scope.ints).clone();
        let first = scope.boxes.first().cloned();
        match (self.rng.below(20), first) {
            (0 | 1, _) => self.operation(&list, &format!("{list}.add({word});")),
            (2, _) => self.operation(&list, &format!("{list}.remove({word});")),
            (3, _) => self.operation(&list, &format!("{list}.clear();")),
            (4..=6, _) => self.put(&format!("addTo({list}, {word});")),
            (7 | 8, _) if scope.below < METHODS => {
                let n = scope.below + self.rng.below(METHODS - scope.below);
                let call = self.call_of(scope, n);
                self.put(&call);
            }
            (9, Some(of)) if scope.below < METHODS => self.put(&format!("{of}.put({word});")),
            (10, Some(of)) => self.put(&format!("{of}.mark({list});")),
            (11 | 12, Some(of)) => self.operation(&of, &format!("{of}.count = {int} + 1;")),
            (13, Some(of)) => self.put(&format!("{of}.open = !{of}.open;")),
            (14, Some(of)) if self.rng.chance(40) => self.put(&format!("{of}.other = {list};")),
            (15, _) => self.put(&format!("deep({list}, {int} % 4);")),
            (16, _) if !scope.maps.is_empty() => {
                let map = self.rng.pick(&scope.maps).clone();
                self.operation(&map, &format!("{map}.put({word}, {int});"));
            }
            (17, _) if !scope.builders.is_empty() => {
                let text = self.rng.pick(&scope.builders).clone();
                self.operation(&text, &format!("{text}.append({word});"));
            }
            (18, _) => {
                let other = self.rng.pick(&scope.lists).clone();
                self.operation(&list, &format!("{list}.addAll(new ArrayList<>({other}));"));
            }
            (19, _) => self.operation(&list, &format!("Collections.reverse({list});")),
            (_, _) if scope.is_static && self.rng.chance(20) => {
                let test = self.condition(&format!("{int} == 7"));
                self.put(&format!("if ({test}) {{"));
                self.indent += 1;
                self.put("throw new IllegalStateException();");
                self.indent -= 1;
                self.raw("}");
            }
            _ => self.operation(&list, &format!("{list}.add({word});")),
        }
    }
}
