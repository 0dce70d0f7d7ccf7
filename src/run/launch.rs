//! One run from launch to end: nothing of it is left behind, however it ends.

use super::attach;
use super::error::{BrokeOff, RunError};
use super::halted::Halted;
use super::observer::{Control, Observer};
use super::probes::{self, Gate};
use super::recording::Recording;
use super::report::{Ended, RunReport};
use super::vm::{Vm, or_default};
use super::watched::Watched;
use super::watcher::Watcher;
use super::watches::{Marks, Watches};
use crate::classes::ClassPool;
use crate::debuggee::{
    Agent, ConnectionFilter, DriveOutcome, Exit, Forward, Incoming, Running, Tail, Template,
};
use crate::model::{Coordinate, MethodName, Tables};
use crate::query::TraceQuery;
use jdwp::Connection;
use jdwp::commands::virtual_machine;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// How long the program may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long the command may live on once its VM has ended.
const AFTERMATH: Duration = Duration::from_secs(10);

/// How long a VM that is let go may take for each of its first words: a busy machine can take long to start
/// one.
const LATE: Duration = Duration::from_secs(10);

/// So many VMs are let go side by side; further ones wait for these.
const MOST_RELEASED: usize = 32;

/// How long qp looks for the VM's next packet before it sleeps. Each hit has the VM wait for qp, and qp for
/// the VM: being awake when the other is done doubles the hits in a second (`cargo bench -p jdwp`).
pub(super) const LINGER: Duration = Duration::from_micros(300);

/// The user's wish to end the run. Cheap to clone; once it is set it stays set.
#[derive(Clone)]
pub struct Interrupt(tokio::sync::watch::Receiver<bool>);

impl Interrupt {
    /// An interrupt, and what sets it by sending `true`.
    pub fn new() -> (tokio::sync::watch::Sender<bool>, Interrupt) {
        let (sender, receiver) = tokio::sync::watch::channel(false);
        (sender, Interrupt(receiver))
    }

    /// Whether it was set.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is set; for ever if nobody can set it any more. Cancel-safe.
    pub async fn wait(&self) {
        if self.0.clone().wait_for(|set| *set).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// What is known of a VM when it has connected and nothing has run yet.
#[derive(Clone, Debug, Default)]
pub struct VmFacts {
    /// Its class path, as the VM tells it.
    pub class_path: Vec<PathBuf>,
    /// The folder that relative entries are relative to.
    pub base_dir: PathBuf,
    /// The Java home of its executable, where the system tells.
    pub java_home: Option<PathBuf>,
}

/// What a run is to watch.
pub struct Questions {
    /// The TraceQueries.
    pub queries: Arc<[TraceQuery]>,
    /// Methods whose activations must be told apart, beyond those the queries need by themselves.
    pub tracked: BTreeSet<MethodName>,
    /// Where the arms of expressions are told apart.
    pub marks: Marks,
    /// The class files.
    pub pool: Rc<ClassPool>,
    /// Which hits interrupt, by query, where the run is to be watched by probes. Where one is [`Gate::Count`]
    /// all are, and nothing interrupts.
    pub gates: Option<Vec<Gate>>,
    /// How the run is recorded, if it is. Then nothing else is watched.
    pub recording: Option<Recording>,
}

/// What comes along in the VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aboard {
    /// Nothing.
    Nothing,
    /// The agent, so that the run can be watched by probes.
    Probes,
    /// The agent, so that the run can be recorded.
    Recorder,
}

/// What a run is asked while it is on.
pub struct More {
    /// All that it is to watch from now on; what it watches already is part of it.
    pub questions: Questions,
    /// Told when that is watched, or that it cannot be any more.
    pub taken: oneshot::Sender<bool>,
}

/// How to launch one run.
pub struct Launch<'a> {
    /// The debuggee.
    pub template: &'a Arc<Template>,
    /// Who gets its output.
    pub output: Option<Forward>,
    /// The user's wish to end it.
    pub interrupt: &'a Interrupt,
    /// Where to halt it, at the latest.
    pub halt_at: Option<Coordinate>,
    /// Brings what more it is to be asked while it is on.
    pub more: Option<mpsc::Receiver<More>>,
    /// What comes along in its VM.
    pub aboard: Aboard,
}

/// How far a run has come.
pub enum Stage {
    /// It is over.
    Over(Box<Outcome>),
    /// It stands still, to be looked at.
    Halted(Box<Halted>),
}

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

/// Launches the debuggee, and watches one of its VMs for what `ask` wants of it until it ends or is halted.
///
/// # Errors
/// The program cannot be launched or driven, no VM connects, or the connection fails for another reason than
/// the end of the VM. Whatever was launched has ended by then.
pub async fn execute(
    launch: Launch<'_>,
    ask: &mut dyn FnMut(&VmFacts) -> Result<Questions, super::ObserverError>,
    observer: &mut dyn Observer,
) -> Result<Stage, RunError> {
    let Launch { template, output, interrupt, halt_at, more, aboard } = launch;
    let limit = template.settings().timeout;
    let deadline = tokio::time::Instant::now() + limit;
    tokio::select! {
        ready = template.before_run(output.clone()) => ready?,
        () = interrupt.wait() => return Ok(Stage::Over(Box::new(nothing(Ended::Interrupted)))),
    }
    let (agent, no_agent) = match aboard {
        Aboard::Nothing => (None, None),
        Aboard::Recorder => (Some(template.agent()?), None),
        // JDWP answers without.
        Aboard::Probes => match template.agent() {
            Ok(agent) => (Some(agent), None),
            Err(error) => (None, Some(error.to_string())),
        },
    };
    // A remote program is connected to: no port of ours is open then.
    let (mut running, listener) = if template.settings().remote.is_some() {
        (template.relaunch(output.clone())?, None)
    } else {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(RunError::Listen)?;
        let address = listener.local_addr().map_err(RunError::Listen)?;
        (template.launch(address, agent.as_ref(), output.clone())?, Some(listener))
    };
    let mut further = listener.map(|listener| Further::new(listener, running.connection_filter()));
    let connected = tokio::select! {
        connected = greeted(&mut running, further.as_mut(), deadline, limit) => match connected {
            Err(RunError::Vm(error)) => return Err(broke_off(running, error).await),
            connected => connected?,
        },
        () = interrupt.wait() => {
            let exited = running.stop(Duration::ZERO).await;
            let outcome = Outcome { tail: exited.tail, ..nothing(Ended::Interrupted) };
            return Ok(Stage::Over(Box::new(outcome)));
        }
    };
    let Greeted { conn, events, start, facts, process } = connected;
    let questions = match ask(&facts) {
        Ok(questions) => questions,
        Err(error) => {
            conn.close();
            running.stop(Duration::ZERO).await;
            return Err(RunError::Observer(error));
        }
    };
    let watches = Watches::new(&questions.queries, &questions.tracked, &questions.marks);
    let recorder = match (&agent, &questions.gates) {
        (Some(agent), Some(gates)) => probes::begin(agent, process, &questions, gates, &watches),
        (None, Some(_)) => Err(no_agent.unwrap_or_else(|| "this run has no agent".to_owned())),
        _ => Ok(None),
    };
    let recorded = match (&agent, &questions.recording) {
        (Some(agent), Some(recording)) => Some(recording.begin(agent, process)),
        _ => None,
    };
    let counts = questions.gates.as_ref().is_some_and(|gates| gates.contains(&Gate::Count));
    // What is counted interrupts nothing.
    let watches = if counts || recorded.is_some() { Watches::default() } else { watches };
    let mut watched = Watched::new(Vm::new(conn.clone()), events, watches, questions.pool.clone());
    match recorder {
        Ok(Some((told, recorder))) => {
            watched.vm.told = Some(told);
            watched.counts = counts.then(|| questions.queries.clone());
            watched.recorder = (!counts).then_some(recorder);
        }
        Ok(None) => {}
        Err(why) => watched.report.unprobed.push(why),
    }
    match recorded {
        Some(Ok(told)) => watched.vm.told = Some(told),
        Some(Err(why)) => watched.report.unprobed.push(why),
        None => {}
    }
    if let Some(note) = agent.as_ref().and_then(|agent| agent.note.clone()) {
        watched.report.warn(note);
    }
    if let Some(start) = start {
        watched.put_back(start);
    }
    let mut watcher = Watcher::new(watched, &questions.queries, more);
    watcher.halt_at = halt_at;
    Live { running, further, conn, watcher, limit, output, driven: false, _agent: agent }
        .watch(deadline, interrupt, observer)
        .await
}

/// A run that is on.
pub(super) struct Live {
    pub(super) running: Running,
    /// Further VMs of the command; none where the program is remote.
    further: Option<Further>,
    conn: Connection,
    pub(super) watcher: Watcher,
    pub(super) limit: Duration,
    output: Option<Forward>,
    /// Whether the driver of a remote program has finished, and so the run has.
    driven: bool,
    /// The plan's folder, which goes with the run.
    _agent: Option<Agent>,
}

impl Live {
    /// Watches until the run is over or halted.
    pub(super) async fn watch(
        mut self,
        deadline: tokio::time::Instant,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Stage, RunError> {
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
                Ok(Stage::Halted(Box::new(Halted::new(self, standing))))
            }
            _ => self.end(watched, deadline, interrupt).await.map(|over| Stage::Over(Box::new(over))),
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
        if let Some(strangers) = further.map(|further| further.door.foreign).filter(|s| !s.is_empty()) {
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

fn nothing(ended: Ended) -> Outcome {
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

/// VMs of the command that are not watched: they are let go, side by side. Whoever else connects is turned
/// away.
struct Further {
    listener: TcpListener,
    door: ConnectionFilter,
    released: JoinSet<()>,
}

impl Further {
    fn new(listener: TcpListener, door: ConnectionFilter) -> Further {
        Further { listener, door, released: JoinSet::new() }
    }

    /// Begins to let a VM of the command go. Waits where many are on their way; cancel-safe but for the VM.
    async fn release(&mut self, stream: TcpStream) {
        while self.released.len() >= MOST_RELEASED {
            let _ = self.released.join_next().await;
        }
        while self.released.try_join_next().is_some() {}
        self.released.spawn(release(stream));
    }
}

/// Lets every further VM go on by itself. Never resolves. Cancel-safe.
async fn let_go(further: Option<&mut Further>) {
    let Some(Further { listener, door, released }) = further else { return std::future::pending().await };
    loop {
        tokio::select! {
            accepted = listener.accept(), if released.len() < MOST_RELEASED => match accepted {
                // Unwanted: it may run, but not under watch.
                Ok((stream, _)) if door.accepts(&stream) => drop(released.spawn(release(stream))),
                Ok(_) => tokio::task::yield_now().await,
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = released.join_next() => {}
        }
    }
}

/// Lets a VM go on by itself. One that is let go before it has stopped at its start would stop there
/// afterwards, with nobody left to let it go on: so that is waited for.
async fn release(stream: TcpStream) {
    let options = jdwp::Options { handshake_timeout: Some(LATE), ..jdwp::Options::default() };
    if let Ok((conn, mut events)) = Connection::handshake(stream, options).await {
        drop(tokio::time::timeout(LATE, events.next()).await);
        // Whether it answers or not, the connection ends here.
        drop(tokio::time::timeout(LATE, conn.send(virtual_machine::Dispose {})).await);
        conn.close();
    }
}

/// A VM that dies as it connects leaves more to read in its output than on the connection.
async fn broke_off(mut running: Running, error: jdwp::Error) -> RunError {
    let command = running.command();
    let waited = tokio::time::timeout(GRACE, running.wait_exit()).await;
    let exited = running.stop(Duration::ZERO).await;
    let ended = match waited {
        Ok(exit) => format!("ended with {exit}"),
        Err(_) => "went on without it".to_owned(),
    };
    RunError::BrokeOff(Box::new(BrokeOff { error, command, ended, tail: exited.tail }))
}

/// A VM that stands still at its start.
pub(super) struct Greeted {
    pub(super) conn: Connection,
    pub(super) events: jdwp::Events,
    /// What it said of its start, if that was read.
    pub(super) start: Option<jdwp::EventSet>,
    pub(super) facts: VmFacts,
    /// Its process, where the system tells.
    pub(super) process: Option<u32>,
}

async fn greeted(
    running: &mut Running,
    further: Option<&mut Further>,
    deadline: tokio::time::Instant,
    limit: Duration,
) -> Result<Greeted, RunError> {
    match further {
        Some(further) => connect(running, further, deadline, limit).await,
        None => attach::find(running, deadline).await,
    }
}

/// Waits for the VM that is meant, greets it and asks for its facts.
async fn connect(
    running: &mut Running,
    further: &mut Further,
    deadline: tokio::time::Instant,
    limit: Duration,
) -> Result<Greeted, RunError> {
    let incoming = wanted(running, further, deadline).await?;
    let process = incoming.peer.as_ref().map(|p| p.pid);
    let java_home = process.and_then(java_home_of);
    // The run's own limit is the only one: a busy machine can take long to start a VM.
    let options = jdwp::Options { handshake_timeout: None, linger: LINGER, ..jdwp::Options::default() };
    let greeted = async {
        let (conn, events) = Connection::handshake(incoming.stream, options).await?;
        let facts = facts(&conn, java_home).await?;
        Ok(Greeted { conn, events, start: None, facts, process })
    };
    match tokio::time::timeout_at(deadline, greeted).await {
        Ok(greeted) => greeted,
        Err(_) => Err(RunError::Silent { seconds: limit.as_secs() }),
    }
}

async fn wanted(
    running: &mut Running,
    further: &mut Further,
    deadline: tokio::time::Instant,
) -> Result<Incoming, RunError> {
    loop {
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        let incoming = running.accept(&further.listener, left).await?;
        if incoming.wanted {
            return Ok(incoming);
        }
        further.release(incoming.stream).await;
    }
}

/// Ends the watching: clears every request and lets all threads run on.
async fn dispose(watched: &mut Watched) {
    let reply = watched.vm.conn().send(virtual_machine::Dispose {});
    drop(tokio::time::timeout(Duration::from_secs(2), reply).await);
    watched.vm.conn().close();
}

pub(super) async fn facts(conn: &Connection, java_home: Option<PathBuf>) -> Result<VmFacts, RunError> {
    let paths = or_default(conn.send(virtual_machine::ClassPaths {}).await.map(Some))?;
    Ok(paths.map_or_else(VmFacts::default, |paths| VmFacts {
        class_path: paths.classpaths.into_iter().filter(|p| !p.is_empty()).map(PathBuf::from).collect(),
        base_dir: PathBuf::from(paths.base_dir),
        java_home,
    }))
}

/// The Java home of a process that runs `HOME/bin/java`.
fn java_home_of(pid: u32) -> Option<PathBuf> {
    let executable = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    Some(executable.parent()?.parent()?.to_owned())
}
