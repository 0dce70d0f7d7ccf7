//! The question of `why EXPR`, at the command line and at the prompt: the last change of a variable, or the
//! `return` that made a call's result.

use chain::{Kind, Point, is_call};

/// The question about an expression, evaluated in a frame of a point.
pub fn value_question(id: &str, point: &str, frame: i32, expr: &str) -> Point {
    let reference = format!("{point}({frame}):{expr}");
    let kind = if is_call(expr) { Kind::LastReturn(reference) } else { Kind::LastChange(reference) };
    Point::new(id, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(expr: &str) -> String {
        value_question("B", "A", 0, expr).question()
    }

    #[test]
    fn a_call_asks_for_its_return() {
        for expr in
            ["total(order)", "Shop.total(f(1), 2)", "order.total()", "a[0].total(1)", "cart().total()"]
        {
            assert_eq!(asked(expr), format!("LastReturn(A(0):{expr})"));
        }
    }

    #[test]
    fn anything_else_asks_for_its_last_change() {
        for expr in ["foo", "this.a[i + 1]", "contents(set)", "f(1) + g(2)", "((A) b).c"] {
            assert_eq!(asked(expr), format!("LastChange(A(0):{expr})"));
        }
    }
}
