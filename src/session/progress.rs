//! How a session tells what it is doing while it does it.

/// Told of what goes on; a front end shows it or not.
pub trait Progress {
    /// The program is being built.
    fn building(&mut self) {}
    /// A run begins, counted from 1; `why` says what it is for, from the second on.
    fn run_started(&mut self, _run: u32, _why: Option<&str>) {}
    /// So many events were handled and so many points located in this run.
    fn watched(&mut self, _events: u64, _located: usize, _points: usize) {}
    /// A line of the program's output (`--show-output`).
    fn output(&mut self, _run: u32, _line: &str) {}
    /// Nothing more will be told.
    fn done(&mut self) {}
}

/// Tells nobody.
pub struct Silent;

impl Progress for Silent {}
