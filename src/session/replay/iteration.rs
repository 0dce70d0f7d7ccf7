//! One run of a chain: its questions, its progress, and what the next run learns from it.

use super::observer::Watching;
use super::probe_policy::{Backend, Conclusion, Probing};
use super::run_questions::{QuestionsCell, RunQuestions};
use super::{Options, probe_policy};
use crate::chain::{Chain, Learned, Translation, translate};
use crate::classes::SourceRoots;
use crate::debuggee::Forward;
use crate::locate::Locator;
use crate::model::{Coordinate, Site};
use crate::query::{Event, Key, LocalConditions, PointIndex, TraceQuery};
use crate::run::{AgentRole, Ended, FurtherQuestions, Halted, Launch, Questions, Stage};
use crate::session::answer::arms;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::facts::Round;
use crate::session::workspace::{Pools, Workspace};
use crate::{locate, run};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Maximum number of candidates held at once. A million take about 150 MB; more are refused instead of
/// swapped.
const LIMIT: usize = 4_000_000;

/// The chain, which can grow between runs.
pub type SharedChain = Rc<RefCell<Rc<Chain>>>;

/// How to halt a run, and how to send it more questions.
#[derive(Default)]
pub struct Halting {
    /// Whether to keep the program alive when the last point is located.
    pub hold: bool,
    /// Where to halt.
    pub at: Option<Coordinate>,
    /// Where the run may be sent on to from there.
    pub later: Vec<Coordinate>,
    /// Delivers additional questions during the run.
    pub more: Option<mpsc::Receiver<FurtherQuestions>>,
}

/// What earlier runs have shown, for the next one.
#[derive(Clone, Default)]
pub struct Teaching {
    /// Number of runs so far.
    pub runs: u32,
    /// Facts about points.
    pub learned: Learned,
    /// Their class files.
    pub pools: Pools,
    /// What the runs by probes have shown.
    pub probing: Probing,
    /// Sites that stored or returned a value from an unknown arm; the next run marks the arms.
    pub marked: BTreeSet<Site>,
}

/// The last of a series of runs.
pub struct Last {
    /// The run.
    pub round: Round,
    /// The program, if it is still alive.
    pub halted: Option<Box<Halted>>,
}

/// Makes runs.
pub struct Runner {
    /// The debuggee.
    pub workspace: Rc<Workspace>,
    /// The questions.
    pub chain: SharedChain,
    /// Replay options.
    pub options: Options,
    /// The sources.
    pub sources: Rc<SourceRoots>,
}

impl Runner {
    /// The chain in its current state.
    pub fn chain(&self) -> Rc<Chain> {
        self.chain.borrow().clone()
    }

    /// Runs the program until every point is located or another run would show nothing new. Returns `None` if
    /// the user interrupted before any question was asked. `halting` receives each run's cell before the run
    /// begins.
    ///
    /// # Errors
    /// A question is invalid, or the program cannot be run.
    pub async fn rounds(
        &self,
        teaching: &mut Teaching,
        halting: &mut dyn FnMut(&QuestionsCell) -> Halting,
        context: &Context,
    ) -> Result<Option<Last>, SessionError> {
        teaching.probing.begin();
        let mut why: Option<String> = None;
        let (mut made, mut retries) = (0, 0);
        loop {
            made += 1;
            let asked = QuestionsCell::default();
            let halting = halting(&asked);
            let stage = self.run(teaching, why.as_deref(), halting, &asked, context).await?;
            let (outcome, halted) = match stage {
                Stage::Over(outcome) => (*outcome, None),
                Stage::Halted(mut halted) => (halted.outcome(), Some(halted)),
            };
            let Some(round) = Round::of(&asked, outcome) else { return Ok(None) };
            let may_run = made - retries < self.options.max_runs;
            why = if may_run { self.learn(&round, &mut teaching.learned) } else { None };
            why = self.probed(&round, teaching, may_run)?.or(why);
            if why.is_none() && may_run {
                let before = teaching.marked.len();
                teaching.marked.extend(arms::unmarked(&round));
                why = (teaching.marked.len() > before).then(|| "which arm gave a value".to_owned());
            }
            if why.is_none() && retries + 1 < self.options.attempts && round.missed_root() {
                retries += 1;
                why = Some("the root was not reached".to_owned());
            }
            if why.is_none() {
                let mut round = round;
                if let Some(refused) = teaching.probing.refused() {
                    round
                        .outcome
                        .report
                        .warn(format!("watched by JDWP events, since probes could not: {refused}"));
                } else {
                    let unseen = probe_policy::unseen(&round);
                    let unrepeated = teaching.probing.unrepeated(&round.queries);
                    unseen.into_iter().chain(unrepeated).for_each(|text| round.outcome.report.warn(text));
                }
                return Ok(Some(Last { round, halted }));
            }
            if let Some(halted) = halted {
                halted.end().await;
            }
        }
    }

    /// Makes one run, until it ends or halts.
    ///
    /// # Errors
    /// As [`Runner::rounds`].
    pub async fn run(
        &self,
        teaching: &mut Teaching,
        why: Option<&str>,
        halting: Halting,
        asked: &QuestionsCell,
        context: &Context,
    ) -> Result<Stage, SessionError> {
        teaching.runs += 1;
        let Teaching { runs: number, learned, pools, probing, marked } = teaching;
        context.progress().run_started(*number, why);
        // If the classes are known, invalid questions are reported before the launch.
        if self.workspace.knows_classes()? {
            let pool = pools.of(&self.workspace, &run::VmFacts::default())?;
            translate(&self.chain(), &pool, &self.sources, learned)?;
        }
        let remote = self.workspace.template().settings().remote.is_some();
        let agent = self.options.backend != Backend::Jdwp && !remote && probing.refused().is_none();
        let probing = &*probing;
        let halts: Vec<Coordinate> = halting.at.iter().chain(&halting.later).cloned().collect();
        let mut ask = |facts: &run::VmFacts| -> Result<Questions, run::ObserverError> {
            let pool = pools.of(&self.workspace, facts)?;
            let chain = self.chain();
            let translation = translate(&chain, &pool, &self.sources, learned).map_err(SessionError::from)?;
            let queries = in_order(&translation, &chain);
            let probed = agent
                && match self.options.backend {
                    Backend::Jdwp => false,
                    Backend::Probe => true,
                    Backend::Auto => probe_policy::help(&queries),
                    Backend::EventsFirst => probe_policy::needed(&queries).is_some(),
                };
            if let Some(query) = probe_policy::needed(&queries).filter(|_| !probed) {
                let why = match probing.refused() {
                    Some(why) => format!("they cannot answer: {why}"),
                    None if remote => "probes cannot be placed in a remote program".to_owned(),
                    None => "this run has none; use `--backend auto`".to_owned(),
                };
                let (id, what) = (query.id.clone(), probe_policy::beyond_events(query));
                return Err(Box::new(SessionError::NeedsProbes { id, what, why }));
            }
            let queries: Arc<[TraceQuery]> =
                if probed { probing.narrowed(queries).into() } else { queries.into() };
            let gates = probed.then(|| {
                let all = self.options.last.is_some();
                probing.gates(&queries, all, self.options.eager, &halts)
            });
            let tracked = translation.tracked.clone();
            let locator = self.locator(&queries)?;
            *asked.borrow_mut() = Some(RunQuestions {
                translation,
                queries: queries.clone(),
                locator,
                pool: pool.clone(),
                more: VecDeque::new(),
                late: BTreeMap::new(),
                gates: gates.clone(),
                ways: probing.ways().clone(),
            });
            let marks = arms::marks(&queries, &pool, marked);
            Ok(Questions { queries, tracked, marks, pool, gates, recording: None })
        };
        let output = context.progress().sink().filter(|_| self.options.show_output);
        let output = output.map(|sink| Forward::new(format!("run {number} | "), move |_, lines| sink(lines)));
        let template = self.workspace.template();
        let Halting { hold, at: halt_at, more, later: _ } = halting;
        let agent_role = if agent { AgentRole::Probes } else { AgentRole::Nothing };
        let launch = Launch { template, output, interrupt: context.interrupt(), halt_at, more, agent_role };
        let mut watching = Watching::new(asked, context.progress(), self.chain().points.len(), hold);
        Ok(run::execute(launch, &mut ask, &mut watching).await?)
    }

    /// Why a run by probes requires another run, if it does.
    fn probed(
        &self,
        round: &Round,
        teaching: &mut Teaching,
        may_run: bool,
    ) -> Result<Option<String>, SessionError> {
        let Some(gates) = &round.gates else { return Ok(None) };
        // A run that was cut off shows nothing.
        if matches!(round.outcome.ended, Ended::Interrupted | Ended::TimedOut(_) | Ended::Lost(_)) {
            return Ok(None);
        }
        let refused = match teaching.probing.verdict(round, gates) {
            Conclusion::Holds => return Ok(None),
            // Each further run should find one more point. If the program is nondeterministic, for instance
            // because it depends on user input or the clock, JDWP events are the better choice.
            Conclusion::Again(_)
                if self.options.backend == Backend::Auto
                    && usize::try_from(teaching.runs)
                        .is_ok_and(|runs| runs > gates.len() + teaching.probing.patience()) =>
            {
                format!("in {} runs the program did not repeat itself closely enough", teaching.runs)
            }
            Conclusion::Again(why) if may_run => return Ok(Some(why)),
            Conclusion::Again(_) => {
                format!("{} runs were not enough; `--max-runs` allows more", teaching.runs)
            }
            Conclusion::Refused(why) => why,
        };
        if self.options.backend == Backend::Probe {
            return Err(SessionError::Probes(refused));
        }
        let why = format!("without probes: {refused}");
        teaching.probing.refuse(refused);
        Ok(Some(why))
    }

    fn locator(&self, queries: &Arc<[TraceQuery]>) -> Result<Locator, SessionError> {
        let keep_rejected = self.options.candidates;
        let options = locate::Options { keep_rejected, limit: LIMIT, last_roots: self.options.last };
        Ok(Locator::new(queries.clone(), options)?)
    }

    /// Learns facts from a run. Returns why another run is needed, if the translation would change and a
    /// point has no answer.
    pub fn learn(&self, round: &Round, learned: &mut Learned) -> Option<String> {
        if !matches!(
            round.outcome.ended,
            Ended::Stopped | Ended::Driven | Ended::Exited(_) | Ended::Killed(_)
        ) {
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
                learned.value(query.point, keep.frame, keep.expr.text(), Key::of(value));
                if let Some(class) = tables.class_name(value) {
                    learned.class(query.point, keep.frame, keep.expr.text(), class);
                }
            }
        }
        if unlocated == 0 {
            return None;
        }
        // The new facts may show that a point is invalid. The others stay valid: each refusal removes one
        // point.
        let chain = self.chain();
        let again = (0..=chain.points.len()).find_map(|_| {
            translate(&chain, &round.pool, &self.sources, learned)
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
}

impl Round {
    /// Combines a run with its questions; `None` if it ended before it was asked any.
    pub fn of(asked: &QuestionsCell, outcome: run::Outcome) -> Option<Round> {
        let RunQuestions { translation, queries, mut locator, pool, late, gates, ways, .. } = asked.take()?;
        locator.finish(&outcome.tables);
        let astray = probe_policy::astray(&queries, gates.as_deref(), &locator, &outcome.tables);
        Some(Round { translation, queries, locator, outcome, pool, late, gates, ways, astray })
    }

    /// Whether the program ended by itself before reaching the root; another run may reach it.
    pub fn missed_root(&self) -> bool {
        matches!(self.outcome.ended, Ended::Driven | Ended::Exited(_) | Ended::Killed(_))
            && self.queries.first().is_some_and(|root| self.locator.located(root.point).is_none())
    }
}

/// The TraceQueries by position in the chain. A query that never occurs stands for a point that cannot be
/// queried yet.
pub fn in_order(translation: &Translation, chain: &Chain) -> Vec<TraceQuery> {
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
