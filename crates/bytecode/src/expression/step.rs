//! The effect of one instruction on the symbolic operands.

use super::node::{ExprNode, UnaryOp};
use super::render::conversion_type;
use super::simulate::Machine;
use super::simulation::Simulation;
use super::value::{Change, Value, leaves_of};
use crate::descriptor::{parse_method, slots};
use crate::member::MethodRef;
use crate::op::{BinaryOp, Bootstrap, Constant, InvokeKind, Kind, Op};

fn boxed(node: &ExprNode) -> Box<ExprNode> {
    Box::new(node.clone())
}

fn constant_kind(constant: &Constant) -> Kind {
    match constant {
        Constant::Int(_) => Kind::Int,
        Constant::Long(_) => Kind::Long,
        Constant::Float(_) => Kind::Float,
        Constant::Double(_) => Kind::Double,
        Constant::Dynamic { descriptor, .. } => Kind::of_descriptor(descriptor),
        _ => Kind::Reference,
    }
}

impl Simulation<'_> {
    pub(crate) fn step(&mut self, m: &mut Machine, position: usize, block: usize) {
        let code = self.code;
        let Some(instruction) = code.instructions.get(position) else { return };
        let pc = instruction.pc;
        match &instruction.op {
            Op::Nop | Op::Goto { .. } | Op::Ret { .. } => {}
            Op::Const(constant) => {
                let node = ExprNode::Const(constant.clone());
                let read = (!matches!(constant, Constant::Dynamic { .. })).then(|| node.clone());
                m.push(Value { read, ..Value::opaque(node, constant_kind(constant), Vec::new()) });
            }
            Op::Load { kind, slot } => self.load(m, position, *kind, *slot),
            Op::Store { kind, slot } => {
                let value = m.pop();
                let target = self.stored_local(*slot, instruction, *kind);
                let node = match target.descriptor() {
                    Some(descriptor) => value.node.clone().coerced(&descriptor),
                    None => value.node.clone(),
                };
                m.change(&Change::Slot(*slot));
                if kind.slots() == 2 {
                    m.change(&Change::Slot(slot.saturating_add(1)));
                }
                self.stored.insert(pc, node);
                self.assigned(m, &value, target.clone(), Some(target));
                self.operands.insert(position, vec![value]);
            }
            Op::Iinc { slot, by } => {
                let target = self.local(*slot, pc, Kind::Int);
                if let Some(top) = m.stack.last_mut()
                    && matches!(&top.node, ExprNode::Local { slot: other, .. } if other == slot)
                {
                    top.node = ExprNode::PostIncrement { target: Box::new(target.clone()), by: *by };
                    m.change(&Change::Slot(*slot));
                    if let Some(top) = m.stack.last_mut() {
                        let back = ExprNode::Const(Constant::Int(by.wrapping_neg()));
                        top.read = Some(ExprNode::binary(BinaryOp::Add, target.clone(), back));
                        top.leaves = vec![target];
                    }
                } else {
                    m.change(&Change::Slot(*slot));
                }
            }
            Op::ArrayLoad(element) => {
                let (index, array) = (m.pop(), m.pop());
                let of =
                    |a: &ExprNode, i: &ExprNode| ExprNode::ArrayLoad { array: boxed(a), index: boxed(i) };
                let read = array.read.as_ref().zip(index.read.as_ref()).map(|(a, i)| of(a, i));
                let node = of(&array.node, &index.node);
                self.note_read(position, read.as_ref());
                m.push(Value::leaf(node, read, element.kind(), leaves_of(&[&array, &index])));
            }
            Op::ArrayStore(_) => {
                let (value, index, array) = (m.pop(), m.pop(), m.pop());
                m.change(&Change::Element);
                initialise(m, &array, &value);
                let target = ExprNode::ArrayLoad { array: boxed(&array.node), index: boxed(&index.node) };
                self.assigned(m, &value, target, None);
                self.operands.insert(position, vec![array, index, value]);
            }
            Op::Pop => drop(m.pop_slots(1)),
            Op::Pop2 => drop(m.pop_slots(2)),
            Op::Dup => duplicate(m, position, 1, 0),
            Op::DupX1 => duplicate(m, position, 1, 1),
            Op::DupX2 => duplicate(m, position, 1, 2),
            Op::Dup2 => duplicate(m, position, 2, 0),
            Op::Dup2X1 => duplicate(m, position, 2, 1),
            Op::Dup2X2 => duplicate(m, position, 2, 2),
            Op::Swap => {
                let (a, b) = (m.pop(), m.pop());
                m.push(a);
                m.push(b);
            }
            Op::Binary { op, kind } => binary(m, *op, *kind),
            Op::Compare { .. } => binary(m, BinaryOp::Compare, Kind::Int),
            Op::Negate(kind) => {
                unary(m, *kind, |n| ExprNode::Unary { op: UnaryOp::Negate, operand: Box::new(n) });
            }
            Op::Convert { from, to } => {
                let (from, to) = (*from, *to);
                let kind = Kind::of_descriptor(&to.to_string());
                let value = m.pop();
                let cast = |n: &ExprNode| ExprNode::Cast { ty: conversion_type(to), operand: boxed(n) };
                // `(byte) l` of a long is two conversions, via int.
                let node = match &value.node {
                    node if is_widening(from, to) => node.clone(),
                    ExprNode::Cast { ty, operand } if ty == "int" && matches!(to, 'B' | 'C' | 'S') => {
                        cast(operand)
                    }
                    node => cast(node),
                };
                m.push(Value::operation(node, value.read.as_ref().map(cast), kind, &[&value]));
            }
            Op::If { test, .. } => {
                let two = matches!(test, crate::op::Test::Ints(_) | crate::op::Test::References(_));
                let operands = m.stack.split_off(m.stack.len().saturating_sub(if two { 2 } else { 1 }));
                self.note_jump(block, position, *test, &operands);
                self.operands.insert(position, operands);
            }
            Op::Jsr { .. } => m.push(Value::unknown(Kind::Reference)),
            Op::Switch { .. } | Op::Throw | Op::MonitorEnter | Op::MonitorExit | Op::Return(Some(_)) => {
                let value = m.pop();
                m.change(&Change::Heap);
                self.operands.insert(position, vec![value]);
            }
            Op::Return(None) => {}
            Op::GetField(field) => {
                let owner = m.pop();
                let of = |n: &ExprNode| ExprNode::Field {
                    owner: boxed(n),
                    class: field.class.clone(),
                    name: field.name.clone(),
                    descriptor: field.descriptor.clone(),
                };
                let read = owner.read.as_ref().map(of);
                let kind = Kind::of_descriptor(&field.descriptor);
                self.note_read(position, read.as_ref());
                m.push(Value::leaf(of(&owner.node), read, kind, owner.leaves.clone()));
            }
            Op::PutField(field) => {
                let (value, owner) = (m.pop(), m.pop());
                let of = |n: &ExprNode| ExprNode::Field {
                    owner: boxed(n),
                    class: field.class.clone(),
                    name: field.name.clone(),
                    descriptor: field.descriptor.clone(),
                };
                m.change(&Change::Field(&field.name));
                self.assigned(m, &value, of(&owner.node), owner.read.as_ref().map(of));
                self.operands.insert(position, vec![owner, value]);
            }
            Op::GetStatic(field) => {
                let node = ExprNode::Static {
                    class: field.class.clone(),
                    name: field.name.clone(),
                    descriptor: field.descriptor.clone(),
                };
                self.note_read(position, Some(&node));
                m.push(Value::leaf(
                    node.clone(),
                    Some(node),
                    Kind::of_descriptor(&field.descriptor),
                    Vec::new(),
                ));
            }
            Op::PutStatic(field) => {
                let value = m.pop();
                m.change(&Change::Field(&field.name));
                let target = ExprNode::Static {
                    class: field.class.clone(),
                    name: field.name.clone(),
                    descriptor: field.descriptor.clone(),
                };
                self.assigned(m, &value, target.clone(), Some(target));
                self.operands.insert(position, vec![value]);
            }
            Op::Invoke { kind, method } => self.invoke(m, position, *kind, method),
            Op::InvokeDynamic { name, descriptor, bootstrap } => {
                self.invoke_dynamic(m, position, name, descriptor, bootstrap.as_ref());
            }
            Op::New(class) => {
                let node = ExprNode::New { class: class.clone(), arguments: Vec::new() };
                let fresh = Value::opaque(node, Kind::Reference, Vec::new());
                m.push(Value { origin: Some(position), ..fresh });
            }
            Op::NewArray(element) => {
                let size = m.pop();
                let ty = format!("{element}[]");
                let node = ExprNode::NewArray { ty, sizes: vec![size.node.clone()], elements: Vec::new() };
                let fresh = Value::opaque(node, Kind::Reference, size.leaves);
                m.push(Value { origin: Some(position), ..fresh });
            }
            Op::MultiNewArray { ty, dimensions } => {
                let sizes = m.pop_slots(u16::from(*dimensions));
                let leaves = leaves_of(&sizes.iter().collect::<Vec<_>>());
                let sizes = sizes.into_iter().map(|s| s.node).collect();
                let node = ExprNode::NewArray { ty: ty.clone(), sizes, elements: Vec::new() };
                m.push(Value::opaque(node, Kind::Reference, leaves));
            }
            Op::ArrayLength => {
                unary(m, Kind::Int, |n| ExprNode::ArrayLength(Box::new(n)));
                let read = m.stack.last().and_then(|v| v.read.clone());
                self.note_read(position, read.as_ref());
            }
            Op::CheckCast(ty) => {
                let value = m.pop();
                let node = ExprNode::Cast { ty: ty.clone(), operand: Box::new(value.node.clone()) };
                // A cast does not change the object, so it is read without the cast.
                m.push(Value { node, ..value });
            }
            Op::InstanceOf(ty) => {
                unary(m, Kind::Int, |n| ExprNode::InstanceOf { operand: Box::new(n), ty: ty.clone() });
            }
        }
    }

    fn note_read(&mut self, position: usize, read: Option<&ExprNode>) {
        if let Some(read) = read {
            self.reads.insert(position, read.clone());
        }
    }

    fn load(&mut self, m: &mut Machine, position: usize, kind: Kind, slot: u16) {
        let pc = self.code.instructions.get(position).map_or(0, |i| i.pc);
        let local = self.local(slot, pc, kind);
        let mut node = local.clone();
        if matches!(local, ExprNode::Local { name: None, .. }) {
            if let Some(meaning) = self.temporary(slot, position) {
                node = meaning;
            }
        } else {
            self.reads.insert(position, local.clone());
        }
        m.push(Value::leaf(node, Some(local), kind, Vec::new()));
    }

    /// Handles a store whose operand was duplicated before. The copy left on the stack is the value of an
    /// assignment expression and can be read back from the target.
    fn assigned(&self, m: &mut Machine, value: &Value, target: ExprNode, read: Option<ExprNode>) {
        let Some(id) = value.shared else { return };
        let Some(copy) = m.stack.iter_mut().rev().find(|v| v.shared == Some(id)) else { return };
        let node = ExprNode::Assign { target: Box::new(target), value: Box::new(value.node.clone()) };
        copy.leaves = read.iter().cloned().collect();
        copy.read = read;
        copy.node = if node.size() > 120 { ExprNode::Unknown } else { node };
    }

    fn arguments(m: &mut Machine, parameters: &[String]) -> Vec<Value> {
        let mut arguments: Vec<Value> = parameters.iter().map(|_| m.pop()).collect();
        arguments.reverse();
        for (argument, descriptor) in arguments.iter_mut().zip(parameters) {
            argument.node = std::mem::replace(&mut argument.node, ExprNode::Unknown).coerced(descriptor);
        }
        arguments
    }

    fn invoke(&mut self, m: &mut Machine, position: usize, kind: InvokeKind, method: &MethodRef) {
        let Some(signature) = parse_method(&method.descriptor) else { return };
        let arguments = Self::arguments(m, &signature.parameters);
        let receiver = (kind != InvokeKind::Static).then(|| m.pop());
        m.change(&Change::Heap);
        let nodes: Vec<ExprNode> = arguments.iter().map(|a| a.node.clone()).collect();
        let mut all: Vec<Value> = receiver.into_iter().chain(arguments).collect();
        if method.name == "<init>"
            && let Some(origin) = all.first().and_then(|r| r.origin)
        {
            let made = ExprNode::New { class: method.class.clone(), arguments: nodes };
            let made = if made.size() > 120 { ExprNode::Unknown } else { made };
            for value in m.stack.iter_mut().filter(|v| v.origin == Some(origin)) {
                value.node = made.clone();
                value.origin = None;
            }
        } else if signature.result != "V" {
            let node = call(kind, method, &all);
            let node = built_string(&node).unwrap_or(node);
            let mut leaves = leaves_of(&all.iter().collect::<Vec<_>>());
            leaves.retain(|leaf| !leaf.any(&|n| !matches!(n, ExprNode::Local { .. } | ExprNode::This)));
            m.push(Value::opaque(node, Kind::of_descriptor(&signature.result), leaves));
        }
        all.shrink_to_fit();
        self.operands.insert(position, all);
    }

    fn invoke_dynamic(
        &mut self,
        m: &mut Machine,
        position: usize,
        name: &str,
        descriptor: &str,
        bootstrap: Option<&Bootstrap>,
    ) {
        let Some(signature) = parse_method(descriptor) else { return };
        let arguments = Self::arguments(m, &signature.parameters);
        m.change(&Change::Heap);
        let nodes: Vec<ExprNode> = arguments.iter().map(|a| a.node.clone()).collect();
        let node = match bootstrap {
            Some(b) if b.method.class == "java.lang.invoke.StringConcatFactory" => concatenation(b, nodes),
            Some(b) if b.method.class == "java.lang.invoke.LambdaMetafactory" => {
                lambda(b, name, descriptor, nodes)
            }
            _ => ExprNode::Dynamic {
                name: name.to_owned(),
                descriptor: descriptor.to_owned(),
                arguments: nodes,
            },
        };
        let mut leaves = leaves_of(&arguments.iter().collect::<Vec<_>>());
        leaves.retain(|leaf| matches!(leaf, ExprNode::Local { .. }));
        if slots(&signature.result) > 0 {
            m.push(Value::opaque(node, Kind::of_descriptor(&signature.result), leaves));
        }
        self.operands.insert(position, arguments);
    }
}

/// Whether a conversion is widening. The compiler inserts such conversions; the source shows only those that
/// can lose information.
pub(crate) fn is_widening(from: Kind, to: char) -> bool {
    matches!((from, to), (Kind::Int, 'J' | 'F' | 'D') | (Kind::Long, 'F' | 'D') | (Kind::Float, 'D'))
}

/// The call as an expression. `operands` are the receiver (unless static) and the arguments.
pub(crate) fn call(kind: InvokeKind, method: &MethodRef, operands: &[Value]) -> ExprNode {
    let mut nodes = operands.iter().map(|o| o.node.clone());
    let receiver = if kind == InvokeKind::Static { None } else { nodes.next().map(Box::new) };
    ExprNode::Call {
        receiver,
        method: method.clone(),
        arguments: nodes.collect(),
        special: kind == InvokeKind::Special,
    }
}

fn unary(m: &mut Machine, kind: Kind, make: impl Fn(ExprNode) -> ExprNode) {
    let value = m.pop();
    let node = make(value.node.clone());
    m.push(Value::operation(node, value.read.clone().map(&make), kind, &[&value]));
}

fn binary(m: &mut Machine, op: BinaryOp, kind: Kind) {
    let (right, left) = (m.pop(), m.pop());
    let read = left.read.clone().zip(right.read.clone()).map(|(l, r)| ExprNode::binary(op, l, r));
    // javac compiles some uses of `!flag` to `flag ^ 1`, and `~x` to `x ^ -1`.
    let (mut l, mut r) = (left.node.clone(), right.node.clone());
    if matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) {
        if l.is_boolean() {
            r = r.coerced("Z");
        } else if r.is_boolean() {
            l = l.coerced("Z");
        }
    }
    m.push(Value::operation(ExprNode::binary(op, l, r), read, kind, &[&left, &right]));
}

/// Executes the `dup` instructions: inserts copies of the top `top` slots below the next `under` slots.
fn duplicate(m: &mut Machine, position: usize, top: u16, under: u16) {
    let mut upper = m.pop_slots(top);
    let lower = m.pop_slots(under);
    for value in &mut upper {
        value.shared = Some(position);
    }
    m.stack.extend(upper.iter().cloned());
    m.stack.extend(lower);
    m.stack.extend(upper);
}

/// Adds a store into an array under construction to its initialiser.
fn initialise(m: &mut Machine, array: &Value, value: &Value) {
    let Some(origin) = array.origin else { return };
    for copy in m.stack.iter_mut().filter(|v| v.origin == Some(origin)) {
        let full = copy.node.size() > 100;
        if let ExprNode::NewArray { ty, elements, .. } = &mut copy.node {
            let element = crate::descriptor::descriptor_of(ty.strip_suffix("[]").unwrap_or(ty));
            if !full {
                elements.push(value.node.clone().coerced(&element));
            } else if elements.last() != Some(&ExprNode::Unknown) {
                elements.push(ExprNode::Unknown);
            }
        }
    }
}

fn lambda(bootstrap: &Bootstrap, name: &str, descriptor: &str, captured: Vec<ExprNode>) -> ExprNode {
    let parameters = bootstrap.arguments.iter().find_map(|a| match a {
        Constant::MethodType(t) => parse_method(t).map(|d| d.parameters.len()),
        _ => None,
    });
    let implementation = bootstrap.arguments.iter().find_map(|a| match a {
        Constant::MethodHandle(m) => Some(m.clone()),
        _ => None,
    });
    match implementation {
        Some(implementation) => {
            ExprNode::Lambda { implementation, captured, parameters: parameters.unwrap_or(0) }
        }
        None => ExprNode::Dynamic {
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            arguments: captured,
        },
    }
}

/// Recognises string concatenation as javac compiled it before release 9:
/// `new StringBuilder().append(a).append(b).toString()`.
fn built_string(node: &ExprNode) -> Option<ExprNode> {
    let builder = ["java.lang.StringBuilder", "java.lang.StringBuffer"];
    let is_builder = |class: &str| builder.contains(&class);
    let ExprNode::Call { receiver: Some(receiver), method, .. } = node else { return None };
    if method.name != "toString" || !is_builder(&method.class) {
        return None;
    }
    let mut parts = Vec::new();
    let mut current = &**receiver;
    while let ExprNode::Call { receiver: Some(receiver), method, arguments, .. } = current {
        let [argument] = arguments.as_slice() else { return None };
        if method.name != "append" || !is_builder(&method.class) {
            return None;
        }
        parts.push(argument.clone());
        current = receiver;
    }
    match current {
        ExprNode::New { class, arguments }
            if is_builder(class) && arguments.is_empty() && parts.len() > 1 =>
        {
            parts.reverse();
            Some(ExprNode::Concat(parts))
        }
        _ => None,
    }
}

/// Interprets the recipe of `makeConcatWithConstants`: `\u{1}` is the next argument, `\u{2}` the next
/// constant, and everything else is text.
fn concatenation(bootstrap: &Bootstrap, arguments: Vec<ExprNode>) -> ExprNode {
    let mut constants = bootstrap.arguments.iter();
    let recipe = match constants.next() {
        Some(Constant::String(recipe)) => recipe.clone(),
        _ => "\u{1}".repeat(arguments.len()),
    };
    let mut arguments = arguments.into_iter();
    let mut parts = Vec::new();
    let mut literal = String::new();
    for c in recipe.chars() {
        if c != '\u{1}' && c != '\u{2}' {
            literal.push(c);
            continue;
        }
        if !literal.is_empty() {
            parts.push(ExprNode::Const(Constant::String(std::mem::take(&mut literal))));
        }
        if c == '\u{1}' {
            parts.push(arguments.next().unwrap_or(ExprNode::Unknown));
        } else {
            parts.push(constants.next().map_or(ExprNode::Unknown, |k| ExprNode::Const(k.clone())));
        }
    }
    if !literal.is_empty() {
        parts.push(ExprNode::Const(Constant::String(literal)));
    }
    let is_string = |p: &ExprNode| p.descriptor().as_deref() == Some("Ljava/lang/String;");
    if !parts.iter().take(2).any(is_string) {
        parts.insert(0, ExprNode::Const(Constant::String(String::new())));
    }
    ExprNode::Concat(parts)
}
