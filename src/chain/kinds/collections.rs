//! The table of the JDK's collections whose contents can be asked about: which of their methods can change
//! them.
//!
//! A method that is not known to read only is looked at, so what a newer JDK adds is seen too. The recorder
//! (`java/recorder`) has the fields by which each class keeps what it holds.

use crate::chain::translate::classes::{Classes, method_name};
use crate::expr::ClassLookup;
use crate::query::{ContentsCall, Counts, PutPosition};
use bytecode::class::{ACC_BRIDGE, ACC_STATIC};
use bytecode::{ClassFile, Method};

/// A class of the JDK that keeps its contents itself.
pub(super) struct Row {
    /// Its binary name.
    pub(super) class: &'static str,
    /// What of it can be asked.
    pub(super) asked: Asked,
    /// Classes below it in the JDK, with methods of their own.
    below: &'static [&'static str],
    /// Private methods that other classes of its nest call.
    private: &'static [&'static str],
    /// A class of its nest, and its method that writes by itself.
    view: Option<(&'static str, &'static str)>,
    /// Only these methods change it, where they are named.
    only: &'static [&'static str],
}

/// What of a collection can be asked, besides all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Nothing.
    All,
    /// Elements.
    List,
    /// Keys.
    Map,
}

/// `ACC_PRIVATE` (JVMS table 4.6-A).
const ACC_PRIVATE: u16 = 0x0002;

const fn row(class: &'static str, asked: Asked) -> Row {
    Row { class, asked, below: &[], private: &["readObject"], view: None, only: &[] }
}

/// The classes.
const ROWS: [Row; 9] = [
    Row {
        private: &["readObject", "replaceAllRange"],
        view: Some(("java.util.ArrayList$SubList", "set")),
        ..row("java.util.ArrayList", Asked::List)
    },
    Row { view: Some(("java.util.LinkedList$ListItr", "set")), ..row("java.util.LinkedList", Asked::List) },
    row("java.util.Vector", Asked::List),
    Row { only: &["setArray", "set"], ..row("java.util.concurrent.CopyOnWriteArrayList", Asked::List) },
    row("java.util.ArrayDeque", Asked::All),
    row("java.util.PriorityQueue", Asked::All),
    Row { below: &["java.util.LinkedHashMap"], ..row("java.util.HashMap", Asked::Map) },
    Row { private: &["readObject", "deleteEntry"], ..row("java.util.TreeMap", Asked::Map) },
    row("java.util.concurrent.ConcurrentHashMap", Asked::Map),
];

/// Classes that keep their contents in another collection, with the field that leads to it, and its class
/// where that is always the same.
const AROUND: [(&str, &str, Option<&str>); 9] = [
    ("java.util.HashSet", "map", Some("java.util.HashMap")),
    ("java.util.TreeSet", "m", None),
    ("java.util.Collections$SetFromMap", "m", None),
    (
        "java.util.concurrent.ConcurrentHashMap$KeySetView",
        "map",
        Some("java.util.concurrent.ConcurrentHashMap"),
    ),
    ("java.util.concurrent.CopyOnWriteArraySet", "al", Some("java.util.concurrent.CopyOnWriteArrayList")),
    ("java.util.Collections$UnmodifiableCollection", "c", None),
    ("java.util.Collections$UnmodifiableMap", "m", None),
    ("java.util.Collections$SynchronizedCollection", "c", None),
    ("java.util.Collections$SynchronizedMap", "m", None),
];

/// Those of them that hold the keys of a map.
const SETS: [&str; 4] = [
    "java.util.HashSet",
    "java.util.TreeSet",
    "java.util.Collections$SetFromMap",
    "java.util.concurrent.ConcurrentHashMap$KeySetView",
];

/// Methods that only read, or change nothing that can be asked about. That one is not here costs time only.
const READING: [&str; 62] = [
    "size",
    "isEmpty",
    "get",
    "getFirst",
    "getLast",
    "contains",
    "containsAll",
    "containsKey",
    "containsValue",
    "indexOf",
    "indexOfRange",
    "lastIndexOf",
    "lastIndexOfRange",
    "iterator",
    "listIterator",
    "descendingIterator",
    "spliterator",
    "forEach",
    "toArray",
    "toString",
    "hashCode",
    "hashCodeRange",
    "equals",
    "equalsRange",
    "clone",
    "keySet",
    "values",
    "entrySet",
    "keys",
    "elements",
    "elementData",
    "elementAt",
    "firstElement",
    "lastElement",
    "peek",
    "peekFirst",
    "peekLast",
    "element",
    "capacity",
    "loadFactor",
    "comparator",
    "getNode",
    "getEntry",
    "getOrDefault",
    "mappingCount",
    "sumCount",
    "subList",
    "reversed",
    "resize",
    "treeifyBin",
    "newNode",
    "newTreeNode",
    "replacementNode",
    "replacementTreeNode",
    "internalWriteEntries",
    "keysToArray",
    "valuesToArray",
    "prepareArray",
    "ensureCapacity",
    "trimToSize",
    "checkInvariants",
    "batchFor",
];

/// What the names of such methods begin with.
const READING_FAMILIES: [&str; 14] = [
    "get",
    "first",
    "last",
    "floor",
    "ceiling",
    "higher",
    "lower",
    "head",
    "tail",
    "sub",
    "descending",
    "navigable",
    "reduce",
    "search",
];

/// Methods that may change what is there and leave as much.
const MAY: [&str; 9] = [
    "putAll",
    "putMapEntries",
    "replaceAll",
    "replaceAllRange",
    "sort",
    "compute",
    "computeIfPresent",
    "merge",
    "replace",
];

/// Methods that call code that they are given.
const CALLING: [&str; 8] = [
    "computeIfAbsent",
    "computeIfPresent",
    "compute",
    "merge",
    "replaceAll",
    "replaceAllRange",
    "removeIf",
    "sort",
];

/// What a class's contents are kept by.
pub(super) enum Keeper {
    /// By itself.
    Row(&'static Row),
    /// By what this field leads to, which is of this class if that is known.
    Around {
        /// The field.
        field: &'static str,
        /// The class.
        inner: Option<&'static str>,
        /// Whether it holds the keys of a map: to put one there again changes nothing of it.
        is_set: bool,
    },
}

/// How a class, or one above it, keeps its contents.
pub(super) fn keeper(classes: &Classes<'_>, class: &str) -> Option<Keeper> {
    let mut next = classes.class(class);
    // A class file can say that it is above itself.
    for _ in 0..1000 {
        let file = next?;
        if let Some(row) = ROWS.iter().find(|row| row.class == file.name) {
            return Some(Keeper::Row(row));
        }
        if let Some((name, field, of)) = AROUND.iter().find(|(name, ..)| *name == file.name) {
            return Some(Keeper::Around { field, inner: *of, is_set: SETS.contains(name) });
        }
        next = file.super_name.as_ref().and_then(|name| classes.class(name));
    }
    None
}

/// Every class in the table, for people.
pub(super) fn names() -> String {
    let names = ROWS.iter().map(|row| row.class.rsplit('.').next().unwrap_or(row.class));
    names.collect::<Vec<_>>().join(", ")
}

impl Row {
    /// The methods that can change it.
    pub(super) fn calls(&self, classes: &Classes<'_>) -> Vec<ContentsCall> {
        let mut calls = Vec::new();
        for name in [self.class].iter().chain(self.below) {
            let Some(file) = classes.class(name) else { continue };
            calls.extend(file.methods.iter().filter(|m| self.changes(m)).map(|m| call(&file, m, false)));
        }
        if let Some((name, view)) = self.view
            && let Some(file) = classes.class(name)
        {
            let is_it = |m: &&Method| m.name == view && m.access & ACC_BRIDGE == 0;
            calls.extend(file.methods.iter().filter(is_it).map(|m| call(&file, m, true)));
        }
        calls
    }

    fn changes(&self, method: &Method) -> bool {
        let name = method.name.as_str();
        if method.code.is_none() || method.access & (ACC_STATIC | ACC_BRIDGE) != 0 || name == "<clinit>" {
            return false;
        }
        if !self.only.is_empty() {
            return self.only.contains(&name);
        }
        if method.access & ACC_PRIVATE != 0 {
            return self.private.contains(&name);
        }
        let is_one = |family: &&str| {
            name.strip_prefix(*family).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        !READING.contains(&name) && !READING_FAMILIES.iter().any(is_one)
    }
}

fn call(class: &ClassFile, method: &Method, is_view: bool) -> ContentsCall {
    let name = method.name.as_str();
    let counts = match (name, method.descriptor.as_str()) {
        ("put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;") => {
            Counts::Put(2, PutPosition::Key(1))
        }
        ("set", "(ILjava/lang/Object;)Ljava/lang/Object;") => Counts::Put(2, PutPosition::At(1)),
        ("setElementAt", "(Ljava/lang/Object;I)V") => Counts::Put(1, PutPosition::At(2)),
        ("set", "(Ljava/lang/Object;)V") if is_view => Counts::Put(1, PutPosition::Here),
        _ if MAY.contains(&name) => Counts::May,
        _ => Counts::No,
    };
    let calls = CALLING.contains(&name);
    ContentsCall { method: method_name(class, method), is_view, calls, counts }
}
