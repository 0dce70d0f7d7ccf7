//! The source text of a failed assertion.

use bytecode::expression::Expressions;
use classes::ClassPool;
use slice::FailedAssertion;
use trace::Method;

/// Reference types whose objects are values without parts.
const PLAIN: [&str; 10] = [
    "Ljava/lang/String;",
    "Ljava/lang/Integer;",
    "Ljava/lang/Long;",
    "Ljava/lang/Boolean;",
    "Ljava/lang/Double;",
    "Ljava/lang/Float;",
    "Ljava/lang/Short;",
    "Ljava/lang/Byte;",
    "Ljava/lang/Character;",
    "Ljava/lang/Class;",
];

/// A call of an assertion in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AssertionSite {
    /// The call as text.
    pub text: String,
    /// The examined value as text.
    pub examined: String,
    /// The type of the examined value, as a descriptor; empty if it is unknown.
    pub type_of: String,
    /// What is expected, as text, if that is a literal.
    pub literal: Option<String>,
    /// Whether the examined value has parts that can be wrong: it is no string, number or condition, or its
    /// type is unknown.
    pub has_parts: bool,
    /// The source file and line, if known.
    pub place: Option<String>,
}

impl AssertionSite {
    /// The site of an assertion that failed in a method; `None` without the method's class file.
    pub fn of(pool: &ClassPool, method: &Method, assertion: FailedAssertion) -> Option<AssertionSite> {
        let class = pool.find(&method.class).ok()??;
        let found = class.file.method(&method.name, &method.descriptor)?;
        let lines = &found.code.as_ref()?.lines;
        let line = lines.iter().rev().find(|entry| entry.start_pc <= assertion.pc).map(|entry| entry.line);
        let call = Expressions::new(&class.file, found)?.call_at(assertion.pc)?;
        let argument = call.arguments.get(assertion.argument)?;
        let descriptor = argument.node.descriptor();
        let expected = assertion.expected.and_then(|(at, _)| call.arguments.get(at));
        let literal = expected.filter(|expected| is_literal(&expected.text));
        let is_plain = |descriptor: &String| descriptor.len() == 1 || PLAIN.contains(&descriptor.as_str());
        Some(AssertionSite {
            examined: argument.text.clone(),
            literal: literal.map(|literal| literal.text.clone()),
            type_of: descriptor.clone().unwrap_or_default(),
            has_parts: !descriptor.as_ref().is_some_and(is_plain),
            place: method.source.as_ref().zip(line).map(|(source, line)| format!("{source}:{line}")),
            text: call.text,
        })
    }
}

/// Whether the text of an expression is its value: a string or a number.
fn is_literal(text: &str) -> bool {
    let is_string = text.len() > 1 && text.starts_with('"') && text.ends_with('"');
    is_string || text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
}
