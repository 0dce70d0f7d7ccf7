//! The progress line: on a terminal only, on standard error (DESIGN §7).

use super::out::complain;
use super::progress_text::ProgressText;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use session::{Consent, LogLine, Progress, Sink, Wanted};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;
use trace::EventShares;

/// Width of a line of text, in columns.
const WIDTH: usize = 80;

/// The progress line.
pub struct Bar {
    bar: ProgressBar,
    text: ProgressText,
    /// Whether the user allows commands in files that this user's `qp` did not write.
    trusts: bool,
    /// Whether lines of log points are printed as they come.
    prints: bool,
    /// Whether the reader of standard output has gone.
    unread: Cell<bool>,
}

impl Bar {
    /// A line; it is visible if standard error is a terminal.
    pub fn new(terminal: bool) -> Bar {
        let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed:>4}") {
            bar.set_style(style);
        }
        Bar { bar, text: ProgressText::default(), trusts: false, prints: false, unread: Cell::new(false) }
    }

    /// The same, which prints lines of log points to standard output as they come, or does not.
    #[must_use]
    pub fn printing(self, prints: bool) -> Bar {
        Bar { prints, ..self }
    }

    /// The same, with the user's decision about commands in files from others.
    #[must_use]
    pub fn trusting(self, trusts: bool) -> Bar {
        Bar { trusts, ..self }
    }

    fn say(&self, message: String) {
        // Show a finished line again when work resumes.
        if self.bar.is_finished() {
            self.bar.reset();
        }
        self.bar.set_message(message);
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }
}

impl Progress for Bar {
    fn building(&self) {
        self.say(self.text.building());
    }

    fn tell(&self, text: &str) {
        let text = super::render::hanging(text, 0, WIDTH);
        self.bar.suspend(|| complain(format_args!("{}", text.trim_end())));
    }

    fn run_started(&self, run: u32, why: Option<&str>) {
        self.say(self.text.run_started(run, why));
    }

    fn watched(&self, events: u64, located: usize, points: usize) {
        self.say(self.text.watched(events, located, points));
    }

    fn replayed(&self, done: u32, of: u32) {
        self.text.replayed(done, of);
    }

    fn grown(&self, bytes: u64, each_second: u64, shares: Option<&EventShares>) {
        self.say(self.text.grown(bytes, each_second, shares));
    }

    fn sorted(&self, done: usize, of: usize) {
        self.say(self.text.sorted(done, of));
    }

    fn waiting(&self, calls: usize) {
        self.say(self.text.waiting(calls));
    }

    fn checked(&self, done: usize, of: usize) {
        self.say(self.text.checked(done, of));
    }

    fn logged(&self, line: &LogLine) -> bool {
        if self.prints {
            let text = super::render::log_line(line);
            self.unread.set(!self.bar.suspend(|| super::out::print_now(&text)));
        }
        self.prints
    }

    fn is_read(&self) -> bool {
        !self.unread.get()
    }

    fn consents(&self, wanted: &Wanted) -> Consent {
        if self.trusts { Consent::Once } else { self.bar.suspend(|| super::consent_prompt::ask(wanted)) }
    }

    fn chooses(&self, question: &str, choices: &[String]) -> Option<usize> {
        self.bar.suspend(|| super::consent_prompt::choose(question, choices))
    }

    fn sink(&self) -> Option<Sink> {
        let bar = self.bar.clone();
        Some(Arc::new(move |lines| bar.suspend(|| super::out::pass_on(lines))))
    }

    fn done(&self) {
        self.bar.finish_and_clear();
    }
}
