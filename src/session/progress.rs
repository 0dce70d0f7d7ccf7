//! How a session tells what it is doing while it does it.

use super::consent::{Consent, Wanted};

/// Shows whole lines of the program's output, one or more, each with its line feed.
pub type Sink = std::sync::Arc<dyn Fn(&str) + Send + Sync>;

/// Told of what goes on; a front end shows it or not.
pub trait Progress {
    /// The program is being built.
    fn building(&self) {}
    /// A run begins, counted from 1; `why` says what it is for, from the second on.
    fn run_started(&self, _run: u32, _why: Option<&str>) {}
    /// So many events were handled and so many points located in this run.
    fn watched(&self, _events: u64, _located: usize, _points: usize) {}
    /// Of a recorded run, so many chunks of events were sorted.
    fn sorted(&self, _done: usize, _of: usize) {}
    /// Nothing can be asked about a program that goes on before more of its calls have ended than these:
    /// none, so far, where these are 0.
    fn waiting(&self, _calls: usize) {}
    /// So many of the replays have been made.
    fn replayed(&self, _done: u32, _of: u32) {}
    /// So many of these chains have been checked.
    fn checked(&self, _done: usize, _of: usize) {}
    /// Who shows the program's output, if anybody does. It is called from other threads.
    fn sink(&self) -> Option<Sink> {
        None
    }
    /// Asks whether what a file wants may be run.
    fn consents(&self, _wanted: &Wanted) -> Consent {
        Consent::Unasked
    }
    /// Nothing more will be told.
    fn done(&self) {}
}

/// Tells nobody.
pub struct Silent;

impl Progress for Silent {}
