//! Potential definitions: the variables, fields and elements that the path not taken would have written. A
//! value that was therefore not overwritten depends on the branch (relevant slicing: Gyimóthy, Beszédes &
//! Forgács 1999).

use super::call_targets;
use super::code::{Body, Codes};
use super::definitions::{Named, PossibleWrites};
use bytecode::op::InvokeKind;
use bytecode::{Instruction, Op};
use program::effect::{Effect, dynamic};
use std::collections::HashSet;
use std::rc::Rc;
use trace::{Calls, Method};

impl Codes<'_> {
    /// The potential definitions bypassed by a branch that continued at `to`.
    pub fn around(
        &mut self,
        method: u32,
        body: &Body,
        branch: u32,
        to: u32,
        calls: &Calls,
    ) -> Rc<PossibleWrites> {
        if let Some(known) = self.potential_definitions.known.get(&(method, branch, to)) {
            return known.clone();
        }
        let (mut around, called) = self.written_by(passed_over(body, branch, to));
        for named in called {
            around.add(&self.below(named, calls));
        }
        let around = Rc::new(around);
        self.potential_definitions.known.insert((method, branch, to), around.clone());
        around
    }

    /// The potential definitions of other methods that the receiver could have selected instead of the called
    /// one; `None` if there are none.
    pub fn not_chosen(&mut self, called: &Method, calls: &Calls) -> Option<Rc<PossibleWrites>> {
        self.find_called(calls);
        let named = (called.name.clone(), called.descriptor.clone());
        if self.potential_definitions.called.is_referred_to(&named) {
            return Some(self.below(call_targets::referred_to(), calls));
        }
        self.potential_definitions.called.has_others(&named).then(|| self.below(named, calls))
    }

    /// The potential definitions of functions passed to a JDK method that calls them back; `None` if it calls
    /// none.
    pub fn called_back(
        &mut self,
        effect: Effect,
        descriptor: &str,
        calls: &Calls,
    ) -> Option<Rc<PossibleWrites>> {
        // A foreign method is already assumed to do everything.
        if matches!(effect, Effect::Computes | Effect::Foreign) || !jdk::takes_functions(descriptor) {
            return None;
        }
        let compares = jdk::takes_comparators(descriptor);
        Some(
            self.below(if compares { call_targets::referred_to() } else { call_targets::functions() }, calls),
        )
    }

    /// The possible writes of some instructions, and the methods they call.
    fn written_by<'i>(
        &mut self,
        instructions: impl IntoIterator<Item = &'i Instruction>,
    ) -> (PossibleWrites, HashSet<Named>) {
        let (mut found, mut called) = (PossibleWrites::default(), HashSet::new());
        for instruction in instructions {
            let effect = match &instruction.op {
                Op::PutField(field) | Op::PutStatic(field) => {
                    found.fields.insert(field.name.clone());
                    if let Op::PutStatic(field) = &instruction.op {
                        called.extend(self.initializers(&field.class));
                    }
                    continue;
                }
                Op::ArrayStore(_) => {
                    found.elements = true;
                    continue;
                }
                Op::Throw => {
                    found.throws = true;
                    continue;
                }
                Op::Invoke { kind, method } => {
                    called.insert((method.name.clone(), method.descriptor.clone()));
                    if *kind == InvokeKind::Static {
                        called.extend(self.initializers(&method.class));
                    }
                    if self.surely_enters(*kind, method) {
                        continue;
                    }
                    let effect = self.effect(method);
                    if effect != Effect::Computes {
                        called.insert(call_targets::overriding());
                        called.extend(jdk::takes_functions(&method.descriptor).then(call_targets::functions));
                    }
                    effect
                }
                Op::InvokeDynamic { bootstrap, .. } => {
                    let effect = dynamic(bootstrap.as_ref());
                    called.extend((effect != Effect::Computes).then(call_targets::overriding));
                    effect
                }
                Op::New(class) => {
                    called.extend(self.initializers(class));
                    continue;
                }
                Op::GetStatic(field) => {
                    called.extend(self.initializers(&field.class));
                    continue;
                }
                op => {
                    found.slots.extend(op.stored_slot().map(|(slot, _)| slot));
                    continue;
                }
            };
            found.does(effect);
        }
        (found, called)
    }

    /// The possible writes of the methods with a name, and of their callees.
    fn below(&mut self, named: Named, calls: &Calls) -> Rc<PossibleWrites> {
        if let Some(known) = self.potential_definitions.below.get(&named) {
            return known.clone();
        }
        self.find_called(calls);
        let mut found = PossibleWrites::default();
        let (mut open, mut seen) = (vec![named.clone()], HashSet::from([named.clone()]));
        while let Some(next) = open.pop() {
            if let Some(unrecorded) = self.potential_definitions.called.unrecorded(&next) {
                found.add(unrecorded);
            }
            for number in self.potential_definitions.called.numbers(&next) {
                let own = self.own(number, calls);
                found.add(&own.0);
                open.extend(own.1.iter().filter(|called| seen.insert((*called).clone())).cloned());
            }
        }
        // Local variables of a callee are not the caller's.
        found.slots.clear();
        let found = Rc::new(found);
        self.potential_definitions.below.insert(named, found.clone());
        found
    }

    fn own(&mut self, number: u32, calls: &Calls) -> Rc<(PossibleWrites, HashSet<Named>)> {
        if let Some(known) = self.potential_definitions.own.get(&number) {
            return known.clone();
        }
        let body = calls.sites.method(number).and_then(|method| self.body(number, method));
        let found = Rc::new(match body {
            Some(body) => self.written_by(&body.code.instructions),
            None => (PossibleWrites { everything: true, ..PossibleWrites::default() }, HashSet::new()),
        });
        self.potential_definitions.own.insert(number, found.clone());
        found
    }
}

/// The instructions on the paths that a branch did not take, up to the join point.
fn passed_over(body: &Body, branch: u32, to: u32) -> Vec<&Instruction> {
    let Some(instruction) = body.code.at(branch) else { return Vec::new() };
    let end = body.join_of(branch);
    let mut open: Vec<u32> = instruction.op.targets();
    if !instruction.op.ends_flow() {
        open.push(instruction.next_pc());
    }
    open.retain(|next| *next != to);
    let mut seen: HashSet<u32> = end.into_iter().collect();
    let mut found = Vec::new();
    while let Some(pc) = open.pop() {
        let Some(next) = body.code.at(pc).filter(|_| seen.insert(pc)) else { continue };
        found.push(next);
        open.extend(next.op.targets());
        if !next.op.ends_flow() {
            open.push(next.next_pc());
        }
    }
    found
}
