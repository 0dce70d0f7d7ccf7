//! Counts each hit, which gives its ordinal, and then decides whether the query admits it. The decision uses
//! only the hit itself: its site, thread, callers and condition.

use super::collect::{read, reason};
use super::describe::describe_values;
use super::error::RunError;
use super::machine::FrameMachine;
use super::stop::Stop;
use super::watched::Watched;
use expr::{Expr, holds};
use model::{Coordinate, FrameKey, MethodName, Occurrence, ThreadKey, Value};
use query::{OPERANDS, Sample, TraceQuery};
use std::collections::HashMap;

/// Counts hits and selects those that the queries admit.
#[derive(Default)]
pub struct Filter {
    /// Number of hits by query, site and thread.
    hits: HashMap<(u16, FrameKey, ThreadKey), u32>,
    /// The coordinate to halt at.
    halt_at: Option<Coordinate>,
    /// The query of the coordinate just reached, and its candidate.
    arrived: Option<(u16, Option<Occurrence>)>,
}

impl Filter {
    /// Counts a hit. Returns its ordinal if the hit satisfies the query's site, thread, callers and
    /// condition.
    pub async fn admits(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        query: &TraceQuery,
    ) -> Result<Option<u32>, RunError> {
        let ordinal = self.count(watched, stop, query).await?;
        Ok(fits(watched, stop, query).await?.then_some(ordinal))
    }

    /// Counts a hit among those of its thread, and records whether it is the hit to halt at.
    pub async fn count(
        &mut self,
        watched: &mut Watched,
        stop: &Stop,
        query: &TraceQuery,
    ) -> Result<u32, RunError> {
        let frame = watched.vm.frame_key(&mut watched.tables, stop.location).await?;
        let (ordinal, way) = match stop.counted {
            Some((ordinal, way)) => (ordinal, way),
            None => {
                let hits = self.hits.entry((query.point.0, frame, stop.key)).or_insert(0);
                *hits = hits.saturating_add(1);
                (*hits, None)
            }
        };
        if let Some(at) = &self.halt_at
            && (at.query, at.ordinal) == (query.point.0, ordinal)
            && at.thread.may_be(&watched.tables.thread(stop.key))
            && (way.is_none() || way == at.way)
            && watched.tables.frame(frame).is_some_and(|f| f.site == at.site)
        {
            self.arrived = Some((at.query, None));
        }
        Ok(ordinal)
    }

    /// Sets where the run must halt.
    pub fn halt_at(&mut self, coordinate: Option<Coordinate>) {
        self.halt_at = coordinate;
    }

    /// Whether the hit to halt at was counted.
    pub fn has_arrived(&self) -> bool {
        self.arrived.is_some()
    }

    /// Remembers a candidate if it is at the coordinate to halt at.
    pub fn remember_arrival(&mut self, occurrence: &Occurrence) {
        if let Some((query, candidate @ None)) = &mut self.arrived
            && *query == occurrence.query
        {
            *candidate = Some(occurrence.clone());
        }
    }

    /// The arrival at that coordinate, if it occurred, with its candidate if the hit is one.
    pub fn take_arrival(&mut self) -> Option<Option<Occurrence>> {
        self.arrived.take().map(|(_, candidate)| candidate)
    }
}

/// Whether a query admits a hit by its site, thread, callers and condition.
pub async fn fits(watched: &mut Watched, stop: &mut Stop, query: &TraceQuery) -> Result<bool, RunError> {
    let number = query.point.0;
    if let Some(site) = &query.local.site {
        let frame = watched.vm.frame_key(&mut watched.tables, stop.location).await?;
        if watched.tables.frame(frame).is_none_or(|frame| frame.site != *site) {
            return Ok(false);
        }
    }
    watched.report.query(number).events += 1;
    let thread = watched.tables.thread(stop.key);
    if let Some(wanted) = &query.local.thread
        && !wire::names_thread(wanted, &thread.name, thread.number)
    {
        let label = watched.tables.thread_label(&thread);
        watched.report.query(number).count_other_thread(&label);
        return Ok(false);
    }
    if let Some(from) = &query.local.from {
        let (stack, _) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
        let found = watched.tables.stack(stack).skip(1).any(|f| is_method(&f.site.method, from));
        if !found {
            let caller = watched.tables.stack(stack).nth(1);
            let caller = caller.map(|frame| &frame.site.method);
            watched.report.query(number).count_other_caller(caller);
            return Ok(false);
        }
    }
    match &query.local.when {
        None => Ok(true),
        Some(when) => condition(watched, stop, number, when).await,
    }
}

async fn condition(
    watched: &mut Watched,
    stop: &mut Stop,
    number: u16,
    when: &Expr,
) -> Result<bool, RunError> {
    watched.report.query(number).evaluated += 1;
    let result = match FrameMachine::new(watched, stop, 0).await? {
        Some(mut machine) => holds(when, &mut machine).await,
        None => return condition_failed(watched, number, "the thread had no frame"),
    };
    let problem = match result {
        Ok(true) => return Ok(true),
        Ok(false) => None,
        Err(error) => Some(reason(when, error)?),
    };
    if let Some(problem) = problem {
        if watched.report.query(number).condition_failed == 0 {
            watched.report.query(number).failed_at = values(watched, stop, when.variables()).await?;
        }
        return condition_failed(watched, number, &problem);
    }
    if let Some(number_of) = watched.report.query(number).count_false() {
        let operands = operands(watched, stop, when).await?;
        if !operands.is_empty() {
            watched.report.query(number).samples.push(Sample { number: number_of, operands });
        }
    }
    Ok(false)
}

fn condition_failed(watched: &mut Watched, number: u16, problem: &str) -> Result<bool, RunError> {
    watched.report.query(number).count_failure(problem);
    Ok(false)
}

/// The operands of a false condition with their values.
async fn operands(
    watched: &mut Watched,
    stop: &mut Stop,
    when: &Expr,
) -> Result<Vec<(String, Value)>, RunError> {
    values(watched, stop, when.operands().into_iter().filter(|e| !e.has_calls()).collect()).await
}

/// The values of the first few of these expressions.
async fn values(
    watched: &mut Watched,
    stop: &mut Stop,
    exprs: Vec<Expr>,
) -> Result<Vec<(String, Value)>, RunError> {
    let mut operands = Vec::new();
    for operand in exprs.into_iter().take(OPERANDS) {
        let value = read(watched, stop, 0, &operand).await?;
        operands.push((operand.to_string(), value));
    }
    describe_values(watched, stop.location, &operands.iter().map(|(_, value)| value).collect::<Vec<_>>())
        .await?;
    Ok(operands)
}

/// Whether a method is the one written as `Class.method`, with the binary or the simple name of the class.
fn is_method(method: &MethodName, written: &str) -> bool {
    wire::is_method(&method.class, &method.name, written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_can_be_named_by_its_simple_class() {
        let method = MethodName::new("shop.Outer$Cart", "add", "()V");
        for written in ["add", "shop.Outer$Cart.add", "Outer.Cart.add", "shop.Outer.Cart.add"] {
            assert!(is_method(&method, written), "{written}");
        }
        for written in ["Cart2.add", "Cart.remove", "x.Outer.Cart.add"] {
            assert!(!is_method(&method, written), "{written}");
        }
    }
}
