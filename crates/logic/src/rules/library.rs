//! Prolog texts that belong to `qp`.

/// The predicates of the paper over the indexes of a recording.
pub(super) const QUERIES: &str = include_str!("queries.pl");
/// The relations on which they stand, over a log of facts.
pub(super) const FACTS: &str = include_str!("facts.pl");
/// The rules that the paper prints.
pub const PAPER: &str = include_str!("javata.pl");
/// The name by which a rule file of the paper is asked for.
pub(super) const PAPER_NAME: &str = "javata.pl";
