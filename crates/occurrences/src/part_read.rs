//! Which object and element an instruction read. A recording has no reads; the operands are expressions that
//! are evaluated where the instruction was executed.

use bytecode::{ExprNode, Expressions, Instruction, MethodRef};
use classes::ClassPool;
use expr::Expr;
use model::{Site, Tables, Value};
use past::expression::machine::CallMachine;
use past::expression::plain::plain_value;
use past::expression::{ExpressionAt, StateAt, scope_of};
use past::{Moment, PastError, Recording};
use program::code_book::parameter_in;
use query::{Copies, CopyHit, CopyWhat, PartRead};
use trace::{EventPosition, EventTime, Traced};

/// Finds the parts that were read.
pub(super) struct PartReader<'a> {
    copies: &'a Copies,
    tables: &'a mut Tables,
}

impl<'a> PartReader<'a> {
    /// Values refer to these tables.
    pub fn new(copies: &'a Copies, tables: &'a mut Tables) -> PartReader<'a> {
        PartReader { copies, tables }
    }

    /// The part that a hit read before the event at a time.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn part_read(
        &mut self,
        recording: &mut Recording,
        got: &CopyHit,
        when: EventTime,
    ) -> Result<PartRead, PastError> {
        let (place, node) = (self.copies.site(got.site), u32::try_from(got.activation));
        let (Some(place), Ok(node)) = (place, node) else { return Ok(Err(unknown("its place is unknown"))) };
        if matches!(place.what, CopyWhat::Got { is_static: true, .. }) {
            return Ok(Ok((0, 0)));
        }
        let at = EventPosition::new(node, when);
        let operands = recording.code.fields.pool().and_then(|pool| operands(pool, &place.site));
        let mut values = Vec::new();
        for operand in operands.unwrap_or_default() {
            let moment = Moment { at, when };
            let value = match &operand {
                PartOperand::Expression(text) => {
                    let value = self.value(recording, &place.site, moment, text)?;
                    value.map_err(|why| format!("`{text}`: {why}"))
                }
                PartOperand::Parameter(position) => self.parameter(recording, node, *position)?,
                PartOperand::Result(method) => self.result(recording, moment, method)?,
                PartOperand::Unknown(text) => Err(format!("no recording has the value of `{text}`")),
            };
            match value {
                Ok(value) => values.push(value),
                Err(why) => return Ok(Err(unknown(&why))),
            }
        }
        let object = values.first().and_then(object_number);
        let index = match values.get(1) {
            Some(index) => index_number(index),
            None => Some(0),
        };
        Ok(object.zip(index).ok_or_else(|| unknown("the class file does not show it")))
    }

    /// A parameter of a call.
    fn parameter(
        &mut self,
        recording: &mut Recording,
        node: u32,
        position: usize,
    ) -> Result<Result<Value, String>, PastError> {
        let call = recording.calls.call(node)?;
        let argument = call.and_then(|call| call.arguments.get(position).copied());
        let Some(argument) = argument else { return Ok(Err("the arguments were not recorded".to_owned())) };
        Ok(plain_value(&recording.calls, self.tables, argument, ""))
    }

    /// The result of the call that a call made last, if it has executed nothing else since.
    fn result(
        &mut self,
        recording: &mut Recording,
        Moment { at, .. }: Moment,
        method: &MethodRef,
    ) -> Result<Result<Value, String>, PastError> {
        let last = recording.calls.last_event_before(at, |calls, seen| {
            let is_callee = || seen.node.and_then(|node| calls.parent(node)) == Some(at.node);
            seen.node == Some(at.node) || seen.site.what == Traced::Return && is_callee()
        })?;
        let result = last.map(|last| {
            recording.calls.event_at(last, |calls, seen| {
                let called = calls.sites.method(seen.site.method);
                let is_it = |called: &&trace::Method| {
                    called.name == method.name && called.descriptor == method.descriptor
                };
                let is_return = seen.site.what == Traced::Return && seen.node != Some(at.node);
                called.filter(is_it).and_then(|_| seen.values.first().copied().filter(|_| is_return))
            })
        });
        let unrecorded = || format!("the result of `{}()` was not recorded", method.name);
        let Some(result) = result.transpose()?.flatten().flatten() else { return Ok(Err(unrecorded())) };
        Ok(plain_value(&recording.calls, self.tables, result, ""))
    }

    fn value(
        &mut self,
        recording: &mut Recording,
        site: &Site,
        moment: Moment,
        operand: &str,
    ) -> Result<Result<Value, String>, PastError> {
        let scope = recording.code.fields.pool().and_then(|pool| scope_of(site, pool));
        let (Ok(expr), Some(scope)) = (Expr::parse(operand), scope) else {
            return Ok(Err("it has no name there".to_owned()));
        };
        let unseen = recording.code.unseen(&recording.calls);
        let compiled = ExpressionAt::unchecked(expr, scope, unseen);
        let locals = recording.named_locals(moment.at)?;
        let Recording { calls, code, .. } = recording;
        compiled.read(calls, &mut code.fields, StateAt { moment, locals, parts: Vec::new() }, self.tables)
    }
}

/// The number of the recorded object that a value is.
pub(super) fn object_number(value: &Value) -> Option<u32> {
    match value {
        Value::Object { id, .. } => CallMachine::number(*id),
        Value::Str(text) => CallMachine::number(text.id),
        _ => None,
    }
}

/// The index that a value is.
pub(super) fn index_number(value: &Value) -> Option<i32> {
    match value {
        Value::Int(index) => Some(*index),
        Value::Short(index) => Some((*index).into()),
        Value::Byte(index) => Some((*index).into()),
        Value::Char(index) => Some((*index).into()),
        _ => None,
    }
}

/// An operand of an instruction that reads a field or an element.
enum PartOperand {
    /// An expression that can be evaluated there.
    Expression(String),
    /// The parameter at this position: the class file does not name it.
    Parameter(usize),
    /// The result of a call of this method.
    Result(MethodRef),
    /// Any other expression.
    Unknown(String),
}

/// The operands of an instruction: the object, or the array and the index.
fn operands(pool: &ClassPool, site: &Site) -> Option<Vec<PartOperand>> {
    let class = pool.find(&site.method.class).ok()??;
    let method = class.file.method(&site.method.name, &site.method.descriptor)?;
    let expressions = Expressions::new(&class.file, method)?;
    let parameter = |slot: u16| {
        let is_stored = |at: &Instruction| at.op.stored_slot().is_some_and(|(stored, _)| stored == slot);
        let code = method.code.as_ref().filter(|code| !code.instructions.iter().any(is_stored));
        code.and_then(|_| parameter_in(&method.descriptor, method.is_static(), slot))
    };
    let text = |node: &ExprNode| {
        let unnamed = match node {
            ExprNode::Local { name: None, slot, .. } => parameter(*slot),
            _ => None,
        };
        unnamed.map_or_else(
            || PartOperand::Expression(expressions.qualified_at(node, site.bci)),
            PartOperand::Parameter,
        )
    };
    if let Some(read) = expressions.read_at(site.bci) {
        return match read {
            ExprNode::Field { owner, .. } => Some(vec![text(owner)]),
            ExprNode::ArrayLoad { array, index } => Some(vec![text(array), text(index)]),
            _ => None,
        };
    }
    let known = |node: &ExprNode| match node {
        ExprNode::Call { method, .. } => PartOperand::Result(method.clone()),
        ExprNode::Local { .. } | ExprNode::Const(_) => text(node),
        _ => PartOperand::Unknown(expressions.text_at(node, site.bci)),
    };
    match expressions.value_at(site.bci)? {
        ExprNode::Field { owner, .. } => Some(vec![known(owner)]),
        ExprNode::ArrayLoad { array, index } => Some(vec![known(array), known(index)]),
        _ => None,
    }
}

fn unknown(why: &str) -> std::sync::Arc<str> {
    format!("which object it was read from is not known: {why}").into()
}
