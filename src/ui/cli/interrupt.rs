//! Ctrl-C and SIGTERM end the run, not the process: what was launched must end first.

use crate::session::Interrupt;
use tokio::signal;

/// An interrupt that SIGINT, SIGTERM and SIGHUP set. A second signal ends the process at once.
pub fn on_signals() -> Interrupt {
    let (sender, interrupt) = Interrupt::new();
    tokio::spawn(async move {
        let mut before = false;
        loop {
            if wait().await.is_err() {
                // Signals cannot be had: the default action stays, which ends the process.
                return std::future::pending().await;
            }
            if before {
                std::process::exit(130);
            }
            before = true;
            // It fails when nobody listens any more: the command has its result already.
            if sender.send(true).is_err() {
                return;
            }
        }
    });
    interrupt
}

#[cfg(unix)]
async fn wait() -> std::io::Result<()> {
    use signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::select! {
        pressed = signal::ctrl_c() => pressed,
        _ = terminate.recv() => Ok(()),
        _ = hang_up.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn wait() -> std::io::Result<()> {
    signal::ctrl_c().await
}
