//! Random programs of nested loops that log their calls, iterations and exits through `Log.java`.

use crate::support::rng::Rng;
use std::fmt::Write as _;

/// A program.
pub struct Program {
    /// The name of its class.
    pub name: String,
    /// Its source.
    pub text: String,
    /// For each loop, by number: its first line with code.
    pub lines: Vec<(usize, u32)>,
}

struct Writer<'a> {
    rng: &'a mut Rng,
    text: String,
    line: u32,
    /// Whether all statements of a method are on one line.
    is_one_line: bool,
    lines: Vec<(usize, u32)>,
    loops: usize,
    methods: usize,
}

/// Generates a program of this name.
pub fn program(rng: &mut Rng, name: &str, is_one_line: bool) -> Program {
    let methods = 2 + rng.below(3);
    let mut w =
        Writer { rng, text: String::new(), line: 1, is_one_line, lines: Vec::new(), loops: 0, methods };
    let _ = write!(w.text, "public class {name} {{");
    w.method_ends();
    w.put("public static void run(int by) {");
    w.put("int me = Log.begin(\"run\", by);");
    w.put("try { m0(me, 4); m0(me, 3); } catch (IllegalStateException e) { Log.caught(me, 0); }");
    w.put("}");
    w.method_ends();
    for method in 0..methods {
        w.put(&format!("static void m{method}(int by, int d) {{"));
        w.put(&format!("int me = Log.begin(\"m{method}\", by);"));
        w.put("if (d <= 0) return;");
        w.block(&mut Vec::new(), 3, true);
        w.put("}");
        w.method_ends();
    }
    w.put("static int c(int by) {");
    w.put("int me = Log.begin(\"c\", by);");
    w.put("return 1;");
    w.put("}");
    w.method_ends();
    w.put("static void t(int by) {");
    w.put("int me = Log.begin(\"t\", by);");
    w.put("if (Log.flip()) throw new IllegalStateException();");
    w.put("}");
    w.method_ends();
    w.put("}");
    Program { name: name.to_owned(), text: w.text, lines: w.lines }
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        if self.is_one_line {
            self.text.push(' ');
        } else {
            self.method_ends();
        }
    }

    fn method_ends(&mut self) {
        self.text.push('\n');
        self.line += 1;
    }

    /// Statements inside some loops; those inside a `finally` do not return.
    fn block(&mut self, around: &mut Vec<usize>, depth: usize, may_return: bool) {
        for _ in 0..1 + self.rng.below(3) {
            self.statement(around, depth, may_return);
        }
        // Code that ends with a jump at the end of a loop's body is after the loop, according to the class
        // file.
        self.put("Log.nothing();");
    }

    fn statement(&mut self, around: &mut Vec<usize>, depth: usize, may_return: bool) {
        let inner = depth.saturating_sub(1);
        match self.rng.below(if depth == 0 { 4 } else { 12 }) {
            0 => self.put("c(me);"),
            1 => self.put("t(me);"),
            2 => {
                let to = self.rng.below(self.methods);
                self.put(&format!("m{to}(me, d - 1);"));
            }
            3 if !around.is_empty() || may_return => self.jump(around, may_return),
            3 => self.put("Log.nothing();"),
            4..=8 => self.turns(around, inner, may_return),
            9 => {
                self.put("if (Log.flip()) {");
                self.block(around, inner, may_return);
                self.put("}");
            }
            10 => {
                self.put("try {");
                self.block(around, inner, may_return);
                let innermost = around.last().copied().unwrap_or(0);
                self.put(&format!("}} catch (IllegalStateException e) {{ Log.caught(me, {innermost});"));
                if self.rng.chance(50) {
                    self.put("c(me);");
                }
                self.put("}");
            }
            _ => {
                self.put("try {");
                // A `return` out of loops through this block would run it inside them.
                if let Some(last) = around.last().copied() {
                    self.block(&mut vec![last], 0, false);
                } else {
                    self.block(&mut Vec::new(), 0, false);
                }
                self.put("} finally {");
                self.put("c(me);");
                self.put("}");
            }
        }
    }

    fn jump(&mut self, around: &[usize], may_return: bool) {
        self.put("if (Log.flip()) {");
        if self.rng.chance(50) {
            self.put("c(me);");
        }
        if around.is_empty() || (may_return && self.rng.chance(25)) {
            self.put("Log.returns(me); return;");
        } else {
            let to = *self.rng.pick(around);
            let word = if self.rng.chance(50) { "break" } else { "continue" };
            if word == "continue" && around.last() != Some(&to) {
                self.put(&format!("Log.back(me, {to});"));
            }
            self.put(&format!("{word} l{to};"));
        }
        self.put("}");
    }

    fn turns(&mut self, around: &mut Vec<usize>, inner: usize, may_return: bool) {
        self.loops += 1;
        let id = self.loops;
        let most = 1 + self.rng.below(4);
        let call = if self.rng.chance(30) { " && c(me) > 0" } else { "" };
        let condition = format!("i{id} < {most} && Log.more(){call}");
        around.push(id);
        self.put(&format!("int i{id} = 0; Log.enter(me, {id});"));
        match self.rng.below(3) {
            0 => {
                self.lines.push((id, self.line));
                let step = if self.rng.chance(30) { format!("i{id} += c(me)") } else { format!("i{id}++") };
                self.put(&format!("l{id}: for (; Log.turn(me, {id}) && {condition}; {step}) {{"));
                self.block(around, inner, may_return);
                self.put("}");
            }
            1 => {
                self.lines.push((id, self.line));
                self.put(&format!("l{id}: while (Log.turn(me, {id}) && {condition}) {{"));
                self.put(&format!("i{id}++;"));
                self.block(around, inner, may_return);
                self.put("}");
            }
            _ => {
                self.put(&format!("l{id}: do {{"));
                self.lines.push((id, self.line));
                self.put(&format!("Log.turn(me, {id}); i{id}++;"));
                self.block(around, inner, may_return);
                self.put(&format!("}} while ({condition});"));
            }
        }
        self.put(&format!("Log.exit(me, {id});"));
        around.pop();
    }
}
