//! The flips of a suggestion at other passes than the one that it names: at those with equal operands, at
//! all, at two, or at another one. A jump that is right for one operand is often wrong for another.

use super::flip::{Flip, FlippedPasses, steering};
use crate::analysis::{JumpKind, Suggestion};
use past::Recording;
use session::SessionError;
use std::collections::VecDeque;
use trace::{Calls, EventPosition, EventTime, Occurrence, Traced, WalkControl};

/// Most passes that are looked at, the nearest to the point.
const PASSES: usize = 256;
/// Most operands at whose passes the jump goes the other way.
const OPERANDS: usize = 3;
/// How many of the nearest passes are tried two by two.
const NEAREST: usize = 3;
/// Most of the other passes that are tried alone.
const ALONE: usize = 2;

/// The passes with one value of the operand, each by the number of earlier ones. The first comes first.
struct Group {
    operand: Option<String>,
    passes: Vec<u64>,
}

/// The flip by which the condition of a suggestion is inverted at all passes; `None` if it is no condition
/// with two ways.
pub(super) fn inverted(suggestion: &Suggestion) -> Option<Flip> {
    let is_switch = suggestion.jump.condition.as_ref().is_some_and(|text| text.starts_with("switch"));
    let is_branch = suggestion.jump.kind == JumpKind::Branch && !is_switch;
    let which = Occurrence::Inverted;
    is_branch.then(|| Flip { steering: steering(suggestion, which), passes: FlippedPasses::Inverted })
}

/// The flips in the order in which they are tried. The first that makes the point right is the last.
///
/// # Errors
/// The recording cannot be read.
pub(super) fn at_other_passes(
    suggestion: &Suggestion,
    point: EventTime,
    trace: &mut Recording,
) -> Result<Vec<Flip>, SessionError> {
    let pass = &suggestion.pass;
    let thread = || pass.thread.clone();
    let flip = |passes, which| Flip { steering: steering(suggestion, which), passes };
    let equal = |n| flip(FlippedPasses::EqualOperands, Occurrence::EqualOperands { thread: thread(), n });
    match suggestion.jump.kind {
        _ if suggestion.passes.missed < 2 => return Ok(Vec::new()),
        JumpKind::Branch => {}
        // A loop that always goes on does not end.
        JumpKind::LoopEnd => {
            let which = Occurrence::OncePerLoop { thread: thread(), n: pass.first };
            return Ok(vec![flip(FlippedPasses::OncePerLoop, which)]);
        }
        JumpKind::Exception | JumpKind::Dispatch => return Ok(Vec::new()),
    }
    let mut flips = vec![equal(pass.first), flip(FlippedPasses::All, Occurrence::All)];
    let missed = missed(suggestion, point, &mut trace.calls)?;
    let groups = grouped(suggestion, &missed, trace)?;
    let is_first = |group: &&Group| group.passes.contains(&pass.first);
    let others = groups.iter().rev().filter(|group| !is_first(group));
    let (several, alone): (Vec<&Group>, Vec<&Group>) = others.partition(|group| group.passes.len() > 1);
    let first_of = |group: &&Group| group.operand.as_ref().and_then(|_| group.passes.first().copied());
    flips.extend(several.iter().filter_map(first_of).take(OPERANDS).map(equal));
    let one = |n| flip(FlippedPasses::One, Occurrence::Nth { thread: thread(), n });
    let of_alone = alone.iter().filter_map(first_of).filter(|n| *n != pass.nth);
    flips.extend(of_alone.take(ALONE).map(one));
    // Two of two are all.
    if missed.len() > 2 {
        let nearest: Vec<u64> = missed.iter().rev().map(|(nth, _)| *nth).take(NEAREST).collect();
        for (at, later) in nearest.iter().enumerate() {
            for n in nearest.iter().skip(at + 1) {
                let which = Occurrence::Two { thread: thread(), n: *n, later: *later };
                flips.push(flip(FlippedPasses::Two, which));
            }
        }
    }
    Ok(flips)
}

/// The passes in the suggestion's thread that missed the way before the point, the nearest last.
fn missed(
    suggestion: &Suggestion,
    point: EventTime,
    calls: &mut Calls,
) -> Result<VecDeque<(u64, EventPosition)>, SessionError> {
    let (jump, pass) = (&suggestion.jump, &suggestion.pass);
    let (mut found, mut count) = (VecDeque::new(), 0);
    for (thread, name, _) in calls.threads() {
        if name != pass.thread {
            continue;
        }
        calls.walk(thread, None, |calls, seen| {
            if seen.when() > point {
                return WalkControl::Stop;
            }
            let (Traced::Branch(to), Some(at)) = (seen.site.what, seen.position()) else {
                return WalkControl::Next;
            };
            let is_it = seen.site.bci == jump.place.pc
                && calls.sites.method(seen.site.method).is_some_and(|method| {
                    *method.class == *jump.place.class
                        && method.name == jump.place.method
                        && method.descriptor == jump.place.descriptor
                });
            if !is_it {
                return WalkControl::Next;
            }
            if u32::from(to) != jump.to {
                found.push_back((count, at));
                if found.len() > PASSES {
                    found.pop_front();
                }
            }
            count += 1;
            WalkControl::Next
        })?;
    }
    Ok(found)
}

/// Passes by the value of the operand that the suggestion names, in the order of their last passes.
fn grouped(
    suggestion: &Suggestion,
    passes: &VecDeque<(u64, EventPosition)>,
    trace: &mut Recording,
) -> Result<Vec<Group>, SessionError> {
    let operand = match (&suggestion.jump.operand, passes.front()) {
        (Some(text), Some((_, first))) => trace.compile(*first, text)?.ok(),
        _ => None,
    };
    let mut groups: Vec<Group> = Vec::new();
    for (nth, at) in passes {
        let value = match &operand {
            Some(operand) => trace.value(*at, operand)?.ok().map(|value| value.text),
            None => None,
        };
        let known = value.as_ref().and_then(|_| groups.iter().position(|group| group.operand == value));
        let mut group = match known {
            Some(known) => groups.remove(known),
            None => Group { operand: value, passes: Vec::new() },
        };
        group.passes.push(*nth);
        groups.push(group);
    }
    Ok(groups)
}
