//! What is noted about exceptions that came from elsewhere: from a called method, or from an earlier throw.

use super::answer_facts::AnswerFacts;
use locate::Located;
use model::{ExceptionDetail, Value};
use query::{Constraint, Event, PointIndex, TraceQuery};

/// Notes that the exception came from a method called in the `try`: the answer explains the call, not the
/// throw.
pub fn thrown_beyond<'l>(
    facts: &AnswerFacts<'_>,
    query: &TraceQuery,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> Option<String> {
    let tables = &facts.run_facts.outcome.tables;
    let Event::Branched(_) = query.event else { return None };
    let handler = query.constraints.iter().find_map(|c| match c {
        Constraint::Controls(point) => Some(*point),
        _ => None,
    })?;
    let found = &located(handler)?.occurrence;
    found.left()?;
    let detail = found.detail.as_ref()?;
    let exception = detail.exception.as_ref().filter(|e| e.caught.as_ref().is_some_and(|c| c.above > 0))?;
    let place = tables.frame(exception.thrown)?;
    let line = place.line.map(|line| format!(" on line {line}")).unwrap_or_default();
    let class = tables.class_name(detail.thrown.as_ref()?)?;
    Some(format!(
        "this led to the call; the exception of {} came from {}{line}. To find out what led to the throw, \
         ask `Exception(\"{class}\")` and the LastCondition of that",
        facts.id(handler),
        place.site.method.short(),
    ))
}

/// Notes that an instruction rethrows an exception that its handler caught.
pub fn thrown_again(
    facts: &AnswerFacts<'_>,
    query: &TraceQuery,
    exception: &ExceptionDetail,
    thrown: &Value,
) -> Option<String> {
    let tables = &facts.run_facts.outcome.tables;
    let again = facts.code_book().thrown_again(&tables.frame(exception.thrown)?.site)?;
    let is_own = matches!(query.event, Event::Thrown { .. });
    let id = facts.id(query.point);
    let here = is_own || exception.caught.as_ref().is_some_and(|c| c.above == 0);
    let next = if here {
        format!("`LastCondition(\"{id}\")`")
    } else {
        // This `Exception` point is located where the same throw happened.
        let class = tables.class_name(thrown)?;
        format!("`Exception(\"{class}\")` with `before: \"{id}\"`, and the LastCondition of that")
    };
    Some(format!("{again}; for where it was thrown before that ask {next}"))
}
