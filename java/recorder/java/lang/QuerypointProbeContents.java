package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * What the code that is put into the JDK's collections calls: it looks at what is asked of a collection as
 * one of its methods begins and as it ends, and a difference is a hit.
 *
 * <p>It runs no code of the program: it reads the fields of the JDK's classes, and compares by identity what
 * it finds there. Keys are found where they are of a class of the JDK whose {@code equals} and {@code
 * hashCode} are known.
 */
public final class QuerypointProbeContents {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** What stands for an element, or the value of a key, that is not there. */
    private static final Object ABSENT = new Object();

    /** What a method that calls code of the program was given. */
    private static final Object CALLS = new Object();

    /** How the collections of a query keep what they hold. */
    private static final int ARRAY = 0;
    private static final int DEQUE = 1;
    private static final int LINKED = 2;
    private static final int COPIED = 3;
    private static final int HASHED = 4;
    private static final int TREE = 5;
    private static final int CONCURRENT = 6;
    /** The text of a builder; and what is printed on a stream, which is not kept. */
    private static final int TEXT = 7;
    private static final int STREAM = 8;

    /**
     * Whether a call that left the size of its collection as it was can have changed it. Such a call is a hit
     * only of a question about the whole collection.
     */
    private static final int MAY = 2;
    private static final int OPERATION = 3;
    private static final int KEEP = 4;
    private static final int THROWN = 8;
    /** That the call returns what was there before. */
    private static final int RETURNS = 16;
    private static final int QUERY = 8;

    /** What is said of a method as it begins. */
    private static final int VIEW = 1;
    private static final int GIVEN = 2;
    /** It puts something there: at an index, for a key, or where an iterator stands. */
    private static final int AT = 4;
    private static final int KEYED = 8;
    private static final int HERE = 16;

    /** What a call has done to all of a collection. */
    private static final int MAY_HAVE = 1;
    private static final int CHANGED = 2;
    /** It has put something where is asked about, perhaps the same. */
    private static final int WROTE = 4;

    /**
     * What is said of a hit beside {@link #MAY_HAVE} and what was absent: the same object was put there
     * again.
     */
    private static final int SAME = 8;

    /** By query; null where it asks about no collection. */
    private static final QuerypointProbeContents[] ALL = new QuerypointProbeContents[1 << 16];

    private int kind;
    /** Offsets of the fields of the collection. */
    private long first;
    private long second;
    private long third;
    /** Offsets of the fields of its nodes. */
    private long key;
    private long value;
    private long next;
    private long other;
    private long hashed;
    /** Of a concurrent map: where a bin is a tree, or has moved. */
    private Class<?> treeBin;
    private Class<?> forwarding;
    private long binFirst;
    private long moved;
    private long counters;
    private long counter;
    /**
     * Of views that write by themselves: the field that leads to the collection, and those that say where
     * they write.
     */
    private long view;
    private long viewIndex;
    private long viewLast;
    private long viewNext;

    /** 'c' for all of it, 'i' for an element, else the kind of the key. */
    private char asked;
    private int index;
    private String text;
    private long number;
    private int hash;

    @Hidden
    private QuerypointProbeContents() {
    }

    /** Gets ready for a query: the class of its collections, and what is asked of them. */
    @Hidden
    static void prepare(int query, String about) throws Throwable {
        int space = about.indexOf(' ');
        String of = about.substring(0, space);
        QuerypointProbeContents made = new QuerypointProbeContents();
        made.asked = about.charAt(space + 1);
        made.ask(about.substring(space + 2));
        made.find(of);
        ALL[query] = made;
    }

    @Hidden
    private void ask(String rest) {
        switch (asked) {
            case 'i':
                index = Integer.parseInt(rest);
                return;
            case 's':
                char[] units = new char[rest.length() / 4];
                for (int i = 0; i < units.length; i++) {
                    units[i] = (char) Integer.parseInt(rest.substring(4 * i, 4 * i + 4), 16);
                }
                text = new String(units);
                hash = text.hashCode();
                return;
            case 'J':
                number = Long.parseLong(rest);
                hash = (int) (number ^ number >>> 32);
                return;
            case 'I':
            case 'S':
            case 'B':
            case 'C':
                number = Long.parseLong(rest);
                hash = (int) number;
                return;
            case 'Z':
                number = Long.parseLong(rest);
                hash = number != 0 ? 1231 : 1237;
                return;
            default:
                return;
        }
    }

    @Hidden
    private void find(String of) throws Throwable {
        switch (of) {
            case "java.util.ArrayList":
                fields(ARRAY, QuerypointLayouts.LIST_ELEMENTS, QuerypointLayouts.LIST_SIZE);
                view = QuerypointLayouts.offset(QuerypointLayouts.PART_ROOT);
                viewIndex = QuerypointLayouts.offset(QuerypointLayouts.PART_OFFSET);
                return;
            case "java.util.Vector":
                fields(ARRAY, QuerypointLayouts.VECTOR_ELEMENTS, QuerypointLayouts.VECTOR_SIZE);
                return;
            case "java.util.PriorityQueue":
                fields(ARRAY, QuerypointLayouts.QUEUE_ELEMENTS, QuerypointLayouts.QUEUE_SIZE);
                return;
            case "java.util.ArrayDeque":
                fields(DEQUE, QuerypointLayouts.RING_ELEMENTS, QuerypointLayouts.RING_HEAD);
                third = QuerypointLayouts.offset(QuerypointLayouts.RING_TAIL);
                return;
            case "java.util.LinkedList":
                fields(LINKED, QuerypointLayouts.LINKED_FIRST, QuerypointLayouts.LINKED_SIZE);
                value = QuerypointLayouts.offset(QuerypointLayouts.LINK_ITEM);
                next = QuerypointLayouts.offset(QuerypointLayouts.LINK_NEXT);
                view = QuerypointLayouts.offset(QuerypointLayouts.ITERATOR_LIST);
                viewIndex = QuerypointLayouts.offset(QuerypointLayouts.ITERATOR_INDEX);
                viewLast = QuerypointLayouts.offset(QuerypointLayouts.ITERATOR_LAST);
                viewNext = QuerypointLayouts.offset(QuerypointLayouts.ITERATOR_NEXT);
                return;
            case "java.util.concurrent.CopyOnWriteArrayList":
                kind = COPIED;
                first = QuerypointLayouts.offset(QuerypointLayouts.COPIED_ARRAY);
                return;
            case "java.lang.StringBuilder":
            case "java.lang.StringBuffer":
                fields(TEXT, QuerypointLayouts.BUILDER_VALUE, QuerypointLayouts.BUILDER_COUNT);
                return;
            case "java.io.CharArrayWriter":
                fields(TEXT, QuerypointLayouts.CHARS, QuerypointLayouts.CHARS_COUNT);
                return;
            case "java.io.ByteArrayOutputStream":
                fields(TEXT, QuerypointLayouts.BYTES, QuerypointLayouts.BYTES_COUNT);
                return;
            case "java.io.PrintStream":
            case "java.io.PrintWriter":
            case "java.io.BufferedWriter":
            case "java.io.OutputStreamWriter":
            case "java.io.BufferedOutputStream":
            case "java.io.FileOutputStream":
                kind = STREAM;
                return;
            case "java.util.HashMap":
                fields(HASHED, QuerypointLayouts.HASHED_TABLE, QuerypointLayouts.HASHED_SIZE);
                nodes(QuerypointLayouts.NODE_KEY, QuerypointLayouts.NODE_VALUE, QuerypointLayouts.NODE_NEXT);
                return;
            case "java.util.TreeMap":
                fields(TREE, QuerypointLayouts.TREE_ROOT, QuerypointLayouts.TREE_SIZE);
                nodes(QuerypointLayouts.TREE_KEY, QuerypointLayouts.TREE_VALUE, QuerypointLayouts.TREE_LEFT);
                other = QuerypointLayouts.offset(QuerypointLayouts.TREE_RIGHT);
                return;
            default:
                fields(CONCURRENT, QuerypointLayouts.BINS, QuerypointLayouts.BINS_COUNT);
                counters = QuerypointLayouts.offset(QuerypointLayouts.BINS_COUNTERS);
                counter = QuerypointLayouts.offset(QuerypointLayouts.BINS_COUNTER);
                nodes(QuerypointLayouts.BIN_KEY, QuerypointLayouts.BIN_VALUE, QuerypointLayouts.BIN_NEXT);
                treeBin = Class.forName(of.concat("$TreeBin"), false, null);
                binFirst = QuerypointLayouts.offset(QuerypointLayouts.BIN_FIRST);
                forwarding = Class.forName(of.concat("$ForwardingNode"), false, null);
                moved = QuerypointLayouts.offset(QuerypointLayouts.BINS_MOVED);
        }
    }

    @Hidden
    private void fields(int kind, String[] first, String[] second) throws Throwable {
        this.kind = kind;
        this.first = QuerypointLayouts.offset(first);
        this.second = QuerypointLayouts.offset(second);
    }

    @Hidden
    private void nodes(String[] key, String[] value, String[] next) throws Throwable {
        this.key = QuerypointLayouts.offset(key);
        this.value = QuerypointLayouts.offset(value);
        this.next = QuerypointLayouts.offset(next);
    }

    /** The calls that a thread is in, by depth. */
    static final class Calls {
        Object[] owners = new Object[64];
        /** What was asked about as each began; for all of a collection, its array where it is copied. */
        Object[] before = new Object[64];
        /** How many it held as each began. */
        int[] sizes = new int[64];
        int[] queries = new int[64];
        /** What it was given to put there; {@link #CALLS} where it calls code that it was given. */
        Object[] given = new Object[64];
        /**
         * Whether a call within it has changed all of the collection, or may have: {@link #CHANGED}, {@link
         * #MAY_HAVE}.
         */
        int[] within = new int[64];
        /** Whether it puts something where is asked about. */
        boolean[] puts = new boolean[64];
        int depth;

        @Hidden
        Calls() {
        }

        @Hidden
        void widen() {
            int width = owners.length * 2;
            Object[] owners = new Object[width];
            Object[] before = new Object[width];
            Object[] given = new Object[width];
            int[] sizes = new int[width];
            int[] queries = new int[width];
            int[] within = new int[width];
            boolean[] puts = new boolean[width];
            for (int i = 0; i < depth; i++) {
                owners[i] = this.owners[i];
                before[i] = this.before[i];
                given[i] = this.given[i];
                sizes[i] = this.sizes[i];
                queries[i] = this.queries[i];
                within[i] = this.within[i];
                puts[i] = this.puts[i];
            }
            this.owners = owners;
            this.before = before;
            this.given = given;
            this.sizes = sizes;
            this.queries = queries;
            this.within = within;
            this.puts = puts;
        }
    }

    /** The calls of collections' methods that this thread is in; null where nothing counts. */
    @Hidden
    private static Calls calls() {
        QuerypointProbeThread thread = QuerypointProbeThread.of(Thread.currentThread());
        if (thread == null || thread.isQuiet()) {
            return null;
        }
        if (thread.calls == null) {
            thread.calls = new Calls();
        }
        return thread.calls;
    }

    /**
     * A method of a collection begins; {@link #VIEW}: of a view that leads to it; {@link #GIVEN}: it calls
     * code that it is given; {@link #AT}, {@link #KEYED}, {@link #HERE}: it puts {@code given} at the index,
     * for the key, or where the iterator stands. Gives what it is known by as it ends.
     */
    @Hidden
    public static long enter(Object self, Object given, Object key, int index, int query, int marks) {
        try {
            QuerypointProbeContents about = ALL[query];
            Calls calls = about == null ? null : calls();
            if (calls == null) {
                return -1;
            }
            Object owner = (marks & VIEW) == 0 ? self : U.getReference(self, about.view);
            if (owner == null) {
                return -1;
            }
            int depth = calls.depth;
            if (depth == calls.owners.length) {
                calls.widen();
            }
            calls.owners[depth] = owner;
            calls.given[depth] = (marks & GIVEN) == 0 ? given : CALLS;
            calls.queries[depth] = query;
            calls.within[depth] = 0;
            calls.puts[depth] = about.puts(self, key, index, marks);
            calls.before[depth] = about.state(owner);
            calls.sizes[depth] = about.asked == 'c' ? about.size(owner) : 0;
            calls.depth = depth + 1;
            return depth;
        } catch (Throwable e) {
            QuerypointProbeAgent.lose(e);
            return -1;
        }
    }

    /** Whether a method puts something where is asked about. */
    @Hidden
    private boolean puts(Object self, Object key, int at, int marks) {
        if ((marks & (AT | KEYED | HERE)) == 0) {
            return false;
        }
        switch (asked) {
            case 'c':
                return true;
            case 'i':
                if ((marks & HERE) != 0) {
                    // The node that was handed out last is before the iterator, or behind it.
                    boolean behind = U.getReference(self, viewLast) == U.getReference(self, viewNext);
                    return U.getInt(self, viewIndex) - (behind ? 0 : 1) == index;
                }
                return (marks & AT) != 0 && at + ((marks & VIEW) == 0 ? 0 : U.getInt(self, viewIndex)) == index;
            default:
                return (marks & KEYED) != 0 && is(key);
        }
    }

    /** As {@link #leave(Object, long, int, int)}, of a method that tells whether it did something. */
    @Hidden
    public static void leave(int result, long token, int number, int flags) {
        leave(result != 0 ? ABSENT : null, token, number, flags);
    }

    /** A method of a collection ends, with what it returns. */
    @Hidden
    public static void leave(Object result, long token, int number, int flags) {
        if (token < 0) {
            return;
        }
        try {
            Calls calls = calls();
            if (calls != null) {
                ALL[flags >>> QUERY].leave(calls, result, (int) token, number, flags);
            }
        } catch (Throwable e) {
            QuerypointProbeAgent.lose(e);
        }
    }

    @Hidden
    private void leave(Calls calls, Object result, int depth, int number, int flags) {
        Object owner = depth < calls.depth ? calls.owners[depth] : null;
        if (owner == null || calls.queries[depth] != flags >>> QUERY) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.ORDER);
            return;
        }
        Object before = calls.before[depth];
        Object given = calls.given[depth];
        int size = calls.sizes[depth];
        int within = calls.within[depth];
        boolean wrote = calls.puts[depth] && (flags & THROWN) == 0;
        for (int i = depth; i < calls.depth; i++) {
            calls.owners[i] = null;
            calls.before[i] = null;
            calls.given[i] = null;
        }
        calls.depth = depth;
        int query = flags >>> QUERY;
        Object now = state(owner);
        int held = 0;
        boolean differs = before != now;
        int done = differs || wrote || within >= WROTE ? CHANGED : 0;
        if (asked == 'c') {
            held = size(owner);
            differs = held != size || kind == COPIED && !same(before, now);
            done = done(within, differs, held, wrote, result, flags);
        }
        if (done == 0) {
            return;
        }
        boolean same = wrote && !differs && within == 0 && (flags & RETURNS) != 0 && result == given;
        int outer = depth - 1;
        while (outer >= 0 && (calls.owners[outer] != owner || calls.queries[outer] != query)) {
            outer--;
        }
        if (outer >= 0 && calls.given[outer] != CALLS) {
            // The program has made one call, and that is not this one.
            calls.within[outer] |= wrote || within >= WROTE ? done | WROTE : done;
            return;
        }
        for (int i = 0; i < depth; i++) {
            // The program's own code may have been called in between, and has changed it.
            if (calls.owners[i] == owner && calls.queries[i] == query) {
                calls.before[i] = now;
                calls.sizes[i] = held;
            }
        }
        int marks = (done == MAY_HAVE ? 1 : 0) | (before == ABSENT ? 2 : 0) | (now == ABSENT ? 4 : 0) | (same ? SAME : 0);
        QuerypointProbe.changed(
                owner, number, query, (flags & KEEP) != 0, marks, (long) size << 32 | held & 0xffffffffL, before, now);
    }

    /** What a call has done to all of a collection; one as large as before tells it by what it returns. */
    @Hidden
    private int done(int within, boolean differs, int held, boolean wrote, Object result, int flags) {
        if (differs || wrote || within >= CHANGED) {
            return CHANGED;
        }
        if (kind == STREAM) {
            return (flags & THROWN) == 0 ? CHANGED : within;
        }
        if (kind == COPIED || held == 0) {
            return 0;
        }
        int operation = flags & OPERATION;
        boolean thrown = (flags & THROWN) != 0;
        // One that returns nothing passes what is not null.
        return operation == MAY && (thrown || result != null) ? MAY_HAVE : within;
    }

    /** What is asked about, as it is. */
    @Hidden
    private Object state(Object owner) {
        switch (asked) {
            case 'c':
                return kind == COPIED ? U.getReferenceVolatile(owner, first) : null;
            case 'i':
                return element(owner);
            default:
                return mapped(owner);
        }
    }

    @Hidden
    private static boolean same(Object before, Object now) {
        Object[] old = (Object[]) before;
        Object[] fresh = (Object[]) now;
        if (old == null || fresh == null) {
            return old == fresh;
        }
        boolean same = old.length == fresh.length;
        for (int i = 0; same && i < old.length; i++) {
            same = old[i] == fresh[i];
        }
        return same;
    }

    @Hidden
    private int size(Object owner) {
        switch (kind) {
            case DEQUE:
                Object[] ring = (Object[]) U.getReference(owner, first);
                int length = U.getInt(owner, third) - U.getInt(owner, second);
                return ring == null ? 0 : length < 0 ? length + ring.length : length;
            case COPIED:
                Object[] copy = (Object[]) U.getReferenceVolatile(owner, first);
                return copy == null ? 0 : copy.length;
            case STREAM:
                return 0;
            case CONCURRENT:
                long count = U.getLongVolatile(owner, second);
                Object[] cells = (Object[]) U.getReferenceVolatile(owner, counters);
                for (int i = 0; cells != null && i < cells.length; i++) {
                    Object cell = cells[i];
                    count += cell == null ? 0 : U.getLongVolatile(cell, counter);
                }
                return (int) count;
            default:
                return U.getInt(owner, second);
        }
    }

    @Hidden
    private Object element(Object owner) {
        if (kind == COPIED) {
            Object[] copy = (Object[]) U.getReferenceVolatile(owner, first);
            return copy == null || index >= copy.length ? ABSENT : copy[index];
        }
        if (index >= U.getInt(owner, second)) {
            return ABSENT;
        }
        if (kind == ARRAY) {
            Object[] elements = (Object[]) U.getReference(owner, first);
            return elements == null || index >= elements.length ? ABSENT : elements[index];
        }
        Object link = U.getReference(owner, first);
        for (int i = 0; i < index && link != null; i++) {
            link = U.getReference(link, next);
        }
        return link == null ? ABSENT : U.getReference(link, value);
    }

    @Hidden
    private Object mapped(Object owner) {
        Object node;
        if (kind == TREE) {
            node = inTree(U.getReference(owner, first));
        } else {
            node = inTable((Object[]) U.getReferenceVolatile(owner, first));
        }
        return node == null ? ABSENT : U.getReferenceVolatile(node, value);
    }

    @Hidden
    private Object inTable(Object[] table) {
        while (table != null && table.length > 0) {
            int spread = hash ^ hash >>> 16;
            // What other threads have put there is to be seen. Offsets of elements are of other types in
            // other JDKs.
            U.loadFence();
            Object node = table[table.length - 1 & spread];
            if (node != null && kind == CONCURRENT) {
                if (node.getClass() == forwarding) {
                    table = (Object[]) U.getReference(node, moved);
                    continue;
                }
                if (node.getClass() == treeBin) {
                    node = U.getReferenceVolatile(node, binFirst);
                }
            }
            while (node != null && !is(U.getReference(node, key))) {
                node = U.getReferenceVolatile(node, next);
            }
            return node;
        }
        return null;
    }

    /** The whole tree is looked at: its order may be the program's. */
    @Hidden
    private Object inTree(Object node) {
        while (node != null) {
            if (is(U.getReference(node, key))) {
                return node;
            }
            Object found = inTree(U.getReference(node, next));
            if (found != null) {
                return found;
            }
            node = U.getReference(node, other);
        }
        return null;
    }

    /** Whether a key is the one that is asked about. */
    @Hidden
    private boolean is(Object of) {
        switch (asked) {
            case 'n':
                return of == null && kind != CONCURRENT;
            case 's':
                return of instanceof String && text.equals(of);
            case 'I':
                return of instanceof Integer && (Integer) of == number;
            case 'J':
                return of instanceof Long && (Long) of == number;
            case 'S':
                return of instanceof Short && (Short) of == number;
            case 'B':
                return of instanceof Byte && (Byte) of == number;
            case 'C':
                return of instanceof Character && (Character) of == number;
            case 'Z':
                return of instanceof Boolean && (Boolean) of == (number != 0);
            default:
                return false;
        }
    }

    /**
     * What is asked of a collection, as it is now: none for an element or value that is not there; else that,
     * or of all of it "size print", with a print of all that it holds.
     */
    @Hidden
    static Object[] now(int query, Object owner) {
        QuerypointProbeContents about = ALL[query];
        if (about.asked == 'c') {
            return new Object[] {QuerypointProbeAgent.joined(about.size(owner), about.print(owner))};
        }
        Object state = about.state(owner);
        return state == ABSENT ? new Object[0] : new Object[] {state};
    }

    /**
     * Two collections that hold the same objects have the same print, in the same order where that is theirs.
     */
    @Hidden
    private long print(Object owner) {
        long print = 0;
        switch (kind) {
            case ARRAY:
            case DEQUE:
            case COPIED:
                Object[] elements = (Object[]) U.getReferenceVolatile(owner, first);
                int held = size(owner);
                int from = kind == DEQUE ? U.getInt(owner, second) : 0;
                for (int i = 0; i < held; i++) {
                    print = print * 31 + QuerypointProbeNumber.give(elements[(from + i) % elements.length]);
                }
                return print;
            case STREAM:
                return 0;
            case TEXT:
                return ofText(U.getReference(owner, first), U.getInt(owner, second));
            case LINKED:
                for (Object link = U.getReference(owner, first); link != null; link = U.getReference(link, next)) {
                    print = print * 31 + QuerypointProbeNumber.give(U.getReference(link, value));
                }
                return print;
            case TREE:
                return inOrder(U.getReference(owner, first));
            default:
                return ofTable((Object[]) U.getReferenceVolatile(owner, first));
        }
    }

    @Hidden
    private static long ofText(Object units, int count) {
        long print = 0;
        if (units instanceof char[]) {
            char[] chars = (char[]) units;
            for (int i = 0; i < count && i < chars.length; i++) {
                print = print * 31 + chars[i];
            }
        } else {
            // Of a text with two bytes a character: the first half tells enough.
            byte[] bytes = (byte[]) units;
            for (int i = 0; i < count && i < bytes.length; i++) {
                print = print * 31 + bytes[i];
            }
        }
        return print;
    }

    @Hidden
    private long inOrder(Object node) {
        long print = 0;
        for (; node != null; node = U.getReference(node, other)) {
            print += inOrder(U.getReference(node, next)) + of(node);
        }
        return print;
    }

    @Hidden
    private long of(Object node) {
        long pair = (long) QuerypointProbeNumber.give(U.getReference(node, key)) << 32
                | QuerypointProbeNumber.give(U.getReferenceVolatile(node, value)) & 0xffffffffL;
        pair = (pair ^ pair >>> 29) * 0x9e3779b97f4a7c15L;
        return pair ^ pair >>> 32;
    }

    @Hidden
    private long ofTable(Object[] table) {
        long print = 0;
        for (int i = 0; table != null && i < table.length; i++) {
            Object node = table[i];
            if (node != null && kind == CONCURRENT) {
                if (node.getClass() == forwarding) {
                    return ofTable((Object[]) U.getReference(node, moved));
                }
                if (node.getClass() == treeBin) {
                    node = U.getReferenceVolatile(node, binFirst);
                }
            }
            for (; node != null; node = U.getReferenceVolatile(node, next)) {
                // A concurrent map has no such key, but a place that is taken for one.
                print += kind == CONCURRENT && U.getReference(node, key) == null ? 0 : of(node);
            }
        }
        return print;
    }
}
