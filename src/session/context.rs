//! What every command and every function of a session is given: who is told of its progress, and the user's
//! wish to end it.

use super::progress::{Progress, Silent};
use crate::run::Interrupt;
use std::rc::Rc;
use tokio::sync::watch::Sender;

/// Reports progress, and tells whether the user has interrupted. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    progress: Rc<dyn Progress>,
    interrupt: Interrupt,
}

impl Context {
    /// A context that reports to this and is interrupted by that.
    pub fn new(progress: Rc<dyn Progress>, interrupt: Interrupt) -> Context {
        Context { progress, interrupt }
    }

    /// A context that reports to this and that nobody interrupts.
    pub fn uninterrupted(progress: Rc<dyn Progress>) -> Context {
        let (_nobody, interrupt) = Interrupt::new();
        Context { progress, interrupt }
    }

    /// A context that reports nothing and that nobody interrupts.
    pub fn silent() -> Context {
        Context::uninterrupted(Rc::new(Silent))
    }

    /// The same interrupt, and no progress.
    #[must_use]
    pub fn without_progress(&self) -> Context {
        Context { progress: Rc::new(Silent), interrupt: self.interrupt.clone() }
    }

    /// The same progress with an interrupt that is not set, and what sets it by sending `true`.
    pub fn renewed(&self) -> (Sender<bool>, Context) {
        let (stop, interrupt) = Interrupt::new();
        (stop, Context { progress: self.progress.clone(), interrupt })
    }

    /// Where progress is reported.
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// The user's wish to end it.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Whether the user has interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_set()
    }

    /// Waits until the user interrupts; for ever if nobody can. Cancel-safe.
    pub async fn interrupted(&self) {
        self.interrupt.wait().await;
    }
}
