//! The fields in which the JDK's collections store their contents.

use jdk::layouts::*;
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
    List { array: ContentField, size: ContentField },
    /// An array whose elements are all valid.
    Whole(ContentField),
    /// A part of another list's array.
    SubList,
    /// A circular array.
    Ring,
    /// These fields; a field that holds a plain `Object` is empty.
    Few(&'static [ContentField]),
    /// These fields: a key and a value.
    Pair([ContentField; 2]),
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
    Keys(ContentField),
    /// The contents of the collection in this field.
    Same(ContentField),
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
    One(ContentField),
    /// The fields of an object of the program.
    Fields,
}

/// How nodes are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// The field of the first node.
    pub first: ContentField,
    /// The node's field with the next node.
    pub next: ContentField,
    /// The node's field with the key or element.
    pub key: ContentField,
    /// The node's field with the value; only in maps.
    pub value: Option<ContentField>,
    /// The field with the number of nodes.
    pub size: ContentField,
}

/// The nodes of a `HashMap`.
pub const HASH_NODE: &str = NODE_KEY.class;
/// The nodes of a `ConcurrentHashMap`.
pub const CONCURRENT_NODE: &str = BIN_KEY.class;
/// The nodes of a `TreeMap`.
pub const TREE_NODE: &str = TREE_KEY.class;

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
        "ArrayList" => Recipe::List { array: LIST_ELEMENTS, size: LIST_SIZE },
        "Vector" => Recipe::List { array: VECTOR_ELEMENTS, size: VECTOR_SIZE },
        "PriorityQueue" => Recipe::List { array: QUEUE_ELEMENTS, size: QUEUE_SIZE },
        "Arrays$ArrayList" => Recipe::Whole(ARRAYS_LIST),
        "ImmutableCollections$ListN" => Recipe::Whole(FIXED_LIST),
        "concurrent.CopyOnWriteArrayList" => Recipe::Whole(COPIED_ARRAY),
        "ArrayList$SubList" => Recipe::SubList,
        "ArrayDeque" => Recipe::Ring,
        "ImmutableCollections$List12" => Recipe::Few(&[PAIR_LIST_FIRST, PAIR_LIST_SECOND]),
        "ImmutableCollections$Set12" => Recipe::Few(&[PAIR_SET_FIRST, PAIR_SET_SECOND]),
        "Collections$SingletonList" => Recipe::Few(&[ONLY_OF_LIST]),
        "Collections$SingletonSet" => Recipe::Few(&[ONLY_OF_SET]),
        "ImmutableCollections$Map1" => Recipe::Pair([PAIR_MAP_KEY, PAIR_MAP_VALUE]),
        "Collections$SingletonMap" => Recipe::Pair([ONLY_KEY, ONLY_VALUE]),
        "HashMap$Node" => Recipe::Pair([NODE_KEY, NODE_VALUE]),
        "TreeMap$Entry" => Recipe::Pair([TREE_KEY, TREE_VALUE]),
        "KeyValueHolder" => Recipe::Pair([ENTRY_KEY, ENTRY_VALUE]),
        "AbstractMap$SimpleEntry" => Recipe::Pair([SIMPLE_KEY, SIMPLE_VALUE]),
        "AbstractMap$SimpleImmutableEntry" => Recipe::Pair([IMMUTABLE_KEY, IMMUTABLE_VALUE]),
        "ImmutableCollections$SetN" => Recipe::Slots,
        "ImmutableCollections$MapN" => Recipe::PairSlots,
        "LinkedHashMap" => Recipe::Linked(Links {
            first: ORDERED_FIRST,
            next: ORDERED_NEXT,
            key: NODE_KEY,
            value: Some(NODE_VALUE),
            size: HASHED_SIZE,
        }),
        "LinkedList" => Recipe::Linked(Links {
            first: LINKED_FIRST,
            next: LINK_NEXT,
            key: LINK_ITEM,
            value: None,
            size: LINKED_SIZE,
        }),
        "HashMap" | "concurrent.ConcurrentHashMap" => Recipe::Hash,
        "TreeMap" => Recipe::Tree,
        "HashSet" => Recipe::Keys(HASH_SET),
        "TreeSet" => Recipe::Keys(TREE_SET),
        "Collections$SetFromMap" => Recipe::Keys(SET_FROM_MAP),
        "concurrent.ConcurrentHashMap$KeySetView" => Recipe::Keys(CONCURRENT_VIEW),
        "Collections$UnmodifiableCollection" => Recipe::Same(UNMODIFIABLE),
        "Collections$SynchronizedCollection" => Recipe::Same(SYNCHRONIZED),
        "Collections$UnmodifiableMap" => Recipe::Same(UNMODIFIABLE_MAP),
        "Collections$SynchronizedMap" => Recipe::Same(SYNCHRONIZED_MAP),
        "EnumMap" => Recipe::EnumMap,
        "RegularEnumSet" => Recipe::EnumSet,
        "Collections$EmptyList" | "Collections$EmptySet" => Recipe::EmptyList,
        "Collections$EmptyMap" => Recipe::EmptyMap,
        "Date" => Recipe::Date,
        "concurrent.atomic.AtomicInteger" => Recipe::One(ATOMIC_INT),
        "concurrent.atomic.AtomicLong" => Recipe::One(ATOMIC_LONG),
        "concurrent.atomic.AtomicReference" => Recipe::One(ATOMIC_REFERENCE),
        _ => return None,
    })
}

/// The JDK classes whose fields a recipe reads in addition to those of the object.
pub fn helpers(recipe: Recipe) -> &'static [&'static str] {
    match recipe {
        Recipe::Hash | Recipe::Keys(_) | Recipe::Same(_) => {
            &[HASH_NODE, CONCURRENT_NODE, TREE_NODE, ORDERED_NEXT.class, LINK_NEXT.class]
        }
        Recipe::SubList => &[LIST_SIZE.class],
        Recipe::Tree => &[TREE_NODE],
        Recipe::Linked(links) if links.value.is_some() => &[ORDERED_NEXT.class],
        Recipe::Linked(_) => &[LINK_NEXT.class],
        _ => &[],
    }
}
