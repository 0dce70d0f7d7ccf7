//! Launches the program of one run, connects to its VM and starts watching it.

use super::attach;
use super::error::{BrokeOff, RunError};
use super::greeting::{SuspendedVm, VmFacts, facts, java_home_of, linger};
use super::halted::Stage;
use super::install::java_agents;
use super::interrupt::Interrupt;
use super::lacking_vm::{LackingVm, alone, what_lacks};
use super::live::{GRACE, Launched, Live, Outcome, nothing};
use super::observer::{LacksClass, Observer};
use super::probes::{self, Gate};
use super::questions::{FurtherQuestions, Questions};
use super::report::{Ended, RunReport};
use super::threads::largest_number;
use super::unwatched_vms::{UnwatchedVm, UnwatchedVms, release_greeted};
use super::vm::Vm;
use super::watched::Watched;
use super::watcher::Watcher;
use super::watches::Watches;
use classes::ClassPool;
use debuggee::{Agent, Forward, Incoming, Running, Template};
use jdwp::Connection;
use model::Coordinate;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// Which agent is loaded into the VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentRole {
    /// None.
    Nothing,
    /// The agent, to watch the run by probes.
    Probes,
    /// The agent, to record the run.
    Recorder,
}

/// How to launch one run.
pub struct Launch<'a> {
    /// The debuggee.
    pub template: &'a Arc<Template>,
    /// Receives the program's output.
    pub output: Option<Forward>,
    /// The user's request to end it.
    pub interrupt: &'a Interrupt,
    /// Where the run must halt at the latest.
    pub halt_at: Option<Coordinate>,
    /// Delivers further questions while the run is on.
    pub more: Option<mpsc::Receiver<FurtherQuestions>>,
    /// The agent to load into its VM.
    pub agent_role: AgentRole,
    /// Receives the VMs of the command that are not watched, before they go on.
    pub unwatched: Option<mpsc::Sender<UnwatchedVm>>,
}

impl<'a> Launch<'a> {
    /// A run to the end of the program that nobody listens to.
    pub fn of(template: &'a Arc<Template>, interrupt: &'a Interrupt, agent_role: AgentRole) -> Launch<'a> {
        Launch { template, output: None, interrupt, halt_at: None, more: None, agent_role, unwatched: None }
    }
}

/// Launches the debuggee, and watches one of its VMs for the questions of `ask` until it ends or is halted.
///
/// # Errors
/// The program cannot be launched or driven, no VM connects, or the connection fails for another reason than
/// the end of the VM. In each case all launched processes have ended.
pub async fn execute(
    launch: Launch<'_>,
    ask: &mut dyn FnMut(&VmFacts) -> Result<Questions, super::ObserverError>,
    observer: &mut dyn Observer,
) -> Result<Stage, RunError> {
    let Launch { template, output, interrupt, halt_at, more, agent_role, unwatched } = launch;
    let limit = template.settings().timeout;
    let deadline = tokio::time::Instant::now() + limit;
    tokio::select! {
        ready = template.before_run(output.clone()) => ready?,
        () = interrupt.wait() => return Ok(Stage::Over(Box::new(nothing(Ended::Interrupted)))),
    }
    let (agent, no_agent) = match agent_role {
        // The agent pins the run.
        AgentRole::Nothing if template.settings().pins.is_some() => (Some(template.agent()?), None),
        AgentRole::Nothing => (None, None),
        AgentRole::Recorder => (Some(template.agent()?), None),
        // JDWP can answer without the agent.
        AgentRole::Probes => match template.agent() {
            Ok(agent) => (Some(agent), None),
            Err(error) => (None, Some(error.to_string())),
        },
    };
    // `qp` connects to a remote program, so it opens no port of its own.
    let (running, listener) = if template.settings().remote.is_some() {
        (template.relaunch(output.clone())?, None)
    } else {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(RunError::Listen)?;
        let address = listener.local_addr().map_err(RunError::Listen)?;
        (template.launch(address, agent.as_ref(), output.clone())?, Some(listener))
    };
    let unwatched_vms = listener.map(|listener| {
        let vms = UnwatchedVms::new(listener, running.connection_filter());
        match (unwatched, &agent) {
            (Some(unwatched), Some(agent)) => vms.told_to(unwatched, agent.folder().to_owned()),
            _ => vms,
        }
    });
    let mut launched =
        Launched { running, unwatched_vms, incoming: None, lacking: None, more, output, agent };
    let run = Run { template, no_agent: no_agent.as_deref(), interrupt, halt_at, limit, deadline };
    loop {
        match Box::pin(watch_vm(launched, &run, ask, observer)).await? {
            Ok(stage) => return Ok(stage),
            Err(next) => launched = *next,
        }
    }
}

/// What stays the same for all VMs that a run watches, one after another.
struct Run<'a> {
    template: &'a Arc<Template>,
    /// Why there is no agent.
    no_agent: Option<&'a str>,
    interrupt: &'a Interrupt,
    halt_at: Option<Coordinate>,
    limit: Duration,
    deadline: tokio::time::Instant,
}

/// Watches a VM of the command: the one that has connected, or else the next one that is wanted.
async fn watch_vm(
    launched: Launched,
    run: &Run<'_>,
    ask: &mut dyn FnMut(&VmFacts) -> Result<Questions, super::ObserverError>,
    observer: &mut dyn Observer,
) -> Result<Result<Stage, Box<Launched>>, RunError> {
    let Launched { mut running, mut unwatched_vms, incoming, lacking, more, output, agent } = launched;
    let Run { interrupt, halt_at, limit, deadline, .. } = run;
    let (interrupt, limit, deadline) = (*interrupt, *limit, *deadline);
    let connected = tokio::select! {
        connected = greeted(&mut running, unwatched_vms.as_mut(), incoming, deadline, limit) => match connected {
            Err(RunError::Vm(error)) => return Err(broke_off(running, error).await),
            Err(error) => return Err(lacking.map_or(error, |lacking| RunError::Observer(lacking.refusal))),
            Ok(connected) => connected,
        },
        () = alone(lacking.as_ref()) => {
            running.stop(GRACE).await;
            let refusal = lacking.map(|lacking| lacking.refusal);
            return Err(RunError::Observer(refusal.unwrap_or_else(|| "no VM has the class".into())));
        }
        () = interrupt.wait() => {
            let exited = running.stop(Duration::ZERO).await;
            let outcome = Outcome { tail: exited.tail, ..nothing(Ended::Interrupted) };
            return Ok(Ok(Stage::Over(Box::new(outcome))));
        }
    };
    let questions = match ask(&connected.facts) {
        Ok(questions) => questions,
        Err(error) if error.is::<LacksClass>() && unwatched_vms.is_some() && !running.selects() => {
            let process = connected.process;
            release_greeted(&connected.conn, connected.events).await;
            let lacking = lacking.or(Some(LackingVm::new(process, error)));
            let next = Launched { running, unwatched_vms, incoming: None, lacking, more, output, agent };
            return Ok(Err(Box::new(next)));
        }
        Err(error) => {
            connected.conn.close();
            running.stop(Duration::ZERO).await;
            return Err(RunError::Observer(what_lacks(error)));
        }
    };
    let (conn, process) = (connected.conn.clone(), connected.process);
    let watched = begin_watching(connected, run, agent.as_ref(), &questions).await;
    let mut watcher = Watcher::new(watched, &questions.queries, more);
    watcher.halt_at(halt_at.clone());
    let live = Live::new(running, unwatched_vms, conn, watcher, limit, output, agent).of_process(process);
    Ok(Stage::of(Box::pin(live.watch(deadline, interrupt, observer)).await?))
}

/// Gives the agent its plan, and collects what watching a VM takes.
async fn begin_watching(
    vm: SuspendedVm,
    run: &Run<'_>,
    agent: Option<&Agent>,
    questions: &Questions,
) -> Watched {
    let SuspendedVm { conn, events, start, process, .. } = vm;
    let pool = &questions.pool;
    let watches = Watches::new(&questions.queries, &questions.tracked, &questions.marks);
    let probes = match (agent, &questions.gates) {
        (Some(agent), Some(gates)) => {
            let (queries, users) = (&questions.queries, &questions.stack_value_users);
            probes::begin(agent, process, queries, gates, &watches, users, pool)
        }
        (None, Some(_)) => {
            Err(run.no_agent.map_or_else(|| "this run has no agent".to_owned(), str::to_owned))
        }
        _ => Ok(None),
    };
    let recording = match (agent, &questions.recording) {
        (Some(agent), Some(recording)) => Some(recording.begin(agent.folder(), process, pool)),
        _ => None,
    };
    let recording_is_script = questions.recording.as_ref().is_some_and(|recording| recording.is_script);
    let counts = questions.gates.as_ref().is_some_and(|gates| gates.contains(&Gate::Count));
    // Counting interrupts nothing.
    let watches = if counts || recording.is_some() { Watches::default() } else { watches };
    let mut watched = Watched::new(Vm::new(conn), events, watches, pool.clone());
    // Whoever started a remote program sees its numbers as they are.
    if agent.is_none() && run.template.settings().remote.is_none() {
        watched.vm.before_debug_agent = largest_number(&mut watched.vm).await.ok();
    }
    match probes {
        Ok(Some((report, recorder))) => {
            watched.vm.agent_report = Some(Box::new(report));
            watched.counts = counts.then(|| questions.queries.clone());
            watched.recorder = (!counts).then(|| Box::new(recorder));
        }
        Ok(None) => {}
        Err(why) => watched.report.unprobed.push(why),
    }
    match recording {
        Some(Ok(report)) => {
            watched.tells_script = recording_is_script;
            watched.vm.agent_report = Some(Box::new(report));
        }
        Some(Err(why)) => watched.report.unprobed.push(why),
        None => {}
    }
    warn_of_agents(&mut watched.report, agent, pool);
    if let Some(start) = start {
        watched.put_back(start);
    }
    watched
}

/// Warns of classes that a Java agent rewrote, and of what our agent lacks.
fn warn_of_agents(report: &mut RunReport, agent: Option<&Agent>, pool: &ClassPool) {
    let rewritten: Vec<&str> = pool.loaded().collect();
    if !rewritten.is_empty() {
        let by = java_agents(pool);
        let classes = rewritten.join(", ");
        report.warn(format!("{by} rewrote {classes}: lines and conditions are those of its code"));
    }
    if let Some(note) = agent.and_then(|agent| agent.note.clone()) {
        report.warn(note);
    }
}

/// If a VM dies while connecting, its output explains more than the connection error.
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

async fn greeted(
    running: &mut Running,
    unwatched_vms: Option<&mut UnwatchedVms>,
    incoming: Option<Incoming>,
    deadline: tokio::time::Instant,
    limit: Duration,
) -> Result<SuspendedVm, RunError> {
    match unwatched_vms {
        Some(unwatched_vms) => {
            let incoming = match incoming {
                Some(incoming) => incoming,
                None => wanted(running, unwatched_vms, deadline).await?,
            };
            connect(incoming, deadline, limit).await
        }
        None => attach::find(running, deadline).await,
    }
}

/// Connects to a VM and reads its facts.
async fn connect(
    incoming: Incoming,
    deadline: tokio::time::Instant,
    limit: Duration,
) -> Result<SuspendedVm, RunError> {
    let process = incoming.peer.as_ref().map(|p| p.pid);
    let java_home = process.and_then(java_home_of);
    // Only the time limit of the run applies: a busy machine can be slow to start a VM.
    let options = jdwp::Options { handshake_timeout: None, linger: linger(), ..jdwp::Options::default() };
    let greeted = async {
        let (conn, events) = Connection::handshake(incoming.stream, options).await?;
        let facts = facts(&conn, java_home).await?;
        Ok(SuspendedVm { conn, events, start: None, facts, process })
    };
    match tokio::time::timeout_at(deadline, greeted).await {
        Ok(greeted) => greeted,
        Err(_) => Err(RunError::Silent { seconds: limit.as_secs() }),
    }
}

async fn wanted(
    running: &mut Running,
    unwatched_vms: &mut UnwatchedVms,
    deadline: tokio::time::Instant,
) -> Result<Incoming, RunError> {
    loop {
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        let incoming = running.accept(unwatched_vms.socket(), left).await?;
        if incoming.wanted {
            return Ok(incoming);
        }
        unwatched_vms.release(incoming).await;
    }
}
