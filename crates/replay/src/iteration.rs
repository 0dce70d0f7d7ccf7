//! One run of a chain: its questions, its progress, and what the next run learns from it.

use super::observer::LocatorObserver;
use super::probe_policy::{Backend, ProbePolicy, ProbeVerdict};
use super::run_questions::{QuestionsCell, RunQuestions};
use super::{Options, moves, probe_policy};
use answer::facts::{Astray, RunFacts};
use answer::{arms, stack_values};
use chain::{Chain, Learned, Refusal, TranslateError, Translation, translate};
use classes::SourceRoots;
use debuggee::Forward;
use locate::Locator;
use model::{Coordinate, Site};
use query::{Event, Key, LocalConditions, PointIndex, TraceQuery};
use run::{AgentRole, Ended, FurtherQuestions, Gate, Halted, Launch, Questions, Stage};
use session::workspace::{Pools, Workspace};
use session::{Context, SessionError};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Maximum number of candidates held at once. A million take about 150 MB; more are refused instead of
/// swapped.
pub const LIMIT: usize = 4_000_000;

/// The chain, which can grow between runs.
pub type SharedChain = Rc<RefCell<Rc<Chain>>>;

/// How to halt a run, and how to send it more questions.
#[derive(Default)]
pub struct HaltRequest {
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
pub struct Findings {
    /// Number of runs so far.
    pub runs: u32,
    /// Facts about points.
    pub learned: Learned,
    /// Their class files.
    pub pools: Pools,
    /// What the runs by probes have shown.
    pub probe_policy: ProbePolicy,
    /// Sites that stored or returned a value from an unknown arm, or from unknown values; the next run marks
    /// the arms and keeps the values.
    pub marked: BTreeSet<Site>,
}

/// The last of a series of runs.
pub struct LastRun {
    /// The run.
    pub run_facts: RunFacts,
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
    /// the user interrupted before any question was asked. `halt_request` receives each run's cell before
    /// the run begins.
    ///
    /// # Errors
    /// A question is invalid, or the program cannot be run.
    pub async fn run_until_answered(
        &self,
        findings: &mut Findings,
        halt_request: &mut dyn FnMut(&QuestionsCell) -> HaltRequest,
        context: &Context,
    ) -> Result<Option<LastRun>, SessionError> {
        findings.probe_policy.begin();
        let mut why: Option<String> = None;
        let (mut made, mut retries) = (0, 0);
        loop {
            made += 1;
            let asked = QuestionsCell::default();
            let halt_request = halt_request(&asked);
            let started = Instant::now();
            let stage = self.run(findings, why.as_deref(), halt_request, &asked, context).await?;
            let (outcome, halted) = match stage {
                Stage::Over(outcome) => (*outcome, None),
                Stage::Halted(mut halted) => (halted.outcome(), Some(halted)),
            };
            let took = started.elapsed();
            let Some(mut run_facts) = run_facts(&asked, outcome) else { return Ok(None) };
            let may_run = made - retries < self.options.max_runs;
            why = learn(&self.chain(), &self.sources, &mut run_facts, &mut findings.learned);
            why = why.filter(|_| may_run);
            why = self.probed(&run_facts, findings, may_run, took)?.or(why);
            if why.is_none() && may_run {
                let before = findings.marked.len();
                findings.marked.extend(arms::unmarked(&run_facts));
                why = (findings.marked.len() > before).then(|| "which arm gave a value".to_owned());
                let unkept = stack_values::unkept(&run_facts, &findings.marked);
                if !unkept.is_empty() {
                    why = why.or_else(|| Some("which values an expression had".to_owned()));
                }
                findings.marked.extend(unkept);
            }
            if why.is_none() && retries + 1 < self.options.attempts && run_facts.missed_root() {
                retries += 1;
                why = Some("the root was not reached".to_owned());
            }
            if why.is_none() {
                if let Some(refused) = findings.probe_policy.refused() {
                    run_facts
                        .outcome
                        .report
                        .warn(format!("watched by JDWP events, since probes could not: {refused}"));
                } else {
                    let unseen = unseen(&run_facts);
                    let unrepeated = findings.probe_policy.unrepeated(&run_facts.queries);
                    unseen.into_iter().chain(unrepeated).for_each(|text| run_facts.outcome.report.warn(text));
                }
                return Ok(Some(LastRun { run_facts, halted }));
            }
            if let Some(halted) = halted {
                halted.end().await;
            }
        }
    }

    /// Makes one run, until it ends or halts.
    ///
    /// # Errors
    /// As [`Runner::run_until_answered`].
    pub async fn run(
        &self,
        findings: &mut Findings,
        why: Option<&str>,
        halt_request: HaltRequest,
        asked: &QuestionsCell,
        context: &Context,
    ) -> Result<Stage, SessionError> {
        findings.runs += 1;
        let Findings { runs: number, learned, pools, probe_policy, marked } = findings;
        context.progress().run_started(*number, why);
        // If the classes are known, invalid questions are reported before the launch.
        if self.workspace.knows_classes()? {
            let pool = pools.of(&self.workspace, &run::VmFacts::default())?;
            translate(&self.chain(), &pool, &self.sources, learned)?;
        }
        let remote = self.workspace.template().settings().remote.is_some();
        let agent = self.options.backend != Backend::Jdwp && !remote && probe_policy.refused().is_none();
        let probe_policy = &*probe_policy;
        let halts: Vec<Coordinate> = halt_request.at.iter().chain(&halt_request.later).cloned().collect();
        let mut ask = |facts: &run::VmFacts| -> Result<Questions, run::ObserverError> {
            let pool = pools.of(&self.workspace, facts)?;
            let chain = self.chain();
            let translation =
                translate(&chain, &pool, &self.sources, learned).map_err(|error| self.refused(error))?;
            let queries = in_order(&translation, &chain);
            let probed = agent && self.is_probed(&queries);
            if let Some(query) = probe_policy::needed(&queries).filter(|_| !probed) {
                return Err(Box::new(needs_probes(query, probe_policy, remote)));
            }
            let queries: Arc<[TraceQuery]> =
                if probed { probe_policy.narrowed(queries).into() } else { queries.into() };
            let gates = probed.then(|| {
                let all = self.options.last.is_some();
                probe_policy.gates(&queries, all, self.options.eager, &halts)
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
                value_flows: probe_policy.value_flows().clone(),
            });
            let marks = arms::marks(&queries, &pool, marked);
            let stack_value_users = stack_values::users(&queries, &pool, marked);
            Ok(Questions { queries, tracked, marks, stack_value_users, pool, gates, recording: None })
        };
        let output = context.progress().sink().filter(|_| self.options.show_output);
        let output = output.map(|sink| Forward::new(format!("run {number} | "), move |_, lines| sink(lines)));
        let template = self.workspace.template();
        let HaltRequest { hold, at: halt_at, more, later: _ } = halt_request;
        let agent_role = if agent { AgentRole::Probes } else { AgentRole::Nothing };
        let launch = Launch {
            template,
            output,
            interrupt: context.interrupt(),
            halt_at,
            more,
            agent_role,
            unwatched: None,
        };
        let mut observer = LocatorObserver::new(asked, context.progress(), self.chain().points.len(), hold);
        Ok(run::execute(launch, &mut ask, &mut observer).await?)
    }

    /// The refusal of a question. A VM of a wrapper that lacks a class need not be the one that is meant.
    fn refused(&self, error: TranslateError) -> run::ObserverError {
        let is_lacking = matches!(*error.refusal, Refusal::NoSuchClass { .. });
        let error: run::ObserverError = Box::new(SessionError::from(error));
        match self.workspace.knows_classes() {
            Ok(false) if is_lacking => Box::new(run::LacksClass(error)),
            _ => error,
        }
    }

    /// Whether probes watch a run, if they can be placed.
    fn is_probed(&self, queries: &[TraceQuery]) -> bool {
        match self.options.backend {
            Backend::Jdwp => false,
            Backend::Probe => true,
            Backend::Auto => probe_policy::help(queries),
            Backend::EventsFirst => probe_policy::needed(queries).is_some(),
        }
    }

    /// Why a run by probes requires another run, if it does.
    fn probed(
        &self,
        run_facts: &RunFacts,
        findings: &mut Findings,
        may_run: bool,
        took: Duration,
    ) -> Result<Option<String>, SessionError> {
        let Some(gates) = &run_facts.gates else { return Ok(None) };
        // A run that was cut off shows nothing.
        if run_facts.outcome.ended.is_cut_off() {
            return Ok(None);
        }
        if let Some(classes) = self.workspace.learn_loaded(&run_facts.outcome.report).filter(|_| may_run) {
            return Ok(Some(format!("to use the code of {classes} in the VM, which a Java agent rewrote")));
        }
        let refused = match findings.probe_policy.verdict(run_facts, gates, took) {
            ProbeVerdict::Holds => return Ok(None),
            // Each further run should find one more point. If the program is nondeterministic, for instance
            // because it depends on user input or the clock, JDWP events are the better choice.
            ProbeVerdict::Again(_)
                if self.options.backend == Backend::Auto
                    && usize::try_from(findings.runs)
                        .is_ok_and(|runs| runs > gates.len() + findings.probe_policy.patience()) =>
            {
                format!("in {} runs the program did not repeat itself closely enough", findings.runs)
            }
            ProbeVerdict::Again(why) if may_run => return Ok(Some(why)),
            ProbeVerdict::Again(_) => {
                format!("{} runs were not enough; `--max-runs` allows more", findings.runs)
            }
            ProbeVerdict::Refused(why) => why,
        };
        if self.options.backend == Backend::Probe {
            return Err(SessionError::Probes(refused));
        }
        let why = format!("without probes: {refused}");
        findings.probe_policy.refuse(refused);
        Ok(Some(why))
    }

    fn locator(&self, queries: &Arc<[TraceQuery]>) -> Result<Locator, SessionError> {
        let keep_rejected = self.options.candidates;
        let options = locate::Options {
            keep_rejected,
            limit: LIMIT,
            last_roots: self.options.last,
            ..locate::Options::default()
        };
        Ok(Locator::new(queries.clone(), options)?)
    }
}

/// The error that only probes answer a query, and there are none.
fn needs_probes(query: &TraceQuery, policy: &ProbePolicy, is_remote: bool) -> SessionError {
    let why = match policy.refused() {
        Some(why) => format!("they cannot answer: {why}"),
        None if is_remote => "probes cannot be placed in a remote program".to_owned(),
        None => "this run has none; use `--backend auto`".to_owned(),
    };
    SessionError::NeedsProbes { id: query.id.clone(), what: probe_policy::beyond_events(query), why }
}

/// Learns facts from a run, and marks the points that were asked by facts of earlier runs which do not
/// hold in it. Returns why another run is needed, if the translation would change and a point has no
/// answer.
pub fn learn(
    chain: &Chain,
    sources: &SourceRoots,
    run_facts: &mut RunFacts,
    learned: &mut Learned,
) -> Option<String> {
    let mut now = learned.clone();
    let unlocated = run_facts.translation.pending.len() + learn_located(run_facts, &mut now);
    let is_other = now.contradicts(learned);
    let is_whole = matches!(
        run_facts.outcome.ended,
        Ended::Stopped
            | Ended::Driven
            | Ended::Exited(_)
            | Ended::Killed(_)
            | Ended::Recorded { went_on: false, .. }
    );
    if unlocated == 0 && !is_other {
        if is_whole {
            *learned = now;
        }
        return None;
    }
    // The new facts may show that a point is invalid. The others stay valid: each refusal removes one
    // point.
    let again = (0..=chain.points.len()).find_map(|_| {
        translate(chain, &run_facts.pool, sources, &now)
            .map_err(|error| now.refuse(error.point, &error.refusal.to_string()))
            .ok()
    });
    let moved = again.as_ref().is_some_and(|again| moves::mark(run_facts, again, learned));
    if !is_whole {
        return None;
    }
    *learned = now;
    let again = again.filter(|_| unlocated > 0 || moved)?;
    let asked = |t: &Translation| format!("{:?} {:?}", t.queries, t.pending);
    if asked(&again) == asked(&run_facts.translation) {
        return None;
    }
    let needs = run_facts.translation.pending.iter().chain(&run_facts.translation.deeper);
    let mut needs: Vec<String> = needs.map(|(_, need)| need.to_string()).collect();
    needs.dedup();
    Some(if needs.is_empty() {
        "a point moved".to_owned()
    } else {
        format!("now known: {}", needs.join(", "))
    })
}

/// Learns facts from the located points of a run. Returns the number of the others.
fn learn_located(run_facts: &RunFacts, learned: &mut Learned) -> usize {
    let tables = &run_facts.outcome.tables;
    let mut unlocated = 0;
    for query in run_facts.queries.iter() {
        let Some(located) = run_facts.locator.located(query.point) else {
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
    unlocated
}

/// Combines a run with its questions; `None` if it ended before it was asked any.
pub fn run_facts(asked: &QuestionsCell, outcome: run::Outcome) -> Option<RunFacts> {
    let RunQuestions { translation, queries, mut locator, pool, late, gates, value_flows, .. } =
        asked.take()?;
    // Of a run that was cut off, nothing is known that only its end decides.
    let open = queries.iter().map(|query| query.point).filter(|point| locator.located(*point).is_none());
    let open: Vec<PointIndex> = if outcome.ended.is_cut_off() { open.collect() } else { Vec::new() };
    locator.finish(&outcome.tables);
    let mut astray = probe_policy::astray(&queries, gates.as_deref(), &locator, &outcome.tables);
    let counts = |point: &PointIndex| {
        let gate = gates.as_ref().and_then(|gates| gates.get(usize::from(point.0)));
        matches!(gate, Some(Gate::Last(_)))
    };
    let undecided = open.into_iter().filter(|point| counts(point) || locator.located(*point).is_some());
    astray.extend(undecided.map(|point| (point, Astray::CutOff)));
    Some(RunFacts { translation, queries, locator, outcome, pool, late, gates, value_flows, astray })
}

/// The warnings about hidden classes that probes could not watch.
fn unseen(run_facts: &RunFacts) -> Vec<String> {
    let id = |number: &u16| run_facts.queries.iter().find(|q| q.point.0 == *number).map(|q| &*q.id);
    let unseen = run_facts.outcome.report.hidden.iter().map(|hidden| {
        let ids: Vec<&str> = hidden.queries.iter().filter_map(id).collect();
        format!("{hidden}: hits of {} in its code are not seen", ids.join(", "))
    });
    unseen.collect()
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
            text: None,
            compare_at: None,
        })
    });
    held.collect()
}
