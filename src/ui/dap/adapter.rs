//! A session with an editor: what it has launched, and where it stands.

use super::answer::{Answer, Refusal, output};
use super::handles::Handles;
use super::shown;
use super::terminal::{Listening, Terminal};
use command::cursor::Cursor;
use dap::Command;
use dap::types::{EventBody, InitializeArguments, TerminatedBody};
use past::{BreakpointGroup, Move, Stop};
use serde_json::Value;
use servers::dap::{FirstStop, Launch, LaunchMode, Launched, Rerun};
use session::Context;
use trace::EventPosition;

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
    pub(super) diagnosis: Option<command::diagnose::DiagnoseDialogue>,
    /// The program of mode `rerun`.
    pub(super) rerun: Option<RerunSession>,
    /// The terminal in which it reads and prints.
    terminal: Option<Terminal>,
}

/// A program that is run again to go back.
pub(super) struct RerunSession {
    pub rerun: Rerun,
    /// The expressions whose parts the numbers of lists mean, with the frame; `None` for the frame's own
    /// variables.
    pub lists: Vec<(i32, Option<String>)>,
}

impl Adapter {
    /// Remembers what to launch. The work begins when the editor has set its breakpoints.
    pub(super) fn launch(&mut self, settings: Value) -> Result<(), Refusal> {
        let wrong = |error| Refusal::Request(format!("the launch configuration is wrong: {error}"));
        self.launch = Some(serde_json::from_value(settings).map_err(wrong)?);
        Ok(())
    }

    /// Runs the program, or opens the recording, and sets the breakpoints. What was launched before is
    /// deleted.
    pub(super) async fn begin(
        &mut self,
        terminal: Option<Listening>,
        context: &Context,
    ) -> Result<Answer, Refusal> {
        let nothing = || Refusal::Request("`launch` has to come first".to_owned());
        let launch = self.launch.clone().ok_or_else(nothing)?;
        (self.launched, self.diagnosis) = (None, None);
        self.handles.restarted();
        self.end_rerun().await;
        let is_rerun = launch.mode == LaunchMode::Rerun;
        let launched = match terminal {
            None if is_rerun => return Box::pin(self.begin_rerun(&launch, None, context)).await,
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
                if is_rerun {
                    self.terminal = Some(terminal);
                    return Box::pin(self.begin_rerun(&launch, Some(stdin), &context)).await;
                }
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
        let cursor = self.cursor()?;
        let stop = match launch.first_stop() {
            FirstStop::End => cursor.trace.standing(cursor.at)?,
            FirstStop::Entry => cursor.trace.to_beginning(cursor.at)?,
            FirstStop::Breakpoint => {
                cursor.at = cursor.trace.to_beginning(cursor.at)?.at;
                cursor.go(Move::Continue, context)?
            }
        };
        let stop = cursor.stand(stop);
        events.extend(self.stopped(&stop).events);
        Ok(Answer { body: None, events, ends: false })
    }

    /// Deletes the recording, if this session has made it. The editor leaves if `is_last`.
    pub(super) async fn end(&mut self, is_last: bool) -> Answer {
        self.end_rerun().await;
        (self.launched, self.diagnosis) = (None, None);
        let events = vec![EventBody::Terminated(TerminatedBody::default())];
        Answer { body: None, events, ends: is_last }
    }

    /// The recording, and where the session stands in it.
    pub(super) fn cursor(&mut self) -> Result<&mut Cursor, Refusal> {
        let nothing = || Refusal::Request("nothing was launched".to_owned());
        self.launched.as_mut().map(|launched| &mut launched.cursor).ok_or_else(nothing)
    }

    /// The frame of a request; the innermost one if it names none.
    pub(super) fn frame(&mut self, id: Option<i64>) -> Result<EventPosition, Refusal> {
        match id {
            Some(id) => self.handles.frame(Some(id)),
            None => Ok(self.cursor()?.at),
        }
    }

    /// Moves from where a thread stands.
    pub(super) fn go(&mut self, to: Move, thread: i64, context: &Context) -> Result<Answer, Refusal> {
        let cursor = self.cursor()?;
        let before = cursor.at;
        // Clients that know of no threads send 0 or 1.
        if let Some(thread) = u32::try_from(thread)
            .ok()
            .filter(|thread| cursor.trace.threads().iter().any(|known| known.number == *thread))
        {
            cursor.at = cursor.trace.position_of(thread, before)?;
        }
        let gone = cursor.go(to, context);
        if gone.is_err() {
            cursor.at = before;
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
