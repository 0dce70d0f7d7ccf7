//! The display form of a recorded call.

use super::error::PastError;
use super::values::shown;
use serde::Serialize;
use trace::{Calls, Exit, Value};

/// A call, or several folded calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ListedCall {
    /// A call.
    Call(CallShown),
    /// Folded calls of one method, or of methods that take turns.
    Fold(Fold),
}

/// Consecutive calls of one method, or of methods that take turns, that are folded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fold {
    /// Number of folded calls.
    pub folded: usize,
    /// Their methods, as CLASS.METHOD, separated by commas.
    pub method: String,
    /// Number of calls below them.
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
    /// Its receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub this: Option<String>,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The names of its parameters, as far as the class file has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Option<String>>,
    /// Its result; `None` for `void`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The exception that left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// Why its end is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<&'static str>,
    /// Number of calls below it.
    pub below: u32,
    /// The displayed calls below it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ListedCall>,
}

impl CallShown {
    /// A call without the calls below it; `None` if it does not exist.
    pub fn of(calls: &mut Calls, node: u32) -> Result<Option<CallShown>, PastError> {
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

/// Number of parameters of a method.
fn parameter_count(descriptor: &str) -> usize {
    bytecode::descriptor::parse_method(descriptor).map_or(0, |parts| parts.parameters.len())
}
