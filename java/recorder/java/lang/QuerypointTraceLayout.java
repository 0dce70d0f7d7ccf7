package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * How the JDK's collections keep what they hold: read from their fields, since their own methods call code of
 * the program.
 */
final class QuerypointTraceLayout {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** A field was not found. */
    private static boolean lacks;

    static final int NONE = 0;
    /** Lists: in an array, in a linked chain, in an array that is copied; and queues, in a heap or a ring. */
    static final int ARRAY = 1;
    static final int VECTOR = 2;
    static final int QUEUE = 3;
    static final int RING = 4;
    static final int LINKED = 5;
    static final int COPIED = 6;
    /** What never changes. */
    static final int FIXED = 7;
    static final int FIXED_PAIR = 8;
    /** Maps. */
    static final int HASHED = 9;
    static final int ORDERED = 10;
    static final int TREE = 11;
    static final int CONCURRENT = 12;
    static final int FIXED_MAP = 13;
    static final int FIXED_ENTRY = 14;
    /** What keeps its contents in another collection, or in an array. */
    static final int AROUND = 15;

    private static final String U1 = "java.util.";
    private static final String UC = "java.util.concurrent.";
    private static final String UI = "java.util.ImmutableCollections$";

    private static final long LIST_ELEMENTS = offset(QuerypointLayouts.LIST_ELEMENTS);
    private static final long LIST_SIZE = offset(QuerypointLayouts.LIST_SIZE);
    private static final long PART_ROOT = offset(QuerypointLayouts.PART_ROOT);
    private static final long PART_OFFSET = offset(QuerypointLayouts.PART_OFFSET);
    private static final long VECTOR_ELEMENTS = offset(QuerypointLayouts.VECTOR_ELEMENTS);
    private static final long VECTOR_SIZE = offset(QuerypointLayouts.VECTOR_SIZE);
    private static final long QUEUE_ELEMENTS = offset(QuerypointLayouts.QUEUE_ELEMENTS);
    private static final long QUEUE_SIZE = offset(QuerypointLayouts.QUEUE_SIZE);
    private static final long RING_ELEMENTS = offset(QuerypointLayouts.RING_ELEMENTS);
    private static final long RING_HEAD = offset(QuerypointLayouts.RING_HEAD);
    private static final long RING_TAIL = offset(QuerypointLayouts.RING_TAIL);
    private static final long LINKED_FIRST = offset(QuerypointLayouts.LINKED_FIRST);
    private static final long LINKED_LAST = offset(QuerypointLayouts.LINKED_LAST);
    private static final long LINKED_SIZE = offset(QuerypointLayouts.LINKED_SIZE);
    private static final long LINK_ITEM = offset(QuerypointLayouts.LINK_ITEM);
    private static final long LINK_NEXT = offset(QuerypointLayouts.LINK_NEXT);
    private static final long ITERATOR_LIST = offset(QuerypointLayouts.ITERATOR_LIST);
    private static final long ITERATOR_NEXT = offset(QuerypointLayouts.ITERATOR_NEXT);
    private static final long ITERATOR_LAST = offset(QuerypointLayouts.ITERATOR_LAST);
    private static final long ITERATOR_INDEX = offset(QuerypointLayouts.ITERATOR_INDEX);
    private static final long COPIED_ARRAY = offset(QuerypointLayouts.COPIED_ARRAY);
    private static final long HASHED_TABLE = offset(QuerypointLayouts.HASHED_TABLE);
    private static final long HASHED_SIZE = offset(QuerypointLayouts.HASHED_SIZE);
    private static final long NODE_KEY = offset(QuerypointLayouts.NODE_KEY);
    private static final long NODE_VALUE = offset(QuerypointLayouts.NODE_VALUE);
    private static final long NODE_NEXT = offset(QuerypointLayouts.NODE_NEXT);
    private static final long ORDERED_FIRST = offset(QuerypointLayouts.ORDERED_FIRST);
    private static final long ORDERED_NEXT = offset(QuerypointLayouts.ORDERED_NEXT);
    private static final long BY_USE = offset(QuerypointLayouts.BY_USE);
    private static final long TREE_ROOT = offset(QuerypointLayouts.TREE_ROOT);
    private static final long TREE_SIZE = offset(QuerypointLayouts.TREE_SIZE);
    private static final long TREE_KEY = offset(QuerypointLayouts.TREE_KEY);
    private static final long TREE_VALUE = offset(QuerypointLayouts.TREE_VALUE);
    private static final long TREE_LEFT = offset(QuerypointLayouts.TREE_LEFT);
    private static final long TREE_RIGHT = offset(QuerypointLayouts.TREE_RIGHT);
    private static final long TREE_PARENT = offset(QuerypointLayouts.TREE_PARENT);
    private static final long BINS = offset(QuerypointLayouts.BINS);
    private static final long BIN_KEY = offset(QuerypointLayouts.BIN_KEY);
    private static final long BIN_VALUE = offset(QuerypointLayouts.BIN_VALUE);
    private static final long BIN_NEXT = offset(QuerypointLayouts.BIN_NEXT);
    private static final long BIN_FIRST = offset(QuerypointLayouts.BIN_FIRST);
    private static final long BINS_MOVED = offset(QuerypointLayouts.BINS_MOVED);

    private static final Class<?> TREE_BIN = of(UC + "ConcurrentHashMap$TreeBin");
    private static final Class<?> MOVED = of(UC + "ConcurrentHashMap$ForwardingNode");
    private static final Class<?> NODE = of(U1 + "HashMap$Node");
    private static final Class<?> HASH_ITERATOR = of(U1 + "HashMap$HashIterator");
    private static final long HASH_ITERATOR_MAP = offset(QuerypointLayouts.HASH_ITERATOR_MAP);
    private static final Class<?> ORDERED_ITERATOR = of(U1 + "LinkedHashMap$LinkedHashIterator");
    private static final long ORDERED_ITERATOR_MAP = offset(QuerypointLayouts.ORDERED_ITERATOR_MAP);
    private static final long TREE_ITERATOR_MAP = offset(QuerypointLayouts.TREE_ITERATOR_MAP);

    /** Classes that keep their contents in another one, and the fields that lead to it. */
    private static final Class<?>[] AROUND_CLASSES = {
        of(U1 + "HashSet"),
        of(U1 + "TreeSet"),
        of(U1 + "Collections$SetFromMap"),
        of(UC + "ConcurrentHashMap$CollectionView"),
        of(UC + "CopyOnWriteArraySet"),
        of(U1 + "Collections$UnmodifiableCollection"),
        of(U1 + "Collections$UnmodifiableMap"),
        of(U1 + "Collections$SynchronizedCollection"),
        of(U1 + "Collections$SynchronizedMap"),
        of(U1 + "Arrays$ArrayList"),
    };
    private static final long[] AROUND_FIELDS = {
        offset(QuerypointLayouts.HASH_SET),
        offset(QuerypointLayouts.TREE_SET),
        offset(QuerypointLayouts.SET_FROM_MAP),
        offset(QuerypointLayouts.CONCURRENT_VIEW),
        offset(QuerypointLayouts.COPIED_SET),
        offset(QuerypointLayouts.UNMODIFIABLE),
        offset(QuerypointLayouts.UNMODIFIABLE_MAP),
        offset(QuerypointLayouts.SYNCHRONIZED),
        offset(QuerypointLayouts.SYNCHRONIZED_MAP),
        offset(QuerypointLayouts.ARRAYS_LIST),
    };
    /** Views on the keys or values of a concurrent map alone: what they hold is not what that holds. */
    private static final Class<?> KEYS = of(UC + "ConcurrentHashMap$KeySetView");

    private static final Class<?>[] FIXED_CLASSES = {of(UI + "ListN"), of(UI + "SetN"), of(UI + "MapN")};
    private static final long[] FIXED_FIELDS = {
        offset(QuerypointLayouts.FIXED_LIST),
        offset(QuerypointLayouts.FIXED_SET),
        offset(QuerypointLayouts.FIXED_MAP_TABLE),
    };
    private static final Class<?>[] PAIR_CLASSES = {of(UI + "List12"), of(UI + "Set12"), of(UI + "Map1")};
    private static final long[] PAIR_FIELDS = {
        offset(QuerypointLayouts.PAIR_LIST_FIRST),
        offset(QuerypointLayouts.PAIR_SET_FIRST),
        offset(QuerypointLayouts.PAIR_MAP_KEY),
        offset(QuerypointLayouts.PAIR_LIST_SECOND),
        offset(QuerypointLayouts.PAIR_SET_SECOND),
        offset(QuerypointLayouts.PAIR_MAP_VALUE),
    };
    /** What stands for no second element. */
    private static final Object EMPTY = empty();

    private static final Object[] NOTHING = new Object[0];

    /** Whether all of these fields are there: else nothing is read. */
    static final boolean IS_KNOWN = QuerypointTraceContents.ON && !lacks;

    @Hidden
    private QuerypointTraceLayout() {
    }

    @Hidden
    private static Class<?> of(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (Throwable e) {
            // No object is of it.
            return void.class;
        }
    }

    /** -1 where there is no such field. */
    @Hidden
    private static long offset(String[] field) {
        try {
            return QuerypointTraceContents.ON ? QuerypointLayouts.offset(field) : -1;
        } catch (Throwable e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.CONTENTS);
            lacks = true;
            return -1;
        }
    }

    @Hidden
    private static Object empty() {
        try {
            Class<?> immutable = Class.forName("java.util.ImmutableCollections", true, null);
            java.lang.reflect.Field field = immutable.getDeclaredField("EMPTY");
            return U.getReference(U.staticFieldBase(field), U.staticFieldOffset(field));
        } catch (Throwable e) {
            return NODE;
        }
    }

    /** How an object keeps its contents. */
    @Hidden
    static int kind(Object self) {
        if (self instanceof java.util.Collection) {
            return self instanceof java.util.ArrayList ? ARRAY : ofCollection(self);
        }
        if (!(self instanceof java.util.Map)) {
            return NONE;
        }
        if (self instanceof java.util.HashMap) {
            return self instanceof java.util.LinkedHashMap ? ORDERED : HASHED;
        }
        if (self instanceof java.util.TreeMap) {
            return TREE;
        }
        if (self instanceof java.util.concurrent.ConcurrentHashMap) {
            return CONCURRENT;
        }
        Class<?> of = self.getClass();
        return of == FIXED_CLASSES[2] ? FIXED_MAP : of == PAIR_CLASSES[2] ? FIXED_ENTRY : around(self) < 0 ? NONE : AROUND;
    }

    @Hidden
    private static int ofCollection(Object self) {
        if (self instanceof java.util.LinkedList) {
            return LINKED;
        }
        if (self instanceof java.util.ArrayDeque) {
            return RING;
        }
        if (self instanceof java.util.Vector) {
            return VECTOR;
        }
        if (self instanceof java.util.PriorityQueue) {
            return QUEUE;
        }
        if (self instanceof java.util.concurrent.CopyOnWriteArrayList) {
            return COPIED;
        }
        Class<?> of = self.getClass();
        if (of == FIXED_CLASSES[0] || of == FIXED_CLASSES[1]) {
            return FIXED;
        }
        if (of == PAIR_CLASSES[0] || of == PAIR_CLASSES[1]) {
            return FIXED_PAIR;
        }
        return around(self) < 0 ? NONE : AROUND;
    }

    @Hidden
    private static int around(Object self) {
        for (int i = 0; i < AROUND_CLASSES.length; i++) {
            if (AROUND_CLASSES[i].isInstance(self)) {
                return i == 3 && !KEYS.isInstance(self) ? -1 : i;
            }
        }
        return -1;
    }

    /** What keeps the contents of an object that is around it. */
    @Hidden
    static Object inner(Object self) {
        int at = around(self);
        return at < 0 ? null : U.getReference(self, AROUND_FIELDS[at]);
    }

    @Hidden
    static boolean isMap(int kind) {
        return kind >= HASHED && kind <= FIXED_ENTRY;
    }

    /** How many it holds; 0 where that is not to be known at once. */
    @Hidden
    static int size(Object self, int kind) {
        switch (kind) {
            case ARRAY:
                return U.getInt(self, LIST_SIZE);
            case VECTOR:
                return U.getInt(self, VECTOR_SIZE);
            case QUEUE:
                return U.getInt(self, QUEUE_SIZE);
            case RING:
                Object[] ring = (Object[]) U.getReference(self, RING_ELEMENTS);
                int length = U.getInt(self, RING_TAIL) - U.getInt(self, RING_HEAD);
                // One that is being made may have none yet.
                return ring == null ? 0 : length < 0 ? length + ring.length : length;
            case LINKED:
                return U.getInt(self, LINKED_SIZE);
            case HASHED:
            case ORDERED:
                return U.getInt(self, HASHED_SIZE);
            case TREE:
                return U.getInt(self, TREE_SIZE);
            default:
                // It is told anew whenever it has changed.
                return items(self, kind).length;
        }
    }

    /** An element of a list. */
    @Hidden
    static Object element(Object self, int kind, int index) {
        switch (kind) {
            case ARRAY:
                return ((Object[]) U.getReference(self, LIST_ELEMENTS))[index];
            case VECTOR:
                return ((Object[]) U.getReference(self, VECTOR_ELEMENTS))[index];
            case QUEUE:
                return ((Object[]) U.getReference(self, QUEUE_ELEMENTS))[index];
            case RING:
                Object[] ring = (Object[]) U.getReference(self, RING_ELEMENTS);
                return ring[(int) (((long) U.getInt(self, RING_HEAD) + index) % ring.length)];
            default:
                if (index == U.getInt(self, LINKED_SIZE) - 1) {
                    return U.getReference(U.getReference(self, LINKED_LAST), LINK_ITEM);
                }
                Object link = U.getReference(self, LINKED_FIRST);
                for (int i = 0; i < index; i++) {
                    link = U.getReference(link, LINK_NEXT);
                }
                return U.getReference(link, LINK_ITEM);
        }
    }

    /** The index of a place in the ring of a deque. */
    @Hidden
    static int inRing(Object self, int place) {
        int index = place - U.getInt(self, RING_HEAD);
        return index < 0 ? index + ((Object[]) U.getReference(self, RING_ELEMENTS)).length : index;
    }

    /** The index of a node of a linked list. */
    @Hidden
    static int inChain(Object self, Object node) {
        int index = 0;
        for (Object link = U.getReference(self, LINKED_FIRST); link != null; link = U.getReference(link, LINK_NEXT)) {
            if (link == node) {
                return index;
            }
            index++;
        }
        return -1;
    }

    /** The list that a part is of. */
    @Hidden
    static Object whole(Object part) {
        return U.getReference(part, PART_ROOT);
    }

    @Hidden
    static int offset(Object part) {
        return U.getInt(part, PART_OFFSET);
    }

    /** The list of an iterator. */
    @Hidden
    static Object list(Object iterator) {
        return U.getReference(iterator, ITERATOR_LIST);
    }

    /** The index of the element that such an iterator gave last; -1 for none. */
    @Hidden
    static int index(Object iterator) {
        Object last = U.getReference(iterator, ITERATOR_LAST);
        int next = U.getInt(iterator, ITERATOR_INDEX);
        return last == null ? -1 : last == U.getReference(iterator, ITERATOR_NEXT) ? next : next - 1;
    }

    /** The map of an iterator over its nodes. */
    @Hidden
    static Object map(Object iterator) {
        long at = HASH_ITERATOR.isInstance(iterator)
                ? HASH_ITERATOR_MAP
                : ORDERED_ITERATOR.isInstance(iterator) ? ORDERED_ITERATOR_MAP : TREE_ITERATOR_MAP;
        return U.getReference(iterator, at);
    }

    @Hidden
    static boolean isByUse(Object self) {
        return U.getBoolean(self, BY_USE);
    }

    @Hidden
    static int kindOfNode(Object node) {
        return NODE.isInstance(node) ? HASHED : TREE;
    }

    @Hidden
    static Object key(Object node, int kind) {
        return U.getReference(node, kind == TREE ? TREE_KEY : kind == CONCURRENT ? BIN_KEY : NODE_KEY);
    }

    @Hidden
    static Object value(Object node, int kind) {
        return kind == CONCURRENT
                ? U.getReferenceVolatile(node, BIN_VALUE)
                : U.getReference(node, kind == TREE ? TREE_VALUE : NODE_VALUE);
    }

    /** The node before another one, in the order of a sorted map; null for none. */
    @Hidden
    static Object before(Object node) {
        Object left = U.getReference(node, TREE_LEFT);
        if (left != null) {
            for (Object right = left; right != null; right = U.getReference(right, TREE_RIGHT)) {
                left = right;
            }
            return left;
        }
        Object child = node;
        Object parent = U.getReference(node, TREE_PARENT);
        while (parent != null && U.getReference(parent, TREE_LEFT) == child) {
            child = parent;
            parent = U.getReference(parent, TREE_PARENT);
        }
        return parent;
    }

    /** The node behind. */
    @Hidden
    private static Object behind(Object node) {
        Object right = U.getReference(node, TREE_RIGHT);
        if (right != null) {
            return first(right);
        }
        Object child = node;
        Object parent = U.getReference(node, TREE_PARENT);
        while (parent != null && U.getReference(parent, TREE_RIGHT) == child) {
            child = parent;
            parent = U.getReference(parent, TREE_PARENT);
        }
        return parent;
    }

    @Hidden
    private static Object first(Object node) {
        Object found = node;
        for (Object left = node; left != null; left = U.getReference(left, TREE_LEFT)) {
            found = left;
        }
        return found;
    }

    /** All that a collection holds; of a map, each key with its value behind it. */
    @Hidden
    static Object[] items(Object self, int kind) {
        Items items = new Items();
        switch (kind) {
            case COPIED:
                items.addAll((Object[]) U.getReferenceVolatile(self, COPIED_ARRAY), Integer.MAX_VALUE, false);
                break;
            case FIXED:
                int of = self.getClass() == FIXED_CLASSES[0] ? 0 : 1;
                items.addAll((Object[]) U.getReference(self, FIXED_FIELDS[of]), Integer.MAX_VALUE, of == 1);
                break;
            case FIXED_MAP:
                Object[] table = (Object[]) U.getReference(self, FIXED_FIELDS[2]);
                for (int i = 0; table != null && i + 1 < table.length; i += 2) {
                    if (table[i] != null) {
                        items.add(table[i]);
                        items.add(table[i + 1]);
                    }
                }
                break;
            case FIXED_PAIR:
            case FIXED_ENTRY:
                int at = self.getClass() == PAIR_CLASSES[0] ? 0 : kind == FIXED_PAIR ? 1 : 2;
                if (U.getReference(self, PAIR_FIELDS[at]) == null) {
                    // It is being made.
                    break;
                }
                items.add(U.getReference(self, PAIR_FIELDS[at]));
                Object second = U.getReference(self, PAIR_FIELDS[at + 3]);
                if (kind == FIXED_ENTRY || second != EMPTY) {
                    items.add(second);
                }
                break;
            case LINKED:
                for (Object link = U.getReference(self, LINKED_FIRST); link != null; link = U.getReference(link, LINK_NEXT)) {
                    items.add(U.getReference(link, LINK_ITEM));
                }
                break;
            case HASHED:
                ofTable(items, (Object[]) U.getReference(self, HASHED_TABLE));
                break;
            case ORDERED:
                for (Object node = U.getReference(self, ORDERED_FIRST); node != null; node = U.getReference(node, ORDERED_NEXT)) {
                    items.node(node, HASHED);
                }
                break;
            case TREE:
                Object root = U.getReference(self, TREE_ROOT);
                for (Object node = root == null ? null : first(root); node != null; node = behind(node)) {
                    items.node(node, TREE);
                }
                break;
            case CONCURRENT:
                ofBins(items, (Object[]) U.getReferenceVolatile(self, BINS));
                break;
            case NONE:
                break;
            case QUEUE:
                items.addAll((Object[]) U.getReference(self, QUEUE_ELEMENTS), size(self, kind), false);
                break;
            default:
                int size = size(self, kind);
                for (int i = 0; i < size; i++) {
                    items.add(element(self, kind, i));
                }
        }
        return items.all();
    }

    @Hidden
    private static void ofTable(Items items, Object[] table) {
        for (int i = 0; table != null && i < table.length; i++) {
            for (Object node = table[i]; node != null; node = U.getReference(node, NODE_NEXT)) {
                items.node(node, HASHED);
            }
        }
    }

    @Hidden
    private static void ofBins(Items items, Object[] bins) {
        U.loadFence();
        for (int i = 0; bins != null && i < bins.length; i++) {
            Object node = bins[i];
            if (node != null && node.getClass() == MOVED) {
                // Those of this one are all there now, and of some others too.
                ofBin(items, (Object[]) U.getReference(node, BINS_MOVED), i, bins.length);
                continue;
            }
            ofBin(items, node);
        }
    }

    @Hidden
    private static void ofBin(Items items, Object[] bins, int at, int step) {
        for (int i = at; bins != null && i < bins.length; i += step) {
            ofBin(items, bins[i]);
        }
    }

    @Hidden
    private static void ofBin(Items items, Object first) {
        Object node = first != null && first.getClass() == TREE_BIN ? U.getReferenceVolatile(first, BIN_FIRST) : first;
        for (; node != null; node = U.getReferenceVolatile(node, BIN_NEXT)) {
            // A concurrent map has no such key, but a place that is taken for one.
            if (U.getReference(node, BIN_KEY) != null) {
                items.node(node, CONCURRENT);
            }
        }
    }

    /** Whether it is known without code of the program which keys are equal to it. */
    @Hidden
    static boolean isPlain(Object key) {
        return key instanceof String
                || key instanceof Integer
                || key instanceof Long
                || key instanceof Character
                || key instanceof Short
                || key instanceof Byte
                || key instanceof Boolean;
    }

    /** The node of a key in a concurrent map; null for none. */
    @Hidden
    static Object find(Object self, Object key) {
        Object[] bins = (Object[]) U.getReferenceVolatile(self, BINS);
        boolean isPlain = isPlain(key);
        int hash = isPlain ? key.hashCode() : 0;
        hash ^= hash >>> 16;
        U.loadFence();
        while (bins != null && bins.length > 0) {
            Object[] moved = null;
            for (int i = isPlain ? bins.length - 1 & hash : 0; i < bins.length; i++) {
                Object node = bins[i];
                if (node != null && node.getClass() == MOVED) {
                    moved = (Object[]) U.getReference(node, BINS_MOVED);
                    node = null;
                } else if (node != null && node.getClass() == TREE_BIN) {
                    node = U.getReferenceVolatile(node, BIN_FIRST);
                }
                for (; node != null; node = U.getReferenceVolatile(node, BIN_NEXT)) {
                    Object own = U.getReference(node, BIN_KEY);
                    if (own == key || isPlain && own != null && own.getClass() == key.getClass() && key.equals(own)) {
                        return node;
                    }
                }
                if (isPlain) {
                    break;
                }
            }
            bins = moved;
        }
        return null;
    }

    /** A list that grows. */
    private static final class Items {
        private Object[] held = NOTHING;
        private int count;

        @Hidden
        Items() {
        }

        @Hidden
        void add(Object item) {
            if (count == held.length) {
                Object[] wider = new Object[Math.max(16, 2 * count)];
                System.arraycopy(held, 0, wider, 0, count);
                held = wider;
            }
            held[count++] = item;
        }

        @Hidden
        void addAll(Object[] all, int most, boolean hasGaps) {
            for (int i = 0; all != null && i < all.length && i < most; i++) {
                if (!hasGaps || all[i] != null) {
                    add(all[i]);
                }
            }
        }

        @Hidden
        void node(Object node, int kind) {
            add(key(node, kind));
            add(value(node, kind));
        }

        @Hidden
        Object[] all() {
            if (count == held.length) {
                return held;
            }
            Object[] all = new Object[count];
            System.arraycopy(held, 0, all, 0, count);
            return all;
        }
    }
}
