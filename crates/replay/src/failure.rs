//! The place of a failure: of the exception that nothing caught, or of the last stack trace that the program
//! printed. Test runners and build tools catch exceptions of tests, and print them.
//!
//! What nothing catches is often not where the failure began: a `finally` or a try-with-resources throws the
//! same exception again, and a framework wraps it. So the place is that of the first throw of the innermost
//! cause that own code threw.

use super::failed_assertion::{ExaminedValue, examined_value};
use super::printed_trace::{PrintedFrame, PrintedTrace, printed_traces};
use super::{Options, Outcome, replayed};
use answer::{Answer, PointAnswer};
use chain::{Chain, Kind, Point};
use classes::{ClassPool, CodeOwner};
use session::workspace::Workspace;
use session::{Context, SessionError};

/// The id of the point at which the exception is thrown.
pub const THROWN: &str = "X";

/// Number of lines of a program's output that an error shows.
const LAST_OUTPUT: usize = 5;

/// Number of throws of one class that are looked at before the uncaught one.
const MOST_THROWS: usize = 4;

/// Where a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailurePlace {
    /// The throws that lead to the place, each earlier than the one before it in the list: first that which
    /// nothing caught. Empty if the exception's class is not known.
    pub throws: Vec<Throw>,
    /// The binary name of the class.
    pub class: String,
    /// The line.
    pub line: u32,
    /// Whether the line called the code that threw, rather than throwing itself.
    pub has_called: bool,
    /// What the failed assertion examined, if the line calls one.
    pub examined: Option<ExaminedValue>,
}

/// A throw of an exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throw {
    /// The binary name of the exception's class.
    pub class: String,
    /// The method of own code that called the code that threw, as `Class.method`.
    pub from: Option<String>,
}

impl FailurePlace {
    /// The points of a chain that asks there: the throws, and before them the last pass over the line, which
    /// has this id.
    pub fn points(&self, id: &str) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::new();
        for (number, throw) in self.throws.iter().enumerate() {
            let before = points.last().map(|later| later.id.clone());
            let thrown = Point::new(throw_id(number), Kind::Exception(throw.class.clone()));
            points.push(Point { from: throw.from.clone(), before, index: Some(-1), ..thrown });
        }
        let before = points.last().map(|thrown| thrown.id.clone());
        let line = Point::new(id, Kind::Line(self.class.clone(), self.line));
        points.push(Point { before, index: Some(-1), ..line });
        points
    }
}

/// The id of a throw: `X`, and `X1` before it.
fn throw_id(number: usize) -> String {
    if number == 0 { THROWN.to_owned() } else { format!("{THROWN}{number}") }
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
    place_of(answer.points.first()?, &[])
}

/// The place of a located throw, which comes before these later ones.
fn place_of(point: &PointAnswer, later: &[Throw]) -> Option<FailurePlace> {
    let exception = point.exception.as_ref().filter(|_| point.located)?;
    let own = point.own_frame.as_ref().map_or(&exception.thrown, |own| &own.frame);
    let from = point.own_frame.is_some().then(|| format!("{}.{}", own.class, own.method));
    let mut throws = later.to_vec();
    throws.push(Throw { class: exception.class.clone(), from });
    Some(FailurePlace {
        throws,
        class: own.class.clone(),
        line: own.line?,
        has_called: point.own_frame.is_some(),
        examined: None,
    })
}

/// The chain that asks for the throws before the one that an answer to [`uncaught`] tells: of the same
/// exception, if it was thrown again there, and of its causes. `None` if it has no throws before.
pub fn throws_before(chain: &Chain, answer: &Answer) -> Option<Chain> {
    let exception = answer.points.first()?.exception.as_ref()?;
    let again = exception.thrown_again.then_some(&exception.class);
    let mut classes: Vec<&String> = again.into_iter().collect();
    for cause in &exception.causes {
        if !classes.contains(&&cause.class) {
            classes.push(&cause.class);
        }
    }
    let mut asked = uncaught(chain);
    for (number, class) in classes.iter().enumerate() {
        let mut later = THROWN.to_owned();
        for depth in 1..=MOST_THROWS {
            let id = format!("{THROWN}{number}_{depth}");
            let thrown = Point::new(id.clone(), Kind::Exception((*class).clone()));
            asked.points.push(Point { before: Some(later), index: Some(-1), ..thrown });
            later = id;
        }
    }
    (!classes.is_empty()).then_some(asked)
}

/// The place of the first throw that an answer to [`throws_before`] tells of the innermost cause that own
/// code threw, or called what threw it; if there is none, that of the uncaught exception.
pub fn of_throws_before(answer: &Answer, is_own: impl Fn(&str) -> bool) -> Option<FailurePlace> {
    let (uncaught, before) = answer.points.split_first()?;
    let exception = uncaught.exception.as_ref()?;
    let last = place_of(uncaught, &[])?;
    let objects = exception.causes.iter().rev().map(|cause| &cause.object).chain([&exception.object]);
    let first_throw = |object: &String| {
        before.chunks(MOST_THROWS).find_map(|of_class| {
            let mut later = last.throws.clone();
            let mut first = None;
            for thrown in of_class {
                let Some(place) = place_of(thrown, &later) else { break };
                later.clone_from(&place.throws);
                if thrown.exception.as_ref().is_some_and(|e| e.object == *object) {
                    first = Some(place);
                } else if first.is_some() {
                    break;
                }
            }
            first.filter(|place| {
                is_own(&place.class) && (&place.class, place.line) != (&last.class, last.line)
            })
        })
    };
    objects.into_iter().find_map(first_throw).or(Some(last))
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
        let Some(asked) = throws_before(chain, &answer) else { return Ok(place) };
        let (answer, facts) = Box::pin(replayed("what led to the failure", &asked, options, context)).await?;
        if answer.outcome == Outcome::Interrupted {
            return Err(SessionError::Interrupted);
        }
        let pool = facts.as_ref().map(|facts| &facts.pool);
        let is_own = |class: &str| pool.is_none_or(|pool| pool.owner_of(class) == CodeOwner::Own);
        return Ok(of_throws_before(&answer, is_own).unwrap_or(place));
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

/// The place that a text with stack traces names, in the code of a chain's program. Runs the program first if
/// only its VM says which classes there are.
///
/// # Errors
/// It names no line of the program's code, the class files cannot be read, the program cannot run, or the
/// user interrupted.
pub async fn failure_in_text(
    chain: &Chain,
    text: &str,
    options: &Options,
    context: &Context,
) -> Result<FailurePlace, SessionError> {
    let workspace = Workspace::open(chain, None, None)?;
    if workspace.knows_classes()? {
        return place_in_text(text, &workspace.pool(None)?);
    }
    let options = &Options { show_output: false, ..options.clone() };
    let (answer, facts) = Box::pin(replayed("the classes", &uncaught(chain), options, context)).await?;
    match facts {
        _ if answer.outcome == Outcome::Interrupted => Err(SessionError::Interrupted),
        Some(facts) => place_in_text(text, &facts.pool),
        None => place_in_text(text, &workspace.pool(None)?),
    }
}

/// The place that a text with stack traces names, in the code of these classes.
///
/// # Errors
/// It names no line of that code.
pub fn place_in_text(text: &str, pool: &ClassPool) -> Result<FailurePlace, SessionError> {
    of_traces(&printed_traces(text.lines()), pool).ok_or_else(|| {
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
            let (has_called, line) = (index > 0, frame.line?);
            let from = has_called.then(|| format!("{}.{}", frame.class, frame.method));
            let throw = trace.class.as_deref().map(|class| Throw { class: thrown_class(class), from });
            // The question about it names the throw.
            let called = index.checked_sub(1).and_then(|called| trace.frames.get(called));
            let examined = called.filter(|_| throw.is_some());
            let examined = examined.and_then(|called| examined_value(pool, frame, called));
            Some(FailurePlace {
                throws: throw.into_iter().collect(),
                class: frame.class.clone(),
                line,
                has_called,
                examined,
            })
        })
    })
}

/// The class to ask for, of an exception that is printed as this one. JUnit 3's class is a subclass of the
/// JDK's, and Ant prints it for every failed assertion of JUnit 4.
fn thrown_class(printed: &str) -> String {
    match printed {
        "junit.framework.AssertionFailedError" => "java.lang.AssertionError".to_owned(),
        class => class.to_owned(),
    }
}
