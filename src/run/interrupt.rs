//! The user's wish to end a run.

/// The user's wish to end the run. Cheap to clone; once it is set it stays set.
#[derive(Clone)]
pub struct Interrupt(tokio::sync::watch::Receiver<bool>);

impl Interrupt {
    /// An interrupt, and what sets it by sending `true`.
    pub fn new() -> (tokio::sync::watch::Sender<bool>, Interrupt) {
        let (sender, receiver) = tokio::sync::watch::channel(false);
        (sender, Interrupt(receiver))
    }

    /// Whether it was set.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is set; for ever if nobody can set it any more. Cancel-safe.
    pub async fn wait(&self) {
        if self.0.clone().wait_for(|set| *set).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
