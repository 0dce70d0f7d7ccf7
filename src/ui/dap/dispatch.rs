//! Which room answers a request.

use super::adapter::Adapter;
use super::answer::{Answer, Refusal, answer, body, number};
use super::custom;
use super::shown;
use super::terminal::Listening;
use dap::types::{ContinueBody, EventBody, Thread, ThreadsBody};
use dap::{Command, Request};
use past::{Move, Stop, StopReason};
use serde_json::Value;
use session::{Context, Serves};

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
        if self.rerun.is_some() && !is_of_each_mode(&command) {
            return Box::pin(self.in_rerun(command, context)).await;
        }
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
                // Editors ask before anything was launched.
                let known = self.launched.as_ref().map(|launched| launched.cursor.trace.threads());
                let threads = known.unwrap_or_default().into_iter();
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
            Command::Next(step) => self.go(Move::Next, step.thread_id, context),
            Command::StepIn(step) => match step.target_id {
                Some(target) => self.step_into_target(target),
                None => self.go(Move::StepIn, step.thread_id, context),
            },
            Command::StepOut(step) => self.go(Move::StepOut, step.thread_id, context),
            Command::StepBack(step) => self.go(Move::StepBack, step.thread_id, context),
            Command::Continue(step) => {
                let body = body(&ContinueBody { all_threads_continued: Some(true) })?;
                let answer = self.go(Move::Continue, step.thread_id, context)?;
                Ok(Answer { body, ..answer })
            }
            Command::ReverseContinue(step) => self.go(Move::ReverseContinue, step.thread_id, context),
            Command::RestartFrame(arguments) => {
                let frame = self.handles.frame(Some(arguments.frame_id))?;
                let cursor = self.cursor()?;
                let call = cursor.trace.calls.shown(frame.node);
                let stop = cursor.trace.into_call(call)?;
                let stop = cursor.stand(Stop { reason: StopReason::Restart, ..stop });
                Ok(self.stopped(&stop))
            }
            Command::StepInTargets(arguments) => self.step_in_targets(&arguments),
            Command::GotoTargets(arguments) => self.goto_targets(&arguments),
            Command::Goto(arguments) => {
                let target = self.handles.target(arguments.target_id)?;
                let cursor = self.cursor()?;
                let stop = cursor.trace.stop(target, StopReason::Goto)?;
                let stop = cursor.stand(stop);
                Ok(self.stopped(&stop).after_continuing())
            }
            Command::Pause(_) => {
                let cursor = self.cursor()?;
                let stop = cursor.trace.standing(cursor.at)?;
                Ok(self.stopped(&stop))
            }
            Command::Terminate(_) => Ok(self.end(false).await),
            Command::Disconnect(_) => Ok(self.end(true).await),
            other @ (Command::Attach(_) | Command::Cancel(_)) => {
                Err(Refusal::Request(format!("the request `{}` is not supported", other.name())))
            }
        }
    }
}

/// Whether a command means the session, whatever was launched.
fn is_of_each_mode(command: &Command) -> bool {
    matches!(
        command,
        Command::Initialize(_)
            | Command::Launch(_)
            | Command::ConfigurationDone
            | Command::Restart(_)
            | Command::Terminate(_)
            | Command::Disconnect(_)
            | Command::Attach(_)
            | Command::Cancel(_)
    )
}
