//! Answers a chain from a recording: the recorded run is asked as often as is needed, and no program runs.

use super::open::RecordedTrace;
use answer::answer_facts::AnswerFacts;
use answer::assemble::{assemble, unasked};
use answer::facts::{Astray, RunFacts, ValueFlows};
use answer::value_flow::{self, FlowVerdict};
use answer::{Answer, Outcome, arms, stack_values};
use chain::{Chain, Learned, translate};
use classes::{ClassPool, SourcePaths, SourceRoots};
use debuggee::Tail;
use locate::Locator;
use model::{Coordinate, Forecast, MethodName, Namer, Site};
use occurrences::{Asked, OccurrencesReport};
use past::{PastError, Recording};
use query::{Event, PointIndex, TraceQuery};
use replay::Options;
use replay::into_call::go_into_call;
use replay::iteration::{LIMIT, in_order, learn};
use run::{ClassReport, Ended, RunReport};
use session::{Context, SessionError};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use trace::EventPosition;

/// How often a recording is asked for one chain. Each time, facts of the last one are known that questions
/// need: the class of a value, the callers of a point.
const ROUNDS: u32 = 200;

/// A recording that chains are answered from.
pub struct RecordedSource<'t> {
    /// The recording.
    pub trace: &'t mut RecordedTrace,
    /// The folder or file, as the user named it.
    pub path: PathBuf,
    pool: Rc<ClassPool>,
    sources: SourceRoots,
}

/// What earlier rounds over the recording have told.
#[derive(Default)]
struct Known {
    /// Facts that questions need.
    learned: Learned,
    /// Sites whose arms are marked.
    marked: BTreeSet<Site>,
    /// The value flows.
    flows: ValueFlows,
}

/// What is looked at for some TraceQueries.
struct LookedAt {
    queries: Arc<[TraceQuery]>,
    marks: BTreeMap<MethodName, BTreeSet<u32>>,
    results: BTreeMap<MethodName, BTreeSet<u32>>,
    armed: Vec<Coordinate>,
}

impl LookedAt {
    fn new(queries: Arc<[TraceQuery]>, pool: &ClassPool, known: &Known) -> LookedAt {
        let marks = arms::marks(&queries, pool, &known.marked);
        let results = stack_values::calls(&queries, pool, &known.marked);
        let armed = queries.iter().flat_map(|query| known.flows.armed(&queries, query.point)).collect();
        LookedAt { queries, marks, results, armed }
    }

    fn asked(&self, shows_all: bool) -> Asked<'_> {
        let LookedAt { queries, marks, results, armed } = self;
        Asked { queries, armed, shows_all, marks, results }
    }
}

/// An answer from a recording, with the events of its points.
pub struct RecordedAnswer {
    /// The answer.
    pub answer: Answer,
    /// The events of the located points, by their ids.
    pub events: BTreeMap<String, EventPosition>,
    /// Whether the recording lacks what some of the points need.
    pub is_lacking: bool,
    facts: Option<RunFacts>,
}

impl<'t> RecordedSource<'t> {
    /// Asks a recording the questions of chains like this one, with the class files of its program. Sources
    /// are looked for in the folders of the chain too.
    ///
    /// # Errors
    /// Only some calls were recorded, or the class files are not there any more.
    pub fn new(
        trace: &'t mut RecordedTrace,
        path: PathBuf,
        chain: &Chain,
    ) -> Result<RecordedSource<'t>, SessionError> {
        trace.about.is_whole()?;
        let pool = Rc::new(trace.pool()?);
        let paths = chain.debuggee.sources.iter().map(|source| chain.cwd().join(source)).collect();
        let found = trace.sources(&SourcePaths { paths, encoding: chain.debuggee.source_encoding });
        let sources = found.unwrap_or_else(|| SourceRoots::open(&[], &trace.about.cwd, None));
        let code = trace.pool()?;
        trace.use_code(Some(code), None);
        Ok(RecordedSource { trace, path, pool, sources })
    }

    /// Answers a chain. If its last point is the change of a value to the result of a method of the user, the
    /// answer has a further point: the `return` that made the result.
    ///
    /// # Errors
    /// As [`RecordedSource::replay`].
    pub async fn replay_into_call(
        &mut self,
        name: &str,
        chain: &Chain,
        options: &Options,
        context: &Context,
    ) -> Result<Answer, SessionError> {
        go_into_call(chain, options, async |chain, options| {
            let RecordedAnswer { answer, facts, .. } = self.replay(name, chain, options, context)?;
            Ok((answer, facts))
        })
        .await
    }

    /// Answers a chain.
    ///
    /// # Errors
    /// A question is invalid, or the recording does not have what it needs.
    pub fn replay(
        &mut self,
        name: &str,
        chain: &Chain,
        options: &Options,
        context: &Context,
    ) -> Result<RecordedAnswer, SessionError> {
        let interrupted = || RecordedAnswer {
            answer: unasked(name, chain, Outcome::Interrupted),
            events: BTreeMap::new(),
            is_lacking: false,
            facts: None,
        };
        let mut known = Known::default();
        let mut times = 0;
        let mut lacking = BTreeMap::new();
        let mut facts = loop {
            times += 1;
            lacking.clear();
            let asked = self.ask(chain, options, &known, &mut lacking, context);
            let asked = asked.and_then(|mut facts| {
                let more = learn(chain, &self.sources, &mut facts, &mut known.learned).is_some();
                let before = known.marked.len();
                known.marked.extend(arms::unmarked(&facts));
                let is_new = known.marked.len() > before;
                let flows = self.flows(&mut facts, &mut known, &mut lacking, context)?;
                Ok((facts, more || is_new || flows))
            });
            let (mut facts, more) = match asked {
                Err(SessionError::Past(PastError::Interrupted)) => return Ok(interrupted()),
                asked => asked?,
            };
            if times >= ROUNDS || !more {
                facts.value_flows = known.flows.clone();
                break facts;
            }
        };
        let events = match self.show(chain, options, &mut facts, &known, context) {
            Err(SessionError::Past(PastError::Interrupted)) => return Ok(interrupted()),
            events => events?,
        };
        let all_frames = options.all_frames;
        let (sources, run_facts) = (&self.sources, &facts);
        let facts_of = AnswerFacts { name, chain, sources, runs: 0, all_frames, run_facts };
        let answer = assemble(facts_of, &mut Namer::default());
        let mut answer = Answer { recording: Some(self.path.display().to_string()), ..answer };
        for point in &mut answer.points {
            if let Some(why) = lacking.get(&point.id) {
                point.reason = Some(why.clone());
            }
        }
        let is_lacking = !lacking.is_empty();
        Ok(RecordedAnswer { answer, events, is_lacking, facts: Some(facts) })
    }

    /// Goes through the recording once. `lacking` gets the points that it cannot answer, with the reasons.
    fn ask(
        &mut self,
        chain: &Chain,
        options: &Options,
        known: &Known,
        lacking: &mut BTreeMap<String, String>,
        context: &Context,
    ) -> Result<RunFacts, SessionError> {
        let translation = translate(chain, &self.pool, &self.sources, &known.learned)?;
        let mut queries = in_order(&translation, chain);
        self.leave_out(&mut queries, lacking)?;
        let queries: Arc<[TraceQuery]> = queries.into();
        let (keep_rejected, last_roots) = (options.candidates, options.last);
        let limits =
            locate::Options { keep_rejected, limit: LIMIT, last_roots, ..locate::Options::default() };
        let mut locator = Locator::new(queries.clone(), limits)?;
        let looked_at = LookedAt::new(queries.clone(), &self.pool, known);
        let asked = looked_at.asked(options.candidates > 0);
        let report = offer_occurrences(self.trace, asked, &mut locator, context)?;
        // Of a run that went on, nothing is known that only its end decides.
        let ended = self.ended();
        let open = queries.iter().map(|query| query.point).filter(|point| locator.located(*point).is_none());
        let open: Vec<PointIndex> = if ended.is_cut_off() { open.collect() } else { Vec::new() };
        locator.finish(&report.tables);
        let undecided = open.into_iter().filter(|point| locator.located(*point).is_some());
        let astray = undecided.map(|point| (point, Astray::CutOff)).collect();
        let run_report = RunReport {
            classes: self.classes(),
            queries: report.queries,
            entered: report.entered,
            warnings: self.trace.missing(),
            visits: report.visits,
            ..RunReport::default()
        };
        let outcome =
            run::Outcome { ended, tables: report.tables, report: run_report, tail: Tail::default() };
        Ok(RunFacts {
            translation,
            queries,
            locator,
            outcome,
            pool: self.pool.clone(),
            late: BTreeMap::new(),
            gates: None,
            value_flows: ValueFlows::default(),
            astray,
        })
    }

    /// Removes the events that the recording cannot answer. `lacking` gets their points, with the reasons.
    fn leave_out(
        &self,
        queries: &mut [TraceQuery],
        lacking: &mut BTreeMap<String, String>,
    ) -> Result<(), SessionError> {
        for (place, query) in queries.iter_mut().enumerate() {
            let Some(why) = occurrences::cannot_answer(self.trace, query) else { continue };
            // Without its root, no point has an answer.
            if place == 0 {
                let (id, recording) = (query.id.clone(), self.path.display().to_string());
                return Err(SessionError::NotInRecording { id, recording, why });
            }
            lacking.insert(query.id.to_string(), why);
            query.event = Event::Reached(Vec::new());
        }
        Ok(())
    }

    /// The classes that were surely loaded: those that were recorded, and those of recorded objects.
    fn classes(&self) -> BTreeMap<Arc<str>, ClassReport> {
        let calls = &self.trace.calls;
        let classes = calls.sites.classes().map(|(class, _)| class).chain(calls.objects.classes());
        let report = ClassReport { prepared: 1, ..ClassReport::default() };
        classes.map(|class| (class.clone(), report.clone())).collect()
    }

    fn ended(&self) -> Ended {
        match &self.trace.about.recorded {
            Some(recorded) => Ended::Recorded { how: recorded.ended.clone(), went_on: false },
            None => Ended::Recorded { how: "the recording is not complete".to_owned(), went_on: true },
        }
    }

    /// Follows the value flows that are asked for, once the points that see the values are located. Returns
    /// whether the recording must be asked again for their steps. `lacking` gets the points whose flow cannot
    /// be told.
    fn flows(
        &mut self,
        facts: &mut RunFacts,
        known: &mut Known,
        lacking: &mut BTreeMap<String, String>,
        context: &Context,
    ) -> Result<bool, SessionError> {
        let mut is_new = false;
        let queries = facts.queries.clone();
        for (query, copies) in value_flow::asked(&queries) {
            let is_known = known.flows.of(&queries, query.point).is_some();
            let effect = value_flow::effect(query).and_then(|(point, _)| facts.locator.located(point));
            if let Some(effect) = effect.map(|effect| effect.occurrence.clone()).filter(|_| !is_known) {
                let looked_at = LookedAt::new(queries.clone(), &self.pool, known);
                let tables = &mut facts.outcome.tables;
                let is_interrupted = || context.interrupt().is_set();
                let (asked, trace) = (looked_at.asked(false), &mut *self.trace);
                let last =
                    occurrences::value_flow(trace, asked, &effect, query, copies, tables, &is_interrupted)?;
                let forecast = Forecast { query: query.point.0, last, number: None };
                let mut located = facts.locator.located_occurrences();
                if let Some(seen) = located.iter_mut().find(|seen| seen.sequence == effect.sequence) {
                    seen.detail.get_or_insert_default().forecasts.push(forecast);
                }
            }
            match known.flows.verdict(facts, query, copies) {
                FlowVerdict::Holds => {}
                FlowVerdict::Again => is_new = true,
                FlowVerdict::Refused(why) => {
                    lacking.insert(query.id.to_string(), why);
                }
            }
        }
        Ok(is_new)
    }

    /// Adds to the located points what they show. Returns their events, by their ids.
    fn show(
        &mut self,
        chain: &Chain,
        options: &Options,
        facts: &mut RunFacts,
        known: &Known,
        context: &Context,
    ) -> Result<BTreeMap<String, EventPosition>, SessionError> {
        let looked_at = LookedAt::new(facts.queries.clone(), &self.pool, known);
        let positions = occurrences::show(
            self.trace,
            looked_at.asked(options.candidates > 0),
            &mut facts.locator.located_occurrences(),
            &mut facts.outcome.tables,
            &|| context.interrupt().is_set(),
        )?;
        let events = facts.queries.iter().filter_map(|query| {
            let point = chain.points.get(usize::from(query.point.0))?;
            let number = facts.located(query.point)?.occurrence.sequence;
            Some((point.id.clone(), *positions.get(&number)?))
        });
        Ok(events.collect())
    }
}

/// Goes through a recording, and offers its occurrences to the locator until the locator needs no more.
fn offer_occurrences(
    recording: &mut Recording,
    asked: Asked<'_>,
    locator: &mut Locator,
    context: &Context,
) -> Result<OccurrencesReport, SessionError> {
    let mut failed = None;
    let is_interrupted = || context.interrupt().is_set();
    let report = occurrences::find(
        recording,
        asked,
        &mut |occurrence, tables, live| {
            let found = match locator.offer(occurrence, tables) {
                Ok(found) => found,
                Err(error) => {
                    failed = Some(error);
                    return false;
                }
            };
            if locator.wants_prune() {
                locator.prune(tables, live());
            }
            !found.complete
        },
        &is_interrupted,
    )?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(report),
    }
}
