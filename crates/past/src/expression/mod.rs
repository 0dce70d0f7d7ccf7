//! The value of a Java expression in a recorded call. No code of the program runs: a value that was not
//! recorded is an error, never a guess.
//!
//! `machine` lets an expression read the call, with the JDK's methods of `library`. `plain` turns recorded
//! values into those of the model. `unrecorded_writes` finds the values that a call may have changed without
//! an event, `synthetic_object` has the objects that an expression creates.

pub mod library;
pub mod machine;
pub mod plain;
mod synthetic_object;
mod unread;
mod unrecorded_writes;

pub use unrecorded_writes::Unseen;

use crate::error::PastError;
use crate::fields::Fields;
use crate::moment::Moment;
use crate::recorded_classes::RecordedClasses;
use classes::ClassPool;
use expr::{EvalError, EventPart, EventTypes, Expr, Scope, Type, VariableRef, check, evaluate, place};
use library::RecordedObjects;
use machine::{CallMachine, Names};
use model::{Namer, ObjectId, Site, Tables, Value};
use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use trace::Calls;
use unread::Unread;

/// Why an expression has no value in a call without a record.
const NO_CALL: &str = "the call was not recorded";

/// A value of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedValue {
    /// The value as text.
    pub text: String,
    /// The number of the object, if it is one of the recording.
    pub object: Option<u32>,
    /// The value, if it is an index of an array.
    pub index: Option<u32>,
    /// The value, if it is a boolean.
    pub holds: Option<bool>,
}

/// The declared type of an expression at a site; `None` if it does not fit there.
pub fn type_at(expr: &Expr, site: &Site, pool: &ClassPool) -> Option<Type> {
    let classes = RecordedClasses { pool: Some(pool), calls: None };
    checked(expr, &scope_of(site, pool)?, &classes).ok()
}

/// The variable that an expression denotes at a site.
///
/// # Errors
/// It denotes none.
pub fn variable_at(expr: &Expr, site: &Site, pool: &ClassPool) -> Result<VariableRef, String> {
    let classes = RecordedClasses { pool: Some(pool), calls: None };
    let scope = scope_of(site, pool).ok_or_else(|| format!("there is no code of {}", site.method))?;
    place(expr, &scope, &classes).map_err(|error| format!("`{}` {}", error.text, error.problem))
}

/// The names that are visible at a site; `None` without its class file.
pub fn scope_of(site: &Site, pool: &ClassPool) -> Option<Scope> {
    let class = pool.find(&site.method.class).ok().flatten()?;
    let method = class.file.method(&site.method.name, &site.method.descriptor)?;
    Some(Scope::at(&class.file, method, site.bci))
}

fn checked(expr: &Expr, scope: &Scope, classes: &RecordedClasses<'_>) -> Result<Type, String> {
    check(expr, scope, classes, &EventTypes::default())
        .map_err(|error| format!("`{expr}`: `{}` {}", error.text, error.problem))
}

/// An expression that is evaluated at events with the same scope.
pub struct ExpressionAt {
    expr: Expr,
    names: Names,
    unseen: Arc<Unseen>,
}

impl ExpressionAt {
    /// Checks an expression against the names of a scope. `unseen` has what may have been written without an
    /// event.
    ///
    /// # Errors
    /// Why it does not fit: an unknown name, a wrong type, or a method that cannot be evaluated.
    pub fn new(
        expr: Expr,
        scope: Scope,
        classes: &RecordedClasses<'_>,
        unseen: Arc<Unseen>,
    ) -> Result<ExpressionAt, String> {
        checked(&expr, &scope, classes)?;
        Ok(ExpressionAt::unchecked(expr, scope, unseen))
    }

    /// As [`ExpressionAt::new`], for an expression that was checked before.
    pub fn unchecked(expr: Expr, scope: Scope, unseen: Arc<Unseen>) -> ExpressionAt {
        let names = Names { at_begin: scope.clone(), at_end: scope, written: BTreeSet::new() };
        ExpressionAt { expr, names, unseen }
    }

    /// The value in a frame with these variables, or why it is unknown.
    ///
    /// # Errors
    /// The recording or a class file cannot be read.
    pub fn value(
        &self,
        calls: &mut Calls,
        fields: &mut Fields,
        moment: Moment,
        locals: Vec<(String, trace::Value)>,
    ) -> Result<Result<RecordedValue, String>, PastError> {
        let Some(mut machine) = self.machine(calls, fields, moment, locals)? else {
            return Ok(Err(NO_CALL.to_owned()));
        };
        let found = at_once(value(&self.expr, &mut machine))?;
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
            let index = match &value {
                Value::Int(index) => u32::try_from(*index).ok(),
                Value::Byte(index) => u32::try_from(*index).ok(),
                Value::Short(index) => u32::try_from(*index).ok(),
                Value::Char(index) => Some((*index).into()),
                _ => None,
            };
            RecordedValue { text: text(&value, &machine), object, index, holds }
        }))
    }

    /// As [`ExpressionAt::value`], as a value with names in these tables. `parts` are those of the event.
    pub fn read(
        &self,
        calls: &mut Calls,
        fields: &mut Fields,
        state: StateAt,
        tables: &mut Tables,
    ) -> Result<Result<Value, String>, PastError> {
        let StateAt { moment, locals, parts } = state;
        let Some(mut machine) = self.machine(calls, fields, moment, locals)? else {
            return Ok(Err(NO_CALL.to_owned()));
        };
        machine.happens(parts);
        std::mem::swap(&mut machine.tables, tables);
        let found = at_once(value(&self.expr, &mut machine));
        std::mem::swap(&mut machine.tables, tables);
        found
    }

    fn machine<'m>(
        &'m self,
        calls: &'m mut Calls,
        fields: &'m mut Fields,
        Moment { at, when }: Moment,
        locals: Vec<(String, trace::Value)>,
    ) -> Result<Option<CallMachine<'m>>, PastError> {
        let Some(call) = calls.call(at.node)? else { return Ok(None) };
        let descriptor = calls.method(at.node).map(|method| method.descriptor.clone()).unwrap_or_default();
        let machine = CallMachine::new(calls, fields, &self.names, &self.unseen, call, &descriptor)?;
        Ok(Some(machine.standing_at(when, locals)))
    }
}

/// The state in which an expression is read.
pub struct StateAt {
    /// The moment.
    pub moment: Moment,
    /// The variables of its frame.
    pub locals: Vec<(String, trace::Value)>,
    /// What the event itself has.
    pub parts: Vec<(EventPart, Value)>,
}

/// The result of work that waits for nobody: a recording has all that it reads.
fn at_once<T>(work: impl Future<Output = Result<T, PastError>>) -> Result<T, PastError> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => Err(PastError::NoStep("the expression waits for a running program".to_owned())),
    }
}

/// The value of an expression, or the reason why it is unknown.
///
/// # Errors
/// The recording or a class file cannot be read.
pub async fn value(expr: &Expr, machine: &mut CallMachine<'_>) -> Result<Result<Value, String>, PastError> {
    let begins = machine.stands_at_the_begin();
    let found = evaluate(expr, machine).await;
    machine.stand_at_the_begin(begins);
    match found {
        Ok(value) => Ok(Ok(value)),
        Err(EvalError::Machine(Unread::Broken(error))) => Err(*error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// A value of a recorded call in Java syntax.
pub fn text(value: &Value, machine: &CallMachine<'_>) -> String {
    match value {
        Value::Object { id: ObjectId(id), .. } => match (u32::try_from(*id), machine.boxed(ObjectId(*id))) {
            (_, Ok(Some(held))) => Namer::default().text(&held, &machine.tables),
            (Ok(number), _) => machine.calls.objects.show(number),
            (Err(_), _) => "an object".to_owned(),
        },
        plain => Namer::default().text(plain, &machine.tables),
    }
}
