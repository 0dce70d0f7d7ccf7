//! What code does of which nothing is recorded, by the method that is called. What is not listed may do
//! anything.

use bytecode::MethodRef;
use bytecode::op::Bootstrap;
use jdk::{Reads, Writes};

/// What a call depends on besides what it is given, and what depends on it besides what it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Computes,
    /// It depends on what objects of the JDK hold.
    Looks,
    /// It depends on what fields and elements hold, too.
    Reads,
    /// It prints: something else can read that from where it was printed to.
    Prints,
    /// It changes what objects of the JDK hold.
    Changes,
    /// It makes a collection of an array, which is written through it from then on.
    Backs,
    /// It may do anything.
    Foreign,
}

/// The same of a call, by the class that the JDK declares its method in.
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

/// Whether no parameter is of a class whose objects can change.
fn given_values(given: &str) -> bool {
    given.split(';').filter_map(|one| Some(one.split_once('L')?.1)).all(jdk::is_immutable)
}

/// The same of `invokedynamic`.
pub fn dynamic(bootstrap: Option<&Bootstrap>) -> Effect {
    let Some(bootstrap) = bootstrap else { return Effect::Foreign };
    effect(&bootstrap.method.class, &bootstrap.method)
}
