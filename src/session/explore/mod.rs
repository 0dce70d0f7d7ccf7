//! A session in which the program is run again and again: questions are added and removed between runs, the
//! program halts where a run led, and the next run can halt at a cause that this one found (paper §5 and §6).
//!
//! - [`Explorer`] holds the chain and the current position; this file has what changes the chain.
//! - `run_control` makes runs, in front or in the background. `position` is where the session stands.
//! - `halt` reads the halted program, `stepping` moves it forward by lines and by events.
//! - `goto` halts at a located point; `arrival` compares what is there with what an earlier run saw.
//! - `history` keeps the answers of earlier runs. `completion` lists what a prompt can complete.

mod arrival;
mod completion;
mod goto;
mod halt;
mod history;
mod position;
mod run_control;
mod stepping;

pub use arrival::{Arrival, Certainty, Gone};
pub use completion::{Members, Words};
pub use halt::{Member, NamedValue, Scope};
pub use history::{PastRun, PointDifference};
pub use position::Standpoint;
pub use run_control::{Front, Interrupter, Ran};
pub use stepping::{Step, Stepped};

use super::error::SessionError;
use super::files::portable;
use super::progress::Progress;
use super::replay::Options;
use super::replay::iteration::{Teaching, in_order};
use super::workspace::Workspace;
use crate::chain::{Chain, Explanation, Point, translate};
use crate::classes::SourceRoots;
use crate::debuggee::Tail;
use history::History;
use position::Place;
use run_control::Going;
use std::path::Path;
use std::rc::Rc;

/// When an added point is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AskedWhen {
    /// In the next run.
    Next,
    /// In the run that is on, from here on; in the next as a whole.
    Now,
    /// In the run that is on, whose program has not begun yet.
    AsItBegins,
}

/// A re-run session.
pub struct Explorer {
    name: String,
    chain: Chain,
    options: Options,
    front: Rc<dyn Front>,
    opened: Option<Opened>,
    teaching: Teaching,
    history: History,
    place: Place,
    going: Option<Going>,
    interrupter: Interrupter,
    /// The end of what the last program printed.
    tail: Tail,
    /// Changes with the chain: what an earlier run answered was asked of another chain.
    edition: u32,
}

/// The debuggee, built, and its sources.
struct Opened {
    workspace: Rc<Workspace>,
    sources: Rc<SourceRoots>,
    /// The longest time of a run that it was opened with.
    timeout_s: Option<u64>,
}

impl Explorer {
    /// Told of what goes on at the prompt.
    pub fn progress(&self) -> Rc<dyn Progress> {
        self.front.progress(true)
    }

    /// A session about a chain, which may have no points yet.
    pub fn new(name: &str, chain: Chain, options: Options, front: Rc<dyn Front>) -> Explorer {
        Explorer {
            name: name.to_owned(),
            chain,
            options,
            front,
            opened: None,
            teaching: Teaching::default(),
            history: History::default(),
            place: Place::Nowhere,
            going: None,
            interrupter: Interrupter::default(),
            tail: Tail::default(),
            edition: 0,
        }
    }

    /// The chain as it is now.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// How runs are made.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// How runs are made, to be changed. The next run goes by it.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// Ends the run that is on.
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// An id that no point has: `A` to `Z`, then `P27` and so on.
    pub fn next_id(&self) -> String {
        let letters = ('A'..='Z').map(String::from);
        let free = |id: &String| self.chain.position(id).is_none();
        letters.chain((27..).map(|n| format!("P{n}"))).find(free).unwrap_or_default()
    }

    /// Opens the debuggee and builds it, once. What is first asked does it too.
    ///
    /// # Errors
    /// It cannot be opened or built.
    pub async fn open(&mut self) -> Result<(), SessionError> {
        if self.opened.is_none() {
            let workspace = Workspace::open(&self.chain, self.options.timeout_s, self.options.stdin.clone())?;
            self.build(&workspace).await?;
            let sources = Rc::new(workspace.sources());
            let timeout_s = self.options.timeout_s;
            self.opened = Some(Opened { workspace: Rc::new(workspace), sources, timeout_s });
        }
        Ok(())
    }

    /// Classes and sources can have been edited and built since the last run: they are read anew for the
    /// next.
    async fn refresh(&mut self) -> Result<(), SessionError> {
        let Some(workspace) = self.opened.as_ref().map(|o| o.workspace.clone()) else { return Ok(()) };
        self.build(&workspace).await?;
        self.teaching.pools = super::workspace::Pools::default();
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
        progress.done();
        self.interrupter.disarm();
        built
    }

    /// Adds a point at the end of the chain.
    ///
    /// # Errors
    /// It is wrong in itself, or surely wrong for this program; the chain stays as it was.
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
    /// There is none of that id, or it would be wrong; the chain stays as it was.
    pub async fn change(&mut self, id: &str, how: impl FnOnce(&mut Point)) -> Result<(), SessionError> {
        self.not_while_running()?;
        let at = self.position(id)?;
        let mut chain = self.chain.clone();
        if let Some(point) = chain.points.get_mut(at) {
            how(point);
        }
        self.check(&chain).await?;
        // What a point keeps does not change where it is.
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

    /// Takes points back.
    ///
    /// # Errors
    /// There is none of that id, or another one is asked from it; the chain stays as it was.
    pub fn remove(&mut self, ids: &[String]) -> Result<(), SessionError> {
        self.not_while_running()?;
        for id in ids {
            self.position(id)?;
        }
        let mut chain = self.chain.clone();
        chain.points.retain(|p| !ids.contains(&p.id));
        let mut gone = with_dependents(&chain, ids.to_vec());
        let dependents = gone.split_off(ids.len());
        if !dependents.is_empty() {
            let (ids, dependents) = (ids.join(" "), dependents.join(" "));
            return Err(SessionError::StillAsked { ids, dependents });
        }
        // Nothing was asked from them: what was found of the others still holds.
        let places: Vec<Option<usize>> =
            chain.points.iter().map(|point| self.chain.position(&point.id)).collect();
        self.replace(chain, &places, gone);
        Ok(())
    }

    /// Goes on with another chain. The program that stood still is ended.
    ///
    /// # Errors
    /// A run is on.
    pub async fn load(&mut self, name: &str, chain: Chain) -> Result<(), SessionError> {
        self.not_while_running()?;
        self.leave().await;
        let program = |chain: &Chain| (chain.debuggee.clone(), chain.cwd());
        if program(&chain) != program(&self.chain) {
            self.opened = None;
            self.teaching.pools = super::workspace::Pools::default();
        }
        self.name = name.to_owned();
        let ids: Vec<String> = chain.points.iter().map(|p| p.id.clone()).collect();
        self.replace(chain, &[], ids);
        Ok(())
    }

    /// The chain as it is to be saved in this file: its paths, and what finds its lines again after an edit.
    ///
    /// # Errors
    /// The debuggee cannot be opened or built.
    pub async fn to_save(&mut self, file: &Path) -> Result<Chain, SessionError> {
        self.open().await?;
        let mut chain = self.chain.clone();
        if let Some(Opened { workspace, sources, .. }) = &self.opened
            && workspace.knows_classes()?
        {
            let pool = self.teaching.pools.of(workspace, &crate::run::VmFacts::default())?;
            crate::chain::remember(&mut chain, &pool, sources);
        }
        Ok(portable(&chain, file))
    }

    /// What the program has read so far, if that is recorded and anything was.
    pub fn recorded_stdin(&self) -> Option<Vec<u8>> {
        let debuggee = &self.chain.debuggee;
        let recorded = self.options.stdin.as_ref();
        let recorded = recorded.filter(|_| debuggee.stdin.is_none() && debuggee.attach.is_none())?.recorded();
        (!recorded.is_empty()).then_some(recorded)
    }

    /// The chain's TraceQueries and their graph, as far as they are known.
    ///
    /// # Errors
    /// The debuggee cannot be opened, or a question is wrong.
    pub async fn explain(&mut self) -> Result<Explanation, SessionError> {
        self.open().await?;
        let Some(Opened { workspace, sources, .. }) = &self.opened else {
            return Err(SessionError::Interrupted);
        };
        let pool = self.teaching.pools.of(workspace, &crate::run::VmFacts::default())?;
        let translation = translate(&self.chain, &pool, sources, &self.teaching.learned)?;
        Ok(Explanation::new(&self.chain, &translation, &pool, sources))
    }

    /// The place in the chain of the point that has an id.
    ///
    /// # Errors
    /// No point has it.
    pub fn position(&self, id: &str) -> Result<usize, SessionError> {
        self.chain.position(id).ok_or_else(|| {
            let known = self.chain.points.iter().map(|p| p.id.as_str()).collect::<Vec<_>>().join(", ");
            SessionError::NoSuchPoint { id: id.to_owned(), known }
        })
    }

    fn not_while_running(&self) -> Result<(), SessionError> {
        if self.going.is_some() { Err(SessionError::RunIsOn) } else { Ok(()) }
    }

    /// What is wrong with a chain, as far as it can be told without a run.
    async fn check(&mut self, chain: &Chain) -> Result<(), SessionError> {
        chain.check(&self.name)?;
        self.open().await?;
        let Some(Opened { workspace, sources, .. }) = &self.opened else { return Ok(()) };
        // The class path of a wrapper's VM is known only when it runs.
        if workspace.knows_classes()? {
            let pool = self.teaching.pools.of(workspace, &crate::run::VmFacts::default())?;
            translate(chain, &pool, sources, &self.teaching.learned)?;
        }
        Ok(())
    }

    /// What runs taught of points by their place in the chain means nothing in another one. `places` says
    /// where the points were whose answers still hold, and `changed` which points have none any more.
    fn replace(&mut self, chain: Chain, places: &[Option<usize>], changed: Vec<String>) {
        self.chain = chain;
        self.teaching.learned = crate::chain::Learned::default();
        self.teaching.probing = super::replay::probe_policy::Probing::default();
        self.history.renumber(places, changed);
        self.edition += 1;
    }

    /// Asks the run that is on what was added, if that still can be done.
    async fn ask_now(&mut self) -> Result<AskedWhen, SessionError> {
        let (Some(going), Some(opened)) = (&self.going, &self.opened) else {
            return Ok(AskedWhen::Next);
        };
        let asked = going.ask_more(&self.chain, |asked| {
            let learned = &self.teaching.learned;
            let translation = translate(&self.chain, &asked.pool, &opened.sources, learned)?;
            let queries = in_order(&translation, &self.chain).into();
            Ok((translation, queries))
        })?;
        Ok(match asked {
            Ok(when) => when,
            // A run that ends meanwhile takes no more.
            Err(taken) => match taken.await {
                Ok(true) => AskedWhen::Now,
                _ => AskedWhen::Next,
            },
        })
    }
}

/// These points, and all that are asked from them. A point refers only to points above it.
fn with_dependents(chain: &Chain, mut ids: Vec<String>) -> Vec<String> {
    for point in &chain.points {
        if !ids.contains(&point.id) && point.refers_to().iter().any(|id| ids.contains(id)) {
            ids.push(point.id.clone());
        }
    }
    ids
}
