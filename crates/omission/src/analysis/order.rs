//! The order of suggestions: what is more likely to be the missed operation comes first.

use super::suggestion::{Jump, JumpKind, Suggestion};
use std::cmp::Reverse;
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

/// Joins suggestions that read alike: a string switch is two switches, and a line can have several copies
/// of its code. The last of the same jumps stays, which is that of the switch's own cases.
pub(super) fn join(suggestions: &mut Vec<(Suggestion, EventTime)>) {
    let alike = |one: &Suggestion, other: &Suggestion| {
        let (a, b) = (&one.jump, &other.jump);
        let place = |jump: &Jump| (jump.place.class.clone(), jump.place.method.clone(), jump.place.line);
        a.kind == b.kind
            && place(a) == place(b)
            && (&a.condition, &a.was, &a.would_be) == (&b.condition, &b.was, &b.would_be)
            && one.operation.text == other.operation.text
            && one.operation.place.line == other.operation.place.line
            && one.operation.chain == other.operation.chain
    };
    let mut joined: Vec<(Suggestion, EventTime)> = Vec::new();
    for (suggestion, when) in suggestions.drain(..) {
        match joined.iter_mut().find(|(known, _)| alike(known, &suggestion)) {
            Some(known) if known.0.jump.place.pc < suggestion.jump.place.pc => *known = (suggestion, when),
            Some(_) => {}
            None => joined.push((suggestion, when)),
        }
    }
    *suggestions = joined;
}
