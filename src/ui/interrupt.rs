//! Ctrl-C and SIGTERM end the run, not the process: what was launched must end first.

use crate::session::Interrupt;
use tokio::sync::watch::Sender;

/// An interrupt that SIGINT, SIGTERM and SIGHUP set. A second signal ends the process at once. From the
/// return on no signal is missed.
///
/// A thread of its own listens, so that the second signal counts even while the session computes.
///
/// # Errors
/// The system gives no thread or no signals.
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

/// A file that gets longer than the process may write (`ulimit -f`) is an error of what writes it, and does
/// not end the process. To be called inside of a runtime.
pub fn survive_full_files() {
    let kind = tokio::signal::unix::SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    // Where the system refuses, it stays as it was. Once set, the handler stays, and what is launched does
    // not inherit it.
    drop(tokio::signal::unix::signal(kind));
}

/// What a signal asks of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Ctrl-C: the run is to end.
    EndRun,
    /// The process is to end.
    EndAll,
}

/// The signals as they come, for a session that outlives them. To be made inside a runtime.
pub struct Hearing(Signals);

impl Hearing {
    /// From here on no signal ends the process.
    ///
    /// # Errors
    /// The system gives no signals.
    pub fn new() -> std::io::Result<Hearing> {
        Ok(Hearing(Signals::new()?))
    }

    /// The next. Cancel-safe.
    pub async fn next(&mut self) -> Asked {
        self.0.next().await
    }
}

/// What comes of some work, which a signal asks to stop and which ends in its own time.
pub async fn stopped_by<T>(hearing: &mut Hearing, stop: &Sender<bool>, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            _ = hearing.next() => drop(stop.send(true)),
        }
    }
}

fn set(sender: &Sender<bool>) {
    // It fails when nobody listens any more: the command has its result already.
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

    async fn next(&mut self) -> Asked {
        let Signals([interrupt, terminate, hang_up]) = self;
        tokio::select! {
            _ = interrupt.recv() => Asked::EndRun,
            _ = terminate.recv() => Asked::EndAll,
            _ = hang_up.recv() => Asked::EndAll,
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

    async fn next(&mut self) -> Asked {
        self.0.recv().await;
        Asked::EndRun
    }
}
