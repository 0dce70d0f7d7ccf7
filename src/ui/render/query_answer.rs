//! The results of `qp query` as text.

use super::query::{answered, asked};
use super::query_diff::difference;
use super::{Paint, Text};
use command::query::QueryAnswer;

impl Text for QueryAnswer {
    fn text(&self, color: bool) -> String {
        match self {
            QueryAnswer::Predefined(answer) => answered(answer, Paint { color }),
            QueryAnswer::Goal(answer) => asked(answer, Paint { color }),
            QueryAnswer::Difference(found) => difference(found, Paint { color }),
        }
    }
}
