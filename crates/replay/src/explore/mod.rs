//! A re-run session. Between runs, the user adds and removes questions. The program halts at located points,
//! and the next run can halt at a cause that an earlier one found (paper §5 and §6).
//!
//! - [`Explorer`] holds the chain and the current position; this file contains the changes to the chain.
//! - `run_control` makes runs, in the foreground or background. `position` is the current position of the
//!   session.
//! - `halt` reads the halted program. `stepping` resumes it to the next line or event.
//! - `goto` halts at a located point. `arrival` compares the state there with that of an earlier run.
//! - `history` keeps the answers of earlier runs. `completion` lists the completions at the prompt.

mod arrival;
mod completion;
mod goto;
mod goto_result;
mod halt;
mod history;
mod position;
mod run_control;
mod stepping;
mod suspended;

pub use completion::{Members, Words};
pub use goto_result::{Arrival, Certainty, GotoResult};
pub use halt::{Member, NamedValue, Scope};
pub use history::{PastRun, PointDifference};
pub use position::Standpoint;
pub use run_control::{Front, Interrupter, RunResult};
pub use stepping::{Step, StepResult};

use crate::Options;
use crate::iteration::{Findings, in_order};
use chain::{Chain, Explanation, Point, translate};
use classes::{LaunchCommand, SourceRoots};
use debuggee::Tail;
use history::History;
use position::Position;
use run_control::RunInProgress;
use session::workspace::Workspace;
use session::{Progress, SessionError, portable};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// When an added point is queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AskedWhen {
    /// In the next run.
    Next,
    /// In the current run from now on; in the next run as a whole.
    Now,
    /// In the current run, whose program has not started yet.
    AsItBegins,
}

/// A re-run session.
pub struct Explorer {
    name: String,
    chain: Chain,
    options: Options,
    front: Rc<dyn Front>,
    opened: Option<OpenedDebuggee>,
    findings: Findings,
    history: History,
    position: Position,
    run_in_progress: Option<RunInProgress>,
    interrupter: Interrupter,
    /// The last output of the last program.
    tail: Tail,
    /// Changes with the chain, to recognise answers to an earlier state of the chain.
    edition: u32,
}

/// The built debuggee and its sources.
struct OpenedDebuggee {
    workspace: Rc<Workspace>,
    sources: Rc<SourceRoots>,
    /// The maximum duration of a run with which it was opened.
    timeout_s: Option<u64>,
}

impl Explorer {
    /// Receives progress in the foreground.
    pub fn progress(&self) -> Rc<dyn Progress> {
        self.front.progress(true)
    }

    /// Creates a session for a chain, which may have no points yet.
    pub fn new(name: &str, chain: Chain, options: Options, front: Rc<dyn Front>) -> Explorer {
        Explorer {
            name: name.to_owned(),
            chain,
            options,
            front,
            opened: None,
            findings: Findings::default(),
            history: History::default(),
            position: Position::Nowhere,
            run_in_progress: None,
            interrupter: Interrupter::default(),
            tail: Tail::default(),
            edition: 0,
        }
    }

    /// The chain in its current state.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The options of runs.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The options of runs, mutable. Changes apply to the next run.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// Can end the current run.
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// The main class of the debuggee's command, once it is open; `None` if the command does not name it.
    pub fn main_class(&self) -> Option<String> {
        let command = self.opened.as_ref()?.workspace.template().launch_command().ok()?;
        match command {
            LaunchCommand::Java(java) => java.main.class().map(str::to_owned),
            LaunchCommand::Wrapper { .. } => None,
        }
    }

    /// The source file of a class, if it was found outside an archive.
    pub fn source_file(&self, class: &str, file: &str) -> Option<PathBuf> {
        let opened = self.opened.as_ref()?;
        let found = opened.sources.find(class, Some(file), None)?;
        Some(self.chain.cwd().join(&found.path)).filter(|path| path.is_file())
    }

    /// Whether an earlier run has located a point.
    pub fn is_located(&self, id: &str) -> bool {
        self.point_index(id).is_ok_and(|at| self.history.found(at).is_some())
    }

    /// An unused id: `A` to `Z`, then `P27` and so on.
    pub fn next_id(&self) -> String {
        let letters = ('A'..='Z').map(String::from);
        let free = |id: &String| self.chain.position(id).is_none();
        letters.chain((27..).map(|n| format!("P{n}"))).find(free).unwrap_or_default()
    }

    /// Opens and builds the debuggee, if that was not done yet. The first question does so too.
    ///
    /// # Errors
    /// It cannot be opened or built.
    pub async fn open(&mut self) -> Result<(), SessionError> {
        if self.opened.is_none() {
            let workspace = Workspace::open(&self.chain, self.options.timeout_s, self.options.stdin.clone())?;
            self.build(&workspace).await?;
            let sources = Rc::new(workspace.sources());
            let timeout_s = self.options.timeout_s;
            self.opened = Some(OpenedDebuggee { workspace: Rc::new(workspace), sources, timeout_s });
        }
        Ok(())
    }

    /// Rebuilds if due and rereads classes and sources, since they can have changed since the last run.
    async fn refresh(&mut self) -> Result<(), SessionError> {
        let Some(workspace) = self.opened.as_ref().map(|o| o.workspace.clone()) else { return Ok(()) };
        self.build(&workspace).await?;
        self.findings.pools = session::workspace::Pools::default();
        if let Some(opened) = &mut self.opened {
            opened.sources = Rc::new(workspace.sources());
        }
        Ok(())
    }

    async fn build(&self, workspace: &Workspace) -> Result<(), SessionError> {
        let progress = self.front.progress(true);
        if !self.chain.debuggee.build.is_empty() {
            progress.building();
        }
        let interrupt = self.interrupter.arm();
        let built = tokio::select! {
            built = workspace.build(None) => built,
            () = interrupt.wait() => Err(SessionError::Interrupted),
        };
        let built = match built {
            Ok(()) => crate::script::learn_classes(workspace, &interrupt, &*progress).await,
            failed => failed,
        };
        progress.done();
        self.interrupter.disarm();
        built
    }

    /// Adds a point at the end of the chain.
    ///
    /// # Errors
    /// The point is invalid, or certainly wrong for this program; the chain stays unchanged.
    pub async fn add(&mut self, point: Point) -> Result<AskedWhen, SessionError> {
        let mut chain = self.chain.clone();
        chain.points.push(point);
        self.check(&chain).await?;
        self.chain = chain;
        self.edition += 1;
        self.ask_now().await
    }

    /// Changes a point.
    ///
    /// # Errors
    /// No point has this id, or the change would make it invalid; the chain stays unchanged.
    pub async fn change(&mut self, id: &str, how: impl FnOnce(&mut Point)) -> Result<(), SessionError> {
        self.not_while_running()?;
        let at = self.point_index(id)?;
        let mut chain = self.chain.clone();
        if let Some(point) = chain.points.get_mut(at) {
            how(point);
        }
        self.check(&chain).await?;
        // The collected values of a point do not affect its location.
        let moves = match (self.chain.points.get(at), chain.points.get(at)) {
            (Some(old), Some(new)) => Point { collect: new.collect.clone(), ..old.clone() } != *new,
            _ => true,
        };
        let changed = if moves { with_dependents(&chain, vec![id.to_owned()]) } else { Vec::new() };
        let points = chain.points.iter().enumerate();
        let places: Vec<Option<usize>> =
            points.map(|(at, point)| Some(at).filter(|_| !changed.contains(&point.id))).collect();
        self.replace(chain, &places, changed);
        Ok(())
    }

    /// Removes points.
    ///
    /// # Errors
    /// A point does not exist, or another one depends on it; the chain stays unchanged.
    pub fn remove(&mut self, ids: &[String]) -> Result<(), SessionError> {
        self.not_while_running()?;
        for id in ids {
            self.point_index(id)?;
        }
        let mut chain = self.chain.clone();
        chain.points.retain(|p| !ids.contains(&p.id));
        let mut gone = with_dependents(&chain, ids.to_vec());
        let dependents = gone.split_off(ids.len());
        if !dependents.is_empty() {
            let (ids, dependents) = (ids.join(" "), dependents.join(" "));
            return Err(SessionError::StillAsked { ids, dependents });
        }
        // No point depends on the removed ones, so the results of the others stay valid.
        let places: Vec<Option<usize>> =
            chain.points.iter().map(|point| self.chain.position(&point.id)).collect();
        self.replace(chain, &places, gone);
        Ok(())
    }

    /// Replaces the chain. A halted program is ended.
    ///
    /// # Errors
    /// A run is active.
    pub async fn load(&mut self, name: &str, chain: Chain) -> Result<(), SessionError> {
        self.not_while_running()?;
        self.leave().await;
        let program = |chain: &Chain| (chain.debuggee.clone(), chain.cwd());
        if program(&chain) != program(&self.chain) {
            self.opened = None;
            self.findings.pools = session::workspace::Pools::default();
        }
        self.name = name.to_owned();
        let ids: Vec<String> = chain.points.iter().map(|p| p.id.clone()).collect();
        self.replace(chain, &[], ids);
        Ok(())
    }

    /// The chain in the form saved to this file: with adjusted paths, and with data to find its lines after
    /// an edit.
    ///
    /// # Errors
    /// The debuggee cannot be opened or built.
    pub async fn to_save(&mut self, file: &Path) -> Result<Chain, SessionError> {
        self.open().await?;
        let mut chain = self.chain.clone();
        if let Some(OpenedDebuggee { workspace, sources, .. }) = &self.opened
            && workspace.knows_classes()?
        {
            let pool = self.findings.pools.of(workspace, &run::VmFacts::default())?;
            chain::remember(&mut chain, &pool, sources);
        }
        Ok(portable(&chain, file))
    }

    /// The standard input that the program has read so far, if it was recorded and is not empty.
    pub fn recorded_stdin(&self) -> Option<Vec<u8>> {
        let debuggee = &self.chain.debuggee;
        let recorded = self.options.stdin.as_ref();
        let recorded = recorded.filter(|_| debuggee.stdin.is_none() && debuggee.attach.is_none())?.recorded();
        (!recorded.is_empty()).then_some(recorded)
    }

    /// The chain's TraceQueries and their graph, as far as known.
    ///
    /// # Errors
    /// The debuggee cannot be opened, or a question is invalid.
    pub async fn explain(&mut self) -> Result<Explanation, SessionError> {
        self.open().await?;
        let Some(OpenedDebuggee { workspace, sources, .. }) = &self.opened else {
            return Err(SessionError::Interrupted);
        };
        let pool = self.findings.pools.of(workspace, &run::VmFacts::default())?;
        let translation = translate(&self.chain, &pool, sources, &self.findings.learned)?;
        Ok(Explanation::new(&self.chain, &translation, &pool, sources))
    }

    /// The position in the chain of the point with this id.
    ///
    /// # Errors
    /// No point has this id.
    pub fn point_index(&self, id: &str) -> Result<usize, SessionError> {
        self.chain.position(id).ok_or_else(|| {
            let known = self.chain.points.iter().map(|p| p.id.as_str()).collect::<Vec<_>>().join(", ");
            SessionError::NoSuchPoint { id: id.to_owned(), known }
        })
    }

    fn not_while_running(&self) -> Result<(), SessionError> {
        if self.run_in_progress.is_some() { Err(SessionError::RunIsOn) } else { Ok(()) }
    }

    /// Checks a chain, as far as that is possible without a run.
    async fn check(&mut self, chain: &Chain) -> Result<(), SessionError> {
        chain.check(&self.name)?;
        self.open().await?;
        let Some(OpenedDebuggee { workspace, sources, .. }) = &self.opened else { return Ok(()) };
        // The class path of a wrapper's VM is unknown before it runs.
        if workspace.knows_classes()? {
            let pool = self.findings.pools.of(workspace, &run::VmFacts::default())?;
            translate(chain, &pool, sources, &self.findings.learned)?;
        }
        Ok(())
    }

    /// Replaces the chain and discards what runs learned by point position. `places` gives the old positions
    /// of points whose answers stay valid; `changed` lists the points without valid answers.
    fn replace(&mut self, chain: Chain, places: &[Option<usize>], changed: Vec<String>) {
        self.chain = chain;
        self.findings.learned = chain::Learned::default();
        self.findings.probe_policy = crate::probe_policy::ProbePolicy::default();
        self.history.renumber(places, changed);
        self.edition += 1;
    }

    /// Passes the added questions to the current run, if it can still take them.
    async fn ask_now(&mut self) -> Result<AskedWhen, SessionError> {
        let (Some(run_in_progress), Some(opened)) = (&self.run_in_progress, &self.opened) else {
            return Ok(AskedWhen::Next);
        };
        let asked = run_in_progress.ask_more(&self.chain, |asked| {
            let learned = &self.findings.learned;
            let translation = translate(&self.chain, &asked.pool, &opened.sources, learned)?;
            let queries = in_order(&translation, &self.chain).into();
            Ok((translation, queries))
        })?;
        Ok(match asked {
            Ok(when) => when,
            // A run that ends meanwhile takes no questions.
            Err(taken) => match taken.await {
                Ok(true) => AskedWhen::Now,
                _ => AskedWhen::Next,
            },
        })
    }
}

/// These points and all that depend on them. A point refers only to points above it.
fn with_dependents(chain: &Chain, mut ids: Vec<String>) -> Vec<String> {
    for point in &chain.points {
        if !ids.contains(&point.id) && point.refers_to().iter().any(|id| ids.contains(id)) {
            ids.push(point.id.clone());
        }
    }
    ids
}
