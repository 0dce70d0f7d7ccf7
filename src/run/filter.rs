//! Whether a hit is let through: it is counted, which gives its ordinal, then what needs nothing but the hit
//! itself is looked at: its site, its thread, its callers, its condition.

use super::collect::reason;
use super::error::RunError;
use super::machine::FrameMachine;
use super::report::Sample;
use super::stop::Stop;
use super::watcher::Watcher;
use crate::expr::{Expr, evaluate};
use crate::model::{MethodName, Occurrence, Value, short_class_name};
use crate::query::TraceQuery;

impl Watcher {
    /// Counts a hit. Gives its ordinal if what needs nothing but the occurrence holds: its site, its
    /// thread, its callers, its condition.
    pub(super) async fn admits(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
    ) -> Result<Option<u32>, RunError> {
        let ordinal = self.count(stop, query).await?;
        Ok(self.fits(stop, query).await?.then_some(ordinal))
    }

    /// Counts a hit of a query's event in the threads of one name, and sees whether it is the one to halt at.
    pub(super) async fn count(&mut self, stop: &Stop, query: &TraceQuery) -> Result<u32, RunError> {
        let frame = self.watched.vm.frame_key(&mut self.watched.tables, stop.location).await?;
        let thread = self.state(stop.thread).name.clone();
        let (ordinal, way) = match stop.counted {
            Some((ordinal, way)) => (ordinal, way),
            None => {
                let hits = self.hits.entry((query.point.0, frame, thread.clone())).or_insert(0);
                *hits = hits.saturating_add(1);
                (*hits, None)
            }
        };
        if let Some(at) = &self.halt_at
            && (at.query, at.ordinal, &at.thread) == (query.point.0, ordinal, &thread)
            && (way.is_none() || way == at.way)
            && self.watched.tables.frame(frame).is_some_and(|f| f.site == at.site)
        {
            self.arrived = Some((at.query, None));
        }
        Ok(ordinal)
    }

    /// Remembers a candidate if it is the one at the coordinate.
    pub(super) fn remember_arrival(&mut self, occurrence: &Occurrence) {
        if let Some((query, candidate @ None)) = &mut self.arrived
            && *query == occurrence.query
        {
            *candidate = Some(occurrence.clone());
        }
    }

    pub(super) async fn fits(&mut self, stop: &mut Stop, query: &TraceQuery) -> Result<bool, RunError> {
        let number = query.point.0;
        if let Some(site) = &query.local.site {
            let frame = self.watched.vm.frame_key(&mut self.watched.tables, stop.location).await?;
            if self.watched.tables.frame(frame).is_none_or(|frame| frame.site != *site) {
                return Ok(false);
            }
        }
        self.watched.report.query(number).events += 1;
        if let Some(wanted) = &query.local.thread
            && self.state(stop.thread).name != *wanted
        {
            let name = self.state(stop.thread).name.clone();
            let report = self.watched.report.query(number);
            report.other_thread += 1;
            report.threads.add(&name);
            return Ok(false);
        }
        if let Some(from) = &query.local.from {
            let (stack, _) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
            let found = self.watched.tables.stack(stack).skip(1).any(|f| is_method(&f.site.method, from));
            if !found {
                let caller = self.watched.tables.stack(stack).nth(1);
                let caller = caller.map_or_else(|| "no caller".to_owned(), |f| f.site.method.to_string());
                let report = self.watched.report.query(number);
                report.other_caller += 1;
                report.callers.add(&caller);
                return Ok(false);
            }
        }
        match &query.local.when {
            None => Ok(true),
            Some(when) => self.condition(stop, number, when).await,
        }
    }

    async fn condition(&mut self, stop: &mut Stop, number: u16, when: &Expr) -> Result<bool, RunError> {
        let result = match FrameMachine::new(&mut self.watched, stop, 0).await? {
            Some(mut machine) => evaluate(when, &mut machine).await,
            None => return self.condition_failed(number, "the thread had no frame"),
        };
        let problem = match result {
            Ok(Value::Boolean(true)) => return Ok(true),
            Ok(Value::Boolean(false)) => None,
            Ok(_) => Some(format!("`{when}` is not a condition: its value is not boolean")),
            Err(error) => Some(reason(when, error)?),
        };
        if let Some(problem) = problem {
            return self.condition_failed(number, &problem);
        }
        let report = self.watched.report.query(number);
        report.condition_false += 1;
        // Ever rarer samples show how the operands went on, and are few however long it runs.
        if report.condition_false.is_power_of_two() {
            let number_of = report.condition_false;
            let operands = self.operands(stop, when).await?;
            if !operands.is_empty() {
                self.watched.report.query(number).samples.push(Sample { number: number_of, operands });
            }
        }
        Ok(false)
    }

    fn condition_failed(&mut self, number: u16, problem: &str) -> Result<bool, RunError> {
        let report = self.watched.report.query(number);
        report.condition_failed += 1;
        report.failures.add(problem);
        Ok(false)
    }

    /// The operands of a false condition with their values.
    async fn operands(&mut self, stop: &mut Stop, when: &Expr) -> Result<Vec<(String, Value)>, RunError> {
        let mut operands = Vec::new();
        for operand in when.operands().into_iter().filter(|e| !e.has_calls()).take(4) {
            let value = super::collect::read(&mut self.watched, stop, 0, &operand).await?;
            operands.push((operand.to_string(), value));
        }
        self.tell(stop.location, &operands.iter().map(|(_, value)| value).collect::<Vec<_>>()).await?;
        Ok(operands)
    }
}

/// Whether a method is the one written as `Class.method`: the class by its binary or its simple name.
fn is_method(method: &MethodName, written: &str) -> bool {
    let Some((class, name)) = written.rsplit_once('.') else { return *method.name == *written };
    let short = short_class_name(&method.class);
    *method.name == *name
        && (*method.class == *class || short == class || method.class.replace('$', ".") == class)
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
