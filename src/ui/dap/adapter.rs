//! Answers the requests of an editor about a recording.

use super::shown::{self, number};
use crate::command::CommandError;
use crate::command::dap::{Launch, Launched};
use crate::session::{Context, Move, SessionError, Stop, VariableGroup};
use dap::types::{
    Breakpoint, ContinueBody, EvaluateArguments, EvaluateBody, EventBody, OutputBody, OutputCategory,
    ScopesBody, SetBreakpointsArguments, SetBreakpointsBody, StackTraceArguments, StackTraceBody,
    TerminatedBody, Thread, ThreadsBody, VariablesArguments, VariablesBody,
};
use dap::{Command, Request};
use serde_json::Value;
use std::collections::BTreeMap;

/// The answer to a request: the body of the response, and the events that follow it.
#[derive(Default)]
pub struct Answer {
    /// The body; none if the response has none.
    pub body: Option<Value>,
    /// The events after the response.
    pub events: Vec<EventBody>,
    /// Whether the session ends.
    pub ends: bool,
}

/// Why a request has no answer.
pub enum Refusal {
    /// The request makes no sense in this state, or cannot be understood.
    Request(String),
    /// The user cancelled it.
    Cancelled,
}

impl From<CommandError> for Refusal {
    fn from(error: CommandError) -> Refusal {
        match error {
            CommandError::Session(SessionError::Interrupted) => Refusal::Cancelled,
            error => Refusal::Request(error.to_string()),
        }
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Refusal {
        Refusal::from(CommandError::from(error))
    }
}

/// The maximum number of frames of an answer.
const FRAMES: usize = 1000;

/// A session with an editor.
#[derive(Default)]
pub struct Adapter {
    launch: Option<Launch>,
    launched: Option<Launched>,
    /// The lines of the breakpoints, by the name of the file.
    breakpoints: BTreeMap<String, Vec<u32>>,
    /// What references to variables mean at the current position; the reference is the index plus 1.
    groups: Vec<VariableGroup>,
}

impl Adapter {
    /// Answers a request.
    ///
    /// # Errors
    /// The request cannot be answered.
    pub async fn take(&mut self, request: &Request, context: &Context) -> Result<Answer, Refusal> {
        let command = Command::parse(request).map_err(|error| Refusal::Request(error.to_string()))?;
        match command {
            Command::Initialize(_) => {
                let body = body(&shown::capabilities())?;
                Ok(Answer { body, events: vec![EventBody::Initialized], ends: false })
            }
            Command::Launch(arguments) => self.launch(Value::Object(arguments.settings)),
            Command::ConfigurationDone => self.begin(context).await,
            Command::SetBreakpoints(arguments) => self.set_breakpoints(&arguments),
            Command::SetExceptionBreakpoints(_) => Ok(Answer::default()),
            Command::Threads => {
                let threads = self.launched()?.debugger.threads().into_iter();
                let threads = threads.map(|thread| Thread { id: number(thread.number), name: thread.name });
                answer(&ThreadsBody { threads: threads.collect() })
            }
            Command::StackTrace(arguments) => self.stack(&arguments),
            Command::Scopes(arguments) => {
                self.launched()?;
                let depth = usize::try_from(arguments.frame_id - 1)
                    .map_err(|_| Refusal::Request("there is no such frame".to_owned()))?;
                let reference = self.refer_to(VariableGroup::Locals(depth));
                answer(&ScopesBody { scopes: vec![shown::scope(reference)] })
            }
            Command::Variables(arguments) => self.variables(&arguments),
            Command::Evaluate(arguments) => self.evaluate(&arguments),
            Command::Next(_) => self.go(Move::Next, None),
            Command::StepIn(_) => self.go(Move::StepIn, None),
            Command::StepOut(_) => self.go(Move::StepOut, None),
            Command::StepBack(_) => self.go(Move::StepBack, None),
            Command::Continue(_) => self.go(Move::Continue, body(&whole_program())?),
            Command::ReverseContinue(_) => self.go(Move::ReverseContinue, None),
            Command::Terminate(_) => Ok(self.end(false)),
            Command::Disconnect(_) => Ok(self.end(true)),
            other => Err(Refusal::Request(format!("the request `{}` is not supported", other.name()))),
        }
    }

    /// Remembers what to launch. The work begins when the editor has set its breakpoints.
    fn launch(&mut self, settings: Value) -> Result<Answer, Refusal> {
        let wrong = |error| Refusal::Request(format!("the launch configuration is wrong: {error}"));
        self.launch = Some(serde_json::from_value(settings).map_err(wrong)?);
        Ok(Answer::default())
    }

    async fn begin(&mut self, context: &Context) -> Result<Answer, Refusal> {
        let nothing = || Refusal::Request("`launch` has to come first".to_owned());
        let launch = self.launch.clone().ok_or_else(nothing)?;
        let launched = launch.start(context).await?;
        let mut events: Vec<EventBody> = launched.notes.iter().map(|note| output(note)).collect();
        if let Some(code) = launched.exit_code {
            events.push(output(&format!("the program ended with exit code {code}; its past is here")));
        }
        let debugger = &mut self.launched.insert(launched).debugger;
        for (file, lines) in &self.breakpoints {
            debugger.set_breakpoints(file, lines);
        }
        let stop = if launch.stop_on_entry { debugger.to_beginning()? } else { debugger.standing()? };
        events.push(EventBody::Stopped(shown::stopped(&stop)));
        Ok(Answer { body: None, events, ends: false })
    }

    /// Deletes the recording, if this session has made it. The editor leaves if `is_last`.
    fn end(&mut self, is_last: bool) -> Answer {
        self.launched = None;
        let events = vec![EventBody::Terminated(TerminatedBody::default())];
        Answer { body: None, events, ends: is_last }
    }

    fn launched(&mut self) -> Result<&mut Launched, Refusal> {
        self.launched.as_mut().ok_or_else(|| Refusal::Request("nothing was launched".to_owned()))
    }

    fn set_breakpoints(&mut self, arguments: &SetBreakpointsArguments) -> Result<Answer, Refusal> {
        let source = &arguments.source;
        let path = source.path.as_deref().or(source.name.as_deref());
        let file = path.and_then(|path| path.rsplit(['/', '\\']).next());
        let file = file.ok_or_else(|| Refusal::Request("the source has no name".to_owned()))?.to_owned();
        let asked = arguments.breakpoints.iter().flatten();
        let lines: Vec<u32> = asked.map(|asked| u32::try_from(asked.line).unwrap_or(0)).collect();
        let verified = match &mut self.launched {
            Some(launched) => launched.debugger.set_breakpoints(&file, &lines),
            // Whether the line was executed is known when the program has run.
            None => vec![true; lines.len()],
        };
        let shown = lines.iter().zip(verified).map(|(line, verified)| Breakpoint {
            verified,
            line: Some(number(*line)),
            message: (!verified).then(|| "no code of this line was recorded".to_owned()),
            ..Breakpoint::default()
        });
        let breakpoints = shown.collect();
        self.breakpoints.insert(file, lines);
        answer(&SetBreakpointsBody { breakpoints })
    }

    fn stack(&mut self, arguments: &StackTraceArguments) -> Result<Answer, Refusal> {
        let thread = u32::try_from(arguments.thread_id).unwrap_or(u32::MAX);
        let debugger = &mut self.launched()?.debugger;
        if debugger.thread() != thread {
            return answer(&StackTraceBody { stack_frames: Vec::new(), total_frames: Some(0) });
        }
        let size = |n: Option<i64>| n.and_then(|n| usize::try_from(n).ok());
        let first = size(arguments.start_frame).unwrap_or(0);
        let many = size(arguments.levels).filter(|many| *many > 0).unwrap_or(FRAMES).min(FRAMES);
        let (frames, all) = debugger.stack(first, many)?;
        let ids = (first + 1..).map(number);
        let stack_frames = ids.zip(frames).map(|(id, frame)| shown::frame(id, frame)).collect();
        answer(&StackTraceBody { stack_frames, total_frames: Some(number(all)) })
    }

    fn refer_to(&mut self, group: VariableGroup) -> i64 {
        let known = self.groups.iter().position(|known| *known == group);
        let at = known.unwrap_or_else(|| {
            self.groups.push(group);
            self.groups.len() - 1
        });
        number(at + 1)
    }

    fn variables(&mut self, arguments: &VariablesArguments) -> Result<Answer, Refusal> {
        let at = usize::try_from(arguments.variables_reference - 1).ok();
        let group = at.and_then(|at| self.groups.get(at)).copied();
        let group = group.ok_or_else(|| Refusal::Request("these variables are out of date".to_owned()))?;
        let held = self.launched()?.debugger.variables(group)?;
        let mut variables = Vec::new();
        for one in held {
            let reference = one.object.map_or(0, |object| self.refer_to(VariableGroup::Parts(object)));
            variables.push(shown::variable(one, reference));
        }
        answer(&VariablesBody { variables })
    }

    /// Shows a variable of a frame. It runs no code of the program.
    fn evaluate(&mut self, arguments: &EvaluateArguments) -> Result<Answer, Refusal> {
        let depth = arguments.frame_id.and_then(|frame| usize::try_from(frame - 1).ok()).unwrap_or(0);
        let held = self.launched()?.debugger.variables(VariableGroup::Locals(depth))?;
        let name = arguments.expression.trim();
        let unknown = || Refusal::Request(format!("`{name}` is no variable here"));
        let found = held.into_iter().find(|held| held.name == name).ok_or_else(unknown)?;
        let reference = found.object.map_or(0, |object| self.refer_to(VariableGroup::Parts(object)));
        let result = found.value.unwrap_or_else(|| "not recorded".to_owned());
        answer(&EvaluateBody { result, variables_reference: reference, ..EvaluateBody::default() })
    }

    fn go(&mut self, to: Move, body: Option<Value>) -> Result<Answer, Refusal> {
        let stop: Stop = self.launched()?.debugger.go(to)?;
        self.groups.clear();
        Ok(Answer { body, events: vec![EventBody::Stopped(shown::stopped(&stop))], ends: false })
    }
}

/// A move goes through the whole program, as far as it is recorded.
fn whole_program() -> ContinueBody {
    ContinueBody { all_threads_continued: Some(true) }
}

fn output(text: &str) -> EventBody {
    EventBody::Output(OutputBody {
        category: Some(OutputCategory::Console),
        output: format!("{text}\n"),
        ..OutputBody::default()
    })
}

fn body(value: &impl serde::Serialize) -> Result<Option<Value>, Refusal> {
    serde_json::to_value(value).map(Some).map_err(|error| Refusal::Request(error.to_string()))
}

fn answer(value: &impl serde::Serialize) -> Result<Answer, Refusal> {
    Ok(Answer { body: body(value)?, ..Answer::default() })
}
