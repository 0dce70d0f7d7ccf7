//! The translated questions of a chain, or their cost, as text.

use super::Text;
use super::cost::cost;
use command::explain::Explained;

impl Text for Explained {
    fn text(&self, _color: bool) -> String {
        match self {
            Explained::Questions(explanation) => explanation.to_string(),
            Explained::Graph(shown) => shown.explanation.graph(shown.form.into()),
            Explained::Cost(shown) => cost(shown),
        }
    }
}
