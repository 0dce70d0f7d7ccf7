//! Random programs. They end: every loop has its own counter that only it changes, and calls count down `d`.
//! They run one thread at a time in a fixed order. They have no constant conditions, no statements that
//! `javac` omits from the code, and no `finally` that a jump leaves.

use super::ast::{
    ARRAYS, Arm, Block, Catch, Expr, FIELDS, Finish, Home, Kind, Method, Op, Part, Program, Stmt, Ty, Var,
    each,
};
use crate::support::rng::Rng;

/// A loop or switch that a jump can name.
struct Target {
    label: u32,
    is_loop: bool,
}

pub(super) struct Gen<'r> {
    pub(super) rng: &'r mut Rng,
    /// Methods without their bodies.
    pub(super) methods: Vec<Method>,
    pub(super) current: usize,
    ids: u32,
    pub(super) scope: Vec<Var>,
    /// Names that are declared but not assigned yet.
    pub(super) hidden: Vec<String>,
    targets: Vec<Target>,
    /// Jumps may only name targets from this one on; a return needs it to be 0.
    pub(super) floor: usize,
    pub(super) in_finally: bool,
    pub(super) depth: usize,
    statements: usize,
}

pub fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut ids = 0;
    let methods = signatures(&mut rng, &mut ids);
    let mut bodies = Vec::new();
    for current in 0..methods.len() {
        let scope = methods[current].params.clone();
        let mut gen_ = Gen {
            rng: &mut rng,
            methods: methods.clone(),
            current,
            ids,
            scope,
            hidden: Vec::new(),
            targets: Vec::new(),
            floor: 0,
            in_finally: false,
            depth: 0,
            statements: 0,
        };
        bodies.push(gen_.body());
        ids = gen_.ids;
    }
    let mut methods = methods;
    for (method, body) in methods.iter_mut().zip(bodies) {
        method.body = body;
    }
    Program { seed, number: seed, methods }
}

fn signatures(rng: &mut Rng, ids: &mut u32) -> Vec<Method> {
    let mut methods = Vec::new();
    let kinds = [
        (Home::Main, "main"),
        (Home::Object, "<init>"),
        (Home::Main, "p1"),
        (Home::Main, "p2"),
        (Home::Main, "p3"),
        (Home::Object, "o1"),
        (Home::Object, "o2"),
        (Home::Worker, "work"),
    ];
    for (number, (home, name)) in kinds.into_iter().enumerate() {
        let mut types = Vec::new();
        if number == 1 {
            types.push(Ty::Int);
        } else if number > 1 && home != Home::Worker {
            types.push(Ty::Int);
            types.push(Ty::Obj);
            for _ in 0..rng.below(3) {
                let known =
                    [Ty::Int, Ty::Long, Ty::Bool, Ty::Obj, Ty::Text, Ty::Ints, Ty::Ints, Ty::Objs, Ty::Grid];
                types.push(*rng.pick(&known));
            }
        }
        let params = types
            .into_iter()
            .enumerate()
            .map(|(n, ty)| {
                *ids += 1;
                let depth = n == 0 && number > 1;
                Var { id: *ids, name: if depth { "d".into() } else { format!("q{n}") }, ty, fixed: depth }
            })
            .collect();
        let result = match number {
            0 | 1 => None,
            2 => Some(Ty::Int),
            _ if home == Home::Worker => None,
            _ => *rng.pick(&[Some(Ty::Int), Some(Ty::Bool), Some(Ty::Obj), Some(Ty::Ints), None]),
        };
        let is_static = home == Home::Main;
        methods.push(Method {
            home,
            name: name.into(),
            is_static,
            params,
            result,
            line: 0,
            body: Block::new(),
        });
    }
    methods
}

/// Whether a block's end can be reached, as javac sees it.
fn completes(block: &Block) -> bool {
    block.last().is_none_or(|last| match &last.kind {
        Kind::Return(_) | Kind::Throw(_) | Kind::Jump { .. } => false,
        Kind::If { then, other, .. } => other.as_ref().is_none_or(|o| completes(then) || completes(o)),
        Kind::Try { body, catches, finish: _ } => {
            completes(body) || catches.iter().any(|c| completes(&c.body))
        }
        Kind::Switch { label, arms, .. } => {
            let mut left = !arms.iter().any(|a| a.labels.contains(&None));
            for arm in arms {
                each(&arm.body, &mut |s| {
                    left |= matches!(&s.kind, Kind::Jump { label: to, again: false } if to == label);
                });
            }
            left || arms.last().is_none_or(|a| completes(&a.body))
        }
        _ => true,
    })
}

impl Gen<'_> {
    pub(super) fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    pub(super) fn method(&self) -> &Method {
        &self.methods[self.current]
    }

    /// Whether no other method calls the current one, so its callees may call on.
    pub(super) fn outermost(&self) -> bool {
        self.current == 0 || self.method().home == Home::Worker
    }

    fn body(&mut self) -> Block {
        let count = if self.current == 0 { 7 } else { 4 };
        let mut block = Block::new();
        if self.current == 0 {
            // Initial variables.
            for ty in [Ty::Obj, Ty::Obj] {
                let value = self.new_object();
                self.declare(&mut block, ty, value);
            }
            let ty = *self.rng.pick(&ARRAYS);
            let value = self.expr(ty, 1);
            self.declare(&mut block, ty, value);
        }
        if self.method().home == Home::Worker {
            for name in ["wo", "wa"] {
                let number = super::ast::field(name);
                let value = Expr::Field(number, Some(Box::new(Expr::text("this"))));
                self.declare(&mut block, FIELDS[number].ty, value);
            }
        }
        let more = self.rng.below(3) + count;
        self.fill(&mut block, more, true);
        if let Some(result) = self.method().result
            && completes(&block)
        {
            let value = self.expr(result, 1);
            self.push(&mut block, Kind::Return(Some(value)));
        }
        block
    }

    fn push(&mut self, block: &mut Block, kind: Kind) {
        self.statements += 1;
        block.push(Stmt { line: 0, visible: self.scope.clone(), kind });
    }

    fn fresh(&mut self, ty: Ty) -> Var {
        let taken = |name: &str, gen_: &Gen<'_>| {
            gen_.scope.iter().any(|v| v.name == name) || gen_.hidden.iter().any(|h| h == name)
        };
        let mut number = if self.rng.chance(80) { 0 } else { self.rng.below(4) };
        while taken(&format!("v{number}"), self) {
            number += 1;
        }
        Var { id: self.id(), name: format!("v{number}"), ty, fixed: false }
    }

    fn declare(&mut self, block: &mut Block, ty: Ty, value: Expr) {
        let var = self.fresh(ty);
        self.push(block, Kind::Declare { var: var.clone(), value: Some(value) });
        self.scope.push(var);
    }

    /// A nested block: its declarations end with it. `begin` makes its first statements.
    fn nested(&mut self, count: usize, completing: bool, begin: impl FnOnce(&mut Self, &mut Block)) -> Block {
        let scope = self.scope.len();
        let mut block = Block::new();
        self.depth += 1;
        begin(self, &mut block);
        let count = self.rng.below(count) + 1;
        self.fill(&mut block, count, completing);
        self.depth -= 1;
        self.scope.truncate(scope);
        block
    }

    fn fill(&mut self, block: &mut Block, count: usize, completing: bool) {
        for _ in 0..count {
            let (had, scope) = (block.len(), self.scope.len());
            self.stmt(block);
            if !completes(block) {
                if !completing {
                    return;
                }
                block.truncate(had);
                self.scope.truncate(scope);
            }
        }
        if block.is_empty() {
            self.assign(block);
        }
    }

    fn stmt(&mut self, block: &mut Block) {
        let deep = self.depth >= 3 || self.statements > 40;
        if self.outermost() && self.rng.chance(14) {
            return self.hand_over(block);
        }
        match self.rng.below(if deep { 50 } else { 100 }) {
            0..10 => {
                let mut ty = *self.rng.pick(&[Ty::Int, Ty::Int, Ty::Long, Ty::Bool, Ty::Obj, Ty::Text]);
                if self.rng.chance(35) {
                    ty = *self.rng.pick(&ARRAYS);
                }
                let value = self.expr(ty, 2);
                self.declare(block, ty, value);
            }
            10..16 => self.assign(block),
            16..26 => self.set_field(block),
            26..35 => self.set_element(block),
            35..40 => {
                if let Some(call) = self.call(None) {
                    if self.outermost() {
                        self.push(block, Kind::Run(call));
                    } else {
                        let cond = Expr::Atom(self.id(), Box::new(Expr::text("d > 0")));
                        let visible = self.scope.clone();
                        let then = vec![Stmt { line: 0, visible, kind: Kind::Run(call) }];
                        self.push(block, Kind::If { cond, then, other: None });
                    }
                }
            }
            40..45 => self.leave(block),
            45..47 => self.throw(block),
            47..50 => self.assign(block),
            50..64 => self.branch(block),
            64..69 => self.late(block),
            69..83 => self.repeat(block),
            83..90 => self.switch(block),
            _ => self.attempt(block),
        }
    }

    fn assign(&mut self, block: &mut Block) {
        let free: Vec<Var> = self.scope.iter().filter(|v| !v.fixed && v.ty != Ty::Worker).cloned().collect();
        if free.is_empty() {
            return self.set_field(block);
        }
        let var = self.rng.pick(&free).clone();
        let (op, value) = self.change(var.ty);
        self.push(block, Kind::Assign { var, fresh: false, op, value });
    }

    fn change(&mut self, ty: Ty) -> (Op, Expr) {
        let op = match ty {
            Ty::Int | Ty::Long => *self.rng.pick(&[Op::Set, Op::Set, Op::Add, Op::Inc]),
            _ => Op::Set,
        };
        (op, self.expr(ty, 2))
    }

    fn set_field(&mut self, block: &mut Block) {
        let worker = self.method().home == Home::Worker;
        let fields: Vec<usize> =
            (0..FIELDS.len()).filter(|f| worker || FIELDS[*f].home != Home::Worker).collect();
        let field = *self.rng.pick(&fields);
        let known = &FIELDS[field];
        let owner = match known.home {
            _ if known.is_static => None,
            Home::Worker => Some(Expr::text("this")),
            _ => Some(self.owner()),
        };
        let (op, value) = self.change(known.ty);
        self.push(block, Kind::SetField { field, owner, op, value });
    }

    fn set_element(&mut self, block: &mut Block) {
        let known: Vec<Ty> = self.scope.iter().map(|v| v.ty).filter(|t| t.element().is_some()).collect();
        let ty = if known.is_empty() || self.rng.chance(20) {
            *self.rng.pick(&ARRAYS)
        } else {
            *self.rng.pick(&known)
        };
        let (array, index) = (self.array(ty), self.index());
        let (op, value) = self.change(ty.element().unwrap_or(ty));
        self.push(block, Kind::SetElement { ty, array, index, op, value });
    }

    /// The main thread creates a worker, or hands over to one; a worker hands back.
    fn hand_over(&mut self, block: &mut Block) {
        if self.current > 0 {
            return self.push(block, Kind::Run(Expr::text("pass()")));
        }
        let workers: Vec<String> =
            self.scope.iter().filter(|v| v.ty == Ty::Worker).map(|v| v.name.clone()).collect();
        if !workers.is_empty() && self.rng.chance(65) {
            let name = self.rng.pick(&workers);
            return self.push(block, Kind::Run(Expr::text(format!("{name}.turn()"))));
        }
        // Threads may have equal names.
        let name = *self.rng.pick(&["w", "w", "w", "x", "main"]);
        let whole = self.rng.chance(35);
        let (object, array) = (self.owner(), self.array(Ty::Ints));
        let make = Expr::Parts(vec![
            Part::Text(format!("T#.make(\"{name}\", {whole}, ")),
            Part::Expr(object),
            Part::Text(", ".into()),
            Part::Expr(array),
            Part::Text(")".into()),
        ]);
        self.declare(block, Ty::Worker, make);
    }

    fn branch(&mut self, block: &mut Block) {
        let cond = self.cond(2);
        let place = block.len();
        self.push(block, Kind::If { cond, then: Block::new(), other: None });
        let then = self.nested(3, false, |_, _| {});
        let other = self.rng.chance(45).then(|| self.nested(3, false, |_, _| {}));
        if let Kind::If { then: t, other: o, .. } = &mut block[place].kind {
            (*t, *o) = (then, other);
        }
    }

    /// `int v; if (…) { v = …; } else { v = …; }`: one variable with several ranges.
    fn late(&mut self, block: &mut Block) {
        let ty = *self.rng.pick(&[Ty::Int, Ty::Obj, Ty::Long]);
        let var = self.fresh(ty);
        self.push(block, Kind::Declare { var: var.clone(), value: None });
        self.hidden.push(var.name.clone());
        let cond = self.cond(1);
        let place = block.len();
        self.push(block, Kind::If { cond, then: Block::new(), other: None });
        let mut arms = Vec::new();
        for _ in 0..2 {
            let var = var.clone();
            arms.push(self.nested(2, true, |gen_, block| {
                let value = gen_.expr(ty, 1);
                gen_.push(block, Kind::Assign { var: var.clone(), fresh: true, op: Op::Set, value });
                gen_.scope.push(var);
            }));
        }
        self.hidden.pop();
        let (other, then) = (arms.pop(), arms.pop().unwrap_or_default());
        if let Kind::If { then: t, other: o, .. } = &mut block[place].kind {
            (*t, *o) = (then, other);
        }
        self.scope.push(var);
    }

    fn repeat(&mut self, block: &mut Block) {
        let label = self.id();
        let turns = self.rng.below(3) + 1;
        self.targets.push(Target { label, is_loop: true });
        match self.rng.below(10) {
            0..4 => {
                let scope = self.scope.len();
                let mut var = self.fresh(Ty::Int);
                var.fixed = true;
                let place = block.len();
                let first = Expr::Atom(self.id(), Box::new(Expr::text(format!("{} < {turns}", var.name))));
                self.push(
                    block,
                    Kind::For { label, var: var.clone(), cond: first.clone(), body: Block::new() },
                );
                self.scope.push(var);
                let cond = if self.rng.chance(20) {
                    Expr::And(Box::new(first), Box::new(self.cond(1)))
                } else {
                    first
                };
                let body = self.nested(3, true, |_, _| {});
                self.scope.truncate(scope);
                if let Kind::For { cond: c, body: b, .. } = &mut block[place].kind {
                    (*c, *b) = (cond, body);
                }
            }
            kind => {
                let mut counter = self.fresh(Ty::Int);
                counter.fixed = true;
                let from = Expr::text(turns.to_string());
                self.push(block, Kind::Declare { var: counter.clone(), value: Some(from) });
                self.scope.push(counter.clone());
                let name = counter.name.clone();
                let mut cond = Expr::Atom(self.id(), Box::new(Expr::text(format!("{name} > 0"))));
                if self.rng.chance(35) {
                    cond = Expr::And(Box::new(cond), Box::new(self.cond(1)));
                }
                let down = |gen_: &mut Self, block: &mut Block| {
                    let (var, value) = (counter, Expr::text("-1"));
                    gen_.push(block, Kind::Assign { var, fresh: false, op: Op::Add, value });
                };
                let place = block.len();
                let endless = kind == 4;
                match kind {
                    5..8 => self.push(block, Kind::While { label, cond: Some(cond), body: Block::new() }),
                    4 => self.push(block, Kind::While { label, cond: None, body: Block::new() }),
                    _ => self.push(block, Kind::Do { label, cond, body: Block::new() }),
                }
                let made = self.nested(3, true, |gen_, block| {
                    down(gen_, block);
                    if endless {
                        let done = Expr::Atom(gen_.id(), Box::new(Expr::text(format!("{name} < 0"))));
                        let visible = gen_.scope.clone();
                        let leave = Stmt { line: 0, visible, kind: Kind::Jump { label, again: false } };
                        gen_.push(block, Kind::If { cond: done, then: vec![leave], other: None });
                    }
                });
                if let Kind::While { body, .. } | Kind::Do { body, .. } = &mut block[place].kind {
                    *body = made;
                }
            }
        }
        self.targets.pop();
    }

    fn switch(&mut self, block: &mut Block) {
        let (label, id) = (self.id(), self.id());
        let selector = self.expr(Ty::Int, 1);
        let place = block.len();
        self.push(block, Kind::Switch { label, id, selector, arms: Vec::new() });
        self.targets.push(Target { label, is_loop: false });
        let mut keys: Vec<i32> = vec![0, 1, 2, 3, if self.rng.chance(30) { 500 } else { 4 }];
        let mut made = Vec::new();
        let count = self.rng.below(3) + 2;
        let default_at = self.rng.below(count * 2);
        for number in 0..count {
            let mut labels = Vec::new();
            if number == default_at {
                labels.push(None);
            } else {
                for _ in 0..(if self.rng.chance(25) { 2 } else { 1 }).min(keys.len()) {
                    let key = self.rng.below(keys.len());
                    labels.push(Some(keys.remove(key)));
                }
            }
            if labels.is_empty() {
                break;
            }
            let falls = self.rng.chance(30);
            let mut body = self.nested(2, false, |_, _| {});
            if !falls && completes(&body) {
                self.push(&mut body, Kind::Jump { label, again: false });
            }
            made.push(Arm { labels, body });
        }
        self.targets.pop();
        if let Kind::Switch { arms, .. } = &mut block[place].kind {
            *arms = made;
        }
    }

    fn attempt(&mut self, block: &mut Block) {
        let place = block.len();
        self.push(block, Kind::Try { body: Block::new(), catches: Vec::new(), finish: None });
        let body = self.nested(3, false, |gen_, block| {
            if gen_.rng.chance(60) {
                gen_.throw_maybe(block);
            }
        });
        let mut catches = Vec::new();
        let finish = self.rng.chance(35);
        let mut classes = vec![
            "E1",
            "E2",
            "ArithmeticException",
            "NullPointerException",
            "ArrayStoreException",
            "IndexOutOfBoundsException",
        ];
        let mut count = self.rng.below(2) + usize::from(!finish);
        while count > 0 {
            count -= 1;
            let last = count == 0 && self.rng.chance(60);
            let class = if last { "RuntimeException" } else { classes.remove(self.rng.below(classes.len())) };
            let mut var = self.fresh(Ty::Obj);
            var.name = format!("e{}", self.depth);
            let id = self.id();
            let body = self.nested(2, false, |_, _| {});
            catches.push(Catch { id, class, var, line: 0, body });
        }
        let finish = finish.then(|| {
            let id = self.id();
            let outer = (self.floor, self.in_finally);
            (self.floor, self.in_finally) = (self.targets.len(), true);
            let body = self.nested(2, true, |_, _| {});
            (self.floor, self.in_finally) = outer;
            Finish { id, body }
        });
        if let Kind::Try { body: b, catches: c, finish: f } = &mut block[place].kind {
            (*b, *c, *f) = (body, catches, finish);
        }
    }

    fn throw_maybe(&mut self, block: &mut Block) {
        let cond = self.cond(1);
        let class = *self.rng.pick(&["E1", "E2"]);
        let throw = Stmt { line: 0, visible: self.scope.clone(), kind: Kind::Throw(class) };
        self.push(block, Kind::If { cond, then: vec![throw], other: None });
    }

    fn throw(&mut self, block: &mut Block) {
        if self.depth > 0 && self.rng.chance(40) {
            let class = *self.rng.pick(&["E1", "E2"]);
            self.push(block, Kind::Throw(class));
        } else {
            self.throw_maybe(block);
        }
    }

    fn leave(&mut self, block: &mut Block) {
        if self.depth == 0 {
            return self.set_field(block);
        }
        let open: Vec<(u32, bool)> =
            self.targets.iter().skip(self.floor).map(|t| (t.label, t.is_loop)).collect();
        if !open.is_empty() && self.rng.chance(70) {
            let (label, is_loop) = *self.rng.pick(&open);
            let again = is_loop && self.rng.chance(40);
            self.push(block, Kind::Jump { label, again });
        } else if !self.in_finally && self.current > 1 {
            let value = self.method().result.map(|ty| self.expr(ty, 1));
            self.push(block, Kind::Return(value));
        } else {
            self.set_field(block);
        }
    }
}
