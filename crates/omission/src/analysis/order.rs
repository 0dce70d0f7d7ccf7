//! The order of suggestions: what is more likely to be the missed operation comes first.

use super::suggestion::{JumpKind, Suggestion};
use std::cmp::Reverse;
use std::collections::HashMap;
use trace::EventTime;

/// Sorts suggestions: writes before reads, certain ones before possible ones, what was wholly omitted
/// before what was at times, ends of loops last, shorter chains, then nearer to the point. `when` tells
/// the time of a suggestion's pass.
pub(super) fn sort(suggestions: &mut [(Suggestion, EventTime)]) {
    suggestions.sort_by_key(|(suggestion, when)| {
        let Suggestion { jump, operation, certainty, .. } = suggestion;
        let is_end = jump.kind == JumpKind::LoopEnd;
        let likely = (is_end, Reverse(operation.writes), *certainty, jump.is_partial);
        (likely, operation.chain.len(), Reverse(*when))
    });
}

/// What a person reads of a suggestion.
type Reading<'s> = (
    JumpKind,
    (&'s str, &'s str, Option<u32>),
    (Option<&'s str>, &'s str, &'s str),
    (&'s str, Option<u32>, &'s [String]),
);

fn reading(of: &Suggestion) -> Reading<'_> {
    let Suggestion { jump, operation, .. } = of;
    (
        jump.kind,
        (&jump.place.class, &jump.place.method, jump.place.line),
        (jump.condition.as_deref(), &jump.was, &jump.would_be),
        (&operation.text, operation.place.line, &operation.chain),
    )
}

/// Joins suggestions that read alike: a string switch is two switches, and a line can have several copies
/// of its code. The last of the same jumps stays, which is that of the switch's own cases.
pub(super) fn join(suggestions: &mut Vec<(Suggestion, EventTime)>) {
    let mut known: HashMap<Reading<'_>, usize> = HashMap::with_capacity(suggestions.len());
    // By the first of those that read alike: the one that stays.
    let mut staying: Vec<usize> = Vec::new();
    for (at, (suggestion, _)) in suggestions.iter().enumerate() {
        let place = *known.entry(reading(suggestion)).or_insert(staying.len());
        match staying.get_mut(place) {
            None => staying.push(at),
            Some(kept) => {
                let pc = |at: usize| suggestions.get(at).map(|(of, _)| of.jump.place.pc);
                if pc(*kept) < pc(at) {
                    *kept = at;
                }
            }
        }
    }
    let mut all: Vec<Option<(Suggestion, EventTime)>> = suggestions.drain(..).map(Some).collect();
    suggestions.extend(staying.into_iter().filter_map(|at| all.get_mut(at)?.take()));
}
