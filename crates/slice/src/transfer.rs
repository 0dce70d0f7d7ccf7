//! The transfer function of an instruction: its effect on the values of its call and on their dependences.

use super::Lost;
use super::definitions::PossibleWrites;
use super::frame::{AssertionCall, Frame};
use super::graph::Node;
use super::heap::{Spot, Val};
use super::interpreter::{Replay, plain};
use bytecode::op::BinaryOp;
use bytecode::{Constant, Instruction, Kind, MethodRef, Op};
use program::assertion_method::{Examined, slot_of_argument};
use program::effect::{Effect, dynamic};
use trace::{Calls, Traced, TracedEvent, Value};

impl Replay<'_> {
    /// Executes the next instruction of a call, with its recorded event if there is one.
    pub(super) fn execute(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction,
        calls: &Calls,
        seen: Option<&TracedEvent<'_>>,
    ) -> Result<(), Lost> {
        frame.arrive(&mut self.graph);
        frame.called = None;
        let control = frame.control();
        let (takes, gives) = bytecode::stack::effect(&instruction.op);
        let recorded_value = seen.and_then(|seen| seen.values.last().copied()).map(plain);
        match &instruction.op {
            Op::Const(constant) => {
                let known = match constant {
                    Constant::Null => Some(Value::Object(0)),
                    Constant::Int(value) => Some(Value::Int(*value)),
                    _ => None,
                };
                frame.push(Val { node: 0, known }, gives);
            }
            Op::Load { slot, .. } => {
                let local = frame.local(*slot);
                frame.push(local, gives);
            }
            Op::Store { slot, .. } => {
                let val = frame.pop(takes)?;
                same(val.known, recorded_value)?;
                let node = self.graph.join(val.node, control);
                self.store(frame, *slot, Val { node, known: recorded_value.or(val.known) }, seen);
            }
            Op::Iinc { slot, .. } => {
                let node = self.graph.join(frame.local(*slot).node, control);
                self.store(frame, *slot, Val { node, known: recorded_value }, seen);
            }
            Op::Dup => frame.shuffle(1, &[0, 0])?,
            Op::DupX1 => frame.shuffle(2, &[1, 0, 1])?,
            Op::DupX2 => frame.shuffle(3, &[2, 0, 1, 2])?,
            Op::Dup2 => frame.shuffle(2, &[0, 1, 0, 1])?,
            Op::Dup2X1 => frame.shuffle(3, &[1, 2, 0, 1, 2])?,
            Op::Dup2X2 => frame.shuffle(4, &[2, 3, 0, 1, 2, 3])?,
            Op::Swap => frame.shuffle(2, &[1, 0])?,
            Op::ArrayLoad(_) => {
                let (index, array) = (frame.pop(1)?, frame.pop(1)?);
                let held =
                    self.heap.element(&mut self.graph, array.object(), int(index).map(i32::cast_unsigned));
                let node = self.all(&[array.node, index.node, held.node]);
                frame.push(Val { node, ..held }, gives);
            }
            Op::GetField(field) => {
                let object = frame.pop(1)?;
                let held = self.read(object.object(), field, calls);
                let node = self.graph.join(object.node, held.node);
                frame.push(Val { node, ..held }, gives);
            }
            Op::GetStatic(field) => {
                let held = self.read(Some(0), field, calls);
                frame.push(held, gives);
            }
            Op::PutField(_) | Op::PutStatic(_) | Op::ArrayStore(_) => {
                let taken = frame.take(takes)?;
                self.written(frame, &taken, calls, seen)?;
            }
            Op::New(_) => {
                let node = self.graph.fresh(0);
                frame.push(Val::of(node), gives);
            }
            Op::NewArray(_) | Op::MultiNewArray { .. } => {
                let taken = frame.take(takes)?;
                let node = self.of_taken(&taken, 0);
                frame.push(Val { node, known: recorded_value }, gives);
            }
            Op::ArrayLength => {
                let array = frame.pop(1)?;
                let length = array.object().and_then(|array| calls.objects.length_of(array));
                let known = length.and_then(|length| i32::try_from(length).ok()).map(Value::Int);
                frame.push(Val { node: array.node, known }, gives);
            }
            Op::CheckCast(_) => {}
            Op::Invoke { method, .. } => {
                let taken = frame.take(takes)?;
                let node = self.invoke(frame, instruction, method, &taken, calls);
                frame.made = if gives == 0 { node } else { 0 };
                frame.called = Some((instruction.pc, node));
                frame.push(Val::of(node), gives);
            }
            Op::InvokeDynamic { bootstrap, .. } => {
                let taken = frame.take(takes)?;
                let node = self.unrecorded(frame, dynamic(bootstrap.as_ref()), &taken);
                frame.push(Val::of(node), gives);
            }
            Op::Jsr { .. } | Op::Ret { .. } => return Err(Lost("a method has subroutines")),
            op => {
                let taken = frame.take(takes)?;
                let node = self.of_taken(&taken, 0);
                frame.push(Val { node, known: computed(op, &taken) }, gives);
            }
        }
        frame.pc = match &instruction.op {
            Op::Goto { target } => *target,
            _ => instruction.next_pc(),
        };
        Ok(())
    }

    /// Calls a method whose code did not run here. Returns the node of its result.
    fn invoke(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction,
        method: &MethodRef,
        taken: &[Val],
        calls: &Calls,
    ) -> Node {
        let effect = self.codes.effect(method);
        match self.codes.examined(method) {
            Some(Examined::Argument { at, expected }) => {
                let given = |at| Some((at, *taken.get(slot_of_argument(&method.descriptor, at))?));
                let (examined, expected) = (given(at), expected.and_then(given));
                frame.asserted = Some(AssertionCall { pc: instruction.pc, examined, expected });
            }
            Some(Examined::Nothing) => {
                frame.asserted = Some(AssertionCall { pc: instruction.pc, examined: None, expected: None });
            }
            Some(Examined::SameValue) | None => {}
        }
        let node = self.unrecorded(frame, effect, taken);
        if let (true, Some(made)) = (method.name == "<init>", taken.first().map(|val| val.node))
            && made != 0
        {
            frame.made_of(made, node);
        }
        if let Some(around) = self.codes.called_back(effect, &method.descriptor, calls) {
            // The arguments select the functions that are called back.
            self.led_around(frame, node, &around);
        }
        node
    }

    /// A node that depends on several nodes.
    pub(super) fn all(&mut self, nodes: &[Node]) -> Node {
        nodes.iter().fold(0, |all, node| self.graph.join(all, *node))
    }

    fn of_taken(&mut self, taken: &[Val], control: Node) -> Node {
        taken.iter().fold(control, |all, val| self.graph.join(all, val.node))
    }

    fn store(&mut self, frame: &mut Frame, slot: u16, val: Val, seen: Option<&TracedEvent<'_>>) {
        frame.store(slot, val);
        if let Some(written) = seen.and_then(|seen| seen.site.written.as_ref())
            && frame.call == self.root
        {
            self.variables.insert(written.name.clone(), (slot, val.node));
        }
    }

    fn read(&mut self, object: Option<u32>, field: &bytecode::FieldRef, calls: &Calls) -> Val {
        let name = field.name.as_str();
        if object != Some(0) && self.codes.is_of_jdk(field) {
            // JDK code writes this field too. It does not change static fields.
            let all = self.heap.everything(&mut self.graph);
            return Val::of(all);
        }
        match self.codes.fields_of(field, calls) {
            [] => self.heap.field(&mut self.graph, object, None, name),
            [number] => self.heap.field(&mut self.graph, object, Some(*number), name),
            several => {
                let (graph, heap) = (&mut self.graph, &mut self.heap);
                Val::of(several.iter().fold(0, |all, number| {
                    let held = heap.field(graph, None, Some(*number), name);
                    graph.join(all, held.node)
                }))
            }
        }
    }

    /// Records a write to a field or element.
    fn written(
        &mut self,
        frame: &Frame,
        taken: &[Val],
        calls: &Calls,
        seen: Option<&TracedEvent<'_>>,
    ) -> Result<(), Lost> {
        let Some(seen) = seen else { return Err(Lost("a write was not recorded")) };
        let node = self.of_taken(taken, frame.control());
        if let (Some(array), Traced::Element(_) | Traced::Put) = (taken.first(), seen.site.what) {
            same(array.known, seen.values.first().copied())?;
        }
        if let (Some(index), Traced::Element(_)) = (taken.get(1), seen.site.what) {
            same(index.known, seen.values.get(1).copied())?;
        }
        self.write(frame.call, node, calls, seen)?;
        // The choice of this location decided that no other one was written.
        let around = match (&seen.site.what, &seen.site.written) {
            (Traced::Element(_), _) => PossibleWrites { elements: true, ..PossibleWrites::default() },
            (Traced::Put, Some(written)) => {
                PossibleWrites { fields: [written.name.clone()].into(), ..PossibleWrites::default() }
            }
            _ => return Ok(()),
        };
        let places = if around.elements { taken.get(..2) } else { taken.get(..1) };
        let place = self.of_taken(places.unwrap_or_default(), 0);
        self.heap.led_around(&mut self.graph, place, &around);
        Ok(())
    }

    /// Records the write of an event.
    pub(super) fn write(
        &mut self,
        call: u32,
        node: Node,
        calls: &Calls,
        seen: &TracedEvent<'_>,
    ) -> Result<(), Lost> {
        let object = match (seen.site.what, seen.values.first()) {
            (Traced::PutStatic, _) => 0,
            (Traced::Preset, _) => calls.born(call).ok_or(Lost("an object is unknown"))?,
            (_, Some(Value::Object(object))) => *object,
            _ => return Err(Lost("an object is unknown")),
        };
        let spot = match (seen.site.what, seen.values.get(1), &seen.site.written) {
            (Traced::Element(_), Some(Value::Int(index)), _) => Spot::Element(index.cast_unsigned()),
            (_, _, Some(written)) => {
                let number = self.codes.field(calls.sites.declares(written), written.name.clone());
                Spot::Field(number.ok_or(Lost("a field is unknown"))?)
            }
            _ => return Err(Lost("a write has no place")),
        };
        let known = seen.values.last().copied().map(plain);
        self.heap.write(&mut self.graph, object, spot, Val { node, known });
        Ok(())
    }

    /// Records a call of an unrecorded method, apart from what it called back.
    fn unrecorded(&mut self, frame: &Frame, effect: Effect, taken: &[Val]) -> Node {
        let objects = taken.iter().filter_map(|val| val.object()).filter(|object| *object != 0);
        let objects: Vec<u32> = objects.collect();
        let mut node = self.of_taken(taken, frame.pending);
        node = self.heap.uses.whole(&mut self.graph, &objects, node);
        match effect {
            Effect::Computes => return node,
            Effect::Looks | Effect::Changes => {
                let held = self.heap.held(&mut self.graph);
                node = self.graph.join(node, held);
            }
            Effect::Prints => {
                let held = self.heap.printable(&mut self.graph);
                node = self.graph.join(node, held);
            }
            Effect::Reads | Effect::Backs | Effect::Foreign => {
                let all = self.heap.everything(&mut self.graph);
                node = self.graph.join(node, all);
            }
        }
        let by = self.graph.join(node, frame.control());
        match effect {
            Effect::Changes => self.heap.hold(&mut self.graph, by),
            Effect::Prints => self.heap.print(&mut self.graph, by),
            Effect::Foreign => self.heap.disturb(&mut self.graph, by),
            Effect::Computes | Effect::Looks | Effect::Reads | Effect::Backs => {}
        }
        node
    }
}

/// Checks that two sources agree on a value.
fn same(one: Option<Value>, other: Option<Value>) -> Result<(), Lost> {
    match (one.map(plain), other.map(plain)) {
        (Some(one), Some(other)) if !one.is(other) => Err(Lost("a value differs from the recorded one")),
        _ => Ok(()),
    }
}

fn int(val: Val) -> Option<i32> {
    match val.known {
        Some(Value::Int(value)) => Some(value),
        _ => None,
    }
}

/// The result of an operation on known integers, as array indices are computed.
fn computed(op: &Op, taken: &[Val]) -> Option<Value> {
    let Op::Binary { op, kind: Kind::Int } = op else { return None };
    let (one, other) = (int(*taken.first()?)?, int(*taken.get(1)?)?);
    Some(Value::Int(match op {
        BinaryOp::Add => one.wrapping_add(other),
        BinaryOp::Sub => one.wrapping_sub(other),
        BinaryOp::Mul => one.wrapping_mul(other),
        BinaryOp::Div if other != 0 => one.wrapping_div(other),
        BinaryOp::Rem if other != 0 => one.wrapping_rem(other),
        BinaryOp::And => one & other,
        BinaryOp::Or => one | other,
        BinaryOp::Xor => one ^ other,
        BinaryOp::Shl => one.wrapping_shl(other.cast_unsigned()),
        BinaryOp::Shr => one.wrapping_shr(other.cast_unsigned()),
        _ => return None,
    }))
}
