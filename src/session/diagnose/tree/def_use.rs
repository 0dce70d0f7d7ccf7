//! What calls have covered of the data flow: def-use chains (JHyde §2.4). A chain is a variable, the
//! statement that defines it and one that uses it, with no other definition between.
//!
//! - A statement is a row of the method's table of lines; where there is no table, each instruction is one.
//! - Variables are local variables and parameters, by slot; a parameter is defined by the method's entry.
//!   `this` is none: nothing defines it anew, so that it would tell no more than how long the method is.
//! - Fields are variables too, by the class and the name by which instructions name them, and elements by the
//!   type of their array's elements: whose field and which element it is makes no difference. So that is an
//!   approximation, and only what one call defines and uses itself counts: what a call of another method
//!   defines between is not seen.
//!
//! Reads are not recorded. So the way of a call is laid out anew in stretches (`stretch`). Where there is no
//! class file, or less was recorded of a method than its branches, its calls cover nothing. Where loops are
//! nodes, a stretch counts for the one in which it ends.

use super::nodes::{Along, Gathered, Nodes};
use crate::classes::ClassPool;
use crate::declarative::{Coverage, CoverageBuilder};
use crate::session::error::SessionError;
use crate::slice::stretch::{Begins, code_of, stretch};
use crate::trace::{Calls, Method, Traced, WalkControl};
use bytecode::{Code, FieldRef, Op};
use std::collections::{HashMap, HashSet};

/// A chain: the method, the variable by its number there, the statement that defines it, and the one that
/// uses it.
type Chain = (u32, usize, u32, u32);

/// A variable that is used or defined, the place of the instruction in its stretch, and whether it defines
/// it.
type Accessed = (Variable, usize, bool);

/// What defines a parameter: no statement.
const ENTRY: u32 = u32::MAX;

/// What is defined and used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Variable {
    Local(u16),
    Field(FieldRef),
    Element(bytecode::op::Element),
}

/// What is known of a piece of code without a choice.
#[derive(Debug, Default)]
struct Stretch {
    /// Its instructions, in the order in which they execute.
    instructions: Vec<u32>,
    /// What they use and define.
    accesses: Vec<Access>,
    /// The chains that begin and end in it.
    inside: Vec<u32>,
    /// What it uses before it defines it.
    uses: Vec<Use>,
    /// What it defines: the variable, and the last statement that does.
    defines: Vec<(usize, u32)>,
}

/// A use of what was defined before the stretch.
#[derive(Debug)]
struct Use {
    /// The variable.
    variable: usize,
    /// The first instruction of its statement.
    at: u32,
    /// The chains that end there, by what defines the variable.
    chains: Vec<(u32, u32)>,
}

/// A use or a definition.
#[derive(Clone, Copy, Debug)]
struct Access {
    /// The variable.
    variable: usize,
    /// The place of its instruction in the stretch.
    place: usize,
    /// The first instruction of its statement.
    at: u32,
    /// Whether it defines the variable.
    defines: bool,
}

/// A call that is open, or a part of it.
#[derive(Debug, Default)]
struct Open {
    /// The number of its method.
    method: u32,
    /// By variable: what has defined it last.
    defined: Vec<Option<u32>>,
    covered: HashSet<u32>,
    /// The stretches whose own chains are covered.
    passed: HashSet<usize>,
    /// The stretch in which it is.
    inside: Option<usize>,
    /// What was recorded last in that: the instruction, and whether it was done then.
    reached: Option<(u32, bool)>,
}

impl Gathered for Open {
    fn inner(&mut self) -> Open {
        let mut inner = Open { method: self.method, ..Open::default() };
        inner.back(self);
        inner
    }

    fn back(&mut self, inner: &mut Open) {
        self.defined = std::mem::take(&mut inner.defined);
        (self.inside, self.reached) = (inner.inside.take(), inner.reached.take());
    }
}

/// What is known of a method.
#[derive(Debug, Default)]
struct Known {
    code: Option<Code>,
    /// The first instructions of its statements, in order.
    statements: Vec<u32>,
    /// The slots of its parameters.
    parameters: Vec<u16>,
    variables: HashMap<Variable, usize>,
    stretches: HashMap<Begins, Option<usize>>,
}

/// Which def-use chains each node has covered.
///
/// # Errors
/// The events cannot be read.
pub fn chains(calls: &mut Calls, nodes: &Nodes, pool: Option<&ClassPool>) -> Result<Coverage, SessionError> {
    let mut maker: CoverageBuilder<Chain> = CoverageBuilder::new(nodes.count(calls.count()));
    let mut known: Vec<Known> = calls.sites.methods().iter().map(|method| Known::new(method, pool)).collect();
    let mut all: Vec<Stretch> = Vec::new();
    for (thread, ..) in calls.threads() {
        let mut along: Along<Open> = Along::new(nodes, calls.of_thread(thread).start);
        calls.walk(thread, None, |_, seen| {
            let number = seen.site.method;
            let call = along.step(seen, |node, mut call| {
                call.cut_short(call.method, &mut all, &mut maker);
                maker.call(node, call.covered.into_iter().collect());
            });
            let method = usize::try_from(number).ok().and_then(|number| known.get_mut(number));
            let (Some(method), Some(call)) = (method, call) else { return WalkControl::Next };
            match seen.site.what {
                Traced::Enter => {
                    call.method = number;
                    method.entry().for_each(|variable| define(&mut call.defined, variable, ENTRY))
                }
                Traced::Branch(_) | Traced::Return => call.pass(number, &mut all, &mut maker),
                Traced::Catch | Traced::Leave => call.cut_short(number, &mut all, &mut maker),
                Traced::Line(_) => call.reached = Some((seen.site.bci, false)),
                _ => call.reached = Some((seen.site.bci, true)),
            }
            if let Some(begins) = Begins::with(seen) {
                call.inside = method.stretch(begins, number, &mut all, &mut maker);
                call.reached = None;
            }
            WalkControl::Next
        })?;
        along.end(|node, mut call| {
            call.cut_short(call.method, &mut all, &mut maker);
            maker.call(node, call.covered.into_iter().collect());
        });
    }
    Ok(maker.finish())
}

impl Open {
    /// The stretch in which the call is was gone through to its end.
    fn pass(&mut self, method: u32, all: &mut [Stretch], maker: &mut CoverageBuilder<Chain>) {
        let Some(number) = self.inside.take() else { return };
        let Some(stretch) = all.get_mut(number) else { return };
        for Use { variable, at, chains } in &mut stretch.uses {
            // A field that the call has not written was written by another one.
            let Some(from) = self.defined.get(*variable).copied().flatten() else { continue };
            let entity = match chains.iter().find(|(other, _)| *other == from) {
                Some((_, entity)) => *entity,
                None => {
                    let entity = maker.entity((method, *variable, from, *at));
                    chains.push((from, entity));
                    entity
                }
            };
            self.covered.insert(entity);
        }
        if self.passed.insert(number) {
            self.covered.extend(&stretch.inside);
        }
        for (variable, at) in &stretch.defines {
            define(&mut self.defined, *variable, *at);
        }
    }

    /// An exception has left the stretch in which the call is. Definitions are recorded: the first one of
    /// which nothing was recorded has not happened any more. Uses are not: those before that count all the
    /// same, even if the exception came before them.
    fn cut_short(&mut self, method: u32, all: &mut [Stretch], maker: &mut CoverageBuilder<Chain>) {
        let reached = self.reached.take();
        let Some(stretch) = self.inside.take().and_then(|number| all.get(number)) else { return };
        let place = |(at, was_done): (u32, bool)| {
            stretch
                .instructions
                .iter()
                .rposition(|other| *other == at)
                .map(|place| place + usize::from(was_done))
        };
        let from = reached.and_then(place).unwrap_or(0);
        for access in &stretch.accesses {
            if !access.defines {
                if let Some(from) = self.defined.get(access.variable).copied().flatten() {
                    self.covered.insert(maker.entity((method, access.variable, from, access.at)));
                }
            } else if access.place < from {
                define(&mut self.defined, access.variable, access.at);
            } else {
                break;
            }
        }
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
        let slots = bytecode::descriptor::parameter_slots(&method.descriptor, method.is_static);
        let code = code_of(method, pool);
        let mut statements: Vec<u32> =
            code.iter().flat_map(|code: &Code| code.lines.iter().map(|entry| entry.start_pc)).collect();
        statements.sort_unstable();
        Known {
            code,
            statements,
            parameters: slots.into_iter().map(|(slot, _)| slot).collect(),
            ..Known::default()
        }
    }

    fn variable(&mut self, variable: Variable) -> usize {
        let next = self.variables.len();
        *self.variables.entry(variable).or_insert(next)
    }

    /// The variables that the entry of the method defines.
    fn entry(&mut self) -> impl Iterator<Item = usize> {
        (0..self.parameters.len()).filter_map(|at| {
            let slot = self.parameters.get(at).copied()?;
            Some(self.variable(Variable::Local(slot)))
        })
    }

    /// The number of the stretch that begins there; none where the class file has no such place.
    fn stretch(
        &mut self,
        begins: Begins,
        method: u32,
        all: &mut Vec<Stretch>,
        maker: &mut CoverageBuilder<Chain>,
    ) -> Option<usize> {
        if let Some(known) = self.stretches.get(&begins) {
            return *known;
        }
        let walked = self.code.as_ref().and_then(|code| walk(code, begins));
        let number = walked.map(|walked| {
            let stretch = self.arranged(walked, method, maker);
            all.push(stretch);
            all.len() - 1
        });
        self.stretches.insert(begins, number);
        number
    }

    /// The first instruction of the statement to which an instruction belongs.
    fn statement(&self, at: u32) -> u32 {
        let behind = self.statements.partition_point(|start| *start <= at);
        behind.checked_sub(1).and_then(|last| self.statements.get(last)).copied().unwrap_or(at)
    }

    fn arranged(
        &mut self,
        (instructions, found): (Vec<u32>, Vec<Accessed>),
        method: u32,
        maker: &mut CoverageBuilder<Chain>,
    ) -> Stretch {
        let mut made = Stretch { instructions, ..Stretch::default() };
        let mut defined = Vec::new();
        for (variable, place, defines) in found {
            let Some(at) = made.instructions.get(place).map(|at| self.statement(*at)) else { continue };
            let variable = self.variable(variable);
            made.accesses.push(Access { variable, place, at, defines });
            let last = defined.get(variable).copied().flatten();
            match (defines, last) {
                (true, _) => define(&mut defined, variable, at),
                (false, Some(from)) => made.inside.push(maker.entity((method, variable, from, at))),
                (false, None) => made.uses.push(Use { variable, at, chains: Vec::new() }),
            }
        }
        made.inside.sort_unstable();
        made.inside.dedup();
        made.defines = (0..).zip(defined).filter_map(|(variable, at)| Some((variable, at?))).collect();
        made
    }
}

/// What is used and defined in a stretch, in the order in which it executes: its instructions, and the
/// variable, the place of the instruction, and whether it defines it. An endless loop without a choice is
/// gone through twice, so that it uses what its turn before has defined.
fn walk(code: &Code, begins: Begins) -> Option<(Vec<u32>, Vec<Accessed>)> {
    let (mut instructions, again) = stretch(code, begins)?;
    if let Some(again) = again {
        instructions.extend_from_within(again..);
    }
    let mut found = Vec::new();
    for (place, instruction) in instructions.iter().enumerate() {
        let Some(instruction) = code.at(*instruction) else { continue };
        let mut access = |variable, defines| found.push((variable, place, defines));
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
    }
    Some((instructions, found))
}
