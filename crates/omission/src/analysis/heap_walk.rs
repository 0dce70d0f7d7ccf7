//! Evaluates code that was not executed, with the values that the run had at the jump: values are known as
//! far as constants, variables and fields tell, and unknown otherwise.

use super::bodies::{Body, leads_to};
use bytecode::{Constant, FieldRef, Op};
use past::PastError;
use past::fields::{Fields, StaticName};
use past::heap::{ObjectPart, held};
use petgraph::graph::NodeIndex;
use program::call_index::{Index, PlaceAt};
use program::effect::{Effect, effect};
use std::collections::{BTreeSet, HashMap};
use trace::{Calls, EventTime, Value};

/// Most steps of one evaluation.
const STEPS: usize = 20_000;

/// A value, if it is known.
pub(super) type Known = Option<Value>;

/// What is known where an instruction begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    /// The variables by slot.
    pub locals: Vec<Known>,
    /// The operand stack by slot; a `long` or `double` has two.
    pub stack: Vec<Known>,
    /// The fields that the code has changed, by name; their recorded values are out of date.
    changed: BTreeSet<String>,
    /// Whether code was called that may have changed any field.
    is_unsure: bool,
}

impl State {
    /// The state at the beginning of a method that is called with these arguments, one for each slot.
    pub fn called(&self, arguments: Vec<Known>) -> State {
        let State { changed, is_unsure, .. } = self.clone();
        State { locals: arguments, stack: Vec::new(), changed, is_unsure }
    }

    /// The state where a handler of a method begins that was called in this state: variables that the method
    /// stores to may have other values, and so may all fields.
    pub fn caught(&self, body: &Body) -> State {
        let mut state = State { stack: vec![None], is_unsure: true, ..self.clone() };
        for (slot, width) in body.code.instructions.iter().filter_map(|of| of.op.stored_slot()) {
            state.locals.iter_mut().skip(slot.into()).take(width.into()).for_each(|known| *known = None);
        }
        state
    }

    /// What both have in common. Returns whether this one has changed.
    pub fn join(&mut self, other: &State) -> bool {
        let before = self.clone();
        let length = self.locals.len().max(other.locals.len());
        self.locals.resize(length, None);
        let join = |own: &mut Known, other: Known| {
            if !matches!((&own, other), (Some(one), Some(two)) if one.is(two)) {
                *own = None;
            }
        };
        for (at, own) in self.locals.iter_mut().enumerate() {
            join(own, other.locals.get(at).copied().flatten());
        }
        for (at, own) in self.stack.iter_mut().enumerate() {
            join(own, other.stack.get(at).copied().flatten());
        }
        self.changed.extend(other.changed.iter().cloned());
        self.is_unsure |= other.is_unsure;
        *self != before
    }

    fn pop(&mut self, slots: u16) -> Vec<Known> {
        let at = self.stack.len().saturating_sub(slots.into());
        self.stack.split_off(at)
    }

    /// The value of the operand with this many slots above it.
    pub fn below(&self, above: u16, slots: u16) -> Known {
        let end = self.stack.len().checked_sub(above.into())?;
        let at = end.checked_sub(slots.into())?;
        self.stack.get(at).copied().flatten()
    }

    fn push(&mut self, value: Known, slots: u16) {
        self.stack.push(value);
        self.stack.extend((1..slots).map(|_| None));
    }
}

/// The recorded heap at a time.
pub(super) struct Heap<'a> {
    /// The recording.
    pub calls: &'a mut Calls,
    /// The fields of classes.
    pub fields: &'a mut Fields,
    /// The code of the program.
    pub index: &'a Index<'a>,
    /// The time.
    pub when: EventTime,
}

impl Heap<'_> {
    fn field(&mut self, object: u32, name: &str) -> Result<Known, PastError> {
        let Some(class) = self.calls.objects.class(object).cloned() else { return Ok(None) };
        let was_made = self.calls.was_made(object)?;
        let of = self.fields.of(&class, self.calls);
        let mut named = of.fields.iter().filter(|field| field.name == name);
        match (named.next(), named.next()) {
            (Some(field), None) => {
                let part = ObjectPart::of_field(field, was_made);
                Ok(held(self.calls, object, &part, self.when)?.value())
            }
            // Two classes of the hierarchy declare it.
            _ => Ok(None),
        }
    }

    /// Whether a value stays in a field: it is a reference, and only initialisers with this name write it.
    fn is_kept(&self, value: Value, field: &FieldRef, initialiser: &str) -> bool {
        // An initialiser that is still at work may write what is null so far.
        if !matches!(value, Value::Object(1..)) {
            return false;
        }
        let Some((class, true)) = self.index.declares(field) else { return false };
        let is_initial = |place: &PlaceAt| {
            let writer = (self.index.file(place.0), self.index.method(place.0));
            matches!(writer, (Some(file), Some(method)) if file.name == class && method.name == initialiser)
        };
        self.index.puts(&class, &field.name, &field.descriptor).iter().all(is_initial)
    }

    fn static_field(&mut self, field: &FieldRef) -> Result<Known, PastError> {
        let named = StaticName { class: &field.class, name: &field.name, method: None };
        let part = ObjectPart::of_static_field(&named, self.fields, self.calls);
        Ok(held(self.calls, 0, &part, self.when)?.value())
    }
}

/// A way through the code of a method.
pub(super) struct Way {
    /// The code index from which it goes on.
    pub from: u32,
    /// The code index at which it ends.
    pub target: u32,
    /// Whether it ends at its first arrival there, and does not go around a loop to further ones.
    pub is_first: bool,
}

/// What is known before the instruction at the end of a way, if the code goes there through these blocks;
/// `None` if it cannot. `through` contains the block of that instruction.
///
/// # Errors
/// The events cannot be read.
pub(super) fn state_at(
    body: &Body,
    way: Way,
    through: &dyn Fn(NodeIndex) -> bool,
    begin: State,
    heap: &mut Heap<'_>,
) -> Result<Option<State>, PastError> {
    let Way { from, target, is_first } = way;
    let Some(first) = body.cfg.block_at(from) else { return Ok(None) };
    let mut states: HashMap<NodeIndex, State> = HashMap::from([(first, begin)]);
    let (mut work, mut found, mut steps): (Vec<NodeIndex>, Option<State>, usize) = (vec![first], None, 0);
    let mut is_begin = true;
    while let Some(node) = work.pop() {
        let (Some(block), Some(mut state)) = (body.cfg.block(node), states.get(&node).cloned()) else {
            continue;
        };
        // The way can begin in the middle of its first block.
        let skips = std::mem::take(&mut is_begin);
        let mut has_arrived = false;
        for at in block.first..=block.last {
            let Some(instruction) = body.code.instructions.get(at) else { break };
            if skips && instruction.pc < from {
                continue;
            }
            if instruction.pc == target {
                match &mut found {
                    Some(known) => _ = known.join(&state),
                    None => found = Some(state.clone()),
                }
                has_arrived = is_first;
            }
            if has_arrived {
                break;
            }
            step(&instruction.op, &mut state, heap)?;
            steps += 1;
        }
        if steps > STEPS {
            return Ok(found.map(|found| State { locals: Vec::new(), is_unsure: true, ..found }));
        }
        for (next, _) in body.cfg.successors(node, false) {
            if has_arrived || !through(next) {
                continue;
            }
            let is_new = match states.get_mut(&next) {
                Some(known) => known.join(&state),
                None => {
                    states.insert(next, state.clone());
                    true
                }
            };
            if is_new {
                work.push(next);
            }
        }
    }
    Ok(found)
}

/// What is known before an instruction of a called method, on the way to its first execution if `is_first`;
/// `None` if the method cannot come there.
///
/// # Errors
/// The events cannot be read.
pub(super) fn state_in(
    body: &Body,
    pc: u32,
    is_first: bool,
    begin: &State,
    heap: &mut Heap<'_>,
) -> Result<Option<State>, PastError> {
    let reaches = leads_to(&body.cfg, pc);
    let through = |block: NodeIndex| reaches.contains(&block);
    let way = |from| Way { from, target: pc, is_first };
    if body.cfg.block_at(0).is_some_and(through) {
        return state_at(body, way(0), &through, begin.clone(), heap);
    }
    // Only an exception leads there.
    let mut found: Option<State> = None;
    for handler in body.cfg.handler_blocks().into_iter().filter(|block| through(*block)) {
        let Some(start) = body.cfg.block(handler).map(|block| block.start_pc) else { continue };
        let Some(state) = state_at(body, way(start), &through, begin.caught(body), heap)? else { continue };
        match &mut found {
            Some(found) => _ = found.join(&state),
            None => found = Some(state),
        }
    }
    Ok(found)
}

fn step(op: &Op, state: &mut State, heap: &mut Heap<'_>) -> Result<(), PastError> {
    let (pops, pushes) = bytecode::stack::effect(op);
    match op {
        Op::Const(constant) => {
            let value = match constant {
                Constant::Null => Some(Value::Object(0)),
                Constant::Int(value) => Some(Value::Int(*value)),
                Constant::Long(value) => Some(Value::Long(*value)),
                _ => None,
            };
            state.push(value, pushes);
        }
        Op::Load { slot, .. } => {
            let value = state.locals.get(usize::from(*slot)).copied().flatten();
            state.push(value, pushes);
        }
        Op::Store { slot, .. } => {
            let value = state.pop(pops).first().copied().flatten();
            let slot = usize::from(*slot);
            if state.locals.len() < slot + usize::from(pops) {
                state.locals.resize(slot + usize::from(pops), None);
            }
            state.locals.iter_mut().skip(slot).take(pops.into()).for_each(|known| *known = None);
            if let Some(known) = state.locals.get_mut(slot) {
                *known = value;
            }
        }
        Op::Iinc { slot, .. } => {
            if let Some(known) = state.locals.get_mut(usize::from(*slot)) {
                *known = None;
            }
        }
        Op::Dup => {
            let top = state.below(0, 1);
            state.push(top, 1);
        }
        Op::CheckCast(_) => {}
        Op::GetField(field) => {
            let object = state.pop(pops).first().copied().flatten();
            let value = match object {
                Some(Value::Object(object)) if object != 0 && !state.changed.contains(&field.name) => {
                    heap.field(object, &field.name)?
                }
                _ => None,
            };
            let is_sure = |value: &Value| !state.is_unsure || heap.is_kept(*value, field, "<init>");
            let value = value.filter(is_sure);
            state.push(value, pushes);
        }
        Op::GetStatic(field) => {
            let is_changed = state.changed.contains(&field.name);
            let value = if is_changed { None } else { heap.static_field(field)? };
            let is_sure = |value: &Value| !state.is_unsure || heap.is_kept(*value, field, "<clinit>");
            let value = value.filter(is_sure);
            state.push(value, pushes);
        }
        Op::PutField(field) | Op::PutStatic(field) => {
            state.pop(pops);
            state.changed.insert(field.name.clone());
        }
        op => {
            if let Op::Invoke { method, .. } = op {
                let kind = effect(&method.class, method);
                let calls_back = jdk::takes_functions(&method.descriptor);
                state.is_unsure |= matches!(kind, Effect::Foreign) || calls_back;
            }
            state.is_unsure |= matches!(op, Op::MonitorEnter);
            state.pop(pops);
            (0..pushes).for_each(|_| state.stack.push(None));
        }
    }
    Ok(())
}
