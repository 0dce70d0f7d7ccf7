//! What the two sessions of a page show each other: the recordings, the causes that were asked for, the runs
//! of a chain, and what is known of calls.

use super::replay_shown::ReplayShown;
use past::{CauseShown, EventRef};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;
use trace::EventPosition;

/// Maximum number of notices that a page may be behind.
const BEHIND: usize = 1024;
/// Maximum number of causes, and of queries, that are kept.
const ASKED: usize = 200;

/// Something that the pages should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// What the server is doing from now on; empty when it waits.
    Doing(String),
    /// Lines that the program printed.
    Output(String),
    /// A remark for the user.
    Said(String),
    /// The reply to this request has changed.
    Changed(&'static str),
}

/// A recording of the page.
#[derive(Clone, Debug)]
pub struct KnownRecording {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The whole command, if this process runs it.
    pub command: Option<Vec<String>>,
    /// Whether it is complete; an error if it failed.
    pub state: RecordingState,
}

/// How far a recording is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingState {
    /// The program runs.
    Recording,
    /// It can be read.
    Ready,
    /// There is none, for this reason.
    Failed(String),
}

/// A cause that was asked for.
#[derive(Clone, Debug)]
pub struct AskedCause {
    /// Its number, from 1.
    pub number: usize,
    /// The recording.
    pub trace: usize,
    /// The event that was asked about.
    pub effect: EventRef,
    /// The question.
    pub question: String,
    /// The cause.
    pub cause: CauseShown,
}

/// A jump at which an operation was lost.
#[derive(Clone, Copy, Debug)]
pub struct Balloon {
    /// The number of the suggestion, from 1.
    pub number: usize,
    /// The call, by the number that is shown.
    pub call: u32,
    /// The jump.
    pub at: EventPosition,
}

/// What is on the board.
#[derive(Default)]
pub struct Shown {
    /// The recordings.
    pub recordings: Vec<KnownRecording>,
    /// The causes that were asked for, the oldest first.
    pub asked: Vec<AskedCause>,
    /// The runs of the chain, the oldest first.
    pub replays: Vec<ReplayShown>,
    /// Whether there is a chain.
    pub has_chain: bool,
    /// The verdicts about calls, in words.
    pub verdicts: BTreeMap<u32, &'static str>,
    /// The jumps at which operations were lost.
    pub balloons: Vec<Balloon>,
    /// What the server is doing; empty when it waits.
    pub doing: String,
    /// The queries that were asked, the oldest first, each once.
    pub queries: Vec<String>,
    /// Number of causes that were asked for.
    asked_ever: usize,
}

/// The board. It is cheap to clone.
#[derive(Clone)]
pub struct Board {
    shown: Arc<Mutex<Shown>>,
    notices: broadcast::Sender<Notice>,
}

impl Default for Board {
    fn default() -> Board {
        Board { shown: Arc::default(), notices: broadcast::Sender::new(BEHIND) }
    }
}

impl Board {
    /// What is on it. Hold it shortly.
    pub fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the pages something.
    pub fn tell(&self, notice: Notice) {
        // Without a page, nobody needs it.
        let _ = self.notices.send(notice);
    }

    /// Tells the pages what the server is doing from now on.
    pub fn set_doing(&self, text: String) {
        self.shown().doing.clone_from(&text);
        self.tell(Notice::Doing(text));
    }

    /// Tells the pages that the replies to these requests have changed.
    pub fn changed(&self, names: &[&'static str]) {
        names.iter().for_each(|name| self.tell(Notice::Changed(name)));
    }

    /// The notices from now on.
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    /// Whether a program is being recorded.
    pub fn is_recording(&self) -> bool {
        self.shown().recordings.iter().any(|known| known.state == RecordingState::Recording)
    }

    /// Notes that the program of a recording has ended.
    pub fn is_recorded(&self, trace: usize) {
        if let Some(known) = self.shown().recordings.get_mut(trace) {
            known.state = RecordingState::Ready;
        }
        self.changed(&["session"]);
    }

    /// Adds a query that was asked.
    pub fn add_query(&self, line: &str) {
        let queries = &mut self.shown().queries;
        queries.retain(|asked| asked != line);
        queries.push(line.to_owned());
        let old = queries.len().saturating_sub(ASKED);
        queries.drain(..old);
    }

    /// Adds a cause, and returns its number. Forgets the oldest one if there are too many.
    pub fn add_cause(&self, trace: usize, effect: EventRef, question: String, cause: CauseShown) -> usize {
        let mut shown = self.shown();
        shown.asked_ever += 1;
        let number = shown.asked_ever;
        shown.asked.push(AskedCause { number, trace, effect, question, cause });
        if shown.asked.len() > ASKED {
            shown.asked.remove(0);
        }
        number
    }
}

impl Shown {
    /// Number of balloons of a call, and of the calls below it. `end` is the last of these.
    pub fn balloons_of(&self, call: u32, end: u32) -> (usize, usize) {
        let own = self.balloons.iter().filter(|balloon| balloon.call == call).count();
        let below = self.balloons.iter().filter(|balloon| (call + 1..=end).contains(&balloon.call)).count();
        (own, below)
    }
}
