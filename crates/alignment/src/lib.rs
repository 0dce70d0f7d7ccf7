//! Aligns two recorded runs: goes through the calls of both in step, and compares what the calls did.
//!
//! Two calls are aligned if they have the same method and stand at the same place among the calls that their
//! caller makes. A call can be judged if both runs gave it the same input. It differs if it then left another
//! result, exception or change, although no call below it differs.
//!
//! The cost grows with the number of recorded events: each event is compared once, with its partner. No state
//! is read again at every call. `correspondence` knows which objects of the runs are the same, and `heap` the
//! last write to each place. If two calls took different steps, their effects are compared instead
//! (`effects`): only what they wrote, as far as it can be reached from outside. Texts are compared by
//! digests, and `comparing` compares only the items of collections that changed since the last comparison.
//!
//! - `walk` goes through the calls; `step_reader` reads the `steps` of a call and `matching` pairs them.
//! - `versions` gives methods and fields the same numbers in both runs, and names what only one version has.
//!   `lambdas` does that for the code of lambdas.
//! - [`ChangedMethods`] tells which methods have other code: a method that differs without that was reached
//!   by something that the recordings lack.
//! - `threads` pairs the first calls of the threads.
//! - [`Variation`] tells what differs between runs of the same version; it is not compared.
//!
//! What this cannot see: code that was not recorded, and strings beyond their recorded beginning.

mod any_order;
mod changed;
mod collections;
mod comparing;
mod correspondence;
mod effects;
mod hashed;
mod heap;
mod lambdas;
mod matching;
mod open_pair;
mod report;
mod state;
mod step_reader;
mod steps;
mod threads;
mod variation;
mod versions;
mod walk;

pub use changed::{ChangedMethods, text_without_numbers};
pub use lambdas::Lambdas;
pub use report::{Alignment, DifferentStep, DifferingCall, Verdict};
pub use steps::{StepKind, StepOrigin};
pub use variation::{Variation, VariedStep};

use classes::ClassPool;
use trace::{Calls, EventTime, TraceError};

/// One of the two runs.
pub struct AlignedRun<'a> {
    /// Its recording, at level `writes` or `all`.
    pub calls: &'a mut Calls,
    /// The class files of its version, if they are there.
    pub pool: Option<&'a ClassPool>,
    /// What varies between runs of its version.
    pub variation: &'a Variation,
}

/// Compares two runs. `goes_on` is called now and then; the comparison ends when it returns false.
///
/// # Errors
/// A recording cannot be read; [`TraceError::Interrupted`] if `goes_on` returned false.
pub fn align(
    here: AlignedRun<'_>,
    there: AlignedRun<'_>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Alignment, TraceError> {
    walk::Walk::new(here, there, goes_on).align()
}

/// Adds what differs between two runs of the same version to `variation`, which belongs to the first one.
/// Steps of the first one from `until` on are left out.
///
/// # Errors
/// A recording cannot be read; [`TraceError::Interrupted`] if `goes_on` returned false.
pub fn add_variation(
    one: &mut Calls,
    one_pool: Option<&ClassPool>,
    other: &mut Calls,
    other_pool: Option<&ClassPool>,
    variation: &mut Variation,
    until: EventTime,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), TraceError> {
    let none = Variation::default();
    let one = AlignedRun { calls: one, pool: one_pool, variation: &none };
    let other = AlignedRun { calls: other, pool: other_pool, variation: &none };
    let differing = walk::Walk::new(one, other, goes_on).variation(until)?;
    variation.extend(differing);
    Ok(())
}
