//! Finds the source line of the value that an instruction uses. javac gives a store behind a `switch`
//! expression or a `?:` the line of the last arm in the code, whichever arm ran; that of Java 25 gives it the
//! line on which the `switch` expression ends. The line table alone is therefore not enough: the arm follows
//! from the instruction that executed before.

use crate::cfg::{Cfg, normal_edges};
use crate::class::Code;
use crate::control::{Dominance, dominators};
use crate::lines::line_of;
use crate::op::{Constant, Op};
use crate::producers::passes;
use crate::stack::{depths, effect};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The arms of the conditional and `switch` expressions of one method.
#[derive(Debug)]
pub struct Arms<'a> {
    code: &'a Code,
    cfg: Cfg,
    dominance: Dominance,
    depths: Vec<Option<u16>>,
    /// Positions of the predecessors of each instruction in normal control flow.
    before: Vec<Vec<usize>>,
    /// Code indices at which an entry of the line table begins.
    starts: HashSet<u32>,
}

/// Identifies the arm that produced an instruction's value, by the mark that ran last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArmLines {
    /// Marker instructions with their lines. The marker that ran last in the activation gives the line. Every
    /// path to the instruction passes a marker.
    pub marks: BTreeMap<u32, u32>,
    /// The first line of the statement.
    pub statement: Option<u32>,
}

/// The source lines of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueLines {
    /// The line that produced it. If several lines are possible, the first line of the statement.
    pub line: Option<u32>,
    /// The first line of the statement that stored or returned it.
    pub statement: Option<u32>,
    /// The possible lines, if it is unknown which of them produced the value.
    pub open: Vec<u32>,
}

impl ArmLines {
    /// The source lines of the value, given the marker that ran last before it was stored or returned.
    pub fn value_lines(&self, arm: Option<u32>) -> ValueLines {
        let statement = self.statement;
        let known = arm.and_then(|arm| self.marks.get(&arm)).copied();
        let only = self.marks.values().next().copied().filter(|_| !self.is_open());
        match known.or(only) {
            Some(line) => ValueLines { line: Some(line), statement, open: Vec::new() },
            None => ValueLines { line: statement, statement, open: self.lines().into_iter().collect() },
        }
    }

    /// All lines that can have produced the value, ascending.
    pub fn lines(&self) -> BTreeSet<u32> {
        self.marks.values().copied().collect()
    }

    /// Whether several lines can have produced the value, so that only a run can tell which one did.
    pub fn is_open(&self) -> bool {
        self.lines().len() > 1
    }
}

impl<'a> Arms<'a> {
    /// Analyses a method. `None` if it has no line table or contains subroutines (`jsr`).
    pub fn new(code: &'a Code) -> Option<Arms<'a>> {
        let has_subroutines =
            code.instructions.iter().any(|i| matches!(i.op, Op::Jsr { .. } | Op::Ret { .. }));
        if code.lines.is_empty() || has_subroutines {
            return None;
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); code.instructions.len()];
        for position in 0..code.instructions.len() {
            for (target, _) in normal_edges(code, position) {
                if let Some(known) = code.index_of(target).and_then(|to| before.get_mut(to))
                    && !known.contains(&position)
                {
                    known.push(position);
                }
            }
        }
        let starts = code.lines.iter().map(|row| row.start_pc).collect();
        // An arm can catch an exception; the deciding instruction is then before its `try`.
        let (cfg, dominance) = (Cfg::new(code), dominators(code, true));
        Some(Arms { code, cfg, dominance, depths: depths(code), before, starts })
    }

    /// The lines that can have produced the value that the instruction at `pc` stores or returns. `None` if
    /// there is no instruction at `pc` or it is unreachable.
    pub fn of(&self, pc: u32) -> Option<ArmLines> {
        let position = self.code.index_of(pc)?;
        self.depth(position)?;
        let own = |pc: u32| line_of(self.code, pc).map(|line| BTreeMap::from([(pc, line)]));
        let marks = if matches!(self.op(position), Some(Op::Return(Some(_)))) {
            // A `return` has its own entry in the line table, so its value was produced earlier.
            let from = self.kept_by(position).unwrap_or(position);
            let marks = self.marks(self.before(from).to_vec());
            if marks.values().collect::<BTreeSet<_>>().len() > 1 { marks } else { own(pc)? }
        } else {
            self.marks(vec![position])
        };
        let statement = self.statement(position);
        Some(ArmLines { marks, statement })
    }

    /// The last instructions of the arms between which a condition chose the value that the instruction at
    /// `pc` stores or returns. Empty if no condition chose it.
    pub fn choices(&self, pc: u32) -> Vec<u32> {
        let Some(position) = self.code.index_of(pc) else { return Vec::new() };
        let uses = |op: &Op| {
            matches!(
                op,
                Op::Store { .. }
                    | Op::PutField(_)
                    | Op::PutStatic(_)
                    | Op::ArrayStore(_)
                    | Op::Return(Some(_))
            )
        };
        let Some(op) = self.op(position).filter(|op| uses(op)) else { return Vec::new() };
        let user = match op {
            Op::Return(_) => self.kept_by(position).unwrap_or(position),
            _ => position,
        };
        let (Some(op), Some(depth)) = (self.op(user), self.depth(user)) else { return Vec::new() };
        // The statement begins where the operand stack holds nothing of it.
        let below = depth.saturating_sub(effect(op).0);
        let (mut work, mut found, mut seen) = (vec![user], BTreeSet::new(), HashSet::new());
        while let Some(position) = work.pop() {
            if !seen.insert(position) {
                continue;
            }
            match self.chosen_at(position, user, below) {
                Some(join) => work.extend(self.before(join)),
                None if position == user => {}
                None => found.extend(self.code.instructions.get(position).map(|i| i.pc)),
            }
        }
        found.into_iter().collect()
    }

    /// The join of arms between an instruction and the start of its statement or arm, if the value of the arm
    /// goes on to the user unchanged. An arm that is an argument or an operand gives another value.
    fn chosen_at(&self, position: usize, user: usize, below: u16) -> Option<usize> {
        let mut at = position;
        while self.depth(at)? > below {
            if at != user && !self.passes_on(at) {
                return None;
            }
            match self.before(at) {
                [from] if from + 1 == at && self.op(*from)?.targets().is_empty() => at = *from,
                [] | [_] => return None,
                _ => return self.has_pushed(at).then_some(at),
            }
        }
        None
    }

    /// Whether the value on top of the operand stack is the same behind an instruction, or a conversion of
    /// it.
    fn passes_on(&self, at: usize) -> bool {
        match self.op(at) {
            Some(Op::Invoke { kind, method }) => passes(*kind, method),
            Some(
                Op::Goto { .. }
                | Op::Nop
                | Op::CheckCast(_)
                | Op::Convert { .. }
                | Op::Dup
                | Op::DupX1
                | Op::DupX2
                | Op::Dup2
                | Op::Dup2X1
                | Op::Dup2X2
                | Op::Store { .. }
                | Op::PutField(_)
                | Op::PutStatic(_)
                | Op::ArrayStore(_),
            ) => true,
            _ => false,
        }
    }

    /// The store that saves a return value while a `finally` block runs. javac uses a slot without a name for
    /// it.
    fn kept_by(&self, position: usize) -> Option<usize> {
        let load = position.checked_sub(1)?;
        let Some(Op::Load { slot, .. }) = self.op(load) else { return None };
        let pc = self.code.instructions.get(load)?.pc;
        if !self.code.has_variable_table || crate::stores::variable_in_slot(self.code, *slot, pc).is_some() {
            return None;
        }
        let earlier = self.code.instructions.get(..load)?;
        earlier.iter().rposition(|i| matches!(&i.op, Op::Store { slot: other, .. } if other == slot))
    }

    fn op(&self, position: usize) -> Option<&Op> {
        self.code.instructions.get(position).map(|i| &i.op)
    }

    fn depth(&self, position: usize) -> Option<u16> {
        self.depths.get(position).copied().flatten()
    }

    fn before(&self, position: usize) -> &[usize] {
        self.before.get(position).map(Vec::as_slice).unwrap_or_default()
    }

    fn starts_line(&self, position: usize) -> bool {
        self.code.instructions.get(position).is_some_and(|i| self.starts.contains(&i.pc))
    }

    /// The instructions that identify the arm from which control reached one of `work`.
    fn marks(&self, mut work: Vec<usize>) -> BTreeMap<u32, u32> {
        let mut found = BTreeMap::new();
        let mut seen = HashSet::new();
        while let Some(position) = work.pop() {
            if !seen.insert(position) {
                continue;
            }
            match self.joined_at(position) {
                Some(join) => work.extend(self.before(join)),
                None => {
                    let pc = self.code.instructions.get(position).map(|i| i.pc);
                    found.extend(pc.and_then(|pc| Some((pc, line_of(self.code, pc)?))));
                }
            }
        }
        found
    }

    /// The join of arms between an instruction and the start of its line table entry. At a join, the entry
    /// belongs to the arm that is last in the code. `None` if the entry is correct.
    fn joined_at(&self, position: usize) -> Option<usize> {
        let mut at = position;
        loop {
            let before = self.before(at);
            if self.starts_line(at) {
                return self.ends_switch(at).then_some(at);
            }
            match before {
                [from] if from + 1 == at => at = *from,
                // An arm begins where one branch leads, and a handler where none does.
                [] | [_] => return None,
                _ => return self.is_join(at).then_some(at),
            }
        }
    }

    /// Whether the paths that meet here have evaluated something: they have pushed a value, or decided
    /// whether `true` or `false` is pushed here.
    fn is_join(&self, at: usize) -> bool {
        match self.op(at) {
            Some(Op::Goto { .. } | Op::Const(Constant::Int(0 | 1))) => true,
            _ => self.has_pushed(at),
        }
    }

    /// Whether the paths that meet here have pushed a value.
    fn has_pushed(&self, at: usize) -> bool {
        let decided = self.decided_by(at).and_then(|from| self.depth_behind(from));
        self.depth(at).is_some_and(|here| here > decided.unwrap_or(0))
    }

    /// Whether the line table entry that begins here has the last line of a `switch` expression. A call or an
    /// access on a chosen object has an entry too, and made the value itself.
    fn ends_switch(&self, at: usize) -> bool {
        let makes_value = match self.op(at) {
            Some(Op::Invoke { kind, method }) => !passes(*kind, method),
            Some(Op::InvokeDynamic { .. } | Op::GetField(_) | Op::ArrayLoad(_)) => true,
            _ => false,
        };
        !makes_value && self.before(at).len() > 1 && self.has_pushed(at)
    }

    /// The last instruction that lies on every path to a join.
    fn decided_by(&self, at: usize) -> Option<usize> {
        let pc = self.code.instructions.get(at)?.pc;
        let block = self.dominance.immediate_block(pc)?;
        self.code.index_of(self.cfg.last_pc(self.cfg.block_at(block)?)?)
    }

    fn depth_behind(&self, position: usize) -> Option<u16> {
        let (pops, pushes) = effect(self.op(position)?);
        Some(self.depth(position)?.saturating_sub(pops).saturating_add(pushes))
    }

    /// The first line of the statement that the instruction ends: on every path to it, the last line table
    /// entry at which the operand stack held nothing of the statement.
    fn statement(&self, position: usize) -> Option<u32> {
        let (pops, _) = effect(self.op(position)?);
        let below = self.depth(position)?.saturating_sub(pops);
        let mut at = position;
        // Each step moves up the dominator tree.
        for _ in 0..=self.code.instructions.len() {
            if self.starts_line(at) && self.depth(at).is_some_and(|depth| depth <= below) {
                break;
            }
            let up = match self.before(at) {
                [from] => Some(*from),
                [] => None,
                _ => self.decided_by(at),
            };
            match up {
                Some(up) => at = up,
                None => break,
            }
        }
        line_of(self.code, self.code.instructions.get(at)?.pc)
    }
}
