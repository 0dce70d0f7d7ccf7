//! The envelopes of the protocol: requests, responses and events.

use crate::located;
use crate::types::{EventBody, RunInTerminalArguments};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A request of the client, or a reverse request of the adapter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "request")]
pub struct Request {
    /// The number of the message. Each side numbers its own messages from 1.
    pub seq: i64,
    /// The name of the command.
    pub command: String,
    /// The arguments; [`Command::parse`](crate::Command::parse) reads those of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
}

impl Request {
    /// The reverse request that the client run a program in a terminal. Its response has a
    /// [`RunInTerminalBody`](crate::types::RunInTerminalBody).
    ///
    /// # Errors
    ///
    /// Never, as all arguments have a form in JSON.
    pub fn run_in_terminal(seq: i64, arguments: &RunInTerminalArguments) -> Result<Self, serde_json::Error> {
        let arguments = Some(serde_json::to_value(arguments)?);
        Ok(Self { seq, command: "runInTerminal".to_owned(), arguments })
    }
}

/// The response to a request of either side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "response")]
pub struct Response {
    /// The number of the message.
    pub seq: i64,
    /// The number of the request.
    pub request_seq: i64,
    /// Whether the request succeeded. If not, `message` and `body` may give the reason.
    pub success: bool,
    /// The name of the command.
    pub command: String,
    /// The reason of a failure as a short word for the client, for example `cancelled` or `notStopped`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The answer, or an [`ErrorBody`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

impl Response {
    /// The message of the response to a cancelled request.
    pub const CANCELLED: &'static str = "cancelled";
    /// The message of the response to a request that needs a suspended thread.
    pub const NOT_STOPPED: &'static str = "notStopped";

    /// The response to a request that succeeded and has an answer.
    ///
    /// # Errors
    ///
    /// The body has no form in JSON. This does not happen with the bodies of [`types`](crate::types).
    pub fn success(seq: i64, request: &Request, body: &impl Serialize) -> Result<Self, serde_json::Error> {
        Ok(Self { body: Some(serde_json::to_value(body)?), ..Self::acknowledgement(seq, request) })
    }

    /// The response to a request that succeeded and has no answer.
    pub fn acknowledgement(seq: i64, request: &Request) -> Self {
        let (request_seq, command) = (request.seq, request.command.clone());
        Self { seq, request_seq, success: true, command, message: None, body: None }
    }

    /// The response to a request that failed. `message` is a short word for the client, and `error` a
    /// sentence for the user.
    ///
    /// # Errors
    ///
    /// Never, as every error message has a form in JSON.
    pub fn failure(
        seq: i64,
        request: &Request,
        message: Option<&str>,
        error: ErrorMessage,
    ) -> Result<Self, serde_json::Error> {
        let body = Some(serde_json::to_value(ErrorBody { error: Some(error) })?);
        let message = message.map(str::to_owned);
        Ok(Self { success: false, message, body, ..Self::acknowledgement(seq, request) })
    }
}

/// An event that the adapter reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "event")]
pub struct Event {
    /// The number of the message.
    pub seq: i64,
    /// The kind of the event, and what it reports.
    #[serde(flatten)]
    pub body: EventBody,
}

/// The body of a response to a failed request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// The reason, for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorMessage>,
}

/// A message about an error, for the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorMessage {
    /// A number that is unique to this kind of error within the adapter.
    pub id: i64,
    /// The text. `{name}` stands for a variable; names that begin with `_` are left out of telemetry.
    pub format: String,
    /// The values of the variables in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<BTreeMap<String, String>>,
    /// Whether the client should report the error to its maker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_telemetry: Option<bool>,
    /// Whether the client should show the error to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_user: Option<bool>,
    /// The address of a page about the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The text of the link to that page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_label: Option<String>,
}

/// A message from the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// A request.
    Request(Request),
    /// The response to a reverse request, such as `runInTerminal`.
    Response(Response),
}

/// Why a JSON value is not a message from a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// The value is not an object.
    #[error("a message must be a JSON object")]
    NotAnObject,
    /// The object has no type.
    #[error("a message must have a `type`, which is a string")]
    NoType,
    /// The type is none that a client sends, for example `event`.
    #[error("a client must send messages of type `request` or `response`, not `{0}`")]
    Type(String),
    /// A field is missing or has the wrong type.
    #[error("the field `{field}` of a {kind} is wrong: {problem}")]
    Field {
        /// The type of the message.
        kind: &'static str,
        /// The name of the field.
        field: String,
        /// What is wrong.
        problem: String,
    },
}

impl Incoming {
    /// Reads a message from its JSON.
    ///
    /// # Errors
    ///
    /// The value is not a request or response, or lacks a field that all of them have.
    pub fn parse(value: Value) -> Result<Self, MessageError> {
        let Value::Object(mut fields) = value else { return Err(MessageError::NotAnObject) };
        // The payload is moved, as it may be large.
        match fields.get("type").and_then(Value::as_str) {
            Some("request") => {
                let arguments = payload(&mut fields, "arguments");
                let request = read::<Request>("request", fields)?;
                Ok(Self::Request(Request { arguments, ..request }))
            }
            Some("response") => {
                let body = payload(&mut fields, "body");
                let response = read::<Response>("response", fields)?;
                Ok(Self::Response(Response { body, ..response }))
            }
            Some(other) => Err(MessageError::Type(other.to_owned())),
            None => Err(MessageError::NoType),
        }
    }
}

/// Takes the field out of the object, unless it is `null`.
fn payload(fields: &mut Map<String, Value>, field: &str) -> Option<Value> {
    fields.swap_remove(field).filter(|value| !value.is_null())
}

fn read<T: serde::de::DeserializeOwned>(
    kind: &'static str,
    fields: Map<String, Value>,
) -> Result<T, MessageError> {
    located::read(&Value::Object(fields)).map_err(|misfit| MessageError::Field {
        kind,
        field: misfit.field,
        problem: misfit.problem,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn requests_and_responses_are_told_apart() {
        let value =
            json!({"seq": 3, "type": "request", "command": "next", "arguments": {"threadId": 1}, "x": 0});
        let arguments = Some(json!({"threadId": 1}));
        let request = Request { seq: 3, command: "next".to_owned(), arguments };
        assert_eq!(Incoming::parse(value), Ok(Incoming::Request(request)));

        let value = json!({"seq": 4, "type": "response", "request_seq": 9, "success": true,
            "command": "runInTerminal", "body": {"processId": 12}});
        let Ok(Incoming::Response(response)) = Incoming::parse(value) else { panic!("not a response") };
        assert_eq!((response.request_seq, response.body), (9, Some(json!({"processId": 12}))));
    }

    #[test]
    fn other_values_are_explained() {
        let said = |value: Value| Incoming::parse(value).unwrap_err().to_string();
        assert_eq!(said(json!([])), "a message must be a JSON object");
        assert_eq!(said(json!({"seq": 1})), "a message must have a `type`, which is a string");
        let event = json!({"seq": 1, "type": "event", "event": "stopped"});
        assert_eq!(said(event), "a client must send messages of type `request` or `response`, not `event`");
        assert_eq!(
            said(json!({"type": "request", "command": "threads"})),
            "the field `seq` of a request is wrong: the field is missing"
        );
        assert_eq!(
            said(json!({"seq": "1", "type": "request", "command": "threads"})),
            "the field `seq` of a request is wrong: invalid type: string \"1\", expected i64"
        );
        assert_eq!(
            said(json!({"seq": 1, "type": "response", "success": true, "command": "runInTerminal"})),
            "the field `request_seq` of a response is wrong: the field is missing"
        );
    }

    #[test]
    fn sent_messages_have_their_type_and_no_nulls() {
        let request = Request { seq: 7, command: "launch".to_owned(), arguments: None };
        assert_eq!(sent(&request), json!({"type": "request", "seq": 7, "command": "launch"}));
        assert_eq!(
            sent(&Response::acknowledgement(1, &request)),
            json!({"type": "response", "seq": 1, "request_seq": 7, "success": true, "command": "launch"})
        );
        let event = Event { seq: 2, body: EventBody::Initialized };
        assert_eq!(sent(&event), json!({"type": "event", "seq": 2, "event": "initialized"}));
        let error = ErrorMessage { id: 1, format: "no".to_owned(), ..ErrorMessage::default() };
        let failure = Response::failure(3, &request, Some(Response::CANCELLED), error).unwrap();
        assert_eq!(
            sent(&failure),
            json!({"type": "response", "seq": 3, "request_seq": 7, "success": false, "command": "launch",
                "message": "cancelled", "body": {"error": {"id": 1, "format": "no"}}})
        );
    }

    fn sent(message: &impl Serialize) -> Value {
        serde_json::to_value(message).unwrap()
    }
}
