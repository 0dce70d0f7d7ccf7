//! The expressions whose values a point shows by default (DESIGN §6): the fields that its line reads, and
//! the operands of its branch.

use bytecode::descriptor::written;
use bytecode::{ExprNode, Expressions};
use classes::{ClassPool, FoundClass};
use expr::Expr;
use model::Site;
use std::sync::Arc;

/// Maximum number of fields of a line.
const FIELDS: usize = 16;

/// The variables of a method by name.
#[derive(Clone, Copy, Debug)]
pub struct VariableNames<'a> {
    /// Those that have a value.
    pub visible: &'a [Arc<str>],
    /// All of them.
    pub all: &'a [Arc<str>],
}

/// The fields that a line reads, as expressions without calls. Fields of variables that have no value yet are
/// left out.
pub fn fields_read(pool: &ClassPool, site: &Site, line: u32, names: VariableNames<'_>) -> Vec<Expr> {
    let is_visible = |expr: &Expr| {
        let head = expr.text().split(['.', '[']).next().unwrap_or_default();
        let is_one = |all: &[Arc<str>]| all.iter().any(|name| **name == *head);
        head == "this" || is_one(names.visible) || !is_one(names.all)
    };
    let read = with_expressions(pool, site, |expressions| {
        let is_field = |node: &&ExprNode| match node {
            ExprNode::Field { .. } => true,
            ExprNode::Static { name, .. } => !written::is_constant(name),
            _ => false,
        };
        let reads = expressions.reads_on_line(line);
        let fields = reads.iter().filter(is_field);
        let fields = fields.filter_map(|node| expression(expressions, node, site.bci));
        fields.filter(|expr| !expr.has_calls()).take(FIELDS).collect::<Vec<_>>()
    });
    read.unwrap_or_default().into_iter().filter(is_visible).collect()
}

/// The operands of the branch at a site that can be evaluated just before it.
pub fn branch_operands(pool: &ClassPool, site: &Site) -> Vec<Expr> {
    let operands = with_expressions(pool, site, |expressions| {
        let condition = expressions.condition_at(site.bci)?;
        let readable = condition.operands.iter().filter(|o| o.readable.is_some() && !o.is_unnamed());
        let operands = readable.filter_map(|operand| {
            Some(expression(expressions, &operand.node, site.bci)?.shown_as(&operand.text))
        });
        Some(operands.filter(|expr| !expr.has_calls()).collect())
    });
    operands.flatten().unwrap_or_default()
}

fn with_expressions<R>(pool: &ClassPool, site: &Site, tell: impl FnOnce(&Expressions<'_>) -> R) -> Option<R> {
    let found: Arc<FoundClass> = pool.find(&site.method.class).ok()??;
    let method = found.file.method(&site.method.name, &site.method.descriptor)?;
    Some(tell(&Expressions::new(&found.file, method)?))
}

/// An expression of a line. A class of another package has no meaning there by its short name, which is
/// shown.
fn expression(expressions: &Expressions<'_>, node: &ExprNode, at: u32) -> Option<Expr> {
    let expr = Expr::parse(&expressions.qualified_at(node, at)).ok()?;
    Some(expr.shown_as(&expressions.text_at(node, at)))
}
