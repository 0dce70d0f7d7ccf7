//! One run of a chain: what it is asked, how far it has come, and what it teaches for the next.

use super::observer::Watching;
use super::probe_policy::{Backend, Conclusion, Probing};
use super::{Options, probe_policy};
use crate::chain::{Chain, Learned, Translation, translate};
use crate::classes::{ClassPool, SourceRoots};
use crate::debuggee::Forward;
use crate::locate::Locator;
use crate::model::{Coordinate, Site};
use crate::query::{Event, Key, LocalConditions, PointIndex, TraceQuery};
use crate::run::{Aboard, Ended, Gate, Halted, Launch, More, Questions, Stage};
use crate::session::answer::arms;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::facts::{Round, Ways};
use crate::session::workspace::{Pools, Workspace};
use crate::{locate, run};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Most candidates held at once. A million take about 150 MB; what is beyond is refused, not swapped.
const LIMIT: usize = 4_000_000;

/// What a run is asked, shared by who asks and who watches.
pub struct Asked {
    /// What the chain became.
    pub translation: Translation,
    /// The TraceQueries, as the run and the locator share them.
    pub queries: Arc<[TraceQuery]>,
    /// The locator.
    pub locator: Locator,
    /// The class files.
    pub pool: Rc<ClassPool>,
    /// What was asked more and is not watched yet, in order.
    pub more: VecDeque<Translation>,
    /// Points that were asked while the run was on, with the number of occurrences before.
    pub late: BTreeMap<PointIndex, u64>,
    /// Which hits interrupt, where it is watched by probes.
    pub gates: Option<Vec<Gate>>,
    /// The ways of values at whose steps it stops.
    pub ways: Ways,
}

/// What a run is asked; nothing before its VM has told what it is.
pub type AskedCell = Rc<RefCell<Option<Asked>>>;

/// The questions of runs, which can grow between them.
pub type SharedChain = Rc<RefCell<Rc<Chain>>>;

/// How a run is to be halted, and asked more.
#[derive(Default)]
pub struct Halting {
    /// Whether the program is kept alive where the last point was located.
    pub hold: bool,
    /// Where it halts before.
    pub at: Option<Coordinate>,
    /// Where it may be sent on to from there.
    pub later: Vec<Coordinate>,
    /// Brings what it is asked while it is on.
    pub more: Option<mpsc::Receiver<More>>,
}

/// What runs have taught, for the next.
#[derive(Clone, Default)]
pub struct Teaching {
    /// How many runs there were.
    pub runs: u32,
    /// What they told of points.
    pub learned: Learned,
    /// Their class files.
    pub pools: Pools,
    /// What those by probes told.
    pub probing: Probing,
    /// Where a value was stored or returned and it was not known which arm gave it.
    pub marked: BTreeSet<Site>,
}

/// The last of several runs.
pub struct Last {
    /// The run.
    pub round: Round,
    /// The program, if it was kept alive.
    pub halted: Option<Box<Halted>>,
}

/// How a run is made.
pub struct Runner {
    /// The debuggee.
    pub workspace: Rc<Workspace>,
    /// The questions.
    pub chain: SharedChain,
    /// How to replay.
    pub options: Options,
    /// The sources.
    pub sources: Rc<SourceRoots>,
}

impl Runner {
    /// The questions as they are now.
    pub fn chain(&self) -> Rc<Chain> {
        self.chain.borrow().clone()
    }

    /// Runs the program until every point is located or nothing more can be learnt; none if it was
    /// interrupted before anything could be asked. `halting` is told of each run's cell before it begins.
    ///
    /// # Errors
    /// What is wrong with a question, or keeps the program from being run.
    pub async fn rounds(
        &self,
        teaching: &mut Teaching,
        halting: &mut dyn FnMut(&AskedCell) -> Halting,
        context: &Context,
    ) -> Result<Option<Last>, SessionError> {
        teaching.probing.begin();
        let mut why: Option<String> = None;
        let (mut made, mut retries) = (0, 0);
        loop {
            made += 1;
            let asked = AskedCell::default();
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

    /// One run, until it is over or halted.
    ///
    /// # Errors
    /// As [`Runner::rounds`].
    pub async fn run(
        &self,
        teaching: &mut Teaching,
        why: Option<&str>,
        halting: Halting,
        asked: &AskedCell,
        context: &Context,
    ) -> Result<Stage, SessionError> {
        teaching.runs += 1;
        let Teaching { runs: number, learned, pools, probing, marked } = teaching;
        context.progress().run_started(*number, why);
        // What is wrong with a question is told before anything is launched, where that can be.
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
                    None if remote => "they cannot be put into a remote program".to_owned(),
                    None => "this run has none; `--backend auto` takes them".to_owned(),
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
            *asked.borrow_mut() = Some(Asked {
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
        let aboard = if agent { Aboard::Probes } else { Aboard::Nothing };
        let launch = Launch { template, output, interrupt: context.interrupt(), halt_at, more, aboard };
        let mut watching = Watching::new(asked, context.progress(), self.chain().points.len(), hold);
        Ok(run::execute(launch, &mut ask, &mut watching).await?)
    }

    /// What another run is for, where a run by probes calls for one.
    fn probed(
        &self,
        round: &Round,
        teaching: &mut Teaching,
        may_run: bool,
    ) -> Result<Option<String>, SessionError> {
        let Some(gates) = &round.gates else { return Ok(None) };
        // Of a run that was cut off nothing follows.
        if matches!(round.outcome.ended, Ended::Interrupted | Ended::TimedOut(_) | Ended::Lost(_)) {
            return Ok(None);
        }
        let refused = match teaching.probing.verdict(round, gates) {
            Conclusion::Holds => return Ok(None),
            // A run for each point finds it where the one before has told, if the program repeats itself. One
            // that does not, by what a person or a clock does to it, is better watched by events at once.
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

    /// Learns from a run. Gives what another run is for, if one is due: what it would be asked has changed,
    /// and a point is without an answer.
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
        // What was learnt may show that a point cannot be asked. The others can: each refusal takes one point
        // out.
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
    /// The run with what it was asked; none if it was over before it was asked anything.
    pub fn of(asked: &AskedCell, outcome: run::Outcome) -> Option<Round> {
        let Asked { translation, queries, mut locator, pool, late, gates, ways, .. } = asked.take()?;
        locator.finish(&outcome.tables);
        let astray = probe_policy::astray(&queries, gates.as_deref(), &locator, &outcome.tables);
        Some(Round { translation, queries, locator, outcome, pool, late, gates, ways, astray })
    }

    /// Whether the program ended by itself without having reached the root: another run may reach it.
    pub fn missed_root(&self) -> bool {
        matches!(self.outcome.ended, Ended::Driven | Ended::Exited(_) | Ended::Killed(_))
            && self.queries.first().is_some_and(|root| self.locator.located(root.point).is_none())
    }
}

/// The TraceQueries by place in the chain. A point that cannot be asked yet is held by one that never occurs.
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

/// Whether a run can be asked these TraceQueries instead of its own: they begin with its own, and a point
/// that keeps more for others now has had no hit yet.
pub fn extends(asked: &Asked, queries: &[TraceQuery]) -> bool {
    let text = |query: &TraceQuery| format!("{:?}", TraceQuery { keep: Vec::new(), ..query.clone() });
    let reports = asked.locator.report();
    let fits = |(old, new): (&TraceQuery, &TraceQuery)| {
        let hits = reports.iter().find(|r| r.point == old.point).map_or(0, |r| r.hits);
        text(old) == text(new) && (old.keep == new.keep || hits == 0)
    };
    queries.len() >= asked.queries.len() && asked.queries.iter().zip(queries).all(fits)
}
