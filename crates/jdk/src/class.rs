//! Facts about classes: how collections store and find their contents, which types are functions, and which
//! objects are immutable.

use crate::pattern;

/// The facts about a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its binary name; for functions also a pattern, as in [`crate::Row`].
    pub name: &'static str,
    /// Its direct supertypes whose rows describe its methods too.
    pub above: &'static [&'static str],
    /// How it stores its contents; `None` if it is no such collection.
    pub keeps: Option<Keeps>,
    /// Its subclasses that change its contents in methods of their own; for a builder, its superclass.
    pub below: &'static [&'static str],
    /// Its nestmates that change its contents: a sublist, or an iterator.
    pub views: &'static [&'static str],
    /// The node classes whose field `value` its methods write.
    pub nodes: &'static [&'static str],
    /// How it finds an element or a key.
    pub finds: Option<Finds>,
    /// Whether it refuses `null`.
    pub refuses_null: bool,
    /// When functions of this type are called; `None` for other types.
    pub function: Option<Function>,
    /// Whether its objects are immutable.
    pub is_immutable: bool,
}

/// How a collection stores its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// In its own fields.
    Itself(Asked),
    /// In another collection.
    Around {
        /// The field with that collection.
        field: &'static str,
        /// The class of that collection, if it is fixed.
        inner: Option<&'static str>,
        /// Whether its elements are the keys of a map. To put an existing key again changes nothing.
        is_set: bool,
    },
}

/// The parts of a collection that can be queried, besides all contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// None.
    All,
    /// Elements by index.
    List,
    /// Values by key.
    Map,
    /// None. A stream keeps nothing of what is printed on it, so not even its size is known.
    Printed,
}

/// How a collection finds an element or a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finds {
    /// By `equals`, one after the other.
    ByEquals,
    /// By `hashCode` and `equals`.
    ByHash,
}

/// When a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Only during the call of the method that takes it.
    Called,
    /// Also later, because an object stores it.
    Kept,
}

const fn plain(name: &'static str) -> Class {
    Class {
        name,
        above: &[],
        keeps: None,
        below: &[],
        views: &[],
        nodes: &[],
        finds: None,
        refuses_null: false,
        function: None,
        is_immutable: false,
    }
}

const fn kept(name: &'static str, asked: Asked, above: &'static [&'static str]) -> Class {
    Class { keeps: Some(Keeps::Itself(asked)), above, ..plain(name) }
}

const fn list(name: &'static str, above: &'static [&'static str]) -> Class {
    Class { finds: Some(Finds::ByEquals), ..kept(name, Asked::List, above) }
}

const fn around(name: &'static str, field: &'static str, inner: Option<&'static str>) -> Class {
    Class { keeps: Some(Keeps::Around { field, inner, is_set: false }), ..plain(name) }
}

const fn set(name: &'static str, field: &'static str, inner: Option<&'static str>) -> Class {
    Class { keeps: Some(Keeps::Around { field, inner, is_set: true }), ..plain(name) }
}

const fn above_of(name: &'static str, above: &'static [&'static str]) -> Class {
    Class { above, ..plain(name) }
}

const fn function(name: &'static str, function: Function) -> Class {
    Class { function: Some(function), ..plain(name) }
}

const fn immutable(name: &'static str) -> Class {
    Class { is_immutable: true, ..plain(name) }
}

const HASH_NODES: &[&str] =
    &["java.util.HashMap$Node", "java.util.HashMap$TreeNode", "java.util.LinkedHashMap$Entry"];

const CLASSES: &[Class] = &[
    // Collections that keep their contents themselves.
    Class { views: &["java.util.ArrayList$SubList"], ..list("java.util.ArrayList", &["java.util.List"]) },
    Class {
        views: &["java.util.LinkedList$ListItr"],
        ..list("java.util.LinkedList", &["java.util.List", "java.util.Deque"])
    },
    list("java.util.Vector", &["java.util.List"]),
    list("java.util.concurrent.CopyOnWriteArrayList", &["java.util.List"]),
    Class { finds: Some(Finds::ByEquals), ..kept("java.util.ArrayDeque", Asked::All, &["java.util.Deque"]) },
    Class {
        finds: Some(Finds::ByEquals),
        ..kept("java.util.PriorityQueue", Asked::All, &["java.util.Queue"])
    },
    Class {
        below: &["java.util.LinkedHashMap"],
        nodes: HASH_NODES,
        finds: Some(Finds::ByHash),
        ..kept("java.util.HashMap", Asked::Map, &["java.util.Map"])
    },
    Class {
        nodes: &["java.util.TreeMap$Entry"],
        ..kept("java.util.TreeMap", Asked::Map, &["java.util.NavigableMap"])
    },
    Class {
        finds: Some(Finds::ByHash),
        refuses_null: true,
        ..kept("java.util.concurrent.ConcurrentHashMap", Asked::Map, &["java.util.Map"])
    },
    // Builders, which keep a text, and streams, of which it is asked what was printed on them.
    Class {
        below: &["java.lang.AbstractStringBuilder"],
        ..kept("java.lang.StringBuilder", Asked::All, &["java.lang.AbstractStringBuilder"])
    },
    Class {
        below: &["java.lang.AbstractStringBuilder"],
        ..kept("java.lang.StringBuffer", Asked::All, &["java.lang.AbstractStringBuilder"])
    },
    kept("java.io.CharArrayWriter", Asked::All, &[]),
    kept("java.io.ByteArrayOutputStream", Asked::All, &[]),
    kept("java.io.PrintStream", Asked::Printed, &[]),
    kept("java.io.PrintWriter", Asked::Printed, &[]),
    kept("java.io.BufferedWriter", Asked::Printed, &[]),
    kept("java.io.OutputStreamWriter", Asked::Printed, &[]),
    kept("java.io.BufferedOutputStream", Asked::Printed, &[]),
    kept("java.io.FileOutputStream", Asked::Printed, &[]),
    around("java.io.StringWriter", "buf", Some("java.lang.StringBuffer")),
    // Their subclasses, which find elements and keys in the same way.
    Class {
        nodes: HASH_NODES,
        finds: Some(Finds::ByHash),
        ..above_of("java.util.LinkedHashMap", &["java.util.HashMap"])
    },
    Class { finds: Some(Finds::ByEquals), ..above_of("java.util.Stack", &["java.util.Vector"]) },
    // A list that keeps its contents in an array of the program.
    Class { finds: Some(Finds::ByEquals), ..plain("java.util.Arrays$ArrayList") },
    // Collections around others.
    Class { finds: Some(Finds::ByHash), ..set("java.util.HashSet", "map", Some("java.util.HashMap")) },
    Class { finds: Some(Finds::ByHash), ..plain("java.util.LinkedHashSet") },
    set("java.util.TreeSet", "m", None),
    set("java.util.Collections$SetFromMap", "m", None),
    set(
        "java.util.concurrent.ConcurrentHashMap$KeySetView",
        "map",
        Some("java.util.concurrent.ConcurrentHashMap"),
    ),
    around(
        "java.util.concurrent.CopyOnWriteArraySet",
        "al",
        Some("java.util.concurrent.CopyOnWriteArrayList"),
    ),
    around("java.util.Collections$UnmodifiableCollection", "c", None),
    around("java.util.Collections$UnmodifiableMap", "m", None),
    around("java.util.Collections$SynchronizedCollection", "c", None),
    around("java.util.Collections$SynchronizedMap", "m", None),
    // The interfaces above them.
    above_of("java.util.List", &["java.util.Collection"]),
    above_of("java.util.Deque", &["java.util.Queue"]),
    above_of("java.util.Queue", &["java.util.Collection"]),
    above_of("java.util.Collection", &["java.lang.Iterable"]),
    above_of("java.lang.Iterable", &["java.lang.Object"]),
    above_of("java.util.NavigableMap", &["java.util.SortedMap"]),
    above_of("java.util.SortedMap", &["java.util.Map"]),
    above_of("java.util.Map", &["java.lang.Object"]),
    // Functions.
    function("java.util.function.*", Function::Called),
    function("java.lang.Runnable", Function::Called),
    function("java.util.concurrent.Callable", Function::Called),
    function("java.util.Comparator", Function::Kept),
    // Values.
    immutable("java.lang.String"),
    immutable("java.lang.Boolean"),
    immutable("java.lang.Byte"),
    immutable("java.lang.Character"),
    immutable("java.lang.Short"),
    immutable("java.lang.Integer"),
    immutable("java.lang.Long"),
    immutable("java.lang.Float"),
    immutable("java.lang.Double"),
    immutable("java.lang.Enum"),
    immutable("java.lang.Record"),
    immutable("java.lang.Class"),
];

/// All classes with known facts.
pub fn classes() -> impl Iterator<Item = &'static Class> {
    CLASSES.iter()
}

/// The facts about a class. Its name has dots or slashes.
pub fn class(name: &str) -> Option<&'static Class> {
    CLASSES.iter().find(|class| pattern::matches_class(class.name, name))
}

/// Whether the objects of a class are immutable.
pub fn is_immutable(name: &str) -> bool {
    class(name).is_some_and(|class| class.is_immutable)
}

/// Whether a method with this descriptor takes functions, which include comparators.
pub fn takes_functions(descriptor: &str) -> bool {
    takes(descriptor, |function| matches!(function, Function::Called | Function::Kept))
}

/// Whether a method with this descriptor takes comparators.
pub fn takes_comparators(descriptor: &str) -> bool {
    takes(descriptor, |function| function == Function::Kept)
}

fn takes(descriptor: &str, wanted: impl Fn(Function) -> bool) -> bool {
    let given = descriptor.split(')').next().unwrap_or_default();
    let mut classes = given.split(';').filter_map(|one| one.split_once('L').map(|(_, class)| class));
    classes.any(|name| class(name).and_then(|class| class.function).is_some_and(&wanted))
}

/// A class and its known supertypes.
pub(crate) fn above(name: &str) -> impl Iterator<Item = &str> {
    let mut found = vec![name];
    let mut next = 0;
    std::iter::from_fn(move || {
        let name = *found.get(next)?;
        next += 1;
        for above in class(name).map_or(&[][..], |class| class.above) {
            if !found.contains(above) {
                found.push(above);
            }
        }
        Some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_told_by_either_name() {
        assert_eq!(class("java/util/Stack").unwrap().finds, Some(Finds::ByEquals));
        assert_eq!(class("java.util.function.IntPredicate").unwrap().function, Some(Function::Called));
        assert!(class("java.util.Random").is_none());
    }

    #[test]
    fn a_class_stands_below_all_its_interfaces() {
        let names: Vec<&str> = above("java.util.LinkedList").collect();
        let wanted = [
            "java.util.LinkedList",
            "java.util.List",
            "java.util.Deque",
            "java.util.Collection",
            "java.util.Queue",
            "java.lang.Iterable",
            "java.lang.Object",
        ];
        assert_eq!(names, wanted);
    }

    #[test]
    fn functions_are_known_by_descriptors() {
        assert!(takes_functions("(Ljava/lang/Object;Ljava/util/function/Function;)Ljava/lang/Object;"));
        assert!(takes_functions("(I[Ljava/lang/Runnable;)V") && takes_functions("(Ljava/util/Comparator;)V"));
        assert!(takes_comparators("(Ljava/util/Comparator;)V"));
        assert!(!takes_functions("(Ljava/lang/String;)Ljava/util/function/Function;"));
        assert!(!takes_comparators("(Ljava/lang/Runnable;)V"));
    }
}
