//! The references of one method body, as numbered values: a parameter, the result of an instruction, a caught
//! exception, or a phi where several values meet. Local variables and the operand stack are followed by an
//! abstract execution, so a variable is split by its live ranges.

use bytecode::cfg::normal_edges;
use bytecode::class::{Code, Method};
use bytecode::kind::Kind;
use bytecode::op::{InvokeKind, Op};
use bytecode::stack::{effect, moved};
use descriptor::{parameter_slots, parse_method, slots};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A value of a body. 0 is [`NO_VALUE`].
pub(super) type Value = u32;

/// A primitive value, `null`, or a slot without a value.
pub(super) const NO_VALUE: Value = 0;

/// One instruction with its values.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// Code index.
    pub(super) pc: u32,
    /// Position in [`Code::instructions`].
    pub(super) at: usize,
    /// The references that the instruction takes from the stack, in the order in which they were pushed. A
    /// call has one entry for the receiver and for each argument. An entry can be [`NO_VALUE`].
    pub(super) operands: Vec<Value>,
    /// The reference that it pushes.
    pub(super) result: Value,
}

/// The values of a body.
#[derive(Debug, Clone, Default)]
pub(super) struct Body {
    /// The number of values; they are numbered from 1 to this.
    pub(super) values: u32,
    /// The receiver (if any) and the parameters. Primitive ones have a value that nothing flows into.
    pub(super) parameters: u32,
    /// The flows from a value into a phi.
    pub(super) flows: Vec<(Value, Value)>,
    /// The caught exceptions, with the class that the handler names.
    pub(super) caught: Vec<(Value, Option<String>)>,
    /// The instructions that matter to references, by ascending code index.
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Origin {
    Parameter(u32),
    Result(usize),
    Caught(u32),
    /// The values that meet at this position of the frame before this instruction.
    Phi(usize, usize),
}

/// Local variables, then the operand stack.
type Frame = Vec<Value>;

struct Reader<'a> {
    code: &'a Code,
    locals: usize,
    ids: HashMap<Origin, Value>,
    inputs: HashMap<Value, BTreeSet<Value>>,
    before: HashMap<usize, Frame>,
    work: BTreeSet<usize>,
    /// The handlers of each instruction that has some, by position.
    handlers: Vec<Vec<(usize, u32)>>,
    /// The instructions at which several paths can meet, by position.
    meets: Vec<bool>,
    returns_from_jsr: Vec<usize>,
}

impl Body {
    /// Reads the code of a method. Invalid code yields the part that can be executed.
    pub(super) fn new(method: &Method, code: &Code) -> Body {
        let mut reader = Reader::new(code);
        let count = reader.enter(method);
        reader.run();
        reader.finish(count)
    }
}

impl<'a> Reader<'a> {
    fn new(code: &'a Code) -> Reader<'a> {
        let count = code.instructions.len();
        let mut handlers = vec![Vec::new(); count];
        let mut meets = vec![false; count];
        let mut returns_from_jsr = Vec::new();
        for handler in &code.handlers {
            let Some(target) = code.index_of(handler.handler_pc) else { continue };
            let first = code.instructions.partition_point(|i| i.pc < handler.start_pc);
            let last = code.instructions.partition_point(|i| i.pc < handler.end_pc);
            for slot in handlers.get_mut(first..last).into_iter().flatten() {
                slot.push((target, handler.handler_pc));
            }
            if let Some(meet) = meets.get_mut(target) {
                *meet = true;
            }
        }
        for (at, instruction) in code.instructions.iter().enumerate() {
            let mut targets: Vec<usize> =
                instruction.op.targets().iter().filter_map(|pc| code.index_of(*pc)).collect();
            if matches!(instruction.op, Op::Jsr { .. }) {
                returns_from_jsr.push(at + 1);
            }
            if instruction.op.is_branch() || instruction.op.ends_flow() || !targets.is_empty() {
                targets.push(at + 1);
            }
            for target in targets {
                if let Some(meet) = meets.get_mut(target) {
                    *meet = true;
                }
            }
        }
        Reader {
            code,
            locals: code.max_locals.into(),
            ids: HashMap::new(),
            inputs: HashMap::new(),
            before: HashMap::new(),
            work: BTreeSet::new(),
            handlers,
            meets,
            returns_from_jsr,
        }
    }

    fn id(&mut self, origin: Origin) -> Value {
        let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX - 1) + 1;
        *self.ids.entry(origin).or_insert(next)
    }

    /// Fills the frame of the entry. Returns the number of parameters, with the receiver.
    fn enter(&mut self, method: &Method) -> u32 {
        let mut frame = vec![NO_VALUE; self.locals];
        let mut count = 0;
        let receiver = (!method.is_static()).then(|| (0, "Ljava/lang/Object;".to_owned()));
        let parameters = parameter_slots(&method.descriptor, method.is_static());
        for (slot, descriptor) in receiver.into_iter().chain(parameters) {
            let value = self.id(Origin::Parameter(count));
            count += 1;
            if Kind::of_descriptor(&descriptor) == Kind::Reference
                && let Some(local) = frame.get_mut(usize::from(slot))
            {
                *local = value;
            }
        }
        self.meet(0, &frame);
        count
    }

    /// Merges a frame into the one before an instruction.
    fn meet(&mut self, at: usize, incoming: &[Value]) {
        if at >= self.code.instructions.len() {
            return;
        }
        let Some(mut known) = self.before.remove(&at) else {
            self.before.insert(at, incoming.to_vec());
            self.work.insert(at);
            return;
        };
        let mut changed = false;
        for (position, (old, new)) in known.iter_mut().zip(incoming).enumerate() {
            if *old == *new || *new == NO_VALUE {
                continue;
            }
            if *old == NO_VALUE {
                *old = *new;
                changed = true;
                continue;
            }
            let phi = self.id(Origin::Phi(at, position));
            let inputs = self.inputs.entry(phi).or_default();
            if *new != phi {
                inputs.insert(*new);
            }
            if *old != phi {
                inputs.insert(*old);
                *old = phi;
                changed = true;
            }
        }
        self.before.insert(at, known);
        if changed {
            self.work.insert(at);
        }
    }

    fn run(&mut self) {
        while let Some(first) = self.work.pop_first() {
            let Some(mut frame) = self.before.get(&first).cloned() else { continue };
            let mut at = first;
            let mut fresh = true;
            loop {
                self.leave_by_exception(at, &frame, fresh);
                let Some(instruction) = self.code.instructions.get(at) else { break };
                let entering = matches!(instruction.op, Op::Jsr { .. }).then(|| frame.clone());
                if self.execute(at, &mut frame).is_none() {
                    break;
                }
                fresh = matches!(instruction.op, Op::Store { .. });
                if let Some(before) = entering {
                    self.meet(at + 1, &before);
                }
                if matches!(instruction.op, Op::Ret { .. }) {
                    for target in self.returns_from_jsr.clone() {
                        self.meet(target, &frame);
                    }
                }
                let plain = !instruction.op.is_branch()
                    && !instruction.op.ends_flow()
                    && !matches!(instruction.op, Op::Jsr { .. });
                if plain && self.meets.get(at + 1) == Some(&false) {
                    at += 1;
                    continue;
                }
                let is_jsr = matches!(instruction.op, Op::Jsr { .. });
                for (target, _) in normal_edges(self.code, at) {
                    if let Some(to) = self.code.index_of(target)
                        && !(is_jsr && to == at + 1)
                    {
                        self.meet(to, &frame);
                    }
                }
                break;
            }
        }
    }

    /// Passes the local variables to the handlers of an instruction, unless the one before did so already.
    fn leave_by_exception(&mut self, at: usize, frame: &[Value], fresh: bool) {
        let before = at.checked_sub(1).and_then(|b| self.handlers.get(b));
        let targets: Vec<(usize, u32)> = match self.handlers.get(at) {
            Some(here) if fresh => here.clone(),
            Some(here) => here.iter().filter(|h| before.is_none_or(|b| !b.contains(h))).copied().collect(),
            None => return,
        };
        for (target, pc) in targets {
            let caught = self.id(Origin::Caught(pc));
            let mut incoming: Frame = frame.iter().take(self.locals).copied().collect();
            incoming.push(caught);
            self.meet(target, &incoming);
        }
    }

    /// Executes one instruction on a frame; `None` if the code is invalid.
    fn execute(&mut self, at: usize, frame: &mut Frame) -> Option<()> {
        let op = &self.code.instructions.get(at)?.op;
        match op {
            Op::Load { kind, slot } => {
                let value = frame.get(usize::from(*slot)).copied().filter(|_| *kind == Kind::Reference);
                frame.push(value.unwrap_or(NO_VALUE));
                if kind.slots() == 2 {
                    frame.push(NO_VALUE);
                }
                return Some(());
            }
            Op::Store { kind, slot } => {
                let value = *frame.last()?;
                let left = frame.len().checked_sub(kind.slots().into()).filter(|l| *l >= self.locals)?;
                frame.truncate(left);
                let slot = usize::from(*slot);
                *frame.get_mut(slot).filter(|_| slot < self.locals)? =
                    if *kind == Kind::Reference { value } else { NO_VALUE };
                if kind.slots() == 2
                    && let Some(second) = frame.get_mut(slot + 1).filter(|_| slot + 1 < self.locals)
                {
                    *second = NO_VALUE;
                }
                return Some(());
            }
            _ => {}
        }
        let (pops, pushes) = effect(op);
        let left = frame.len().checked_sub(pops.into()).filter(|left| *left >= self.locals)?;
        let moved = moved(op);
        if !moved.is_empty() {
            let from = |n: &usize| frame.get(frame.len().checked_sub(n + 1)?).copied();
            let top = moved.iter().map(from).collect::<Option<Frame>>()?;
            frame.truncate(left);
            frame.extend(top);
            return Some(());
        }
        let result = if pushes == 1 && pushes_reference(op) { self.id(Origin::Result(at)) } else { NO_VALUE };
        frame.truncate(left);
        frame.extend(std::iter::repeat_n(result, pushes.into()));
        (frame.len() <= self.locals + 4096).then_some(())
    }

    /// The frame before each reached instruction, then its step.
    fn steps(&mut self) -> Vec<Step> {
        let mut steps: BTreeMap<usize, Step> = BTreeMap::new();
        let starts: Vec<usize> = self.before.keys().copied().collect();
        for start in starts {
            let Some(mut frame) = self.before.get(&start).cloned() else { continue };
            let mut at = start;
            while let Some(instruction) = self.code.instructions.get(at) {
                let stack = frame.get(self.locals..).unwrap_or_default();
                let operands = operands(&instruction.op, stack);
                let pc = instruction.pc;
                if self.execute(at, &mut frame).is_none() {
                    break;
                }
                let result = self.ids.get(&Origin::Result(at)).copied().unwrap_or(NO_VALUE);
                if result != NO_VALUE || operands.iter().any(|o| *o != NO_VALUE) || calls(&instruction.op) {
                    steps.insert(at, Step { pc, at, operands, result });
                }
                let op = &instruction.op;
                at += 1;
                if op.is_branch() || op.ends_flow() || self.meets.get(at) != Some(&false) {
                    break;
                }
            }
        }
        steps.into_values().collect()
    }

    /// Drops the phis that no instruction uses, and numbers the other values.
    fn finish(mut self, parameters: u32) -> Body {
        let mut steps = self.steps();
        let mut live: BTreeSet<Value> = (1..=parameters).collect();
        let mut work: Vec<Value> = steps.iter().flat_map(|s| s.operands.iter().copied()).collect();
        live.extend(steps.iter().map(|s| s.result));
        live.remove(&NO_VALUE);
        let mut flows = Vec::new();
        let mut done = BTreeSet::new();
        while let Some(value) = work.pop() {
            if value == NO_VALUE || !done.insert(value) {
                continue;
            }
            live.insert(value);
            for input in self.inputs.remove(&value).unwrap_or_default() {
                flows.push((input, value));
                work.push(input);
            }
        }
        let numbers: HashMap<Value, Value> = live.iter().copied().zip(1..).collect();
        let number = |value: Value| numbers.get(&value).copied().unwrap_or(NO_VALUE);
        let mut caught = Vec::new();
        for handler in &self.code.handlers {
            let origin = Origin::Caught(handler.handler_pc);
            let value = self.ids.get(&origin).map_or(NO_VALUE, |v| number(*v));
            if value != NO_VALUE {
                caught.push((value, handler.catch_type.clone()));
            }
        }
        flows.sort_unstable();
        for step in &mut steps {
            step.result = number(step.result);
            for operand in &mut step.operands {
                *operand = number(*operand);
            }
        }
        Body {
            values: u32::try_from(live.len()).unwrap_or(u32::MAX),
            parameters,
            flows: flows.into_iter().map(|(from, to)| (number(from), number(to))).collect(),
            caught,
            steps,
        }
    }
}

/// Whether the instruction pushes a reference of its own (not a moved one).
fn pushes_reference(op: &Op) -> bool {
    use bytecode::op::{Constant, Element};
    let result = |descriptor: &str| {
        parse_method(descriptor).is_some_and(|d| Kind::of_descriptor(&d.result) == Kind::Reference)
    };
    match op {
        Op::Const(constant) => match constant {
            Constant::Dynamic { descriptor, .. } => Kind::of_descriptor(descriptor) == Kind::Reference,
            Constant::String(_) | Constant::Class(_) | Constant::MethodHandle(_) => true,
            Constant::MethodType(_) => true,
            _ => false,
        },
        Op::ArrayLoad(element) => *element == Element::Reference,
        Op::GetField(field) | Op::GetStatic(field) => {
            Kind::of_descriptor(&field.descriptor) == Kind::Reference
        }
        Op::Invoke { method, .. } => result(&method.descriptor),
        Op::InvokeDynamic { descriptor, .. } => result(descriptor),
        Op::New(_) | Op::NewArray(_) | Op::MultiNewArray { .. } | Op::CheckCast(_) => true,
        _ => false,
    }
}

fn calls(op: &Op) -> bool {
    matches!(op, Op::Invoke { .. } | Op::InvokeDynamic { .. } | Op::GetStatic(_) | Op::PutStatic(_))
}

/// The operands of an instruction, see [`Step::operands`].
fn operands(op: &Op, stack: &[Value]) -> Vec<Value> {
    let below = |n: usize| stack.len().checked_sub(n + 1).and_then(|at| stack.get(at)).copied();
    let at = |n: usize| below(n).unwrap_or(NO_VALUE);
    match op {
        Op::Invoke { kind, method } => arguments(&method.descriptor, *kind != InvokeKind::Static, stack),
        Op::InvokeDynamic { descriptor, .. } => arguments(descriptor, false, stack),
        Op::GetField(_) | Op::CheckCast(_) | Op::Throw => vec![at(0)],
        Op::PutField(field) => vec![at(slots(&field.descriptor).into()), at(0)],
        Op::PutStatic(_) => vec![at(0)],
        Op::ArrayLoad(_) => vec![at(1)],
        Op::ArrayStore(element) => vec![at(1 + usize::from(element.kind().slots())), at(0)],
        Op::Return(Some(Kind::Reference)) => vec![at(0)],
        _ => Vec::new(),
    }
}

fn arguments(descriptor: &str, has_receiver: bool, stack: &[Value]) -> Vec<Value> {
    let Some(parsed) = parse_method(descriptor) else { return Vec::new() };
    let mut depth = 0;
    let mut found = Vec::new();
    let mut at = |width: usize| {
        depth += width;
        stack.len().checked_sub(depth).and_then(|at| stack.get(at)).copied().unwrap_or(NO_VALUE)
    };
    for parameter in parsed.parameters.iter().rev() {
        let value = at(slots(parameter).into());
        found.push(if Kind::of_descriptor(parameter) == Kind::Reference { value } else { NO_VALUE });
    }
    if has_receiver {
        found.push(at(1));
    }
    found.reverse();
    found
}
