//! `record`: records the program of the page, unless there is a recording.

use super::bench::Start;
use super::board::{KnownRecording, RecordingState};
use super::{Bench, Request, Works};
use chain::{Chain, RecordedLevel};
use command::CommandError;
use command::program::own_stdin;
use recorded::{RecordOptions, RecordedTrace};
use serde::Deserialize;
use session::{Context, SessionError};
use std::path::Path;
use std::time::Duration;
use trace::Level;

/// How often the pages load again what was recorded while the program runs.
const AGAIN: Duration = Duration::from_secs(2);

/// Arguments of `record`.
#[derive(Debug, Deserialize)]
pub struct RecordProgram {}

impl Request for RecordProgram {
    type Reply = ();

    const NAME: &'static str = "record";
}

impl Works for RecordProgram {
    async fn work(self, bench: &mut Bench, context: &Context) -> Result<(), CommandError> {
        match &bench.start {
            Start::Recording(_) => Ok(()),
            Start::Program(command) => {
                let name = bench.args.test.test.clone().unwrap_or_else(|| command.join(" "));
                let chain = bench.program(command);
                let level = bench.args.level.into();
                bench.record(&chain, &name, level, context).await
            }
            Start::Chain(file, chain) => {
                let (name, chain) = (file.display().to_string(), (**chain).clone());
                let level = match chain.level {
                    RecordedLevel::Calls => Level::Calls,
                    RecordedLevel::Writes => Level::Writes,
                    RecordedLevel::All => Level::All,
                };
                bench.record(&chain, &name, level, context).await?;
                bench.find_points(context).await
            }
            Start::Diagnosis(_) => Ok(()),
        }
    }
}

impl Bench {
    /// Waits for a recording. The pages load again what there is of it, about once a second.
    async fn telling<T>(&self, recording: impl Future<Output = T>) -> T {
        let mut recording = Box::pin(recording);
        loop {
            tokio::select! {
                recorded = &mut recording => return recorded,
                () = tokio::time::sleep(AGAIN) => self.board.changed(&["session", "timeline"]),
            }
        }
    }

    /// Runs and records a program.
    async fn record(
        &mut self,
        chain: &Chain,
        name: &str,
        level: Level,
        context: &Context,
    ) -> Result<(), CommandError> {
        let out = self.folder_for_recording()?;
        let folder = out.clone();
        let known = KnownRecording {
            name: name.to_owned(),
            folder: out.clone(),
            command: Some(chain.debuggee.command.clone()),
            state: RecordingState::Recording,
        };
        let at = {
            let mut shown = self.board.shown();
            shown.recordings.push(known);
            shown.recordings.len() - 1
        };
        self.board.changed(&["session"]);
        let stdin = if matches!(self.start, Start::Program(_)) { own_stdin()? } else { None };
        let options = RecordOptions {
            out,
            stdin,
            level,
            by_owner: self.args.scope.is_empty(),
            scope: self.args.scope.clone(),
            max_size: recorded::default_max_size(&chain.debuggee),
            memory: Bench::memory(),
            timeout_s: self.args.timeout,
            show_output: true,
            ..RecordOptions::default()
        };
        let recorded = self.telling(recorded::record(chain, &options, context)).await;
        let state = match &recorded {
            Ok(run) if run.recorded.bytes > 0 => RecordingState::Ready,
            Ok(_) => RecordingState::Failed("no call was recorded: `--scope` names the classes".to_owned()),
            // What was recorded before the user cancelled the run can be read.
            Err(SessionError::Interrupted) if has_calls(&folder).await => RecordingState::Ready,
            Err(error) => RecordingState::Failed(error.to_string()),
        };
        if let Some(known) = self.board.shown().recordings.get_mut(at) {
            known.state = state;
        }
        self.board.changed(&["session", "timeline"]);
        recorded?;
        Ok(())
    }
}

/// Whether a folder has a recording with calls.
async fn has_calls(folder: &Path) -> bool {
    let opened = RecordedTrace::open(folder, Bench::memory(), &Context::silent()).await;
    opened.is_ok_and(|trace| trace.calls.count() > 0)
}
