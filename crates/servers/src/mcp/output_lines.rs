//! Listens to what the program prints, and keeps the last lines.

use session::{Progress, Sink};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// Most lines that are kept.
const LINES: usize = 30;
/// Most characters of a line that are kept.
const WIDTH: usize = 300;

/// Passes progress on, and keeps the last lines that the program prints.
pub(super) struct OutputLines {
    inner: Rc<dyn Progress>,
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl OutputLines {
    /// Passes progress on to `inner`.
    pub fn new(inner: Rc<dyn Progress>) -> OutputLines {
        OutputLines { inner, lines: Arc::default() }
    }

    /// The last lines.
    pub fn last(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl Progress for OutputLines {
    fn building(&self) {
        self.inner.building();
    }

    fn run_started(&self, run: u32, why: Option<&str>) {
        self.inner.run_started(run, why);
    }

    fn sorted(&self, done: usize, of: usize) {
        self.inner.sorted(done, of);
    }

    fn sink(&self) -> Option<Sink> {
        let lines = self.lines.clone();
        Some(Arc::new(move |text: &str| {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            for line in text.lines() {
                if lines.len() == LINES {
                    lines.pop_front();
                }
                lines.push_back(line.chars().take(WIDTH).collect());
            }
        }))
    }

    fn tell(&self, text: &str) {
        self.inner.tell(text);
    }

    fn done(&self) {
        self.inner.done();
    }
}
