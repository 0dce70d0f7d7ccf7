//! What the assertion of a test examines that is called at a line: a variable, or the result of a call.

use super::printed_trace::PrintedFrame;
use bytecode::expression::Expressions;
use bytecode::{ExprNode, Method, MethodRef, Op};
use chain::{Kind, Point};
use classes::{ClassPool, CodeOwner};
use program::assertion_method::{Examined, examined};

/// The examined value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExaminedValue {
    /// A variable, as an expression.
    Variable(String),
    /// The result of a call of this method, as `Class.method`.
    Result(String),
}

impl ExaminedValue {
    /// The question where the value comes from, for an assertion that failed at `thrown`; `line` is the point
    /// before its line.
    pub fn question(&self, id: &str, line: &str, thrown: &str) -> Point {
        match self {
            ExaminedValue::Variable(text) => Point::new(id, Kind::LastChange(format!("{line}(0):{text}"))),
            // The line itself makes the call, so it ends between the two points.
            ExaminedValue::Result(method) => Point {
                after: Some(line.to_owned()),
                before: Some(thrown.to_owned()),
                index: Some(-1),
                ..Point::new(id, Kind::Exit(method.clone()))
            },
        }
    }
}

/// What the assertion examines that a frame of own code called, and that threw. `None` if the called frame is
/// no assertion, if the line calls it several times, and where the value is neither a variable nor the result
/// of a method of the program.
pub fn examined_value(pool: &ClassPool, own: &PrintedFrame, called: &PrintedFrame) -> Option<ExaminedValue> {
    let (found, line) = (pool.find(&own.class).ok().flatten()?, own.line?);
    let named = found.file.methods.iter().filter(|known| known.name == own.method);
    let mut all = named.flat_map(|method| assertions(pool, method, line, &called.method));
    let (only, None) = (all.next()?, all.next()) else { return None };
    let (method, pc, argument) = only;
    let expressions = Expressions::new(&found.file, method)?;
    let call = expressions.call_at(pc)?;
    let value = unboxed(&call.arguments.get(argument)?.node);
    if is_variable(value) {
        return Some(ExaminedValue::Variable(expressions.text_at(value, pc)));
    }
    let ExprNode::Call { method: made, .. } = value else { return None };
    // The last return of the method before the throw must be this one: no later argument calls it, and the
    // assertion calls no code of the program, as `equals` and `toString` of other values would be.
    let calls_it =
        |node: &ExprNode| matches!(node, ExprNode::Call { method, .. } if method.name == made.name);
    let is_last = !call.arguments.iter().skip(argument + 1).any(|later| later.node.any(&calls_it));
    let is_plain = call.arguments.iter().all(|given| given.node.descriptor().is_some_and(|of| is_plain(&of)));
    let is_own = pool.owner_of(&made.class) == CodeOwner::Own;
    (is_own && is_last && is_plain).then(|| ExaminedValue::Result(format!("{}.{}", made.class, made.name)))
}

/// Whether values of a type are numbers, characters, conditions or strings.
fn is_plain(descriptor: &str) -> bool {
    const BOXES: [&str; 9] =
        ["String", "Integer", "Long", "Boolean", "Double", "Float", "Short", "Byte", "Character"];
    let name = descriptor.strip_prefix("Ljava/lang/").and_then(|name| name.strip_suffix(';'));
    descriptor.len() == 1 || name.is_some_and(|name| BOXES.contains(&name))
}

/// The calls of assertions of this name at a line, each with the position of the examined argument.
fn assertions<'a>(
    pool: &'a ClassPool,
    method: &'a Method,
    line: u32,
    name: &'a str,
) -> impl Iterator<Item = (&'a Method, u32, usize)> {
    let code = method.code.as_ref();
    let line_of = move |pc: u32| {
        let lines = code.map(|code| code.lines.as_slice()).unwrap_or_default();
        lines.iter().rev().find(|entry| entry.start_pc <= pc).map(|entry| entry.line)
    };
    let instructions = code.map(|code| code.instructions.as_slice()).unwrap_or_default();
    instructions.iter().filter_map(move |instruction| {
        let Op::Invoke { method: called, .. } = &instruction.op else { return None };
        if called.name != name || line_of(instruction.pc) != Some(line) {
            return None;
        }
        // A test of JUnit 3 calls what it inherits by the name of its own class.
        match examined(called, |above| pool.is_below(&called.class, above)) {
            Some(Examined::Argument { at, .. }) => Some((method, instruction.pc, at)),
            _ => None,
        }
    })
}

/// An expression without the box around it, and without casts.
fn unboxed(node: &ExprNode) -> &ExprNode {
    match node {
        ExprNode::Cast { operand, .. } => unboxed(operand),
        ExprNode::Call { receiver: None, method, arguments, .. } if is_box(method) => {
            arguments.first().map_or(node, unboxed)
        }
        other => other,
    }
}

fn is_box(method: &MethodRef) -> bool {
    // The parameter is a primitive type, of one letter.
    let takes_one = method.descriptor.as_bytes().get(2) == Some(&b')');
    method.name == "valueOf" && method.class.starts_with("java.lang.") && takes_one
}

/// Whether an expression names a variable that can be read back.
fn is_variable(node: &ExprNode) -> bool {
    match node {
        ExprNode::Local { name, .. } => name.is_some(),
        ExprNode::Static { .. } => true,
        ExprNode::Field { owner, .. } => matches!(**owner, ExprNode::This) || is_variable(owner),
        _ => false,
    }
}
