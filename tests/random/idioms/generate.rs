//! Programs with common idioms: statements with values over several lines, lambdas, streams, resources,
//! iterators, pattern matching, local and anonymous classes, assertions.

use super::library::{IMPORTS, TYPES};
use super::writer::Writer;
use crate::support::rng::Rng;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Int,
    Long,
    Bool,
    Text,
}

impl Ty {
    pub fn java(self) -> &'static str {
        match self {
            Ty::Int => "int",
            Ty::Long => "long",
            Ty::Bool => "boolean",
            Ty::Text => "String",
        }
    }

    /// The last letter of its log methods.
    pub fn letter(self) -> &'static str {
        match self {
            Ty::Int => "i",
            Ty::Long => "l",
            Ty::Bool => "b",
            Ty::Text => "t",
        }
    }

    /// The value of a field that was never written.
    pub fn default(self) -> &'static str {
        match self {
            Ty::Int => "0",
            Ty::Long => "0L",
            Ty::Bool => "false",
            Ty::Text => "null",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Var {
    pub id: u32,
    pub name: String,
    pub ty: Ty,
    /// Whether it is assigned only once, so that a lambda can read it.
    pub stable: bool,
    /// The depth of the lambda or class body that declares it.
    pub body: usize,
}

/// A statement to ask questions from.
#[derive(Clone, Debug)]
pub struct Root {
    pub line: u32,
    /// Variables of its own frame that have a value.
    pub vars: Vec<Var>,
    /// Line of the condition that decides whether it is reached; none if only the whole program shows that.
    pub decided: Option<Decided>,
}

/// A condition around a statement.
#[derive(Clone, Debug)]
pub struct Decided {
    pub id: u32,
    pub line: u32,
    /// Whether its outcome is `true` or `false`.
    pub has_ways: bool,
}

/// The static fields, and those of `Acc`, by name.
pub const STATICS: [(&str, Ty); 4] = [("s0", Ty::Int), ("s1", Ty::Long), ("s2", Ty::Bool), ("s3", Ty::Text)];
pub const MEMBERS: [(&str, Ty); 2] = [("total", Ty::Int), ("name", Ty::Text)];

pub struct Program {
    pub seed: u64,
    pub class: String,
    pub plain: String,
    pub logged: String,
    pub roots: Vec<Root>,
    /// Variables by number: the name, and the line of the declaration.
    pub vars: HashMap<u32, (String, u32)>,
    /// Statements that take several lines without a choice: first line to last line.
    pub spans: HashMap<u32, u32>,
    pub assertions: bool,
}

pub struct Generator {
    pub rng: Rng,
    pub class: String,
    pub w: Writer,
    ids: u32,
    pub scope: Vec<Var>,
    /// Depth of lambda and class bodies.
    pub body: usize,
    pub depth: usize,
    statements: usize,
    /// The conditions around the statement, innermost last; none where a body begins, or where an assertion
    /// also decides.
    pub around: Vec<Option<Decided>>,
    roots: Vec<Root>,
    pub vars: HashMap<u32, (String, u32)>,
    spans: HashMap<u32, u32>,
    /// The callable methods.
    methods: Vec<String>,
    /// Whether loops and lambdas can repeat the statement, which would multiply calls of methods.
    pub repeated: usize,
}

pub fn generate(seed: u64) -> Program {
    let mut g = Generator {
        rng: Rng::new(seed ^ 0x1d10),
        class: format!("I{seed}"),
        w: Writer::default(),
        ids: 0,
        scope: Vec::new(),
        body: 0,
        depth: 0,
        statements: 0,
        around: Vec::new(),
        roots: Vec::new(),
        vars: HashMap::new(),
        spans: HashMap::new(),
        methods: Vec::new(),
        repeated: 0,
    };
    g.program();
    let (plain, logged) = g.w.texts();
    let assertions = g.rng.chance(50);
    Program { seed, class: g.class, plain, logged, roots: g.roots, vars: g.vars, spans: g.spans, assertions }
}

impl Generator {
    pub fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    pub fn fresh(&mut self, prefix: &str) -> String {
        format!("{prefix}{}", self.id())
    }

    /// The variables that an expression here can name.
    pub fn readable(&self) -> impl Iterator<Item = &Var> {
        self.scope.iter().filter(|var| var.body == self.body || var.stable)
    }

    /// A callable method, where a call does not repeat too often.
    pub fn callable(&mut self) -> Option<String> {
        (self.repeated == 0 && !self.methods.is_empty()).then(|| self.rng.pick(&self.methods).clone())
    }

    fn program(&mut self) {
        self.w.both(IMPORTS);
        let class = self.class.clone();
        self.w.both(&format!("public class {class} {{"));
        self.w.indent += 1;
        TYPES.lines().for_each(|line| self.w.both(line));
        self.acc();
        let line = self.w.line();
        let first = |letter: &str, field: &str, value: &str| {
            format!("Log.w{letter}(null, \"{field}\", {line}, {value})")
        };
        self.w.whole(
            "static int s0 = 1; static long s1 = 2L; static boolean s2 = true; static String s3 = \"a\";",
            &format!(
                "static int s0 = {}; static long s1 = {}; static boolean s2 = {}; static String s3 = {};",
                first("i", "s0", "1"),
                first("l", "s1", "2L"),
                first("b", "s2", "true"),
                first("t", "s3", "\"a\"")
            ),
        );
        self.w.whole(
            "static final Acc acc = new Acc(\"a\"); static final Acc other = new Acc(\"b\");",
            "static final Acc acc = new Acc(\"a\"); static final Acc other = new Acc(\"b\"); static { Log.named(acc, \"acc\"); Log.named(other, \"other\"); }",
        );
        for number in 0..2 + self.rng.below(2) {
            self.method(number);
        }
        self.w.whole(
            "public static void main(String[] args) throws Exception {",
            "public static void main(String[] args) throws Exception { Log.in(); try {",
        );
        self.around.push(None);
        self.statements = 0;
        self.block(12);
        self.around.pop();
        self.w.whole("}", "} finally { Log.out(); } }");
        self.w.indent -= 1;
        self.w.both("}");
    }

    fn acc(&mut self) {
        self.w.both("static final class Acc {");
        self.w.indent += 1;
        self.w.both("int total;");
        self.w.both("String name;");
        let line = self.w.line();
        self.w.whole(
            "Acc(String name) { this.name = name; }",
            &format!(
                "Acc(String name) {{ Log.in(); this.name = Log.wt(this, \"name\", {line}, name); Log.out(); }}"
            ),
        );
        let line = self.w.line();
        self.w.whole(
            "Acc add(int n) { total += n; return this; }",
            &format!("Acc add(int n) {{ Log.in(); total = Log.wi(this, \"total\", {line}, total + n); Log.out(); return this; }}"),
        );
        self.w.indent -= 1;
        self.w.both("}");
    }

    /// `static int mN(int a, String b)`, which ends with a value over several lines.
    fn method(&mut self, number: usize) {
        let scope = self.scope.len();
        let [a, b] = [("a", Ty::Int), ("b", Ty::Text)].map(|(name, ty)| Var {
            id: 0,
            name: name.into(),
            ty,
            stable: true,
            body: self.body,
        });
        let header = format!("static int m{number}(int a, String b) {{");
        self.w.whole(&header, &format!("{header} Log.in(); try {{"));
        self.scope.extend([a, b]);
        self.around.push(None);
        self.statements = 0;
        self.block(4);
        self.around.pop();
        self.w.indent += 1;
        self.w.same("return ");
        self.value(Ty::Int, 2, false);
        self.w.same(";");
        self.w.end();
        self.w.indent -= 1;
        self.w.whole("}", "} finally { Log.out(); } }");
        self.scope.truncate(scope);
        self.methods.push(format!("m{number}"));
    }

    /// A block of statements; their declarations end with it.
    pub fn block(&mut self, count: usize) {
        let scope = self.scope.len();
        self.w.indent += 1;
        self.depth += 1;
        for _ in 0..count {
            self.statement();
        }
        // The class file does not name the variable declared last.
        self.mark();
        self.depth -= 1;
        self.w.indent -= 1;
        self.scope.truncate(scope);
    }

    /// A block guarded by a condition.
    pub fn decided(&mut self, by: Option<Decided>, count: usize) {
        self.around.push(by);
        self.block(count);
        // An assertion inside also decides about the code that follows outside.
        if self.around.pop().is_some_and(|by| by.is_none())
            && let Some(outer) = self.around.last_mut()
        {
            *outer = None;
        }
    }

    fn root(&mut self, line: u32) {
        let vars = self.scope.iter().filter(|var| var.body == self.body && var.id > 0).cloned().collect();
        let decided = self.around.last().cloned().flatten();
        self.roots.push(Root { line, vars, decided });
    }

    /// A statement that does nothing: a point to ask from.
    fn mark(&mut self) {
        let line = self.w.line();
        self.root(line);
        self.w.whole("mark();", &format!("Log.l({line}); mark();"));
    }

    fn statement(&mut self) {
        self.statements += 1;
        let deep = self.depth > 3 || self.statements > 22;
        match self.rng.below(if deep { 46 } else { 100 }) {
            0..16 => self.declare(),
            16..24 => self.assign(),
            24..36 => self.set_static(),
            36..42 => self.add(),
            42..44 => self.library_call(),
            44..46 => self.assertion(),
            46..56 => self.branch(),
            56..66 => self.each(),
            66..76 => self.lambda(),
            76..82 => self.resource(),
            82..90 => self.switch(),
            90..95 => self.local_class(),
            _ => self.collection(),
        }
    }

    fn ty(&mut self) -> Ty {
        *self.rng.pick(&[Ty::Int, Ty::Int, Ty::Int, Ty::Long, Ty::Bool, Ty::Text])
    }

    /// `before` + a value + `after` as one statement; a question can be asked from it where it is a plain
    /// line.
    fn store(&mut self, ty: Ty, before: (&str, &str), after: (&str, &str)) {
        let first = self.w.line();
        let before_logged = format!("Log.l({first}); {}", before.1);
        if self.rng.chance(55) {
            let value = self.expr(ty, 2);
            if !value.contains("->") && !value.contains("::") {
                self.root(first);
            }
            self.w.put(
                &format!("{}{value}{}", before.0, after.0),
                &format!("{before_logged}{value}{}", after.1),
            );
            self.w.end();
            return;
        }
        self.w.put(before.0, &before_logged);
        self.value(ty, 2, false);
        self.w.put(after.0, after.1);
        let last = self.w.line();
        self.w.end();
        self.spans.insert(first, last);
    }

    fn declare(&mut self) {
        let (ty, id, line) = (self.ty(), self.id(), self.w.line());
        let (name, stable) = (format!("x{id}"), self.rng.chance(50));
        let (java, letter) = (ty.java(), ty.letter());
        self.store(
            ty,
            (&format!("{java} {name} = "), &format!("{java} {name} = Log.s{letter}({id}, {line}, ")),
            (";", ");"),
        );
        self.vars.insert(id, (name.clone(), line));
        self.scope.push(Var { id, name, ty, stable, body: self.body });
    }

    fn assign(&mut self) {
        let free: Vec<Var> =
            self.scope.iter().filter(|v| v.body == self.body && !v.stable && v.id > 0).cloned().collect();
        if free.is_empty() {
            return self.set_static();
        }
        let var = self.rng.pick(&free).clone();
        let (name, id, line) = (&var.name, var.id, self.w.line());
        if var.ty == Ty::Int && self.rng.chance(25) {
            self.root(line);
            return self.w.whole(
                &format!("{name}++;"),
                &format!("Log.l({line}); {name} = Log.si({id}, {line}, {name} + 1);"),
            );
        }
        let (plain, logged) =
            (format!("{name} = "), format!("{name} = Log.s{}({id}, {line}, ", var.ty.letter()));
        self.store(var.ty, (&plain, &logged), (";", ");"));
    }

    fn set_static(&mut self) {
        let (name, ty) = *self.rng.pick(&STATICS);
        let line = self.w.line();
        let (plain, logged) =
            (format!("{name} = "), format!("{name} = Log.w{}(null, \"{name}\", {line}, ", ty.letter()));
        self.store(ty, (&plain, &logged), (";", ");"));
    }

    /// A call that changes an object, or chained ones over several lines, or a write to its field.
    fn add(&mut self) {
        let line = self.w.line();
        let object = *self.rng.pick(&["acc", "other"]);
        match self.rng.below(3) {
            0 => {
                let value = self.expr(Ty::Int, 1);
                self.w.whole(
                    &format!("{object}.add({value});"),
                    &format!("Log.l({line}); {object}.add({value});"),
                );
            }
            1 => {
                self.w.put(object, &format!("Log.l({line}); {object}"));
                self.w.end();
                for last in [false, true] {
                    let text = format!("    .add({}){}", self.expr(Ty::Int, 1), if last { ";" } else { "" });
                    self.w.both(&text);
                }
            }
            _ => {
                let (name, ty) = *self.rng.pick(&MEMBERS);
                self.store(
                    ty,
                    (
                        &format!("{object}.{name} = "),
                        &format!("{object}.{name} = Log.w{}({object}, \"{name}\", {line}, ", ty.letter()),
                    ),
                    (";", ");"),
                );
            }
        }
    }

    /// Calls whose results vary between runs, or depend on object identity; no question depends on them.
    fn library_call(&mut self) {
        let line = self.w.line();
        let call = match self.rng.below(3) {
            0 => format!("order({});", self.small(6)),
            1 => "chance();".to_owned(),
            _ => "seen = (Supplier<Integer>) () -> s0;".to_owned(),
        };
        self.w.whole(&call, &format!("Log.l({line}); {call}"));
    }
}
