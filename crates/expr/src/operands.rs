//! The operands of a condition, whose values explain its outcome.

use super::Expr;
use super::tree::{BinaryOperator, Node};

impl Expr {
    /// The parts of a condition that have their own values, in source order, each once: the two sides of
    /// comparisons, the operands of `&&`, `||`, `!` and `?:`, and the receiver and arguments of calls.
    /// Literals are left out.
    pub fn operands(&self) -> Vec<Expr> {
        let mut found = Vec::new();
        gather(&self.node, &|node| matches!(node, Node::Call { .. }), &mut found);
        found
    }

    /// The variables, fields and elements that an expression reads, in source order, each once. `a.b.c` gives
    /// all three: one of them can be what has no value.
    pub fn variables(&self) -> Vec<Expr> {
        let mut found: Vec<Expr> = Vec::new();
        for node in self.node.all().into_iter().rev() {
            let reads =
                matches!(node, Node::Name(_) | Node::Field { .. } | Node::Index { .. } | Node::Event(_));
            if reads && !node.any(&|part| matches!(part, Node::Call { .. })) {
                let expr = Expr::from_node(node.clone());
                found.retain(|known| *known != expr);
                found.insert(0, expr);
            }
        }
        found
    }

    /// The operands of a condition on a recorded call. Calls run no code there, so they count as values too.
    pub fn operands_with_calls(&self) -> Vec<Expr> {
        let mut found = Vec::new();
        gather(&self.node, &|_| false, &mut found);
        found
    }
}

/// A call that runs code is not repeated for an explanation; its receiver and arguments are listed instead.
fn gather(node: &Node, runs_code: &dyn Fn(&Node) -> bool, found: &mut Vec<Expr>) {
    match node {
        Node::Literal(_) => {}
        Node::Binary { operator, left, right } if compares(*operator) => {
            gather(left, runs_code, found);
            gather(right, runs_code, found);
        }
        Node::Unary { operand, .. } => gather(operand, runs_code, found),
        Node::Conditional { condition, yes, no } => {
            for part in [condition, yes, no] {
                gather(part, runs_code, found);
            }
        }
        Node::InstanceOf { operand, .. } => gather(operand, runs_code, found),
        Node::Call { owner, arguments, .. } if runs_code(node) => {
            owner.iter().for_each(|owner| gather(owner, runs_code, found));
            arguments.iter().for_each(|argument| gather(argument, runs_code, found));
        }
        other => {
            let expr = Expr::from_node(other.clone());
            if !found.contains(&expr) {
                found.push(expr);
            }
        }
    }
}

fn compares(operator: BinaryOperator) -> bool {
    use BinaryOperator::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    matches!(operator, And | Or | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_the_parts_with_values() -> Result<(), super::super::ParseError> {
        let operands = |text: &str| -> Result<Vec<String>, super::super::ParseError> {
            Ok(Expr::parse(text)?.operands().iter().map(|e| e.text().to_owned()).collect())
        };
        let condition = "foo == null && (a.b < 3 || !done) && a.b != x + 1";
        assert_eq!(operands(condition)?, ["foo", "a.b", "done", "x + 1"]);
        let variables: Vec<String> =
            Expr::parse(condition)?.variables().iter().map(|e| e.text().to_owned()).collect();
        assert_eq!(variables, ["foo", "a.b", "a", "done", "x"]);
        assert_eq!(operands("record.text.equals(\"zz\") || is(n, 2)")?, ["record.text", "n"]);
        Ok(())
    }
}
