//! The assertion methods of test frameworks: which of their arguments is the value that a test examines.

use bytecode::MethodRef;
use bytecode::descriptor::{parse_method, slots};

/// The position of the message that some overloads take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Message {
    First,
    Last,
}

/// Assertion methods of the same form.
struct Row {
    /// The classes that declare them, or packages of these classes, which end with a dot.
    classes: &'static [&'static str],
    names: &'static [&'static str],
    /// The number of values that they compare, without a message and a tolerance.
    values: usize,
    /// Which of these is the examined value, from 0.
    actual: usize,
    message: Message,
}

const JUNIT4: &[&str] =
    &["org.junit.Assert", "junit.framework.Assert", "junit.framework.TestCase", "org.testng.AssertJUnit"];
const JUNIT5: &[&str] = &["org.junit.jupiter.api.Assertions"];
const TESTNG: &[&str] = &["org.testng.Assert"];
const EQUALITY: &[&str] = &[
    "assertEquals",
    "assertNotEquals",
    "assertSame",
    "assertNotSame",
    "assertArrayEquals",
    "assertIterableEquals",
    "assertLinesMatch",
    "assertEqualsNoOrder",
];
const CONDITION: &[&str] = &["assertTrue", "assertFalse", "assertNull", "assertNotNull"];

/// To add a method, add its name or a row.
const ROWS: &[Row] = &[
    Row { classes: JUNIT4, names: EQUALITY, values: 2, actual: 1, message: Message::First },
    Row { classes: JUNIT4, names: CONDITION, values: 1, actual: 0, message: Message::First },
    Row {
        classes: &["org.junit.Assert", "org.hamcrest.MatcherAssert"],
        names: &["assertThat"],
        values: 2,
        actual: 0,
        message: Message::First,
    },
    Row { classes: JUNIT5, names: EQUALITY, values: 2, actual: 1, message: Message::Last },
    Row { classes: JUNIT5, names: CONDITION, values: 1, actual: 0, message: Message::Last },
    Row { classes: JUNIT5, names: &["assertInstanceOf"], values: 2, actual: 1, message: Message::Last },
    Row { classes: TESTNG, names: EQUALITY, values: 2, actual: 0, message: Message::Last },
    Row { classes: TESTNG, names: CONDITION, values: 1, actual: 0, message: Message::Last },
    Row {
        classes: &["org.assertj.core.api.", "com.google.common.truth.Truth"],
        names: &["assertThat", "then"],
        values: 1,
        actual: 0,
        message: Message::Last,
    },
];

/// Packages of matchers, and of what `assertThat` returns.
const OTHERS: &[&str] =
    &["org.hamcrest.", "org.assertj.core.", "com.google.common.truth.", "org.opentest4j."];

/// The part of a call of an assertion that a test examines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examined {
    /// The argument at this position, from 0.
    Argument {
        /// The position.
        at: usize,
        /// That of the argument with which it is compared, if the assertion takes one.
        expected: Option<usize>,
    },
    /// Nothing that is passed, as for `fail`.
    Nothing,
    /// What the assertion examines of which this is a part: a matcher, or what follows `assertThat(value)`.
    SameValue,
}

/// What an assertion examines; `None` if the method is no assertion. `declares` says whether the method's
/// class is this one or below it.
pub fn examined(method: &MethodRef, declares: impl Fn(&str) -> bool) -> Option<Examined> {
    let is_of = |class: &str| match class.strip_suffix('.') {
        Some(_) => method.class.starts_with(class),
        None => declares(class),
    };
    let row = ROWS.iter().find(|row| {
        row.names.contains(&method.name.as_str()) && row.classes.iter().any(|class| is_of(class))
    });
    let Some(row) = row else {
        if OTHERS.iter().any(|package| method.class.starts_with(package)) {
            return Some(Examined::SameValue);
        }
        let is_plain = method.name.starts_with("assert") || method.name.starts_with("fail");
        let mut classes = ROWS.iter().flat_map(|row| row.classes);
        return (is_plain && classes.any(|class| is_of(class))).then_some(Examined::Nothing);
    };
    let given = parse_method(&method.descriptor).map(|parsed| parsed.parameters).unwrap_or_default();
    let has_message = row.message == Message::First
        && given.len() > row.values
        && given.first().is_some_and(|first| first == "Ljava/lang/String;");
    // `assertThat(reason, condition)` has no matcher.
    let is_condition = row.values == 2 && given.len() == 2 && given.last().is_some_and(|last| last == "Z");
    let at = match (has_message, is_condition && row.names.contains(&"assertThat")) {
        (_, true) => 1,
        (true, _) => row.actual.saturating_add(1),
        (false, _) => row.actual,
    };
    // A matcher is no value.
    let is_compared = row.values == 2 && !row.names.contains(&"assertThat");
    let expected = is_compared.then(|| (at + 1).saturating_sub(2 * row.actual));
    Some(if at < given.len() { Examined::Argument { at, expected } } else { Examined::Nothing })
}

/// The slot of an argument above the slot of the first one.
pub fn slot_of_argument(descriptor: &str, at: usize) -> usize {
    let given = parse_method(descriptor).map(|parsed| parsed.parameters).unwrap_or_default();
    given.iter().take(at).map(|parameter| usize::from(slots(parameter))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(class: &str, name: &str, descriptor: &str) -> Option<Examined> {
        let method = MethodRef {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            interface: false,
        };
        examined(&method, |above| {
            above == class || class == "CartTest" && above == "junit.framework.TestCase"
        })
    }

    #[test]
    fn the_examined_argument_depends_on_the_framework_and_the_message() {
        const TEXT: &str = "Ljava/lang/String;";
        const ANY: &str = "Ljava/lang/Object;";
        let argument = |at| Some(Examined::Argument { at, expected: None });
        let compared = |at, expected| Some(Examined::Argument { at, expected: Some(expected) });
        let junit4 = "org.junit.Assert";
        assert_eq!(at(junit4, "assertEquals", "(JJ)V"), compared(1, 0));
        assert_eq!(at(junit4, "assertEquals", "(DDD)V"), compared(1, 0));
        assert_eq!(at(junit4, "assertEquals", &format!("({TEXT}JJ)V")), compared(2, 1));
        assert_eq!(at(junit4, "assertEquals", &format!("({TEXT}DDD)V")), compared(2, 1));
        assert_eq!(at(junit4, "assertTrue", &format!("({TEXT}Z)V")), argument(1));
        assert_eq!(at(junit4, "assertNull", &format!("({ANY})V")), argument(0));
        assert_eq!(at("CartTest", "assertEquals", &format!("({TEXT}{TEXT})V")), compared(1, 0));
        assert_eq!(
            at("org.junit.jupiter.api.Assertions", "assertEquals", &format!("(II{TEXT})V")),
            compared(1, 0)
        );
        assert_eq!(at("org.testng.Assert", "assertEquals", &format!("(II{TEXT})V")), compared(0, 1));
        let that = "org.hamcrest.MatcherAssert";
        let matcher = "Lorg/hamcrest/Matcher;";
        assert_eq!(at(that, "assertThat", &format!("({ANY}{matcher})V")), argument(0));
        assert_eq!(at(that, "assertThat", &format!("({TEXT}{ANY}{matcher})V")), argument(1));
        assert_eq!(at(that, "assertThat", &format!("({TEXT}Z)V")), argument(1));
        let fluent = "org.assertj.core.api.Assertions";
        assert_eq!(at(fluent, "assertThat", "(I)Lorg/assertj/core/api/AbstractIntegerAssert;"), argument(0));
        assert_eq!(at(junit4, "fail", "()V"), Some(Examined::Nothing));
        let of_int = "org.assertj.core.api.AbstractIntegerAssert";
        assert_eq!(at(of_int, "isEqualTo", &format!("({ANY})V")), Some(Examined::SameValue));
        assert_eq!(at("shop.Checks", "assertEquals", "(II)V"), None);
    }

    #[test]
    fn wide_arguments_take_two_slots() {
        assert_eq!(slot_of_argument("(Ljava/lang/String;DDD)V", 2), 3);
    }
}
