//! What a call of code that is not recorded may write: the arrays that it is given, one that it returns, and
//! the field of a handle. What they hold behind the call is told.

use bytecode::descriptor;
use jdk::{Arrays, Elements, Fields, Objects, Returns};

/// The kinds of elements in the order of the sites of an array of any kind: those of the instructions that
/// store them.
pub const ARRAYS: [char; 8] = ['I', 'J', 'F', 'D', 'L', 'B', 'C', 'S'];

/// What a call gives and returns.
#[derive(Debug, PartialEq, Eq)]
pub struct Handed {
    /// The descriptors of its arguments, the receiver not among them.
    pub arguments: Vec<String>,
    /// Those of them that are arrays which may be written.
    pub given: Vec<Given>,
    /// The kind of the elements that an array has which it returns.
    pub returned: Option<char>,
}

/// An argument.
#[derive(Debug, PartialEq, Eq)]
pub struct Given {
    /// Its place.
    pub argument: usize,
    /// The kind of its elements; none: it is an `Object`, which may be any array.
    pub of: Option<char>,
    /// What of it may be written.
    pub part: Part,
}

/// A part of an array, by the arguments that name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All.
    Whole,
    /// So many elements from one on.
    Few(usize, i32),
    /// From an element on, so many.
    Many(usize, usize),
    /// From an element up to the one before another.
    UpTo(usize, usize),
}

/// Whether a call may write a field of the object that is its first argument, or a static field where that is
/// none; none where it does not write any. The handle that says which one is the receiver.
pub fn written_by(class: &str, name: &str, descriptor: &str) -> Option<bool> {
    if jdk::facts(class, name, descriptor).fields != Some(Fields::OfReceiver) {
        return None;
    }
    let arguments = descriptor::parse_method(descriptor)?.parameters;
    Some(arguments.first().is_some_and(|of| of.starts_with('L')))
}

/// Whether a class of the program is likely to have a method from the JDK: its own are recorded, and not told
/// once more.
pub fn is_inherited(name: &str, descriptor: &str) -> bool {
    jdk::inherited(name, descriptor).is_some()
}

/// What a call hands over, of a method that is not recorded; none where that is no array. The class has
/// slashes.
pub fn handed(class: &str, name: &str, descriptor: &str) -> Option<Handed> {
    let parts = descriptor::parse_method(descriptor)?;
    let arguments = parts.parameters;
    let facts = jdk::facts(class, name, descriptor);
    let is_copy = facts.returns == Some(Returns::Copy);
    let returned = if is_copy { element(class) } else { element(&parts.result) };
    let mut given = Vec::new();
    match facts.arrays {
        Some(Arrays::Read | Arrays::Kept) => {}
        Some(Arrays::Copied { to, from, count }) => {
            given.push(Given { argument: to, of: None, part: Part::Many(from, count) });
        }
        written => {
            let takes_any = matches!(facts.objects, Some(Objects::Array | Objects::Any));
            for (argument, of) in arguments.iter().enumerate() {
                let is_any = takes_any && of == "Ljava/lang/Object;";
                if is_any || of.starts_with('[') {
                    let part = part(written, argument, &arguments);
                    given.push(Given { argument, of: element(of), part });
                }
            }
        }
    }
    (!given.is_empty() || returned.is_some()).then_some(Handed { arguments, given, returned })
}

/// What of an array may be written.
fn part(written: Option<Arrays>, argument: usize, arguments: &[String]) -> Part {
    let is_int = |at: usize| arguments.get(at).is_some_and(|of| of == "I");
    let (first, second) = (argument + 1, argument + 2);
    let Some(Arrays::Written(elements)) = written else { return Part::Whole };
    match elements {
        Elements::At(count) if is_int(first) => Part::Few(first, count),
        Elements::Range if is_int(first) && is_int(second) => Part::UpTo(first, second),
        Elements::Counted if is_int(first) && is_int(second) => Part::Many(first, second),
        _ => Part::Whole,
    }
}

/// The kind of an array's elements.
fn element(descriptor: &str) -> Option<char> {
    let element = descriptor.strip_prefix('[')?.chars().next()?;
    Some(match element {
        '[' => 'L',
        'Z' => 'B',
        other => other,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn given(class: &str, name: &str, descriptor: &str) -> Vec<(usize, Option<char>, Part)> {
        let handed = handed(class, name, descriptor).unwrap();
        handed.given.iter().map(|given| (given.argument, given.of, given.part)).collect()
    }

    #[test]
    fn what_may_be_written_is_given() {
        let copy = given("java/lang/System", "arraycopy", "(Ljava/lang/Object;ILjava/lang/Object;II)V");
        assert_eq!(copy, [(2, None, Part::Many(3, 4))]);
        assert_eq!(given("java/util/Arrays", "sort", "([JII)V"), [(0, Some('J'), Part::UpTo(1, 2))]);
        assert_eq!(given("java/util/Arrays", "fill", "([ZZ)V"), [(0, Some('B'), Part::Whole)]);
        assert_eq!(given("java/io/InputStream", "read", "([BII)I"), [(0, Some('B'), Part::Many(1, 2))]);
        assert_eq!(given("java/lang/String", "getChars", "(II[CI)V"), [(2, Some('C'), Part::Whole)]);
        let any = given("java/util/function/Consumer", "accept", "(Ljava/lang/Object;)V");
        assert_eq!(any, [(0, None, Part::Whole)]);
        assert_eq!(given("java/lang/invoke/VarHandle", "set", "([[III)V"), [(0, Some('L'), Part::Few(1, 1))]);
    }

    #[test]
    fn fields_are_written_by_handles() {
        let of_handle = |name, descriptor| written_by("java/lang/invoke/VarHandle", name, descriptor);
        assert_eq!(of_handle("getAndAdd", "(LShop;I)I"), Some(true));
        assert_eq!(of_handle("set", "(I)V"), Some(false));
        assert_eq!(of_handle("set", "([II)V"), None);
        // A static field that holds an array.
        assert_eq!(of_handle("set", "([I)V"), Some(false));
        assert_eq!(of_handle("get", "(LShop;)I"), None);
        assert_eq!(written_by("java/lang/reflect/Field", "setAccessible", "(Z)V"), None);
        let updater = "java/util/concurrent/atomic/AtomicLongFieldUpdater";
        assert_eq!(written_by(updater, "incrementAndGet", "(Ljava/lang/Object;)J"), Some(true));
    }

    #[test]
    fn what_is_only_read_is_not() {
        assert_eq!(handed("java/util/Arrays", "toString", "([I)Ljava/lang/String;"), None);
        assert_eq!(handed("java/lang/System", "identityHashCode", "(Ljava/lang/Object;)I"), None);
        assert_eq!(handed("java/lang/reflect/Array", "getLength", "(Ljava/lang/Object;)I"), None);
        let copied = handed("java/util/Arrays", "copyOf", "([II)[I").unwrap();
        assert!(copied.given.is_empty() && copied.returned == Some('I'));
        assert_eq!(handed("[[I", "clone", "()Ljava/lang/Object;").unwrap().returned, Some('L'));
    }
}
