//! The progress line: on a terminal only, on standard error (DESIGN §7).

use super::out::complain;
use crate::session::{Consent, LogLine, Progress, Sink, Wanted};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

/// Width of a line of text, in columns.
const WIDTH: usize = 80;

/// The progress line.
pub struct Bar {
    bar: ProgressBar,
    run: Cell<u32>,
    /// The position of the current replay among several, as a prefix of messages.
    among: RefCell<String>,
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
        Bar {
            bar,
            run: Cell::new(0),
            among: RefCell::default(),
            trusts: false,
            prints: false,
            unread: Cell::new(false),
        }
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
        self.bar.set_message(format!("{}{message}", self.among.borrow()));
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }
}

impl Progress for Bar {
    fn building(&self) {
        self.say("building".to_owned());
    }

    fn tell(&self, text: &str) {
        let text = super::render::hanging(text, 0, WIDTH);
        self.bar.suspend(|| complain(format_args!("{}", text.trim_end())));
    }

    fn run_started(&self, run: u32, why: Option<&str>) {
        self.run.set(run);
        self.say(match why {
            Some(why) => format!("run {run} ({why})"),
            None => format!("run {run}"),
        });
    }

    fn watched(&self, events: u64, located: usize, points: usize) {
        let hits = if events == 1 { "1 hit".to_owned() } else { format!("{events} hits") };
        self.say(format!("run {}: {hits}, {located} of {points} points located", self.run.get()));
    }

    fn replayed(&self, done: u32, of: u32) {
        self.among.replace(format!("replay {} of {of}, ", done + 1));
    }

    fn sorted(&self, done: usize, of: usize) {
        self.say(format!("sorting the recording: {done} of {of} chunks"));
    }

    fn waiting(&self, calls: usize) {
        self.say(match calls {
            0 => "the program is running; none of its calls has ended yet".to_owned(),
            1 => "the program is running; no further question about its call yet (Ctrl-C ends it)".to_owned(),
            calls => {
                format!(
                    "the program is running; no further question about its {calls} calls yet (Ctrl-C ends it)"
                )
            }
        });
    }

    fn checked(&self, done: usize, of: usize) {
        self.say(format!("{done} of {of} chains checked"));
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

    fn sink(&self) -> Option<Sink> {
        let bar = self.bar.clone();
        Some(Arc::new(move |lines| bar.suspend(|| super::out::pass_on(lines))))
    }

    fn done(&self) {
        self.bar.finish_and_clear();
    }
}
