//! The expressions of random programs: numbers, truth and objects, calls guarded by the depth left.

use super::ast::{ARRAYS, Expr, FIELDS, Home, Method, Part, Ty, Var, field};
use super::generate::Gen;

/// A constant, for javac.
fn is_literal(e: &Expr) -> bool {
    matches!(e, Expr::Parts(parts) if parts.iter().all(|p| match p {
        Part::Text(text) => !text.contains(|c: char| c.is_ascii_lowercase()),
        Part::Expr(e) => is_literal(e),
    }))
}

/// A static field.
fn shared(name: &str) -> Expr {
    Expr::Field(field(name), None)
}

impl Gen<'_> {
    /// An expression for an object: mostly a variable.
    pub(super) fn owner(&mut self) -> Expr {
        let mut names: Vec<String> =
            self.scope.iter().filter(|v| v.ty == Ty::Obj).map(|v| v.name.clone()).collect();
        if self.method().home == Home::Object {
            names.push("this".into());
        }
        if names.is_empty() || self.rng.chance(12) {
            return self.new_or_static();
        }
        let object = Expr::text(self.rng.pick(&names).clone());
        if self.rng.chance(12) { Expr::Field(field("next"), Some(Box::new(object))) } else { object }
    }

    pub(super) fn new_or_static(&mut self) -> Expr {
        if self.method().is_constructor() { Expr::text("this") } else { shared("s1") }
    }

    /// An array of a type, usually one that others know too.
    pub(super) fn array(&mut self, ty: Ty) -> Expr {
        let known: Vec<String> = self.scope.iter().filter(|v| v.ty == ty).map(|v| v.name.clone()).collect();
        if !known.is_empty() && self.rng.chance(60) {
            return Expr::text(self.rng.pick(&known).clone());
        }
        if ty == Ty::Ints && self.rng.chance(30) {
            let grid = self.array(Ty::Grid);
            return Expr::element(grid, self.index());
        }
        self.read(ty).unwrap_or_else(|| self.literal(ty))
    }

    /// A read of a field of a type, if there is one.
    fn read(&mut self, ty: Ty) -> Option<Expr> {
        let worker = self.method().home == Home::Worker;
        let fits = |f: &usize| FIELDS[*f].ty == ty && (worker || FIELDS[*f].home != Home::Worker);
        let fields: Vec<usize> = (0..FIELDS.len()).filter(fits).collect();
        if fields.is_empty() {
            return None;
        }
        let number = *self.rng.pick(&fields);
        Some(match (FIELDS[number].is_static, FIELDS[number].home) {
            (true, _) => Expr::Field(number, None),
            (_, Home::Worker) => Expr::Field(number, Some(Box::new(Expr::text("this")))),
            _ => Expr::Field(number, Some(Box::new(self.owner()))),
        })
    }

    /// A number for an element, usually an existing one.
    pub(super) fn index(&mut self) -> Expr {
        let known: Vec<String> =
            self.scope.iter().filter(|v| v.ty == Ty::Int).map(|v| v.name.clone()).collect();
        match self.rng.below(10) {
            0..3 if !known.is_empty() => Expr::text(format!("{} & 1", self.rng.pick(&known))),
            3..6 if !known.is_empty() => Expr::text(self.rng.pick(&known).clone()),
            6 => self.expr(Ty::Int, 1),
            _ => Expr::text(self.rng.pick(&["0", "1", "1", "2"]).to_owned()),
        }
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
                if known.is_empty() { shared("s2") } else { Expr::text(self.rng.pick(&known).clone()) }
            }
            2..4 => {
                let known = names(Ty::Obj, self);
                let left =
                    if known.is_empty() { shared("s1") } else { Expr::text(self.rng.pick(&known).clone()) };
                let right = if known.is_empty() || self.rng.chance(60) {
                    "null".to_owned()
                } else {
                    self.rng.pick(&known).clone()
                };
                pieces([left, Expr::text(right)], if self.rng.chance(50) { "==" } else { "!=" })
            }
            4 if self.may_call() => match self.call(Some(Ty::Bool)) {
                Some(call) => self.guarded(call, Ty::Bool),
                _ => shared("s2"),
            },
            _ => {
                let known = names(Ty::Int, self);
                let left =
                    if known.is_empty() || self.rng.chance(25) { shared("s0") } else { self.plain_int() };
                let op = *self.rng.pick(&["<", ">", "<=", ">=", "==", "!="]);
                let right = self.expr(Ty::Int, 1);
                pieces([left, right], op)
            }
        }
    }

    /// A variable, or a static field if there is none.
    pub(super) fn plain_int(&mut self) -> Expr {
        let known: Vec<String> =
            self.scope.iter().filter(|v| v.ty == Ty::Int).map(|v| v.name.clone()).collect();
        if known.is_empty() { shared("s0") } else { Expr::text(self.rng.pick(&known).clone()) }
    }

    pub(super) fn may_call(&self) -> bool {
        !self.method().is_constructor()
    }

    /// Guards a call: when `d` is used up, nothing is called.
    pub(super) fn guarded(&mut self, call: Expr, ty: Ty) -> Expr {
        if self.outermost() {
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
        let fits = |m: &Method| {
            m.name != "main"
                && !m.is_constructor()
                && m.home != Home::Worker
                && (result.is_none() || m.result == result)
        };
        let known: Vec<usize> = (0..self.methods.len()).filter(|n| fits(&self.methods[*n])).collect();
        if known.is_empty() {
            return None;
        }
        let number = *self.rng.pick(&known);
        let method = self.methods[number].clone();
        let mut parts = Vec::new();
        if method.is_static {
            parts.push(Part::Text("P#".into()));
        } else {
            parts.push(Part::Expr(self.owner()));
        }
        parts.push(Part::Text(format!(".{}({}", method.name, if self.outermost() { "2" } else { "d - 1" })));
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
            Ty::Obj | Ty::Worker => Expr::text("null"),
            Ty::Ints => Expr::text(self.rng.pick(&["(new int[2])", "(new int[3])"]).to_owned()),
            Ty::Longs => Expr::text("(new long[2])"),
            Ty::Bools => Expr::text("(new boolean[3])"),
            Ty::Texts => Expr::text("(new String[2])"),
            Ty::Objs => Expr::text(self.rng.pick(&["(new O#[2])", "(new O#[3])", "(new S#[2])"]).to_owned()),
            Ty::Grid => Expr::text(
                self.rng.pick(&["(new int[2][2])", "(new int[2][3])", "(new int[2][])"]).to_owned(),
            ),
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
        let free: Vec<Var> = self.scope.iter().filter(|v| v.ty == ty && !v.fixed).cloned().collect();
        match (ty, self.rng.below(10)) {
            (Ty::Int, 9) if depth > 0 && !free.is_empty() => Expr::Inc(self.rng.pick(&free).clone()),
            (Ty::Int, 0..4) if depth > 0 => {
                let op = *self.rng.pick(&["+", "-", "*", "+", "/", "%"]);
                // javac folds constants, so one side is not constant.
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
            (Ty::Ints | Ty::Longs | Ty::Bools | Ty::Texts | Ty::Objs | Ty::Grid, 0..3) if depth > 0 => {
                let element = ty.element().expect("an array");
                let count = self.rng.below(2) + 2;
                Expr::Elements(ty, (0..count).map(|_| self.expr(element, depth - 1)).collect())
            }
            (Ty::Int | Ty::Long | Ty::Bool | Ty::Text | Ty::Obj, 8) if depth > 0 => {
                let arrays: Vec<Ty> = ARRAYS.into_iter().filter(|a| a.element() == Some(ty)).collect();
                let array = self.array(arrays[0]);
                if ty == Ty::Int && self.rng.chance(20) {
                    return Expr::Parts(vec![Part::Expr(array), Part::Text(".length".into())]);
                }
                Expr::element(array, self.index())
            }
            (Ty::Obj, 0..3) if depth > 0 && self.may_call() => self.new_object(),
            (_, 0..6) if !known.is_empty() => Expr::text(self.rng.pick(&known).clone()),
            (_, 6..8) => self.read(ty).unwrap_or_else(|| self.literal(ty)),
            _ => self.literal(ty),
        }
    }
}
