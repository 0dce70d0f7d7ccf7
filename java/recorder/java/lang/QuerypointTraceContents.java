package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What the code that is put into the JDK's collections calls, where a run is recorded with its writes: it
 * tells what a collection holds when that is met, and from then on each change. Of collections that no
 * recorded code has met, nothing is told.
 *
 * <p>It runs no code of the program: it reads the fields of the JDK's classes ({@link
 * QuerypointTraceLayout}). An event has the number of the collection, what is done, and how many it holds
 * then: so who reads it sees whether something was missed.
 */
public final class QuerypointTraceContents {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Whether contents are recorded. */
    static final boolean ON = QuerypointTraceAgent.contents();
    private static final boolean WINDOWED = QuerypointTraceAgent.windowed();
    /** A bit for each object that was met since the window began. */
    private static final long LOOKED = WINDOWED && ON ? QuerypointTraceAgent.table(1L << 28) : 0;

    /**
     * A bit for each collection that recorded code had to do with before the recording has begun at a place.
     */
    private static final long KNOWN = QuerypointTraceWindow.POINTED && ON ? QuerypointTraceAgent.table(1L << 28) : 0;

    /** The number that begins such an event, and what is done: {@code wire::recording}. */
    private static final int CONTENTS = 4;
    private static final int STORED = 7;
    private static final int ALL_LIST = 1;
    private static final int ALL_MAP = 2;
    private static final int CLEAR = 3;
    private static final int INSERT = 4;
    private static final int SET = 5;
    private static final int REMOVE = 6;
    private static final int TAKE = 7;
    private static final int PUT = 8;
    private static final int PUT_BEHIND = 9;
    private static final int PUT_LAST = 10;
    private static final int UNPUT = 11;
    private static final int BACKED = 12;
    private static final int DOUBT = 13;

    /** Most words of what a collection holds that one event has. */
    private static final int MOST = 960;
    /** The last one of a list. */
    private static final int LAST = -1;

    @Hidden
    private QuerypointTraceContents() {
    }

    /** The number of a collection that was met; 0 for any other. */
    @Hidden
    @ForceInline
    private static int followed(Object owner) {
        int number = QuerypointTraceLayout.IS_KNOWN ? QuerypointProbeNumber.known(owner) : QuerypointProbeNumber.NONE;
        return (QuerypointTrace.seen(number) || KNOWN != 0 && QuerypointTrace.has(KNOWN, number)) ? number : 0;
    }

    /**
     * Recorded code has to do with an object, and nothing is recorded: what it holds is told when it changes
     * later.
     */
    @Hidden
    static void passed(Object value) {
        if (KNOWN != 0
                && QuerypointTraceWindow.isWaiting()
                && (value instanceof java.util.Collection || value instanceof java.util.Map)
                && QuerypointTraceLayout.IS_KNOWN) {
            int kind = QuerypointTraceLayout.kind(value);
            int number = kind == QuerypointTraceLayout.NONE ? 0 : QuerypointProbeNumber.give(value);
            if (number == 0 || QuerypointTrace.has(KNOWN, number)) {
                return;
            }
            QuerypointTrace.add(KNOWN, number);
            if (kind == QuerypointTraceLayout.AROUND) {
                passed(QuerypointTraceLayout.inner(value));
                return;
            }
            for (Object item : QuerypointTraceLayout.items(value, kind)) {
                passed(item);
            }
        }
    }

    /** The ring of this thread; 0 where nothing is recorded now. */
    @Hidden
    static long ring() {
        long ring = WINDOWED ? QuerypointTraceWindow.detail() : QuerypointTrace.ring();
        return ring == QuerypointTrace.NOWHERE ? 0 : ring;
    }

    /** An object was met. */
    @Hidden
    static void met(Object value, int number) {
        if (!ON || WINDOWED) {
            return;
        }
        if (QuerypointTraceLayout.IS_KNOWN && QuerypointTraceLayout.kind(value) != QuerypointTraceLayout.NONE) {
            all(value, number);
        } else {
            QuerypointTraceText.met(value, number);
        }
    }

    /**
     * An object is named by an event, where only some calls are recorded: what it holds may have changed
     * since it was met.
     */
    @Hidden
    static void named(Object value, int number) {
        if (looks(number)) {
            if (QuerypointTraceLayout.IS_KNOWN && QuerypointTraceLayout.kind(value) != QuerypointTraceLayout.NONE) {
                all(value, number);
            } else {
                QuerypointTraceText.met(value, number);
            }
        }
    }

    /** Whether an object is looked at for the first time, where only some calls are recorded. */
    @Hidden
    static boolean looks(int number) {
        if (!WINDOWED || QuerypointTrace.has(LOOKED, number) || QuerypointTraceWindow.detail() == 0) {
            return false;
        }
        QuerypointTrace.add(LOOKED, number);
        return true;
    }

    /** Whether all that a collection holds was told just now, since it was not before. */
    @Hidden
    private static boolean isFresh(Object self, int number) {
        if (!looks(number)) {
            return false;
        }
        QuerypointTrace.number(self);
        all(self, number);
        return true;
    }

    /** The number of something that a collection holds, which may be one too. */
    @Hidden
    static int number(Object value) {
        if (WINDOWED && !QuerypointTrace.on) {
            passed(value);
            return 0;
        }
        int number = QuerypointTrace.number(value);
        if (WINDOWED && number != 0) {
            named(value, number);
        }
        return number;
    }

    /** Tells all that a collection holds. */
    @Hidden
    @DontInline
    private static void all(Object self, int number) {
        try {
            int kind = QuerypointTraceLayout.kind(self);
            if (kind == QuerypointTraceLayout.AROUND) {
                Object inner = QuerypointTraceLayout.inner(self);
                if (inner == null) {
                    // It is being made.
                    return;
                }
                boolean keys = self instanceof java.util.Collection && inner instanceof java.util.Map;
                tell(number, BACKED, -1, number(inner), keys ? 1 : 0, 0, 0);
                if (inner instanceof Object[]) {
                    items((Object[]) inner, number, false);
                }
                return;
            }
            items(QuerypointTraceLayout.items(self, kind), number, QuerypointTraceLayout.isMap(kind));
        } catch (Throwable e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.CONTENTS);
        }
    }

    @Hidden
    private static void items(Object[] items, int number, boolean isMap) {
        // Objects that are met have events of their own: all of them before this one begins.
        for (Object item : items) {
            number(item);
        }
        int done = 0;
        do {
            int many = Math.min(items.length - done, MOST);
            long ring = ring();
            if (ring == 0) {
                return;
            }
            long at = begin(ring, number, isMap ? ALL_MAP : ALL_LIST, isMap ? items.length / 2 : items.length);
            U.putInt(null, at + 16, done);
            U.putInt(null, at + 20, many);
            for (int i = 0; i < many; i++) {
                U.putInt(null, at + 24 + 4L * i, QuerypointProbeNumber.give(items[done + i]));
            }
            QuerypointTrace.advance(ring, 24 + 4 * many);
            done += many;
        } while (done < items.length);
    }

    /**
     * Begins an event, which four words say: its kind, the number of the collection, what was done, and how
     * many it holds.
     */
    @Hidden
    private static long begin(long ring, int number, int op, int size) {
        long at = QuerypointTrace.begin(ring);
        U.putInt(null, at, CONTENTS);
        U.putInt(null, at + 4, number);
        U.putInt(null, at + 8, op);
        U.putInt(null, at + 12, size);
        return at;
    }

    /** So many further words each of those has. */
    @Hidden
    private static int words(int op) {
        switch (op) {
            case CLEAR:
                return 0;
            case REMOVE:
            case TAKE:
            case UNPUT:
                return 1;
            case PUT_BEHIND:
                return 4;
            default:
                return 2;
        }
    }

    @Hidden
    private static void tell(int number, int op, int size, int a, int b, int c, int d) {
        long ring = ring();
        if (ring == 0) {
            return;
        }
        long at = begin(ring, number, op, size);
        // There is room behind it for more than an event has.
        U.putInt(null, at + 16, a);
        U.putInt(null, at + 20, b);
        U.putInt(null, at + 24, c);
        U.putInt(null, at + 28, d);
        QuerypointTrace.advance(ring, 16 + 4 * words(op));
    }

    /** A method of a list begins: how many it holds; -1 where it is not followed. */
    @Hidden
    public static int sized(Object self) {
        return followed(self) == 0 ? -1 : QuerypointTraceLayout.size(self, QuerypointTraceLayout.kind(self));
    }

    /** A method ends that may have done anything to a collection. */
    @Hidden
    public static void changed(Object self, int before) {
        int number = before < 0 ? 0 : followed(self);
        if (number == 0) {
            return;
        }
        int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.kind(self));
        if (size != 0) {
            if (!isFresh(self, number)) {
                all(self, number);
            }
        } else if (before != 0 && !isFresh(self, number)) {
            tell(number, CLEAR, 0, 0, 0, 0, 0);
        }
    }

    /** The same, where an exception leaves it: what it does at once it has not done then. */
    @Hidden
    public static void left(Object self, int before) {
        if (before >= 0
                && followed(self) != 0
                && QuerypointTraceLayout.size(self, QuerypointTraceLayout.kind(self)) != before) {
            changed(self, before);
        }
    }

    /** An element was put in. */
    @Hidden
    public static void inserted(Object self, int before, int index) {
        int number = before < 0 ? 0 : followed(self);
        if (number == 0 || isFresh(self, number)) {
            return;
        }
        int kind = QuerypointTraceLayout.kind(self);
        int size = QuerypointTraceLayout.size(self, kind);
        int at = index == LAST ? size - 1 : index;
        if (size == before + 1) {
            tell(number, INSERT, size, at, number(QuerypointTraceLayout.element(self, kind, at)), 0, 0);
        } else if (size != before) {
            all(self, number);
        }
    }

    /** One was put into a linked list, at an index that was found before. */
    @Hidden
    public static void linked(Object self, Object element, int index) {
        int number = index < 0 ? 0 : followed(self);
        if (number != 0 && !isFresh(self, number)) {
            int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.LINKED);
            tell(number, INSERT, size, index, number(element), 0, 0);
        }
    }

    /** Some were put in at the end. */
    @Hidden
    public static void appended(Object self, int before) {
        int number = before < 0 ? 0 : followed(self);
        if (number == 0 || isFresh(self, number)) {
            return;
        }
        int kind = QuerypointTraceLayout.kind(self);
        int size = QuerypointTraceLayout.size(self, kind);
        if (size < before) {
            all(self, number);
        }
        for (int i = before; i < size; i++) {
            int element = number(QuerypointTraceLayout.element(self, kind, i));
            tell(number, INSERT, i + 1, i, element, 0, 0);
        }
    }

    /** An element was replaced. */
    @Hidden
    public static void set(Object self, int before, int index) {
        int number = before < 0 ? 0 : followed(self);
        if (number != 0 && !isFresh(self, number)) {
            int kind = QuerypointTraceLayout.kind(self);
            int element = number(QuerypointTraceLayout.element(self, kind, index));
            tell(number, SET, QuerypointTraceLayout.size(self, kind), index, element, 0, 0);
        }
    }

    /** An element of a part of a list was replaced. */
    @Hidden
    public static void setOfPart(Object part, int index) {
        if (!QuerypointTraceLayout.IS_KNOWN) {
            return;
        }
        Object self = QuerypointTraceLayout.whole(part);
        if (self != null) {
            set(self, sized(self), QuerypointTraceLayout.offset(part) + index);
        }
    }

    /** An element of a list was replaced that keeps its elements in an array of the program. */
    @Hidden
    public static void written(Object self, int index) {
        int number = followed(self);
        Object[] array = array(self);
        if (number != 0 && array != null && !isFresh(self, number)) {
            tell(number, SET, -1, index, number(array[index]), 0, 0);
        }
        if (isMet(array)) {
            stored(array, index);
        }
    }

    /** The array of such a list; null where it is not known. */
    @Hidden
    private static Object[] array(Object self) {
        Object inner = QuerypointTraceLayout.IS_KNOWN ? QuerypointTraceLayout.inner(self) : null;
        return inner instanceof Object[] ? (Object[]) inner : null;
    }

    /** Whether recorded code has met an array, its list or not. */
    @Hidden
    private static boolean isMet(Object[] array) {
        return array != null && QuerypointTrace.seen(QuerypointProbeNumber.known(array));
    }

    /** So was the element of that array. */
    @Hidden
    private static void stored(Object[] array, int index) {
        int number = number(array);
        int value = number(array[index]);
        long ring = ring();
        if (ring == 0) {
            return;
        }
        long at = QuerypointTrace.begin(ring);
        U.putInt(null, at, STORED);
        U.putInt(null, at + 4, number);
        U.putInt(null, at + 8, index);
        U.putInt(null, at + 12, value);
        QuerypointTrace.advance(ring, 16);
        if (QuerypointTraceArrays.isOpen()) {
            QuerypointTraceArrays.stored(array, index, array[index]);
        }
    }

    /** Any of them were. */
    @Hidden
    public static void rewritten(Object self) {
        copied(self);
        Object[] array = array(self);
        for (int i = 0; isMet(array) && i < array.length; i++) {
            stored(array, i);
        }
    }

    /** The element at which an iterator of a linked list is was replaced. */
    @Hidden
    public static void setByIterator(Object iterator) {
        if (!QuerypointTraceLayout.IS_KNOWN) {
            return;
        }
        Object self = QuerypointTraceLayout.list(iterator);
        int index = self == null || followed(self) == 0 ? -1 : QuerypointTraceLayout.index(iterator);
        if (index >= 0) {
            set(self, sized(self), index);
        }
    }

    /** An element was removed. */
    @Hidden
    public static void removed(Object self, int before, int index) {
        int number = before < 0 ? 0 : followed(self);
        if (number == 0 || isFresh(self, number)) {
            return;
        }
        int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.kind(self));
        if (size == before - 1) {
            tell(number, REMOVE, size, index == LAST ? size : index, 0, 0, 0);
        } else if (size != before) {
            all(self, number);
        }
    }

    /**
     * The index of a place in the ring of a deque, which is about to be removed; -1 where it is not followed.
     */
    @Hidden
    public static int indexOf(Object self, int place) {
        return followed(self) == 0 ? -1 : QuerypointTraceLayout.inRing(self, place);
    }

    /** The index of a node of a linked list; -1 where that is not followed. */
    @Hidden
    public static int indexOf(Object self, Object node) {
        return followed(self) == 0 ? -1 : QuerypointTraceLayout.inChain(self, node);
    }

    /** The element was removed whose index was found before. */
    @Hidden
    public static void removedAt(Object self, int index) {
        int number = index < 0 ? 0 : followed(self);
        if (number != 0 && !isFresh(self, number)) {
            int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.kind(self));
            tell(number, REMOVE, size, index, 0, 0, 0);
        }
    }

    /** Something was put into a queue whose order is its own. */
    @Hidden
    public static void offered(Object self, int before, Object element) {
        int number = before < 0 ? 0 : followed(self);
        if (number != 0 && !isFresh(self, number)) {
            int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.QUEUE);
            if (size == before + 1) {
                tell(number, INSERT, size, before, number(element), 0, 0);
            }
        }
    }

    /** The first was taken out of such a queue. */
    @Hidden
    public static void polled(Object element, Object self, int before) {
        int number = before < 0 ? 0 : followed(self);
        if (number != 0 && !isFresh(self, number) && element != null) {
            tell(number, TAKE, before - 1, number(element), 0, 0, 0);
        }
    }

    /** One is about to be taken out of it. */
    @Hidden
    public static void taking(Object self, int place) {
        int number = followed(self);
        if (number != 0) {
            isFresh(self, number);
            int element = number(QuerypointTraceLayout.element(self, QuerypointTraceLayout.QUEUE, place));
            tell(number, TAKE, QuerypointTraceLayout.size(self, QuerypointTraceLayout.QUEUE) - 1, element, 0, 0, 0);
        }
    }

    /** A list was replaced by a copy. */
    @Hidden
    public static void copied(Object self) {
        int number = followed(self);
        if (number != 0 && !isFresh(self, number)) {
            all(self, number);
        }
    }

    /** A hashed map is about to have a new key. */
    @Hidden
    public static void put(Object self, Object key, Object value) {
        int number = followed(self);
        if (number != 0) {
            isFresh(self, number);
            int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.HASHED) + 1;
            tell(number, PUT, size, number(key), number(value), 0, 0);
        }
    }

    /** The value of a node of a map is about to be written. */
    @Hidden
    public static void node(Object node, Object value, Object self) {
        int number = followed(self);
        if (number != 0 && node != null) {
            isFresh(self, number);
            int kind = QuerypointTraceLayout.kind(self);
            int key = number(QuerypointTraceLayout.key(node, kind));
            tell(number, PUT, QuerypointTraceLayout.size(self, kind), key, number(value), 0, 0);
        }
    }

    /** A node was removed from a hashed map; null for none. */
    @Hidden
    public static void unput(Object node, Object self) {
        int number = node == null ? 0 : followed(self);
        if (number != 0 && !isFresh(self, number)) {
            int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.HASHED);
            int key = number(QuerypointTraceLayout.key(node, QuerypointTraceLayout.HASHED));
            tell(number, UNPUT, size, key, 0, 0, 0);
        }
    }

    /** A node of a map in the order of its uses is used, or put at an end. */
    @Hidden
    public static void used(Object self, Object node) {
        if (!QuerypointTraceLayout.IS_KNOWN) {
            return;
        }
        int number = QuerypointTraceLayout.isByUse(self) ? followed(self) : 0;
        if (number != 0) {
            isFresh(self, number);
            int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.HASHED);
            int key = number(QuerypointTraceLayout.key(node, QuerypointTraceLayout.HASHED));
            int value = number(QuerypointTraceLayout.value(node, QuerypointTraceLayout.HASHED));
            tell(number, PUT_LAST, size, key, value, 0, 0);
        }
    }

    /** A sorted map is about to have its first node. */
    @Hidden
    public static void root(Object self, Object node) {
        if (node != null && followed(self) != 0 && QuerypointTraceLayout.size(self, QuerypointTraceLayout.TREE) == 0) {
            grown(self, node);
        }
    }

    /** A sorted map has a new node, which it has not counted yet. */
    @Hidden
    public static void grown(Object self, Object node) {
        int number = followed(self);
        if (number == 0) {
            return;
        }
        if (isFresh(self, number)) {
            return;
        }
        int key = number(QuerypointTraceLayout.key(node, QuerypointTraceLayout.TREE));
        int value = number(QuerypointTraceLayout.value(node, QuerypointTraceLayout.TREE));
        Object before = QuerypointTraceLayout.before(node);
        int behind = before == null
                ? 0
                : number(QuerypointTraceLayout.key(before, QuerypointTraceLayout.TREE));
        int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.TREE) + 1;
        tell(number, PUT_BEHIND, size, key, value, before == null ? 0 : 1, behind);
    }

    /** A node of a sorted map is about to be removed. */
    @Hidden
    public static void shrinks(Object self, Object node) {
        int number = followed(self);
        if (number != 0) {
            isFresh(self, number);
            int size = QuerypointTraceLayout.size(self, QuerypointTraceLayout.TREE) - 1;
            int key = number(QuerypointTraceLayout.key(node, QuerypointTraceLayout.TREE));
            tell(number, UNPUT, size, key, 0, 0, 0);
        }
    }

    /** Something may have been done to a key of a concurrent map. */
    @Hidden
    public static void keyed(Object self, Object key) {
        int number = followed(self);
        if (number == 0 || key == null || isFresh(self, number)) {
            return;
        }
        Object node = QuerypointTraceLayout.find(self, key);
        if (node != null) {
            int own = number(QuerypointTraceLayout.key(node, QuerypointTraceLayout.CONCURRENT));
            int value = number(QuerypointTraceLayout.value(node, QuerypointTraceLayout.CONCURRENT));
            tell(number, PUT, -1, own, value, 0, 0);
        } else if (QuerypointTraceLayout.isPlain(key)) {
            tell(number, UNPUT, -1, number(key), 0, 0, 0);
        } else {
            // Which of its keys is equal to this one only the program's code can tell.
            all(self, number);
        }
    }

    /** An iterator of a map has come to a node: what is written to that is written to the map. */
    @Hidden
    public static void reached(Object node, Object iterator) {
        if (!QuerypointTraceLayout.IS_KNOWN) {
            return;
        }
        Object map = QuerypointTraceLayout.map(iterator);
        if (map != null && followed(map) != 0) {
            QuerypointTraceThread own = QuerypointTraceThread.known(Thread.currentThread());
            if (own != null) {
                own.node = node;
                own.map = map;
            }
        }
    }

    /** The value of a node is about to be written, by whoever has got that. */
    @Hidden
    public static void setValue(Object node, Object value) {
        if (!QuerypointTraceLayout.IS_KNOWN) {
            return;
        }
        int kind = QuerypointTraceLayout.kindOfNode(node);
        Object key = QuerypointTraceLayout.key(node, kind);
        int number = key == null ? 0 : followed(key);
        // What a map that is followed holds was met.
        if (key != null && number == 0) {
            return;
        }
        QuerypointTraceThread own = QuerypointTraceThread.known(Thread.currentThread());
        if (own != null && own.node == node) {
            node(node, value, own.map);
        } else {
            tell(0, DOUBT, -1, number, number(value), 0, 0);
        }
    }
}
