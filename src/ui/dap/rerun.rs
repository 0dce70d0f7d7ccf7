//! Mode `rerun`: requests about a program that is halted, and run again to go back.

use super::adapter::{Adapter, RerunSession};
use super::answer::{Answer, Refusal, answer, body, number, output};
use super::breakpoints::file_of;
use super::shown;
use crate::ui::render::reply;
use dap::Command;
use dap::types::{
    Breakpoint, ContinueBody, EvaluateArguments, EvaluateBody, EvaluateContext, EventBody, Scope, ScopeHint,
    ScopesBody, SetBreakpointsBody, Source, StackFrame, StackTraceArguments, StackTraceBody, StopReason,
    StoppedBody, Thread, ThreadsBody, Variable, VariablesArguments, VariablesBody,
};
use debuggee::StdinRecording;
use past::SourceLine;
use replay::explore::{NamedValue, Step};
use servers::dap::{Launch, Rerun, RerunStop};
use session::Context;

/// The number of the halted thread. Others run on when it does, and are not shown.
const THREAD: i64 = 1;

impl Adapter {
    /// Runs the program up to where the session stops first.
    pub(super) async fn begin_rerun(
        &mut self,
        launch: &Launch,
        stdin: Option<StdinRecording>,
        context: &Context,
    ) -> Result<Answer, Refusal> {
        let mut rerun = Rerun::open(launch, stdin, context).await?;
        let mut events = Vec::new();
        for (_, command) in &self.wanted {
            let Command::SetBreakpoints(arguments) = command else {
                events.push(output("mode `rerun` has breakpoints on lines only; the others are left out"));
                continue;
            };
            let file = file_of(&arguments.source)?;
            for problem in rerun.set_lines(&file, lines_of(command)?).await?.into_iter().flatten() {
                events.push(output(&problem));
            }
        }
        let stop = rerun.begin(launch.first_stop(), context).await;
        let session = self.rerun.insert(RerunSession { rerun, lists: Vec::new() });
        let stop = match stop {
            Ok(stop) => stop,
            Err(error) => {
                session.rerun.end().await;
                self.rerun = None;
                return Err(error.into());
            }
        };
        events.extend(stopped(&stop));
        Ok(Answer { body: None, events, ends: false })
    }

    /// Ends the program of mode `rerun`, if there is one.
    pub(super) async fn end_rerun(&mut self) {
        if let Some(mut session) = self.rerun.take() {
            session.rerun.end().await;
        }
    }

    /// Answers a request in mode `rerun`.
    pub(super) async fn in_rerun(&mut self, command: Command, context: &Context) -> Result<Answer, Refusal> {
        let none = || Refusal::Request("nothing was launched".to_owned());
        let session = self.rerun.as_mut().ok_or_else(none)?;
        match command {
            Command::SetBreakpoints(_) => session.set_breakpoints(&command).await,
            Command::SetExceptionBreakpoints(_) => Ok(Answer::default()),
            Command::Threads => {
                let standing = session.rerun.standing().await?;
                let name = standing.map_or_else(|| "the program has ended".to_owned(), |at| at.thread);
                answer(&ThreadsBody { threads: vec![Thread { id: THREAD, name }] })
            }
            Command::StackTrace(arguments) => session.stack(&arguments).await,
            Command::Scopes(arguments) => {
                let frame = i32::try_from(arguments.frame_id - 1).unwrap_or(-1);
                let frames = session.rerun.frames().await?;
                let shown = usize::try_from(frame).ok().and_then(|at| frames.get(at));
                if shown.is_some_and(|frame| frame.is_suspended) {
                    return answer(&ScopesBody { scopes: Vec::new() });
                }
                let variables_reference = list(&mut session.lists, frame, None);
                let scope = Scope {
                    name: "Locals".to_owned(),
                    presentation_hint: Some(ScopeHint::Locals),
                    variables_reference,
                    ..Scope::default()
                };
                answer(&ScopesBody { scopes: vec![scope] })
            }
            Command::Variables(arguments) => session.variables(&arguments, context).await,
            Command::Evaluate(arguments) => session.evaluate(&arguments, context).await,
            Command::Next(_) => session.go(Step::Over, None, context).await,
            Command::StepIn(_) => session.go(Step::Into, None, context).await,
            Command::Continue(_) => {
                let body = body(&ContinueBody { all_threads_continued: Some(true) })?;
                session.go(Step::On, body, context).await
            }
            Command::StepBack(_) => session.back(false, context).await,
            Command::ReverseContinue(_) => session.back(true, context).await,
            other => {
                let why = format!("`{}` is not offered in mode `rerun`: mode `record` does it", other.name());
                Err(Refusal::Request(why))
            }
        }
    }
}

impl RerunSession {
    async fn set_breakpoints(&mut self, command: &Command) -> Result<Answer, Refusal> {
        let Command::SetBreakpoints(arguments) = command else { return Ok(Answer::default()) };
        let file = file_of(&arguments.source)?;
        let problems = self.rerun.set_lines(&file, lines_of(command)?).await?;
        let asked = arguments.breakpoints.iter().flatten().map(|asked| asked.line);
        let shown = asked.zip(problems).map(|(line, problem)| Breakpoint {
            verified: problem.is_none(),
            line: Some(line),
            message: problem.or_else(|| Some("it holds from the next run on".to_owned())),
            ..Breakpoint::default()
        });
        answer(&SetBreakpointsBody { breakpoints: shown.collect() })
    }

    async fn stack(&mut self, arguments: &StackTraceArguments) -> Result<Answer, Refusal> {
        let rerun = &mut self.rerun;
        let frames = match rerun.standing().await? {
            Some(_) => rerun.frames().await?,
            None => Vec::new(),
        };
        let size = |n: Option<i64>| n.and_then(|n| usize::try_from(n).ok());
        let (first, many) = (size(arguments.start_frame).unwrap_or(0), size(arguments.levels));
        let many = many.filter(|many| *many > 0).unwrap_or(usize::MAX);
        let all = Some(number(frames.len()));
        let shown = (1..).zip(&frames).skip(first).take(many).map(|(id, frame)| StackFrame {
            id,
            name: shown::frame_name(model::method_text(&frame.class, &frame.method), frame.is_suspended),
            source: frame.file.as_ref().map(|name| Source {
                name: Some(name.clone()),
                path: rerun.source(&frame.class, name).map(|path| path.display().to_string()),
                ..Source::default()
            }),
            line: frame.line.map_or(0, i64::from),
            ..StackFrame::default()
        });
        answer(&StackTraceBody { stack_frames: shown.collect(), total_frames: all })
    }

    async fn variables(
        &mut self,
        arguments: &VariablesArguments,
        context: &Context,
    ) -> Result<Answer, Refusal> {
        let RerunSession { rerun, lists } = self;
        let at = usize::try_from(arguments.variables_reference - 1).ok();
        let known = at.and_then(|at| lists.get(at)).cloned();
        let known = known.ok_or_else(|| Refusal::Request("these variables are out of date".to_owned()))?;
        let (frame, of) = known;
        let held: Vec<(String, String, Option<String>)> = match &of {
            None => rerun
                .locals(frame)
                .await?
                .values
                .into_iter()
                .map(|one| (one.name.clone(), text_of(&one), Some(one.name)))
                .collect(),
            Some(of) => {
                let frame = u32::try_from(frame).unwrap_or(0);
                let value = rerun.evaluate(frame, of, context).await?;
                let part = |name: &str| match name.starts_with('[') {
                    true => format!("{of}{name}"),
                    false => format!("{of}.{name}"),
                };
                let members = value.members.into_iter();
                members.map(|one| (one.name.clone(), one.value, Some(part(&one.name)))).collect()
            }
        };
        let shown = held.into_iter().map(|(name, value, expression)| {
            // An object is shown by its class and a number.
            let is_object = value.contains('@');
            let variables_reference = if is_object { list(lists, frame, expression.clone()) } else { 0 };
            Variable { name, value, evaluate_name: expression, variables_reference, ..Variable::default() }
        });
        answer(&VariablesBody { variables: shown.collect() })
    }

    async fn evaluate(
        &mut self,
        arguments: &EvaluateArguments,
        context: &Context,
    ) -> Result<Answer, Refusal> {
        let RerunSession { rerun, lists } = self;
        let text = arguments.expression.trim();
        let frame = arguments.frame_id.unwrap_or(1) - 1;
        let is_console = matches!(arguments.context, None | Some(EvaluateContext::Repl));
        if is_console && is_command(text) {
            let (said, stop) = rerun.command(&as_command(text), context).await?;
            lists.clear();
            let shown = EvaluateBody { result: reply(&said, false), ..EvaluateBody::default() };
            let moved = Answer { body: body(&shown)?, events: stopped(&stop), ends: false };
            return Ok(moved.after_continuing());
        }
        if !is_console && calls_methods(text) {
            let why = "it calls a method, which can change the program: write it in the console";
            return Err(Refusal::Request(why.to_owned()));
        }
        let value = rerun.evaluate(u32::try_from(frame).unwrap_or(0), text, context).await?;
        let result = text_of(&value);
        let frame = i32::try_from(frame).unwrap_or(0);
        let variables_reference = match value.members.is_empty() {
            true => 0,
            false => list(lists, frame, Some(text.to_owned())),
        };
        answer(&EvaluateBody { result, variables_reference, ..EvaluateBody::default() })
    }

    /// Continues the program; `body` is that of the answer.
    async fn go(
        &mut self,
        step: Step,
        body: Option<serde_json::Value>,
        context: &Context,
    ) -> Result<Answer, Refusal> {
        let stop = self.rerun.go(step, context).await?;
        self.lists.clear();
        Ok(Answer { body, events: stopped(&stop), ends: false })
    }

    /// Goes back by a line, or to a breakpoint if `is_far`.
    async fn back(&mut self, is_far: bool, context: &Context) -> Result<Answer, Refusal> {
        let stop = self.rerun.back(is_far, context).await?;
        self.lists.clear();
        Ok(Answer { body: None, events: stopped(&stop), ends: false })
    }
}

/// The number of a list.
fn list(lists: &mut Vec<(i32, Option<String>)>, frame: i32, of: Option<String>) -> i64 {
    let entry = (frame, of);
    let at = lists.iter().position(|known| *known == entry).unwrap_or_else(|| {
        lists.push(entry);
        lists.len() - 1
    });
    number(at + 1)
}

/// A value with what is known of its contents.
fn text_of(value: &NamedValue) -> String {
    match &value.contents {
        Some(contents) => format!("{} {contents}", value.value),
        None => value.value.clone(),
    }
}

/// The lines of a request, with their conditions.
fn lines_of(command: &Command) -> Result<Vec<(SourceLine, Option<String>)>, Refusal> {
    let Command::SetBreakpoints(arguments) = command else { return Ok(Vec::new()) };
    let file = file_of(&arguments.source)?;
    let class = file.strip_suffix(".java").unwrap_or(&file);
    let asked = arguments.breakpoints.iter().flatten();
    let one = |asked: &dap::types::SourceBreakpoint| {
        let line = SourceLine { class: class.to_owned(), line: u32::try_from(asked.line).unwrap_or(0) };
        (line, asked.condition.clone().filter(|text| !text.trim().is_empty()))
    };
    Ok(asked.map(one).collect())
}

/// Where the program stands.
fn stopped(stop: &RerunStop) -> Vec<EventBody> {
    let (reason, description) = match stop {
        RerunStop { standing: None, .. } => (StopReason::Pause, Some("end of the program")),
        RerunStop { is_hit: true, .. } => (StopReason::Breakpoint, None),
        RerunStop { is_begin: true, .. } => (StopReason::Entry, Some("beginning of the program")),
        RerunStop { .. } => (StopReason::Step, None),
    };
    let said = stop.ended.as_ref().map(|ended| output(&format!("the program has ended: {ended}")));
    let body = StoppedBody {
        reason,
        description: description.map(str::to_owned),
        thread_id: Some(THREAD),
        preserve_focus_hint: None,
        text: None,
        all_threads_stopped: Some(true),
        hit_breakpoint_ids: None,
    };
    said.into_iter().chain([EventBody::Stopped(body)]).collect()
}

/// Whether a text is a command of `qp debug`, rather than an expression.
fn is_command(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_known = command::debug::TABLE.iter().any(|row| row.name == word || row.aliases.contains(&word));
    is_known || word == "back"
}

/// `back x` asks what changed `x`, in the words of `qp debug`.
fn as_command(text: &str) -> String {
    match text.strip_prefix("back ") {
        Some(variable) => format!("why {}", variable.trim()),
        None => text.to_owned(),
    }
}

/// Whether an expression seems to call a method: a name is followed by a parenthesis.
fn calls_methods(text: &str) -> bool {
    let mut before = ' ';
    text.chars().any(|c| {
        let calls = c == '(' && (before.is_alphanumeric() || before == '_' || before == '$');
        if !c.is_whitespace() {
            before = c;
        }
        calls
    })
}
