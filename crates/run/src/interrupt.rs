//! The user's request to end a run.

/// The user's request to end the run. It is cheap to clone and stays set.
#[derive(Clone)]
pub struct Interrupt(tokio::sync::watch::Receiver<bool>);

impl Interrupt {
    /// An interrupt, and its sender: sending `true` sets it.
    pub fn new() -> (tokio::sync::watch::Sender<bool>, Interrupt) {
        let (sender, receiver) = tokio::sync::watch::channel(false);
        (sender, Interrupt(receiver))
    }

    /// Whether it was set.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is set, or forever if all senders are dropped. Cancel-safe.
    pub async fn wait(&self) {
        if self.0.clone().wait_for(|set| *set).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
