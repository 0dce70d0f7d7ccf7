//! Two runs at the same time.

use std::thread::available_parallelism;
use trace::About;

/// Whether two recorded programs can run again at the same time: there are processors for both, and their
/// last runs would not have met.
pub fn can_run_beside(one: &About, other: &About) -> bool {
    let has_processors = available_parallelism().is_ok_and(|many| many.get() > 1);
    let is_driven = |about: &About| !about.driven.is_default();
    let outcomes = one.recorded.as_ref().zip(other.recorded.as_ref());
    let are_apart = outcomes.is_some_and(|(one, other)| one.is_apart_from(other));
    has_processors && are_apart && !is_driven(one) && !is_driven(other)
}

/// Waits for the work of two runs: at the same time, or one after the other.
pub async fn beside<A, B>(
    at_once: bool,
    one: impl Future<Output = A>,
    other: impl Future<Output = B>,
) -> (A, B) {
    if at_once {
        return tokio::join!(one, other);
    }
    let one = one.await;
    (one, other.await)
}
