//! The place of a failure: of the exception that nothing caught, or of the last stack trace that the program
//! printed. Test runners and build tools catch exceptions of tests, and print them.

use super::printed_trace::{PrintedFrame, PrintedTrace, printed_traces};
use super::{Options, Outcome, replayed};
use answer::Answer;
use chain::{Chain, Kind, Point};
use classes::{ClassPool, CodeOwner};
use session::workspace::Workspace;
use session::{Context, SessionError};

/// The id of the point at which the exception is thrown.
const THROWN: &str = "X";

/// Number of lines of a program's output that an error shows.
const LAST_OUTPUT: usize = 5;

/// Where a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailurePlace {
    /// The binary name of the exception's class, if it is known.
    pub exception: Option<String>,
    /// The binary name of the class.
    pub class: String,
    /// The method.
    pub method: String,
    /// The line.
    pub line: u32,
    /// Whether the line called the code that threw, rather than throwing itself.
    pub has_called: bool,
}

impl FailurePlace {
    /// The points of a chain that asks there: that the exception is thrown, and before it the last pass over
    /// the line, which has this id.
    pub fn points(&self, id: &str) -> Vec<Point> {
        let line = Point { index: Some(-1), ..Point::new(id, Kind::Line(self.class.clone(), self.line)) };
        match &self.exception {
            Some(class) => {
                let from = self.has_called.then(|| format!("{}.{}", self.class, self.method));
                let thrown = Point::new(THROWN, Kind::Exception(class.clone()));
                let before = Some(THROWN.to_owned());
                vec![Point { from, index: Some(-1), ..thrown }, Point { before, ..line }]
            }
            None => vec![line],
        }
    }
}

/// The chain that asks for the last exception that nothing caught.
#[must_use]
pub fn uncaught(chain: &Chain) -> Chain {
    let thrown = Point::new(THROWN, Kind::Exception("java.lang.Throwable".to_owned()));
    let last = Point { caught: Some(false), index: Some(-1), ..thrown };
    Chain { points: vec![last], ..chain.clone() }
}

/// The place of the exception that an answer to [`uncaught`] tells.
pub fn of_uncaught(answer: &Answer) -> Option<FailurePlace> {
    let point = answer.points.first()?;
    let exception = point.exception.as_ref().filter(|_| point.located)?;
    let own = point.own_frame.as_ref().map_or(&exception.thrown, |own| &own.frame);
    Some(FailurePlace {
        exception: Some(exception.class.clone()),
        class: own.class.clone(),
        method: own.method.clone(),
        line: own.line?,
        has_called: point.own_frame.is_some(),
    })
}

/// Runs the program of a chain, and finds where it failed.
///
/// # Errors
/// The program cannot run, it did not fail, or the user interrupted.
pub async fn find_failure(
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<FailurePlace, SessionError> {
    let asked = uncaught(chain);
    let options = &Options { show_output: false, ..options.clone() };
    let (answer, facts) = Box::pin(replayed("the failure", &asked, options, context)).await?;
    if answer.outcome == Outcome::Interrupted {
        return Err(SessionError::Interrupted);
    }
    if let Some(place) = of_uncaught(&answer) {
        return Ok(place);
    }
    let tail = facts.as_ref().map(|facts| &facts.outcome.tail);
    let traces = printed_traces(tail.into_iter().flat_map(|tail| tail.lines().map(|(_, line)| line)));
    let place = facts.as_ref().and_then(|facts| of_traces(&traces, &facts.pool));
    place.ok_or_else(|| {
        let last = tail.map(|tail| tail.last(LAST_OUTPUT)).filter(|last| !last.is_empty());
        let last = last.map(|last| format!("\nIts last output:\n{last}")).unwrap_or_default();
        SessionError::NoStep(format!(
            "the program threw no exception that nothing caught, and printed no stack trace with a line of \
             your code: name the line where the state is wrong{last}"
        ))
    })
}

/// The place that a text with stack traces names, in the code of a chain's program.
///
/// # Errors
/// It names no line of the program's code, or the class files cannot be read.
pub fn failure_in_text(chain: &Chain, text: &str) -> Result<FailurePlace, SessionError> {
    let workspace = Workspace::open(chain, None, None)?;
    let pool = workspace.pool(None)?;
    of_traces(&printed_traces(text.lines()), &pool).ok_or_else(|| {
        SessionError::NoStep("the text has no stack trace with a line of the program's code".to_owned())
    })
}

/// The newest line of own code in the last trace that has one; without own code, that of a library.
fn of_traces(traces: &[PrintedTrace], pool: &ClassPool) -> Option<FailurePlace> {
    [CodeOwner::Own, CodeOwner::Library].into_iter().find_map(|owner| {
        traces.iter().rev().find_map(|trace| {
            let is_meant =
                |frame: &PrintedFrame| frame.line.is_some() && pool.owner_of(&frame.class) == owner;
            let index = trace.frames.iter().position(is_meant)?;
            let frame = trace.frames.get(index)?;
            Some(FailurePlace {
                exception: trace.class.clone(),
                class: frame.class.clone(),
                method: frame.method.clone(),
                line: frame.line?,
                has_called: index > 0,
            })
        })
    })
}
