//! The fields in which the JDK's collections store their contents.

use model::is_lambda_class;
use std::sync::Arc;

/// Prefixes of the JDK's packages.
const JDK: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];

/// How to read an object's contents from its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// It is an array.
    Array,
    /// An array and its number of valid elements.
    List { array: &'static str, size: &'static str },
    /// An array whose elements are all valid.
    Whole(&'static str),
    /// A part of another list's array.
    SubList,
    /// A circular array.
    Ring,
    /// These fields; a field that holds a plain `Object` is empty.
    Few(&'static [&'static str]),
    /// These fields: a key and a value.
    Pair([&'static str; 2]),
    /// An array with empty slots.
    Slots,
    /// An array of alternating keys and values with empty slots.
    PairSlots,
    /// A hash table of linked nodes.
    Hash,
    /// Linked nodes in their order.
    Linked(Links),
    /// A red-black tree.
    Tree,
    /// The keys of the map in this field.
    Keys(&'static str),
    /// The contents of the collection in this field.
    Same(&'static str),
    /// An array of constants and an array of values.
    EnumMap,
    /// An array of constants and a bit set.
    EnumSet,
    /// An empty collection.
    EmptyList,
    /// An empty map.
    EmptyMap,
    /// Characters.
    Builder,
    /// Milliseconds since 1970.
    Date,
    /// A single value.
    One(&'static str),
    /// The fields of an object of the program.
    Fields,
}

/// How nodes are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// The field of the first node.
    pub first: &'static str,
    /// The node's class.
    pub node: &'static str,
    /// The node's field with the next node.
    pub next: &'static str,
    /// The node's field with the key or element.
    pub key: &'static str,
    /// The node's field with the value; only in maps.
    pub value: Option<&'static str>,
    /// The field with the number of nodes.
    pub size: &'static str,
}

/// The nodes of a `HashMap`.
pub const HASH_NODE: &str = "java.util.HashMap$Node";
/// The nodes of a `ConcurrentHashMap`.
pub const CONCURRENT_NODE: &str = "java.util.concurrent.ConcurrentHashMap$Node";
/// The nodes of a `TreeMap`.
pub const TREE_NODE: &str = "java.util.TreeMap$Entry";

impl Recipe {
    /// The recipe for an object, by the names of its class and superclasses. None for other JDK classes:
    /// their fields would not help a person.
    pub fn of(names: &[Arc<str>]) -> Option<Recipe> {
        let class = names.first()?;
        if class.ends_with("[]") {
            return Some(Recipe::Array);
        }
        if let Some(known) = names.iter().find_map(|name| known(name)) {
            return Some(known);
        }
        let is_jdk = JDK.iter().any(|package| class.starts_with(package));
        (!is_jdk && !is_lambda_class(class)).then_some(Recipe::Fields)
    }
}

fn known(name: &str) -> Option<Recipe> {
    if matches!(name, "java.lang.StringBuilder" | "java.lang.StringBuffer") {
        return Some(Recipe::Builder);
    }
    let rest = name.strip_prefix("java.util.")?;
    Some(match rest {
        "ArrayList" => Recipe::List { array: "elementData", size: "size" },
        "Vector" => Recipe::List { array: "elementData", size: "elementCount" },
        "PriorityQueue" => Recipe::List { array: "queue", size: "size" },
        "Arrays$ArrayList" => Recipe::Whole("a"),
        "ImmutableCollections$ListN" => Recipe::Whole("elements"),
        "concurrent.CopyOnWriteArrayList" => Recipe::Whole("array"),
        "ArrayList$SubList" => Recipe::SubList,
        "ArrayDeque" => Recipe::Ring,
        "ImmutableCollections$List12" | "ImmutableCollections$Set12" => Recipe::Few(&["e0", "e1"]),
        "Collections$SingletonList" | "Collections$SingletonSet" => Recipe::Few(&["element"]),
        "ImmutableCollections$Map1" => Recipe::Pair(["k0", "v0"]),
        "Collections$SingletonMap" => Recipe::Pair(["k", "v"]),
        "HashMap$Node"
        | "TreeMap$Entry"
        | "KeyValueHolder"
        | "AbstractMap$SimpleEntry"
        | "AbstractMap$SimpleImmutableEntry" => Recipe::Pair(["key", "value"]),
        "ImmutableCollections$SetN" => Recipe::Slots,
        "ImmutableCollections$MapN" => Recipe::PairSlots,
        "LinkedHashMap" => Recipe::Linked(Links {
            first: "head",
            node: "java.util.LinkedHashMap$Entry",
            next: "after",
            key: "key",
            value: Some("value"),
            size: "size",
        }),
        "LinkedList" => Recipe::Linked(Links {
            first: "first",
            node: "java.util.LinkedList$Node",
            next: "next",
            key: "item",
            value: None,
            size: "size",
        }),
        "HashMap" | "concurrent.ConcurrentHashMap" => Recipe::Hash,
        "TreeMap" => Recipe::Tree,
        "HashSet" => Recipe::Keys("map"),
        "TreeSet" | "Collections$SetFromMap" => Recipe::Keys("m"),
        "concurrent.ConcurrentHashMap$KeySetView" => Recipe::Keys("map"),
        "Collections$UnmodifiableCollection" | "Collections$SynchronizedCollection" => Recipe::Same("c"),
        "Collections$UnmodifiableMap" | "Collections$SynchronizedMap" => Recipe::Same("m"),
        "EnumMap" => Recipe::EnumMap,
        "RegularEnumSet" => Recipe::EnumSet,
        "Collections$EmptyList" | "Collections$EmptySet" => Recipe::EmptyList,
        "Collections$EmptyMap" => Recipe::EmptyMap,
        "Date" => Recipe::Date,
        "concurrent.atomic.AtomicInteger"
        | "concurrent.atomic.AtomicLong"
        | "concurrent.atomic.AtomicReference" => Recipe::One("value"),
        _ => return None,
    })
}

/// The JDK classes whose fields a recipe reads in addition to those of the object.
pub fn helpers(recipe: Recipe) -> &'static [&'static str] {
    match recipe {
        Recipe::Hash | Recipe::Keys(_) | Recipe::Same(_) => &[
            HASH_NODE,
            CONCURRENT_NODE,
            TREE_NODE,
            "java.util.LinkedHashMap$Entry",
            "java.util.LinkedList$Node",
        ],
        Recipe::SubList => &["java.util.ArrayList"],
        Recipe::Tree => &[TREE_NODE],
        Recipe::Linked(links) if links.value.is_some() => &["java.util.LinkedHashMap$Entry"],
        Recipe::Linked(_) => &["java.util.LinkedList$Node"],
        _ => &[],
    }
}
