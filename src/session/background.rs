//! Work on another thread, which the user can interrupt.

use crate::session::context::Context;
use crate::session::error::SessionError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs work on another thread. The work looks at the flag now and then, and ends early when it is set.
///
/// # Errors
/// Those of the work; [`SessionError::Interrupted`] if the user interrupted it.
pub(in crate::session) async fn in_background<T: Send + 'static>(
    context: &Context,
    work: impl FnOnce(Arc<AtomicBool>) -> Result<T, SessionError> + Send + 'static,
) -> Result<T, SessionError> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let mut work = tokio::task::spawn_blocking(move || work(flag));
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            () = context.interrupted(), if !stop.load(Ordering::Relaxed) => stop.store(true, Ordering::Relaxed),
        }
    };
    if stop.load(Ordering::Relaxed) {
        return Err(SessionError::Interrupted);
    }
    // The task is never cancelled, and does not panic.
    done.unwrap_or(Err(SessionError::Interrupted))
}
