//! The constraints of a method body.

use super::body::{NO_VALUE, Step, Value};
use super::nodes::{NOWHERE, NodeId};
use super::sites::{Call, InstructionAt};
use super::solver::{CONTENTS, Solver};
use super::types::OBJECT;
use super::{AllocKind, MethodId};
use bytecode::class::Code;
use bytecode::kind::Kind;
use bytecode::member::{FieldRef, MethodRef};
use bytecode::op::{Constant, Element, InvokeKind, Op};

impl Solver<'_> {
    /// The node of a value of a body.
    pub(super) fn node_of(&self, method: MethodId, value: Value) -> NodeId {
        let reached = usize::try_from(method.0).ok().and_then(|at| self.methods.get(at));
        reached.filter(|_| value != NO_VALUE).map_or(NOWHERE, |m| m.base + value)
    }

    /// Adds the constraints of a reached method.
    pub(super) fn constrain(&mut self, id: MethodId) {
        let Some(reached) = usize::try_from(id.0).ok().and_then(|at| self.methods.get(at)).cloned() else {
            return;
        };
        let Some(code) = reached.code() else { return };
        self.steps += reached.body.steps.len() as u64;
        for (from, to) in &reached.body.flows {
            self.graph.edge(reached.base + from, reached.base + to);
        }
        for (value, class) in &reached.body.caught {
            self.catch(reached.base + value, class.as_deref());
        }
        for step in &reached.body.steps {
            if let Some(instruction) = code.instructions.get(step.at) {
                self.constrain_step(id, step, &instruction.op, &reached.body.steps, code);
            }
        }
    }

    /// What a handler may catch: what is thrown anywhere, and what the VM and libraries throw.
    fn catch(&mut self, value: NodeId, class: Option<&str>) {
        let ty = self.graph.types.id(class.unwrap_or("java.lang.Throwable"));
        let filter = self.graph.node(ty);
        self.graph.edge(self.thrown, filter);
        self.graph.edge(filter, value);
        if !self.graph.types.is_analysed(ty) {
            let object = self.shared(AllocKind::Exception, ty);
            self.graph.add_one(value, object);
        }
    }

    fn constrain_step(&mut self, id: MethodId, step: &Step, op: &Op, steps: &[Step], code: &Code) {
        let operand = |at: usize| step.operands.get(at).copied().unwrap_or(NO_VALUE);
        let (first, second) = (self.node_of(id, operand(0)), self.node_of(id, operand(1)));
        let result = self.node_of(id, step.result);
        let site = InstructionAt { method: id, pc: step.pc };
        match op {
            Op::New(class) => {
                let ty = self.graph.types.id(class);
                self.initialise(ty);
                if let Some(object) = self.made(site, ty, true, false, AllocKind::New) {
                    self.at.insert(site.key(), object);
                    self.graph.add_one(result, object);
                }
            }
            Op::NewArray(element) => self.array(site, &format!("{element}[]"), 1, result),
            Op::MultiNewArray { ty, dimensions } => self.array(site, ty, *dimensions, result),
            Op::Const(constant) => self.constant(constant, result),
            Op::CheckCast(ty) => {
                let filter = self.graph.types.id(ty);
                self.graph.set_filter(result, filter);
                self.graph.edge(first, result);
            }
            Op::GetField(field) => {
                let filter = self.graph.types.of_descriptor(&field.descriptor);
                self.graph.set_filter(result, filter);
                let field = self.accessed(field);
                self.load(first, field, result);
            }
            Op::PutField(field) => {
                let field = self.accessed(field);
                self.store(first, field, second);
            }
            Op::GetStatic(FieldRef { class, name, descriptor }) => {
                let from = self.static_field(class, name, descriptor);
                self.graph.edge(from, result);
            }
            Op::PutStatic(FieldRef { class, name, descriptor }) => {
                let to = self.static_field(class, name, descriptor);
                self.graph.edge(first, to);
            }
            Op::ArrayLoad(Element::Reference) => self.load(first, CONTENTS, result),
            Op::ArrayStore(Element::Reference) => self.store(first, CONTENTS, second),
            Op::Return(Some(Kind::Reference)) => {
                let to = self.result(id);
                self.graph.edge(first, to);
            }
            Op::Throw => self.graph.edge(first, self.thrown),
            Op::Invoke { kind, method } => self.call(id, step, *kind, method, steps, code),
            Op::InvokeDynamic { name, descriptor, bootstrap } => {
                self.dynamic(id, step, name, descriptor, bootstrap.as_ref());
            }
            _ => {}
        }
    }

    /// A field that an instruction accesses. What a field of a library holds counts as contents.
    fn accessed(&mut self, field: &FieldRef) -> u32 {
        match self.field(&field.class, &field.name, &field.descriptor) {
            (id, true) => id,
            (_, false) => CONTENTS,
        }
    }

    /// An array and the arrays that are its elements.
    fn array(&mut self, site: InstructionAt, ty: &str, dimensions: u8, result: NodeId) {
        let mut ty = self.graph.types.id(ty);
        let mut outer: Option<super::AllocId> = None;
        for _ in 0..dimensions {
            let Some(object) = self.made(site, ty, true, false, AllocKind::Array) else { return };
            match outer {
                None => {
                    self.at.insert(site.key(), object);
                    self.graph.add_one(result, object);
                }
                Some(outer) => {
                    let elements = self.field_of(outer, CONTENTS);
                    self.graph.add_one(elements, object);
                }
            }
            outer = Some(object);
            let Some(element) = self.graph.types.element(ty) else { return };
            ty = element;
        }
    }

    fn constant(&mut self, constant: &Constant, result: NodeId) {
        let name = match constant {
            Constant::Class(of) => {
                let of = self.graph.types.id(of);
                let object = self.class_object(of);
                self.graph.add_one(result, object);
                return;
            }
            Constant::String(_) => "java.lang.String",
            Constant::MethodHandle(_) => "java.lang.invoke.MethodHandle",
            Constant::MethodType(_) => "java.lang.invoke.MethodType",
            Constant::Dynamic { descriptor, .. } => &descriptor::java_type(descriptor),
            _ => return,
        };
        let ty = self.graph.types.id(name);
        if let Some(object) = self.unknown(ty) {
            self.graph.add_one(result, object);
        }
    }

    fn call(
        &mut self,
        id: MethodId,
        step: &Step,
        kind: InvokeKind,
        method: &MethodRef,
        steps: &[Step],
        code: &Code,
    ) {
        let result = self.node_of(id, step.result);
        if result != NOWHERE {
            let declared = method.descriptor.rsplit(')').next().unwrap_or_default();
            let filter = self.graph.types.of_descriptor(declared);
            self.graph.set_filter(result, filter);
        }
        if (method.class.as_str(), method.name.as_str()) == ("java.lang.Object", "<init>") {
            return;
        }
        if (method.class.as_str(), method.name.as_str()) == ("java.lang.Class", "forName")
            && let Some(name) = step.operands.first().and_then(|v| text_of(*v, steps, code))
        {
            let of = self.graph.types.id(name);
            self.initialise(of);
            let object = self.class_object(of);
            self.graph.add_one(result, object);
            return;
        }
        let class = if method.class.ends_with(']') { OBJECT } else { self.graph.types.id(&method.class) };
        let arguments = step.operands.iter().map(|v| self.node_of(id, *v)).collect();
        self.add_site(Call {
            method: id,
            pc: step.pc,
            is_lambda: false,
            kind,
            class,
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            arguments,
            result,
        });
    }
}

/// The string constant that a value is.
fn text_of<'a>(value: Value, steps: &[Step], code: &'a Code) -> Option<&'a str> {
    let step = steps.iter().find(|s| s.result == value && value != NO_VALUE)?;
    match &code.instructions.get(step.at)?.op {
        Op::Const(Constant::String(text)) => Some(text),
        _ => None,
    }
}
