//! A run in progress, until it ends or its program is halted.

use super::error::RunError;
use super::interrupt::Interrupt;
use super::lacking_vm::{LackingVm, lives};
use super::observer::{Control, Observer};
use super::questions::FurtherQuestions;
use super::report::{Ended, RunReport};
use super::unwatched_vms::{UnwatchedVms, let_go};
use super::watched::Watched;
use super::watcher::{HaltedThread, Watcher};
use debuggee::{Agent, DriveOutcome, Exit, Forward, Incoming, Running, SeenVm, Tail};
use jdwp::Connection;
use jdwp::commands::virtual_machine;
use model::Tables;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long the program may take to end after a request to end.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// How long the command may keep running after the connection to its VM was lost.
const UNSEEN: Duration = Duration::from_secs(10);

/// The result of a run.
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// The tables to which its occurrences refer.
    pub tables: Tables,
    /// What the run reports about itself.
    pub report: RunReport,
    /// The end of the program's output.
    pub tail: Tail,
}

/// The state of a run after watching.
pub(super) enum Progress {
    /// It has ended.
    Over(Box<Outcome>),
    /// Its program is halted.
    Halted(Box<Live>, Box<HaltedThread>),
    /// The VM has ended and loaded nothing that is asked about: it was a launcher's. The next VM is here.
    Next(Box<Launched>),
}

/// A launched command, with all that watching one of its VMs takes.
pub(super) struct Launched {
    pub(super) running: Running,
    /// Other VMs of the command; none for a remote program.
    pub(super) unwatched_vms: Option<UnwatchedVms>,
    /// The VM to watch, if it has connected.
    pub(super) incoming: Option<Incoming>,
    /// The first VM that lacked a class that is asked about.
    pub(super) lacking: Option<LackingVm>,
    pub(super) more: Option<mpsc::Receiver<FurtherQuestions>>,
    pub(super) output: Option<Forward>,
    pub(super) agent: Option<Agent>,
}

impl Launched {
    /// Ends the command without watching the VM.
    pub(super) async fn stop(self) -> Outcome {
        let exited = self.running.stop(GRACE).await;
        Outcome { tail: exited.tail, ..nothing(Ended::Stopped) }
    }
}

/// How waiting for the end of a command ended.
enum Waited {
    Exited,
    NextVm(Box<Incoming>),
    CutShort,
}

/// A run in progress.
pub(super) struct Live {
    running: Running,
    /// Other VMs of the command; none for a remote program.
    unwatched_vms: Option<UnwatchedVms>,
    conn: Connection,
    watcher: Watcher,
    limit: Duration,
    output: Option<Forward>,
    /// Whether the driver of a remote program has finished, which ends the run.
    driven: bool,
    /// Whether it was halted, so that its VM is the one that is meant.
    was_halted: bool,
    /// The process of the VM, if it is known.
    process: Option<u32>,
    /// The folder of the plan, deleted with the run.
    agent: Option<Agent>,
}

impl Live {
    /// A run with a connected VM. The agent's folder is deleted with it.
    pub(super) fn new(
        running: Running,
        unwatched_vms: Option<UnwatchedVms>,
        conn: Connection,
        watcher: Watcher,
        limit: Duration,
        output: Option<Forward>,
        agent: Option<Agent>,
    ) -> Live {
        Live {
            running,
            unwatched_vms,
            conn,
            watcher,
            limit,
            output,
            driven: false,
            was_halted: false,
            process: None,
            agent,
        }
    }

    /// Notes the process of the VM.
    #[must_use]
    pub(super) fn of_process(self, process: Option<u32>) -> Live {
        Live { process, ..self }
    }

    /// Its time limit.
    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    /// Its watcher.
    pub(super) fn watcher(&mut self) -> &mut Watcher {
        &mut self.watcher
    }

    /// The tables of the run.
    pub(super) fn tables(&self) -> &Tables {
        self.watcher.tables()
    }

    /// The latest output of the program.
    pub(super) fn tail(&self) -> Tail {
        self.running.tail()
    }

    /// Watches until the run has ended or is halted.
    pub(super) async fn watch(
        mut self,
        deadline: tokio::time::Instant,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Progress, RunError> {
        let watched = tokio::select! {
            watched = self.watcher.watch(observer) => Ok(Some(watched)),
            driving = self.running.drive(self.output.clone()) => match driving {
                DriveOutcome::Failed(error) => Err(RunError::from(error)),
                DriveOutcome::Finished => {
                    self.driven = true;
                    Ok(Some(Ok(Control::Stop)))
                }
            },
            () = let_go(self.unwatched_vms.as_mut()) => Ok(None),
            () = tokio::time::sleep_until(deadline) => Ok(None),
            () = interrupt.wait() => Ok(None),
        };
        if matches!(watched, Ok(None)) {
            self.watcher.pass_on_lines(observer)?;
        }
        match self.watcher.take_halted_thread() {
            Some(halted_thread) if matches!(watched, Ok(Some(Ok(Control::Halt)))) => {
                self.was_halted = true;
                Ok(Progress::Halted(Box::new(self), Box::new(halted_thread)))
            }
            _ => Box::pin(self.end(watched, deadline, interrupt)).await,
        }
    }

    /// Ends the run, regardless of the result of watching, or goes on to the next VM. A command whose VM has
    /// ended goes on until it ends, the time limit is reached, or the user interrupts: what it starts next
    /// can be the program that is meant, or the user's.
    async fn end(
        mut self,
        watched: Result<Option<Result<Control, RunError>>, RunError>,
        deadline: tokio::time::Instant,
        interrupt: &Interrupt,
    ) -> Result<Progress, RunError> {
        let more = self.watcher.take_further();
        let over = match self.ended_by_qp(&watched, interrupt) {
            Some(ended) => self.cut_short(ended).await,
            None => match self.wait_for_command(more, deadline, interrupt).await {
                Ok(over) => over,
                Err(next) => return Ok(Progress::Next(next)),
            },
        };
        match watched {
            Ok(Some(Err(error))) if !error.is_end_of_vm() => return Err(error),
            Err(error) => return Err(error),
            _ => {}
        }
        Ok(Progress::Over(Box::new(over.outcome())))
    }

    /// How the run ends if watching ended before the VM did; `None` if the VM has ended.
    fn ended_by_qp(
        &self,
        watched: &Result<Option<Result<Control, RunError>>, RunError>,
        interrupt: &Interrupt,
    ) -> Option<Ended> {
        match watched {
            Ok(Some(Ok(Control::Stop))) if self.driven => Some(Ended::Driven),
            Ok(Some(Ok(Control::Stop | Control::Halt))) => Some(Ended::Stopped),
            Ok(Some(Ok(Control::Continue))) => None,
            Ok(Some(Err(error))) if error.is_end_of_vm() => None,
            Ok(None) if interrupt.is_set() => Some(Ended::Interrupted),
            Ok(None) => Some(Ended::TimedOut(self.limit)),
            Ok(Some(Err(_))) | Err(_) => Some(Ended::Stopped),
        }
    }

    /// Ends the command, whose VM still runs.
    async fn cut_short(self, ended: Ended) -> FinishedRun {
        let Live { running, unwatched_vms, watcher, .. } = self;
        let mut seen = watcher.into_watched();
        let (selects, unselected) = (running.selects(), running.unselected());
        dispose(&mut seen).await;
        let exited = running.stop(GRACE).await;
        FinishedRun { ended, seen, tail: exited.tail, unwatched_vms, unselected, selects }
    }

    /// Waits until the command, whose VM has ended, ends too, or until its next VM connects that is wanted.
    async fn wait_for_command(
        self,
        more: Option<mpsc::Receiver<FurtherQuestions>>,
        deadline: tokio::time::Instant,
        interrupt: &Interrupt,
    ) -> Result<FinishedRun, Box<Launched>> {
        let Live { mut running, mut unwatched_vms, conn, watcher, limit, .. } = self;
        // A command that starts a remote program in the background does not know how that program ends.
        let exit_tells = running.remote().is_none() || running.exited().is_none();
        let mut seen = watcher.into_watched();
        let driven = running.was_asked_to_end();
        let selects = running.selects();
        let said_its_end = seen.said_its_end().await;
        conn.close();
        // A VM that lives on without its connection shows nothing more.
        let is_unseen = !said_its_end && lives(self.process);
        let is_launcher = !is_unseen && !self.was_halted && !seen.met_what_is_asked();
        let waited = tokio::select! {
            waited = until_next(&mut running, unwatched_vms.as_mut(), is_launcher) => waited,
            () = tokio::time::sleep(UNSEEN), if is_unseen => Waited::CutShort,
            () = tokio::time::sleep_until(deadline) => Waited::CutShort,
            () = interrupt.wait() => Waited::CutShort,
        };
        let has_exited = match waited {
            Waited::NextVm(incoming) => {
                let (output, agent, incoming) = (self.output, self.agent, Some(*incoming));
                let lacking = None;
                return Err(Box::new(Launched {
                    running,
                    unwatched_vms,
                    incoming,
                    lacking,
                    more,
                    output,
                    agent,
                }));
            }
            Waited::Exited => true,
            Waited::CutShort => false,
        };
        let unselected = running.unselected();
        if !has_exited && tokio::time::Instant::now() >= deadline {
            seen.report.warn(format!(
                "the command still ran when its time limit of {} s was over, although its VM had ended: qp \
                 ended it",
                limit.as_secs()
            ));
        }
        let exited = running.stop(if has_exited { Duration::ZERO } else { GRACE }).await;
        let ended = if has_exited && exit_tells {
            if driven { Ended::Driven } else { end_of(exited.exit, said_its_end) }
        } else if interrupt.is_set() {
            Ended::Interrupted
        } else {
            // Neither our own signal nor the exit of another command says how the program ended.
            end_of(Exit { code: None, signal: None }, said_its_end)
        };
        Ok(FinishedRun { ended, seen, tail: exited.tail, unwatched_vms, unselected, selects })
    }

    /// Ends the halted run.
    pub(super) async fn stop(self) -> Outcome {
        let Live { running, watcher, output, .. } = self;
        // Discard output printed during shutdown: it belongs to no run.
        if let Some(output) = output {
            output.mute();
        }
        let mut seen = watcher.into_watched();
        dispose(&mut seen).await;
        let exited = running.stop(GRACE).await;
        Outcome { ended: Ended::Stopped, tables: seen.tables, report: seen.report, tail: exited.tail }
    }
}

/// A run of which no process is left.
struct FinishedRun {
    ended: Ended,
    seen: Watched,
    tail: Tail,
    unwatched_vms: Option<UnwatchedVms>,
    /// The VMs that `jvm` does not select.
    unselected: Vec<SeenVm>,
    /// Whether `jvm` selects the VM.
    selects: bool,
}

impl FinishedRun {
    /// The outcome, with warnings of connections and VMs that were not watched.
    fn outcome(self) -> Outcome {
        let FinishedRun { ended, mut seen, tail, unwatched_vms, unselected: mut others, selects } = self;
        seen.close_report();
        if let Some(strangers) = unwatched_vms.as_ref().and_then(UnwatchedVms::strangers) {
            seen.report.warn(format!("while the program ran, qp closed {strangers}"));
        }
        others.extend(unwatched_vms.iter().flat_map(UnwatchedVms::released).cloned());
        if unwatched_vms.is_some_and(|vms| vms.are_told()) {
            others.clear();
        }
        // Whoever has chosen the VM wants to know of others only if it was the wrong one.
        if !others.is_empty() && (!selects || !seen.met_what_is_asked()) {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            let others = others.join(", ");
            seen.report.warn(format!(
                "the command also started VMs that were not watched: {others}; `--jvm MAIN` (in a \
                 chain `jvm`) chooses one"
            ));
        }
        Outcome { ended, tables: seen.tables, report: seen.report, tail }
    }
}

/// Waits until the command has ended. Other VMs of the command may still connect, and must not wait for us;
/// after a launcher's VM, the next one that is wanted is returned.
async fn until_next(
    running: &mut Running,
    unwatched_vms: Option<&mut UnwatchedVms>,
    is_launcher: bool,
) -> Waited {
    let unwatched_vms = match unwatched_vms {
        Some(unwatched_vms) if is_launcher => unwatched_vms,
        others => {
            return tokio::select! {
                _ = running.wait_exit() => Waited::Exited,
                () = let_go(others) => Waited::CutShort,
            };
        }
    };
    loop {
        // The time limit is the caller's.
        match running.accept(unwatched_vms.socket(), Duration::MAX).await {
            Ok(incoming) if incoming.wanted => return Waited::NextVm(Box::new(incoming)),
            Ok(incoming) => unwatched_vms.release(incoming).await,
            Err(_) => return Waited::Exited,
        }
    }
}

/// The outcome of a run that did not begin.
pub(super) fn nothing(ended: Ended) -> Outcome {
    Outcome { ended, tables: Tables::default(), report: RunReport::default(), tail: Tail::default() }
}

/// How a program ended whose connection is gone. A wrapper can hide that its VM was killed. A VM that only
/// lost the connection keeps running unobserved.
fn end_of(exit: Exit, vm_said_so: bool) -> Ended {
    match (exit.signal, exit.code) {
        (Some(signal), _) => Ended::Killed(signal),
        (None, None | Some(0)) if !vm_said_so => {
            Ended::Lost("the VM broke off without saying that it ends; later events are not seen".to_owned())
        }
        (None, code) => Ended::Exited(code),
    }
}

/// Ends watching: clears every request and resumes all threads.
async fn dispose(watched: &mut Watched) {
    let reply = watched.vm.conn().send(virtual_machine::Dispose {});
    drop(tokio::time::timeout(Duration::from_secs(2), reply).await);
    watched.vm.conn().close();
}
