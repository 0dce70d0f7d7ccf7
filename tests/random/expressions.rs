//! The expressions of random programs: numbers, truth and objects, calls guarded by the depth left.

use super::ast::{Expr, FIELDS, Method, Part, Ty};
use super::generate::Gen;

/// A constant, for javac.
fn is_literal(e: &Expr) -> bool {
    matches!(e, Expr::Parts(parts) if parts.iter().all(|p| match p {
        Part::Text(text) => !text.contains(|c: char| c.is_ascii_lowercase()),
        Part::Expr(e) => is_literal(e),
    }))
}

impl Gen<'_> {
    /// An expression for an object: mostly a variable.
    pub(super) fn owner(&mut self) -> Expr {
        let mut names: Vec<String> =
            self.scope.iter().filter(|v| v.ty == Ty::Obj).map(|v| v.name.clone()).collect();
        if !self.method().is_static {
            names.push("this".into());
        }
        if names.is_empty() || self.rng.chance(12) {
            return self.new_or_static();
        }
        let name = self.rng.pick(&names).clone();
        if self.rng.chance(12) { Expr::text(format!("{name}.next")) } else { Expr::text(name) }
    }

    pub(super) fn new_or_static(&mut self) -> Expr {
        if self.method().is_constructor() {
            Expr::text("this")
        } else {
            Expr::text(format!("{}.s1", self.main()))
        }
    }

    pub(super) fn main(&self) -> &'static str {
        // `#` becomes the seed when the program is written.
        "P#"
    }

    pub(super) fn cond(&mut self, depth: usize) -> Expr {
        match self.rng.below(if depth == 0 { 60 } else { 100 }) {
            0..60 => {
                let operand = self.compare();
                if matches!(operand, Expr::And(..)) {
                    return operand;
                }
                Expr::Atom(self.id(), Box::new(operand))
            }
            60..75 => Expr::And(Box::new(self.cond(depth - 1)), Box::new(self.cond(depth - 1))),
            75..88 => Expr::Or(Box::new(self.cond(depth - 1)), Box::new(self.cond(depth - 1))),
            88..95 => Expr::Not(Box::new(self.cond(depth - 1))),
            _ => Expr::Choice(
                Box::new(self.cond(depth - 1)),
                Box::new(self.cond(depth - 1)),
                Box::new(self.cond(depth - 1)),
            ),
        }
    }

    /// An operand of a condition; never constant.
    pub(super) fn compare(&mut self) -> Expr {
        let names = |ty: Ty, gen_: &Gen<'_>| -> Vec<String> {
            gen_.scope.iter().filter(|v| v.ty == ty).map(|v| v.name.clone()).collect()
        };
        let pieces = |list: [Expr; 2], op: &str| {
            let [a, b] = list;
            Expr::Parts(vec![Part::Expr(a), Part::Text(format!(" {op} ")), Part::Expr(b)])
        };
        match self.rng.below(10) {
            0..2 => {
                let known = names(Ty::Bool, self);
                if known.is_empty() {
                    Expr::text(format!("{}.s2", self.main()))
                } else {
                    Expr::text(self.rng.pick(&known).clone())
                }
            }
            2..4 => {
                let known = names(Ty::Obj, self);
                let left = if known.is_empty() {
                    format!("{}.s1", self.main())
                } else {
                    self.rng.pick(&known).clone()
                };
                let right = if known.is_empty() || self.rng.chance(60) {
                    "null".to_owned()
                } else {
                    self.rng.pick(&known).clone()
                };
                pieces([Expr::text(left), Expr::text(right)], if self.rng.chance(50) { "==" } else { "!=" })
            }
            4 if self.may_call() => match self.call(Some(Ty::Bool)) {
                Some(call) => self.guarded(call, Ty::Bool),
                _ => Expr::text(format!("{}.s2", self.main())),
            },
            _ => {
                let known = names(Ty::Int, self);
                let left = if known.is_empty() || self.rng.chance(25) {
                    Expr::text(format!("{}.s0", self.main()))
                } else {
                    self.plain_int()
                };
                let op = *self.rng.pick(&["<", ">", "<=", ">=", "==", "!="]);
                let right = self.expr(Ty::Int, 1);
                pieces([left, right], op)
            }
        }
    }

    /// A variable, or a static field where there is none.
    pub(super) fn plain_int(&mut self) -> Expr {
        let known: Vec<String> =
            self.scope.iter().filter(|v| v.ty == Ty::Int).map(|v| v.name.clone()).collect();
        if known.is_empty() {
            Expr::text(format!("{}.s0", self.main()))
        } else {
            Expr::text(self.rng.pick(&known).clone())
        }
    }

    pub(super) fn may_call(&self) -> bool {
        !self.method().is_constructor()
    }

    /// Where `d` runs out nothing is called.
    pub(super) fn guarded(&mut self, call: Expr, ty: Ty) -> Expr {
        if self.current == 0 {
            return call;
        }
        let guard = Expr::Atom(self.id(), Box::new(Expr::text("d > 0")));
        if ty == Ty::Bool {
            let call = Expr::Atom(self.id(), Box::new(call));
            return Expr::And(Box::new(guard), Box::new(call));
        }
        let other = self.literal(ty);
        Expr::Choice(Box::new(guard), Box::new(call), Box::new(other))
    }

    pub(super) fn call(&mut self, result: Option<Ty>) -> Option<Expr> {
        if !self.may_call() {
            return None;
        }
        let fits =
            |m: &Method| m.name != "main" && !m.is_constructor() && (result.is_none() || m.result == result);
        let known: Vec<usize> = (0..self.methods.len()).filter(|n| fits(&self.methods[*n])).collect();
        if known.is_empty() {
            return None;
        }
        let number = *self.rng.pick(&known);
        let method = self.methods[number].clone();
        let mut parts = Vec::new();
        if method.is_static {
            parts.push(Part::Text(self.main().into()));
        } else {
            parts.push(Part::Expr(self.owner()));
        }
        parts.push(Part::Text(format!(".{}({}", method.name, if self.current == 0 { "2" } else { "d - 1" })));
        for param in method.params.iter().skip(1) {
            parts.push(Part::Text(", ".into()));
            let value = self.expr(param.ty, 1);
            parts.push(Part::Expr(value));
        }
        parts.push(Part::Text(")".into()));
        Some(Expr::Call(number, parts))
    }

    pub(super) fn new_object(&mut self) -> Expr {
        let value = self.expr(Ty::Int, 0);
        Expr::Call(1, vec![Part::Text("new O#(".into()), Part::Expr(value), Part::Text(")".into())])
    }

    pub(super) fn literal(&mut self, ty: Ty) -> Expr {
        match ty {
            Ty::Int => Expr::text(self.rng.pick(&["0", "1", "2", "3", "5", "-1", "200"]).to_owned()),
            Ty::Long => Expr::text(self.rng.pick(&["0L", "4L", "-9L"]).to_owned()),
            Ty::Bool => Expr::text(self.rng.pick(&["true", "false"]).to_owned()),
            Ty::Text => Expr::text(self.rng.pick(&["\"a\"", "\"bc\"", "null"]).to_owned()),
            Ty::Obj => Expr::text("null"),
        }
    }

    pub(super) fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
        let known: Vec<String> = self.scope.iter().filter(|v| v.ty == ty).map(|v| v.name.clone()).collect();
        if depth > 0
            && self.may_call()
            && self.rng.chance(9)
            && let Some(call) = self.call(Some(ty))
        {
            return self.guarded(call, ty);
        }
        if depth > 0 && self.rng.chance(12) {
            let (c, a, b) = (self.cond(1), self.expr(ty, depth - 1), self.expr(ty, depth - 1));
            return Expr::Choice(Box::new(c), Box::new(a), Box::new(b));
        }
        match (ty, self.rng.below(10)) {
            (Ty::Int, 0..4) if depth > 0 => {
                let op = *self.rng.pick(&["+", "-", "*", "+", "/", "%"]);
                // javac folds constants: one side is none.
                let a = if self.rng.chance(60) { self.plain_int() } else { self.expr(ty, depth - 1) };
                let a = if is_literal(&a) { self.plain_int() } else { a };
                let b = self.expr(ty, depth - 1);
                Expr::Parts(vec![
                    Part::Text("(".into()),
                    Part::Expr(a),
                    Part::Text(format!(" {op} ")),
                    Part::Expr(b),
                    Part::Text(")".into()),
                ])
            }
            (Ty::Long, 0..4) if depth > 0 => {
                let (a, b) = (self.expr(Ty::Long, depth - 1), self.plain_int());
                Expr::Parts(vec![
                    Part::Text("(".into()),
                    Part::Expr(a),
                    Part::Text(" + ".into()),
                    Part::Expr(b),
                    Part::Text(")".into()),
                ])
            }
            (Ty::Bool, 0..4) if depth > 0 => self.cond(depth),
            (Ty::Obj, 0..3) if depth > 0 && self.may_call() => self.new_object(),
            (_, 0..6) if !known.is_empty() => Expr::text(self.rng.pick(&known).clone()),
            (_, 6..8) => {
                let fields: Vec<usize> = (0..FIELDS.len()).filter(|f| FIELDS[*f].ty == ty).collect();
                let field = &FIELDS[*self.rng.pick(&fields)];
                if field.is_static {
                    let class = if field.of_object { "O#" } else { "P#" };
                    return Expr::text(format!("{class}.{}", field.name));
                }
                let owner = self.owner();
                Expr::Parts(vec![Part::Expr(owner), Part::Text(format!(".{}", field.name))])
            }
            _ => self.literal(ty),
        }
    }
}
