//! The order of suggestions: what is more likely to be the missed operation comes first.

use super::suggestion::Suggestion;
use crate::trace::EventTime;
use std::cmp::Reverse;

/// Sorts suggestions: writes before reads, certain ones before possible ones, shorter chains, then nearer to
/// the point. `when` tells the time of a suggestion's pass.
pub(super) fn sort(suggestions: &mut [(Suggestion, EventTime)]) {
    suggestions.sort_by_key(|(suggestion, when)| {
        let Suggestion { operation, certainty, .. } = suggestion;
        (Reverse(operation.writes), *certainty, operation.chain.len(), Reverse(*when))
    });
}
