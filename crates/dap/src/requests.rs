//! The requests of clients that the adapter knows. The table of commands is the index of the protocol: a
//! command is in it, or it is unknown.

use crate::located;
use crate::message::Request;
use crate::types::{
    AttachArguments, BreakpointLocationsArguments, CancelArguments, CompletionsArguments, ContinueArguments,
    DataBreakpointInfoArguments, DisconnectArguments, EvaluateArguments, ExceptionInfoArguments,
    GotoArguments, GotoTargetsArguments, InitializeArguments, LaunchArguments, PauseArguments,
    RestartArguments, RestartFrameArguments, ScopesArguments, SetBreakpointsArguments,
    SetDataBreakpointsArguments, SetExceptionBreakpointsArguments, SetFunctionBreakpointsArguments,
    SourceArguments, StackTraceArguments, StepArguments, StepInArguments, StepInTargetsArguments,
    TerminateArguments, VariablesArguments,
};
use serde_json::{Map, Value};

/// Why the arguments of a request cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// The command is not in the table.
    #[error("the command `{0}` is not supported")]
    Unknown(String),
    /// The arguments as a whole have the wrong type.
    #[error("the arguments of `{command}` are wrong: {problem}")]
    Whole {
        /// The name of the command.
        command: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// An argument is missing or has the wrong type.
    #[error("the argument `{field}` of `{command}` is wrong: {problem}")]
    Field {
        /// The name of the command.
        command: &'static str,
        /// The path to the argument, for example `breakpoints[2].line`.
        field: String,
        /// What is wrong.
        problem: String,
    },
}

/// Defines [`Command`]. A row is a variant, its arguments if it has some, and the command's name.
macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident $(($arguments:ty))? = $name:literal,)+) => {
        /// A request with its arguments.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a command is read once and taken apart at once")]
        pub enum Command {
            $($(#[$doc])* $variant $(($arguments))?,)+
        }

        impl Command {
            /// The names of all commands, in the order of the table.
            pub const NAMES: &[&str] = &[$($name),+];

            /// Reads the arguments of a request. Absent arguments are the same as an empty object.
            ///
            /// # Errors
            ///
            /// The command is unknown, or an argument is missing or has the wrong type.
            pub fn parse(request: &Request) -> Result<Self, ArgumentError> {
                match request.command.as_str() {
                    $($name => Ok(Self::$variant $((arguments::<$arguments>($name, request)?))?),)+
                    other => Err(ArgumentError::Unknown(other.to_owned())),
                }
            }

            /// The command's name.
            pub fn name(&self) -> &'static str {
                match self {
                    $(commands!(@pattern $variant $(($arguments))?) => $name,)+
                }
            }
        }
    };
    (@pattern $variant:ident) => { Self::$variant };
    (@pattern $variant:ident ($arguments:ty)) => { Self::$variant(_) };
}

commands! {
    /// Tells what the client can do, and asks what the adapter can do.
    Initialize(InitializeArguments) = "initialize",
    /// Ends the configuration: all breakpoints are set.
    ConfigurationDone = "configurationDone",
    /// Starts the debuggee.
    Launch(LaunchArguments) = "launch",
    /// Connects to a running debuggee.
    Attach(AttachArguments) = "attach",
    /// Starts the session again.
    Restart(RestartArguments) = "restart",
    /// Ends the session.
    Disconnect(DisconnectArguments) = "disconnect",
    /// Asks the debuggee to end.
    Terminate(TerminateArguments) = "terminate",
    /// Gives up a request or a progress.
    Cancel(CancelArguments) = "cancel",

    /// Asks for the places that can have breakpoints.
    BreakpointLocations(BreakpointLocationsArguments) = "breakpointLocations",
    /// Replaces the breakpoints of a source.
    SetBreakpoints(SetBreakpointsArguments) = "setBreakpoints",
    /// Replaces the breakpoints on functions.
    SetFunctionBreakpoints(SetFunctionBreakpointsArguments) = "setFunctionBreakpoints",
    /// Replaces the breakpoints on exceptions.
    SetExceptionBreakpoints(SetExceptionBreakpointsArguments) = "setExceptionBreakpoints",
    /// Asks whether a variable can have a data breakpoint.
    DataBreakpointInfo(DataBreakpointInfoArguments) = "dataBreakpointInfo",
    /// Replaces the data breakpoints.
    SetDataBreakpoints(SetDataBreakpointsArguments) = "setDataBreakpoints",

    /// Resumes execution.
    Continue(ContinueArguments) = "continue",
    /// Steps over calls.
    Next(StepArguments) = "next",
    /// Steps into a call.
    StepIn(StepInArguments) = "stepIn",
    /// Steps to the caller.
    StepOut(StepArguments) = "stepOut",
    /// Steps backwards.
    StepBack(StepArguments) = "stepBack",
    /// Resumes execution backwards.
    ReverseContinue(ContinueArguments) = "reverseContinue",
    /// Executes a stack frame again from its beginning.
    RestartFrame(RestartFrameArguments) = "restartFrame",
    /// Moves execution to a target.
    Goto(GotoArguments) = "goto",
    /// Asks for the targets of `goto` in a line.
    GotoTargets(GotoTargetsArguments) = "gotoTargets",
    /// Asks for the targets of `stepIn` in a frame.
    StepInTargets(StepInTargetsArguments) = "stepInTargets",
    /// Suspends execution.
    Pause(PauseArguments) = "pause",

    /// Asks for all threads.
    Threads = "threads",
    /// Asks for the stack of a thread.
    StackTrace(StackTraceArguments) = "stackTrace",
    /// Asks for the scopes of a frame.
    Scopes(ScopesArguments) = "scopes",
    /// Asks for the children of a scope or variable.
    Variables(VariablesArguments) = "variables",
    /// Evaluates an expression.
    Evaluate(EvaluateArguments) = "evaluate",
    /// Asks how an expression can go on.
    Completions(CompletionsArguments) = "completions",
    /// Asks for the exception at which a thread stopped.
    ExceptionInfo(ExceptionInfoArguments) = "exceptionInfo",
    /// Asks for the text of a source.
    Source(SourceArguments) = "source",
    /// Asks for all loaded sources.
    LoadedSources = "loadedSources",
}

/// Reads the arguments of a request.
fn arguments<T: serde::de::DeserializeOwned>(
    command: &'static str,
    request: &Request,
) -> Result<T, ArgumentError> {
    let empty = Value::Object(Map::new());
    let value = request.arguments.as_ref().filter(|value| !value.is_null()).unwrap_or(&empty);
    located::read(value).map_err(|misfit| {
        let problem = misfit.problem;
        match misfit.field {
            field if field.is_empty() => ArgumentError::Whole { command, problem },
            field => ArgumentError::Field { command, field, problem },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{EvaluateContext, Source, SourceBreakpoint};
    use serde_json::json;

    fn parse(command: &str, arguments: Option<Value>) -> Result<Command, ArgumentError> {
        Command::parse(&Request { seq: 1, command: command.to_owned(), arguments })
    }

    fn said(command: &str, arguments: Value) -> String {
        parse(command, Some(arguments)).unwrap_err().to_string()
    }

    #[test]
    fn arguments_are_typed_and_unknown_ones_ignored() {
        let arguments =
            json!({"source": {"path": "/A.java"}, "breakpoints": [{"line": 3, "mode": "x"}], "y": 1});
        let expected = SetBreakpointsArguments {
            source: Source { path: Some("/A.java".to_owned()), ..Source::default() },
            breakpoints: Some(vec![SourceBreakpoint { line: 3, ..SourceBreakpoint::default() }]),
            ..SetBreakpointsArguments::default()
        };
        assert_eq!(parse("setBreakpoints", Some(arguments)), Ok(Command::SetBreakpoints(expected)));
    }

    #[test]
    fn arguments_may_be_absent_or_null() {
        let optional = [
            "configurationDone",
            "threads",
            "loadedSources",
            "launch",
            "attach",
            "restart",
            "disconnect",
            "terminate",
            "cancel",
        ];
        for command in optional {
            for arguments in [None, Some(Value::Null), Some(json!({}))] {
                assert_eq!(parse(command, arguments).unwrap().name(), command);
            }
        }
        let Ok(Command::Evaluate(evaluate)) = parse("evaluate", Some(json!({"expression": "a"}))) else {
            panic!("not read")
        };
        assert_eq!((evaluate.context, evaluate.frame_id), (None, None));
    }

    #[test]
    fn contexts_of_other_clients_are_kept() {
        let arguments = |context| Some(json!({"expression": "a", "context": context}));
        let context = |name| match parse("evaluate", arguments(name)) {
            Ok(Command::Evaluate(evaluate)) => evaluate.context,
            other => panic!("{other:?}"),
        };
        assert_eq!(context("hover"), Some(EvaluateContext::Hover));
        assert_eq!(context("lens"), Some(EvaluateContext::Other("lens".to_owned())));
    }

    #[test]
    fn settings_of_a_launch_are_kept() {
        let arguments = json!({"noDebug": true, "mainClass": "A", "args": ["b"]});
        let Ok(Command::Launch(launch)) = parse("launch", Some(arguments)) else { panic!("not read") };
        assert_eq!(launch.no_debug, Some(true));
        assert_eq!(Value::Object(launch.settings), json!({"mainClass": "A", "args": ["b"]}));
    }

    #[test]
    fn errors_name_the_command_and_the_field() {
        assert_eq!(said("reload", json!({})), "the command `reload` is not supported");
        assert_eq!(
            said("next", json!({})),
            "the argument `threadId` of `next` is wrong: the field is missing"
        );
        assert_eq!(
            said("next", json!({"threadId": "one"})),
            "the argument `threadId` of `next` is wrong: invalid type: string \"one\", expected i64"
        );
        assert_eq!(
            said("setBreakpoints", json!({"source": {}, "breakpoints": [{"line": 1}, {}]})),
            "the argument `breakpoints[1].line` of `setBreakpoints` is wrong: the field is missing"
        );
        assert_eq!(
            said("stepIn", json!({"threadId": 1, "granularity": "word"})),
            "the argument `granularity` of `stepIn` is wrong: unknown variant `word`, \
             expected one of `statement`, `line`, `instruction`"
        );
        assert_eq!(
            said("next", json!([1])),
            "the arguments of `next` are wrong: invalid type: sequence, expected an object"
        );
    }

    #[test]
    fn each_name_stands_once_in_the_table() {
        let names: std::collections::BTreeSet<_> = Command::NAMES.iter().collect();
        assert_eq!(names.len(), Command::NAMES.len());
    }
}
