//! The effect of a call to an unrecorded method. A method without a row in `jdk` may do anything.

use bytecode::MethodRef;
use bytecode::op::Bootstrap;
use jdk::{Reads, Writes};

/// The inputs of a call besides its arguments, and its outputs besides its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// None: the call only computes its result from its arguments.
    Computes,
    /// Reads the state of JDK objects.
    Looks,
    /// Reads the state of JDK objects, fields and array elements.
    Reads,
    /// Prints. Other code can read the text from the stream's target.
    Prints,
    /// Changes the state of JDK objects.
    Changes,
    /// Creates an object backed by an array, such as a list. Later calls may use the array through it.
    Backs,
    /// May do anything.
    Foreign,
}

/// The effect of a call. `class` is the JDK class that declares the method.
pub fn effect(class: &str, method: &MethodRef) -> Effect {
    let facts = jdk::facts(class, &method.name, &method.descriptor);
    let given = method.descriptor.split(')').next().unwrap_or_default();
    let has_arrays = given.contains('[');
    match (facts.writes, facts.reads) {
        (Some(Writes::Output), _) => Effect::Prints,
        (Some(Writes::Objects), _) if !has_arrays => Effect::Changes,
        (Some(Writes::Nothing), _) if facts.holds.is_some() => Effect::Backs,
        (Some(Writes::Nothing), Some(reads)) => match reads {
            Reads::Nothing => Effect::Computes,
            Reads::Arguments if has_arrays => Effect::Foreign,
            Reads::Arguments if given_values(given) => Effect::Computes,
            Reads::Arguments | Reads::Objects => Effect::Looks,
            Reads::Everything => Effect::Reads,
        },
        _ => Effect::Foreign,
    }
}

/// Whether all parameters are primitive or of immutable classes.
fn given_values(given: &str) -> bool {
    given.split(';').filter_map(|one| Some(one.split_once('L')?.1)).all(jdk::is_immutable)
}

/// The effect of an `invokedynamic` instruction.
pub fn dynamic(bootstrap: Option<&Bootstrap>) -> Effect {
    let Some(bootstrap) = bootstrap else { return Effect::Foreign };
    effect(&bootstrap.method.class, &bootstrap.method)
}
