package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * The fields in which the JDK's collections, builders and streams keep what they hold: each its class
 * and its name. Do not edit them here: they come from {@code crates/jdk/src/layouts.rs}.
 */
final class QuerypointLayouts {
    private static final Unsafe U = Unsafe.getUnsafe();

    static final String[] LIST_ELEMENTS = {"java.util.ArrayList", "elementData"};
    static final String[] LIST_SIZE = {"java.util.ArrayList", "size"};
    static final String[] PART_ROOT = {"java.util.ArrayList$SubList", "root"};
    static final String[] PART_OFFSET = {"java.util.ArrayList$SubList", "offset"};
    static final String[] VECTOR_ELEMENTS = {"java.util.Vector", "elementData"};
    static final String[] VECTOR_SIZE = {"java.util.Vector", "elementCount"};
    static final String[] QUEUE_ELEMENTS = {"java.util.PriorityQueue", "queue"};
    static final String[] QUEUE_SIZE = {"java.util.PriorityQueue", "size"};
    static final String[] RING_ELEMENTS = {"java.util.ArrayDeque", "elements"};
    static final String[] RING_HEAD = {"java.util.ArrayDeque", "head"};
    static final String[] RING_TAIL = {"java.util.ArrayDeque", "tail"};
    static final String[] LINKED_FIRST = {"java.util.LinkedList", "first"};
    static final String[] LINKED_LAST = {"java.util.LinkedList", "last"};
    static final String[] LINKED_SIZE = {"java.util.LinkedList", "size"};
    static final String[] LINK_ITEM = {"java.util.LinkedList$Node", "item"};
    static final String[] LINK_NEXT = {"java.util.LinkedList$Node", "next"};
    static final String[] ITERATOR_LIST = {"java.util.LinkedList$ListItr", "this$0"};
    static final String[] ITERATOR_NEXT = {"java.util.LinkedList$ListItr", "next"};
    static final String[] ITERATOR_LAST = {"java.util.LinkedList$ListItr", "lastReturned"};
    static final String[] ITERATOR_INDEX = {"java.util.LinkedList$ListItr", "nextIndex"};
    static final String[] COPIED_ARRAY = {"java.util.concurrent.CopyOnWriteArrayList", "array"};
    static final String[] HASHED_TABLE = {"java.util.HashMap", "table"};
    static final String[] HASHED_SIZE = {"java.util.HashMap", "size"};
    static final String[] NODE_KEY = {"java.util.HashMap$Node", "key"};
    static final String[] NODE_VALUE = {"java.util.HashMap$Node", "value"};
    static final String[] NODE_NEXT = {"java.util.HashMap$Node", "next"};
    static final String[] ORDERED_FIRST = {"java.util.LinkedHashMap", "head"};
    static final String[] ORDERED_NEXT = {"java.util.LinkedHashMap$Entry", "after"};
    static final String[] BY_USE = {"java.util.LinkedHashMap", "accessOrder"};
    static final String[] TREE_ROOT = {"java.util.TreeMap", "root"};
    static final String[] TREE_SIZE = {"java.util.TreeMap", "size"};
    static final String[] TREE_KEY = {"java.util.TreeMap$Entry", "key"};
    static final String[] TREE_VALUE = {"java.util.TreeMap$Entry", "value"};
    static final String[] TREE_LEFT = {"java.util.TreeMap$Entry", "left"};
    static final String[] TREE_RIGHT = {"java.util.TreeMap$Entry", "right"};
    static final String[] TREE_PARENT = {"java.util.TreeMap$Entry", "parent"};
    static final String[] BINS = {"java.util.concurrent.ConcurrentHashMap", "table"};
    static final String[] BIN_KEY = {"java.util.concurrent.ConcurrentHashMap$Node", "key"};
    static final String[] BIN_VALUE = {"java.util.concurrent.ConcurrentHashMap$Node", "val"};
    static final String[] BIN_NEXT = {"java.util.concurrent.ConcurrentHashMap$Node", "next"};
    static final String[] BIN_FIRST = {"java.util.concurrent.ConcurrentHashMap$TreeBin", "first"};
    static final String[] BINS_MOVED = {"java.util.concurrent.ConcurrentHashMap$ForwardingNode", "nextTable"};
    static final String[] HASH_ITERATOR_MAP = {"java.util.HashMap$HashIterator", "this$0"};
    static final String[] ORDERED_ITERATOR_MAP = {"java.util.LinkedHashMap$LinkedHashIterator", "this$0"};
    static final String[] TREE_ITERATOR_MAP = {"java.util.TreeMap$PrivateEntryIterator", "this$0"};
    static final String[] HASH_SET = {"java.util.HashSet", "map"};
    static final String[] TREE_SET = {"java.util.TreeSet", "m"};
    static final String[] SET_FROM_MAP = {"java.util.Collections$SetFromMap", "m"};
    static final String[] CONCURRENT_VIEW = {"java.util.concurrent.ConcurrentHashMap$CollectionView", "map"};
    static final String[] COPIED_SET = {"java.util.concurrent.CopyOnWriteArraySet", "al"};
    static final String[] UNMODIFIABLE = {"java.util.Collections$UnmodifiableCollection", "c"};
    static final String[] UNMODIFIABLE_MAP = {"java.util.Collections$UnmodifiableMap", "m"};
    static final String[] SYNCHRONIZED = {"java.util.Collections$SynchronizedCollection", "c"};
    static final String[] SYNCHRONIZED_MAP = {"java.util.Collections$SynchronizedMap", "m"};
    static final String[] ARRAYS_LIST = {"java.util.Arrays$ArrayList", "a"};
    static final String[] FIXED_LIST = {"java.util.ImmutableCollections$ListN", "elements"};
    static final String[] FIXED_SET = {"java.util.ImmutableCollections$SetN", "elements"};
    static final String[] FIXED_MAP_TABLE = {"java.util.ImmutableCollections$MapN", "table"};
    static final String[] PAIR_LIST_FIRST = {"java.util.ImmutableCollections$List12", "e0"};
    static final String[] PAIR_SET_FIRST = {"java.util.ImmutableCollections$Set12", "e0"};
    static final String[] PAIR_MAP_KEY = {"java.util.ImmutableCollections$Map1", "k0"};
    static final String[] PAIR_LIST_SECOND = {"java.util.ImmutableCollections$List12", "e1"};
    static final String[] PAIR_SET_SECOND = {"java.util.ImmutableCollections$Set12", "e1"};
    static final String[] PAIR_MAP_VALUE = {"java.util.ImmutableCollections$Map1", "v0"};
    static final String[] BUILDER_VALUE = {"java.lang.AbstractStringBuilder", "value"};
    static final String[] BUILDER_COUNT = {"java.lang.AbstractStringBuilder", "count"};
    static final String[] CHARS = {"java.io.CharArrayWriter", "buf"};
    static final String[] CHARS_COUNT = {"java.io.CharArrayWriter", "count"};
    static final String[] BYTES = {"java.io.ByteArrayOutputStream", "buf"};
    static final String[] BYTES_COUNT = {"java.io.ByteArrayOutputStream", "count"};
    static final String[] BINS_COUNT = {"java.util.concurrent.ConcurrentHashMap", "baseCount"};
    static final String[] BINS_COUNTERS = {"java.util.concurrent.ConcurrentHashMap", "counterCells"};
    static final String[] BINS_COUNTER = {"java.util.concurrent.ConcurrentHashMap$CounterCell", "value"};
    static final String[] FIXED_SET_SIZE = {"java.util.ImmutableCollections$SetN", "size"};
    static final String[] FIXED_MAP_SIZE = {"java.util.ImmutableCollections$MapN", "size"};
    static final String[] SUBLIST_SIZE = {"java.util.ArrayList$SubList", "size"};
    static final String[] BUILDER_CODER = {"java.lang.AbstractStringBuilder", "coder"};
    static final String[] ENUM_MAP_KEYS = {"java.util.EnumMap", "keyUniverse"};
    static final String[] ENUM_MAP_VALUES = {"java.util.EnumMap", "vals"};
    static final String[] ENUM_MAP_SIZE = {"java.util.EnumMap", "size"};
    static final String[] ENUM_SET_UNIVERSE = {"java.util.EnumSet", "universe"};
    static final String[] ENUM_SET_ELEMENTS = {"java.util.RegularEnumSet", "elements"};
    static final String[] ONLY_OF_LIST = {"java.util.Collections$SingletonList", "element"};
    static final String[] ONLY_OF_SET = {"java.util.Collections$SingletonSet", "element"};
    static final String[] ONLY_KEY = {"java.util.Collections$SingletonMap", "k"};
    static final String[] ONLY_VALUE = {"java.util.Collections$SingletonMap", "v"};
    static final String[] ENTRY_KEY = {"java.util.KeyValueHolder", "key"};
    static final String[] ENTRY_VALUE = {"java.util.KeyValueHolder", "value"};
    static final String[] SIMPLE_KEY = {"java.util.AbstractMap$SimpleEntry", "key"};
    static final String[] SIMPLE_VALUE = {"java.util.AbstractMap$SimpleEntry", "value"};
    static final String[] IMMUTABLE_KEY = {"java.util.AbstractMap$SimpleImmutableEntry", "key"};
    static final String[] IMMUTABLE_VALUE = {"java.util.AbstractMap$SimpleImmutableEntry", "value"};
    static final String[] ATOMIC_INT = {"java.util.concurrent.atomic.AtomicInteger", "value"};
    static final String[] ATOMIC_LONG = {"java.util.concurrent.atomic.AtomicLong", "value"};
    static final String[] ATOMIC_REFERENCE = {"java.util.concurrent.atomic.AtomicReference", "value"};
    static final String[] DATE_TIME = {"java.util.Date", "fastTime"};
    static final String[] WRITTEN = {"java.io.StringWriter", "buf"};

    @Hidden
    private QuerypointLayouts() {
    }

    /** The offset of a field. */
    @Hidden
    static long offset(String[] field) throws Throwable {
        return U.objectFieldOffset(Class.forName(field[0], false, null), field[1]);
    }
}
