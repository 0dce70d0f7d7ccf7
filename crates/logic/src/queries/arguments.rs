//! Histories of the arguments and results of a method (JavaTA §4.2, *Gathering Data*).

use super::asked::{Asked, Choice, Query, Word};
use super::members::{Meant, of_method};
use crate::answer::Answer;
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::{Pattern, Source};

const METHOD: Word = Word::new("METHOD", "the method: `pay`, `Shop.pay`");

/// The history of the arguments of a method.
pub const ARGUMENTS: Query = Query {
    name: "arguments",
    about: "The arguments that a method was given, call by call",
    words: &[METHOD],
    choices: &[Choice::Thread, Choice::Range],
    example: "arguments Shop.pay",
    ask: |source, asked| {
        let kinds = asked.pattern(&[Kind::MethodCall]);
        of_method(kinds, asked.word(0).unwrap_or_default(), source)?.listed(source, asked)
    },
};

/// The history of the results of a method.
pub const RESULTS: Query = Query {
    name: "results",
    about: "What a method returned, call by call",
    words: &[METHOD],
    choices: &[Choice::Thread, Choice::Range, Choice::Value, Choice::Part],
    example: "results Shop.pay --value null",
    ask: results,
};

fn results(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let kinds = asked.pattern(&[Kind::MethodExit]);
    let meant = of_method(kinds, asked.word(0).unwrap_or_default(), source)?;
    let pattern = Pattern { value: asked.wanted(), ..meant.pattern };
    Meant { pattern, ..meant }.listed(source, asked)
}
