//! The words for what a session is doing, for every front end.

use std::cell::{Cell, RefCell};
use trace::EventShares;

/// Puts a session's progress into words. Each function returns the text to show from now on.
#[derive(Default)]
pub struct ProgressText {
    run: Cell<u32>,
    /// The position of the current replay among several, as a prefix of texts.
    among: RefCell<String>,
}

impl ProgressText {
    /// As `Progress::building`.
    pub fn building(&self) -> String {
        self.among("building".to_owned())
    }

    /// As `Progress::run_started`.
    pub fn run_started(&self, run: u32, why: Option<&str>) -> String {
        self.run.set(run);
        self.among(match why {
            Some(why) => format!("run {run} ({why})"),
            None => format!("run {run}"),
        })
    }

    /// As `Progress::watched`.
    pub fn watched(&self, events: u64, located: usize, points: usize) -> String {
        let hits = if events == 1 { "1 hit".to_owned() } else { format!("{events} hits") };
        self.among(format!("run {}: {hits}, {located} of {points} points located", self.run.get()))
    }

    /// As `Progress::replayed`. There is nothing new to show.
    pub fn replayed(&self, done: u32, of: u32) {
        self.among.replace(format!("replay {} of {of}, ", done + 1));
    }

    /// As `Progress::grown`.
    pub fn grown(&self, bytes: u64, each_second: u64, shares: Option<&EventShares>) -> String {
        self.among(format!("run {}: {}", self.run.get(), super::render::grown(bytes, each_second, shares)))
    }

    /// As `Progress::sorted`.
    pub fn sorted(&self, done: usize, of: usize) -> String {
        self.among(format!("sorting the recording: {done} of {of} chunks"))
    }

    /// As `Progress::waiting`.
    pub fn waiting(&self, calls: usize) -> String {
        self.among(match calls {
            0 => "the program is running; none of its calls has ended yet".to_owned(),
            1 => "the program is running; no further question about its call yet (Ctrl-C ends it)".to_owned(),
            calls => {
                format!(
                    "the program is running; no further question about its {calls} calls yet (Ctrl-C ends it)"
                )
            }
        })
    }

    /// As `Progress::checked`.
    pub fn checked(&self, done: usize, of: usize) -> String {
        self.among(format!("{done} of {of} chains checked"))
    }

    fn among(&self, text: String) -> String {
        format!("{}{text}", self.among.borrow())
    }
}
