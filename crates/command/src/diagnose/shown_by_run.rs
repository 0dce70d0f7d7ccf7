//! Shows the value of an expression that calls methods of the program. Another run halts at the end of the
//! call of a question, and runs the methods there.

use answer::Outcome;
use diagnose::{Diagnoser, Question};
use expr::{EventPart, Expr, Literal, Node};
use replay::Options;
use session::{Context, SessionError};

/// The value of an expression in another run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ShownByRun {
    /// The call at whose end the methods ran, as it is shown.
    pub call: u32,
    /// The expression.
    pub expression: String,
    /// Its value, as in Java: `"a"`, `7`, `Node@5`.
    pub value: String,
}

impl ShownByRun {
    /// The text itself, if the value is a string.
    pub fn text(&self) -> Option<String> {
        let value = Expr::parse(&self.value).ok()?;
        match value.node() {
            Node::Literal(Literal::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }
}

/// Whether an expression calls methods, which only a run can do.
pub fn runs_code(expression: &str) -> bool {
    Expr::parse(expression).is_ok_and(|expr| expr.has_calls())
}

/// The value of an expression at the end of the call of a question.
///
/// # Errors
/// The call threw, the program cannot run again unchanged or may not, the other run did not come to the same
/// place, or the expression has no value there.
pub(super) async fn shown_by_run(
    diagnoser: &mut Diagnoser,
    question: &Question,
    expression: &str,
    context: &Context,
) -> Result<ShownByRun, SessionError> {
    let mut chain = diagnoser.run_to_end(question, context).await?;
    let in_chain = in_chain(expression, question);
    if let Some(point) = chain.points.first_mut() {
        point.collect = Some(vec![in_chain.clone()]);
    }
    let answer = Box::pin(replay::replay("show", &chain, &Options::default(), context)).await?;
    let value = answer.points.first().and_then(|point| point.collected.get(&in_chain));
    let Some(value) = value else {
        if answer.outcome == Outcome::Interrupted {
            return Err(SessionError::Interrupted);
        }
        let why = "another run did not come to the end of this call: the program does something else from \
                   run to run";
        return Err(SessionError::NoStep(why.to_owned()));
    };
    Ok(ShownByRun { call: question.node, expression: expression.to_owned(), value: value.clone() })
}

/// The expression as a chain has it, where the result of a call is a part of the event.
fn in_chain(expression: &str, question: &Question) -> String {
    let part = EventPart::Result.word();
    let is_variable = question.exit.contains_key(part) || question.entry.contains_key(part);
    let of_result = expression.strip_prefix(part).is_some_and(|rest| rest.starts_with(['.', '[']));
    if of_result && !is_variable { format!(".{expression}") } else { expression.to_owned() }
}
