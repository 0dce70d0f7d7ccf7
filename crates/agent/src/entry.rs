//! Generates the code that records the entry of a method.

use crate::recorder_calls::{call, call_of, number, window};
use crate::value_tests::of_arguments;
use crate::weaving::Weaving;
use descriptor::Kind;
use rewrite::{MethodShape, Slot, Step};
use wire::TRACE_CALLS_CLASS;

/// Maximum number of arguments passed to one call; all must be references or fit an `int`.
const FEW: usize = 3;

/// Code that records the entry of a method and stores the ring. `this` comes first, except in a constructor,
/// where it is not initialised yet.
pub fn enter(shape: &MethodShape, weaving: &Weaving<'_>, site: Step, scratch: &mut Vec<Kind>) -> Vec<Step> {
    let Weaving { has_window, tests, .. } = *weaving;
    let is_static = shape.is_static();
    let mut arguments: Vec<(u16, Kind)> = descriptor::parameter_slots(&shape.descriptor, is_static)
        .into_iter()
        .map(|(slot, of)| (slot, Kind::of_descriptor(&of)))
        .collect();
    if !is_static && shape.name != "<init>" {
        arguments.insert(0, (0, Kind::Reference));
    }
    let ring = Step::Load(Kind::Long, Slot::Kept(0));
    let keep = Step::Store(Kind::Long, Slot::Kept(0));
    let load = |(slot, kind): (u16, Kind)| Step::Load(kind, Slot::Own(slot));
    let number = |argument| [vec![load(argument)], number(&ring, weaving.may_skip())].concat();
    let is_few = arguments.len() <= FEW
        && arguments.iter().all(|(_, kind)| matches!(kind, Kind::Int | Kind::Reference));
    if is_few && !has_window && tests.is_empty() {
        let kinds: String = arguments.iter().map(|(_, kind)| kind.descriptor()).collect();
        let told = call_of(TRACE_CALLS_CLASS, "enter", format!("({kinds}I)J"));
        return arguments.iter().map(|argument| load(*argument)).chain([site, told, keep]).collect();
    }
    let mut steps = match has_window {
        false => vec![call("ring", "()J"), keep.clone()],
        true => vec![site.clone(), window("ring", "(I)J"), keep.clone()],
    };
    if !tests.is_empty() {
        // What the method does besides is recorded in any case.
        steps.extend([ring.clone(), Step::Store(Kind::Long, Slot::Kept(1))]);
        steps.extend(of_arguments(shape, tests, Slot::Kept(0)));
    }
    // The entry may be outside the window while later events are inside.
    let behind = match has_window {
        false => Vec::new(),
        true => {
            let keep_detail = Step::Store(Kind::Long, Slot::Kept(1));
            vec![ring.clone(), window("kept", "(J)J"), keep, window("more", "()J"), keep_detail]
        }
    };
    // Newly met objects have events of their own, which must precede the entry event.
    let references: Vec<_> = arguments.iter().copied().filter(|(_, kind)| *kind == Kind::Reference).collect();
    steps.extend(references.iter().flat_map(|argument| number(*argument)));
    steps.extend([ring.clone(), site]);
    if arguments.is_empty() {
        steps.push(call("event", "(JI)V"));
        return steps.into_iter().chain(behind).collect();
    }
    scratch.push(Kind::Long);
    steps.extend(event_of(&arguments, &ring, Slot::Scratch(0)));
    steps.extend(behind);
    steps
}

/// Records the entry event with the arguments, above whose ring and site the numbers of references stand on
/// the stack. `begun` is a local for the event.
fn event_of(arguments: &[(u16, Kind)], ring: &Step, begun: Slot) -> Vec<Step> {
    let mut steps = vec![call("begin", "(JI)J"), Step::Store(Kind::Long, begun)];
    let mut length = 4;
    let mut places = Vec::new();
    for argument in arguments {
        places.push((*argument, length));
        length += 4 * i32::from(argument.1.slots());
    }
    let set = |kind: char, place| {
        [Step::Load(Kind::Long, begun), Step::Int(place), call("set", format!("({kind}JI)V"))]
    };
    // References whose numbers are on the stack, last one first.
    for (_, place) in places.iter().rev().filter(|((_, kind), _)| *kind == Kind::Reference) {
        steps.extend(set('I', *place));
    }
    for ((slot, kind), place) in places.into_iter().filter(|((_, kind), _)| *kind != Kind::Reference) {
        steps.push(Step::Load(kind, Slot::Own(slot)));
        steps.extend(set(kind.descriptor().chars().next().unwrap_or('I'), place));
    }
    steps.extend([ring.clone(), Step::Int(length), call("end", "(JI)V")]);
    steps
}
