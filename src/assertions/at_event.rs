//! The value of an expression before an event of a recorded call.

use super::error::AssertionError;
use super::machine::{CallMachine, Names};
use super::unrecorded_writes::Unseen;
use crate::chain::Classes;
use crate::classes::{ClassPool, SourceRoots};
use crate::expr::{EventTypes, Expr, Scope, Type, check};
use crate::inspect::fields::Fields;
use crate::inspect::locals::KnownLocals;
use crate::model::{MethodName, Site, Value};
use crate::trace::{Calls, EventPosition};
use std::collections::BTreeSet;
use std::path::Path;

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
pub struct ExpressionAt<'a> {
    expr: Expr,
    names: Names,
    unseen: Unseen,
    pool: &'a ClassPool,
}

impl<'a> ExpressionAt<'a> {
    /// Checks an expression against the variables that are visible at a code index of a method.
    ///
    /// # Errors
    /// Why it does not fit: an unknown name, a wrong type, or a method that cannot be evaluated.
    pub fn new(
        text: &str,
        method: &MethodName,
        bci: u32,
        (calls, pool): (&Calls, &'a ClassPool),
    ) -> Result<ExpressionAt<'a>, String> {
        let expr = Expr::parse(text).map_err(|error| error.to_string())?;
        let site = Site { method: method.clone(), bci };
        let (scope, _) = checked(&expr, &site, pool)?;
        let names = Names { at_begin: scope.clone(), at_end: scope, written: BTreeSet::new() };
        Ok(ExpressionAt { expr, names, unseen: Unseen::of(calls, Some(pool), false), pool })
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
        let Some(call) = calls.call(at.node)? else { return Ok(Err("the call was not recorded".to_owned())) };
        let Some(locals) = KnownLocals::before(None, calls, at)? else {
            return Ok(Err("the entry of the call was not recorded".to_owned()));
        };
        let locals = locals.list().into_iter().map(|local| (local.name, local.value)).collect();
        let when = calls.when_at(at)?;
        let descriptor = calls.method(at.node).map(|method| method.descriptor.clone()).unwrap_or_default();
        let unseen = self.unseen.clone().with_less(calls, Some(self.pool));
        let machine = CallMachine::new(calls, fields, (&self.names, &unseen), (call, &descriptor))?;
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
