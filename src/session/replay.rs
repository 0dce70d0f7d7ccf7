//! Runs a chain to its answer. Everything shown comes from the last run; what a translation has to learn first costs
//! one run each (DESIGN §5.13).

use super::answer::{Answer, Outcome};
use super::assemble::Assembly;
use super::error::SessionError;
use super::progress::Progress;
use super::watching::Watching;
use super::workspace::{Pools, Workspace};
use crate::chain::{Chain, Learned, Translation, translate};
use crate::classes::{ClassPool, SourceRoots};
use crate::debuggee::Forward;
use crate::locate::{self, Locator};
use crate::query::{Event, LocalConditions, PointIndex, TraceQuery};
use crate::run::{self, Ended, Interrupt, Launch, Questions};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Most candidates held at once. A million take about 150 MB; what is beyond is refused, not swapped.
const LIMIT: usize = 4_000_000;

/// How to replay.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most runs.
    pub max_runs: u32,
    /// Size of the sample of rejected candidates.
    pub candidates: usize,
    /// Answer for the last so many root hits.
    pub last: Option<usize>,
    /// Whether the program's output goes to the progress's sink.
    pub show_output: bool,
    /// Longest time of a run, in seconds; none: the chain's.
    pub timeout_s: Option<u64>,
    /// How often a run that does not reach the root is tried.
    pub attempts: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_runs: 10, candidates: 0, last: None, show_output: false, timeout_s: None, attempts: 1 }
    }
}

/// One run and what it was asked.
pub struct Round {
    /// What the chain became.
    pub translation: Translation,
    /// The TraceQueries, as the run and the locator share them.
    pub queries: Arc<[TraceQuery]>,
    /// The locator, finished.
    pub locator: Locator,
    /// What is left of the run.
    pub outcome: run::Outcome,
    /// Its class files.
    pub pool: Rc<ClassPool>,
}

/// Runs the debuggee until every point is located or nothing more can be learnt.
///
/// # Errors
/// The chain, its questions or its debuggee cannot be used. A point that is not located is no error but an answer.
pub async fn replay(
    name: &str,
    chain: &Chain,
    options: &Options,
    progress: &mut dyn Progress,
    interrupt: &mut Interrupt,
) -> Result<Answer, SessionError> {
    let workspace = Workspace::open(chain, options.timeout_s)?;
    if !chain.debuggee.build.is_empty() {
        progress.building();
    }
    tokio::select! {
        built = workspace.build(None) => built?,
        () = interrupt.wait() => {
            progress.done();
            return Ok(Assembly::unasked(name, chain, Outcome::Interrupted));
        }
    }
    let sources = workspace.sources();
    let mut pools = Pools::default();
    let mut learned = Learned::default();
    let mut why: Option<String> = None;
    let (mut number, mut retries) = (0, 0);
    loop {
        number += 1;
        progress.run_started(number, why.as_deref());
        let session = Session { workspace: &workspace, chain, options, sources: &sources };
        let round = session.run(number, &learned, &mut pools, progress, interrupt).await;
        let round = match round {
            Ok(Some(round)) => round,
            Ok(None) => {
                progress.done();
                return Ok(Assembly::unasked(name, chain, Outcome::Interrupted));
            }
            Err(error) => {
                progress.done();
                return Err(error);
            }
        };
        why = if number - retries < options.max_runs { learn(&session, &round, &mut learned) } else { None };
        if why.is_none() && retries + 1 < options.attempts && root_was_missed(&round) {
            retries += 1;
            why = Some("the root was not reached".to_owned());
        }
        if why.is_none() {
            progress.done();
            return Ok(Assembly { name, chain, sources: &sources, runs: number, round: &round }.answer());
        }
    }
}

/// Whether the program ended by itself without having reached the root: another run may reach it.
fn root_was_missed(round: &Round) -> bool {
    matches!(round.outcome.ended, Ended::Driven | Ended::Exited(_) | Ended::Killed(_))
        && round.queries.first().is_some_and(|root| round.locator.located(root.point).is_none())
}

struct Session<'a> {
    workspace: &'a Workspace,
    chain: &'a Chain,
    options: &'a Options,
    sources: &'a SourceRoots,
}

impl Session<'_> {
    /// One run; none if it was interrupted before it was asked anything.
    async fn run(
        &self,
        number: u32,
        learned: &Learned,
        pools: &mut Pools,
        progress: &mut dyn Progress,
        interrupt: &mut Interrupt,
    ) -> Result<Option<Round>, SessionError> {
        // What is wrong with a question is told before anything is launched, where that can be.
        if self.workspace.is_java()? {
            let pool = pools.of(self.workspace, &run::VmFacts::default())?;
            translate(self.chain, &pool, self.sources, learned)?;
        }
        let mut asked: Option<(Translation, Arc<[TraceQuery]>, Rc<ClassPool>)> = None;
        let locator = RefCell::new(None);
        let mut ask = |facts: &run::VmFacts| -> Result<Questions, run::ObserverError> {
            let pool = pools.of(self.workspace, facts)?;
            let translation =
                translate(self.chain, &pool, self.sources, learned).map_err(SessionError::from)?;
            let queries: Arc<[TraceQuery]> = in_order(&translation, self.chain).into();
            let tracked = translation.tracked.clone();
            *locator.borrow_mut() = Some(self.locator(&queries)?);
            asked = Some((translation, queries.clone(), pool.clone()));
            Ok(Questions { queries, tracked, pool })
        };
        let output = progress.sink().filter(|_| self.options.show_output);
        let output = output.map(|sink| Forward::new(format!("run {number} | "), move |_, line| sink(line)));
        let launch = Launch { template: self.workspace.template(), output, interrupt };
        let mut watching = Watching::new(&locator, progress, self.chain.points.len());
        let outcome = run::execute(launch, &mut ask, &mut watching).await?;
        let locator = locator.take();
        let (Some((translation, queries, pool)), Some(mut locator)) = (asked, locator) else {
            return Ok(None);
        };
        locator.finish(&outcome.tables);
        Ok(Some(Round { translation, queries, locator, outcome, pool }))
    }

    fn locator(&self, queries: &Arc<[TraceQuery]>) -> Result<Locator, SessionError> {
        let keep_rejected = self.options.candidates;
        let options = locate::Options { keep_rejected, limit: LIMIT, last_roots: self.options.last };
        Ok(Locator::new(queries.clone(), options)?)
    }
}

/// The TraceQueries by place in the chain. A point that cannot be asked yet is held by one that never occurs.
fn in_order(translation: &Translation, chain: &Chain) -> Vec<TraceQuery> {
    let Some(last) = translation.queries.last() else { return Vec::new() };
    let mut asked = translation.queries.iter().peekable();
    let places = (0..=last.point.0).zip(&chain.points);
    let held = places.map(|(place, point)| {
        let point_index = PointIndex(place);
        asked.next_if(|q| q.point == point_index).cloned().unwrap_or_else(|| TraceQuery {
            point: point_index,
            id: point.id.as_str().into(),
            event: Event::Reached(Vec::new()),
            constraints: Vec::new(),
            index: 0,
            keep: Vec::new(),
            local: LocalConditions::default(),
            collect: None,
            compare_at: None,
        })
    });
    held.collect()
}

/// Learns from a run. Gives what another run is for, if one is due: what it would be asked has changed, and a point
/// is without an answer.
fn learn(session: &Session<'_>, round: &Round, learned: &mut Learned) -> Option<String> {
    if !matches!(round.outcome.ended, Ended::Stopped | Ended::Driven | Ended::Exited(_) | Ended::Killed(_)) {
        return None;
    }
    let tables = &round.outcome.tables;
    let mut unlocated = round.translation.pending.len();
    for query in round.queries.iter() {
        let Some(located) = round.locator.located(query.point) else {
            unlocated += 1;
            continue;
        };
        let stack = tables.stack(located.occurrence.stack).map(|f| f.site.clone()).collect();
        learned.stack(query.point, stack);
        for (keep, value) in query.keep.iter().zip(located.occurrence.kept.iter()) {
            if let Some(class) = value.class_name(tables) {
                learned.class(query.point, keep.frame, keep.expr.text(), class);
            }
        }
    }
    if unlocated == 0 {
        return None;
    }
    // What was learnt may show that a point cannot be asked. The others can: each refusal takes one point out.
    let again = (0..=session.chain.points.len()).find_map(|_| {
        translate(session.chain, &round.pool, session.sources, learned)
            .map_err(|error| learned.refuse(error.point, &error.refusal.to_string()))
            .ok()
    })?;
    let asked = |t: &Translation| format!("{:?} {:?}", t.queries, t.pending);
    if asked(&again) == asked(&round.translation) {
        return None;
    }
    let needs = round.translation.pending.iter().chain(&round.translation.deeper);
    let mut needs: Vec<String> = needs.map(|(_, need)| need.to_string()).collect();
    needs.dedup();
    Some(if needs.is_empty() {
        "a point moved".to_owned()
    } else {
        format!("now known: {}", needs.join(", "))
    })
}
