//! Breakpoints: of lines, methods, exceptions and variables.

use super::adapter::Adapter;
use super::answer::{Answer, Refusal, answer, body, number};
use super::shown::{self, CAUGHT, UNCAUGHT};
use dap::Command;
use dap::types::{
    Breakpoint, BreakpointBody, BreakpointLocation, BreakpointLocationsArguments, BreakpointLocationsBody,
    ChangeReason, DataAccess, DataBreakpointInfoArguments, DataBreakpointInfoBody, EventBody, OutputBody,
    OutputCategory, SetBreakpointsBody, SetExceptionBreakpointsArguments, Source,
};
use past::{
    BreakpointGroup, BreakpointPlace, BreakpointRequest, BreakpointState, HitCount, Printed, SourceLine,
    ThrownPlace,
};
use session::Context;

/// A request for one breakpoint, or why there is none.
type Asked = Result<BreakpointRequest, String>;

impl Adapter {
    /// Replaces the breakpoints of a group.
    pub(super) async fn set_breakpoints(
        &mut self,
        command: Command,
        context: &Context,
    ) -> Result<Answer, Refusal> {
        let (group, asked) = self.asked(&command)?;
        self.wanted.retain(|(known, _)| *known != group);
        self.wanted.push((group.clone(), command.clone()));
        if self.launched.is_none() {
            // Whether a line was executed is known when the program has run.
            let breakpoints = asked.iter().map(|asked| Breakpoint {
                verified: asked.is_ok(),
                message: asked.as_ref().err().cloned(),
                ..Breakpoint::default()
            });
            return answer(&SetBreakpointsBody { breakpoints: lines(breakpoints.collect(), &command) });
        }
        let (breakpoints, events) = self.set(&group, asked, context).await?;
        let breakpoints = lines(breakpoints, &command);
        Ok(Answer { body: body(&SetBreakpointsBody { breakpoints })?, events, ends: false })
    }

    /// Sets the breakpoints that were asked for before the program ran, and tells what became of them.
    pub(super) async fn set_again(
        &mut self,
        command: Command,
        context: &Context,
    ) -> Result<Vec<EventBody>, Refusal> {
        let (group, asked) = self.asked(&command)?;
        let (breakpoints, logged) = self.set(&group, asked, context).await?;
        let source = match &command {
            Command::SetBreakpoints(arguments) => Some(arguments.source.clone()),
            _ => None,
        };
        let changed = lines(breakpoints, &command).into_iter().filter(|breakpoint| !breakpoint.verified);
        let events = changed.map(|breakpoint| {
            let breakpoint = Breakpoint { source: source.clone(), ..breakpoint };
            EventBody::Breakpoint(BreakpointBody { reason: ChangeReason::Changed, breakpoint })
        });
        Ok(events.chain(logged).collect())
    }

    async fn set(
        &mut self,
        group: &BreakpointGroup,
        asked: Vec<Asked>,
        context: &Context,
    ) -> Result<(Vec<Breakpoint>, Vec<EventBody>), Refusal> {
        let requests: Vec<BreakpointRequest> = asked.iter().flatten().cloned().collect();
        let cursor = self.cursor()?;
        let states = cursor.breakpoints.replace(group, requests.clone(), &cursor.trace.calls);
        let mut events = Vec::new();
        for (state, request) in states.iter().zip(requests) {
            if request.log.is_some() && state.problem.is_none() {
                let is_interrupted = || context.is_interrupted();
                let printed = cursor.trace.log(state.id, &mut cursor.breakpoints, &is_interrupted)?;
                events.extend(logged(&printed));
            }
        }
        let mut states = states.into_iter();
        let breakpoints = asked.into_iter().map(|asked| match asked {
            Ok(_) => states.next().map(shown_state).unwrap_or_default(),
            Err(why) => Breakpoint { message: Some(why), ..Breakpoint::default() },
        });
        Ok((breakpoints.collect(), events))
    }

    /// The breakpoints that a request asks for.
    fn asked(&self, command: &Command) -> Result<(BreakpointGroup, Vec<Asked>), Refusal> {
        Ok(match command {
            Command::SetBreakpoints(arguments) => {
                let file = file_of(&arguments.source)?;
                let class = file.strip_suffix(".java").unwrap_or(&file).to_owned();
                let asked = arguments.breakpoints.iter().flatten().map(|asked| {
                    let line = u32::try_from(asked.line).map_err(|_| "there is no such line".to_owned())?;
                    let line = SourceLine { class: class.clone(), line };
                    let request = BreakpointRequest::at(BreakpointPlace::Line(line));
                    let log = asked.log_message.clone().filter(|text| !text.is_empty());
                    with(BreakpointRequest { log, ..request }, &asked.condition, &asked.hit_condition)
                });
                (BreakpointGroup::File(file.clone()), asked.collect())
            }
            Command::SetFunctionBreakpoints(arguments) => {
                let asked = arguments.breakpoints.iter().map(|asked| {
                    let request = BreakpointRequest::at(BreakpointPlace::Method(asked.name.clone()));
                    with(request, &asked.condition, &asked.hit_condition)
                });
                (BreakpointGroup::Methods, asked.collect())
            }
            Command::SetExceptionBreakpoints(arguments) => (BreakpointGroup::Exceptions, thrown(arguments)),
            Command::SetDataBreakpoints(arguments) => {
                let asked = arguments.breakpoints.iter().map(|asked| {
                    let gone = "this variable is out of date: set its breakpoint again";
                    let variable = self.handles.watched(&asked.data_id).ok_or(gone)?;
                    if matches!(asked.access_type, Some(DataAccess::Read | DataAccess::ReadWrite)) {
                        return Err("reads are not recorded, only writes".to_owned());
                    }
                    let request = BreakpointRequest::at(BreakpointPlace::Changed(variable.0, variable.1));
                    with(request, &asked.condition, &asked.hit_condition)
                });
                (BreakpointGroup::Variables, asked.collect())
            }
            other => return Err(Refusal::Request(format!("`{}` sets no breakpoints", other.name()))),
        })
    }

    /// Tells whether a variable can have a breakpoint.
    pub(super) fn data_breakpoint_info(
        &mut self,
        arguments: &DataBreakpointInfoArguments,
    ) -> Result<Answer, Refusal> {
        let innermost = self.cursor()?.at;
        let (frame, name) = match arguments.variables_reference.filter(|reference| *reference != 0) {
            Some(reference) => {
                let (group, _) = self.handles.group(reference)?;
                let cursor = self.cursor()?;
                let moment = cursor.moment()?;
                cursor.trace.name_of(moment, group, &arguments.name)?
            }
            None => {
                let frame = arguments.frame_id.map(|frame| self.handles.frame(Some(frame))).transpose()?;
                (frame.unwrap_or(innermost), arguments.name.clone())
            }
        };
        let cursor = self.cursor()?;
        let moment = cursor.moment_in(frame)?;
        let found = cursor.trace.variable(moment, &name);
        answer(&match found {
            Ok(variable) => DataBreakpointInfoBody {
                description: format!("writes to {name}"),
                data_id: Some(self.handles.of_watched(variable, name)),
                access_types: Some(vec![DataAccess::Write]),
                can_persist: Some(false),
            },
            Err(why) => DataBreakpointInfoBody { description: why.to_string(), ..Default::default() },
        })
    }

    /// Tells which lines can have breakpoints.
    pub(super) fn breakpoint_locations(
        &mut self,
        arguments: &BreakpointLocationsArguments,
    ) -> Result<Answer, Refusal> {
        let file = file_of(&arguments.source)?;
        let line = |line: i64| u32::try_from(line).unwrap_or(0);
        let (from, to) = (line(arguments.line), line(arguments.end_line.unwrap_or(arguments.line)));
        // Editors ask before the program has run.
        let known = self.launched.as_ref().map(|launched| launched.cursor.trace.lines_of(&file, from, to));
        let lines = known.unwrap_or_default().into_iter();
        let breakpoints =
            lines.map(|line| BreakpointLocation { line: number(line), ..BreakpointLocation::default() });
        answer(&BreakpointLocationsBody { breakpoints: breakpoints.collect() })
    }
}

/// The name of a source's file.
pub(super) fn file_of(source: &Source) -> Result<String, Refusal> {
    let path = source.path.as_deref().or(source.name.as_deref());
    let file = path.and_then(|path| path.rsplit(['/', '\\']).next());
    Ok(file.ok_or_else(|| Refusal::Request("the source has no name".to_owned()))?.to_owned())
}

/// Adds a condition and a hit count, which editors leave empty where there are none.
fn with(request: BreakpointRequest, condition: &Option<String>, hits: &Option<String>) -> Asked {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let hits = match given(hits) {
        None => None,
        Some(text) => Some(
            HitCount::parse(&text)
                .ok_or_else(|| format!("`{text}` is no hit count: write 5, >= 5, > 5, <= 5, < 5 or % 5"))?,
        ),
    };
    Ok(BreakpointRequest { condition: given(condition), hits, ..request })
}

/// The breakpoints on exceptions. The condition of a filter has names of classes, and a Java condition after
/// the word `if`.
fn thrown(arguments: &SetExceptionBreakpointsArguments) -> Vec<Asked> {
    let plain = arguments.filters.iter().map(|filter| (filter.as_str(), None));
    let options = arguments.filter_options.iter().flatten();
    let options = options.map(|option| (option.filter_id.as_str(), option.condition.as_deref()));
    let one = |(filter, condition): (&str, Option<&str>)| {
        let (caught, uncaught) = match filter {
            CAUGHT => (true, false),
            UNCAUGHT => (false, true),
            other => return Err(format!("there is no filter `{other}`")),
        };
        let text = condition.unwrap_or_default().trim();
        let (classes, condition) = match text.strip_prefix("if ") {
            Some(condition) => ("", Some(condition)),
            None => text.split_once(" if ").map_or((text, None), |(of, condition)| (of, Some(condition))),
        };
        let classes = classes.split([',', ' ']).filter(|class| !class.is_empty()).map(str::to_owned);
        let place = ThrownPlace { caught, uncaught, classes: classes.collect() };
        let condition = condition.map(|condition| condition.trim().to_owned());
        Ok(BreakpointRequest { condition, ..BreakpointRequest::at(BreakpointPlace::Thrown(place)) })
    };
    plain.chain(options).map(one).collect()
}

fn shown_state(state: BreakpointState) -> Breakpoint {
    Breakpoint {
        id: Some(state.id),
        verified: state.problem.is_none(),
        message: state.problem,
        ..Breakpoint::default()
    }
}

/// Adds the lines that were asked for.
fn lines(breakpoints: Vec<Breakpoint>, command: &Command) -> Vec<Breakpoint> {
    let Command::SetBreakpoints(arguments) = command else { return breakpoints };
    let asked = arguments.breakpoints.iter().flatten().map(|asked| Some(asked.line));
    breakpoints.into_iter().zip(asked).map(|(breakpoint, line)| Breakpoint { line, ..breakpoint }).collect()
}

/// The output of a log point.
fn logged(printed: &Printed) -> Vec<EventBody> {
    let line = |text: &str, file: Option<&String>, line: Option<u16>| {
        EventBody::Output(OutputBody {
            category: Some(OutputCategory::Console),
            output: format!("{text}\n"),
            source: file.map(|file| Source { name: Some(file.clone()), ..Source::default() }),
            line: line.map(i64::from),
            ..OutputBody::default()
        })
    };
    let hits = printed.hits.iter().map(|hit| line(&hit.text, hit.file.as_ref(), hit.line));
    let more = (printed.left_out > 0).then(|| line(&shown::left_out(printed.left_out), None, None));
    hits.chain(more).collect()
}
