//! Checks that the next run repeats, step by step, the value flow that one run logged; only then is it an
//! answer. If a step shows another value, an unobserved write happened, and the flow ends there.

use crate::facts::{RunFacts, ValueFlows, visit};
use model::{Coordinate, FlowVisit, LastHit, Site, Tables, Value, ValueFlow};
use query::{Constraint, Copies, CopyWhat, Event, PointIndex, TraceQuery};
use std::hash::{DefaultHasher, Hash, Hasher};

/// How often the value flow may change between runs before probes give up.
const CHANGES: u32 = 3;

/// The result of a run for one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowVerdict {
    /// The flow is confirmed, or there is none.
    Holds,
    /// The next run must stop at its steps.
    Again,
    /// The flow cannot be determined.
    Refused(String),
}

/// The result of comparing a flow with the observed steps.
#[derive(Debug, PartialEq, Eq)]
enum FlowComparison {
    Same,
    /// The flow ends earlier.
    Shorter(ValueFlow),
    /// A step did not occur.
    Gone,
    /// The steps concern different objects.
    OtherObject,
}

impl ValueFlows {
    /// The value flow to a point.
    pub fn of(&self, queries: &[TraceQuery], point: PointIndex) -> Option<&ValueFlow> {
        let (question, flow) = self.known.get(&point)?;
        (*question == question_of(queries, point)).then_some(flow)
    }

    /// Begins a series of runs: resets the counts of changes.
    pub fn begin(&mut self) {
        self.changes.clear();
    }

    /// Where the next run must stop for a point.
    pub fn armed(&self, queries: &[TraceQuery], point: PointIndex) -> Vec<Coordinate> {
        let steps = self.of(queries, point).into_iter().flat_map(|flow| &flow.steps);
        steps.flat_map(|step| [Some(&step.at), step.got.as_ref()]).flatten().cloned().collect()
    }

    /// Compares the steps observed in a run with the known value flow to a point.
    pub fn verdict(&mut self, run_facts: &RunFacts, query: &TraceQuery, copies: &Copies) -> FlowVerdict {
        let Some((effect, kept)) = effect(query) else { return FlowVerdict::Holds };
        let Some(effect) = run_facts.locator.located(effect) else { return FlowVerdict::Holds };
        let question = question_of(&run_facts.queries, query.point);
        let Some((_, flow)) = self.known.get(&query.point).filter(|(of, _)| *of == question) else {
            let detail = effect.occurrence.detail.as_ref();
            let forecast = detail.and_then(|d| d.forecasts.iter().find(|f| f.query == query.point.0));
            return match forecast.map(|f| &f.last) {
                Some(LastHit::Never) => FlowVerdict::Holds,
                Some(LastHit::Flow(flow)) => self.learn(query.point, question, flow.clone()),
                Some(LastHit::Unknown(why)) => FlowVerdict::Refused(format!("{}: {why}", query.id)),
                Some(LastHit::At(_)) | None => FlowVerdict::Refused(format!(
                    "{}: nothing was logged at the point that it depends on",
                    query.id
                )),
            };
        };
        let outcome = &run_facts.outcome;
        let seen = effect.occurrence.kept.get(kept);
        match compare(flow, copies, &outcome.report.visits, seen, &outcome.tables) {
            FlowComparison::Same => match run_facts.locator.located(query.point) {
                Some(_) => FlowVerdict::Holds,
                None => self.forget(query),
            },
            FlowComparison::Shorter(flow) => self.learn(query.point, question, flow),
            FlowComparison::Gone => self.forget(query),
            FlowComparison::OtherObject => FlowVerdict::Refused(format!(
                "{}: two objects have the same identity hash code, so the log cannot tell them apart",
                query.id
            )),
        }
    }

    fn learn(&mut self, point: PointIndex, question: u64, flow: ValueFlow) -> FlowVerdict {
        self.known.insert(point, (question, flow));
        FlowVerdict::Again
    }

    /// The steps did not occur again: the next run logs anew.
    fn forget(&mut self, query: &TraceQuery) -> FlowVerdict {
        self.known.remove(&query.point);
        let changes = self.changes.entry(query.point).or_default();
        *changes += 1;
        if *changes < CHANGES {
            return FlowVerdict::Again;
        }
        FlowVerdict::Refused(format!(
            "{}: the value flow differs from run to run: the program is nondeterministic",
            query.id
        ))
    }
}

/// Identifies the question of a point, including the points on which it depends.
fn question_of(queries: &[TraceQuery], point: PointIndex) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut asked = vec![point];
    let mut next = 0;
    while let Some(query) = asked.get(next).and_then(|p| queries.iter().find(|query| query.point == *p)) {
        next += 1;
        // Values that it keeps for later points make no difference.
        format!("{:?}", TraceQuery { keep: Vec::new(), ..query.clone() }).hash(&mut hasher);
        if let Event::Copied(copies) = &query.event {
            copies.sites.iter().for_each(|place| place.site.hash(&mut hasher));
        }
        for from in query.constraints.iter().map(Constraint::point) {
            if !asked.contains(&from) {
                asked.push(from);
            }
        }
    }
    hasher.finish()
}

/// The point that reads the value, and the index among its kept values.
pub fn effect(query: &TraceQuery) -> Option<(PointIndex, usize)> {
    let before = query.constraints.iter().find_map(|c| match c {
        Constraint::Before(point) => Some(*point),
        _ => None,
    });
    query.compare_at.filter(|(point, _)| Some(*point) == before)
}

/// A value that is passed on, and the contents if it is a box.
type Passing<'a> = (&'a Value, Option<&'a Value>);

fn compare(
    flow: &ValueFlow,
    copies: &Copies,
    visits: &[FlowVisit],
    seen: Option<&Value>,
    tables: &Tables,
) -> FlowComparison {
    let at = |coordinate: &Coordinate| visit(coordinate, visits, tables);
    let site = |visit: &FlowVisit| tables.frame(visit.frame).map(|frame| frame.site.clone());
    let mut value: Option<Passing<'_>> = seen.map(|seen| (seen, None));
    let cut = |steps: usize, end: String| {
        let shorter =
            ValueFlow { steps: flow.steps.iter().take(steps.max(1)).cloned().collect(), end: Some(end) };
        if shorter == *flow { FlowComparison::Same } else { FlowComparison::Shorter(shorter) }
    };
    for (number, step) in flow.steps.iter().enumerate() {
        let Some(visit) = at(&step.at) else { return FlowComparison::Gone };
        if let Some(got) = &step.got {
            let Some(read) = at(got) else { return FlowComparison::Gone };
            let both = (read.owner.as_ref(), visit.owner.as_ref());
            let same = match both {
                (Some(read), Some(written)) => read.same(written),
                (None, None) => true,
                _ => false,
            };
            if !same {
                return FlowComparison::OtherObject;
            }
        }
        if let Some(passing) = &visit.value {
            let here = (passing, visit.unboxed.as_ref());
            if let Some(later) = value
                && !same(later, here)
            {
                let what = step.at.way.and_then(|way| copies.site(way.get().into())).map(|place| &place.what);
                return cut(number, missed(what));
            }
            value = Some(here);
        }
        if let Some(caller) = &step.caller {
            let below = visit.caller.and_then(|frame| tables.frame(frame)).map(|frame| &frame.site);
            if below != Some(caller) {
                let is_result = site(visit).is_some_and(|here| here.bci > 0);
                let method = below.map_or_else(|| "the VM".to_owned(), named);
                return if is_result {
                    cut(number, format!("it came out of {method}, which is not followed"))
                } else {
                    cut(number + 1, format!("it was passed by {method}, which is not followed"))
                };
            }
        }
    }
    FlowComparison::Same
}

fn named(site: &Site) -> String {
    site.method.short()
}

/// Why a flow ends before a step that shows another value.
fn missed(what: Option<&CopyWhat>) -> String {
    match what {
        Some(CopyWhat::Put { name, .. }) => {
            format!(
                "a write was missed: the last one of {name} that was seen wrote another value; what wrote this one was not seen"
            )
        }
        Some(CopyWhat::ElementPut { .. }) => {
            "a write was missed: the last one of the element that was seen wrote another value; what wrote this one was not seen"
                .to_owned()
        }
        _ => "the last observed place that passed it on had another value".to_owned(),
    }
}

/// Whether both values are equal; boxes are compared by their contents.
fn same((a, in_a): Passing<'_>, (b, in_b): Passing<'_>) -> bool {
    if a.same(b) {
        return true;
    }
    let (a, b) = (in_a.unwrap_or(a), in_b.unwrap_or(b));
    match (small(a), small(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.same(b),
    }
}

/// The `int` that stands for a `boolean` or small integer on the operand stack.
fn small(value: &Value) -> Option<i32> {
    match value {
        Value::Boolean(v) => Some((*v).into()),
        Value::Byte(v) => Some((*v).into()),
        Value::Char(v) => Some((*v).into()),
        Value::Short(v) => Some((*v).into()),
        Value::Int(v) => Some(*v),
        _ => None,
    }
}

/// The queries about value flows, each with its possible flows.
pub fn asked(queries: &[TraceQuery]) -> impl Iterator<Item = (&TraceQuery, &Copies)> {
    queries.iter().filter_map(|query| match &query.event {
        Event::Copied(copies) => Some((query, &**copies)),
        _ => None,
    })
}
