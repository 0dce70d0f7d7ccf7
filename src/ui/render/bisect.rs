//! The verdict of `qp bisect` with its reason, as text.

use super::Text;
use command::bisect::BisectVerdict;

impl Text for BisectVerdict {
    fn text(&self, _color: bool) -> String {
        format!("{}: {}\n", self.verdict, self.reason)
    }
}
