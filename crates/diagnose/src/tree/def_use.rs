//! The def-use chains that each call covers (JHyde §2.4). A chain is a variable, a statement that defines it,
//! and a statement that uses it with no other definition in between.
//!
//! - A statement is an entry of the method's line number table. Without a table, each instruction is a
//!   statement.
//! - Local variables and parameters are variables, by slot. The method's entry defines the parameters. `this`
//!   is left out: nothing redefines it, so its chains would only measure the length of the method.
//! - Fields are variables too, by class and name, and array elements, by element type. The object and the
//!   index are ignored. This is an approximation: a chain counts if one call defines and uses the variable,
//!   and definitions in its callees are not seen.
//!
//! Recordings have no reads, so the path of a call through its code is reconstructed in stretches
//! (`stretch`). A call covers nothing if the class file is missing or the branches of the method were not
//! recorded. If loops are nodes, a stretch counts for the node in which it ends.

use super::nodes::{Along, Gathered, Nodes};
use bytecode::{Code, FieldRef, Op};
use classes::ClassPool;
use declarative::{Coverage, CoverageBuilder};
use session::SessionError;
use slice::stretch::{Begins, code_of, stretch};
use std::collections::{HashMap, HashSet};
use trace::{Calls, Method, Traced, WalkControl};

/// A chain: the method, the number of the variable in it, the defining statement, and the using statement.
type Chain = (u32, usize, u32, u32);

/// An access to a variable: the variable, the position of the instruction in its stretch, and whether it is a
/// definition.
type Accessed = (Variable, usize, bool);

/// Stands for the definition of a parameter by the method's entry.
const ENTRY: u32 = u32::MAX;

/// A variable of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Variable {
    Local(u16),
    Field(FieldRef),
    Element(bytecode::op::Element),
}

/// A stretch: code without a branch.
#[derive(Debug, Default)]
struct Stretch {
    /// Its instructions, in execution order.
    instructions: Vec<u32>,
    /// Its accesses to variables.
    accesses: Vec<Access>,
    /// The chains that begin and end in it.
    inside: Vec<u32>,
    /// The uses of variables that it has not defined before.
    uses: Vec<Use>,
    /// The variables that it defines, each with the last defining statement.
    defines: Vec<(usize, u32)>,
}

/// A use of a variable that was defined before the stretch.
#[derive(Debug)]
struct Use {
    /// The variable.
    variable: usize,
    /// The first instruction of the using statement.
    at: u32,
    /// The chains that end here, by defining statement.
    chains: Vec<(u32, u32)>,
}

/// An access to a variable.
#[derive(Clone, Copy, Debug)]
struct Access {
    /// The variable.
    variable: usize,
    /// The position of the instruction in the stretch.
    place: usize,
    /// The first instruction of its statement.
    at: u32,
    /// Whether it is a definition.
    defines: bool,
}

/// An open call or loop.
#[derive(Debug, Default)]
struct OpenScope {
    /// The number of its method.
    method: u32,
    /// The last defining statement, by variable.
    defined: Vec<Option<u32>>,
    covered: HashSet<u32>,
    /// The stretches whose inner chains are covered already.
    passed: HashSet<usize>,
    /// The current stretch.
    inside: Option<usize>,
    /// The instruction of the last event in the stretch, and whether it had executed by then.
    reached: Option<(u32, bool)>,
}

impl Gathered for OpenScope {
    fn inner(&mut self) -> OpenScope {
        let mut inner = OpenScope { method: self.method, ..OpenScope::default() };
        inner.back(self);
        inner
    }

    fn back(&mut self, inner: &mut OpenScope) {
        self.defined = std::mem::take(&mut inner.defined);
        (self.inside, self.reached) = (inner.inside.take(), inner.reached.take());
    }
}

/// The analysis of a method.
#[derive(Debug, Default)]
struct MethodAnalysis {
    code: Option<Code>,
    /// The first instructions of its statements, ascending.
    statements: Vec<u32>,
    /// The slots of its parameters.
    parameters: Vec<u16>,
    variables: HashMap<Variable, usize>,
    stretches: HashMap<Begins, Option<usize>>,
}

/// Computes which def-use chains each node covers.
///
/// # Errors
/// The events cannot be read.
pub fn chains(calls: &mut Calls, nodes: &Nodes, pool: Option<&ClassPool>) -> Result<Coverage, SessionError> {
    let mut maker: CoverageBuilder<Chain> = CoverageBuilder::new(nodes.count(calls.count()));
    let mut known: Vec<MethodAnalysis> =
        calls.sites.methods().iter().map(|method| MethodAnalysis::new(method, pool)).collect();
    let mut all: Vec<Stretch> = Vec::new();
    for (thread, ..) in calls.threads() {
        let mut along: Along<OpenScope> = Along::new(nodes, calls.of_thread(thread).start);
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

impl OpenScope {
    /// Execution reached the end of the current stretch.
    fn pass(&mut self, method: u32, all: &mut [Stretch], maker: &mut CoverageBuilder<Chain>) {
        let Some(number) = self.inside.take() else { return };
        let Some(stretch) = all.get_mut(number) else { return };
        for Use { variable, at, chains } in &mut stretch.uses {
            // If the call has not written the field, another call has.
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

    /// An exception left the current stretch. Definitions have events: the first definition without an event
    /// has not happened. Uses have none: those before that definition count, even if the exception came
    /// first.
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

impl MethodAnalysis {
    fn new(method: &Method, pool: Option<&ClassPool>) -> MethodAnalysis {
        let slots = bytecode::descriptor::parameter_slots(&method.descriptor, method.is_static);
        let code = code_of(method, pool);
        let mut statements: Vec<u32> =
            code.iter().flat_map(|code: &Code| code.lines.iter().map(|entry| entry.start_pc)).collect();
        statements.sort_unstable();
        MethodAnalysis {
            code,
            statements,
            parameters: slots.into_iter().map(|(slot, _)| slot).collect(),
            ..MethodAnalysis::default()
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

    /// The number of the stretch that begins there; `None` if the class file has no such place.
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
        let number = walked.map(|(instructions, found)| {
            let stretch = self.arranged(instructions, found, method, maker);
            all.push(stretch);
            all.len() - 1
        });
        self.stretches.insert(begins, number);
        number
    }

    /// The first instruction of the statement that contains an instruction.
    fn statement(&self, at: u32) -> u32 {
        let behind = self.statements.partition_point(|start| *start <= at);
        behind.checked_sub(1).and_then(|last| self.statements.get(last)).copied().unwrap_or(at)
    }

    fn arranged(
        &mut self,
        instructions: Vec<u32>,
        found: Vec<Accessed>,
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

/// The instructions of a stretch and their accesses to variables, in execution order. An endless loop without
/// a branch is passed twice, so that a turn uses the definitions of the turn before.
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
