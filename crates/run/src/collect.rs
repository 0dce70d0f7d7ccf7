//! Collects the values that a candidate shows to the user: the requested ones, or by default its arguments,
//! its locals and the fields that its line reads (DESIGN §6).

use super::error::RunError;
use super::machine::FrameMachine;
use super::stop::Stop;
use super::vm::bci;
use super::watched::Watched;
use expr::{EvalError, Expr, evaluate};
use jdwp::commands::stack_frame;
use jdwp::{Location, Tag};
use model::{ShapeKey, Site, Value};
use program::collected::{VariableNames, branch_operands, fields_read};
use query::{Event, Keep, TraceQuery};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// What to read for one query at one location.
struct Reading {
    shape: ShapeKey,
    slots: Vec<stack_frame::Slot>,
    exprs: Vec<Expr>,
    /// Whether the query has no condition and no thread, so that it refuses no hit.
    certain: bool,
}

/// Reads values of candidates and caches how to read them.
#[derive(Default)]
pub struct Collector {
    readings: HashMap<(u16, Location), Rc<Reading>>,
}

impl Collector {
    /// The kept values of a candidate, followed by the collected values with their names.
    pub async fn collect(
        &mut self,
        watched: &mut Watched,
        stop: &mut Stop,
        query: &TraceQuery,
    ) -> Result<(ShapeKey, Box<[Value]>), RunError> {
        let mut values = Vec::new();
        for Keep { frame, expr } in &query.keep {
            values.push(read(watched, stop, *frame, expr).await?);
        }
        let reading = self.reading(watched, stop.location, query).await?;
        locals(watched, stop, &reading.slots, &mut values).await?;
        for expr in &reading.exprs {
            values.push(read(watched, stop, 0, expr).await?);
        }
        Ok((reading.shape, values.into_boxed_slice()))
    }

    /// Reads in one batch the stack and the locals that a candidate keeps, if those are known. Reads the
    /// whole stack if the hit surely becomes a candidate.
    pub async fn prefetch(&self, watched: &mut Watched, stop: &mut Stop, query: u16) -> Result<(), RunError> {
        match self.readings.get(&(query, stop.location)) {
            Some(reading) => stop.prefetch(&mut watched.vm, &reading.slots, reading.certain).await,
            None => Ok(()),
        }
    }

    async fn reading(
        &mut self,
        watched: &mut Watched,
        at: Location,
        query: &TraceQuery,
    ) -> Result<Rc<Reading>, RunError> {
        if let Some(known) = self.readings.get(&(query.point.0, at)) {
            return Ok(known.clone());
        }
        let method = watched.vm.method(at.class, at.method).await?;
        let site = Site { method: method.name.clone(), bci: bci(at.index) };
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut slots = Vec::new();
        let mut exprs: Vec<Expr> = Vec::new();
        match &query.collect {
            Some(wanted) => exprs.extend(wanted.iter().map(|e| (**e).clone())),
            None => {
                for variable in method.visible(at.index) {
                    // `this` is the receiver of the frame: expressions read its fields by name.
                    if &*variable.name != "this" {
                        let sigbyte = Tag::of_signature(&variable.descriptor).unwrap_or(Tag::Object);
                        names.push(variable.name.clone());
                        slots.push(stack_frame::Slot { slot: i32::from(variable.slot), sigbyte });
                    }
                }
                let all = method.variables.as_deref().unwrap_or_default();
                let all: Vec<Arc<str>> = all.iter().map(|variable| variable.name.clone()).collect();
                let in_scope = VariableNames { visible: &names, all: &all };
                if let Some(line) = method.line(at.index) {
                    exprs.extend(fields_read(watched.pool(), &site, line, in_scope));
                }
            }
        }
        if matches!(query.event, Event::Branched(_)) {
            exprs.extend(branch_operands(watched.pool(), &site));
        }
        let mut seen: HashSet<Arc<str>> = names.iter().cloned().collect();
        exprs.retain(|e| seen.insert(e.text().into()));
        names.extend(exprs.iter().map(|e| Arc::from(e.text())));
        let certain = query.local.when.is_none() && query.local.thread.is_none();
        let reading = Rc::new(Reading { shape: watched.tables.shape_key(&names), slots, exprs, certain });
        self.readings.insert((query.point.0, at), reading.clone());
        Ok(reading)
    }
}

async fn locals(
    watched: &mut Watched,
    stop: &mut Stop,
    slots: &[stack_frame::Slot],
    values: &mut Vec<Value>,
) -> Result<(), RunError> {
    if slots.is_empty() {
        return Ok(());
    }
    let known: Option<Vec<jdwp::Value>> = slots.iter().map(|s| stop.local(s.slot)).collect();
    if let Some(raw) = known {
        values.extend(watched.vm.values(&mut watched.tables, &raw).await?);
        return Ok(());
    }
    let thread = stop.thread;
    let Some(frame) = stop.newest(&watched.vm).await? else {
        values.extend(slots.iter().map(|_| Value::Unassigned));
        return Ok(());
    };
    let ask = stack_frame::GetValues { thread, frame, slots: slots.to_vec() };
    match watched.vm.conn().send(ask).await {
        Ok(raw) => values.extend(watched.vm.values(&mut watched.tables, &raw).await?),
        Err(e) if e.is_fatal() => return Err(e.into()),
        Err(e) => {
            let reason = watched.tables.reason_key(&e.to_string());
            values.extend(slots.iter().map(|_| Value::Failed(reason)));
        }
    }
    Ok(())
}

/// The value of a slot of the newest frame.
pub async fn slot_value(
    watched: &mut Watched,
    stop: &mut Stop,
    slot: u16,
    sigbyte: Tag,
) -> Result<Value, RunError> {
    if let Some(raw) = stop.local(i32::from(slot)) {
        return watched.vm.value(&mut watched.tables, raw).await;
    }
    let thread = stop.thread;
    let Some(frame) = stop.newest(&watched.vm).await? else { return Ok(Value::Unassigned) };
    let slots = vec![stack_frame::Slot { slot: i32::from(slot), sigbyte }];
    match watched.vm.conn().send(stack_frame::GetValues { thread, frame, slots }).await {
        Ok(raw) => {
            let values = watched.vm.values(&mut watched.tables, &raw).await?;
            Ok(values.into_iter().next().unwrap_or(Value::Unassigned))
        }
        Err(e) if e.is_fatal() => Err(e.into()),
        Err(e) => Ok(Value::Failed(watched.tables.reason_key(&e.to_string()))),
    }
}

/// Evaluates an expression in a frame. If evaluation fails, the result is a value that contains the reason.
pub async fn read(
    watched: &mut Watched,
    stop: &mut Stop,
    frame: i32,
    expr: &Expr,
) -> Result<Value, RunError> {
    let result = match FrameMachine::new(watched, stop, frame).await? {
        Some(mut machine) => evaluate(expr, &mut machine).await,
        None => {
            let reason = watched.tables.reason_key(&format!("the stack has no frame {frame}"));
            return Ok(Value::Failed(reason));
        }
    };
    match result {
        Ok(value) => Ok(value),
        Err(error) => {
            let reason = reason(expr, error)?;
            Ok(Value::Failed(watched.tables.reason_key(&reason)))
        }
    }
}

/// The reason why an expression has no value. Errors of the connection are returned as errors.
pub fn reason(expr: &Expr, error: EvalError<RunError>) -> Result<String, RunError> {
    match error {
        EvalError::Machine(RunError::CallHangs { seconds, .. }) => {
            Err(RunError::CallHangs { expr: expr.text().to_owned(), seconds })
        }
        EvalError::Machine(RunError::Vm(e)) if !e.is_fatal() => Ok(e.to_string()),
        EvalError::Machine(e) => Err(e),
        other => Ok(other.to_string()),
    }
}
