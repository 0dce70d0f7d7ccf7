//! A call of a recorded run as it is shown.

use super::error::InspectError;
use super::values::shown;
use crate::trace::{Calls, Exit, Value};
use serde::Serialize;

/// A call, or several that are not shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Shown {
    /// A call.
    Call(CallShown),
    /// Calls of one method that are not shown.
    Fold(Fold),
}

/// Calls of one method that follow each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fold {
    /// How many.
    pub folded: usize,
    /// Their method, as CLASS.METHOD.
    pub method: String,
    /// How many calls are below them.
    pub below: u64,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallShown {
    /// Its number.
    pub node: u32,
    /// The class of its method.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// What it was called on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub this: Option<String>,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The names of its parameters, as far as the class file has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Option<String>>,
    /// What it returned; none for `void`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The exception that left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// Why it is not known how it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<&'static str>,
    /// How many calls are below it.
    pub below: u32,
    /// Those of them that are shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Shown>,
}

impl CallShown {
    /// A call without those below it; none if there is no such call.
    pub(crate) fn of(calls: &mut Calls, node: u32) -> Result<Option<CallShown>, InspectError> {
        let Some(call) = calls.call(node)? else { return Ok(None) };
        let objects = &calls.objects;
        let text = |value: &Value| shown(value, objects);
        let method = calls.sites.method(call.method).cloned();
        let (class, name, descriptor, parameters) =
            method.map(|m| (m.class.to_string(), m.name, m.descriptor, m.parameters)).unwrap_or_default();
        Ok(Some(CallShown {
            node: calls.shown(node),
            class,
            method: name,
            this: call.this.map(|this| if this == 0 { "?".to_owned() } else { objects.name(this) }),
            arguments: match call.is_around {
                true => vec!["?".to_owned(); parameter_count(&descriptor)],
                false => call.arguments.iter().map(text).collect(),
            },
            descriptor,
            parameters,
            result: call.result.as_ref().filter(|_| call.exit == Exit::Returned).map(text),
            exception: call.result.as_ref().filter(|_| call.exit == Exit::Threw).map(text),
            open: match call.exit {
                Exit::Open => Some("it had not ended"),
                Exit::Unrecorded => Some("its end was not recorded"),
                Exit::Returned | Exit::Threw => None,
            },
            below: call.below,
            calls: Vec::new(),
        }))
    }
}

/// How many parameters a method has.
fn parameter_count(descriptor: &str) -> usize {
    bytecode::descriptor::parse_method(descriptor).map_or(0, |parts| parts.parameters.len())
}
