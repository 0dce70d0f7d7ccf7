//! Processes the events of a call and those below it, and interprets the code between the events
//! (`transfer`).
//!
//! An event identifies its instruction. No event identifies the instruction that made a call. It is inferred
//! if only one instruction can have made the call. Otherwise the JDK may have called back, and the callee
//! depends on everything that could have been passed to it.

use super::Lost;
use super::code::{Body, Codes};
use super::definitions::PossibleWrites;
use super::frame::{AssertionCall, Calling, Frame};
use super::graph::{Graph, Node};
use super::heap::{Heap, Val};
use bytecode::op::InvokeKind;
use bytecode::{Instruction, Op};
use program::assertion_method::Examined;
use std::collections::HashMap;
use trace::{Calls, Method, Traced, TracedEvent, Value};

/// Maximum number of instructions executed between two events.
const MOST: usize = 1 << 16;

/// The interpretation of a call.
pub struct Replay<'a> {
    pub graph: Graph,
    pub heap: Heap,
    pub(super) codes: Codes<'a>,
    /// The root: all other calls are below it.
    pub(super) root: u32,
    /// The root's variables by name: the slot and the dependence node.
    pub variables: HashMap<String, (u16, Node)>,
    /// The dependences of the root's result, or of the exception that left it.
    pub exit: Node,
    /// The call in which an assertion failed, if that is asked for.
    pub asserting: Option<u32>,
    /// That assertion, which has examined a value.
    pub asserted: Option<AssertionCall>,
    frames: Vec<Frame>,
}

impl<'a> Replay<'a> {
    /// Starts before the first event of a call.
    pub fn new(root: u32, codes: Codes<'a>, heap: Heap) -> Replay<'a> {
        let (graph, variables, frames) = (Graph::new(), HashMap::new(), Vec::new());
        Replay { graph, heap, codes, root, variables, exit: 0, asserting: None, asserted: None, frames }
    }

    /// Starts over with the facts known by now.
    pub fn again(self) -> Replay<'a> {
        let asserting = self.asserting;
        Replay { asserting, ..Replay::new(self.root, self.codes, self.heap.again()) }
    }

    /// Processes an event.
    pub fn take(&mut self, calls: &Calls, seen: &TracedEvent<'_>) -> Result<(), Lost> {
        if self.graph.is_full() || self.heap.is_full() {
            return Err(Lost("the calls below it need too much memory to analyse"));
        }
        // The handler or the end of the call says what became of an exception.
        let is_skipped = matches!(
            seen.site.what,
            Traced::Contents | Traced::Text | Traced::Born | Traced::Throw | Traced::Raised
        );
        let (Some(call), false) = (seen.node, is_skipped) else { return Ok(()) };
        self.heap.uses.now = seen.when();
        if seen.site.what == Traced::Enter {
            return self.enter(call, calls, seen);
        }
        if seen.site.is_nowhere() && matches!(seen.site.what, Traced::Element(_)) {
            // A write through a list backed by the array.
            let all = self.heap.everything(&mut self.graph);
            let led = self.frames.last().map_or(0, |frame| self.graph.join(frame.control(), frame.pending));
            let node = self.graph.join(all, led);
            return self.write(call, node, calls, seen);
        }
        if matches!(seen.site.what, Traced::Catch | Traced::Leave) {
            self.leave_silently(call, calls)?;
        }
        let unknown = Lost("the end of a call was not recorded");
        let mut frame = self.frames.pop().filter(|frame| frame.call == call).ok_or(unknown)?;
        let exit = match frame.body.clone() {
            Some(body) => self.own(&mut frame, &body, calls, seen)?,
            None => self.closed(&frame, calls, seen)?,
        };
        match exit {
            None => self.frames.push(frame),
            Some(exit) => self.leave(&frame, exit, seen.site.what == Traced::Leave, calls)?,
        }
        Ok(())
    }

    /// Ends the constructors that an exception has left before they called another one, above the call that
    /// the exception reaches: until then an exception leaves a constructor without an event (JVMS §4.10.1).
    fn leave_silently(&mut self, reached: u32, calls: &Calls) -> Result<(), Lost> {
        let is_constructor = |frame: &Frame| calls.method(frame.call).is_some_and(|of| of.name == "<init>");
        while let Some(frame) = self.frames.pop_if(|frame| frame.call != reached && is_constructor(frame)) {
            let node = match frame.body {
                Some(_) => self.reachable(&frame, calls)?,
                None => self.inside_closed(&frame),
            };
            self.leave(&frame, Val::of(node), true, calls)?;
        }
        Ok(())
    }

    /// Processes an event of a call with known code. Returns the result or exception if the call ends.
    fn own(
        &mut self,
        frame: &mut Frame,
        body: &Body,
        calls: &Calls,
        seen: &TracedEvent<'_>,
    ) -> Result<Option<Val>, Lost> {
        let known = seen.values.last().copied().map(plain);
        if let Traced::Catch | Traced::Leave = seen.site.what {
            return self.thrown(frame, body, calls, seen);
        }
        if frame.calling.is_some() || frame.thrown != 0 {
            return Err(Lost("the effect of an exception is unknown"));
        }
        let instruction =
            body.code.at(seen.site.bci).ok_or(Lost("the class file differs from the one that ran"));
        if let (
            Traced::Element(_) | Traced::Array | Traced::Put | Traced::PutStatic,
            Ok(Instruction { op: Op::Invoke { .. }, .. }),
        ) = (seen.site.what, &instruction)
        {
            self.stored_by_call(frame, instruction?, calls, seen)?;
            return Ok(None);
        }
        if let Ok(Instruction { op: Op::MultiNewArray { .. }, .. }) = &instruction
            && instruction.is_ok_and(|made| frame.pc == made.next_pc())
            && is_inside(frame.top(), calls, seen)
        {
            // The outer array was made, and those inside it follow.
            if seen.site.what != Traced::Array {
                let node = self.graph.join(frame.top().node, frame.control());
                self.write(frame.call, node, calls, seen)?;
            }
            return Ok(None);
        }
        self.advance(frame, seen.site.bci, calls)?;
        (frame.pending, frame.called) = (0, None);
        match seen.site.what {
            Traced::Line(_) => {}
            Traced::Branch(_) => {
                self.branch(frame, body, instruction?, calls, seen)?;
            }
            Traced::Return => {
                frame.arrive(&mut self.graph);
                let val = frame.pop(bytecode::stack::effect(&instruction?.op).0)?;
                let node = self.graph.join(val.node, frame.control());
                return Ok(Some(Val { node, known }));
            }
            _ => self.execute(frame, instruction?, calls, Some(seen))?,
        }
        Ok(None)
    }

    /// Processes an exception that a call catches, or that leaves it. Returns the exception in that case.
    fn thrown(
        &mut self,
        frame: &mut Frame,
        body: &Body,
        calls: &Calls,
        seen: &TracedEvent<'_>,
    ) -> Result<Option<Val>, Lost> {
        let leaves = seen.site.what == Traced::Leave;
        if leaves && self.asserting == Some(frame.call) {
            self.asserted = self.failed_assertion(frame, body, calls)?;
        }
        let node = self.reachable(frame, calls)?;
        let exception = Val { node, known: seen.values.last().copied().map(plain) };
        if leaves {
            return Ok(Some(exception));
        }
        frame.choose(node, None);
        frame.catch(exception);
        // The potential definitions bypassed by an exception are not computed, so assume everything.
        self.led_around(frame, node, &PossibleWrites { everything: true, ..PossibleWrites::default() });
        frame.pc = seen.site.bci;
        Ok(None)
    }

    /// Takes the way of a branch.
    fn branch(
        &mut self,
        frame: &mut Frame,
        body: &Body,
        instruction: &Instruction,
        calls: &Calls,
        seen: &TracedEvent<'_>,
    ) -> Result<(), Lost> {
        let Traced::Branch(to) = seen.site.what else { return Ok(()) };
        frame.arrive(&mut self.graph);
        let taken = frame.take(bytecode::stack::effect(&instruction.op).0)?;
        let control = frame.control();
        let node = taken.iter().fold(control, |all, val| self.graph.join(all, val.node));
        frame.choose(node, body.join_of(instruction.pc));
        let around = self.codes.around(seen.site.method, body, instruction.pc, to.into(), calls);
        self.led_around(frame, node, &around);
        frame.pc = to.into();
        Ok(())
    }

    /// Unrecorded code has stored into an array, created an array or written a field. That call has ended,
    /// normally or by an exception.
    fn stored_by_call(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction,
        calls: &Calls,
        seen: &TracedEvent<'_>,
    ) -> Result<(), Lost> {
        let is_behind = frame.pc == instruction.next_pc();
        let is_executed = is_behind && frame.called.is_some_and(|(pc, _)| pc == instruction.pc);
        if !is_executed {
            self.advance(frame, instruction.pc, calls)?;
            self.execute(frame, instruction, calls, None)?;
            frame.pending = 0;
        }
        let (_, node) = frame.called.ok_or(Lost("the writes of an unrecorded call are unknown"))?;
        if seen.site.what != Traced::Array {
            let node = self.graph.join(node, frame.control());
            self.write(frame.call, node, calls, seen)?;
        }
        Ok(())
    }

    /// Records that a decision bypassed potential definitions.
    pub(super) fn led_around(&mut self, frame: &mut Frame, choice: Node, around: &PossibleWrites) {
        let is_caught = around.throws && self.frames.iter().chain([&*frame]).any(Frame::can_catch);
        if is_caught {
            // With an exception, no call up to the handler would have continued.
            for around in self.frames.iter_mut().skip_while(|around| !around.can_catch()) {
                around.depend(&mut self.graph, choice);
                if around.can_catch() {
                    around.each_local(|_, val| val.node = self.graph.join(val.node, choice));
                }
            }
            frame.depend(&mut self.graph, choice);
            self.heap.led_around(
                &mut self.graph,
                choice,
                &PossibleWrites { everything: true, ..PossibleWrites::default() },
            );
        }
        let everything = around.everything || is_caught;
        let is_meant = |slot: u16| everything || around.slots.contains(&slot);
        frame.each_local(|slot, val| {
            if is_meant(slot) {
                val.node = self.graph.join(val.node, choice);
            }
        });
        if frame.call == self.root || is_caught {
            for (_, node) in self.variables.values_mut().filter(|(slot, _)| is_meant(*slot)) {
                *node = self.graph.join(*node, choice);
            }
        }
        self.heap.led_around(&mut self.graph, choice, around);
    }

    /// Processes an event of a call that is not fully recorded. Returns the result or exception if the call
    /// ends.
    fn closed(&mut self, frame: &Frame, calls: &Calls, seen: &TracedEvent<'_>) -> Result<Option<Val>, Lost> {
        let node = self.inside_closed(frame);
        match seen.site.what {
            Traced::Return | Traced::Leave => {
                self.heap.disturb(&mut self.graph, node);
                Ok(Some(Val { node, known: seen.values.last().copied().map(plain) }))
            }
            Traced::Put | Traced::PutStatic | Traced::Preset | Traced::Element(_) => {
                self.write(frame.call, node, calls, seen)?;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Everything on which a call that is not fully recorded can depend.
    fn inside_closed(&mut self, frame: &Frame) -> Node {
        let all = self.heap.everything(&mut self.graph);
        let given = frame.variables(&mut self.graph);
        self.all(&[all, given, frame.control(), frame.pending])
    }

    /// Processes a method entry.
    fn enter(&mut self, call: u32, calls: &Calls, seen: &TracedEvent<'_>) -> Result<(), Lost> {
        let number = seen.site.method;
        let method = calls.sites.method(number).ok_or(Lost("a method is unknown"))?;
        let body = self.codes.body(number, method);
        let mut given = Vec::new();
        let mut base = 0;
        if call != self.root {
            let unknown = Lost("the caller of a method is unknown");
            let mut around =
                self.frames.pop().filter(|frame| Some(frame.call) == seen.around).ok_or(unknown)?;
            let from = self.call(&mut around, number, method, calls)?;
            self.frames.push(around);
            given = from.0;
            base = self.graph.by(call, from.1);
        }
        let mut frame = Frame::new(call, body, base);
        let is_constructor = method.name == "<init>";
        let mut values = seen.values.iter().copied().map(plain);
        let mut slots = Vec::new();
        if !method.is_static {
            let this = if is_constructor { calls.born(call).map(Value::Object) } else { values.next() };
            slots.push((0, this));
        }
        let parameters = bytecode::descriptor::parameter_slots(&method.descriptor, method.is_static);
        slots.extend(parameters.iter().map(|(slot, _)| (*slot, values.next())));
        for (slot, known) in slots {
            // A single value stands for every argument.
            let from = if given.len() == 1 { given.first() } else { given.get(usize::from(slot)) };
            let from = from.copied().unwrap_or_default();
            frame.store(slot, Val { node: from.node, known: known.or(from.known) });
            if call == self.root {
                let place = parameters.iter().position(|(other, _)| *other == slot);
                let name = place.and_then(|place| method.parameters.get(place).cloned().flatten());
                self.variables.extend(name.map(|name| (name, (slot, 0))));
            }
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Processes a call from a frame. Returns the arguments by slot, or a single value for everything that
    /// could have been passed; and why the call was made.
    fn call(
        &mut self,
        around: &mut Frame,
        number: u32,
        method: &Method,
        calls: &Calls,
    ) -> Result<(Vec<Val>, Node), Lost> {
        if around.body.is_none() {
            let node = self.inside_closed(around);
            return Ok((vec![Val::of(node)], node));
        }
        if around.calling.is_some() || around.thrown != 0 {
            return Err(Lost("the effect of an exception is unknown"));
        }
        if method.name == "<clinit>" {
            return Ok((Vec::new(), around.control()));
        }
        let Some((instruction, is_chosen)) = self.caller(around, number, method, calls) else {
            let reached = self.reachable(around, calls)?;
            let held = self.heap.held(&mut self.graph);
            let node = self.graph.join(reached, held);
            self.choose_method(around, node, method, calls);
            return Ok((vec![Val::of(node)], node));
        };
        self.advance(around, instruction.pc, calls)?;
        around.arrive(&mut self.graph);
        let mut given = around.take(bytecode::stack::effect(&instruction.op).0)?;
        for val in &mut given {
            val.node = self.graph.join(val.node, around.pending);
        }
        let receiver = given.first().map_or(0, |val| val.node);
        let mut base = self.graph.join(around.control(), around.pending);
        if is_chosen {
            base = self.graph.join(base, receiver);
            self.choose_method(around, receiver, method, calls);
        }
        around.pending = 0;
        around.calling = Some(Calling { instruction, receiver });
        // The extra value tells known arguments from a single value for all.
        given.push(Val::default());
        Ok((given, base))
    }

    /// The receiver selected the called method, and so bypassed the potential definitions of the others.
    fn choose_method(&mut self, frame: &mut Frame, choice: Node, called: &Method, calls: &Calls) {
        if choice != 0
            && let Some(around) = self.codes.not_chosen(called, calls)
        {
            self.led_around(frame, choice, &around);
        }
    }

    /// The instruction that called a method, if certain, and whether the receiver selected the method.
    fn caller(
        &mut self,
        around: &Frame,
        number: u32,
        method: &Method,
        calls: &Calls,
    ) -> Option<(Instruction, bool)> {
        let body = around.body.clone()?;
        let mut by_others = false;
        for pc in body.unseen(around.pc).0 {
            let instruction = body.code.at(pc)?;
            let Op::Invoke { kind, method: named } = &instruction.op else {
                by_others |= self.codes.may_call(&instruction.op, number, calls);
                continue;
            };
            if self.codes.is_called_by(*kind, named, method) {
                if by_others || *kind == InvokeKind::Interface && self.codes.may_be_unrecorded(named, calls) {
                    return None;
                }
                let is_chosen = matches!(kind, InvokeKind::Virtual | InvokeKind::Interface);
                return Some((instruction.clone(), is_chosen));
            }
            if self.codes.surely_enters(*kind, named) {
                return None;
            }
            by_others |= self.codes.may_call(&instruction.op, number, calls);
        }
        None
    }

    /// Processes the end of a call.
    fn leave(&mut self, frame: &Frame, exit: Val, threw: bool, calls: &Calls) -> Result<(), Lost> {
        let Some(around) = self.frames.last_mut() else {
            self.exit = exit.node;
            return Ok(());
        };
        let Some(Calling { instruction, receiver }) = around.calling.take() else {
            let is_initializer = calls.method(frame.call).is_some_and(|method| method.name == "<clinit>");
            if threw || !is_initializer {
                around.pending = self.graph.join(around.pending, exit.node);
            }
            return Ok(());
        };
        if threw {
            around.thrown = exit.node;
            return Ok(());
        }
        around.push(exit, bytecode::stack::effect(&instruction.op).1);
        if let Some(object) = calls.born(frame.call) {
            around.born(receiver, object);
        }
        around.pc = instruction.next_pc();
        Ok(())
    }

    /// Executes the instructions before `to`.
    fn advance(&mut self, frame: &mut Frame, to: u32, calls: &Calls) -> Result<(), Lost> {
        let Some(body) = frame.body.clone() else { return Ok(()) };
        for _ in 0..MOST {
            if frame.pc == to {
                return Ok(());
            }
            let instruction =
                body.code.at(frame.pc).ok_or(Lost("the class file differs from the one that ran"))?;
            let op = &instruction.op;
            if op.is_branch() || op.ends_flow() && !matches!(op, Op::Goto { .. }) {
                break;
            }
            self.execute(frame, instruction, calls, None)?;
        }
        Err(Lost("the recording does not fit the class file"))
    }

    /// The assertion from which an exception left a call, and the value that it examined; `None` if the call
    /// threw the exception itself, or if its last assertion examined nothing.
    fn failed_assertion(
        &mut self,
        frame: &Frame,
        body: &Body,
        calls: &Calls,
    ) -> Result<Option<AssertionCall>, Lost> {
        if frame.thrown != 0 {
            return Ok(None);
        }
        let as_it_was = self.heap.outside();
        let mut trial = frame.clone();
        trial.asserted = None;
        let mut found: Option<AssertionCall> = None;
        let mut is_continued = false;
        for pc in body.unseen(frame.pc).0 {
            let Some(instruction) = body.code.at(pc) else { break };
            if let Op::Invoke { method, .. } = &instruction.op
                && self.codes.examined(method) == Some(Examined::SameValue)
            {
                is_continued = true;
            }
            self.execute(&mut trial, instruction, calls, None)?;
            let Some(next) = trial.asserted.take() else { continue };
            // No event tells which of several assertions failed.
            let both = found.and_then(|first| Some((first, first.examined?.1, next.examined?.1)));
            found = Some(match both {
                Some((first, one, other)) => {
                    let val = Val::of(self.graph.join(one.node, other.node));
                    let examined = first.examined.map(|(at, _)| (at, val));
                    AssertionCall { examined, expected: None, ..first }
                }
                None => next,
            });
        }
        self.heap.set_outside(as_it_was);
        if body.code.at(trial.pc).is_some_and(|next| next.op == Op::Throw) {
            return Ok(None);
        }
        // `assertThat(value)` can stand before other calls: `assertThat(value).isEqualTo(other())`.
        let found = found.or(frame.asserted.filter(|_| is_continued));
        Ok(found.filter(|found| found.examined.is_some()))
    }

    /// Everything on which the frame's next event can depend: an exception, or a callback from the JDK.
    fn reachable(&mut self, frame: &Frame, calls: &Calls) -> Result<Node, Lost> {
        // If the unrecorded call stored something before it threw, execution is already past it.
        let called = frame.called.map_or(0, |(_, node)| node);
        let mut all = self.all(&[frame.control(), frame.pending, frame.thrown, called]);
        let Some(body) = frame.body.clone().filter(|_| frame.thrown == 0) else { return Ok(all) };
        let mut trial = frame.clone();
        let as_it_was = self.heap.outside();
        let operands = trial.operands(&mut self.graph);
        all = self.graph.join(all, operands);
        for pc in body.unseen(frame.pc).0 {
            let Some(instruction) = body.code.at(pc) else { break };
            self.execute(&mut trial, instruction, calls, None)?;
            all = self.all(&[all, trial.top().node, trial.made]);
            trial.made = 0;
        }
        // An exception can also come from the next instruction, if it is a throw.
        let next = body.code.at(trial.pc).filter(|next| next.op == Op::Throw);
        if next.is_some() {
            all = self.graph.join(all, trial.top().node);
        }
        self.heap.set_outside(as_it_was);
        Ok(all)
    }
}

/// The value in the VM's computational type.
pub fn plain(value: Value) -> Value {
    match value {
        Value::Boolean(value) => Value::Int(value.into()),
        Value::Char(value) => Value::Int(value.into()),
        value => value,
    }
}

/// Whether an event is about an array inside `outer`, which was made with it, or stores one into an array.
fn is_inside(outer: Val, calls: &Calls, seen: &TracedEvent<'_>) -> bool {
    let class = |object: Option<u32>| object.and_then(|object| calls.objects.class(object));
    let array = match seen.values.first() {
        Some(Value::Object(array)) => Some(*array),
        _ => None,
    };
    seen.site.what != Traced::Array || class(outer.object()) != class(array)
}
