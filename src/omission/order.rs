//! The order of suggestions: what is more likely to be the missed operation comes first.

use super::suggestion::{JumpKind, Suggestion};
use crate::trace::EventTime;
use std::cmp::Reverse;

/// Sorts suggestions: writes before reads, certain ones before possible ones, what was wholly omitted
/// before what was at times, ends of loops last, shorter chains, then nearer to the point. `when` tells the
/// time of a suggestion's pass.
pub(super) fn sort(suggestions: &mut [(Suggestion, EventTime)]) {
    suggestions.sort_by_key(|(suggestion, when)| {
        let Suggestion { jump, operation, certainty, .. } = suggestion;
        let is_end = jump.kind == JumpKind::LoopEnd;
        let likely = (is_end, Reverse(operation.writes), *certainty, jump.is_partial);
        (likely, operation.chain.len(), Reverse(*when))
    });
}
