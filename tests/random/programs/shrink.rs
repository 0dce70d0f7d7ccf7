//! Makes a program smaller while it still shows an error: removes statements, blocks, parts of conditions and
//! values, many candidates at a time.

use super::ast::{Block, Expr, FIELDS, Kind, Op, Program, Stmt, Ty, blocks, blocks_mut, each, field};
use super::render::render;

/// Number of candidates tried together.
const TOGETHER: usize = 10;

#[derive(Clone, Copy, Debug)]
enum Edit {
    /// Removes some statements of a block.
    Drop(usize),
    /// Replaces the statement by a block inside it.
    Unwrap(usize),
    /// Removes an `else`, a `catch`, a `finally` or a `case`.
    Less(usize),
    /// Keeps one side of its condition.
    Side(usize),
    /// Assigns a literal.
    Plain,
}

/// Makes a program smaller while `fails` returns true for candidates. Calls it `most` times at most. `fails`
/// answers for each candidate, with false for one that does not compile.
pub fn shrink(
    program: &Program,
    most: usize,
    mut fails: impl FnMut(&mut [Program]) -> Vec<bool>,
) -> (Program, usize) {
    let mut best = program.clone();
    let (mut asked, mut made) = (0, 0);
    let (mut at, mut since) = (0, 0);
    let mut steps = steps_of(&best);
    loop {
        if asked == most || since >= steps.len() {
            best.number = program.seed;
            return (best, asked);
        }
        let mut some: Vec<Program> = Vec::new();
        let now = size(&best);
        while some.len() < TOGETHER && since < steps.len() {
            let step = steps[at % steps.len()];
            (at, since) = (at + 1, since + 1);
            some.extend(step.apply(&best).filter(|p| size(p) < now));
        }
        for candidate in &mut some {
            made += 1;
            candidate.number = program.seed * 10_000 + made;
        }
        if some.is_empty() {
            continue;
        }
        asked += 1;
        let failed = fails(&mut some);
        let found = some.into_iter().zip(failed).filter(|(_, f)| *f).map(|(p, _)| p).min_by_key(size);
        if let Some(found) = found {
            best = found;
            steps = steps_of(&best);
            since = 0;
        }
    }
}

/// An edit of one statement of a method; without an edit, the whole body is removed.
#[derive(Clone, Copy, Debug)]
struct Step {
    method: usize,
    edit: Option<(Edit, usize)>,
}

impl Step {
    fn apply(self, program: &Program) -> Option<Program> {
        let Some((edit, number)) = self.edit else { return Some(emptied(program, self.method)) };
        let mut candidate = program.clone();
        let mut gone = Vec::new();
        let body = &mut candidate.methods[self.method].body;
        if !change(body, &mut Some(number), edit, &mut gone) {
            return None;
        }
        hide(body, &gone);
        Some(candidate)
    }
}

/// The length of its text.
fn size(program: &Program) -> usize {
    let mut program = program.clone();
    program.number = 0;
    render(&mut program).0.len()
}

/// All edits of a program, the largest removals first.
fn steps_of(program: &Program) -> Vec<Step> {
    let mut found: Vec<Step> = (1..program.methods.len()).map(|method| Step { method, edit: None }).collect();
    let mut edits: Vec<Edit> = [8, 4, 2, 1].map(Edit::Drop).to_vec();
    for number in 0..4 {
        edits.extend([Edit::Unwrap(number), Edit::Less(number)]);
    }
    edits.extend([Edit::Side(0), Edit::Side(1), Edit::Plain]);
    for edit in edits {
        for method in 0..program.methods.len() {
            let mut count = 0;
            each(&program.methods[method].body, &mut |_| count += 1);
            found.extend((0..count).map(|number| Step { method, edit: Some((edit, number)) }));
        }
    }
    found
}

/// The program with an empty method body.
fn emptied(program: &Program, method: usize) -> Program {
    let mut candidate = program.clone();
    let known = &mut candidate.methods[method];
    let kind = match known.result {
        Some(ty) => Kind::Return(Some(literal(ty))),
        None => {
            let number = field("s2");
            Kind::SetField { field: number, owner: None, op: Op::Set, value: literal(FIELDS[number].ty) }
        }
    };
    known.body = vec![Stmt { line: 0, visible: known.params.clone(), kind }];
    candidate
}

/// Edits the `number`th statement of a block and its nested blocks; false if the edit does not apply.
fn change(block: &mut Block, number: &mut Option<usize>, edit: Edit, gone: &mut Vec<u32>) -> bool {
    let mut at = 0;
    while at < block.len() {
        match number {
            Some(0) => {
                *number = None;
                return apply(block, at, edit, gone);
            }
            Some(n) => *n -= 1,
            None => return false,
        }
        for inner in blocks_mut(&mut block[at]) {
            if change(inner, number, edit, gone) {
                return true;
            }
        }
        at += 1;
    }
    false
}

fn apply(block: &mut Block, at: usize, edit: Edit, gone: &mut Vec<u32>) -> bool {
    match edit {
        // An empty block is a different case for javac.
        Edit::Drop(many) => {
            let fits = at + many <= block.len() && many < block.len();
            if fits {
                each(&block.drain(at..at + many).collect(), &mut |s| gone.extend(gives_value(s)));
            }
            fits
        }
        Edit::Unwrap(number) => {
            let inner = blocks(&block[at]).get(number).map(|b| (*b).clone());
            // Removing a loop or handler also removes its variable.
            gone.extend(gives_value(&block[at]));
            let fits = inner.is_some();
            if let Some(inner) = inner {
                block.splice(at..=at, inner);
            }
            fits
        }
        Edit::Less(number) => less(&mut block[at].kind, number),
        Edit::Side(number) => match &mut block[at].kind {
            Kind::If { cond, .. }
            | Kind::While { cond: Some(cond), .. }
            | Kind::Do { cond, .. }
            | Kind::For { cond, .. } => side(cond, number),
            _ => false,
        },
        Edit::Plain => plain(&mut block[at].kind),
    }
}

/// Variables that a statement assigns.
fn gives_value(s: &Stmt) -> Vec<u32> {
    match &s.kind {
        Kind::Declare { var, .. } | Kind::Assign { var, fresh: true, .. } | Kind::For { var, .. } => {
            vec![var.id]
        }
        Kind::Try { catches, .. } => catches.iter().map(|c| c.var.id).collect(),
        _ => Vec::new(),
    }
}

/// Hides variables without a value from questions.
fn hide(block: &mut Block, gone: &[u32]) {
    for stmt in block {
        stmt.visible.retain(|v| !gone.contains(&v.id));
        blocks_mut(stmt).into_iter().for_each(|b| hide(b, gone));
    }
}

fn less(kind: &mut Kind, number: usize) -> bool {
    match kind {
        Kind::If { other, .. } if number == 0 => other.take().is_some(),
        Kind::Try { catches, finish, .. } if number == 3 => !catches.is_empty() && finish.take().is_some(),
        Kind::Try { catches, finish, .. }
            if number < catches.len() && catches.len() + usize::from(finish.is_some()) > 1 =>
        {
            catches.remove(number);
            true
        }
        Kind::Switch { arms, .. } if number < arms.len() && arms.len() > 1 => {
            arms.remove(number);
            true
        }
        _ => false,
    }
}

fn side(cond: &mut Expr, number: usize) -> bool {
    let kept = match cond {
        Expr::And(a, b) | Expr::Or(a, b) | Expr::Choice(_, a, b) => {
            if number == 0 {
                (**a).clone()
            } else {
                (**b).clone()
            }
        }
        Expr::Not(a) if number == 0 => (**a).clone(),
        _ => return false,
    };
    *cond = kept;
    true
}

fn plain(kind: &mut Kind) -> bool {
    let (ty, value) = match kind {
        Kind::Declare { var, value: Some(value) } | Kind::Assign { var, op: Op::Set, value, .. } => {
            (var.ty, value)
        }
        Kind::SetField { field, op: Op::Set, value, .. } => (FIELDS[*field].ty, value),
        Kind::SetElement { ty, op: Op::Set, value, .. } => (ty.element().expect("an array"), value),
        _ => return false,
    };
    *value = literal(ty);
    true
}

fn literal(ty: Ty) -> Expr {
    Expr::text(match ty {
        Ty::Int => "1",
        Ty::Long => "4L",
        Ty::Bool => "true",
        Ty::Text => "\"a\"",
        Ty::Obj | Ty::Worker => "null",
        Ty::Ints => "(new int[2])",
        Ty::Longs => "(new long[2])",
        Ty::Bools => "(new boolean[3])",
        Ty::Texts => "(new String[2])",
        Ty::Objs => "(new O#[2])",
        Ty::Grid => "(new int[2][2])",
    })
}
