//! Common expressions of one line: they read variables and fields, and have no logged effect.

use super::generate::{Generator, Ty};

impl Generator {
    /// A variable in scope, or a static field, or a literal.
    fn name(&mut self, ty: Ty) -> String {
        let mut known: Vec<String> =
            self.readable().filter(|var| var.ty == ty).map(|var| var.name.clone()).collect();
        match ty {
            Ty::Int => {
                known.extend(["s0", "acc.total", "other.total"].map(str::to_owned));
                known.push(self.rng.below(7).to_string());
            }
            Ty::Long => known.extend(["s1".to_owned(), format!("{}L", self.rng.below(9))]),
            Ty::Bool => known.push("s2".to_owned()),
            Ty::Text => known.extend(["s3", "acc.name", "\"k\"", "\"k1\""].map(str::to_owned)),
        }
        self.rng.pick(&known).clone()
    }

    /// An expression for a number from 0 to `below` - 1, from the program's variables.
    pub fn small(&mut self, below: usize) -> String {
        format!("Math.floorMod({}, {below})", self.name(Ty::Int))
    }

    pub fn expr(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.rng.chance(25) {
            return self.name(ty);
        }
        match ty {
            Ty::Int => self.number(depth - 1),
            Ty::Long => match self.rng.below(3) {
                0 => format!("({} + {})", self.name(Ty::Long), self.name(Ty::Int)),
                1 => format!("Math.abs({} - 3L)", self.name(Ty::Long)),
                _ => format!("list({}).stream().mapToLong(v -> v + 1L).sum()", self.small(4)),
            },
            Ty::Bool => self.bool(depth - 1),
            Ty::Text => self.text(depth - 1),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        let (a, b) = (self.expr(Ty::Int, depth), self.name(Ty::Int));
        match self.rng.below(21) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} * 3 % 7)"),
            3 => format!("Math.max({a}, {b})"),
            4 => format!("new Pair({a}, {b}).sum()"),
            5 => format!("Level.of({a}).rank({b})"),
            6 => format!("Shape.of({a} % 9).twice()"),
            7 => format!("IntStream.rangeClosed(1, {}).map(v -> v * 2).sum()", self.small(4)),
            8 => format!(
                "list({}).stream().filter(v -> v > 1).mapToInt(Integer::intValue).sum()",
                self.small(5)
            ),
            9 => format!("keys({})", self.small(5)),
            10 => format!("apply({}::half, {a})", self.class),
            11 => format!("apply(v -> v - 2, {a})"),
            12 => format!("total({a}, {b}, 3)"),
            13 => format!("(Integer.valueOf({a}) + {b})"),
            14 => format!("boxed({a}, {b})"),
            15 => format!("{}.length()", self.name(Ty::Text)),
            16 => format!("new Texts().keep({a}).length()"),
            17 => format!("some({a}).map(v -> v + 1).orElse({b})"),
            18 => {
                let c = self.fresh("c");
                format!("(Shape.of({b}) instanceof Circle {c} ? {c}.r() : {b})")
            }
            19 => format!("most({a}, {b})"),
            _ => match self.callable() {
                Some(method) => format!("{method}({a}, {})", self.name(Ty::Text)),
                None => format!("half({a})"),
            },
        }
    }

    /// A condition with one branch.
    pub fn atom(&mut self) -> String {
        let (a, b) = (self.name(Ty::Int), self.rng.below(9));
        let op = *self.rng.pick(&["<", ">", "<=", ">="]);
        format!("{a} {op} {b}")
    }

    fn bool(&mut self, depth: usize) -> String {
        match self.rng.below(7) {
            0 | 1 => self.atom(),
            2 => format!("{}.isEmpty()", self.name(Ty::Text)),
            3 => format!("{} % 2 == 0 && {}", self.name(Ty::Int), self.atom()),
            4 => format!("list({}).contains({})", self.small(4), self.expr(Ty::Int, depth)),
            5 => {
                let q = self.fresh("q");
                format!("Shape.of({}) instanceof Square {q} && {q}.s() > 2", self.name(Ty::Int))
            }
            _ => format!("list({}).stream().anyMatch(v -> v > 2)", self.small(4)),
        }
    }

    fn text(&mut self, depth: usize) -> String {
        let a = self.expr(Ty::Int, depth);
        match self.rng.below(9) {
            0 => format!("\"k\" + {a}"),
            1 => format!("String.valueOf({a})"),
            2 => format!("{}.trim() + {a}", self.name(Ty::Text)),
            3 => format!("new StringBuilder().append({a}).append('-').reverse().toString()"),
            4 => format!("Level.of({a}).name()"),
            5 => format!(
                "list({}).stream().map(String::valueOf).collect(Collectors.joining(\"-\"))",
                self.small(4)
            ),
            6 => format!("new Texts().keep({a})"),
            7 => format!("\"n%d\".formatted({a})"),
            _ => format!("new Pair({a}, {}).toString()", self.name(Ty::Int)),
        }
    }
}
