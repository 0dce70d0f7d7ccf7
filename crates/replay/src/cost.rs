//! Forecasts the cost of a replay. The program runs once without stopping, probes count its hits, and the
//! counts are priced for each back end.

use super::cost_model::{Counts, Forecast, Program};
use super::iteration::in_order;
use super::probe_policy::Backend;
use super::single_run::{Asked, NullObserver, SingleRun, once};
use super::{cost_model, probe_policy};
use chain::{Chain, Learned, Translation, translate};
use classes::ClassPool;
use model::Site;
use program::code_book::CodeBook;
use query::{BranchSite, Event, PointIndex, TraceQuery};
use run::{Ended, Gate, HitCounts, SiteHits};
use serde::Serialize;
use session::workspace::Workspace;
use session::{Context, SessionError};

/// The forecast cost of replaying a chain.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cost {
    /// Name of the chain.
    pub chain: String,
    /// The program's own run time in seconds, without watching: the counting run's time minus the cost of
    /// counting.
    pub plain_s: Option<f64>,
    /// The costs of the points, in the order of the chain.
    pub points: Vec<PointCost>,
    /// The method entries that JDWP events must report to tell activations apart.
    pub entries: Option<EntriesCost>,
    /// A whole replay over JDWP; `None` if JDWP cannot answer, or if nothing was counted.
    pub jdwp: Option<Forecast>,
    /// A whole replay by probes.
    pub probe: Option<Forecast>,
    /// The back end that `--backend auto` tries first.
    pub auto: &'static str,
    /// Why the counts are incomplete, if the run ended before the program did.
    pub cut_off: Option<String>,
    /// Remarks on the figures.
    pub notes: Vec<String>,
}

/// The forecast cost of one point.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PointCost {
    /// Its id.
    pub id: String,
    /// Its question.
    pub question: String,
    /// Number of occurrences of its event, before any condition; `None` if not counted.
    pub hits: Option<u64>,
    /// Whether there were more hits than counted.
    pub at_least: bool,
    /// Why they were not counted.
    pub uncounted: Option<String>,
    /// The hits by place, most frequent first.
    pub sites: Vec<SiteCost>,
    /// What it adds to a run over JDWP; `None` if JDWP cannot answer it, or if nothing was counted.
    pub jdwp: Option<Forecast>,
    /// What it adds to a run by probes.
    pub probe: Option<Forecast>,
}

/// The hits of one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteCost {
    /// The place: `Intro.main@31 line 31`.
    pub site: String,
    /// Number of hits.
    pub hits: u64,
}

/// The cost of watching method entries.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EntriesCost {
    /// Number of entries.
    pub hits: u64,
    /// What they add to a run over JDWP.
    pub jdwp: Forecast,
}

impl Cost {
    /// The exit code of DESIGN §7.
    pub fn exit_code(&self) -> u8 {
        if self.cut_off.is_some() { 4 } else { 0 }
    }
}

/// Runs the program once, counts the hits of a chain's points and forecasts the cost of a replay.
///
/// # Errors
/// The chain or its debuggee cannot be used, its VM ended before it reported the counts, or the user
/// interrupted.
pub async fn cost(
    name: &str,
    chain: &Chain,
    timeout_s: Option<u64>,
    context: &Context,
) -> Result<Cost, SessionError> {
    let workspace = Workspace::open(chain, timeout_s, None)?;
    if !chain.debuggee.build.is_empty() {
        context.progress().building();
    }
    let built = tokio::select! {
        built = workspace.build(None) => built,
        () = context.interrupted() => Err(SessionError::Interrupted),
    };
    context.progress().done();
    built?;
    super::script::learn_classes(&workspace, context.interrupt(), context.progress()).await?;
    let sources = workspace.sources();
    if workspace.knows_classes()? {
        // Invalid questions are reported before the launch.
        let pool = workspace.pool(None)?;
        let translation = translate(chain, &pool, &sources, &Learned::default())?;
        if workspace.template().settings().remote.is_some() {
            let pricing = Pricing {
                name,
                chain,
                translation: &translation,
                book: CodeBook { pool: &pool, sources: &sources },
            };
            return Ok(pricing.uncounted("no probes can be put into a remote program"));
        }
    }
    context.progress().run_started(1, Some("to count hits"));
    let gates = |queries: &[TraceQuery]| Some(vec![Gate::Count; queries.len()]);
    let mut translated = |pool: &ClassPool| -> Result<Asked, SessionError> {
        let translation = translate(chain, pool, &sources, &Learned::default())?;
        let queries = in_order(&translation, chain);
        Ok(Asked { gates: gates(&queries), translation, queries })
    };
    let ran = once(&workspace, None, &mut translated, &mut NullObserver, context).await;
    context.progress().done();
    let Some(SingleRun { translation, pool, queries, outcome, seconds }) = ran? else {
        return Err(SessionError::Interrupted);
    };
    let cut_off = match outcome.ended {
        Ended::Interrupted => return Err(SessionError::Interrupted),
        Ended::TimedOut(_) | Ended::Lost(_) => Some(outcome.ended.to_string()),
        _ => None,
    };
    let mut problems = outcome.report.unprobed;
    problems.extend(outcome.report.hidden.iter().map(ToString::to_string));
    let Some(counted) = outcome.report.counted else {
        problems.insert(0, format!("the program ended ({})", outcome.ended));
        return Err(SessionError::NotCounted(problems.join("; ")));
    };
    let pricing =
        Pricing { name, chain, translation: &translation, book: CodeBook { pool: &pool, sources: &sources } };
    Ok(pricing.priced(&queries, &counted, seconds, cut_off, &problems))
}

/// Turns counts into prices.
struct Pricing<'a> {
    name: &'a str,
    chain: &'a Chain,
    translation: &'a Translation,
    book: CodeBook<'a>,
}

impl Pricing<'_> {
    /// Each point with its TraceQuery, if it can be queried yet.
    fn points(&self) -> impl Iterator<Item = (PointCost, PointIndex, Option<&TraceQuery>)> {
        self.chain.points.iter().zip(0..).map(|(point, place)| {
            let (id, question) = (point.id.clone(), point.question());
            let cost = PointCost { id, question, ..PointCost::default() };
            let place = PointIndex(place);
            (cost, place, self.translation.queries.iter().find(|q| q.point == place))
        })
    }

    /// The cost if no run can count.
    fn uncounted(&self, why: &str) -> Cost {
        let points = self.points().map(|(point, ..)| PointCost { uncounted: Some(why.to_owned()), ..point });
        Cost { chain: self.name.to_owned(), points: points.collect(), auto: "jdwp", ..Cost::default() }
    }

    /// Why the hits of a point were not counted.
    fn reason(&self, point: PointIndex, query: Option<&TraceQuery>) -> Option<String> {
        let need = self.translation.pending.iter().find(|(p, _)| *p == point);
        match (need, query.map(|q| &q.event)) {
            (Some((_, need)), _) => Some(format!("a run must tell {need} first, and another one answers")),
            (None, None) => Some("it is not asked".to_owned()),
            (None, Some(Event::Thrown { .. } | Event::Skipped(_))) => {
                Some("no probe counts exceptions".to_owned())
            }
            (None, Some(Event::Branched(branches))) if branches.iter().all(BranchSite::is_handler) => {
                Some("no probe counts handler entries".to_owned())
            }
            _ => None,
        }
    }

    fn priced(
        &self,
        queries: &[TraceQuery],
        counted: &HitCounts,
        run_s: f64,
        cut_off: Option<String>,
        problems: &[String],
    ) -> Cost {
        let all = counted.sites.iter().map(|s| s.hits).fold(counted.entries, u64::saturating_add);
        let busy_s = counted.busy.map(|busy| busy.as_secs_f64());
        let program = cost_model::without_counting(run_s, busy_s, all);
        let gates = cost_model::gates(queries);
        let lower = cut_off.is_some() || !problems.is_empty();
        let (mut points, mut priced) = (Vec::new(), Vec::new());
        for (mut point, place, query) in self.points() {
            point.uncounted = self.reason(place, query);
            if let (None, Some(query), Some(gate)) =
                (&point.uncounted, query, gates.get(usize::from(place.0)))
            {
                point.at_least = lower
                    || matches!(&query.event, Event::Branched(of) if of.iter().any(BranchSite::is_handler));
                priced.push(self.price(&mut point, query, gate, counted, program));
            }
            points.push(point);
        }
        let whole = |backend| {
            let forecast = cost_model::of_chain(&priced, counted.entries, backend, program)?;
            Some(Forecast { at_least: forecast.at_least || priced.len() < points.len(), ..forecast })
        };
        let (jdwp, probe) = (whole(Backend::Jdwp), whole(Backend::Probe));
        let entries = (counted.entries > 0)
            .then(|| EntriesCost { hits: counted.entries, jdwp: cost_model::of_entries(counted.entries) });
        // If the agent fails, the run is repeated with JDWP events.
        let auto = if probe_policy::help(queries) && problems.is_empty() { "probe" } else { "jdwp" };
        let mut notes: Vec<String> =
            problems.iter().map(|p| format!("not all hits are counted: {p}")).collect();
        let deeper = self.translation.deeper.iter();
        notes.extend(deeper.map(|(_, need)| format!("to learn {need} may take another run")));
        notes.dedup();
        notes.extend(jdwp_notes(&priced));
        Cost {
            chain: self.name.to_owned(),
            plain_s: Some(program.seconds),
            points,
            entries,
            jdwp,
            probe,
            auto,
            cut_off,
            notes,
        }
    }

    /// Prices the hits of a point, of which it is known whether there were more. Returns the counts behind
    /// that.
    fn price<'q>(
        &self,
        point: &mut PointCost,
        query: &'q TraceQuery,
        gate: &'q Gate,
        counted: &HitCounts,
        program: Program,
    ) -> Counts<'q> {
        let sites: Vec<&SiteHits> = counted.sites.iter().filter(|s| s.query == query.point.0).collect();
        let sum =
            |sites: &mut dyn Iterator<Item = &&SiteHits>| sites.map(|s| s.hits).fold(0, u64::saturating_add);
        point.hits = Some(sum(&mut sites.iter().filter(|s| is_hit(query, &s.site))));
        let interruptions = sum(&mut sites.iter());
        let asked = counted.tested.get(&query.point.0).map(|tested| match gate {
            Gate::Only(index) => u64::from(tested.asked > *index),
            Gate::Last(_) => tested.asked.min(1),
            _ => tested.asked,
        });
        let counts = Counts { query, gate, interruptions, asked, at_least: point.at_least };
        point.jdwp = cost_model::of_point(&counts, Backend::Jdwp, program);
        point.probe = cost_model::of_point(&counts, Backend::Probe, program);
        point.sites = self.sites(&sites);
        counts
    }

    fn sites(&self, hits: &[&SiteHits]) -> Vec<SiteCost> {
        let mut sites: Vec<SiteCost> = Vec::new();
        for hit in hits {
            let site = self.book.place(&hit.site);
            match sites.iter_mut().find(|known| known.site == site) {
                Some(known) => known.hits += hit.hits,
                None => sites.push(SiteCost { site, hits: hit.hits }),
            }
        }
        sites.sort_by_key(|site| std::cmp::Reverse(site.hits));
        sites
    }
}

/// Remarks on the times over JDWP.
fn jdwp_notes(points: &[Counts<'_>]) -> Vec<String> {
    let ids = |is: fn(&Event) -> bool| {
        let ids: Vec<&str> =
            points.iter().map(|p| p.query).filter(|q| is(&q.event)).map(|q| &*q.id).collect();
        (!ids.is_empty()).then(|| ids.join(", "))
    };
    let fields = ids(|event| matches!(event, Event::Written(_) | Event::Read(_))).map(|ids| {
        format!(
            "over JDWP, watching the field of {ids} makes the program's computations 50 to 280 times slower, hit or not: \
             the time is a lower bound"
        )
    });
    let exits = ids(|event| matches!(event, Event::Returned(_))).map(|ids| {
        format!("over JDWP, watching the exits of {ids} makes every call of the program slower: the time is a lower bound")
    });
    let elements = ids(Event::needs_probes).map(|ids| {
        format!("{ids} cannot be answered over JDWP, which reports neither array elements, nor the creation of arrays, nor collections")
    });
    [fields, exits, elements].into_iter().flatten().collect()
}

/// Whether an event at the site is a hit; otherwise it only ends a pass.
fn is_hit(query: &TraceQuery, site: &Site) -> bool {
    match &query.event {
        Event::Reached(passes) => {
            passes.iter().any(|p| p.method == site.method && p.entries.contains(&site.bci))
        }
        _ => true,
    }
}
