//! The possible writes of a call to an unrecorded method: to the arrays that it takes, to an array that it
//! returns, and to the field of a handle. The recorder records the contents of these after the call.

use jdk::{Arrays, Elements, Fields, Objects, Returns};
use rewrite::Step;

/// The element kinds of arrays, one for each array store instruction. An array of unknown kind gets one site
/// per kind, in this order.
pub const ARRAYS: [char; 8] = ['I', 'J', 'F', 'D', 'L', 'B', 'C', 'S'];

/// The arrays that a call takes and returns.
#[derive(Debug, PartialEq, Eq)]
pub struct Handed {
    /// The descriptors of its arguments, without the receiver.
    pub arguments: Vec<String>,
    /// The array arguments that the call may write.
    pub given: Vec<Given>,
    /// The element kind of the returned array; `None` if the call returns no array.
    pub returned: Option<char>,
}

/// An array argument that a call may write.
#[derive(Debug, PartialEq, Eq)]
pub struct Given {
    /// Its position among the arguments.
    pub argument: usize,
    /// Its element kind; `None` for an `Object`, which may be any array.
    pub of: Option<char>,
    /// The part of it that the call may write.
    pub part: Part,
}

/// A part of an array. Positions are those of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All elements.
    Whole,
    /// The argument with the first index, and a fixed number of elements.
    Few(usize, i32),
    /// The arguments with the first index and the number of elements.
    Many(usize, usize),
    /// The arguments with the first index and the index after the last element.
    UpTo(usize, usize),
}

/// The mark of a part that is given by its first index and the one after its last, as in
/// `QuerypointArrayPart`.
const UP_TO: i32 = 4;

/// A part of an array as the recorder's `given` takes it.
pub struct GivenPart {
    /// Its first index.
    pub from: Step,
    /// The number of elements, or the index after the last one.
    pub many: Step,
    /// The mark that tells which of the two it is.
    pub how: i32,
}

impl Part {
    /// The part as arguments of `given`. `load` loads an argument of the call.
    pub fn given(self, load: impl Fn(usize) -> Step) -> GivenPart {
        let (from, many, how) = match self {
            Part::Whole => (Step::Int(0), Step::Int(i32::MAX), 0),
            Part::Few(at, many) => (load(at), Step::Int(many), 0),
            Part::Many(from, many) => (load(from), load(many), 0),
            Part::UpTo(from, to) => (load(from), load(to), UP_TO),
        };
        GivenPart { from, many, how }
    }
}

/// The kind of field that a call through a handle may write: `Some(true)` for an instance field of the first
/// argument, `Some(false)` for a static field, `None` if it writes no field. The receiver is the handle.
pub fn written_by(class: &str, name: &str, descriptor: &str) -> Option<bool> {
    if jdk::facts(class, name, descriptor).fields != Some(Fields::OfReceiver) {
        return None;
    }
    let arguments = descriptor::parse_method(descriptor)?.parameters;
    Some(arguments.first().is_some_and(|of| of.starts_with('L')))
}

/// The objects whose fields a call may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldOwners {
    /// The first argument; with `false`, the call writes a static field.
    OfHandle(bool),
    /// Any of its arguments, or a static field.
    Arguments,
}

/// The objects whose fields a call of the JDK may write; `None` if it writes no field.
pub fn field_owners(class: &str, name: &str, descriptor: &str) -> Option<FieldOwners> {
    match jdk::facts(class, name, descriptor).fields {
        Some(Fields::OfReceiver) => written_by(class, name, descriptor).map(FieldOwners::OfHandle),
        Some(Fields::Any) => Some(FieldOwners::Arguments),
        Some(Fields::None) | None => None,
    }
}

/// Whether a program class may inherit or override this method of the JDK. Calls of other methods of recorded
/// classes need no code here, because those methods are recorded.
pub fn is_inherited(name: &str, descriptor: &str) -> bool {
    jdk::inherited(name, descriptor).is_some()
}

/// The arrays that a call of an unrecorded method takes and returns; `None` if there are none. The class name
/// has slashes.
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

/// The part of an array argument that a call may write.
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

/// The element kind of an array type; `None` for other types.
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
        // A static field with an array as its value.
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
