//! Translates Querypoints to TraceQueries (paper §4, DESIGN §5). It uses the debuggee's class files and what
//! earlier runs learnt.
//!
//! This room reads class files and sources through `classes`, and knows no runs. Each kind of point has its
//! rules in `kinds`. Shared parts are here: sites, scopes, kept values, and what must be learnt first.

pub(crate) mod classes;
mod context;
mod error;
pub(crate) mod lines;
mod log_text;
mod moved;
mod need;
mod suggestions;

pub use error::{Refusal, TranslateError};
pub use log_text::translate_log;
pub use need::{Learned, LearnedPoint, Need};

pub(crate) use context::{Ask, PointContext, Stop};
pub(crate) use moved::Remembered;

use super::format::{Chain, Point};
use super::kinds::{Kind, class_and_line};
use super::validate;
use ::classes::{ClassPool, FoundClass, SourceRoots};
use classes::Classes;
use expr::EventTypes;
use model::{MethodName, Site};
use query::{Constraint, Event, LocalConditions, PointIndex, TraceQuery};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The translation of a chain.
#[derive(Clone, Debug, Default)]
pub struct Translation {
    /// One TraceQuery for each point that can be asked now, in the order of the chain.
    pub queries: Vec<TraceQuery>,
    /// Points that cannot be asked yet, with what must be learnt first.
    pub pending: Vec<(PointIndex, Need)>,
    /// Points that are asked but may stay unlocated, with the missing fact: for example, the callers that may
    /// contain the condition of a point.
    pub deeper: Vec<(PointIndex, Need)>,
    /// Points whose search ended at the border of the user's own code, with a text that says where.
    pub borders: Vec<(PointIndex, String)>,
    /// Methods whose activations must be distinguished (DESIGN §5.5).
    pub tracked: BTreeSet<MethodName>,
    /// Warnings about the interpretation of the chain.
    pub warnings: Vec<String>,
}

/// A translated point.
struct TranslatedPoint {
    query: TraceQuery,
    /// The sites of its occurrences; none if only a run can tell them.
    sites: Option<Vec<Site>>,
    events: EventTypes,
}

struct State<'a> {
    chain: &'a Chain,
    classes: Classes<'a>,
    learned: &'a Learned,
    /// By position in the chain; none for a pending point.
    translated: Vec<Option<TranslatedPoint>>,
    result: Translation,
}

/// Adds to each point that names a line the data to find it again after an edit (DESIGN §6). Without the
/// source or the line, the point stays unchanged.
pub fn remember(chain: &mut Chain, pool: &ClassPool, sources: &SourceRoots) {
    let classes = Classes { pool, sources };
    for point in chain.points.iter_mut().filter(|p| p.text.is_none()) {
        let (class, line) = match &point.at {
            Kind::Line(class, line) | Kind::SkippedLine(class, line) => (class.as_str(), *line),
            Kind::Candidate(_, place, _) => match class_and_line(place) {
                Some(found) => found,
                None => continue,
            },
            _ => continue,
        };
        if let Ok(Some(remembered)) = lines::SourceLine::remember(&classes, class, line) {
            (point.text, point.method, point.ordinal) =
                (remembered.text, remembered.method, remembered.ordinal);
        }
    }
}

/// Translates a chain.
///
/// # Errors
/// A definite mistake in a point: a class, line, method, field or variable that does not exist, or an
/// expression that is invalid at its place.
pub fn translate(
    chain: &Chain,
    pool: &ClassPool,
    sources: &SourceRoots,
    learned: &Learned,
) -> Result<Translation, TranslateError> {
    let classes = Classes { pool, sources };
    let mut state = State { chain, classes, learned, translated: Vec::new(), result: Translation::default() };
    if let Some(problem) = validate::problems(chain).into_iter().next() {
        let index = problem.point().unwrap_or(0);
        let help = problem.help.map(|h| format!("; {h}")).unwrap_or_default();
        return Err(state.error(index, Refusal::Chain(problem.message + &help)));
    }
    for index in 0..chain.points.len() {
        state.point(index).map_err(|refusal| state.error(index, refusal))?;
    }
    let mut result = state.result;
    result.queries = state.translated.into_iter().flatten().map(|a| a.query).collect();
    result.tracked.extend(result.queries.iter().flat_map(|q| tracked_by(&q.event)));
    Ok(result)
}

/// Whether the point's own fields do not restrict the kind's last occurrence. Only then must the change have
/// written the value seen later.
fn is_last_of_all(point: &Point) -> bool {
    let Point { when, before, after, within, thread, from, .. } = point;
    let fields = [when, before, after, within, thread, from];
    point.effective_index() == -1 && fields.into_iter().all(Option::is_none)
}

/// The methods whose activations the constraints of an event compare.
fn tracked_by(event: &Event) -> Vec<MethodName> {
    match event {
        Event::Stored(sites) => sites.iter().map(|s| s.site.method.clone()).collect(),
        Event::Branched(sites) => sites.iter().map(|s| s.site.method.clone()).collect(),
        Event::Skipped(lines) => lines.iter().map(|l| l.method.clone()).collect(),
        Event::Reached(_)
        | Event::Returned(_)
        | Event::Written(_)
        | Event::Read(_)
        | Event::ElementWritten(_)
        | Event::Made(_)
        | Event::Changed(_)
        | Event::Copied(_)
        | Event::Thrown { .. } => Vec::new(),
    }
}

/// The index of a point; validation limits the length of a chain.
fn point_index(index: usize) -> PointIndex {
    PointIndex(u16::try_from(index).unwrap_or(u16::MAX))
}

impl State<'_> {
    fn error(&self, index: usize, refusal: Refusal) -> TranslateError {
        let point = self.chain.points.get(index);
        let id = point.map_or("?", |p| p.id.as_str()).into();
        let question = point.map(|p| p.at.to_string()).unwrap_or_default();
        let about = point.filter(|_| refusal.is_about_code()).and_then(|p| self.class_of(p));
        let stale = about.and_then(|class| self.classes.stale(&class));
        TranslateError { point: point_index(index), id, question, refusal: Box::new(refusal), stale }
    }

    /// The class named by a point, or by the point from which it asks.
    fn class_of(&self, point: &Point) -> Option<Arc<FoundClass>> {
        let named = match &point.at {
            Kind::Line(class, _) | Kind::SkippedLine(class, _) => class,
            Kind::Watch(class, _) | Kind::Read(class, _) | Kind::Exception(class) => class,
            Kind::Entry(method) | Kind::Exit(method) => method.split('(').next()?.rsplit_once('.')?.0,
            Kind::Candidate(_, place, _) => class_and_line(place)?.0,
            Kind::LastChange(_)
            | Kind::LastRead(_)
            | Kind::LastReturn(_)
            | Kind::Created(_)
            | Kind::Origin(_)
            | Kind::LastCondition(_)
            | Kind::Omitted(_) => {
                let (from, ..) = point.at.rule().refers_to()?;
                let from =
                    self.chain.points.iter().take_while(|p| p.id != point.id).find(|p| p.id == from)?;
                return self.class_of(from);
            }
        };
        self.classes.named(named).ok()
    }

    /// The need for the site of the point from which this one asks, if a run can add sites to the known ones.
    /// For instance, the condition of a point may be in callers that are still unknown.
    fn partly_known(&self, point: &Point) -> Option<Need> {
        let (id, ..) = point.at.rule().refers_to()?;
        let from = point_index(self.chain.position(&id)?);
        let partly = self.result.deeper.iter().any(|(deeper, _)| *deeper == from);
        partly.then(|| Need::Site { point: from, id: id.as_str().into() })
    }

    fn point(&mut self, index: usize) -> Result<(), Refusal> {
        let chain = self.chain;
        let Some(point) = chain.points.get(index) else { return Ok(()) };
        let place = point_index(index);
        let id: Arc<str> = point.id.as_str().into();
        if point.at.is_of_recording() {
            self.translated.push(None);
            return Ok(());
        }
        if let Some(refusal) = self.learned.refusal(place) {
            self.result.pending.push((place, Need::Nothing { point: place, refusal }));
            self.translated.push(None);
            return Ok(());
        }
        let mut context = PointContext { index: place, point, state: self };
        let outcome = context.others().and_then(|others| {
            let mut ask = point.at.rule().translate(&mut context)?;
            context.local(&mut ask).map(|(local, collect)| (ask, local, collect, others))
        });
        let (ask, local, collect, others) = match outcome {
            Ok(parts) => parts,
            Err(Stop::Refuse(refusal)) => match self.partly_known(point) {
                // An expression that is invalid at the known sites can be valid at sites that a run adds.
                Some(need) => {
                    self.result.pending.push((place, need));
                    self.translated.push(None);
                    return Ok(());
                }
                None => return Err(refusal),
            },
            Err(Stop::Learn(need)) => {
                self.result.pending.push((place, need));
                self.translated.push(None);
                return Ok(());
            }
        };
        let mut constraints = ask.constraints;
        constraints
            .extend(others.into_iter().filter(|c| !constraints.contains(c)).collect::<Vec<Constraint>>());
        let local: LocalConditions = local;
        let is_copied = matches!(ask.event, Event::Copied(_));
        let query = TraceQuery {
            point: place,
            id,
            event: ask.event,
            constraints,
            index: point.effective_index(),
            keep: ask.keep,
            local,
            collect,
            text: None,
            compare_at: ask.compare_at.filter(|_| is_copied || is_last_of_all(point)),
        };
        self.translated.push(Some(TranslatedPoint { query, sites: ask.sites, events: ask.events }));
        Ok(())
    }
}
