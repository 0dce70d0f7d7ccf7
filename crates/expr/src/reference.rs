//! References (the paper's *global object references*, §3): `POINT(FRAME):EXPR`.

use super::Expr;
use std::fmt;

/// A value at a point: `A(0):foo`, `P2(-1):color`, `A:this.a.b`. Without a point it refers to the point that
/// contains it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Id of the point; `None` for the current one.
    pub point: Option<String>,
    /// Frame of the point's stack: 0 is the newest and the default, -1 the oldest.
    pub frame: i32,
    /// The expression to read there.
    pub expr: Expr,
}

impl fmt::Display for Reference {
    /// Writes `POINT(FRAME):EXPR` including the frame, as in the paper; without a point, only the expression.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.point {
            Some(point) => write!(f, "{point}({}):{}", self.frame, self.expr),
            None => write!(f, "{}", self.expr),
        }
    }
}
