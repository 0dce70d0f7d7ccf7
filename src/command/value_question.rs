//! What `why EXPR` asks, at the command line and at the prompt: the last change of a variable, or the `return` that gave
//! a call its result.

use super::CommandError;
use crate::chain::{Kind, Point};

/// The question about an expression as a frame of a point sees it. `class` is that frame's, if it is known.
///
/// # Errors
/// It is a call of a method whose class is not known.
pub fn value_question(
    id: &str,
    point: &str,
    frame: i32,
    expr: &str,
    class: Option<&str>,
) -> Result<Point, CommandError> {
    let Some(called) = called(expr) else {
        return Ok(Point::new(id, Kind::LastChange(format!("{point}({frame}):{expr}"))));
    };
    let method = match (called.rsplit_once('.'), class) {
        (None, Some(class)) => format!("{class}.{called}"),
        (Some((of, _)), _) if is_class(of) => called.to_owned(),
        _ => {
            return Err(CommandError::Usage(format!(
                "`{expr}` is a call: name the class of its method, as in `Shop.total(order)`, to ask for the \
                 `return` that made its result"
            )));
        }
    };
    let question = Point::new(id, Kind::Exit(method));
    // The last one before the point is meant.
    Ok(Point { before: Some(point.to_owned()), index: Some(-1), ..question })
}

/// The method, with what stands before its name, where a whole expression is a call. What a chain knows as a reference is none.
fn called(expr: &str) -> Option<&str> {
    let expr = expr.trim();
    let (name, rest) = expr.split_once('(')?;
    let name = name.trim();
    let is_name = |c: char| c.is_alphanumeric() || "_$.".contains(c);
    let mut depth = 1_usize;
    let closes = rest.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let is_whole = closes + 1 == rest.len();
    (is_whole && !name.is_empty() && name != "contents" && name.chars().all(is_name)).then_some(name)
}

/// Whether a name is that of a class by its last word.
fn is_class(name: &str) -> bool {
    name.rsplit(['.', '$']).next().is_some_and(|word| word.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(expr: &str) -> Result<String, String> {
        let point =
            value_question("B", "A", 0, expr, Some("shop.Cart")).map_err(|error| error.to_string())?;
        Ok(point.question())
    }

    #[test]
    fn a_call_asks_for_its_return() {
        assert_eq!(asked("total(order)").unwrap(), "Exit(shop.Cart.total) before A hit -1");
        assert_eq!(asked("Shop.total(f(1), 2)").unwrap(), "Exit(Shop.total) before A hit -1");
        assert!(asked("order.total()").unwrap_err().contains("name the class"));
    }

    #[test]
    fn anything_else_asks_for_its_last_change() {
        for expr in ["foo", "this.a[i + 1]", "contents(set)", "f(1) + g(2)", "((A) b).c"] {
            assert_eq!(asked(expr).unwrap(), format!("LastChange(A(0):{expr})"));
        }
    }
}
