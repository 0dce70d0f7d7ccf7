//! What calls have covered of the data flow: def-use chains (JHyde §2.4). A chain is a variable, the instruction that defines it and one that
//! uses it, with no other definition between.
//!
//! - Variables are local variables and parameters, by slot; a parameter is defined by the method's entry. `this` is none: nothing defines it
//!   anew, so that it would tell no more than how long the method is.
//! - Fields are variables too, by the class and the name by which instructions name them, and elements by the type of their array's elements:
//!   whose field and which element it is makes no difference. So that is an approximation, and only what one call defines and uses itself
//!   counts: what a call of another method defines between is not seen.
//!
//! Reads are not recorded. So the way of a call is laid out anew from the branches that it took and the handlers that began: behind each of
//! these follows a *stretch* of code without a choice, which is known from the class file. Where there is none, or less was recorded of a
//! method than its branches, its calls cover nothing.

use super::covered::finish;
use crate::classes::ClassPool;
use crate::declarative::{Coverage, CoverageMaker};
use crate::session::error::SessionError;
use crate::trace::{Calls, Level, Method, Then, Traced};
use bytecode::{Code, FieldRef, Op};
use std::collections::{HashMap, HashSet};

/// A chain: the method, the variable by its number there, the instruction that defines it, and the one that uses it.
type Chain = (u32, usize, u32, u32);

/// What defines a parameter: no instruction.
const ENTRY: u32 = u32::MAX;

/// What is defined and used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Variable {
    Local(u16),
    Field(FieldRef),
    Element(bytecode::op::Element),
}

/// Where a stretch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Begins {
    Entry,
    /// The branch, and where execution goes on behind it.
    Branch(u32, u32),
    Handler(u32),
}

/// What is known of a piece of code without a choice.
#[derive(Debug, Default)]
struct Stretch {
    /// The chains that begin and end in it.
    inside: Vec<u32>,
    /// What it uses before it defines it: the variable, the instruction, and the chains that end there, by what defines it.
    uses: Vec<(usize, u32, Vec<(u32, u32)>)>,
    /// What it defines: the variable, and the last instruction that does.
    defines: Vec<(usize, u32)>,
}

/// A call that is open.
#[derive(Debug, Default)]
struct Open {
    /// By variable: what has defined it last.
    defined: Vec<Option<u32>>,
    covered: HashSet<u32>,
    /// The stretches whose own chains are covered.
    passed: HashSet<usize>,
}

/// What is known of a method.
#[derive(Debug, Default)]
struct Known {
    code: Option<Code>,
    /// The slots of its parameters.
    parameters: Vec<u16>,
    variables: HashMap<Variable, usize>,
    stretches: HashMap<Begins, Option<usize>>,
}

/// Which def-use chains each call has covered.
///
/// # Errors
/// The events cannot be read.
pub fn chains(calls: &mut Calls, pool: Option<&ClassPool>) -> Result<Coverage, SessionError> {
    let mut maker: CoverageMaker<Chain> = CoverageMaker::new(calls.count());
    let mut known: Vec<Known> = calls.sites.methods().iter().map(|method| Known::new(method, pool)).collect();
    let mut stretches: Vec<Stretch> = Vec::new();
    for (thread, ..) in calls.threads() {
        let mut open: Vec<(u32, Open)> = Vec::new();
        calls.walk(thread, None, |_, seen| {
            let Some(node) = seen.node else { return Then::Next };
            let begins = match seen.site.what {
                Traced::Enter => Begins::Entry,
                Traced::Branch(to) => Begins::Branch(seen.site.bci, to.into()),
                Traced::Catch => Begins::Handler(seen.site.bci),
                _ => return Then::Next,
            };
            let mut end = |node, ended: Open| maker.call(node, ended.covered.into_iter().collect());
            if begins == Begins::Entry {
                let around = seen.around;
                finish(&mut open, |other| Some(other) != around, &mut end);
                open.push((node, Open::default()));
            } else {
                finish(&mut open, |other| other != node, &mut end);
            }
            let method = usize::try_from(seen.site.method).ok().and_then(|number| known.get_mut(number));
            let (Some(method), Some((_, call))) = (method, open.last_mut()) else { return Then::Next };
            let stretch = method.stretch(begins, seen.site.method, &mut stretches, &mut maker);
            if let Some((number, stretch)) = stretch.and_then(|at| Some((at, stretches.get_mut(at)?))) {
                if begins == Begins::Entry {
                    for (variable, at) in method.entry() {
                        define(&mut call.defined, variable, at);
                    }
                }
                pass(call, (number, stretch), |variable, from, to| {
                    maker.entity((seen.site.method, variable, from, to))
                });
            }
            Then::Next
        })?;
        finish(
            &mut open,
            |_| true,
            |node, ended: Open| {
                maker.call(node, ended.covered.into_iter().collect());
            },
        );
    }
    Ok(maker.finish())
}

/// A call goes through a stretch. If an exception ends it half way, what follows in it counts all the same: where it was thrown is not recorded.
fn pass(
    call: &mut Open,
    (number, stretch): (usize, &mut Stretch),
    mut chain: impl FnMut(usize, u32, u32) -> u32,
) {
    for (variable, to, known) in &mut stretch.uses {
        // A field that the call has not written was written by another one.
        let Some(from) = call.defined.get(*variable).copied().flatten() else { continue };
        let entity = match known.iter().find(|(other, _)| *other == from) {
            Some((_, entity)) => *entity,
            None => {
                let entity = chain(*variable, from, *to);
                known.push((from, entity));
                entity
            }
        };
        call.covered.insert(entity);
    }
    if call.passed.insert(number) {
        call.covered.extend(&stretch.inside);
    }
    for (variable, at) in &stretch.defines {
        define(&mut call.defined, *variable, *at);
    }
}

fn define(defined: &mut Vec<Option<u32>>, variable: usize, at: u32) {
    if defined.len() <= variable {
        defined.resize(variable + 1, None);
    }
    if let Some(last) = defined.get_mut(variable) {
        *last = Some(at);
    }
}

impl Known {
    fn new(method: &Method, pool: Option<&ClassPool>) -> Known {
        let find = || {
            let class = pool.filter(|_| method.level == Level::All)?.find(&method.class).ok()??;
            class.file.method(&method.name, &method.descriptor)?.code.clone()
        };
        let slots = bytecode::descriptor::parameter_slots(&method.descriptor, method.is_static);
        Known {
            code: find(),
            parameters: slots.into_iter().map(|(slot, _)| slot).collect(),
            ..Known::default()
        }
    }

    fn variable(&mut self, variable: Variable) -> usize {
        let next = self.variables.len();
        *self.variables.entry(variable).or_insert(next)
    }

    /// What the entry of the method defines.
    fn entry(&mut self) -> Vec<(usize, u32)> {
        let slots = self.parameters.clone();
        slots.into_iter().map(|slot| (self.variable(Variable::Local(slot)), ENTRY)).collect()
    }

    /// The number of the stretch that begins there; none where the class file has no such place.
    fn stretch(
        &mut self,
        begins: Begins,
        method: u32,
        all: &mut Vec<Stretch>,
        maker: &mut CoverageMaker<Chain>,
    ) -> Option<usize> {
        if let Some(known) = self.stretches.get(&begins) {
            return *known;
        }
        let accesses = self.code.as_ref().and_then(|code| Some(accesses(code, from(code, begins)?)));
        let number = accesses.map(|accesses| {
            let mut stretch = Stretch::default();
            for (variable, at, defines) in accesses {
                let variable = self.variable(variable);
                let last = stretch.defines.iter_mut().find(|(other, _)| *other == variable);
                match (last, defines) {
                    (Some((_, last)), true) => *last = at,
                    (None, true) => stretch.defines.push((variable, at)),
                    (Some((_, last)), false) => {
                        stretch.inside.push(maker.entity((method, variable, *last, at)));
                    }
                    (None, false) => stretch.uses.push((variable, at, Vec::new())),
                }
            }
            all.push(stretch);
            all.len() - 1
        });
        self.stretches.insert(begins, number);
        number
    }
}

/// The first instruction of a stretch; none where the code is not such that one can begin there.
fn from(code: &Code, begins: Begins) -> Option<u32> {
    match begins {
        Begins::Entry => code.instructions.first().map(|first| first.pc),
        Begins::Branch(at, to) => {
            let branch = code.at(at).filter(|branch| branch.op.is_branch())?;
            let falls = !branch.op.ends_flow() && branch.next_pc() == to;
            (falls || branch.op.targets().contains(&to)).then_some(to)
        }
        Begins::Handler(at) => code.handlers.iter().any(|handler| handler.handler_pc == at).then_some(at),
    }
}

/// What is used and defined from an instruction on until there is a choice or an end, in that order: the variable, the instruction, and whether
/// it defines it. An endless loop without a choice is gone through twice, so that it uses what its turn before has defined. Subroutines
/// (`jsr`, which no compiler has made since Java 6) end it.
fn accesses(code: &Code, from: u32) -> Vec<(Variable, u32, bool)> {
    let mut found = Vec::new();
    let mut visits: HashMap<u32, u8> = HashMap::new();
    let mut next = Some(from);
    while let Some(instruction) = next.take().and_then(|pc| code.at(pc)) {
        let times = visits.entry(instruction.pc).or_default();
        if *times == 2 {
            break;
        }
        *times += 1;
        let mut access = |variable, defines| found.push((variable, instruction.pc, defines));
        match &instruction.op {
            Op::Load { slot, .. } => access(Variable::Local(*slot), false),
            Op::Store { slot, .. } => access(Variable::Local(*slot), true),
            Op::Iinc { slot, .. } => {
                access(Variable::Local(*slot), false);
                access(Variable::Local(*slot), true);
            }
            Op::GetField(field) | Op::GetStatic(field) => access(Variable::Field(field.clone()), false),
            Op::PutField(field) | Op::PutStatic(field) => access(Variable::Field(field.clone()), true),
            Op::ArrayLoad(of) => access(Variable::Element(*of), false),
            Op::ArrayStore(of) => access(Variable::Element(*of), true),
            _ => {}
        }
        next = match &instruction.op {
            Op::Goto { target } => Some(*target),
            op if op.is_branch() || op.ends_flow() || matches!(op, Op::Jsr { .. }) => None,
            _ => code.successor(instruction.pc),
        };
    }
    found
}
