//! Copies the arguments of a call to scratch locals, for code inserted before the call.

use descriptor::Kind;
use rewrite::Step;
use std::collections::HashMap;

/// The code to store to a scratch local, and the code to load it.
pub type Place = [Step; 2];

/// Copies the topmost arguments on the stack to scratch locals and leaves them there. Returns the code for
/// that, and the places of the arguments. `scratch` gives the n-th scratch local of a kind.
pub fn spill(arguments: &[String], scratch: &mut dyn FnMut(Kind, usize) -> Place) -> (Vec<Step>, Vec<Place>) {
    let mut counts = HashMap::new();
    let mut places = Vec::new();
    for of in arguments {
        let kind = Kind::of_descriptor(of);
        let nth = counts.entry(kind.descriptor()).or_insert(0);
        places.push(scratch(kind, *nth));
        *nth += 1;
    }
    let mut steps: Vec<Step> = places.iter().rev().map(|[store, _]| store.clone()).collect();
    steps.extend(places.iter().map(|[_, load]| load.clone()));
    (steps, places)
}
