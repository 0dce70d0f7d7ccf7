//! Describes a candidate: the jump, the operation, and the way between them.

use super::bodies::{Body, BranchWay, ConditionText};
use super::candidate::Candidate;
use super::executed::{JumpSite, Pass};
use super::jumps::ends_loop;
use super::program::AnalysedProgram;
use super::suggestion::{Certainty, Jump, JumpKind, JumpPass, Operation, Passes, Place, Suggestion};
use super::use_site::UseSite;
use bytecode::{ExprNode, Expressions, Method, Op, Operand};
use model::MethodName;
use petgraph::graph::NodeIndex;
use trace::Calls;

/// The suggestion of a candidate. `pass` is a pass that lost the operation, `first` the first such one.
pub(super) fn suggestion(
    calls: &Calls,
    program: &mut AnalysedProgram<'_>,
    candidate: &Candidate<'_>,
    certainty: Certainty,
    pass: &Pass,
    first: u64,
    passes: Passes,
) -> Option<Suggestion> {
    let jump_in = program.name(candidate.chain.first.0)?;
    let body = program.bodies.of(&jump_in)?;
    let place_of_jump = place(&jump_in, &body, candidate.pc);
    let (kind, (condition, operand, was, would_be)) = match candidate.jump {
        JumpSite::Branch(pc) => {
            let (went, to) = (pass.to, candidate.to);
            let is_end = candidate.is_partial && ends_loop(&body, pc, went, to, candidate.chain.first.1);
            let kind = if is_end { JumpKind::LoopEnd } else { JumpKind::Branch };
            {
                let way = BranchWay { branch: pc, went, to };
                (kind, body.conditions.of(way, || condition(program, &body, way)))
            }
        }
        JumpSite::Exception(_) => {
            let name = calls.objects.name(pass.exception);
            (JumpKind::Exception, (None, None, name, "no exception".to_owned()))
        }
        JumpSite::Dispatch(called) => {
            let ran = super::executed::name_of(calls, called).map(|name| short(&name)).unwrap_or_default();
            let other = candidate.chain.called.first().and_then(|(method, _)| program.name(*method));
            let would = other.map(|name| short(&name)).unwrap_or_default();
            let call = body
                .method()
                .and_then(|method| bytecode::expression::call_at(&body.class, method, candidate.pc));
            (JumpKind::Dispatch, (call.map(|call| call.text), None, ran, would))
        }
    };
    let is_partial = candidate.is_partial;
    let jump =
        Jump { kind, place: place_of_jump, condition, operand, was, would_be, to: candidate.to, is_partial };
    let site = candidate.chain.site;
    let mut chain = vec![short(&jump_in)];
    chain.extend(
        candidate
            .chain
            .called
            .iter()
            .filter_map(|(method, _)| program.name(*method))
            .map(|name| short(&name)),
    );
    let operation = operation(program, site, chain)?;
    let node = pass.node;
    let thread = calls.thread_of(node).unwrap_or_default();
    let pass = JumpPass { call: calls.shown(node), thread, nth: pass.nth, first, at: pass.at };
    Some(Suggestion { jump, passes, operation, certainty, pass })
}

/// The operation of a use site, with the methods that lead to it.
pub(super) fn operation(
    program: &mut AnalysedProgram<'_>,
    site: &UseSite,
    chain: Vec<String>,
) -> Option<Operation> {
    let name = program.name(site.place.0)?;
    let body = program.bodies.of(&name)?;
    let (place, text) =
        (place(&name, &body, site.place.1), body.texts.of(site.place.1, || text(&body, site)));
    Some(Operation { place, text, writes: site.writes, chain })
}

fn condition(
    program: &AnalysedProgram<'_>,
    body: &Body,
    BranchWay { branch, went, to }: BranchWay,
) -> ConditionText {
    let condition =
        body.method().and_then(|method| bytecode::expression::condition_at(&body.class, method, branch));
    let edge = |to: u32| {
        let block = body.cfg.block_at(branch)?;
        let mut edges = body.cfg.successors(block, false).into_iter();
        let starts = |next: NodeIndex| body.cfg.block(next).is_some_and(|block| block.start_pc == to);
        edges.find(|(next, _)| starts(*next)).map(|(_, kind)| kind.clone())
    };
    let Some(mut condition) = condition else { return (None, None, "not taken".into(), "taken".into()) };
    if let Some(table) = &condition.enum_table
        && let Ok(Some(table)) = program.pool().find(&table.class)
    {
        condition = condition.with_enum(&table.file);
    }
    let is_switch = body.code.at(branch).is_some_and(|branch| matches!(branch.op, Op::Switch { .. }));
    let outcome = |to: u32| edge(to).map(|kind| condition.outcome(&kind).to_string()).unwrap_or_default();
    let is_unnamed = condition.operands.iter().any(Operand::is_unnamed);
    let text = match (is_switch, is_unnamed) {
        (true, _) => format!("switch ({})", condition.text),
        (_, true) => of_each(&condition.text),
        _ => condition.text.clone(),
    };
    let can_be_asked = |operand: &&Operand| {
        operand.readable.is_some() && !operand.is_unnamed() && operand.text.starts_with(char::is_alphabetic)
    };
    let operand = condition.operands.iter().find(can_be_asked).map(|operand| operand.text.clone());
    (Some(text), operand, outcome(went), outcome(to))
}

/// The condition of a for-each loop over an array, whose index has no name: `slot4 < as.length`.
fn of_each(condition: &str) -> String {
    let array = condition.split_once(" < ").and_then(|(_, length)| length.strip_suffix(".length"));
    let array = array.filter(|array| !array.starts_with("slot"));
    array.map_or_else(|| "another element".to_owned(), |array| format!("another element of {array}"))
}

fn place(name: &MethodName, body: &Body, pc: u32) -> Place {
    Place {
        class: name.class.to_string(),
        method: name.name.to_string(),
        descriptor: name.descriptor.to_string(),
        pc,
        line: body.line(pc),
    }
}

fn short(name: &MethodName) -> String {
    name.short()
}

/// The operation as text.
fn text(body: &Body, site: &UseSite) -> String {
    let pc = site.place.1;
    let Some(method) = body.method() else { return String::new() };
    let call = bytecode::expression::call_at(&body.class, method, pc).map(|call| call.text);
    let stored =
        || bytecode::expression::stored_expression(&body.class, method, pc).map(|stored| stored.text);
    call.or_else(stored).or_else(|| read(body, method, pc)).unwrap_or_default()
}

/// The field or element that an instruction reads, as text.
fn read(body: &Body, method: &Method, pc: u32) -> Option<String> {
    let op = &body.code.at(pc)?.op;
    let expressions = Expressions::new(&body.class, method)?;
    let is_it = |node: &ExprNode| match (node, op) {
        (ExprNode::Field { name, .. }, Op::GetField(field)) => *name == field.name,
        (ExprNode::Static { name, .. }, Op::GetStatic(field)) => *name == field.name,
        (ExprNode::ArrayLoad { .. }, Op::ArrayLoad(_)) => true,
        _ => false,
    };
    let found = expressions.reads_on_line(body.line(pc)?).into_iter().find(is_it)?;
    Some(expressions.text_at(&found, pc))
}
