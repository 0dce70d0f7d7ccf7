//! Asks about a program while it still runs (VET §2). The recording is read as far as it is written. It is
//! read again when no question is left in it, or when the program has ended.

use super::{DiagnoseOptions, Diagnoser};
use chain::Chain;
use classes::is_of_harness;
use recorded::{RecordOptions, RecordedRun, RecordedTrace, record};
use session::{Context, SessionError};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use trace::{Exit, Folder, TraceError};

/// Wait this long after a call can be asked about. If the program ends meanwhile, the first question sees the
/// whole run.
const SHORT: Duration = Duration::from_millis(150);
/// Wait at most this long for the end of a program whose main thread an exception has left. The failure
/// answers the first question.
const ENDING: Duration = Duration::from_secs(2);
/// Interval between checks for new events.
const LOOK: Duration = Duration::from_millis(50);
/// The same interval after the first question. It is longer, since reading takes longer the more there is.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Build tools that run tests.
const BUILD_TOOLS: [&str; 7] = ["mvn", "mvnw", "mvnd", "gradle", "gradlew", "ant", "sbt"];

/// Whether a command runs tests: it names a class of a test framework, or is a build tool.
fn runs_tests(command: &[String]) -> bool {
    let program = command.first().and_then(|program| Path::new(program).file_name());
    let is_tool = program.is_some_and(|program| BUILD_TOOLS.iter().any(|tool| *tool == program));
    is_tool || command.iter().any(|word| is_of_harness(word))
}

/// Size of events in bytes up to which a recording is read once more before the first question.
const SMALL: u64 = 1 << 20;

/// [`SHORT`], as far as the program gets a CPU: longer if more threads of the system run than it has CPUs.
fn short() -> Duration {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let running = platform::resources::running_threads();
    let share = running.unwrap_or(1).div_ceil(cpus).max(1);
    SHORT.saturating_mul(u32::try_from(share).unwrap_or(u32::MAX)).min(ENDING)
}

/// Whether an exception has left the main thread, as far as the run is recorded. A large recording is not
/// read for that: the first question would come later.
async fn main_threw(out: &Path, memory: usize, context: &Context) -> bool {
    let events = Folder::open(out).ok().and_then(|(folder, _)| std::fs::metadata(folder.events()).ok());
    if events.is_none_or(|events| events.len() > SMALL) {
        return false;
    }
    let trace = RecordedTrace::open(out, memory, &context.without_progress()).await;
    trace.is_ok_and(|trace| {
        let calls = &trace.calls;
        let main = calls.threads().into_iter().find(|(thread, ..)| &*calls.identity(*thread).name == "main");
        let last = main.and_then(|(thread, ..)| calls.roots(thread).last().copied());
        last.is_some_and(|root| calls.exit(root) == Exit::Threw)
    })
}

/// A run that is being recorded.
pub struct Live {
    run: Option<JoinHandle<Result<RecordedRun, SessionError>>>,
    command: Vec<String>,
    stop: tokio::sync::watch::Sender<bool>,
    /// Whether the complete recording has not been read yet.
    is_new: bool,
}

impl Live {
    /// Starts recording. Must be called inside a `LocalSet`.
    fn begin(chain: Chain, options: RecordOptions) -> Live {
        let (stop, context) = Context::silent().renewed();
        let command = chain.debuggee.command.clone();
        let run = async move { record(&chain, &options, &context).await };
        Live { run: Some(tokio::task::spawn_local(run)), command, stop, is_new: true }
    }

    /// Whether the program still runs.
    pub fn goes_on(&self) -> bool {
        self.run.as_ref().is_some_and(|run| !run.is_finished())
    }

    /// Ends the program, and waits until its events are stored.
    async fn end(&mut self) -> Result<Option<RecordedRun>, SessionError> {
        // Sending fails if the run has ended by itself.
        let _ = self.stop.send(true);
        self.result().await
    }

    /// The outcome of the run; `None` if it was interrupted, or taken before.
    async fn result(&mut self) -> Result<Option<RecordedRun>, SessionError> {
        let Some(run) = self.run.take() else { return Ok(None) };
        match run.await {
            Ok(Ok(run)) => Ok(Some(run)),
            // The interruption was requested. The complete events are stored.
            Ok(Err(SessionError::Interrupted)) | Err(_) => Ok(None),
            Ok(Err(error)) => Err(error),
        }
    }

    /// Opens the recording of a run that has ended.
    async fn whole(
        &mut self,
        out: &Path,
        memory: usize,
        context: &Context,
    ) -> Result<RecordedTrace, SessionError> {
        let run = self.result().await?;
        self.is_new = false;
        let trace = RecordedTrace::open(out, memory, context).await?;
        let trace = trace.of_command(&self.command);
        if trace.calls.count() > 0 {
            return Ok(trace);
        }
        let (ended, output, missing) = run.map_or_else(
            || ("an interruption".to_owned(), None, Vec::new()),
            |run| (run.recorded.ended, run.output, run.recorded.missing),
        );
        let why = match missing.is_empty() {
            true => "no method of the classes that --scope and --trust select was called".to_owned(),
            false => missing.join("; "),
        };
        Err(SessionError::NothingRecorded { why, ended, output })
    }
}

/// Whether the recorder has not finished creating the folder.
fn is_unfinished(error: &SessionError) -> bool {
    match error {
        SessionError::Trace(TraceError::NoRecording(_)) => true,
        SessionError::Trace(TraceError::File { source, .. }) => source.kind() == std::io::ErrorKind::NotFound,
        _ => false,
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
    /// Records a program, and starts asking as soon as one of its calls has ended. A test is recorded to its
    /// end first, since its failure answers the first question. So is any program if `to_its_end`, or if the
    /// options name a call: only the whole recording has the numbers of all calls.
    ///
    /// # Errors
    /// The program cannot be launched, nothing was recorded, or the user interrupted it before the first
    /// question.
    pub async fn while_it_runs(
        chain: Chain,
        recording: RecordOptions,
        options: DiagnoseOptions,
        to_its_end: bool,
        context: &Context,
    ) -> Result<Diagnoser, SessionError> {
        let (out, memory) = (recording.out.clone(), recording.memory);
        let to_its_end = to_its_end || options.node.is_some() || runs_tests(&chain.debuggee.command);
        let mut live = Live::begin(chain, recording);
        // The diagnosis of what could be asked first, and the time when it was opened.
        let mut begun: Option<(Instant, Diagnoser)> = None;
        let mut first: Option<Instant> = None;
        // Since when only class initialisers could be asked about.
        let mut initialised: Option<Instant> = None;
        loop {
            context.progress().waiting(0);
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = context.interrupted() => {
                    drop(live.end().await);
                    return Err(SessionError::Interrupted);
                }
            }
            if !live.goes_on() {
                let trace = live.whole(&out, memory, context).await?;
                return Diagnoser::new(trace, options);
            }
            if let Some((since, mut found)) = begun.take() {
                let waits = since.elapsed() < short();
                let is_late = first.get_or_insert(since).elapsed() >= ENDING;
                // The program can end while its events are read.
                let ends = !waits && !is_late && main_threw(&out, memory, context).await || !live.goes_on();
                if ends {
                    begun = Some((Instant::now(), found));
                    continue;
                }
                if !waits {
                    context.progress().done();
                    found.live = Some(live);
                    return Ok(found);
                }
                begun = Some((since, found));
                continue;
            }
            if to_its_end {
                continue;
            }
            match RecordedTrace::open(&out, memory, &context.without_progress()).await {
                Err(error) if is_unfinished(&error) => {}
                Err(error) => {
                    drop(live.end().await);
                    return Err(error);
                }
                Ok(trace) => {
                    let trace = trace.of_command(&live.command);
                    let found = Diagnoser::new(trace, options.clone())?;
                    let can_ask = found.can_ask_early(&mut initialised);
                    begun = can_ask.then(|| (Instant::now(), found));
                }
            }
        }
    }

    /// Whether there is something to ask while the program runs. `initialised` is since when only class
    /// initialisers could be asked about.
    fn can_ask_early(&self, initialised: &mut Option<Instant>) -> bool {
        let situation = self.diagnosis.situation();
        // A program that has only initialised a class can fail at once, or run on for long.
        situation.outermost_in_turn().any(|node| !self.is_initialiser(node))
            || situation.outermost_in_turn().next().is_some()
                && initialised.get_or_insert_with(Instant::now).elapsed() >= ENDING
    }

    /// Whether a node is a call of a class initialiser.
    fn is_initialiser(&self, node: u32) -> bool {
        self.trace.calls.method(self.nodes.call(node)).is_some_and(|method| method.name == "<clinit>")
    }

    /// Whether the program still runs.
    pub fn goes_on(&self) -> bool {
        self.live.as_ref().is_some_and(Live::goes_on)
    }

    /// Ends the program if it still runs, and reads all its events.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub async fn end_run(&mut self, context: &Context) -> Result<(), SessionError> {
        if let Some(live) = &mut self.live {
            live.end().await?;
            self.read_again(context).await?;
        }
        Ok(())
    }

    /// Reads the events recorded since the last reading: if the program has ended, or if it still runs and no
    /// question is left (`is_stuck`). Returns whether it has read.
    pub(super) async fn catch_up(&mut self, is_stuck: bool, context: &Context) -> Result<bool, SessionError> {
        let Some(live) = &mut self.live else { return Ok(false) };
        if !live.is_new || (live.goes_on() && !is_stuck) {
            return Ok(false);
        }
        if live.goes_on() {
            context.progress().waiting(self.trace.calls.count());
            tokio::select! {
                () = tokio::time::sleep(LOOK_AGAIN) => {}
                () = context.interrupted() => {
                    // Ctrl-C is meant for the program: the diagnosis goes on with the events recorded until
                    // now.
                    live.end().await?;
                    let (_nobody, context) = context.renewed();
                    self.read_again(&context).await?;
                    return Ok(true);
                }
            }
        }
        self.read_again(context).await?;
        Ok(true)
    }

    /// Waits for the end of the program, at most for a time, and reads all its events. Returns whether it has
    /// ended.
    pub(super) async fn wait_for_end(
        &mut self,
        limit: Duration,
        context: &Context,
    ) -> Result<bool, SessionError> {
        let until = Instant::now() + limit;
        while self.goes_on() {
            context.progress().waiting(self.trace.calls.count());
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                // Ctrl-C is meant for the program.
                () = context.interrupted() => return Ok(false),
            }
            if Instant::now() > until {
                return Ok(false);
            }
        }
        self.catch_up(false, context).await?;
        Ok(true)
    }

    async fn read_again(&mut self, context: &Context) -> Result<(), SessionError> {
        if let Some(live) = self.live.as_mut().filter(|live| !live.goes_on()) {
            live.result().await?;
            live.is_new = false;
        }
        let path = self.trace.folder.path().to_owned();
        let mut trace = RecordedTrace::open(&path, self.trace.memory, context).await?;
        if let Some(live) = &self.live {
            trace = trace.of_command(&live.command);
        }
        // The first reading has added the notes about loops already.
        let pool = self.fields.pool();
        let (forest, nodes) =
            super::tree::shape::trees(&mut trace, self.options.loops, pool, &mut Vec::new())?;
        let coverage = super::tree::shape::coverage(&mut trace, &nodes, self.needs, pool, &self.passing)?;
        let generated = super::generated::methods(&trace.calls, pool);
        let (old, new) = (&self.trace.calls, &trace.calls);
        let call = |node: u32| {
            let thread = old.thread_number(node).unwrap_or(0);
            let ordinal = node.saturating_sub(old.of_thread(thread).start);
            new.of_thread(thread).start.saturating_add(ordinal)
        };
        let parts = nodes.of_parts();
        let renumbered = |node: u32| {
            let now = call(self.nodes.call(node));
            match self.nodes.part(node) {
                None => nodes.of_call(now),
                Some(part) => {
                    let known = parts.get(&(now, part.execution, part.iteration));
                    known.copied().unwrap_or(u32::MAX)
                }
            }
        };
        self.diagnosis.grown(forest, coverage, renumbered);
        self.diagnosis.trust(&generated);
        if !self.options.suspects_tests {
            self.diagnosis.postpone(super::test_methods::of_tests(&trace.calls, pool));
        }
        self.found = self.found.map(renumbered);
        self.failure.taken = self.failure.taken.map(renumbered);
        self.asked.iter_mut().for_each(|(node, _)| *node = renumbered(*node));
        self.by_assertion.iter_mut().for_each(|node| *node = renumbered(*node));
        self.unasked.iter_mut().for_each(|(node, _)| *node = renumbered(*node));
        (self.trace, self.nodes, self.later) = (trace, nodes, None);
        self.fields.forget();
        if let Some(asserts) = &mut self.asserts {
            asserts.grown();
            self.surveyed.due();
        }
        Ok(())
    }
}
