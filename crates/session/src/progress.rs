//! Reports the progress of a session.

use crate::consent::{Consent, Wanted};
use serde::Serialize;
use trace::EventShares;

/// Receives whole lines of the program's output, one or more, each with its line feed.
pub type Sink = std::sync::Arc<dyn Fn(&str) + Send + Sync>;

/// A line of a log point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogLine {
    /// The name of the thread.
    pub thread: String,
    /// The text.
    pub text: String,
}

/// Receives progress; a front end may display it.
pub trait Progress {
    /// The program is being built.
    fn building(&self) {}
    /// A run begins. Runs are numbered from 1; from the second on, `why` gives the reason.
    fn run_started(&self, _run: u32, _why: Option<&str>) {}
    /// Numbers of handled events and located points in this run.
    fn watched(&self, _events: u64, _located: usize, _points: usize) {}
    /// A large recording grows: its size on disk, by how much each second, both in bytes, and what makes it
    /// large.
    fn grown(&self, _bytes: u64, _each_second: u64, _shares: Option<&EventShares>) {}
    /// Number of sorted event chunks of a recorded run.
    fn sorted(&self, _done: usize, _of: usize) {}
    /// Waits for the running program: `calls` calls have ended so far (0: none), too few to ask about.
    fn waiting(&self, _calls: usize) {}
    /// Number of finished replays.
    fn replayed(&self, _done: u32, _of: u32) {}
    /// Number of checked chains.
    fn checked(&self, _done: usize, _of: usize) {}
    /// Displays the program's output, if the front end does so. It is called from other threads.
    fn sink(&self) -> Option<Sink> {
        None
    }
    /// A line of a log point, which a front end may show at once. Returns whether it has.
    fn logged(&self, _line: &LogLine) -> bool {
        false
    }
    /// Whether somebody reads what is shown at once.
    fn is_read(&self) -> bool {
        true
    }
    /// Asks whether the commands of a file may run.
    fn consents(&self, _wanted: &Wanted) -> Consent {
        Consent::Unasked
    }
    /// Asks the user to choose one of several; `None` if nobody is there or nothing was chosen.
    fn chooses(&self, _question: &str, _choices: &[String]) -> Option<usize> {
        None
    }
    /// Tells the user something before the work goes on.
    fn tell(&self, _text: &str) {}
    /// No further progress will be reported.
    fn done(&self) {}
}

/// Ignores all progress.
pub struct Silent;

impl Progress for Silent {}
