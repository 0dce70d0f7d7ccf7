//! A run that is on, until it is over or its program stands still.

use super::error::RunError;
use super::further::{Further, let_go};
use super::interrupt::Interrupt;
use super::observer::{Control, Observer};
use super::report::{Ended, RunReport};
use super::watched::Watched;
use super::watcher::{Standing, Watcher};
use crate::debuggee::{Agent, DriveOutcome, Exit, Forward, Running, Tail};
use crate::model::Tables;
use jdwp::Connection;
use jdwp::commands::virtual_machine;
use std::time::Duration;

/// How long the program may take to end once it was asked to.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// How long the command may live on once its VM has ended.
const AFTERMATH: Duration = Duration::from_secs(10);

/// What is left of a run.
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// The tables that its occurrences refer to.
    pub tables: Tables,
    /// What it tells about itself.
    pub report: RunReport,
    /// The end of the program's output.
    pub tail: Tail,
}

/// How far a run has come that was on.
pub(super) enum Progress {
    /// It is over.
    Over(Box<Outcome>),
    /// Its program stands still.
    Stands(Box<Live>, Box<Standing>),
}

/// A run that is on.
pub(super) struct Live {
    running: Running,
    /// Further VMs of the command; none where the program is remote.
    further: Option<Further>,
    conn: Connection,
    watcher: Watcher,
    limit: Duration,
    output: Option<Forward>,
    /// Whether the driver of a remote program has finished, and so the run has.
    driven: bool,
    /// The plan's folder, which goes with the run.
    _agent: Option<Agent>,
}

impl Live {
    /// A run whose VM is connected to. The agent's folder goes with it.
    pub(super) fn new(
        running: Running,
        further: Option<Further>,
        conn: Connection,
        watcher: Watcher,
        limit: Duration,
        output: Option<Forward>,
        agent: Option<Agent>,
    ) -> Live {
        Live { running, further, conn, watcher, limit, output, driven: false, _agent: agent }
    }

    /// How long it may take.
    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    /// What watches it.
    pub(super) fn watcher(&mut self) -> &mut Watcher {
        &mut self.watcher
    }

    /// The tables of the run.
    pub(super) fn tables(&self) -> &Tables {
        self.watcher.tables()
    }

    /// The end of what the program has printed so far.
    pub(super) fn tail(&self) -> Tail {
        self.running.tail()
    }

    /// Watches until the run is over or halted.
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
            () = let_go(self.further.as_mut()) => Ok(None),
            () = tokio::time::sleep_until(deadline) => Ok(None),
            () = interrupt.wait() => Ok(None),
        };
        match self.watcher.take_standing() {
            Some(standing) if matches!(watched, Ok(Some(Ok(Control::Halt)))) => {
                Ok(Progress::Stands(Box::new(self), Box::new(standing)))
            }
            _ => self.end(watched, deadline, interrupt).await.map(|over| Progress::Over(Box::new(over))),
        }
    }

    /// Ends the run, whatever became of the watching.
    async fn end(
        self,
        watched: Result<Option<Result<Control, RunError>>, RunError>,
        deadline: tokio::time::Instant,
        interrupt: &Interrupt,
    ) -> Result<Outcome, RunError> {
        let Live { mut running, mut further, conn, watcher, limit, driven: finished, .. } = self;
        // What started a remote program in the background does not know how that ends.
        let exit_tells = running.remote().is_none() || running.exited().is_none();
        let mut stopped = match &watched {
            Ok(Some(Ok(Control::Stop))) if finished => Some(Ended::Driven),
            Ok(Some(Ok(Control::Stop | Control::Halt))) => Some(Ended::Stopped),
            Ok(Some(Ok(Control::Continue))) => None,
            Ok(Some(Err(error))) if error.is_end_of_vm() => None,
            Ok(None) if interrupt.is_set() => Some(Ended::Interrupted),
            Ok(None) => Some(Ended::TimedOut(limit)),
            Ok(Some(Err(_))) | Err(_) => Some(Ended::Stopped),
        };
        let mut seen = watcher.into_watched();
        let driven = running.was_asked_to_end();
        let mut said_its_end = false;
        let exited = match stopped {
            Some(_) => {
                dispose(&mut seen).await;
                running.stop(GRACE).await
            }
            None => {
                said_its_end = seen.said_its_end().await;
                conn.close();
                // Other VMs of the command may still come, and must not wait for us.
                let waited = tokio::select! {
                    _ = running.wait_exit() => true,
                    () = let_go(further.as_mut()) => false,
                    () = tokio::time::sleep(AFTERMATH) => false,
                    () = tokio::time::sleep_until(deadline) => false,
                    () = interrupt.wait() => false,
                };
                let exited = running.stop(if waited { Duration::ZERO } else { GRACE }).await;
                if !waited || !exit_tells {
                    // Our own signal is not how the program ended, nor what another command did.
                    let exited = end_of(Exit { code: None, signal: None }, said_its_end);
                    stopped = Some(if interrupt.is_set() { Ended::Interrupted } else { exited });
                }
                exited
            }
        };
        match watched {
            Ok(Some(Err(error))) if !error.is_end_of_vm() => return Err(error),
            Err(error) => return Err(error),
            _ => {}
        }
        seen.close_report();
        if let Some(strangers) = further.and_then(|further| further.strangers()) {
            seen.report.warn(format!("while the program ran, qp closed {strangers}"));
        }
        let ended =
            stopped.unwrap_or_else(|| if driven { Ended::Driven } else { end_of(exited.exit, said_its_end) });
        Ok(Outcome { ended, tables: seen.tables, report: seen.report, tail: exited.tail })
    }

    /// Ends the run where it stands.
    pub(super) async fn stop(self) -> Outcome {
        let Live { running, watcher, output, .. } = self;
        // What it prints on its way out is of no run any more.
        if let Some(output) = output {
            output.mute();
        }
        let mut seen = watcher.into_watched();
        dispose(&mut seen).await;
        let exited = running.stop(GRACE).await;
        Outcome { ended: Ended::Stopped, tables: seen.tables, report: seen.report, tail: exited.tail }
    }
}

/// What is left of a run that did not begin.
pub(super) fn nothing(ended: Ended) -> Outcome {
    Outcome { ended, tables: Tables::default(), report: RunReport::default(), tail: Tail::default() }
}

/// How a program ended whose VM is gone for us. A wrapper can hide that its VM was killed, and a VM that only
/// lost its connection goes on unseen.
fn end_of(exit: Exit, vm_said_so: bool) -> Ended {
    match (exit.signal, exit.code) {
        (Some(signal), _) => Ended::Killed(signal),
        (None, None | Some(0)) if !vm_said_so => Ended::Lost(
            "the VM broke off without saying that it ends; what came after is not seen".to_owned(),
        ),
        (None, code) => Ended::Exited(code),
    }
}

/// Ends the watching: clears every request and lets all threads run on.
async fn dispose(watched: &mut Watched) {
    let reply = watched.vm.conn().send(virtual_machine::Dispose {});
    drop(tokio::time::timeout(Duration::from_secs(2), reply).await);
    watched.vm.conn().close();
}
