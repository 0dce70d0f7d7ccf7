//! The fields in which the JDK's collections, builders and streams keep what they hold. Contents are read
//! from these fields, since the methods of the JDK would call code of the program.
//!
//! `java/layouts.awk` makes the table of the recorder in the VM from the rows below: name, class, field.

/// A field of a class of the JDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentField {
    /// The binary name of the class that declares it.
    pub class: &'static str,
    /// Its name.
    pub field: &'static str,
}

macro_rules! fields {
    ($($name:ident $class:literal $field:literal;)*) => {
        $(
            #[allow(missing_docs, reason = "the row says what it is")]
            pub const $name: ContentField = ContentField { class: $class, field: $field };
        )*

        /// All of them.
        pub const ALL: &[ContentField] = &[$($name),*];
    };
}

fields! {
    LIST_ELEMENTS "java.util.ArrayList" "elementData";
    LIST_SIZE "java.util.ArrayList" "size";
    PART_ROOT "java.util.ArrayList$SubList" "root";
    PART_OFFSET "java.util.ArrayList$SubList" "offset";
    VECTOR_ELEMENTS "java.util.Vector" "elementData";
    VECTOR_SIZE "java.util.Vector" "elementCount";
    QUEUE_ELEMENTS "java.util.PriorityQueue" "queue";
    QUEUE_SIZE "java.util.PriorityQueue" "size";
    RING_ELEMENTS "java.util.ArrayDeque" "elements";
    RING_HEAD "java.util.ArrayDeque" "head";
    RING_TAIL "java.util.ArrayDeque" "tail";
    LINKED_FIRST "java.util.LinkedList" "first";
    LINKED_LAST "java.util.LinkedList" "last";
    LINKED_SIZE "java.util.LinkedList" "size";
    LINK_ITEM "java.util.LinkedList$Node" "item";
    LINK_NEXT "java.util.LinkedList$Node" "next";
    ITERATOR_LIST "java.util.LinkedList$ListItr" "this$0";
    ITERATOR_NEXT "java.util.LinkedList$ListItr" "next";
    ITERATOR_LAST "java.util.LinkedList$ListItr" "lastReturned";
    ITERATOR_INDEX "java.util.LinkedList$ListItr" "nextIndex";
    COPIED_ARRAY "java.util.concurrent.CopyOnWriteArrayList" "array";
    HASHED_TABLE "java.util.HashMap" "table";
    HASHED_SIZE "java.util.HashMap" "size";
    NODE_KEY "java.util.HashMap$Node" "key";
    NODE_VALUE "java.util.HashMap$Node" "value";
    NODE_NEXT "java.util.HashMap$Node" "next";
    ORDERED_FIRST "java.util.LinkedHashMap" "head";
    ORDERED_NEXT "java.util.LinkedHashMap$Entry" "after";
    BY_USE "java.util.LinkedHashMap" "accessOrder";
    TREE_ROOT "java.util.TreeMap" "root";
    TREE_SIZE "java.util.TreeMap" "size";
    TREE_KEY "java.util.TreeMap$Entry" "key";
    TREE_VALUE "java.util.TreeMap$Entry" "value";
    TREE_LEFT "java.util.TreeMap$Entry" "left";
    TREE_RIGHT "java.util.TreeMap$Entry" "right";
    TREE_PARENT "java.util.TreeMap$Entry" "parent";
    BINS "java.util.concurrent.ConcurrentHashMap" "table";
    BIN_KEY "java.util.concurrent.ConcurrentHashMap$Node" "key";
    BIN_VALUE "java.util.concurrent.ConcurrentHashMap$Node" "val";
    BIN_NEXT "java.util.concurrent.ConcurrentHashMap$Node" "next";
    BIN_FIRST "java.util.concurrent.ConcurrentHashMap$TreeBin" "first";
    BINS_MOVED "java.util.concurrent.ConcurrentHashMap$ForwardingNode" "nextTable";
    HASH_ITERATOR_MAP "java.util.HashMap$HashIterator" "this$0";
    ORDERED_ITERATOR_MAP "java.util.LinkedHashMap$LinkedHashIterator" "this$0";
    TREE_ITERATOR_MAP "java.util.TreeMap$PrivateEntryIterator" "this$0";
    HASH_SET "java.util.HashSet" "map";
    TREE_SET "java.util.TreeSet" "m";
    SET_FROM_MAP "java.util.Collections$SetFromMap" "m";
    CONCURRENT_VIEW "java.util.concurrent.ConcurrentHashMap$CollectionView" "map";
    COPIED_SET "java.util.concurrent.CopyOnWriteArraySet" "al";
    UNMODIFIABLE "java.util.Collections$UnmodifiableCollection" "c";
    UNMODIFIABLE_MAP "java.util.Collections$UnmodifiableMap" "m";
    SYNCHRONIZED "java.util.Collections$SynchronizedCollection" "c";
    SYNCHRONIZED_MAP "java.util.Collections$SynchronizedMap" "m";
    ARRAYS_LIST "java.util.Arrays$ArrayList" "a";
    FIXED_LIST "java.util.ImmutableCollections$ListN" "elements";
    FIXED_SET "java.util.ImmutableCollections$SetN" "elements";
    FIXED_MAP_TABLE "java.util.ImmutableCollections$MapN" "table";
    PAIR_LIST_FIRST "java.util.ImmutableCollections$List12" "e0";
    PAIR_SET_FIRST "java.util.ImmutableCollections$Set12" "e0";
    PAIR_MAP_KEY "java.util.ImmutableCollections$Map1" "k0";
    PAIR_LIST_SECOND "java.util.ImmutableCollections$List12" "e1";
    PAIR_SET_SECOND "java.util.ImmutableCollections$Set12" "e1";
    PAIR_MAP_VALUE "java.util.ImmutableCollections$Map1" "v0";
    BUILDER_VALUE "java.lang.AbstractStringBuilder" "value";
    BUILDER_COUNT "java.lang.AbstractStringBuilder" "count";
    CHARS "java.io.CharArrayWriter" "buf";
    CHARS_COUNT "java.io.CharArrayWriter" "count";
    BYTES "java.io.ByteArrayOutputStream" "buf";
    BYTES_COUNT "java.io.ByteArrayOutputStream" "count";
    BINS_COUNT "java.util.concurrent.ConcurrentHashMap" "baseCount";
    BINS_COUNTERS "java.util.concurrent.ConcurrentHashMap" "counterCells";
    BINS_COUNTER "java.util.concurrent.ConcurrentHashMap$CounterCell" "value";
    FIXED_SET_SIZE "java.util.ImmutableCollections$SetN" "size";
    FIXED_MAP_SIZE "java.util.ImmutableCollections$MapN" "size";
    SUBLIST_SIZE "java.util.ArrayList$SubList" "size";
    BUILDER_CODER "java.lang.AbstractStringBuilder" "coder";
    ENUM_MAP_KEYS "java.util.EnumMap" "keyUniverse";
    ENUM_MAP_VALUES "java.util.EnumMap" "vals";
    ENUM_MAP_SIZE "java.util.EnumMap" "size";
    ENUM_SET_UNIVERSE "java.util.EnumSet" "universe";
    ENUM_SET_ELEMENTS "java.util.RegularEnumSet" "elements";
    ONLY_OF_LIST "java.util.Collections$SingletonList" "element";
    ONLY_OF_SET "java.util.Collections$SingletonSet" "element";
    ONLY_KEY "java.util.Collections$SingletonMap" "k";
    ONLY_VALUE "java.util.Collections$SingletonMap" "v";
    ENTRY_KEY "java.util.KeyValueHolder" "key";
    ENTRY_VALUE "java.util.KeyValueHolder" "value";
    SIMPLE_KEY "java.util.AbstractMap$SimpleEntry" "key";
    SIMPLE_VALUE "java.util.AbstractMap$SimpleEntry" "value";
    IMMUTABLE_KEY "java.util.AbstractMap$SimpleImmutableEntry" "key";
    IMMUTABLE_VALUE "java.util.AbstractMap$SimpleImmutableEntry" "value";
    ATOMIC_INT "java.util.concurrent.atomic.AtomicInteger" "value";
    ATOMIC_LONG "java.util.concurrent.atomic.AtomicLong" "value";
    ATOMIC_REFERENCE "java.util.concurrent.atomic.AtomicReference" "value";
    DATE_TIME "java.util.Date" "fastTime";
    WRITTEN "java.io.StringWriter" "buf";
}
