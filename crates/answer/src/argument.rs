//! The argument that a caller passed for a parameter.

use model::Frame;
use program::code_book::{CodeBook, calls_in, parameter_in};

/// The expression that the caller of a frame passed for the parameter in a slot, if its class file tells.
pub fn argument(book: &CodeBook<'_>, caller: &Frame, frame: &Frame, slot: u16) -> Option<String> {
    let called = &frame.site.method;
    let calls = calls_in(book.pool, &caller.site.method, &called.name, &called.descriptor, None)?;
    let (_, arguments) = calls.into_iter().find(|(pc, _)| *pc == caller.site.bci)?;
    let class = book.pool.find(&called.class).ok()??;
    let is_static = class.file.method(&called.name, &called.descriptor)?.is_static();
    arguments.into_iter().nth(parameter_in(&called.descriptor, is_static, slot)?)
}

/// The note on a parameter whose value came with the call, and how to ask about the caller at this place of
/// the stack.
pub fn of_the_call(method: &str, argument: Option<String>, point: &str, place: usize) -> String {
    let argument = argument.map(|argument| format!(" as `{argument}`")).unwrap_or_default();
    format!(
        "a parameter that {method} did not assign before: the value came with the call{argument}. Ask about \
         the caller, in frame {place}: LastChange({point}({place}):…)"
    )
}
