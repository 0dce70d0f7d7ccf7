//! Rebuilds assignments, calls and conditions as source-like text, with the sub-expressions that can be read
//! back from a frame. The text renders the bytecode, not the source. If javac's output is ambiguous, the
//! simplest reading is chosen.

mod branches;
mod condition;
mod enums;
mod node;
mod render;
mod simulate;
mod simulation;
mod stack_search;
mod stack_values;
mod step;
mod value;

pub use condition::{Condition, ConditionOutcome, condition_at};
pub use enums::EnumTable;
pub use node::{ExprNode, ReadBack, UnaryOp};
pub use stack_search::StackPlace;
pub use stack_values::StackValue;

use crate::class::{ClassFile, Method};
use crate::op::{InvokeKind, Kind, Op};
use crate::producers::Producers;
use crate::stores::variables_at;
use render::Scope;
use simulation::Simulation;
use std::sync::OnceLock;
use value::Value;

/// Part of an expression, and how to read its value in the frame before the instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// Source-like text.
    pub text: String,
    /// The expression.
    pub node: ExprNode,
    /// How to read its value; `None` if it was only on the operand stack.
    pub readable: Option<ReadBack>,
}

impl Operand {
    /// Whether it contains a variable without a name in the source, such as the index that `javac` uses for a
    /// for-each loop over an array. Nobody can ask for it, and a VM that knows the variables does not read
    /// it.
    pub fn is_unnamed(&self) -> bool {
        self.node.any(&|node| matches!(node, ExprNode::Local { name: None, .. }))
    }
}

/// An assignment, `return` or `throw` as text.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceText {
    /// The complete statement: `record.bar = true`, `i++`, `return x`.
    pub text: String,
    /// Another spelling that compiles to the same code: `n += x` or `n++` for `n = n + x`.
    pub alternative: Option<String>,
    /// The assignment target; `None` for `return` and `throw`.
    pub target: Option<ExprNode>,
    /// The value assigned, returned or thrown.
    pub value: ExprNode,
    /// How to read the value before the instruction executes; `None` if it was only on the operand stack.
    pub readable: Option<ReadBack>,
    /// Parts of the value that can be read back before the instruction executes.
    pub operands: Vec<Operand>,
}

/// A call as text.
#[derive(Debug, Clone, PartialEq)]
pub struct CallText {
    /// The complete call.
    pub text: String,
    /// The receiver; `None` for static calls.
    pub receiver: Option<Operand>,
    /// The arguments, in order.
    pub arguments: Vec<Operand>,
}

/// A method with all its expressions rebuilt. Create it once to ask several questions about a method.
#[derive(Debug)]
pub struct Expressions<'a> {
    simulation: Simulation<'a>,
    /// Computed when first needed, by [`stack_search::producers`].
    producers: OnceLock<Option<Producers<'a>>>,
}

impl<'a> Expressions<'a> {
    /// `None` if the method has no code.
    pub fn new(class: &'a ClassFile, method: &'a Method) -> Option<Expressions<'a>> {
        let simulation = Simulation::new(class, method)?;
        Some(Expressions { simulation, producers: OnceLock::new() })
    }

    fn scope(&self, pc: u32) -> Scope {
        let locals = variables_at(self.simulation.code, pc).into_iter().map(|v| v.name.clone()).collect();
        let class = self.simulation.class;
        let dollars = class.fields.iter().filter(|field| field.name.contains('$') && !field.is_synthetic());
        let dollars = dollars.map(|field| field.name.clone()).collect();
        Scope { class: class.name.clone(), locals, dollars, is_qualified: false }
    }

    /// [`Expressions::text_at`] with full class names, which mean the same in every package.
    pub fn qualified_at(&self, node: &ExprNode, pc: u32) -> String {
        Scope { is_qualified: true, ..self.scope(pc) }.text(node)
    }

    /// The text of an expression at `pc`, without `this.` and the name of its own class where the reference
    /// is unambiguous.
    pub fn text_at(&self, node: &ExprNode, pc: u32) -> String {
        self.scope(pc).text(node)
    }

    /// The assignment, `return` or `throw` of the instruction at `pc`: a store to a variable, field or array
    /// element, an `iinc`, a `return` with a value, or an `athrow`. `None` for other instructions.
    pub fn stored_expression(&self, pc: u32) -> Option<SourceText> {
        let s = &self.simulation;
        let position = s.code.index_of(pc)?;
        let instruction = s.code.instructions.get(position)?;
        let operands = s.operands.get(&position).map(Vec::as_slice).unwrap_or_default();
        // After its first store a variable is in scope, as in the source.
        let scope = self.scope(instruction.next_pc());
        let target = match (&instruction.op, operands) {
            (Op::Iinc { slot, by }, _) => {
                return Some(incremented(s.local(*slot, pc, Kind::Int), *by, &scope));
            }
            (Op::Store { kind, slot }, [_]) => Some(s.stored_local(*slot, instruction, *kind)),
            (Op::PutField(field), [owner, _]) => Some(ExprNode::Field {
                owner: Box::new(owner.node.clone()),
                class: field.class.clone(),
                name: field.name.clone(),
                descriptor: field.descriptor.clone(),
            }),
            (Op::PutStatic(field), [_]) => Some(ExprNode::Static {
                class: field.class.clone(),
                name: field.name.clone(),
                descriptor: field.descriptor.clone(),
            }),
            // The elements of an array initialiser are not assignments in the source.
            (Op::ArrayStore(_), [array, ..]) if array.origin.is_some() => return None,
            (Op::ArrayStore(_), [array, index, _]) => Some(ExprNode::ArrayLoad {
                array: Box::new(array.node.clone()),
                index: Box::new(index.node.clone()),
            }),
            (Op::Return(Some(_)) | Op::Throw, [_]) => None,
            _ => return None,
        };
        let stored = operands.last()?;
        let wanted = match (&target, &instruction.op) {
            (Some(target), _) => target.descriptor(),
            (None, Op::Return(_)) => crate::descriptor::parse_method(&s.method.descriptor).map(|d| d.result),
            _ => None,
        };
        let coerced = |node: ExprNode| match &wanted {
            Some(descriptor) => node.coerced(descriptor),
            None => node,
        };
        let value = coerced(stored.node.clone());
        let mut alternative = target.as_ref().and_then(|target| scope.compound(target, &value));
        let mut text = match &target {
            Some(target) => format!("{} = {}", scope.text(target), scope.text(&value)),
            None if instruction.op == Op::Throw => format!("throw {}", scope.text(&value)),
            None => format!("return {}", scope.text(&value)),
        };
        // `o.n += x` evaluates `o` once and copies it; `o.n = o.n + x` evaluates it twice.
        let once = operands.len() > 1 && operands.first().is_some_and(|owner| owner.shared.is_some());
        if let Some(compound) = alternative.as_mut().filter(|_| once) {
            std::mem::swap(&mut text, compound);
        }
        let readable = stored.read.clone().map(|node| ReadBack { node: coerced(node) });
        Some(SourceText {
            text,
            alternative,
            target,
            value,
            readable,
            operands: self.parts(&scope, operands),
        })
    }

    /// The call made by the instruction at `pc`; `None` for other instructions.
    pub fn call_at(&self, pc: u32) -> Option<CallText> {
        let s = &self.simulation;
        let position = s.code.index_of(pc)?;
        let scope = self.scope(pc);
        let Op::Invoke { kind, method } = &s.code.instructions.get(position)?.op else { return None };
        let operands = s.operands.get(&position)?;
        let mut operand_list = operands.iter().map(|value| operand(&scope, value));
        let receiver = if *kind == InvokeKind::Static { None } else { operand_list.next() };
        let arguments: Vec<Operand> = operand_list.collect();
        let node = step::call(*kind, method, operands);
        let text = match &receiver {
            Some(made) if method.name == "<init>" && !matches!(made.node, ExprNode::This) => {
                let arguments = arguments.iter().map(|a| a.node.clone()).collect();
                scope.text(&ExprNode::New { class: method.class.clone(), arguments })
            }
            _ => scope.text(&node),
        };
        Some(CallText { text, receiver, arguments })
    }

    /// What the instruction at `pc` computes or reads, as the source has it.
    pub fn value_at(&self, pc: u32) -> Option<&ExprNode> {
        self.simulation.pushed.get(&self.simulation.code.index_of(pc)?).map(|pushed| &pushed.node)
    }

    /// The variable, field or element that the instruction at `pc` reads, if it can be read back there.
    pub fn read_at(&self, pc: u32) -> Option<&ExprNode> {
        self.simulation.reads.get(&self.simulation.code.index_of(pc)?)
    }

    /// What a line reads: named variables, fields, elements and array lengths that can be read back. Each
    /// occurs once, in code order; larger expressions are listed in addition to their parts.
    pub fn reads_on_line(&self, line: u32) -> Vec<ExprNode> {
        let s = &self.simulation;
        let mut found: Vec<ExprNode> = Vec::new();
        for (position, node) in &s.reads {
            let on_line = s
                .code
                .instructions
                .get(*position)
                .is_some_and(|i| crate::lines::line_of(s.code, i.pc) == Some(line));
            let nameless = |n: &ExprNode| matches!(n, ExprNode::Local { name: None, .. });
            let synthetic =
                |n: &ExprNode| matches!(n, ExprNode::Static { name, .. } if name.starts_with('$'));
            let usable = *node != ExprNode::This && !node.any(&|n| nameless(n) || synthetic(n));
            if on_line && usable && !found.contains(node) {
                found.push(node.clone());
            }
        }
        found
    }

    /// The parts of the operands that can be read back, each once.
    fn parts(&self, scope: &Scope, values: &[Value]) -> Vec<Operand> {
        value::leaves_of(&values.iter().collect::<Vec<_>>())
            .into_iter()
            .filter(|leaf| self.simulation.is_shown(leaf))
            .map(|leaf| Operand {
                text: scope.text(&leaf),
                node: leaf.clone(),
                readable: Some(ReadBack { node: leaf }),
            })
            .collect()
    }

    /// See [`condition_at`].
    pub fn condition_at(&self, branch_pc: u32) -> Option<Condition> {
        condition::of(&self.simulation, branch_pc, &self.scope(branch_pc))
    }
}

fn operand(scope: &Scope, value: &Value) -> Operand {
    Operand {
        text: scope.text(&value.node),
        node: value.node.clone(),
        readable: value.read.clone().map(|node| ReadBack { node }),
    }
}

/// See [`Expressions::stored_expression`].
pub fn stored_expression(class: &ClassFile, method: &Method, pc: u32) -> Option<SourceText> {
    Expressions::new(class, method)?.stored_expression(pc)
}

/// See [`Expressions::call_at`].
pub fn call_at(class: &ClassFile, method: &Method, pc: u32) -> Option<CallText> {
    Expressions::new(class, method)?.call_at(pc)
}

/// See [`Expressions::reads_on_line`].
pub fn reads_on_line(class: &ClassFile, method: &Method, line: u32) -> Vec<ExprNode> {
    Expressions::new(class, method).map(|e| e.reads_on_line(line)).unwrap_or_default()
}

/// The text of an `iinc`.
fn incremented(target: ExprNode, by: i32, scope: &Scope) -> SourceText {
    let by_node = ExprNode::Const(crate::op::Constant::Int(by));
    let value = ExprNode::binary(crate::op::BinaryOp::Add, target.clone(), by_node);
    SourceText {
        text: scope.increment(&target, by),
        alternative: (!(-1..=1).contains(&by))
            .then(|| format!("{} = {}", scope.text(&target), scope.text(&value))),
        readable: Some(ReadBack { node: value.clone() }),
        operands: vec![Operand {
            text: scope.text(&target),
            readable: Some(ReadBack { node: target.clone() }),
            node: target.clone(),
        }],
        target: Some(target),
        value,
    }
}
