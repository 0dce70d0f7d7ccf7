//! What a pinned run reads in place of what differs from run to run.

use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The name of the file in the folder that the agent is given.
const FILE: &str = "pins";

/// The process id that a pinned program reads: any number does.
const PID: u32 = 1000;

/// What a pinned run reads. Runs with the same pins read the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The time at which the program begins, in milliseconds since 1970 in UTC. From there the clock goes on.
    pub clock_ms: i64,
    /// The process id that the program reads as its own.
    pub pid: u32,
}

impl Pins {
    /// Pins whose clock begins now.
    pub fn from_now() -> Pins {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Pins { seed: 1, clock_ms: i64::try_from(since.as_millis()).unwrap_or(i64::MAX), pid: PID }
    }

    /// Writes them into the folder of an agent that does not run yet.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::write(folder.join(FILE), serde_json::to_vec(self)?)
    }

    /// Reads those in the folder of an agent; `None` if there are none.
    pub fn read(folder: &Path) -> Option<Pins> {
        serde_json::from_slice(&std::fs::read(folder.join(FILE)).ok()?).ok()
    }
}
