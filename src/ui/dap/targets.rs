//! Targets to which an editor can go: executions of a line, and the calls that a line makes.

use super::adapter::Adapter;
use super::answer::{Answer, Refusal, answer, number};
use super::breakpoints::file_of;
use dap::types::{
    GotoTarget, GotoTargetsArguments, GotoTargetsBody, StepInTarget, StepInTargetsArguments,
    StepInTargetsBody,
};
use past::{SourceLine, Which};
use trace::EventPosition;

impl Adapter {
    /// The previous, next, first and last execution of a line.
    pub(super) fn goto_targets(&mut self, arguments: &GotoTargetsArguments) -> Result<Answer, Refusal> {
        let file = file_of(&arguments.source)?;
        let class = file.strip_suffix(".java").unwrap_or(&file).to_owned();
        let line = SourceLine { class, line: u32::try_from(arguments.line).unwrap_or(0) };
        let which = [
            ("previous", Which::Previous),
            ("next", Which::Next),
            ("first", Which::First),
            ("last", Which::Last),
        ];
        let mut found: Vec<(EventPosition, Vec<&str>)> = Vec::new();
        let cursor = self.cursor()?;
        for (word, which) in which {
            let Some(place) = cursor.trace.execution(cursor.at, &line, which)? else { continue };
            match found.iter_mut().find(|(known, _)| *known == place) {
                Some((_, words)) => words.push(word),
                None => found.push((place, vec![word])),
            }
        }
        let targets = found.into_iter().map(|(place, words)| GotoTarget {
            id: self.handles.of_target(place),
            label: format!("{} execution", words.join(" and ")),
            line: number(line.line),
            ..GotoTarget::default()
        });
        let targets = targets.collect();
        answer(&GotoTargetsBody { targets })
    }

    /// The calls that the line of a frame makes.
    pub(super) fn step_in_targets(&mut self, arguments: &StepInTargetsArguments) -> Result<Answer, Refusal> {
        let frame = self.handles.frame(Some(arguments.frame_id))?;
        let calls = self.cursor()?.trace.calls_of_line(frame)?;
        let targets = calls.into_iter().map(|call| StepInTarget {
            id: self.handles.of_call(call.node),
            label: format!("{} (call #{})", call.name, call.node),
            ..StepInTarget::default()
        });
        let targets = targets.collect();
        answer(&StepInTargetsBody { targets })
    }

    /// Goes into a call that the line makes.
    pub(super) fn step_into_target(&mut self, target: i64) -> Result<Answer, Refusal> {
        let call = self.handles.call(target)?;
        let cursor = self.cursor()?;
        let stop = cursor.trace.into_call(call)?;
        let stop = cursor.stand(stop);
        Ok(self.stopped(&stop))
    }
}
