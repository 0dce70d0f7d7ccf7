//! Writes a program as Java twice on the same lines: plain, and with a log of all events. Assigns each
//! statement its line.

use super::ast::{Block, Expr, FIELDS, Home, Kind, Method, Op, Part, Program, Stmt, Ty};

/// The log's code. It prints one line per event when the program ends.
pub const LOG: &str = r#"
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.IdentityHashMap;

final class Log {
    static final StringBuilder out = new StringBuilder();
    static final IdentityHashMap<Object, Integer> ids = new IdentityHashMap<>();
    static final ThreadLocal<ArrayList<Integer>> stacks = ThreadLocal.withInitial(ArrayList::new);
    static int acts;
    static int events;
    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> { System.out.print(out); System.out.flush(); }));
        Thread guard = new Thread(() -> { try { Thread.sleep(20000); tooLong(); } catch (InterruptedException e) { } });
        guard.setDaemon(true);
        guard.start();
    }
    static void tooLong() {
        System.out.println("LONG");
        System.out.flush();
        Runtime.getRuntime().halt(3);
    }
    static int act() {
        ArrayList<Integer> stack = stacks.get();
        return stack.isEmpty() ? 0 : stack.get(stack.size() - 1);
    }
    static void put(String line) {
        if (++events > 2500) tooLong();
        out.append(line).append('\n');
    }
    static String v(int x) { return "" + x; }
    static String v(long x) { return x + "L"; }
    static String v(boolean x) { return "" + x; }
    static String v(Object x) {
        if (x == null) return "null";
        if (x instanceof String) return "\"" + x + "\"";
        if (x instanceof Integer || x instanceof Boolean) return "" + x;
        if (x instanceof Long) return x + "L";
        Integer id = ids.get(x);
        if (id == null) {
            id = ids.size() + 1;
            ids.put(x, id);
            if (x.getClass().isArray()) {
                StringBuilder elements = new StringBuilder();
                for (int i = 0; i < Array.getLength(x); i++) elements.append(" ").append(v(Array.get(x, i)));
                put("N @" + id + elements);
            }
        }
        return "@" + id;
    }
    static void enter(int method, Object self, String... values) {
        int parent = act();
        String known = self == null ? "-" : v(self);
        stacks.get().add(++acts);
        String thread = Thread.currentThread().getName();
        put("E " + acts + " " + parent + " " + method + " " + thread + " " + known + " " + String.join(" ", values));
    }
    static void exit() {
        put("X " + act());
        ArrayList<Integer> stack = stacks.get();
        stack.remove(stack.size() - 1);
    }
    static void r(Object owner, int field, Object now) {
        put("R " + act() + " " + v(owner) + " " + field + " " + v(now));
    }
    /** A write to an element, if it will not fail. */
    static void a(Object array, int index, Object now) {
        if (array == null || index < 0 || index >= Array.getLength(array)) return;
        Class<?> type = array.getClass().getComponentType();
        if (now != null && !type.isPrimitive() && !type.isInstance(now)) return;
        String known = v(array);
        put("A " + act() + " " + known + " " + index + " " + v(Array.get(array, index)) + " " + v(now));
    }
    /** The stores of an array with elements. */
    static final class Filling {
        final Object array;
        int next;
        Filling(Object array) { this.array = array; }
        Filling e(Object x) {
            a(array, next, x);
            Array.set(array, next++, x);
            return this;
        }
    }
    static Filling fill(Object array) { v(array); return new Filling(array); }
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
    static <T> T i(Object owner, int field, int line, T x) {
        String known = v(owner);
        put("I " + act() + " " + known + " " + field + " " + line + " - " + v(x));
        return x;
    }
    static void h(int id, Object exception) { put("H " + act() + " " + id + " " + v(exception)); }
}
"#;

/// A worker's own code: it runs alone while its creator waits, until it ends or hands over.
const WORKER: [&str; 6] = [
    "final java.util.concurrent.Semaphore go = new java.util.concurrent.Semaphore(0), back = new java.util.concurrent.Semaphore(0); final boolean whole; boolean done;",
    "static T# make(String name, boolean whole, O# o, int[] a) { T# t = new T#(name, whole, o, a); t.start(); if (whole) t.end(); return t; }",
    "void end() { try { join(); } catch (InterruptedException e) { throw new IllegalStateException(e); } }",
    "void turn() { if (!whole && !done) { go.release(); back.acquireUninterruptibly(); } }",
    "void pass() { if (!whole) { back.release(); go.acquireUninterruptibly(); } }",
    "public void run() { if (!whole) go.acquireUninterruptibly(); try { work(); } catch (RuntimeException e) { } finally { done = true; back.release(); } }",
];

/// Both texts.
#[derive(Default)]
struct Writer {
    plain: Vec<String>,
    logged: Vec<String>,
    indent: usize,
}

/// The text of the plain and of the logging program.
pub fn render(program: &mut Program) -> (String, String) {
    let mut w = Writer::default();
    for home in [Home::Object, Home::Worker, Home::Main] {
        let begin = match home {
            Home::Object => "class O# {",
            Home::Worker => "class T# extends Thread {",
            Home::Main => "public class P# {",
        };
        w.both(begin);
        w.indent += 1;
        for (number, _) in FIELDS.iter().enumerate().filter(|(_, f)| f.home == home) {
            w.field(number);
        }
        if home == Home::Worker {
            w.worker();
        }
        for number in 0..program.methods.len() {
            if program.methods[number].home == home {
                w.method(number, &mut program.methods[number]);
            }
        }
        w.indent -= 1;
        w.both("}");
    }
    // It has no instances: its arrays refuse all other objects.
    w.both("class S# extends O# { S#() { super(0); } }");
    let text = |lines: &[String]| program.named(&(lines.join("\n") + "\n"));
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

    /// A field; the logging text has a method that reads it.
    fn field(&mut self, number: usize) {
        let field = &FIELDS[number];
        let (ty, name) = (field.ty.java(), field.name);
        let (modifier, owner) = if field.is_static { ("static ", "null") } else { ("", "this") };
        let read = if field.is_static {
            format!("static {ty} r{number}() {{ Log.r(null, {number}, {name}); return {name}; }}")
        } else {
            let class = field.home.java();
            format!(
                "static {ty} r{number}({class} x) {{ if (x != null) Log.r(x, {number}, x.{name}); return x.{name}; }}"
            )
        };
        let line = self.next();
        match field.init {
            Some(value) => self.line(
                &format!("{modifier}{ty} {name} = {value};"),
                &format!("{modifier}{ty} {name} = Log.i({owner}, {number}, {line}, {value}); {read}"),
            ),
            None => {
                let plain = format!("{modifier}{ty} {name};");
                self.line(&plain, &format!("{plain} {read}"))
            }
        };
    }

    fn worker(&mut self) {
        WORKER.iter().for_each(|text| {
            self.both(text);
        });
        let line = self.next();
        let sets = |logged: bool| -> String {
            let mut text = String::new();
            for (number, field) in FIELDS.iter().enumerate().filter(|(_, f)| f.home == Home::Worker) {
                let (name, from) = (field.name, if field.ty == Ty::Obj { "o" } else { "a" });
                if logged {
                    text.push_str(&format!("Log.i(this, {number}, {line}, {from}); "));
                }
                text.push_str(&format!("{name} = {from}; "));
            }
            text
        };
        let begin = "T#(String name, boolean whole, O# o, int[] a) { super(name); this.whole = whole; setDaemon(true);";
        self.line(&format!("{begin} {}}}", sets(false)), &format!("{begin} {}}}", sets(true)));
    }

    fn method(&mut self, number: usize, method: &mut Method) {
        let params: Vec<String> =
            method.params.iter().map(|p| format!("{} {}", p.ty.java(), p.name)).collect();
        let params = if method.name == "main" { "String[] args".to_owned() } else { params.join(", ") };
        let result = method.result.map_or("void", Ty::java);
        let header = if method.is_constructor() {
            format!("{}({params}) {{", method.home.java())
        } else {
            let modifiers = match (method.name == "main", method.is_static) {
                (true, _) => "public static ",
                (_, true) => "static ",
                _ => "",
            };
            format!("{modifiers}{result} {}({params}) {{", method.name)
        };
        let this = if method.is_static { "null" } else { "this" };
        let values: String = method.params.iter().map(|p| format!(", Log.v({})", p.name)).collect();
        method.line = self.line(&header, &format!("{header} Log.enter({number}, {this}{values}); try {{"));
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
                let text = format!("{} {};", var.ty.java(), var.name);
                self.both(&text);
            }
            Kind::Declare { var, value: Some(value) } => {
                let (ty, name) = (var.ty.java(), &var.name);
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
                let (plain, logged) = set_field(*field, owner.as_ref(), *op, value, line);
                self.line(&plain, &logged);
            }
            Kind::SetElement { ty, array, index, op, value } => {
                let (plain, logged) = set_element(*ty, array, index, *op, value, line);
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
                    // The logging text always has an inner try, which needs a clause.
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
}

/// An assignment in the plain text.
fn assignment(place: &str, op: Op, value: &Expr) -> String {
    match op {
        Op::Set => format!("{place} = {};", expr(value, false)),
        Op::Add => format!("{place} += {};", expr(value, false)),
        Op::Inc => format!("{place}++;"),
    }
}

/// The same in the logging text, in the same order: reads `target` with `read`, if the value needs it, and
/// keeps the new value in `n`.
fn value_in_n(ty: Ty, target: &str, op: Op, value: &Expr, read: &str) -> String {
    let ty = ty.java();
    match op {
        Op::Set => format!("{ty} n = {};", expr(value, true)),
        Op::Add => format!("{ty} o = {target};{read} {ty} n = o + {};", expr(value, true)),
        Op::Inc => format!("{ty} o = {target};{read} {ty} n = o + 1;"),
    }
}

fn set_field(field: usize, owner: Option<&Expr>, op: Op, value: &Expr, line: u32) -> (String, String) {
    let known = &FIELDS[field];
    let (name, class) = (known.name, known.home.java());
    let place = match owner {
        Some(owner) => format!("{}.{name}", expr(owner, false)),
        None => format!("{class}.{name}"),
    };
    let receiver = owner.map(|o| format!("{class} r = {};", expr(o, true))).unwrap_or_default();
    let (object, target) = match owner {
        Some(_) => ("r", format!("r.{name}")),
        None => ("null", format!("{class}.{name}")),
    };
    let new = value_in_n(known.ty, &target, op, value, &format!(" Log.r({object}, {field}, o);"));
    let log = format!("Log.w({object}, {field}, {line}, Log.v({target}), Log.v(n));");
    let logged = format!("Log.l({line}); {{ {receiver} {new} {log} {target} = n; }}");
    (assignment(&place, op, value), logged)
}

fn set_element(ty: Ty, array: &Expr, index: &Expr, op: Op, value: &Expr, line: u32) -> (String, String) {
    let element = ty.element().expect("an array");
    let place = format!("{}[{}]", expr(array, false), expr(index, false));
    let first = format!("{} r = {}; int i = {};", ty.java(), expr(array, true), expr(index, true));
    let new = value_in_n(element, "r[i]", op, value, "");
    let logged = format!("Log.l({line}); {{ {first} {new} Log.a(r, i, n); r[i] = n; }}");
    (assignment(&place, op, value), logged)
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
        Expr::Field(field, owner) => {
            let known = &FIELDS[*field];
            let class = known.home.java();
            let owner = owner.as_ref().map(|o| expr(o, logged));
            match owner {
                _ if logged => format!("{class}.r{field}({})", owner.unwrap_or_default()),
                Some(owner) => format!("{owner}.{}", known.name),
                None => format!("{class}.{}", known.name),
            }
        }
        // The line is that of its statement.
        Expr::Inc(var) if logged => format!("(({0} = Log.s({1}, 0, {0} + 1)) - 1)", var.name, var.id),
        Expr::Inc(var) => format!("{}++", var.name),
        Expr::Elements(ty, values) => {
            let (ty, count) = (ty.java(), values.len());
            let values = values.iter().map(|v| expr(v, logged));
            if logged {
                let stores: String = values.map(|v| format!(".e({v})")).collect();
                // `new int[2][]`
                let made = ty.replacen("[]", &format!("[{count}]"), 1);
                format!("(({ty}) Log.fill(new {made}){stores}.array)")
            } else {
                format!("(new {ty} {{ {} }})", values.collect::<Vec<_>>().join(", "))
            }
        }
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
