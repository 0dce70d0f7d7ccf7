//! The context passed to every command and session function: the receiver of progress, and the user's
//! interrupt.

use crate::progress::{Progress, Silent};
use run::Interrupt;
use std::rc::Rc;
use tokio::sync::watch::Sender;

/// Reports progress, and reports whether the user has interrupted. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    progress: Rc<dyn Progress>,
    interrupt: Interrupt,
}

impl Context {
    /// Creates a context from a receiver of progress and an interrupt.
    pub fn new(progress: Rc<dyn Progress>, interrupt: Interrupt) -> Context {
        Context { progress, interrupt }
    }

    /// Creates a context that nobody can interrupt.
    pub fn uninterrupted(progress: Rc<dyn Progress>) -> Context {
        let (_nobody, interrupt) = Interrupt::new();
        Context { progress, interrupt }
    }

    /// Creates a context without progress that nobody can interrupt.
    pub fn silent() -> Context {
        Context::uninterrupted(Rc::new(Silent))
    }

    /// The same context without progress.
    #[must_use]
    pub fn without_progress(&self) -> Context {
        Context { progress: Rc::new(Silent), interrupt: self.interrupt.clone() }
    }

    /// The same context with a new interrupt. Sending `true` to the sender sets it.
    pub fn renewed(&self) -> (Sender<bool>, Context) {
        let (stop, interrupt) = Interrupt::new();
        (stop, Context { progress: self.progress.clone(), interrupt })
    }

    /// The receiver of progress.
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// The receiver of progress, to be kept.
    pub fn shared_progress(&self) -> Rc<dyn Progress> {
        self.progress.clone()
    }

    /// The user's interrupt.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Whether the user has interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_set()
    }

    /// Waits until the user interrupts; forever if nobody can. Cancel-safe.
    pub async fn interrupted(&self) {
        self.interrupt.wait().await;
    }
}
