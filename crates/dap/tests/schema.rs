//! Compares every type with the official schema of the protocol, if `QP_TEST_DAP_SCHEMA` names its file.
//! `./run test` sets that. The samples are made from the schema: values with all properties, with the
//! required ones only, and with each enumerated value.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

mod support;

use dap::types as t;
use dap::{Command, ErrorBody, ErrorMessage, Event, Request, Response};
use serde_json::{Value, json};
use support::conformance::{Compared, Mismatches};
use support::schema::Schema;

/// The types that are parts of others, with their definitions.
const PARTS: &[(&str, Compared)] = &[
    ("Capabilities", Compared::of::<t::Capabilities>()),
    ("ExceptionBreakpointsFilter", Compared::of::<t::ExceptionBreakpointsFilter>()),
    ("Message", Compared::of::<ErrorMessage>()),
    ("Source", Compared::of::<t::Source>()),
    ("Checksum", Compared::of::<t::Checksum>()),
    ("SourceBreakpoint", Compared::of::<t::SourceBreakpoint>()),
    ("FunctionBreakpoint", Compared::of::<t::FunctionBreakpoint>()),
    ("DataBreakpoint", Compared::of::<t::DataBreakpoint>()),
    ("ExceptionFilterOptions", Compared::of::<t::ExceptionFilterOptions>()),
    ("ExceptionOptions", Compared::of::<t::ExceptionOptions>()),
    ("ExceptionPathSegment", Compared::of::<t::ExceptionPathSegment>()),
    ("Breakpoint", Compared::of::<t::Breakpoint>()),
    ("BreakpointLocation", Compared::of::<t::BreakpointLocation>()),
    ("StepInTarget", Compared::of::<t::StepInTarget>()),
    ("GotoTarget", Compared::of::<t::GotoTarget>()),
    ("Thread", Compared::of::<t::Thread>()),
    ("StackFrame", Compared::of::<t::StackFrame>()),
    ("StackFrameFormat", Compared::of::<t::StackFrameFormat>()),
    ("Scope", Compared::of::<t::Scope>()),
    ("ValueFormat", Compared::of::<t::ValueFormat>()),
    ("Variable", Compared::of::<t::Variable>()),
    ("VariablePresentationHint", Compared::of::<t::VariablePresentationHint>()),
    ("CompletionItem", Compared::of::<t::CompletionItem>()),
    ("ExceptionDetails", Compared::of::<t::ExceptionDetails>()),
];

/// The arguments of requests, with their definitions. Those of `launch` and `attach` have settings that the
/// schema does not know.
const ARGUMENTS: &[(&str, Compared)] = &[
    ("InitializeRequestArguments", Compared::of::<t::InitializeArguments>()),
    ("RestartArguments", Compared::of::<t::RestartArguments>()),
    ("LaunchRequestArguments", Compared::open::<t::LaunchArguments>()),
    ("AttachRequestArguments", Compared::open::<t::AttachArguments>()),
    ("DisconnectArguments", Compared::of::<t::DisconnectArguments>()),
    ("TerminateArguments", Compared::of::<t::TerminateArguments>()),
    ("CancelArguments", Compared::of::<t::CancelArguments>()),
    ("BreakpointLocationsArguments", Compared::of::<t::BreakpointLocationsArguments>()),
    ("SetBreakpointsArguments", Compared::of::<t::SetBreakpointsArguments>()),
    ("SetFunctionBreakpointsArguments", Compared::of::<t::SetFunctionBreakpointsArguments>()),
    ("SetExceptionBreakpointsArguments", Compared::of::<t::SetExceptionBreakpointsArguments>()),
    ("DataBreakpointInfoArguments", Compared::of::<t::DataBreakpointInfoArguments>()),
    ("SetDataBreakpointsArguments", Compared::of::<t::SetDataBreakpointsArguments>()),
    ("ContinueArguments", Compared::of::<t::ContinueArguments>()),
    ("ReverseContinueArguments", Compared::of::<t::ContinueArguments>()),
    ("NextArguments", Compared::of::<t::StepArguments>()),
    ("StepOutArguments", Compared::of::<t::StepArguments>()),
    ("StepBackArguments", Compared::of::<t::StepArguments>()),
    ("StepInArguments", Compared::of::<t::StepInArguments>()),
    ("RestartFrameArguments", Compared::of::<t::RestartFrameArguments>()),
    ("GotoArguments", Compared::of::<t::GotoArguments>()),
    ("GotoTargetsArguments", Compared::of::<t::GotoTargetsArguments>()),
    ("StepInTargetsArguments", Compared::of::<t::StepInTargetsArguments>()),
    ("PauseArguments", Compared::of::<t::PauseArguments>()),
    ("StackTraceArguments", Compared::of::<t::StackTraceArguments>()),
    ("ScopesArguments", Compared::of::<t::ScopesArguments>()),
    ("VariablesArguments", Compared::of::<t::VariablesArguments>()),
    ("EvaluateArguments", Compared::of::<t::EvaluateArguments>()),
    ("CompletionsArguments", Compared::of::<t::CompletionsArguments>()),
    ("ExceptionInfoArguments", Compared::of::<t::ExceptionInfoArguments>()),
    ("SourceArguments", Compared::of::<t::SourceArguments>()),
    ("RunInTerminalRequestArguments", Compared::of::<t::RunInTerminalArguments>()),
];

/// The commands whose responses have a body, with it. The others are acknowledged.
const ANSWERS: &[(&str, Compared)] = &[
    ("initialize", Compared::of::<t::Capabilities>()),
    ("breakpointLocations", Compared::of::<t::BreakpointLocationsBody>()),
    ("setBreakpoints", Compared::of::<t::SetBreakpointsBody>()),
    ("setFunctionBreakpoints", Compared::of::<t::SetBreakpointsBody>()),
    ("setExceptionBreakpoints", Compared::of::<t::SetBreakpointsBody>().stricter("breakpoints")),
    ("dataBreakpointInfo", Compared::of::<t::DataBreakpointInfoBody>()),
    ("setDataBreakpoints", Compared::of::<t::SetBreakpointsBody>()),
    ("continue", Compared::of::<t::ContinueBody>()),
    ("gotoTargets", Compared::of::<t::GotoTargetsBody>()),
    ("stepInTargets", Compared::of::<t::StepInTargetsBody>()),
    ("threads", Compared::of::<t::ThreadsBody>()),
    ("stackTrace", Compared::of::<t::StackTraceBody>()),
    ("scopes", Compared::of::<t::ScopesBody>()),
    ("variables", Compared::of::<t::VariablesBody>()),
    ("evaluate", Compared::of::<t::EvaluateBody>()),
    ("completions", Compared::of::<t::CompletionsBody>()),
    ("exceptionInfo", Compared::of::<t::ExceptionInfoBody>()),
    ("source", Compared::of::<t::SourceBody>()),
    ("loadedSources", Compared::of::<t::LoadedSourcesBody>()),
    ("runInTerminal", Compared::of::<t::RunInTerminalBody>()),
];

/// The events that have a body, with it.
const EVENTS: &[(&str, Compared)] = &[
    ("stopped", Compared::of::<t::StoppedBody>()),
    ("continued", Compared::of::<t::ContinuedBody>()),
    ("exited", Compared::of::<t::ExitedBody>()),
    ("terminated", Compared::of::<t::TerminatedBody>()),
    ("thread", Compared::of::<t::ThreadBody>()),
    ("output", Compared::of::<t::OutputBody>()),
    ("breakpoint", Compared::of::<t::BreakpointBody>()),
    ("progressStart", Compared::of::<t::ProgressStartBody>()),
    ("progressUpdate", Compared::of::<t::ProgressUpdateBody>()),
    ("progressEnd", Compared::of::<t::ProgressEndBody>()),
    ("invalidated", Compared::of::<t::InvalidatedBody>()),
    ("process", Compared::of::<t::ProcessBody>()),
    ("capabilities", Compared::of::<t::CapabilitiesBody>()),
    ("loadedSource", Compared::of::<t::LoadedSourceBody>()),
];

/// The name of a definition in the schema: `stepIn` and `Response` make `StepInResponse`.
fn definition(name: &str, kind: &str) -> String {
    let (first, rest) = name.split_at(1);
    format!("{}{rest}{kind}", first.to_uppercase())
}

fn request(command: &str, arguments: Option<Value>) -> Request {
    Request { seq: 7, command: command.to_owned(), arguments }
}

#[test]
fn parts_and_arguments_are_those_of_the_schema() {
    let Some(schema) = Schema::of_environment() else { return };
    let mut mismatches = Mismatches::default();
    for (name, compared) in PARTS.iter().chain(ARGUMENTS) {
        compared.check(&schema, name, schema.definition(name), &mut mismatches);
    }
    mismatches.none();
}

#[test]
fn commands_accept_what_the_schema_accepts() {
    let Some(schema) = Schema::of_environment() else { return };
    let mut mismatches = Mismatches::default();
    for command in Command::NAMES {
        let message = schema.merged(schema.definition(&definition(command, "Request")));
        let Some(arguments) = message["properties"].get("arguments") else { continue };
        for sample in [schema.full(arguments), schema.minimal(arguments)] {
            let parsed = Command::parse(&request(command, Some(sample.clone())));
            mismatches.check(parsed.as_ref().is_ok_and(|parsed| parsed.name() == *command), || {
                format!("`{command}` with {sample}: {parsed:?}")
            });
        }
        let has_required = schema.required(arguments).next().is_some();
        let parsed = Command::parse(&request(command, None));
        mismatches.check(parsed.is_err() == has_required, || format!("`{command}` alone: {parsed:?}"));
    }
    mismatches.none();
}

#[test]
fn responses_are_those_of_the_schema() {
    let Some(schema) = Schema::of_environment() else { return };
    let mut mismatches = Mismatches::default();
    for command in Command::NAMES.iter().chain(&["runInTerminal"]) {
        let name = definition(command, "Response");
        let body = schema.merged(schema.definition(&name))["properties"]["body"].clone();
        let answer = ANSWERS.iter().find(|(of, _)| of == command).map(|(_, compared)| compared);
        let request = request(command, None);
        let Some(compared) = answer else {
            // `body` of acknowledgements is that of `Response`: anything.
            mismatches.check(body.get("properties").is_none(), || format!("{name} has a body"));
            let sent = json!(Response::acknowledgement(1, &request));
            schema.validate(&name, &sent, &mut mismatches);
            continue;
        };
        let name_of_body = format!("body of {name}");
        for body in compared.check(&schema, &name_of_body, &body, &mut mismatches) {
            let sent = json!(Response::success(1, &request, &body).expect("a body is JSON"));
            schema.validate(&name, &sent, &mut mismatches);
        }
    }
    mismatches.none();
}

#[test]
fn failures_are_those_of_the_schema() {
    let Some(schema) = Schema::of_environment() else { return };
    let mut mismatches = Mismatches::default();
    let message = schema.definition("Message");
    for sample in [schema.full(message), schema.minimal(message)] {
        let error: ErrorMessage = serde_json::from_value(sample).expect("a message");
        for short in [None, Some(Response::CANCELLED), Some(Response::NOT_STOPPED)] {
            let failure = Response::failure(1, &request("next", None), short, error.clone());
            let sent = json!(failure.expect("a message is JSON"));
            schema.validate("ErrorResponse", &sent, &mut mismatches);
        }
    }
    let none = Response { body: Some(json!(ErrorBody::default())), ..failed() };
    schema.validate("ErrorResponse", &json!(none), &mut mismatches);
    mismatches.none();
}

fn failed() -> Response {
    Response { success: false, ..Response::acknowledgement(1, &request("next", None)) }
}

#[test]
fn events_are_those_of_the_schema() {
    let Some(schema) = Schema::of_environment() else { return };
    let mut mismatches = Mismatches::default();
    let initialized = json!(Event { seq: 1, body: t::EventBody::Initialized });
    schema.validate("InitializedEvent", &initialized, &mut mismatches);
    for (event, compared) in EVENTS {
        let name = definition(event, "Event");
        let body = schema.merged(schema.definition(&name))["properties"]["body"].clone();
        let name_of_body = format!("body of {name}");
        for body in compared.check(&schema, &name_of_body, &body, &mut mismatches) {
            let message = json!({"seq": 1, "type": "event", "event": event, "body": body});
            let sent: Event = serde_json::from_value(message.clone()).expect("an event of the table");
            let sent = json!(sent);
            mismatches.check(sent == message, || format!("{sent} is not {message}"));
            schema.validate(&name, &sent, &mut mismatches);
        }
    }
    mismatches.none();
}

#[test]
fn reverse_requests_are_those_of_the_schema() {
    let Some(schema) = Schema::of_environment() else { return };
    let mut mismatches = Mismatches::default();
    let arguments = schema.definition("RunInTerminalRequestArguments");
    for sample in [schema.full(arguments), schema.minimal(arguments)] {
        let arguments: t::RunInTerminalArguments = serde_json::from_value(sample).expect("arguments");
        let sent = json!(Request::run_in_terminal(1, &arguments).expect("arguments are JSON"));
        schema.validate("RunInTerminalRequest", &sent, &mut mismatches);
    }
    mismatches.none();
}

#[test]
fn differences_are_found() {
    let Some(schema) = Schema::of_environment() else { return };
    let mut mismatches = Mismatches::default();
    let stopped = json!({"seq": 1, "type": "event", "event": "stopped", "body": {"threadId": 1}});
    schema.validate("StoppedEvent", &stopped, &mut mismatches);
    assert!(mismatches.all().iter().any(|said| said.contains("\"reason\" is a required property")));

    let found = |compared: Compared, name: &str| {
        let mut mismatches = Mismatches::default();
        compared.check(&schema, name, schema.definition(name), &mut mismatches);
        mismatches.all().join("\n")
    };
    let scope = found(Compared::of::<t::Thread>(), "Scope");
    assert!(scope.contains("Scope: no property `id`"), "{scope}");
    assert!(scope.contains("is not read: missing field `id`"), "{scope}");
    // A thread requires its name.
    let thread = found(Compared::of::<t::Source>(), "Thread");
    assert!(thread.contains("Thread without `name`: Ok("), "{thread}");
}
