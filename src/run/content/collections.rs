//! By which fields the JDK's collections keep what they hold.

use crate::model::is_lambda_class;
use std::sync::Arc;

/// What the packages of the JDK begin with.
const JDK: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];

/// How what an object holds is found from its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// It is an array.
    Array,
    /// An array, and how many of its elements count.
    List { array: &'static str, size: &'static str },
    /// An array, all of which counts.
    Whole(&'static str),
    /// A part of another list's array.
    SubList,
    /// An array that is begun anew at its end.
    Ring,
    /// These fields; one that holds a plain `Object` is empty.
    Few(&'static [&'static str]),
    /// These fields: key and value.
    Pair([&'static str; 2]),
    /// An array with gaps.
    Slots,
    /// An array of keys and values with gaps.
    PairSlots,
    /// A table of chains of nodes.
    Hash,
    /// Nodes linked in their order, of these classes and fields.
    Linked(Links),
    /// A red-black tree.
    Tree,
    /// The keys of the map in this field.
    Keys(&'static str),
    /// What the collection in this field holds.
    Same(&'static str),
    /// An array of constants with an array of values.
    EnumMap,
    /// An array of constants with bits.
    EnumSet,
    /// Nothing.
    EmptyList,
    /// No pair.
    EmptyMap,
    /// Characters.
    Builder,
    /// Milliseconds since 1970.
    Date,
    /// One value.
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
    /// The node's fields: the next node, the key or element, and the value of a map.
    pub next: &'static str,
    /// The key or element.
    pub key: &'static str,
    /// The value, of a map.
    pub value: Option<&'static str>,
    /// How many there are.
    pub size: &'static str,
}

/// The nodes of a `HashMap`.
pub const HASH_NODE: &str = "java.util.HashMap$Node";
/// The nodes of a `ConcurrentHashMap`.
pub const CONCURRENT_NODE: &str = "java.util.concurrent.ConcurrentHashMap$Node";
/// The nodes of a `TreeMap`.
pub const TREE_NODE: &str = "java.util.TreeMap$Entry";

impl Recipe {
    /// How what an object holds is found, by the name of its class and those of its superclasses. None of
    /// what the JDK keeps otherwise: its fields would tell a person nothing.
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

/// The classes of the JDK whose own fields a recipe reads beside those of the object.
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
