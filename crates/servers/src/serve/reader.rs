//! Reads recordings for the page.

use super::board::{Board, KnownRecording, RecordingState};
use super::{MEMORY, usage};
use chain::SourcePaths;
use command::CommandError;
use recorded::RecordedTrace;
use session::Context;
use std::time::{Duration, Instant};

/// How often a recording is opened again while the program runs.
const AGAIN: Duration = Duration::from_secs(1);

/// The open recording.
struct Open {
    trace: usize,
    recording: RecordedTrace,
    /// When it was opened, if the program still ran.
    growing: Option<Instant>,
}

/// Reads recordings.
pub struct Reader {
    /// What is shown.
    pub board: Board,
    sources: SourcePaths,
    open: Option<Open>,
}

impl Reader {
    /// A reader that looks for sources in these folders too.
    pub fn new(board: Board, sources: SourcePaths) -> Reader {
        Reader { board, sources, open: None }
    }

    /// A recording.
    ///
    /// # Errors
    /// There is no such recording, or it cannot be read.
    pub async fn recording(
        &mut self,
        trace: usize,
        context: &Context,
    ) -> Result<&mut RecordedTrace, CommandError> {
        let Some(known) = self.board.shown().recordings.get(trace).cloned() else {
            return usage(format!("there is no recording {trace}"));
        };
        if let RecordingState::Failed(why) = &known.state {
            return usage(format!("there is no recording: {why}"));
        }
        let is_growing = known.state == RecordingState::Recording;
        let is_fresh = |open: &Open| match open.growing {
            Some(since) => is_growing && since.elapsed() < AGAIN,
            None => true,
        };
        let open = match self.open.take().filter(|open| open.trace == trace && is_fresh(open)) {
            Some(open) => open,
            None => {
                let opened = opened(&known, context).await?;
                if is_growing && opened.about.recorded.is_some() {
                    self.board.is_recorded(trace);
                }
                let recording = opened.with_code(&self.sources);
                Open { trace, recording, growing: is_growing.then(Instant::now) }
            }
        };
        Ok(&mut self.open.insert(open).recording)
    }
}

/// Opens a recording.
///
/// # Errors
/// It cannot be read, or the user interrupted.
pub async fn opened(known: &KnownRecording, context: &Context) -> Result<RecordedTrace, CommandError> {
    let trace = RecordedTrace::open(&known.folder, MEMORY, context).await?;
    Ok(match &known.command {
        Some(command) => trace.of_command(command),
        None => trace,
    })
}
