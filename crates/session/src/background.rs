//! Work on another thread, which the user can interrupt.

use crate::context::Context;
use crate::error::SessionError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long interrupted work may take to end. After that it ends alone, and its result is dropped.
const ENDING: Duration = Duration::from_millis(500);

/// Runs work on another thread. The work looks at the flag now and then, and ends early when it is set.
///
/// # Errors
/// Those of the work; [`SessionError::Interrupted`] if the user interrupted it.
pub async fn in_background<T: Send + 'static>(
    context: &Context,
    work: impl FnOnce(Arc<AtomicBool>) -> Result<T, SessionError> + Send + 'static,
) -> Result<T, SessionError> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let mut work = tokio::task::spawn_blocking(move || work(flag));
    let done = unless_late(context, &stop, &mut work).await?;
    if stop.load(Ordering::Relaxed) {
        return Err(SessionError::Interrupted);
    }
    // The task is never cancelled, and does not panic.
    done.unwrap_or(Err(SessionError::Interrupted))
}

/// Waits for work that looks at a flag now and then. If the user interrupts, sets the flag and waits a
/// moment.
///
/// # Errors
/// The user interrupted, and the work has not ended.
pub async fn unless_late<T>(
    context: &Context,
    stop: &AtomicBool,
    work: impl Future<Output = T>,
) -> Result<T, SessionError> {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        done = &mut work => return Ok(done),
        () = context.interrupted() => stop.store(true, Ordering::Relaxed),
    }
    tokio::time::timeout(ENDING, work).await.map_err(|_| SessionError::Interrupted)
}
