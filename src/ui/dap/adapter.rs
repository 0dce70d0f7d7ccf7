//! A session with an editor: what it has launched, and which room answers a request.

use super::custom;
use super::handles::Handles;
use super::shown::{self, number};
use super::terminal::Listening;
use crate::command::CommandError;
use crate::command::dap::{FirstStop, Launch, Launched};
use crate::session::{BreakpointGroup, Context, Move, RecordedDebugger, Serves, SessionError, Stop};
use dap::types::{
    ContinueBody, EventBody, InitializeArguments, OutputBody, OutputCategory, TerminatedBody, Thread,
    ThreadsBody,
};
use dap::{Command, Request};
use serde_json::Value;

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

/// A session with an editor.
#[derive(Default)]
pub struct Adapter {
    /// What the editor can do.
    pub(super) editor: InitializeArguments,
    launch: Option<Launch>,
    pub(super) launched: Option<Launched>,
    /// The breakpoints that the editor has set, as it set them last, by their groups.
    pub(super) wanted: Vec<(BreakpointGroup, Command)>,
    /// What numbers in requests mean.
    pub(super) handles: Handles,
    /// The diagnosis that is under way.
    pub(super) diagnosis: Option<crate::command::diagnose::DiagnoseDialogue>,
}

/// A request, with the terminal that the editor was asked to open for it.
pub struct Asking {
    /// The request.
    pub request: Request,
    /// The terminal.
    pub terminal: Option<Listening>,
}

impl Serves for Adapter {
    type Request = Asking;
    type Answer = Result<Answer, Refusal>;

    async fn take(&mut self, asking: Asking, context: &Context) -> Result<Answer, Refusal> {
        let Asking { request, terminal } = asking;
        if context.is_interrupted() {
            return Err(Refusal::Cancelled);
        }
        if request.command.starts_with(custom::PREFIX) {
            return self.custom(&request, context).await;
        }
        let command = Command::parse(&request).map_err(|error| Refusal::Request(error.to_string()))?;
        match command {
            Command::Initialize(arguments) => {
                self.editor = arguments;
                answer(&shown::capabilities())
            }
            Command::Launch(arguments) => {
                self.launch(Value::Object(arguments.settings))?;
                Ok(Answer { events: vec![EventBody::Initialized], ..Answer::default() })
            }
            Command::ConfigurationDone => Box::pin(self.begin(terminal, context)).await,
            Command::Restart(arguments) => {
                if let Some(launch) = arguments.arguments {
                    self.launch(Value::Object(launch.settings))?;
                }
                Box::pin(self.begin(terminal, context)).await
            }
            Command::SetBreakpoints(_)
            | Command::SetFunctionBreakpoints(_)
            | Command::SetExceptionBreakpoints(_)
            | Command::SetDataBreakpoints(_) => self.set_breakpoints(command, context).await,
            Command::DataBreakpointInfo(arguments) => self.data_breakpoint_info(&arguments),
            Command::BreakpointLocations(arguments) => self.breakpoint_locations(&arguments),
            Command::Threads => {
                let threads = self.debugger()?.threads().into_iter();
                let threads = threads.map(|thread| Thread { id: number(thread.number), name: thread.name });
                answer(&ThreadsBody { threads: threads.collect() })
            }
            Command::StackTrace(arguments) => self.stack(&arguments),
            Command::Scopes(arguments) => self.scopes(&arguments),
            Command::Variables(arguments) => self.variables(&arguments),
            Command::Evaluate(arguments) => self.evaluate(&arguments, context).await,
            Command::Completions(arguments) => self.completions(&arguments),
            Command::ExceptionInfo(_) => self.exception_info(),
            Command::Source(arguments) => self.source(&arguments),
            Command::LoadedSources => self.loaded_sources(),
            Command::Next(step) => self.go(Move::Next, step.thread_id, context).await,
            Command::StepIn(step) => match step.target_id {
                Some(target) => self.step_into_target(target),
                None => self.go(Move::StepIn, step.thread_id, context).await,
            },
            Command::StepOut(step) => self.go(Move::StepOut, step.thread_id, context).await,
            Command::StepBack(step) => self.go(Move::StepBack, step.thread_id, context).await,
            Command::Continue(step) => {
                let body = body(&ContinueBody { all_threads_continued: Some(true) })?;
                let answer = self.go(Move::Continue, step.thread_id, context).await?;
                Ok(Answer { body, ..answer })
            }
            Command::ReverseContinue(step) => self.go(Move::ReverseContinue, step.thread_id, context).await,
            Command::RestartFrame(arguments) => {
                let frame = self.handles.frame(Some(arguments.frame_id))?;
                let stop = self.debugger()?.to_begin_of_call(frame)?;
                Ok(self.stopped(&stop))
            }
            Command::StepInTargets(arguments) => self.step_in_targets(&arguments),
            Command::GotoTargets(arguments) => self.goto_targets(&arguments),
            Command::Goto(arguments) => {
                let target = self.handles.target(arguments.target_id)?;
                let stop = self.debugger()?.to_event(target)?;
                Ok(self.stopped(&stop))
            }
            Command::Pause(_) => {
                let stop = self.debugger()?.standing()?;
                Ok(self.stopped(&stop))
            }
            Command::Terminate(_) => Ok(self.end(false)),
            Command::Disconnect(_) => Ok(self.end(true)),
            other @ (Command::Attach(_) | Command::Cancel(_)) => {
                Err(Refusal::Request(format!("the request `{}` is not supported", other.name())))
            }
        }
    }
}

impl Adapter {
    /// Remembers what to launch. The work begins when the editor has set its breakpoints.
    fn launch(&mut self, settings: Value) -> Result<(), Refusal> {
        let wrong = |error| Refusal::Request(format!("the launch configuration is wrong: {error}"));
        self.launch = Some(serde_json::from_value(settings).map_err(wrong)?);
        Ok(())
    }

    /// Runs the program, or opens the recording, and sets the breakpoints. What was launched before is
    /// deleted.
    async fn begin(&mut self, terminal: Option<Listening>, context: &Context) -> Result<Answer, Refusal> {
        let nothing = || Refusal::Request("`launch` has to come first".to_owned());
        let launch = self.launch.clone().ok_or_else(nothing)?;
        (self.launched, self.diagnosis) = (None, None);
        self.handles.restarted();
        let launched = match terminal {
            None => launch.start(None, context).await?,
            Some(terminal) => {
                let none = || Refusal::Request("the editor did not open a terminal".to_owned());
                let terminal = match terminal.open(context).await {
                    Some(terminal) => terminal,
                    None if context.is_interrupted() => return Err(Refusal::Cancelled),
                    None => return Err(none()),
                };
                let broke = |error: std::io::Error| Refusal::Request(format!("the terminal broke: {error}"));
                let stdin = terminal.stdin().map_err(broke)?;
                let context = terminal.context(context).map_err(broke)?;
                launch.start(Some(stdin), &context).await?
            }
        };
        let mut events: Vec<EventBody> = launched.notes.iter().map(|note| output(note)).collect();
        if let Some(code) = launched.exit_code {
            events.push(output(&format!("the program ended with exit code {code}; its past is here")));
        }
        self.launched = Some(launched);
        // Breakpoints on variables mean objects of the run before.
        self.wanted.retain(|(group, _)| *group != BreakpointGroup::Variables);
        for (_, command) in self.wanted.clone() {
            events.extend(self.set_again(command, context).await?);
        }
        let debugger = self.debugger()?;
        let stop = match launch.first_stop() {
            FirstStop::End => debugger.standing()?,
            FirstStop::Entry => debugger.to_beginning()?,
            FirstStop::Breakpoint => {
                debugger.to_beginning()?;
                debugger.go(Move::Continue, context).await?
            }
        };
        events.extend(self.stopped(&stop).events);
        Ok(Answer { body: None, events, ends: false })
    }

    /// Deletes the recording, if this session has made it. The editor leaves if `is_last`.
    fn end(&mut self, is_last: bool) -> Answer {
        (self.launched, self.diagnosis) = (None, None);
        let events = vec![EventBody::Terminated(TerminatedBody::default())];
        Answer { body: None, events, ends: is_last }
    }

    /// The recording.
    pub(super) fn debugger(&mut self) -> Result<&mut RecordedDebugger, Refusal> {
        let nothing = || Refusal::Request("nothing was launched".to_owned());
        self.launched.as_mut().map(|launched| &mut launched.debugger).ok_or_else(nothing)
    }

    /// Moves from where a thread stands.
    pub(super) async fn go(&mut self, to: Move, thread: i64, context: &Context) -> Result<Answer, Refusal> {
        let debugger = self.debugger()?;
        let before = debugger.position();
        // Clients that know of no threads send 0 or 1.
        if let Some(thread) = u32::try_from(thread)
            .ok()
            .filter(|thread| debugger.threads().iter().any(|known| known.number == *thread))
        {
            debugger.select(thread)?;
        }
        let gone = debugger.go(to, context).await;
        if gone.is_err() {
            debugger.to_event(before)?;
        }
        let stop = gone?;
        Ok(self.stopped(&stop))
    }

    /// Tells that the position has changed. References to what was seen before are out of date.
    pub(super) fn stopped(&mut self, stop: &Stop) -> Answer {
        self.handles.moved();
        let problem = stop.problem.as_ref().map(|problem| output(problem));
        let events = problem.into_iter().chain([EventBody::Stopped(shown::stopped(stop))]).collect();
        Answer { body: None, events, ends: false }
    }
}

/// A line for the user.
pub(super) fn output(text: &str) -> EventBody {
    EventBody::Output(OutputBody {
        category: Some(OutputCategory::Console),
        output: format!("{text}\n"),
        ..OutputBody::default()
    })
}

/// The body of a response.
pub(super) fn body(value: &impl serde::Serialize) -> Result<Option<Value>, Refusal> {
    serde_json::to_value(value).map(Some).map_err(|error| Refusal::Request(error.to_string()))
}

/// An answer without events.
pub(super) fn answer(value: &impl serde::Serialize) -> Result<Answer, Refusal> {
    Ok(Answer { body: body(value)?, ..Answer::default() })
}
