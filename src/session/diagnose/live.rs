//! A program that still runs is asked about already (VET §2): what it has recorded is read as far as it goes, and read anew when nothing more
//! can be asked of that, or the program has ended.

use super::{DiagnoseOptions, Diagnoser};
use crate::chain::Chain;
use crate::run::Interrupt;
use crate::session::error::SessionError;
use crate::session::progress::{Progress, Silent};
use crate::session::recorded::{RecordOptions, RecordedRun, RecordedTrace, record};
use crate::trace::TraceError;
use std::time::Duration;
use tokio::task::JoinHandle;

/// A program that ends within this time behind its first call that does is asked about as a whole.
const SHORT: Duration = Duration::from_millis(150);
/// How often it is looked whether there is more.
const LOOK: Duration = Duration::from_millis(50);
/// The same, once questions were asked: reading takes the longer the more there is.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// A run that is being recorded.
pub struct Live {
    run: Option<JoinHandle<Result<RecordedRun, SessionError>>>,
    stop: tokio::sync::watch::Sender<bool>,
    /// Nobody has read all of it yet.
    is_new: bool,
}

impl Live {
    /// Begins to record. To be called inside of a local set.
    fn begin(chain: Chain, options: RecordOptions) -> Live {
        let (stop, mut interrupt) = Interrupt::new();
        let run = async move { record(&chain, &options, &mut Silent, &mut interrupt).await };
        Live { run: Some(tokio::task::spawn_local(run)), stop, is_new: true }
    }

    /// Whether the program goes on.
    pub fn goes_on(&self) -> bool {
        self.run.as_ref().is_some_and(|run| !run.is_finished())
    }

    /// Ends the program, and waits until what it did is kept.
    async fn end(&mut self) -> Result<Option<RecordedRun>, SessionError> {
        // It fails where the run has ended by itself.
        let _ = self.stop.send(true);
        self.result().await
    }

    /// What became of the run, once.
    async fn result(&mut self) -> Result<Option<RecordedRun>, SessionError> {
        let Some(run) = self.run.take() else { return Ok(None) };
        match run.await {
            Ok(Ok(run)) => Ok(Some(run)),
            // That was asked for: what is complete is kept.
            Ok(Err(SessionError::Interrupted)) | Err(_) => Ok(None),
            Ok(Err(error)) => Err(error),
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(run) = &self.run {
            run.abort();
        }
    }
}

impl Diagnoser {
    /// Records a program, and begins to ask about it as soon as one of its calls has ended.
    ///
    /// # Errors
    /// The program cannot be launched, nothing of it is recorded, or it was interrupted before there was anything to ask.
    pub async fn while_it_runs(
        chain: Chain,
        recording: RecordOptions,
        options: DiagnoseOptions,
        progress: &mut dyn Progress,
        interrupt: &mut Interrupt,
    ) -> Result<Diagnoser, SessionError> {
        let (out, memory) = (recording.out.clone(), recording.memory);
        let mut live = Live::begin(chain, recording);
        let (mut waits, mut has_begun) = (LOOK, false);
        loop {
            tokio::select! {
                () = tokio::time::sleep(waits) => {}
                () = interrupt.wait() => {
                    drop(live.end().await);
                    return Err(SessionError::Interrupted);
                }
            }
            waits = LOOK;
            if !live.goes_on() {
                live.result().await?;
                live.is_new = false;
                let trace = RecordedTrace::open(&out, memory, progress, interrupt).await?;
                if trace.calls.count() == 0 {
                    return Err(SessionError::NothingRecorded);
                }
                return Diagnoser::new(trace, options);
            }
            match RecordedTrace::open(&out, memory, progress, interrupt).await {
                // Its folder is being made.
                Err(SessionError::Trace(TraceError::NoTrace(_))) => {}
                Err(SessionError::Trace(TraceError::File { source, .. }))
                    if source.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    drop(live.end().await);
                    return Err(error);
                }
                Ok(trace) => {
                    let mut found = Diagnoser::new(trace, options.clone())?;
                    let situation = found.diagnosis.situation();
                    let can_ask = !situation.outermost().is_empty();
                    if can_ask && has_begun {
                        found.live = Some(live);
                        return Ok(found);
                    }
                    if can_ask {
                        (has_begun, waits) = (true, SHORT);
                    }
                }
            }
        }
    }

    /// Whether the program goes on.
    pub fn goes_on(&self) -> bool {
        self.live.as_ref().is_some_and(Live::goes_on)
    }

    /// Ends the program if it goes on; what it has done is kept.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn end_run(
        &mut self,
        progress: &mut dyn Progress,
        interrupt: &mut Interrupt,
    ) -> Result<(), SessionError> {
        if let Some(live) = &mut self.live {
            live.end().await?;
            self.read_again(progress, interrupt).await?;
        }
        Ok(())
    }

    /// Reads what was recorded since, if the program has ended; or if nothing more can be asked, when there is more. Whether it has.
    pub(super) async fn catch_up(
        &mut self,
        is_stuck: bool,
        progress: &mut dyn Progress,
        interrupt: &mut Interrupt,
    ) -> Result<bool, SessionError> {
        let Some(live) = &mut self.live else { return Ok(false) };
        if !live.is_new || (live.goes_on() && !is_stuck) {
            return Ok(false);
        }
        if live.goes_on() {
            tokio::select! {
                () = tokio::time::sleep(LOOK_AGAIN) => {}
                () = interrupt.wait() => {
                    // Ctrl-C is meant for the program: what it has done until now is asked about.
                    live.end().await?;
                    let (_nobody, mut interrupt) = Interrupt::new();
                    self.read_again(progress, &mut interrupt).await?;
                    return Ok(true);
                }
            }
        }
        self.read_again(progress, interrupt).await?;
        Ok(true)
    }

    async fn read_again(
        &mut self,
        progress: &mut dyn Progress,
        interrupt: &mut Interrupt,
    ) -> Result<(), SessionError> {
        if let Some(live) = self.live.as_mut().filter(|live| !live.goes_on()) {
            live.result().await?;
            live.is_new = false;
        }
        let path = self.trace.folder.path().to_owned();
        let mut trace = RecordedTrace::open(&path, self.trace.memory, progress, interrupt).await?;
        let coverage = super::coverage(&mut trace, self.needs, self.fields.pool())?;
        let (old, new) = (&self.trace.calls, &trace.calls);
        let renumbered = |node: u32| {
            let thread = old.thread_number(node).unwrap_or(0);
            let ordinal = node.saturating_sub(old.of_thread(thread).start);
            new.of_thread(thread).start.saturating_add(ordinal)
        };
        self.diagnosis.grown(super::forest(new), coverage, renumbered);
        self.asked.iter_mut().for_each(|(node, _)| *node = renumbered(*node));
        self.unasked.iter_mut().for_each(|(node, _)| *node = renumbered(*node));
        self.trace = trace;
        self.fields.forget();
        if let Some(asserts) = &mut self.asserts {
            asserts.grown();
        }
        Ok(())
    }
}
