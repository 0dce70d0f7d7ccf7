//! Replies of the VM: waiting for many at once, and tolerating refusals.

use super::super::error::RunError;
use std::pin::Pin;
use std::task::Poll;

/// Awaits all of these futures at once.
pub async fn join_all<T>(mut all: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = all.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut ready = true;
        for (future, done) in all.iter_mut().zip(done.iter_mut()) {
            if done.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *done = Some(value),
                    Poll::Pending => ready = false,
                }
            }
        }
        if ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// The value of a reply; none if the VM refuses, for example because the object has been collected.
pub fn granted<T>(reply: Result<T, jdwp::Error>) -> Result<Option<T>, RunError> {
    match reply {
        Ok(value) => Ok(Some(value)),
        Err(e) if e.is_fatal() => Err(e.into()),
        Err(_) => Ok(None),
    }
}
