//! What a call of code that is not recorded may write: the arrays that it is given, one that it returns, and
//! the field of a handle. What they hold behind the call is told.

use bytecode::descriptor;

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
    let arguments = descriptor::parse_method(descriptor)?.parameters;
    let has_object = arguments.first().is_some_and(|of| of.starts_with('L'));
    let writes = match class {
        "java/lang/reflect/Field" => name.starts_with("set") && name != "setAccessible",
        "java/lang/invoke/VarHandle" => {
            let writes = ["set", "compareAnd", "weakCompare", "getAnd"].iter().any(|of| name.starts_with(of));
            writes && !arguments.first().is_some_and(|of| of.starts_with('['))
        }
        _ => class.ends_with("FieldUpdater") && !matches!(name, "get" | "newUpdater"),
    };
    writes.then_some(has_object)
}

/// Whether a class of the program is likely to have a method from the JDK: its own are recorded, and not told
/// once more.
pub fn is_inherited(name: &str, descriptor: &str) -> bool {
    name == "toArray"
        || name.starts_with("read") && (descriptor.starts_with("([B") || descriptor.starts_with("([C"))
}

/// What a call hands over, of a method that is not recorded; none where that is no array. The class has
/// slashes.
pub fn handed(class: &str, name: &str, descriptor: &str) -> Option<Handed> {
    let parts = descriptor::parse_method(descriptor)?;
    let arguments = parts.parameters;
    let is_clone = class.starts_with('[') && name == "clone";
    let returned = if is_clone { element(class) } else { element(&parts.result) };
    let mut given = Vec::new();
    // That one keeps it, and writes nothing yet.
    let only_keeps = class == "java/util/Arrays" && name == "asList";
    if !only_keeps && !wire::only_reads(&class.replace('/', "."), name) {
        let takes_any = match class {
            "java/lang/reflect/Array" => name.starts_with("set"),
            "sun/misc/Unsafe" => !name.starts_with("get") || name.starts_with("getAnd"),
            _ => class.starts_with("java/util/function/"),
        };
        for (argument, of) in arguments.iter().enumerate() {
            let is_any = takes_any && of == "Ljava/lang/Object;";
            if is_any || of.starts_with('[') {
                let part = part(class, name, argument, &arguments);
                given.push(Given { argument, of: element(of), part });
            }
        }
    }
    if class == "java/lang/System" && name == "arraycopy" {
        given = vec![Given { argument: 2, of: None, part: Part::Many(3, 4) }];
    }
    (!given.is_empty() || returned.is_some()).then_some(Handed { arguments, given, returned })
}

/// What of an array may be written.
fn part(class: &str, name: &str, argument: usize, arguments: &[String]) -> Part {
    let is_int = |at: usize| arguments.get(at).is_some_and(|of| of == "I");
    let is_of = |array: &str| arguments.get(argument).is_some_and(|of| of == array);
    let (first, second) = (argument + 1, argument + 2);
    match class {
        // It may write a number of several bytes.
        "java/lang/invoke/VarHandle" if is_int(first) && is_of("[B") => Part::Few(first, 8),
        "java/lang/reflect/Array" | "java/lang/invoke/VarHandle" if is_int(first) => Part::Few(first, 1),
        _ if !is_int(first) || !is_int(second) => Part::Whole,
        "java/util/Arrays" if name == "fill" || name.contains("ort") => Part::UpTo(first, second),
        _ if class.starts_with("java/io/") && name.starts_with("read") => Part::Many(first, second),
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
