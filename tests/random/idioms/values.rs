//! Values over several lines: choices, where one branch produces the value, and others.

use super::generate::{Generator, Ty};

impl Generator {
    /// Writes a value over several lines; its first and last lines stay open. In a branch (`armed`) it writes
    /// only choices, whose line identifies the value.
    pub fn value(&mut self, ty: Ty, depth: usize, armed: bool) {
        if depth == 0 {
            return self.leaf(ty);
        }
        match self.rng.below(if armed { 6 } else { 9 }) {
            0 | 1 => self.switch_on_number(ty, depth - 1),
            2 => self.switch_on_enum(ty, depth - 1),
            3 => self.switch_with_colons(ty, depth - 1),
            4 | 5 => self.choice(ty, depth - 1),
            _ => self.long_line(ty),
        }
    }

    /// A logged value on the line.
    fn leaf(&mut self, ty: Ty) {
        let (value, line) = (self.expr(ty, 1), self.w.line());
        self.w.put(&value, &format!("Log.m{}({line}, {value})", ty.letter()));
    }

    /// A branch: a value on its line, a choice over several lines, or a block that yields one.
    fn arm(&mut self, ty: Ty, depth: usize, can_be_block: bool) {
        if can_be_block && self.rng.chance(20) {
            self.w.both("{");
            let outer = std::mem::replace(&mut self.around, vec![None]);
            self.block(1);
            self.around = outer;
            self.w.indent += 1;
            self.w.same("yield ");
            self.leaf(ty);
            self.w.both(";");
            self.w.indent -= 1;
            return self.w.both("}");
        }
        if depth > 0 && self.rng.chance(30) {
            self.value(ty, depth, true);
        } else {
            self.leaf(ty);
        }
        self.w.both(";");
    }

    fn arms(&mut self, ty: Ty, depth: usize, labels: &[&str]) {
        self.w.end();
        self.w.indent += 1;
        for label in labels {
            self.w.same(&format!("{label} -> "));
            self.arm(ty, depth, true);
        }
        self.w.indent -= 1;
        self.w.same("}");
    }

    fn switch_on_number(&mut self, ty: Ty, depth: usize) {
        let selector = self.small(3);
        self.w.same(&format!("switch ({selector}) {{"));
        self.arms(ty, depth, &["case 0", "case 1", "default"]);
    }

    /// Without a default the compiler adds a branch that throws.
    fn switch_on_enum(&mut self, ty: Ty, depth: usize) {
        let of = self.expr(Ty::Int, 1);
        self.w.same(&format!("switch (Level.of({of})) {{"));
        self.arms(ty, depth, &["case LOW", "case HIGH"]);
    }

    fn switch_with_colons(&mut self, ty: Ty, depth: usize) {
        let selector = self.expr(Ty::Text, 0);
        self.w.same(&format!("switch ({selector}) {{"));
        self.w.end();
        self.w.indent += 1;
        for label in ["case \"a\":", "case \"k\": case \"k1\":", "default:"] {
            self.w.same(&format!("{label} yield "));
            self.arm(ty, depth, false);
        }
        self.w.indent -= 1;
        self.w.same("}");
    }

    /// `a ? b : c`, each on its line.
    fn choice(&mut self, ty: Ty, depth: usize) {
        let condition = self.atom();
        self.w.both(&condition);
        self.w.indent += 1;
        self.w.same("? ");
        self.leaf(ty);
        self.w.end();
        self.w.same(": ");
        if depth > 0 && self.rng.chance(50) {
            self.choice(ty, depth - 1);
        } else {
            self.leaf(ty);
        }
        self.w.indent -= 1;
    }

    /// A value over several lines that are all executed, or operands of `&&` and `||`.
    fn long_line(&mut self, ty: Ty) {
        let (a, b, c) = (self.expr(ty, 1), self.expr(ty, 1), self.expr(ty, 0));
        self.w.indent += 1;
        match ty {
            Ty::Int | Ty::Long => {
                self.w.both(&a);
                self.w.both(&format!("+ {b}"));
                self.w.same(&format!("+ {c}"));
            }
            Ty::Bool => {
                let first = self.atom();
                self.w.both(&first);
                let second = self.atom();
                self.w.both(&format!("&& {second}"));
                let third = self.atom();
                self.w.same(&format!("|| {third}"));
            }
            Ty::Text if self.rng.chance(40) => {
                self.w.both("new StringBuilder()");
                self.w.both(&format!(".append({a})"));
                self.w.both(".append('-')");
                self.w.same(".toString()");
            }
            Ty::Text if self.rng.chance(20) => {
                self.w.both("\"\"\"");
                self.w.both("one");
                self.w.same("  two\"\"\"");
            }
            Ty::Text => {
                self.w.both("\"v\"");
                self.w.both(&format!("+ {b}"));
                self.w.same(&format!("+ {c}"));
            }
        }
        self.w.indent -= 1;
    }
}
