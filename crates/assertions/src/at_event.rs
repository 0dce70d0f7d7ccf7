//! The value of an expression before an event of a recorded call.

use super::error::AssertionError;
use super::machine::{CallMachine, Names};
use super::unrecorded_writes::Unseen;
use chain::Classes;
use classes::{ClassPool, SourceRoots};
use expr::{EventTypes, Expr, Scope, Type, VariableRef, check, place};
use inspect::fields::Fields;
use inspect::locals::KnownLocals;
use model::{MethodName, Site, Value};
use std::collections::BTreeSet;
use std::path::Path;
use trace::{Calls, EventPosition, EventTime};

/// A value of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedValue {
    /// The value as text.
    pub text: String,
    /// The number of the object, if it is one of the recording.
    pub object: Option<u32>,
    /// The value, if it is a boolean.
    pub holds: Option<bool>,
}

/// The declared type of an expression at a site; `None` if it does not fit there.
pub fn type_at(expr: &Expr, site: &Site, pool: &ClassPool) -> Option<Type> {
    checked(expr, site, pool).ok().map(|(_, of)| of)
}

/// The variable that an expression denotes at a site.
///
/// # Errors
/// It denotes none.
pub fn variable_at(expr: &Expr, site: &Site, pool: &ClassPool) -> Result<VariableRef, String> {
    let sources = SourceRoots::open(&[], Path::new("."), None);
    let classes = Classes { pool, sources: &sources };
    let scope = classes.scope(site).ok_or_else(|| format!("there is no code of {}", site.method))?;
    place(expr, &scope, &classes).map_err(|error| format!("`{}` {}", error.text, error.problem))
}

/// The variables that are visible at a site, and the type of an expression there.
fn checked(expr: &Expr, site: &Site, pool: &ClassPool) -> Result<(Scope, Type), String> {
    let sources = SourceRoots::open(&[], Path::new("."), None);
    let classes = Classes { pool, sources: &sources };
    let scope = classes.scope(site).ok_or_else(|| format!("there is no code of {}", site.method))?;
    let of = check(expr, &scope, &classes, &EventTypes::default())
        .map_err(|error| format!("`{expr}`: `{}` {}", error.text, error.problem))?;
    Ok((scope, of))
}

/// An expression that is evaluated at events of one code index.
pub struct ExpressionAt {
    expr: Expr,
    names: Names,
    unseen: Unseen,
}

/// Where an expression is evaluated: in a call, with the objects of a time that need not be in it.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The call, and the event before which its variables are read.
    pub at: EventPosition,
    /// The time at which objects are read.
    pub when: EventTime,
}

impl ExpressionAt {
    /// Checks an expression against the variables that are visible at a code index of a method.
    ///
    /// # Errors
    /// Why it does not fit: an unknown name, a wrong type, or a method that cannot be evaluated.
    pub fn new(
        text: &str,
        method: &MethodName,
        bci: u32,
        (calls, pool): (&Calls, &ClassPool),
    ) -> Result<ExpressionAt, String> {
        let expr = Expr::parse(text).map_err(|error| error.to_string())?;
        let site = Site { method: method.clone(), bci };
        let (scope, _) = checked(&expr, &site, pool)?;
        let names = Names { at_begin: scope.clone(), at_end: scope, written: BTreeSet::new() };
        let unseen = Unseen::of(calls, Some(pool), false).with_less(calls, Some(pool));
        Ok(ExpressionAt { expr, names, unseen })
    }

    /// The value before an event of a call, or why it is unknown.
    ///
    /// # Errors
    /// The recording or a class file cannot be read.
    pub async fn value(
        &self,
        calls: &mut Calls,
        fields: &mut Fields,
        at: EventPosition,
    ) -> Result<Result<RecordedValue, String>, AssertionError> {
        let moment = Moment { at, when: calls.when_at(at)? };
        self.value_after(&mut None, calls, fields, moment).await
    }

    /// As [`ExpressionAt::value`]. Reading begins at `known`, the variables at an earlier event, and leaves
    /// those at this event there.
    ///
    /// # Errors
    /// The recording or a class file cannot be read.
    pub async fn value_after(
        &self,
        known: &mut Option<KnownLocals>,
        calls: &mut Calls,
        fields: &mut Fields,
        Moment { at, when }: Moment,
    ) -> Result<Result<RecordedValue, String>, AssertionError> {
        let Some(call) = calls.call(at.node)? else { return Ok(Err("the call was not recorded".to_owned())) };
        *known = KnownLocals::before(known.take(), calls, at)?;
        let Some(locals) = known.as_ref() else {
            return Ok(Err("the entry of the call was not recorded".to_owned()));
        };
        let locals = locals.list().into_iter().map(|local| (local.name, local.value)).collect();
        let descriptor = calls.method(at.node).map(|method| method.descriptor.clone()).unwrap_or_default();
        let machine = CallMachine::new(calls, fields, (&self.names, &self.unseen), (call, &descriptor))?;
        let mut machine = machine.standing_at(when, locals);
        let found = super::value(&self.expr, &mut machine).await?;
        Ok(found.map(|value| {
            let holds = match &value {
                Value::Boolean(holds) => Some(*holds),
                _ => None,
            };
            let object = match &value {
                Value::Object { id, .. } => CallMachine::number(*id),
                Value::Str(text) => CallMachine::number(text.id),
                _ => None,
            };
            RecordedValue { text: super::text(&value, &machine), object, holds }
        }))
    }
}
