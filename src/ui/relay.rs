//! Passes what a session tells from its thread to a front end on another one.

use super::progress_text::ProgressText;
use session::{Progress, Sink};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio::sync::{Notify, watch};
use trace::EventShares;

/// Maximum number of texts that wait; then the session waits, and with it the program that prints.
const WAITING: usize = 256;

/// What a session tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Lines that the program printed, each with its line feed.
    Output(String),
    /// Something that the user should know before the work goes on.
    Said(String),
    /// What the session is doing from now on; empty when nothing takes long any more.
    Doing(String),
}

/// The session's end of a relay.
pub struct Relay {
    told: SyncSender<Told>,
    doing: watch::Sender<String>,
    wake: Arc<Notify>,
    text: ProgressText,
}

/// The front end's end of a relay. What it does not take makes the session wait, so a front end takes until
/// the session has ended.
pub struct Heard {
    told: Receiver<Told>,
    doing: watch::Receiver<String>,
    wake: Arc<Notify>,
}

/// A relay.
pub fn relay() -> (Relay, Heard) {
    let (told, heard) = sync_channel(WAITING);
    let (doing, seen) = watch::channel(String::new());
    let wake = Arc::new(Notify::new());
    let relay = Relay { told, doing, wake: wake.clone(), text: ProgressText::default() };
    (relay, Heard { told: heard, doing: seen, wake })
}

impl Heard {
    /// The next text. Waits for one; forever when the session has ended. Cancel-safe.
    pub async fn next(&mut self) -> Told {
        loop {
            if let Some(told) = self.waiting() {
                return told;
            }
            let is_doing = tokio::select! {
                () = self.wake.notified() => false,
                changed = self.doing.changed() => match changed {
                    Ok(()) => true,
                    Err(_) => std::future::pending().await,
                },
            };
            if is_doing {
                return Told::Doing(self.doing.borrow_and_update().clone());
            }
        }
    }

    /// A text that waits already.
    pub fn waiting(&mut self) -> Option<Told> {
        self.told.try_recv().ok()
    }
}

impl Relay {
    fn tell(&self, told: Told) {
        // If nobody listens, the front end has gone.
        let _ = self.told.send(told);
        self.wake.notify_one();
    }

    fn doing(&self, text: String) {
        let _ = self.doing.send(text);
    }
}

impl Progress for Relay {
    fn building(&self) {
        self.doing(self.text.building());
    }

    fn run_started(&self, run: u32, why: Option<&str>) {
        self.doing(self.text.run_started(run, why));
    }

    fn watched(&self, events: u64, located: usize, points: usize) {
        self.doing(self.text.watched(events, located, points));
    }

    fn grown(&self, bytes: u64, each_second: u64, shares: Option<&EventShares>) {
        self.doing(self.text.grown(bytes, each_second, shares));
    }

    fn sorted(&self, done: usize, of: usize) {
        self.doing(self.text.sorted(done, of));
    }

    fn waiting(&self, calls: usize) {
        self.doing(self.text.waiting(calls));
    }

    fn replayed(&self, done: u32, of: u32) {
        self.text.replayed(done, of);
    }

    fn checked(&self, done: usize, of: usize) {
        self.doing(self.text.checked(done, of));
    }

    fn sink(&self) -> Option<Sink> {
        let (told, wake) = (self.told.clone(), self.wake.clone());
        Some(Arc::new(move |text: &str| {
            let _ = told.send(Told::Output(text.to_owned()));
            wake.notify_one();
        }))
    }

    fn tell(&self, text: &str) {
        Relay::tell(self, Told::Said(text.to_owned()));
    }

    fn done(&self) {
        self.doing(String::new());
    }
}
