//! Makes the runs of a session: in the foreground, or in the background while the user adds questions.

use super::history::unchanged;
use super::position::{HaltedProgram, Position};
use super::{AskedWhen, Explorer};
use crate::iteration::{Findings, HaltRequest, LastRun, Runner, SharedChain, run_facts};
use crate::run_questions::{QuestionsCell, RunQuestions, extends};
use answer::answer_facts::AnswerFacts;
use answer::arms;
use answer::assemble::assemble;
use answer::facts::RunFacts;
use answer::{Answer, Outcome as Answered};
use chain::{Chain, Translation};
use model::Namer;
use query::TraceQuery;
use run::{Ended, FurtherQuestions, Halted, Interrupt, Outcome, Questions, Stage};
use session::{Context, Progress, SessionError};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

/// What a session needs from its front end.
pub trait Front {
    /// Receives the progress of a run in the foreground or background.
    fn progress(&self, in_front: bool) -> Rc<dyn Progress>;
}

/// Can end the current run. Cheap to clone.
#[derive(Clone, Default)]
pub struct Interrupter(Rc<RefCell<Option<watch::Sender<bool>>>>, Rc<Cell<bool>>);

impl Interrupter {
    /// Ends the current run. Returns false if there is none.
    pub fn interrupt(&self) -> bool {
        self.0.borrow().as_ref().is_some_and(|sender| sender.send(true).is_ok())
    }

    /// Whether the program runs in the foreground and reads the terminal's input.
    pub fn is_run(&self) -> bool {
        self.1.get()
    }

    pub(super) fn reads(&self, is_run: bool) {
        self.1.set(is_run);
    }

    pub(super) fn arm(&self) -> Interrupt {
        let (sender, interrupt) = Interrupt::new();
        *self.0.borrow_mut() = Some(sender);
        interrupt
    }

    pub(super) fn disarm(&self) {
        *self.0.borrow_mut() = None;
        self.1.set(false);
    }
}

/// The result of a run.
#[derive(Clone, Debug, serde::Serialize)]
pub struct RunResult {
    /// The answer to the chain.
    pub answer: Rc<Answer>,
    /// Number of the last run of the session.
    pub run: u32,
    /// Ids of points with the same answer as in the previous run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<String>,
    /// Where the program is halted, if it is alive.
    pub standing: Option<super::Standpoint>,
    /// Whether the program ended and was run again to halt at the last located point.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub run_again: bool,
}

/// How a run ended that was sent to a coordinate.
pub(super) enum RunEnd {
    /// The user interrupted before any question was asked.
    Nothing,
    /// Every point is decided, or the program has ended.
    Whole(Box<LastRun>),
    /// The program is halted at the coordinate, and some points are undecided.
    Arrived(Box<Halted>, QuestionsCell),
}

pub(super) struct FinishedRun {
    pub(super) end: RunEnd,
    findings: Findings,
}

type QuestionSender = Rc<RefCell<Option<(QuestionsCell, mpsc::Sender<FurtherQuestions>)>>>;

/// A run in progress.
pub(super) struct RunInProgress {
    task: JoinHandle<Result<FinishedRun, SessionError>>,
    chain: SharedChain,
    question_sender: QuestionSender,
    why: String,
    /// Number of earlier runs.
    before: u32,
    started: Instant,
}

impl Drop for RunInProgress {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RunInProgress {
    /// Passes an extended chain to this run and the following ones. Returns when the new points will be
    /// queried, or a channel that reports whether the run took them.
    pub(super) fn ask_more(
        &self,
        chain: &Chain,
        translate: impl FnOnce(&RunQuestions) -> Result<(Translation, Arc<[TraceQuery]>), SessionError>,
    ) -> Result<Result<AskedWhen, oneshot::Receiver<bool>>, SessionError> {
        *self.chain.borrow_mut() = Rc::new(chain.clone());
        let question_sender = self.question_sender.borrow();
        let Some((cell, more)) = question_sender.as_ref() else { return Ok(Ok(AskedWhen::AsItBegins)) };
        let mut cell = cell.borrow_mut();
        let Some(asked) = cell.as_mut() else { return Ok(Ok(AskedWhen::AsItBegins)) };
        let (translation, queries) = translate(asked)?;
        // If a point must first learn something, this run cannot answer it.
        if translation.pending.len() > asked.translation.pending.len() || !extends(asked, &queries) {
            return Ok(Ok(AskedWhen::Next));
        }
        let tracked = translation.tracked.clone();
        let pool = asked.pool.clone();
        let marks = arms::marks(&queries, &pool, &Default::default());
        // It has no probes for these questions.
        let stack_value_users = Default::default();
        let questions =
            Questions { queries, tracked, marks, stack_value_users, pool, gates: None, recording: None };
        let (sender, taken) = oneshot::channel();
        if more.try_send(FurtherQuestions { questions, taken: sender }).is_err() {
            return Ok(Ok(AskedWhen::Next));
        }
        asked.more.push_back(translation);
        Ok(Err(taken))
    }
}

/// Data on a run besides its answer.
pub(super) struct RunSummary {
    /// The reason for the run.
    why: String,
    took: Duration,
    /// Number of program runs it took.
    runs: u32,
}

/// Maximum number of additions waiting for the run.
const WAITING: usize = 64;

impl Explorer {
    /// Whether a run is in progress.
    pub fn is_running(&self) -> bool {
        self.run_in_progress.is_some()
    }

    /// Starts a run in the background.
    ///
    /// # Errors
    /// A run is already in progress, or the program cannot be opened or built.
    pub async fn start(&mut self, why: &str, in_front: bool) -> Result<(), SessionError> {
        self.not_while_running()?;
        if self.chain.points.is_empty() {
            return Err(SessionError::NothingAsked);
        }
        self.leave().await;
        let (runner, context) = self.prepare(in_front).await?;
        let mut findings = self.findings.clone();
        let question_sender = QuestionSender::default();
        let of_task = question_sender.clone();
        self.spawn(why, runner.chain.clone(), question_sender, async move {
            let mut halt_request = |cell: &QuestionsCell| {
                let (sender, more) = mpsc::channel(WAITING);
                *of_task.borrow_mut() = Some((cell.clone(), sender));
                HaltRequest { hold: true, more: Some(more), ..HaltRequest::default() }
            };
            let last_run = runner.run_until_answered(&mut findings, &mut halt_request, &context).await;
            context.progress().done();
            let end = last_run?.map_or(RunEnd::Nothing, |last| RunEnd::Whole(Box::new(last)));
            Ok(FinishedRun { end, findings })
        });
        Ok(())
    }

    pub(super) fn spawn(
        &mut self,
        why: &str,
        chain: SharedChain,
        question_sender: QuestionSender,
        run: impl Future<Output = Result<FinishedRun, SessionError>> + 'static,
    ) {
        let (why, before, started) = (why.to_owned(), self.findings.runs, Instant::now());
        self.run_in_progress = Some(RunInProgress {
            task: tokio::task::spawn_local(run),
            chain,
            question_sender,
            why,
            before,
            started,
        });
    }

    /// Prepares a run.
    pub(super) async fn prepare(&mut self, in_front: bool) -> Result<(Runner, Context), SessionError> {
        // No program is halted any more, so the workspace can be reopened.
        let timeout_s = self.options.timeout_s;
        self.opened = self.opened.take().filter(|opened| opened.timeout_s == timeout_s);
        self.open().await?;
        self.refresh().await?;
        let Some(opened) = &self.opened else { return Err(SessionError::Interrupted) };
        let runner = Runner {
            workspace: opened.workspace.clone(),
            chain: Rc::new(Rc::new(self.chain.clone()).into()),
            options: self.options.clone(),
            sources: opened.sources.clone(),
        };
        let context = Context::new(self.front.progress(in_front), self.interrupter.arm());
        self.interrupter.reads(in_front);
        Ok((runner, context))
    }

    /// Ends a halted program, and does work that launches the program by itself. The user can interrupt it.
    ///
    /// # Errors
    /// A run is in progress.
    pub async fn apart<T>(&mut self, work: impl AsyncFnOnce(&Context) -> T) -> Result<T, SessionError> {
        self.not_while_running()?;
        self.leave().await;
        let context = Context::new(self.front.progress(true), self.interrupter.arm());
        let done = work(&context).await;
        context.progress().done();
        self.interrupter.disarm();
        Ok(done)
    }

    /// Waits for the current run to end; forever if there is none. Cancel-safe.
    ///
    /// # Errors
    /// The run has no answer.
    pub async fn finished(&mut self) -> Result<RunResult, SessionError> {
        let finished = self.wait().await?;
        match finished {
            (RunEnd::Whole(last), summary) => {
                let ran = Box::pin(self.whole(*last, &summary)).await?;
                self.halt_again(ran).await
            }
            // Only a run sent to a coordinate ends so; `goto` waits for it.
            (RunEnd::Nothing | RunEnd::Arrived(..), ..) => Err(SessionError::Interrupted),
        }
    }

    /// If the program ran to its end to search for a point, runs it again and halts at the last located
    /// point.
    async fn halt_again(&mut self, mut ran: RunResult) -> Result<RunResult, SessionError> {
        let by_itself = matches!(ran.answer.ended, Some(Ended::Exited(_) | Ended::Driven | Ended::Killed(_)));
        let located = ran.answer.points.iter().filter(|p| p.located);
        let last = located.max_by_key(|p| p.hit).map(|p| p.id.clone());
        if let (None, true, Some(last)) = (&ran.standing, by_itself, last)
            && let Ok(goto_result) = Box::pin(self.goto(&last)).await
            && goto_result.standing.is_some()
        {
            (ran.standing, ran.run_again, ran.run) = (goto_result.standing, true, self.findings.runs);
        }
        Ok(ran)
    }

    pub(super) async fn wait(&mut self) -> Result<(RunEnd, RunSummary), SessionError> {
        let Some(run_in_progress) = &mut self.run_in_progress else { return std::future::pending().await };
        let finished = (&mut run_in_progress.task).await;
        let (why, took) = (run_in_progress.why.clone(), run_in_progress.started.elapsed());
        let before = run_in_progress.before;
        self.run_in_progress = None;
        self.interrupter.disarm();
        let finished = match finished {
            Ok(finished) => finished?,
            Err(_) => return Err(SessionError::Interrupted),
        };
        self.findings = finished.findings;
        let runs = self.findings.runs - before;
        Ok((finished.end, RunSummary { why, took, runs }))
    }

    /// Takes over a run in which every point is decided.
    pub(super) async fn whole(
        &mut self,
        last: LastRun,
        summary: &RunSummary,
    ) -> Result<RunResult, SessionError> {
        let Some(opened) = &self.opened else { return Err(SessionError::Interrupted) };
        let LastRun { run_facts, halted } = last;
        let mut namer = Namer::default();
        let run = self.findings.runs;
        let answer = {
            let (name, chain, sources) = (&self.name, &self.chain, &*opened.sources);
            let (runs, all_frames) = (summary.runs, self.options.all_frames);
            let facts = AnswerFacts { name, chain, sources, runs, all_frames, run_facts: &run_facts };
            Rc::new(assemble(facts, &mut namer))
        };
        self.tail = run_facts.outcome.tail.clone();
        let unchanged = self.answer().map(|before| unchanged(&before, &answer)).unwrap_or_default();
        self.history.add(run, &summary.why, summary.took, answer.clone(), &run_facts);
        self.position = match halted {
            None => Position::Ended(run_facts.outcome.ended.clone()),
            Some(halted) => {
                let (pool, sources) = (run_facts.pool.clone(), opened.sources.clone());
                let point = newest(&run_facts).and_then(|p| self.chain.points.get(usize::from(p.0)));
                let point = point.map(|p| p.id.clone());
                let halted_program = HaltedProgram::new(halted, pool, sources, namer, point, run, None);
                Position::Halted(Box::new(halted_program))
            }
        };
        let standing = self.stand().await?;
        Ok(RunResult { answer, run, unchanged, standing, run_again: false })
    }

    /// Ends the halted program, if there is one.
    pub async fn leave(&mut self) {
        if let Position::Halted(halted_program) = std::mem::replace(&mut self.position, Position::Nowhere) {
            let _: Outcome = halted_program.end().await;
        }
    }

    /// Ends the current run and the halted program.
    pub async fn end(&mut self) {
        if self.interrupter.interrupt()
            && let Some(run_in_progress) = &mut self.run_in_progress
        {
            // Waits until the interrupted run has ended its program.
            let _ = (&mut run_in_progress.task).await;
        }
        self.run_in_progress = None;
        self.leave().await;
    }
}

impl FinishedRun {
    pub(super) fn new(end: RunEnd, findings: Findings) -> FinishedRun {
        FinishedRun { end, findings }
    }
}

/// Classifies the end of a run sent to a coordinate. If every point is decided there, the run counts as
/// whole.
pub(super) fn end_of(stage: Stage, asked: QuestionsCell) -> RunEnd {
    let decided = asked.borrow().as_ref().is_none_or(|a| a.locator.is_complete());
    let (outcome, halted) = match stage {
        Stage::Halted(halted) if halted.has_arrived() && !decided => return RunEnd::Arrived(halted, asked),
        Stage::Halted(mut halted) => (halted.outcome(), Some(halted)),
        Stage::Over(outcome) => (*outcome, None),
    };
    run_facts(&asked, outcome)
        .map_or(RunEnd::Nothing, |run_facts| RunEnd::Whole(Box::new(LastRun { run_facts, halted })))
}

/// The located point with the latest occurrence.
fn newest(run_facts: &RunFacts) -> Option<query::PointIndex> {
    let located = run_facts.queries.iter().filter_map(|q| Some((q.point, run_facts.located(q.point)?)));
    located.max_by_key(|(_, l)| l.occurrence.sequence).map(|(point, _)| point)
}

impl RunResult {
    /// The exit code of its answer.
    pub fn exit_code(&self) -> u8 {
        let outcome: Answered = self.answer.outcome;
        outcome.exit_code()
    }
}
