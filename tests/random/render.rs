//! Writes a program as Java twice on the same lines: plain, and with a log of all that happens. Gives each statement
//! its line.

use super::ast::{Block, Expr, FIELDS, Kind, Method, Op, Part, Program, Stmt, Ty};

/// What the logging text needs besides the program: prints one line per event when the program ends.
pub const LOG: &str = r#"
import java.util.ArrayList;
import java.util.IdentityHashMap;

final class Log {
    static final StringBuilder out = new StringBuilder();
    static final IdentityHashMap<Object, Integer> ids = new IdentityHashMap<>();
    static final ArrayList<Integer> stack = new ArrayList<>();
    static int acts;
    static int events;
    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> { System.out.print(out); System.out.flush(); }));
    }
    static int act() { return stack.isEmpty() ? 0 : stack.get(stack.size() - 1); }
    static void put(String line) {
        if (++events > 2500) {
            System.out.println("LONG");
            System.out.flush();
            Runtime.getRuntime().halt(3);
        }
        out.append(line).append('\n');
    }
    static String v(int x) { return "" + x; }
    static String v(long x) { return x + "L"; }
    static String v(boolean x) { return "" + x; }
    static String v(Object x) {
        if (x == null) return "null";
        if (x instanceof String) return "\"" + x + "\"";
        Integer id = ids.get(x);
        if (id == null) { id = ids.size() + 1; ids.put(x, id); }
        return "@" + id;
    }
    static void enter(int method, String... values) {
        int parent = act();
        stack.add(++acts);
        put("E " + acts + " " + parent + " " + method + " " + String.join(" ", values));
    }
    static void exit() { put("X " + act()); stack.remove(stack.size() - 1); }
    static boolean l(int line) { put("L " + act() + " " + line); return true; }
    static boolean b(int id, boolean way) { put("B " + act() + " " + id + " " + (way ? 1 : 0)); return way; }
    static int c(int id, int way) { put("B " + act() + " " + id + " " + way); return way; }
    static int s(int var, int line, int x) { put("S " + act() + " " + var + " " + line + " " + v(x)); return x; }
    static long sl(int var, int line, long x) { put("S " + act() + " " + var + " " + line + " " + v(x)); return x; }
    static boolean s(int var, int line, boolean x) { put("S " + act() + " " + var + " " + line + " " + v(x)); return x; }
    static <T> T s(int var, int line, T x) { put("S " + act() + " " + var + " " + line + " " + v(x)); return x; }
    static void w(Object owner, int field, int line, String old, String now) {
        put("W " + act() + " " + v(owner) + " " + field + " " + line + " " + old + " " + now);
    }
    static boolean i(Object owner, int field, int line, String now) {
        put("I " + act() + " " + v(owner) + " " + field + " " + line + " - " + now);
        return true;
    }
    static void h(int id, Object exception) { put("H " + act() + " " + id + " " + v(exception)); }
}
"#;

/// Both texts.
#[derive(Default)]
struct Writer {
    seed: u64,
    plain: Vec<String>,
    logged: Vec<String>,
    indent: usize,
}

/// The text of the plain and of the logging program.
pub fn render(program: &mut Program) -> (String, String) {
    let mut w = Writer { seed: program.seed, ..Writer::default() };
    for of_object in [true, false] {
        let class = program.class_of(of_object);
        w.both(&format!("{}class {class} {{", if of_object { "" } else { "public " }));
        w.indent += 1;
        for (number, field) in FIELDS.iter().enumerate().filter(|(_, f)| f.of_object == of_object) {
            let ty = w.ty(field.ty);
            let modifier = if field.is_static { "static " } else { "" };
            let plain = match field.init {
                Some(value) => format!("{modifier}{ty} {} = {value};", field.name),
                None => format!("{modifier}{ty} {};", field.name),
            };
            let owner = if field.is_static { "null" } else { "this" };
            let logged = match field.init {
                Some(value) => format!(
                    "{modifier}boolean log{number} = Log.i({owner}, {number}, {}, Log.v({value})); {plain}",
                    w.next()
                ),
                None => plain.clone(),
            };
            w.line(&plain, &logged);
        }
        for number in 0..program.methods.len() {
            if program.methods[number].of_object == of_object {
                w.method(number, &mut program.methods[number], &class);
            }
        }
        w.indent -= 1;
        w.both("}");
    }
    let text = |lines: &[String]| (lines.join("\n") + "\n").replace('#', &program.seed.to_string());
    (text(&w.plain), text(&w.logged))
}

impl Writer {
    fn next(&self) -> u32 {
        u32::try_from(self.plain.len() + 1).expect("small")
    }

    fn line(&mut self, plain: &str, logged: &str) -> u32 {
        let space = "    ".repeat(self.indent);
        let line = self.next();
        self.plain.push(format!("{space}{plain}"));
        self.logged.push(format!("{space}{logged}"));
        line
    }

    fn both(&mut self, text: &str) -> u32 {
        self.line(text, text)
    }

    fn ty(&self, ty: Ty) -> String {
        match ty {
            Ty::Int => "int".into(),
            Ty::Long => "long".into(),
            Ty::Bool => "boolean".into(),
            Ty::Text => "String".into(),
            Ty::Obj => format!("O{}", self.seed),
        }
    }

    fn method(&mut self, number: usize, method: &mut Method, class: &str) {
        let params: Vec<String> =
            method.params.iter().map(|p| format!("{} {}", self.ty(p.ty), p.name)).collect();
        let params = if method.name == "main" { "String[] args".to_owned() } else { params.join(", ") };
        let result = method.result.map_or_else(|| "void".to_owned(), |t| self.ty(t));
        let header = if method.is_constructor() {
            format!("{class}({params}) {{")
        } else {
            let modifiers = match (method.name == "main", method.is_static) {
                (true, _) => "public static ",
                (_, true) => "static ",
                _ => "",
            };
            format!("{modifiers}{result} {}({params}) {{", method.name)
        };
        let values: String = method.params.iter().map(|p| format!(", Log.v({})", p.name)).collect();
        method.line = self.line(&header, &format!("{header} Log.enter({number}{values}); try {{"));
        self.block(&mut method.body);
        self.line("}", "} finally { Log.exit(); } }");
    }

    fn block(&mut self, block: &mut Block) {
        self.indent += 1;
        for stmt in block {
            self.stmt(stmt);
        }
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        let line = self.next();
        stmt.line = line;
        match &mut stmt.kind {
            Kind::Declare { var, value: None } => {
                let text = format!("{} {};", self.ty(var.ty), var.name);
                self.both(&text);
            }
            Kind::Declare { var, value: Some(value) } => {
                let (ty, name) = (self.ty(var.ty), &var.name);
                let store = store(var.ty, var.id, line, &expr(value, true));
                self.line(
                    &format!("{ty} {name} = {};", expr(value, false)),
                    &format!("Log.l({line}); {ty} {name} = {store};"),
                );
            }
            Kind::Assign { var, op, value, .. } => {
                let name = &var.name;
                let plain = match op {
                    Op::Set => format!("{name} = {};", expr(value, false)),
                    Op::Add => format!("{name} += {};", expr(value, false)),
                    Op::Inc => format!("{name}++;"),
                };
                let logged = match op {
                    Op::Set => expr(value, true),
                    Op::Add => format!("{name} + {}", expr(value, true)),
                    Op::Inc => format!("{name} + 1"),
                };
                let store = store(var.ty, var.id, line, &logged);
                self.line(&plain, &format!("Log.l({line}); {name} = {store};"));
            }
            Kind::SetField { field, owner, op, value } => {
                let (plain, logged) = self.set_field(*field, owner.as_ref(), *op, value, line);
                self.line(&plain, &logged);
            }
            Kind::Run(call) => {
                self.line(
                    &format!("{};", expr(call, false)),
                    &format!("Log.l({line}); {};", expr(call, true)),
                );
            }
            Kind::If { cond, then, other } => {
                self.line(
                    &format!("if ({}) {{", expr(cond, false)),
                    &format!("Log.l({line}); if ({}) {{", expr(cond, true)),
                );
                self.block(then);
                if let Some(other) = other {
                    self.both("} else {");
                    self.block(other);
                }
                self.both("}");
            }
            Kind::While { label, cond, body } => {
                match cond {
                    Some(cond) => self.line(
                        &format!("l{label}: while ({}) {{", expr(cond, false)),
                        &format!("l{label}: while (Log.l({line}) && ({})) {{", expr(cond, true)),
                    ),
                    None => self.both(&format!("l{label}: while (true) {{")),
                };
                self.block(body);
                self.both("}");
            }
            Kind::Do { label, cond, body } => {
                self.both(&format!("l{label}: do {{"));
                self.block(body);
                let line = self.next();
                stmt.line = line;
                self.line(
                    &format!("}} while ({});", expr(cond, false)),
                    &format!("}} while (Log.l({line}) && ({}));", expr(cond, true)),
                );
            }
            Kind::For { label, var, cond, body } => {
                let (name, id) = (&var.name, var.id);
                self.line(
                    &format!("l{label}: for (int {name} = 0; {}; {name}++) {{", expr(cond, false)),
                    &format!(
                        "l{label}: for (int {name} = Log.s({id}, {line}, 0); Log.l({line}) && ({}); {name} = Log.s({id}, {line}, {name} + 1)) {{",
                        expr(cond, true)
                    ),
                );
                self.block(body);
                self.both("}");
            }
            Kind::Switch { label, id, selector, arms } => {
                self.line(
                    &format!("l{label}: switch ({}) {{", expr(selector, false)),
                    &format!("Log.l({line}); l{label}: switch (Log.c({id}, {})) {{", expr(selector, true)),
                );
                self.indent += 1;
                for arm in arms {
                    let labels =
                        arm.labels.iter().map(|l| l.map_or("default: ".into(), |k| format!("case {k}: ")));
                    let labels: String = labels.collect();
                    self.both(&format!("{labels}{{"));
                    self.block(&mut arm.body);
                    self.both("}");
                }
                self.indent -= 1;
                self.both("}");
            }
            Kind::Try { body, catches, finish } => {
                self.line("try {", if finish.is_some() { "try { try {" } else { "try {" });
                self.block(body);
                if catches.is_empty() {
                    // The logging text has an inner try in any case: it needs a clause.
                    self.line("}", "} finally { }");
                }
                for catch in catches.iter_mut() {
                    let name = &catch.var.name;
                    let text = format!("}} catch ({} {name}) {{", catch.class);
                    let line = self.next();
                    let (id, var) = (catch.id, catch.var.id);
                    catch.line = self
                        .line(&text, &format!("{text} Log.h({id}, {name}); Log.s({var}, {line}, {name});"));
                    self.block(&mut catch.body);
                }
                if let Some(finish) = finish {
                    if !catches.is_empty() {
                        self.both("}");
                    }
                    let id = finish.id;
                    let plain = self.plain.pop().expect("the brace");
                    let logged = self.logged.pop().expect("the brace");
                    let rest = format!(
                        "}} catch (Throwable t{id}) {{ Log.h({id}, t{id}); throw t{id}; }} finally {{"
                    );
                    self.plain.push(format!("{plain} finally {{"));
                    self.logged.push(format!("{logged} {rest}"));
                    self.block(&mut finish.body);
                }
                self.both("}");
            }
            Kind::Jump { label, again } => {
                let text = format!("{} l{label};", if *again { "continue" } else { "break" });
                self.line(&text, &format!("Log.l({line}); {text}"));
            }
            Kind::Return(value) => {
                let of = |logged| value.as_ref().map_or(String::new(), |v| format!(" {}", expr(v, logged)));
                self.line(&format!("return{};", of(false)), &format!("Log.l({line}); return{};", of(true)));
            }
            Kind::Throw(class) => {
                let text = format!("throw new {class}();");
                self.line(&text, &format!("Log.l({line}); {text}"));
            }
        }
    }

    fn set_field(
        &self,
        field: usize,
        owner: Option<&Expr>,
        op: Op,
        value: &Expr,
        line: u32,
    ) -> (String, String) {
        let known = &FIELDS[field];
        let ty = self.ty(known.ty);
        let place = |logged: bool| match owner {
            Some(owner) => format!("{}.{}", expr(owner, logged), known.name),
            None => format!("{}{}.{}", if known.of_object { "O" } else { "P" }, self.seed, known.name),
        };
        let plain = match op {
            Op::Set => format!("{} = {};", place(false), expr(value, false)),
            Op::Add => format!("{} += {};", place(false), expr(value, false)),
            Op::Inc => format!("{}++;", place(false)),
        };
        let class = format!("O{}", self.seed);
        let receiver = owner.map(|o| format!("{class} r = {};", expr(o, true))).unwrap_or_default();
        let (object, target) = match owner {
            Some(_) => ("r", format!("r.{}", known.name)),
            None => ("null", place(true)),
        };
        let new = match op {
            Op::Set => format!("{ty} n = {};", expr(value, true)),
            Op::Add => format!("{ty} o = {target}; {ty} n = o + {};", expr(value, true)),
            Op::Inc => format!("{ty} o = {target}; {ty} n = o + 1;"),
        };
        let log = format!("Log.w({object}, {field}, {line}, Log.v({target}), Log.v(n));");
        (plain, format!("Log.l({line}); {{ {receiver} {new} {log} {target} = n; }}"))
    }
}

fn store(ty: Ty, var: u32, line: u32, value: &str) -> String {
    let name = if ty == Ty::Long { "sl" } else { "s" };
    format!("Log.{name}({var}, {line}, {value})")
}

fn parts(parts: &[Part], logged: bool) -> String {
    let of = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Expr(e) => expr(e, logged),
    };
    parts.iter().map(of).collect()
}

/// The text of an expression.
pub fn expr(e: &Expr, logged: bool) -> String {
    match e {
        Expr::Parts(p) | Expr::Call(_, p) => parts(p, logged),
        Expr::Choice(c, a, b) => {
            format!("({} ? {} : {})", expr(c, logged), expr(a, logged), expr(b, logged))
        }
        Expr::And(a, b) => format!("({} && {})", expr(a, logged), expr(b, logged)),
        Expr::Or(a, b) => format!("({} || {})", expr(a, logged), expr(b, logged)),
        Expr::Not(a) => format!("!({})", expr(a, logged)),
        Expr::Atom(id, a) if logged => format!("Log.b({id}, {})", expr(a, true)),
        Expr::Atom(_, a) => expr(a, false),
    }
}
