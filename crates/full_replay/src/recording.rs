//! The recording of a chain's program, for what is asked of a whole run.

use answer::Answer;
use chain::{Chain, RecordedLevel};
use files::TemporaryFolder;
use recorded::{MEMORY, RecordOptions, RecordedTrace, record};
use replay::Options;
use session::{Context, SessionError};
use std::path::PathBuf;
use trace::Level;

/// A recording, which is removed on drop.
pub(super) struct ChainRecording {
    command: Vec<String>,
    out: PathBuf,
    _work: TemporaryFolder,
}

impl ChainRecording {
    /// Runs and records the program. Adds to the answer what may be missing in the recording.
    ///
    /// # Errors
    /// The program cannot be launched or recorded.
    pub async fn of(
        answer: &mut Answer,
        chain: &Chain,
        options: &Options,
        context: &Context,
    ) -> Result<ChainRecording, SessionError> {
        let work = TemporaryFolder::new("querypoint-")
            .map_err(|error| SessionError::NotRecorded(format!("no temporary folder: {error}")))?;
        let out = work.path().join("trace");
        let record_options = RecordOptions {
            out: out.clone(),
            level: match chain.level {
                RecordedLevel::Calls => Level::Calls,
                RecordedLevel::Writes => Level::Writes,
                RecordedLevel::All => Level::All,
            },
            by_owner: true,
            memory: MEMORY,
            timeout_s: options.timeout_s,
            show_output: options.show_output,
            stdin: options.stdin.clone(),
            ..RecordOptions::default()
        };
        let run = record(chain, &record_options, context).await?;
        answer.runs += 1;
        if !run.whole {
            let text = format!("the recording of the run is not whole: it ended with {}", run.recorded.ended);
            answer.blind_spots.push(text);
        }
        answer
            .blind_spots
            .extend(run.recorded.missing.iter().map(|what| format!("missing in the recording: {what}")));
        answer.warnings.extend(answer.blind_spots.iter().filter(|_| !run.whole).cloned());
        Ok(ChainRecording { command: chain.debuggee.command.clone(), out, _work: work })
    }

    /// Opens it.
    ///
    /// # Errors
    /// It cannot be read, or the user interrupted the work.
    pub async fn open(&self, context: &Context) -> Result<RecordedTrace, SessionError> {
        Ok(RecordedTrace::open(&self.out, MEMORY, context).await?.of_command(&self.command))
    }
}
