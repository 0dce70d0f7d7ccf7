//! References (the paper's *global object references*, §3): `POINT(FRAME):EXPR`.

use super::{Expr, ParseError, parse};
use std::fmt;

/// A value at a point: `A(0):foo`, `P2(-1):color`, `A:this.a.b`; without a point, of the point that asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Id of the point; none for the current one.
    pub point: Option<String>,
    /// Frame of the point's stack: 0 is the newest and assumed, -1 the oldest.
    pub frame: i32,
    /// What is read there.
    pub expr: Expr,
}

impl Reference {
    /// Parses a reference.
    ///
    /// # Errors
    /// The column and what was expected there.
    pub fn parse(text: &str) -> Result<Reference, ParseError> {
        parse::reference(text)
    }
}

impl fmt::Display for Reference {
    /// Writes `POINT(FRAME):EXPR` with the frame always, as the paper does; without a point the expression
    /// alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.point {
            Some(point) => write!(f, "{point}({}):{}", self.frame, self.expr),
            None => write!(f, "{}", self.expr),
        }
    }
}
