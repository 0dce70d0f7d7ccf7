//! Calls of a method with certain arguments.

use super::asked::{Asked, Choice, Query, Word};
use super::members::{Meant, of_method};
use crate::answer::Answer;
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::{Pattern, Source, Wanted};

/// The calls of a method.
pub const CALLS: Query = Query {
    name: "calls",
    about: "The calls of a method, with their arguments",
    words: &[Word::new("METHOD", "the method: `pay`, `Shop.pay`")],
    choices: &[Choice::Thread, Choice::Range, Choice::Argument],
    example: "calls Shop.pay --arg 0=null",
    ask: calls,
};

fn calls(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let meant = of_method(asked.pattern(&[Kind::MethodCall]), asked.word(0).unwrap_or_default(), source)?;
    Meant { pattern: with_arguments(meant.pattern, asked), ..meant }.listed(source, asked)
}

/// Adds the wanted arguments to a pattern.
pub(super) fn with_arguments(pattern: Pattern, asked: &Asked) -> Pattern {
    let arguments = asked.arguments.iter().map(|(at, text)| (*at, Wanted::parse(text)));
    Pattern { arguments: arguments.collect(), ..pattern }
}
