//! Collections: the methods that change their contents, and those that do so in their own code.
//!
//! A method without a row counts as a possible change, so new methods of a newer JDK count too. A row of an
//! interface describes the methods of all collections that implement it.

use crate::facts::{At, Calls, Change, Contents, Counts, Place};
use crate::row::{Row, row};

const ITERABLE: &str = "java.lang.Iterable";
const COLLECTION: &str = "java.util.Collection";
const LIST: &str = "java.util.List";
const QUEUE: &str = "java.util.Queue";
const DEQUE: &str = "java.util.Deque";
const MAP: &str = "java.util.Map";
const SORTED_MAP: &str = "java.util.SortedMap";
const NAVIGABLE_MAP: &str = "java.util.NavigableMap";
const ARRAY_LIST: &str = "java.util.ArrayList";
const LINKED_LIST: &str = "java.util.LinkedList";
const VECTOR: &str = "java.util.Vector";
const COPY_ON_WRITE: &str = "java.util.concurrent.CopyOnWriteArrayList";
const ARRAY_DEQUE: &str = "java.util.ArrayDeque";
const PRIORITY_QUEUE: &str = "java.util.PriorityQueue";
const HASH_MAP: &str = "java.util.HashMap";
const LINKED_HASH_MAP: &str = "java.util.LinkedHashMap";
const TREE_MAP: &str = "java.util.TreeMap";
const CONCURRENT: &str = "java.util.concurrent.ConcurrentHashMap";

/// A method that does not change the contents.
const fn keeps(class: &'static str, name: &'static str) -> Row {
    row(class, name).contents(Contents::Kept)
}

/// A method that can change the contents, and always the size with them.
const fn changes(class: &'static str, name: &'static str) -> Row {
    row(class, name).contents(Contents::Changed(Counts::Differs))
}

/// A method that can change the contents without changing the size.
const fn may_change(class: &'static str, name: &'static str) -> Row {
    row(class, name).contents(Contents::Changed(Counts::May))
}

/// A method that puts a value at a place.
const fn puts(class: &'static str, name: &'static str, value: u16, place: Place) -> Row {
    row(class, name).contents(Contents::Changed(Counts::Put(value, place)))
}

/// A method whose own code makes a change.
const fn makes(class: &'static str, name: &'static str, change: Change) -> Row {
    row(class, name).change(change)
}

pub(super) const ROWS: &[Row] = &[
    // The interfaces.
    keeps(ITERABLE, "forEach"),
    keeps(ITERABLE, "iterator"),
    keeps(ITERABLE, "spliterator"),
    keeps(COLLECTION, "contains"),
    keeps(COLLECTION, "containsAll"),
    keeps(COLLECTION, "isEmpty"),
    keeps(COLLECTION, "size"),
    keeps(COLLECTION, "toArray"),
    changes(COLLECTION, "removeIf").calls(Calls::Functions),
    keeps(LIST, "get"),
    keeps(LIST, "getFirst").since(21),
    keeps(LIST, "getLast").since(21),
    keeps(LIST, "indexOf"),
    keeps(LIST, "lastIndexOf"),
    keeps(LIST, "listIterator"),
    keeps(LIST, "reversed").since(21),
    keeps(LIST, "subList"),
    may_change(LIST, "replaceAll").calls(Calls::Functions),
    puts(LIST, "set", 2, Place::At(1)).is("(ILjava/lang/Object;)Ljava/lang/Object;"),
    may_change(LIST, "sort").calls(Calls::Functions),
    keeps(QUEUE, "element"),
    keeps(QUEUE, "peek"),
    keeps(DEQUE, "descendingIterator"),
    keeps(DEQUE, "getFirst"),
    keeps(DEQUE, "getLast"),
    keeps(DEQUE, "peekFirst"),
    keeps(DEQUE, "peekLast"),
    keeps(DEQUE, "reversed").since(21),
    keeps(MAP, "containsKey"),
    keeps(MAP, "containsValue"),
    keeps(MAP, "entrySet"),
    keeps(MAP, "forEach"),
    keeps(MAP, "get"),
    keeps(MAP, "getOrDefault"),
    keeps(MAP, "isEmpty"),
    keeps(MAP, "keySet"),
    keeps(MAP, "size"),
    keeps(MAP, "values"),
    may_change(MAP, "compute").calls(Calls::Functions),
    changes(MAP, "computeIfAbsent").calls(Calls::Functions),
    may_change(MAP, "computeIfPresent").calls(Calls::Functions),
    may_change(MAP, "merge").calls(Calls::Functions),
    puts(MAP, "put", 2, Place::Key(1)).is("(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"),
    may_change(MAP, "putAll"),
    may_change(MAP, "replace"),
    may_change(MAP, "replaceAll").calls(Calls::Functions),
    keeps(SORTED_MAP, "comparator"),
    keeps(SORTED_MAP, "firstKey"),
    keeps(SORTED_MAP, "headMap"),
    keeps(SORTED_MAP, "lastKey"),
    keeps(SORTED_MAP, "subMap"),
    keeps(SORTED_MAP, "tailMap"),
    keeps(NAVIGABLE_MAP, "ceiling*"),
    keeps(NAVIGABLE_MAP, "descending*"),
    keeps(NAVIGABLE_MAP, "first*"),
    keeps(NAVIGABLE_MAP, "floor*"),
    keeps(NAVIGABLE_MAP, "higher*"),
    keeps(NAVIGABLE_MAP, "last*"),
    keeps(NAVIGABLE_MAP, "lower*"),
    keeps(NAVIGABLE_MAP, "navigableKeySet"),
    // Deserialization calls it.
    changes("java.util.**", "readObject").entered(),
    // ArrayList.
    keeps(ARRAY_LIST, "checkInvariants"),
    keeps(ARRAY_LIST, "elementData"),
    keeps(ARRAY_LIST, "ensureCapacity"),
    keeps(ARRAY_LIST, "equalsRange"),
    keeps(ARRAY_LIST, "hashCodeRange"),
    keeps(ARRAY_LIST, "indexOfRange"),
    keeps(ARRAY_LIST, "lastIndexOfRange"),
    keeps(ARRAY_LIST, "trimToSize"),
    makes(ARRAY_LIST, "add", Change::Inserted(At::Last)).begins("(Ljava/lang/Object;[Ljava/lang/Object;I)"),
    makes(ARRAY_LIST, "add", Change::Inserted(At::Local(1))).begins("(ILjava/lang/Object;)"),
    makes(ARRAY_LIST, "set", Change::Set(At::Local(1))).begins("(ILjava/lang/Object;)"),
    makes(ARRAY_LIST, "fastRemove", Change::Removed(At::Local(2))).begins("([Ljava/lang/Object;I)"),
    makes(ARRAY_LIST, "addAll", Change::Appended).begins("(Ljava/util/Collection;)"),
    makes(ARRAY_LIST, "addAll", Change::Any).begins("(I"),
    makes(ARRAY_LIST, "clear", Change::Any),
    makes(ARRAY_LIST, "removeRange", Change::Any),
    makes(ARRAY_LIST, "batchRemove", Change::Any),
    makes(ARRAY_LIST, "removeIf", Change::Any).begins("(Ljava/util/function/Predicate;II)"),
    may_change(ARRAY_LIST, "replaceAllRange").calls(Calls::Functions).change(Change::Any).entered(),
    makes(ARRAY_LIST, "sort", Change::Any),
    makes(ARRAY_LIST, "sortRange", Change::Any).since(25),
    // Vector.
    keeps(VECTOR, "capacity"),
    keeps(VECTOR, "checkInvariants"),
    keeps(VECTOR, "elementAt"),
    keeps(VECTOR, "elementData"),
    keeps(VECTOR, "elements"),
    keeps(VECTOR, "ensureCapacity"),
    keeps(VECTOR, "firstElement"),
    keeps(VECTOR, "lastElement"),
    keeps(VECTOR, "trimToSize"),
    makes(VECTOR, "add", Change::Inserted(At::Last)).begins("(Ljava/lang/Object;[Ljava/lang/Object;I)"),
    makes(VECTOR, "insertElementAt", Change::Inserted(At::Local(2))),
    makes(VECTOR, "set", Change::Set(At::Local(1))).begins("(ILjava/lang/Object;)"),
    puts(VECTOR, "setElementAt", 1, Place::At(2))
        .change(Change::Set(At::Local(2)))
        .is("(Ljava/lang/Object;I)V"),
    makes(VECTOR, "remove", Change::Removed(At::Local(1))).begins("(I)"),
    makes(VECTOR, "removeElementAt", Change::Removed(At::Local(1))).begins("(I)"),
    makes(VECTOR, "addAll", Change::Appended).begins("(Ljava/util/Collection;)"),
    makes(VECTOR, "addAll", Change::Any).begins("(I"),
    makes(VECTOR, "removeAllElements", Change::Any),
    makes(VECTOR, "setSize", Change::Any),
    makes(VECTOR, "removeRange", Change::Any),
    makes(VECTOR, "bulkRemove", Change::Any),
    makes(VECTOR, "replaceAll", Change::Any),
    makes(VECTOR, "sort", Change::Any),
    // LinkedList.
    makes(LINKED_LIST, "linkFirst", Change::Inserted(At::First)),
    makes(LINKED_LIST, "linkLast", Change::Inserted(At::Last)),
    makes(LINKED_LIST, "linkBefore", Change::InsertedBefore(2)),
    makes(LINKED_LIST, "unlinkFirst", Change::Removed(At::First)),
    makes(LINKED_LIST, "unlinkLast", Change::Removed(At::Last)),
    makes(LINKED_LIST, "unlink", Change::RemovedNode(1)),
    makes(LINKED_LIST, "set", Change::Set(At::Local(1))).begins("(ILjava/lang/Object;)"),
    makes(LINKED_LIST, "addAll", Change::Any).begins("(I"),
    makes(LINKED_LIST, "clear", Change::Any),
    // CopyOnWriteArrayList: methods change it through `setArray`. Only `set` may return without that call.
    keeps(COPY_ON_WRITE, "*"),
    puts(COPY_ON_WRITE, "set", 2, Place::At(1)).is("(ILjava/lang/Object;)Ljava/lang/Object;"),
    changes(COPY_ON_WRITE, "setArray").change(Change::Copied),
    // ArrayDeque.
    keeps(ARRAY_DEQUE, "checkInvariants"),
    makes(ARRAY_DEQUE, "addFirst", Change::Inserted(At::First)),
    makes(ARRAY_DEQUE, "addLast", Change::Inserted(At::Last)),
    makes(ARRAY_DEQUE, "pollFirst", Change::Removed(At::First)),
    makes(ARRAY_DEQUE, "pollLast", Change::Removed(At::Last)),
    makes(ARRAY_DEQUE, "delete", Change::RemovedCell(1)),
    makes(ARRAY_DEQUE, "clear", Change::Any),
    makes(ARRAY_DEQUE, "bulkRemove", Change::Any),
    // PriorityQueue.
    keeps(PRIORITY_QUEUE, "comparator"),
    makes(PRIORITY_QUEUE, "offer", Change::Offered),
    makes(PRIORITY_QUEUE, "poll", Change::Polled).is("()Ljava/lang/Object;"),
    makes(PRIORITY_QUEUE, "removeAt", Change::TakenFromHeap(1)),
    makes(PRIORITY_QUEUE, "clear", Change::Any),
    makes(PRIORITY_QUEUE, "bulkRemove", Change::Any),
    // HashMap and LinkedHashMap. `newNode` creates a node, which its callers put in.
    keeps(HASH_MAP, "capacity"),
    keeps(HASH_MAP, "getNode"),
    keeps(HASH_MAP, "internalWriteEntries"),
    keeps(HASH_MAP, "keysToArray"),
    keeps(HASH_MAP, "loadFactor"),
    keeps(HASH_MAP, "newNode").change(Change::PutPair(2, 3)),
    keeps(HASH_MAP, "newTreeNode").change(Change::PutPair(2, 3)),
    keeps(HASH_MAP, "prepareArray"),
    keeps(HASH_MAP, "replacementNode"),
    keeps(HASH_MAP, "replacementTreeNode"),
    keeps(HASH_MAP, "resize"),
    keeps(HASH_MAP, "treeifyBin"),
    keeps(HASH_MAP, "valuesToArray"),
    may_change(HASH_MAP, "putMapEntries"),
    makes(HASH_MAP, "removeNode", Change::RemovedPair),
    makes(HASH_MAP, "clear", Change::Any),
    keeps(LINKED_HASH_MAP, "reversed").since(21),
    makes(LINKED_HASH_MAP, "newNode", Change::PutPair(2, 3)),
    makes(LINKED_HASH_MAP, "newTreeNode", Change::PutPair(2, 3)),
    makes(LINKED_HASH_MAP, "afterNodeAccess", Change::Used(1)),
    makes(LINKED_HASH_MAP, "putFirst", Change::Any).since(21),
    makes(LINKED_HASH_MAP, "putLast", Change::Any).since(21),
    // TreeMap.
    keeps(TREE_MAP, "get*"),
    makes(TREE_MAP, "fixAfterInsertion", Change::TreeGrown(1)),
    changes(TREE_MAP, "deleteEntry").change(Change::TreeShrinks(1)).entered(),
    makes(TREE_MAP, "buildFromSorted", Change::Any).begins("(ILjava/util/Iterator;"),
    makes(TREE_MAP, "clear", Change::Any),
    // ConcurrentHashMap.
    keeps(CONCURRENT, "batchFor"),
    keeps(CONCURRENT, "contains"),
    keeps(CONCURRENT, "elements"),
    keeps(CONCURRENT, "keys"),
    keeps(CONCURRENT, "mappingCount"),
    keeps(CONCURRENT, "reduceEntries*"),
    keeps(CONCURRENT, "reduceKeys*"),
    keeps(CONCURRENT, "reduceTo*"),
    keeps(CONCURRENT, "reduceValues*"),
    keeps(CONCURRENT, "searchEntries"),
    keeps(CONCURRENT, "searchKeys"),
    keeps(CONCURRENT, "searchValues"),
    keeps(CONCURRENT, "sumCount"),
    makes(CONCURRENT, "putVal", Change::Keyed(1)),
    makes(CONCURRENT, "replaceNode", Change::Keyed(1)),
    makes(CONCURRENT, "computeIfAbsent", Change::Keyed(1)),
    makes(CONCURRENT, "computeIfPresent", Change::Keyed(1)),
    makes(CONCURRENT, "compute", Change::Keyed(1)),
    makes(CONCURRENT, "merge", Change::Keyed(1)),
    makes(CONCURRENT, "clear", Change::Any),
];
