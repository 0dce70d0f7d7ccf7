//! A session that front ends talk to by messages: it lives on a thread of its own and takes one request after
//! another. A request can be cancelled, before and while it is being answered.

use crate::context::Context;
use crate::progress::Progress;
use run::Interrupt;
use std::future::Future;
use std::rc::Rc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

/// Maximum number of requests that wait.
const WAITING: usize = 1000;

/// What an actor runs. It stays on the actor's thread.
pub trait Serves: 'static {
    /// A request.
    type Request: Send + 'static;
    /// Its answer.
    type Answer: Send + 'static;

    /// Answers a request. When the context is interrupted, it answers as soon as it can.
    fn take(&mut self, request: Self::Request, context: &Context) -> impl Future<Output = Self::Answer>;
}

/// Why an actor does not take a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untaken {
    /// Too many requests wait.
    #[error("{WAITING} requests wait already; wait for an answer, or cancel one")]
    Busy,
    /// The session has ended.
    #[error("the session has ended")]
    Ended,
}

/// Sends requests to a session. When it is dropped, the session ends after the requests that wait.
pub struct Actor<S: Serves> {
    requests: mpsc::Sender<Task<S>>,
    ended: oneshot::Receiver<()>,
}

/// A request that was sent. If it is dropped, the request is answered nevertheless.
pub struct Pending<A> {
    answer: oneshot::Receiver<A>,
    stop: watch::Sender<bool>,
}

struct Task<S: Serves> {
    request: S::Request,
    interrupt: Interrupt,
    reply: oneshot::Sender<S::Answer>,
}

impl<S: Serves> Actor<S> {
    /// Starts a session. `make` runs on its thread; the session reports its progress to the receiver that
    /// `make` returns.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(make: impl FnOnce() -> (S, Rc<dyn Progress>) + Send + 'static) -> std::io::Result<Actor<S>> {
        let (requests, tasks) = mpsc::channel(WAITING);
        let (end, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("session".to_owned()).spawn(move || {
            let (session, progress) = make();
            runtime.block_on(tokio::task::LocalSet::new().run_until(serve(session, progress, tasks)));
            // Threads that read a debuggee's last output need not be waited for.
            runtime.shutdown_background();
            // Nobody may wait.
            let _ = end.send(());
        })?;
        Ok(Actor { requests, ended })
    }

    /// Sends a request. The session answers it after those that were sent before.
    ///
    /// # Errors
    /// Too many requests wait, or the session has ended.
    pub fn ask(&self, request: S::Request) -> Result<Pending<S::Answer>, Untaken> {
        let (stop, interrupt) = Interrupt::new();
        let (reply, answer) = oneshot::channel();
        self.requests.try_send(Task { request, interrupt, reply }).map_err(|error| match error {
            TrySendError::Full(_) => Untaken::Busy,
            TrySendError::Closed(_) => Untaken::Ended,
        })?;
        Ok(Pending { answer, stop })
    }

    /// Ends the session after the requests that wait, and waits for that.
    pub async fn end(self) {
        drop(self.requests);
        // An error says that the thread is gone, which is what is wanted.
        let _ = self.ended.await;
    }
}

impl<A> Pending<A> {
    /// Asks the session to give up the request. An answer still comes.
    pub fn cancel(&self) {
        // Without a receiver, the request was answered.
        let _ = self.stop.send(true);
    }

    /// Waits for the answer; `None` if the session broke. Cancel-safe; call it no more after an answer.
    pub async fn answer(&mut self) -> Option<A> {
        (&mut self.answer).await.ok()
    }
}

async fn serve<S: Serves>(mut session: S, progress: Rc<dyn Progress>, mut tasks: mpsc::Receiver<Task<S>>) {
    while let Some(Task { request, interrupt, reply }) = tasks.recv().await {
        let context = Context::new(progress.clone(), interrupt);
        let answer = session.take(request, &context).await;
        // Nobody may wait for it any more.
        let _ = reply.send(answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    struct Counts(u32);

    impl Serves for Counts {
        type Request = bool;
        type Answer = Option<u32>;

        /// Counts, or waits until it is cancelled.
        async fn take(&mut self, waits: bool, context: &Context) -> Option<u32> {
            if waits {
                context.interrupted().await;
                return None;
            }
            self.0 += 1;
            Some(self.0)
        }
    }

    fn counting() -> Actor<Counts> {
        Actor::start(|| (Counts(0), Rc::new(Silent) as Rc<dyn Progress>)).expect("a thread")
    }

    #[tokio::test]
    async fn requests_are_answered_in_their_order_and_can_be_cancelled() {
        let actor = counting();
        let mut first = actor.ask(false).expect("taken");
        let mut waits = actor.ask(true).expect("taken");
        let mut last = actor.ask(false).expect("taken");
        assert_eq!(first.answer().await, Some(Some(1)));
        let soon = std::time::Duration::from_millis(50);
        assert!(tokio::time::timeout(soon, last.answer()).await.is_err(), "it waits for the one before");
        waits.cancel();
        assert_eq!(waits.answer().await, Some(None));
        assert_eq!(last.answer().await, Some(Some(2)));
        actor.end().await;
    }

    #[tokio::test]
    async fn more_requests_than_may_wait_are_refused() {
        let actor = counting();
        let waits = actor.ask(true).expect("taken");
        let mut sent = Vec::new();
        let refused = loop {
            match actor.ask(false) {
                Ok(pending) => sent.push(pending),
                Err(refused) => break refused,
            }
        };
        assert_eq!(refused, Untaken::Busy);
        // The first request may still wait too.
        assert!((WAITING - 1..=WAITING).contains(&sent.len()), "{}", sent.len());
        waits.cancel();
        let last = sent.last_mut().expect("one").answer().await.flatten();
        assert_eq!(last.map(|n| n as usize), Some(sent.len()));
        actor.end().await;
    }
}
