//! VMs of a command that were let go since they lack a class that is asked about.

use super::observer::{LacksClass, ObserverError};
use platform::processes;
use std::time::Duration;

/// How long a VM that lacks a class may run on before it counts as the only one of the command.
const ALONE: Duration = Duration::from_secs(10);

/// A VM that was let go since it lacks a class that is asked about.
pub struct LackingVm {
    /// Its process, if it is known.
    process: Option<u32>,
    /// What it lacks.
    pub refusal: ObserverError,
}

impl LackingVm {
    /// The VM of a process, with the [`LacksClass`] that says so.
    pub fn new(process: Option<u32>, error: ObserverError) -> LackingVm {
        LackingVm { process, refusal: what_lacks(error) }
    }

    /// Waits until the VM has been running for so long that no other is expected. A launcher's VM ends soon,
    /// and then the command's end decides.
    async fn is_alone(&self) {
        tokio::time::sleep(ALONE).await;
        if !lives(self.process) {
            std::future::pending::<()>().await;
        }
    }
}

/// The error that a [`LacksClass`] holds, or the error itself.
pub fn what_lacks(error: ObserverError) -> ObserverError {
    match error.downcast::<LacksClass>() {
        Ok(lacks) => lacks.0,
        Err(error) => error,
    }
}

/// Waits as [`LackingVm::is_alone`]; for ever without such a VM.
pub async fn alone(lacking: Option<&LackingVm>) {
    match lacking {
        Some(lacking) => lacking.is_alone().await,
        None => std::future::pending().await,
    }
}

/// Whether a process still runs; true if that is not known.
pub fn lives(process: Option<u32>) -> bool {
    let Some(process) = process.filter(|_| processes::are_known()) else { return true };
    processes::stat(process).is_some_and(|stat| !stat.dead)
}
