//! Ctrl-C and SIGTERM end the run, not the process: the debuggee must end first.

use crate::session::Interrupt;
use tokio::sync::watch::Sender;

/// Returns an interrupt that SIGINT, SIGTERM and SIGHUP set. A second signal ends the process at once. No
/// signal is missed after the return.
///
/// A separate thread listens, so that a second signal works even while the session computes.
///
/// # Errors
/// The system starts no thread or delivers no signals.
pub fn on_signals() -> std::io::Result<Interrupt> {
    let (sender, interrupt) = Interrupt::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::new()?
    };
    let listen = move || {
        runtime.block_on(async {
            signals.next().await;
            set(&sender);
            signals.next().await;
        });
        std::process::exit(130);
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
    Ok(interrupt)
}

/// Turns SIGXFSZ into a write error: a file that exceeds the limit (`ulimit -f`) does not end the process.
/// Call it inside a runtime.
pub fn survive_full_files() {
    let kind = tokio::signal::unix::SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    // If the system refuses, nothing changes. Once set, the handler stays, and child processes do not inherit
    // it.
    drop(tokio::signal::unix::signal(kind));
}

/// The request that a signal makes to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalRequest {
    /// Ctrl-C: end the run.
    EndRun,
    /// End the process.
    EndAll,
}

/// A stream of signals, for a session that outlives them. Create it inside a runtime.
pub struct Hearing(Signals);

impl Hearing {
    /// Starts to listen. From here on no signal ends the process.
    ///
    /// # Errors
    /// The system delivers no signals.
    pub fn new() -> std::io::Result<Hearing> {
        Ok(Hearing(Signals::new()?))
    }

    /// The next signal. Cancel-safe.
    pub async fn next(&mut self) -> SignalRequest {
        self.0.next().await
    }
}

/// Runs some work to its end. Each signal asks it to stop.
pub async fn stopped_by<T>(hearing: &mut Hearing, stop: &Sender<bool>, work: impl Future<Output = T>) -> T {
    let mut work = Box::pin(work);
    loop {
        tokio::select! {
            // Work that is done at once takes no signal from whoever listens next.
            biased;
            done = &mut work => return done,
            _ = hearing.next() => drop(stop.send(true)),
        }
    }
}

fn set(sender: &Sender<bool>) {
    // Sending fails when nobody listens any more: the command already has its result.
    let _ = sender.send(true);
}

#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let wanted = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hang_up] = wanted.map(signal);
        Ok(Signals([interrupt?, terminate?, hang_up?]))
    }

    async fn next(&mut self) -> SignalRequest {
        let Signals([interrupt, terminate, hang_up]) = self;
        tokio::select! {
            _ = interrupt.recv() => SignalRequest::EndRun,
            _ = terminate.recv() => SignalRequest::EndAll,
            _ = hang_up.recv() => SignalRequest::EndAll,
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals(tokio::signal::windows::ctrl_c()?))
    }

    async fn next(&mut self) -> SignalRequest {
        self.0.recv().await;
        SignalRequest::EndRun
    }
}
