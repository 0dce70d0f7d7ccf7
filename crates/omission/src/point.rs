//! The point at which an object is wrong: an execution of a line, or the end of a call.

use super::failed_test::{FailedLine, failed_test};
use classes::ClassPool;
use past::expression::ExpressionAt;
use past::{Recording, SourceLine};
use session::SessionError;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use trace::{Calls, EventPosition, Traced, WalkControl};

/// Most executions of a line that are looked at.
const PASSES: usize = 200_000;

/// Where the object is wrong.
#[derive(Clone, Debug)]
pub enum WrongPoint {
    /// An execution of a line.
    Line {
        /// The line.
        line: SourceLine,
        /// What must hold there.
        when: Option<String>,
        /// Which of the executions: 0 is the first, -1 the last.
        index: i64,
    },
    /// What an execution of a line left, before the next line of its call begins.
    AfterLine {
        /// The line.
        line: SourceLine,
        /// Which of the executions: 0 is the first.
        index: i64,
    },
    /// An event of the recording.
    Event(EventPosition),
    /// The end of a call, by the number that is shown.
    Call(u32),
    /// The end of the run.
    End,
}

/// An event at which an object is wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundPoint {
    /// The event.
    pub at: EventPosition,
    /// The number of earlier executions of the line, with or without the condition.
    pub nth: i64,
}

impl WrongPoint {
    /// The same point in another run, where the condition may hold no more.
    pub(super) fn again(&self, found: FoundPoint) -> WrongPoint {
        match self {
            WrongPoint::Line { line, .. } => {
                WrongPoint::Line { line: line.clone(), when: None, index: found.nth }
            }
            other => other.clone(),
        }
    }

    /// The same execution of a line, as it begins; `None` if this is no point behind a line.
    pub(super) fn begin(&self) -> Option<WrongPoint> {
        let WrongPoint::AfterLine { line, index } = self else { return None };
        Some(WrongPoint::Line { line: line.clone(), when: None, index: *index })
    }

    /// The line behind which the point is, if it is behind a line.
    pub(super) fn line_that_ran(&self) -> Option<u32> {
        let WrongPoint::AfterLine { line, .. } = self else { return None };
        Some(line.line)
    }

    /// Finds the event.
    ///
    /// # Errors
    /// There is no such event, or the recording cannot be read.
    pub(super) fn find(&self, trace: &mut Recording) -> Result<FoundPoint, SessionError> {
        if let Some(begin) = self.begin() {
            let begin = begin.find(trace)?;
            return Ok(FoundPoint { at: end_of_line(begin.at, &mut trace.calls)?, ..begin });
        }
        let calls = &trace.calls;
        let alone = |at| FoundPoint { at, nth: 0 };
        let (line, when, index) = match self {
            WrongPoint::Event(at) => return Ok(alone(*at)),
            WrongPoint::Call(number) => {
                let node = calls.own(*number);
                let end = calls.end(node).or_else(|| calls.entry(node));
                let none = || SessionError::NoStep(format!("there is no call #{number}"));
                return end.map(alone).ok_or_else(none);
            }
            WrongPoint::End => {
                let last = calls
                    .threads()
                    .iter()
                    .filter_map(|(thread, ..)| calls.roots(*thread).last().copied())
                    .last();
                let end = last.and_then(|node| calls.end(node));
                return end.map(alone).ok_or_else(|| SessionError::NoStep("no call was recorded".to_owned()));
            }
            WrongPoint::Line { line, when, index } => (line, when.as_deref(), *index),
            WrongPoint::AfterLine { line, index } => (line, None, *index),
        };
        let chosen = executions(line, when, index, trace)?;
        let at = match usize::try_from(index) {
            Ok(index) => chosen.get(index),
            Err(_) => usize::try_from(-index)
                .ok()
                .and_then(|back| chosen.len().checked_sub(back))
                .and_then(|at| chosen.get(at)),
        };
        at.copied().ok_or_else(|| not_executed(line, when, chosen.len(), trace))
    }
}

/// The line at which a test of a recorded run failed, when it had run; `None` if no test failed.
///
/// # Errors
/// The recording cannot be read.
pub fn failure_point(trace: &mut Recording) -> Result<Option<WrongPoint>, SessionError> {
    let Ok(pool) = trace.code.pool() else { return Ok(None) };
    let Some(FailedLine { line, at }) = failed_test(&mut trace.calls, pool)?.and_then(|failed| failed.line)
    else {
        return Ok(None);
    };
    let passes = passes_of(&mut trace.calls, &line)?;
    let index = (0..).zip(passes).find(|(_, (pass, ..))| *pass == at).map(|(index, _)| index);
    Ok(index.map(|index| WrongPoint::AfterLine { line, index }))
}

/// The event at which the next line of the same call begins, or the call ends.
fn end_of_line(at: EventPosition, calls: &mut Calls) -> Result<EventPosition, SessionError> {
    let node = at.node;
    let Some(thread) = calls.thread_number(node) else { return Ok(at) };
    let (mut last, mut is_behind) = (at, false);
    calls.walk(thread, Some(node), |_, seen| {
        let own = seen.position().filter(|_| seen.node == Some(node) && seen.site.what != Traced::Enter);
        let Some(position) = own else { return WalkControl::Next };
        if is_behind {
            last = position;
        }
        let is_next = is_behind && matches!(seen.site.what, Traced::Line(_));
        is_behind |= position == at;
        if is_next { WalkControl::Stop } else { WalkControl::Next }
    })?;
    Ok(last)
}

/// The executions of a line at which a condition holds, up to the one with this index, if it is not negative.
fn executions(
    line: &SourceLine,
    when: Option<&str>,
    index: i64,
    trace: &mut Recording,
) -> Result<Vec<FoundPoint>, SessionError> {
    let passes = passes_of(&mut trace.calls, line)?;
    let mut chosen = Vec::new();
    let mut known: HashMap<(u32, u32), Result<ExpressionAt, String>> = HashMap::new();
    for (nth, (at, method, bci)) in (0..).zip(passes) {
        let point = FoundPoint { at, nth };
        let Some(when) = when else {
            chosen.push(point);
            continue;
        };
        let condition = match known.entry((method, bci)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(trace.compile(at, when)?),
        };
        let condition = condition.as_ref().map_err(|why| SessionError::NoStep(why.clone()))?;
        let value = trace.value(at, condition)?.map_err(SessionError::NoStep)?;
        match value.holds {
            Some(true) => chosen.push(point),
            Some(false) => {}
            None => {
                return Err(SessionError::NoStep(format!("`{when}` is {}, not a boolean", value.text)));
            }
        }
        if index >= 0 && usize::try_from(index).is_ok_and(|index| chosen.len() > index) {
            break;
        }
    }
    Ok(chosen)
}

/// The error that a line has no such execution, but this many.
fn not_executed(of: &SourceLine, when: Option<&str>, many: usize, trace: &mut Recording) -> SessionError {
    let SourceLine { class, line } = of;
    let pool = trace.code.pool().ok();
    if let Some(left_out) = pool.and_then(|pool| not_recorded(of, &trace.calls, pool)) {
        return SessionError::NoStep(format!(
            "no execution of {class}:{line} can be recorded: {left_out} is not among the classes that are \
             recorded, so name it by `--scope`, together with the others that matter"
        ));
    }
    let with = when.map(|when| format!(" with `{when}`")).unwrap_or_default();
    SessionError::NoStep(format!(
        "{class}:{line} was executed {many} times{with}; `qp query lines {class}.java` lists the executed lines"
    ))
}

/// The class of a line that was not to be recorded; `None` if a class of the line was recorded.
fn not_recorded(line: &SourceLine, calls: &Calls, pool: &ClassPool) -> Option<String> {
    let has_line = |class: &&str| {
        let Ok(Some(found)) = pool.find(class) else { return false };
        let mut lines = found.file.methods.iter().filter_map(|method| method.code.as_ref());
        lines.any(|code| code.lines.iter().any(|entry| entry.line == line.line))
    };
    let mut of_line = pool.user_classes().filter(|class| line.is_of(class)).filter(has_line).peekable();
    let first = (*of_line.peek()?).to_owned();
    (!of_line.any(|class| calls.records(class))).then_some(first)
}

/// The executions of a line in the order of the run, each with its method and code index.
fn passes_of(calls: &mut Calls, line: &SourceLine) -> Result<Vec<(EventPosition, u32, u32)>, SessionError> {
    let mut found = Vec::new();
    for (thread, ..) in calls.threads() {
        calls.walk(thread, None, |calls, seen| {
            if let (Traced::Line(_), Some(at)) = (seen.site.what, seen.position())
                && line.is_at(calls, seen)
            {
                found.push((seen.when(), at, seen.site.method, seen.site.bci));
            }
            if found.len() < PASSES { WalkControl::Next } else { WalkControl::Stop }
        })?;
    }
    found.sort_by_key(|(when, ..)| *when);
    Ok(found.into_iter().map(|(_, at, method, bci)| (at, method, bci)).collect())
}
