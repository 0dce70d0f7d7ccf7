package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/**
 * What the code that is put into methods calls, and what the debugger calls while the program stands.
 *
 * <p>It is defined in a package that every class loader leaves to the VM, and calls next to nothing of the
 * JDK, since that may be watched too. Its methods are hidden: no trace that the program reads shows them.
 */
public final class QuerypointProbe {
    /** Hits are only counted: each thread has sites of its own, and nothing stops. */
    static final boolean COUNTING = QuerypointProbeAgent.counting();

    /** By number. */
    @Stable static final QuerypointProbeQuery[] QUERIES;

    /**
     * A call of this class was refused for want of stack: its hit was neither counted nor kept. The program's
     * own code says so, in a handler. */
    public static boolean cut;

    static {
        int[] budgets;
        int[] indices = null;
        try {
            budgets = QuerypointProbeAgent.budgets();
            indices = QuerypointProbeAgent.indices();
        } catch (Throwable e) {
            budgets = new int[0];
            QuerypointProbeAgent.lose(QuerypointProbeAgent.UNASKED);
        }
        QUERIES = new QuerypointProbeQuery[budgets.length];
        for (int i = 0; i < budgets.length; i++) {
            QuerypointProbeVaried varied = null;
            try {
                long[] about = QuerypointProbeAgent.varied(i);
                varied = about == null ? null : new QuerypointProbeVaried(about);
            } catch (Throwable e) {
                QuerypointProbeAgent.lose(QuerypointProbeAgent.UNASKED);
            }
            QUERIES[i] = new QuerypointProbeQuery(i, budgets[i], indices == null ? -1 : indices[i], varied);
            try {
                String about = QuerypointProbeAgent.collection(i);
                if (about != null) {
                    QuerypointProbeContents.prepare(i, about);
                }
            } catch (Throwable e) {
                QuerypointProbeAgent.lose(QuerypointProbeAgent.COLLECTIONS);
            }
        }
        // Later there may be no stack to initialise them.
        Class<?>[] others = {
            QuerypointProbeThread.class,
            QuerypointProbeSite.class,
            QuerypointProbeSerial.class,
            QuerypointProbeKept.class,
            QuerypointProbeRows.class,
            QuerypointProbeNumber.class,
            QuerypointProbeLog.class,
            QuerypointProbeContents.class,
            QuerypointProbeField.class,
            QuerypointProbeClass.class,
            QuerypointProbeValues.class,
            QuerypointProbeText.class,
            QuerypointProbeGiven.class,
            QuerypointProbeGivenArray.class,
            QuerypointProbeGivenField.class,
            QuerypointProbeGivenReader.class,
        };
        for (Class<?> other : others) {
            Unsafe.getUnsafe().ensureClassInitialized(other);
        }
        QuerypointProbeVaried.prepare();
        QuerypointProbeGiven.prepare();
    }

    @Hidden
    private QuerypointProbe() {
    }

    /** The number of an activation in its thread. */
    @Hidden
    public static long enter() {
        return QuerypointProbeSerial.next(Thread.currentThread());
    }

    /** Execution is at a place. */
    @Hidden
    public static void at(int number) {
        count(null, 0, 0, null, number);
    }

    /**
     * Execution is at a place, and a condition was tested there: 0 if it is false, 1 if true, 2 if unknown.
     */
    @Hidden
    @ForceInline
    public static void tested(int result, int number) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            blind(number, null, result, 0, null);
            return;
        }
        long record = site.record + QuerypointProbeSite.HIT;
        site.record = record;
        if (result != 0 || record >= site.stop) {
            site.tested(record, result, false, null, 0, null);
        }
    }

    /** As {@link #tested(int, int)}, where a field is written or read, or a method returns a value. */
    @Hidden
    @ForceInline
    public static void tested(int result, Object owner, long bits, Object value, int number) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            blind(number, owner, 0, bits, value);
            return;
        }
        QuerypointProbeGiven.stored(site.query, owner, bits, value);
        long record = site.record + QuerypointProbeSite.HIT;
        site.record = record;
        if (result != 0 || record >= site.stop) {
            site.tested(record, result, true, owner, bits, value);
        }
    }

    /** What an {@code iinc} stores. */
    @Hidden
    @ForceInline
    public static int sum(int old, int by) {
        return old + by;
    }

    /** Whether a log point writes further lines. */
    @Hidden
    @ForceInline
    public static boolean logs(int number) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        return site != null && site.query >= 0 && QUERIES[site.query].logs();
    }

    /** Execution is at a log point whose condition is true: the text of its line. */
    @Hidden
    public static void log(String text, int number) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site != null) {
            site.record += QuerypointProbeSite.HIT;
            site.logged(text);
        }
    }

    /** A way is taken; what the activation keeps of it: the hit of its branch, and the mark of the way. */
    @Hidden
    public static long edge(int way, int number, int mark) {
        return count(null, 0, way, null, number) & ~QuerypointProbeSite.NUMBERS | mark;
    }

    /** A local variable is assigned; what the activation keeps of it. */
    @Hidden
    public static long store(int value, int number) {
        return count(null, 0, value, null, number);
    }

    @Hidden
    public static long store(long value, int number) {
        return count(null, 0, value, null, number);
    }

    @Hidden
    public static long store(float value, int number) {
        return count(null, 0, Float.floatToRawIntBits(value), null, number);
    }

    @Hidden
    public static long store(double value, int number) {
        return count(null, 0, Double.doubleToRawLongBits(value), null, number);
    }

    @Hidden
    public static long store(Object value, int number) {
        return count(null, 0, 0, value, number);
    }

    /** A local variable is increased; what the activation keeps of it. */
    @Hidden
    public static long increase(int old, int by, int number) {
        return count(null, 0, old + by, null, number);
    }

    /** A hit: its number and its site's; 0 where nothing counts. */
    @Hidden
    @ForceInline
    private static long count(Object owner, int index, long bits, Object value, int number) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            blind(number, owner, index, bits, value);
            return 0;
        }
        long record = site.record + QuerypointProbeSite.HIT;
        if (record >= site.stop) {
            site.pass(record, owner, index, bits, value);
        }
        site.record = record;
        return record & ~QuerypointProbeSite.NUMBERS | number;
    }

    /**
     * A field of an object, null for a static one, is about to be written. Other queries ask for it too: it
     * is counted when it is kept. */
    @Hidden
    public static void look(Object owner, int value, int number) {
        look(owner, 0, value, null, number);
    }

    @Hidden
    public static void look(Object owner, long value, int number) {
        look(owner, 0, value, null, number);
    }

    @Hidden
    public static void look(Object owner, float value, int number) {
        look(owner, 0, Float.floatToRawIntBits(value), null, number);
    }

    @Hidden
    public static void look(Object owner, double value, int number) {
        look(owner, 0, Double.doubleToRawLongBits(value), null, number);
    }

    @Hidden
    public static void look(Object owner, Object value, int number) {
        look(owner, 0, 0, value, number);
    }

    /**
     * An element of an array is about to be written. Other queries ask for it too: it is counted when it is
     * kept.
     */
    @Hidden
    public static void look(Object array, int index, int value, int number) {
        look(array, index, value, null, number);
    }

    @Hidden
    public static void look(Object array, int index, long value, int number) {
        look(array, index, value, null, number);
    }

    @Hidden
    public static void look(Object array, int index, float value, int number) {
        look(array, index, Float.floatToRawIntBits(value), null, number);
    }

    @Hidden
    public static void look(Object array, int index, double value, int number) {
        look(array, index, Double.doubleToRawLongBits(value), null, number);
    }

    @Hidden
    public static void look(Object array, int index, Object value, int number) {
        if (fits(array, index, value)) {
            look(array, index, 0, value, number);
        }
    }

    /** Stops at a hit that is asked for, and does not count it yet. */
    @Hidden
    private static void look(Object owner, int index, long bits, Object value, int number) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            blind(number, owner, index, bits, value);
        } else if (site.record + QuerypointProbeSite.HIT >= site.stop) {
            site.pass(site.record + QuerypointProbeSite.HIT, owner, index, bits, value);
        }
    }

    /**
     * A field of an object, null for a static one, is about to be written. For query -1 the last hit is not
     * kept.
     */
    @Hidden
    public static void put(Object owner, int value, int number, int query) {
        hit(owner, value, null, number, query);
    }

    @Hidden
    public static void put(Object owner, long value, int number, int query) {
        hit(owner, value, null, number, query);
    }

    @Hidden
    public static void put(Object owner, float value, int number, int query) {
        hit(owner, Float.floatToRawIntBits(value), null, number, query);
    }

    @Hidden
    public static void put(Object owner, double value, int number, int query) {
        hit(owner, Double.doubleToRawLongBits(value), null, number, query);
    }

    @Hidden
    public static void put(Object owner, Object value, int number, int query) {
        hit(owner, 0, value, number, query);
    }

    /** A field of an object, null for a static one, is about to be read. */
    @Hidden
    public static void get(Object owner, int number, int query) {
        hit(owner, 0, null, number, query);
    }

    /** Arrays were made, so deep in this one. */
    @Hidden
    public static void made(Object array, int level, int number, int query) {
        if (level > 0) {
            Object[] outer = (Object[]) array;
            for (int i = 0; i < outer.length; i++) {
                made(outer[i], level - 1, number, query);
            }
            return;
        }
        hit(array, 0, null, number, query);
    }

    /** An element of an array is about to be written. For query -1 the last hit is not kept. */
    @Hidden
    public static void element(Object array, int index, int value, int number, int query) {
        hitElement(array, index, value, null, number, query);
    }

    @Hidden
    public static void element(Object array, int index, long value, int number, int query) {
        hitElement(array, index, value, null, number, query);
    }

    @Hidden
    public static void element(Object array, int index, float value, int number, int query) {
        hitElement(array, index, Float.floatToRawIntBits(value), null, number, query);
    }

    @Hidden
    public static void element(Object array, int index, double value, int number, int query) {
        hitElement(array, index, Double.doubleToRawLongBits(value), null, number, query);
    }

    @Hidden
    public static void element(Object array, int index, Object value, int number, int query) {
        if (fits(array, index, value)) {
            hitElement(array, index, 0, value, number, query);
        }
    }

    /** A hit of an owner, of which the last is kept. */
    @Hidden
    @ForceInline
    private static void hit(Object owner, long bits, Object value, int number, int query) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            blind(number, owner, 0, bits, value);
            return;
        }
        QuerypointProbeGiven.stored(site.query, owner, bits, value);
        long record = site.record + QuerypointProbeSite.HIT;
        if (record >= site.stop) {
            site.pass(record, owner, 0, bits, value);
        }
        site.record = record;
        if (query >= 0 && site.isKept()) {
            QUERIES[query].keep(site, record, owner);
        }
    }

    /** A hit of an element, of which the last is kept. */
    @Hidden
    @ForceInline
    private static void hitElement(Object array, int index, long bits, Object value, int number, int query) {
        QuerypointProbeGiven.stored(array, index, bits, value);
        if (query >= 0 && QUERIES[query].skips(index)) {
            count(number);
            return;
        }
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            blind(number, array, index, bits, value);
            return;
        }
        long record = site.record + QuerypointProbeSite.HIT;
        if (record >= site.stop) {
            site.pass(record, array, index, bits, value);
        }
        site.record = record;
        if (query >= 0 && site.isKept()) {
            QUERIES[query].keepElement(site, record, array, index);
        }
    }

    /** As {@link #look(Object, int, long, Object, int)}, where a call has written already. */
    @Hidden
    static void look(
            Object owner, int index, long bits, Object value, QuerypointProbeGiven given, int number) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            blind(number, owner, index, bits, given.told(value));
        } else if (site.record + QuerypointProbeSite.HIT >= site.stop) {
            site.pass(site.record + QuerypointProbeSite.HIT, owner, index, bits, value, given);
        }
    }

    /** A call has written. For query -1 the last hit is not kept. */
    @Hidden
    static void hit(
            Object owner,
            int index,
            boolean isElement,
            long bits,
            Object value,
            QuerypointProbeGiven given,
            int number,
            int query) {
        if (isElement && query >= 0 && QUERIES[query].skips(index)) {
            count(number);
            return;
        }
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            blind(number, owner, index, bits, given.told(value));
            return;
        }
        long record = site.record + QuerypointProbeSite.HIT;
        if (record >= site.stop) {
            site.pass(record, owner, index, bits, value, given);
        }
        site.record = record;
        if (query >= 0 && site.isKept()) {
            if (isElement) {
                QUERIES[query].keepElement(site, record, owner, index);
            } else {
                QUERIES[query].keep(site, record, owner);
            }
        }
    }

    /** Counts a hit and does not keep it. */
    @Hidden
    public static void count(int number) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site != null) {
            site.record += QuerypointProbeSite.HIT;
        }
    }

    /** Counts a hit and keeps it as the last one of its owner. */
    @Hidden
    public static void keep(Object owner, int number, int query) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site != null) {
            long record = site.record + QuerypointProbeSite.HIT;
            site.record = record;
            if (site.isKept()) {
                QUERIES[query].keep(site, record, owner);
            }
        }
    }

    /** Counts a hit and keeps it as the last one of an element. */
    @Hidden
    public static void keepElement(Object array, int index, int number, int query) {
        if (QUERIES[query].skips(index)) {
            count(number);
            return;
        }
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site != null) {
            long record = site.record + QuerypointProbeSite.HIT;
            site.record = record;
            if (site.isKept()) {
                QUERIES[query].keepElement(site, record, array, index);
            }
        }
    }

    /** As {@link #keepElement(Object, int, int, int)}, of an array of references. */
    @Hidden
    public static void keepElement(Object array, int index, Object value, int number, int query) {
        if (fits(array, index, value)) {
            keepElement(array, index, number, query);
        }
    }

    /** Whether the store will not throw. */
    @Hidden
    private static boolean fits(Object array, int index, Object value) {
        return array != null
                && (value == null || array.getClass().getComponentType().isInstance(value))
                && index >= 0
                && index < ((Object[]) array).length;
    }

    /** A value passes a place in an activation: it is stored in a variable, returned, or a parameter. */
    @Hidden
    public static void pass(int value, long serial, int number) {
        copied(number, serial, null, 0, value, null);
    }

    @Hidden
    public static void pass(long value, long serial, int number) {
        copied(number, serial, null, 0, value, null);
    }

    @Hidden
    public static void pass(float value, long serial, int number) {
        copied(number, serial, null, 0, Float.floatToRawIntBits(value), null);
    }

    @Hidden
    public static void pass(double value, long serial, int number) {
        copied(number, serial, null, 0, Double.doubleToRawLongBits(value), null);
    }

    @Hidden
    public static void pass(Object value, long serial, int number) {
        copied(number, serial, null, 0, 0, value);
    }

    /** A local variable is increased. */
    @Hidden
    public static void increased(int old, int by, long serial, int number) {
        copied(number, serial, null, 0, old + by, null);
    }

    /** A value is about to be written into a field of an object, null for a static one. */
    @Hidden
    public static void copy(Object owner, int value, long serial, int number) {
        copied(number, serial, owner, 0, value, null);
    }

    @Hidden
    public static void copy(Object owner, long value, long serial, int number) {
        copied(number, serial, owner, 0, value, null);
    }

    @Hidden
    public static void copy(Object owner, float value, long serial, int number) {
        copied(number, serial, owner, 0, Float.floatToRawIntBits(value), null);
    }

    @Hidden
    public static void copy(Object owner, double value, long serial, int number) {
        copied(number, serial, owner, 0, Double.doubleToRawLongBits(value), null);
    }

    @Hidden
    public static void copy(Object owner, Object value, long serial, int number) {
        copied(number, serial, owner, 0, 0, value);
    }

    /** A value is about to be written into an array. Where that throws, nobody reads there. */
    @Hidden
    public static void copy(Object array, int index, int value, long serial, int number) {
        copied(number, serial, array, index, value, null);
    }

    @Hidden
    public static void copy(Object array, int index, long value, long serial, int number) {
        copied(number, serial, array, index, value, null);
    }

    @Hidden
    public static void copy(Object array, int index, float value, long serial, int number) {
        copied(number, serial, array, index, Float.floatToRawIntBits(value), null);
    }

    @Hidden
    public static void copy(Object array, int index, double value, long serial, int number) {
        copied(number, serial, array, index, Double.doubleToRawLongBits(value), null);
    }

    @Hidden
    public static void copy(Object array, int index, Object value, long serial, int number) {
        if (fits(array, index, value)) {
            copied(number, serial, array, index, 0, value);
        }
    }

    /**
     * A field of an object, null for a static one, is about to be read, or was written before there was an
     * object.
     */
    @Hidden
    public static void read(Object owner, long serial, int number) {
        copied(number, serial, owner, 0, 0, null);
    }

    /** An element is about to be read. */
    @Hidden
    public static void read(Object array, int index, long serial, int number) {
        copied(number, serial, array, index, 0, null);
    }

    /** Execution comes by. */
    @Hidden
    public static void come(long serial, int number) {
        copied(number, serial, null, 0, 0, null);
    }

    /** Counts a hit, and logs it where it is not known yet which of them are asked for. */
    @Hidden
    private static void copied(int number, long serial, Object owner, int index, long bits, Object value) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            blind(number, owner, index, bits, value);
            return;
        }
        long record = site.record + QuerypointProbeSite.HIT;
        if (record >= site.stop) {
            site.pass(record, owner, index, bits, value);
        }
        site.record = record;
        if (!COUNTING && site.query >= 0 && !QUERIES[site.query].known) {
            int of = QuerypointProbeNumber.give(owner);
            QuerypointProbeLog.add(record & ~QuerypointProbeSite.NUMBERS | number, serial << 16 | site.probe.place, (long) of << 32 | index & 0xffffffffL);
        }
    }

    /** A call has changed what is asked about of a collection. */
    @Hidden
    static void changed(
            Object owner, int number, int query, boolean keep, int marks, long sizes, Object before, Object now) {
        QuerypointProbeSite site = QuerypointProbeSite.here(Thread.currentThread(), number);
        if (site == null) {
            return;
        }
        if (site.record + QuerypointProbeSite.HIT >= site.stop) {
            site.pass(site.record + QuerypointProbeSite.HIT, owner, marks, sizes, new Object[] {before, now});
        }
        if (keep) {
            keep(owner, number, query);
        } else {
            count(number);
        }
    }

    /** Stops, if there is stack for that. */
    @Hidden
    static void halt(int site, long ordinal, Object owner, int index, long bits, Object value) {
        admit();
        QuerypointProbeAgent.tellAll();
        QuerypointProbeThread own = QuerypointProbeThread.of(Thread.currentThread());
        QuerypointProbeThread marked = QuerypointProbeLog.hasBegun() ? own : null;
        if (marked != null) {
            QuerypointProbeLog.add(ordinal << 20 | site, marked.place, 0);
            marked.marked = true;
        }
        try {
            stop(site, ordinal, owner, index, bits, value, own == null ? 0 : ++own.stops);
        } catch (VirtualMachineError e) {
            QuerypointProbeAgent.tellLoss();
        }
        if (marked != null) {
            marked.marked = false;
        }
    }

    /** A breakpoint stands here. The last argument counts the stops of the thread, to notice a lost one. */
    @Hidden
    private static void stop(
            int site, long ordinal, Object owner, int index, long bits, Object value, int nth) {
    }

    /**
     * A hit that cannot be counted: where that is for want of memory, it stops, since it may be one that is
     * asked for.
     */
    @Hidden
    private static void blind(int site, Object owner, int index, long bits, Object value) {
        if (QuerypointProbeAgent.hasLost() && !COUNTING) {
            QuerypointProbeThread known = QuerypointProbeThread.of(Thread.currentThread());
            if (known == null || !known.isQuiet()) {
                halt(site, 0, owner, index, bits, value);
            }
        }
    }

    @Hidden
    private static void admit() {
        if (cut) {
            cut = false;
            QuerypointProbeAgent.cut();
        }
    }

    /**
     * The last hit of a query on an owner: "site ordinal thread"; "" for none; "? why" where that is not
     * known.
     */
    @Hidden
    private static String last(int query, Object owner, int index) {
        QuerypointProbeAgent.yield();
        admit();
        if (QuerypointProbeAgent.hasLost()) {
            return "? ".concat(QuerypointProbeAgent.lost());
        }
        return QUERIES[query].last(owner, index);
    }

    /** As {@link QuerypointProbeVaried#seen(Object, int)}; null where its hits are not numbered. */
    @Hidden
    private static Object[] seen(int query, Object owner, int index) {
        QuerypointProbeVaried varied = QUERIES[query].varied;
        return varied == null ? null : varied.seen(owner, index);
    }

    /** As {@link QuerypointProbeContents#now(int, Object)}. */
    @Hidden
    private static Object[] now(int query, Object owner) {
        return QuerypointProbeContents.now(query, owner);
    }

    /**
     * Writes what was logged so far. "place object marked": the number of this thread, that of an object, and
     * whether the thread's last record says that it stands; "? why" where something was lost.
     */
    @Hidden
    private static String logged(Object owner) {
        QuerypointProbeAgent.yield();
        admit();
        QuerypointProbeThread own = QuerypointProbeThread.of(Thread.currentThread());
        if (!QuerypointProbeAgent.hasLost() && own != null && !QuerypointProbeLog.write()) {
            return "? the log of copies cannot be written: is the disk full?";
        }
        if (QuerypointProbeAgent.hasLost() || own == null) {
            return "? ".concat(QuerypointProbeAgent.lost());
        }
        return QuerypointProbeAgent.joined(own.place, QuerypointProbeNumber.give(owner), own.marked ? 1 : 0);
    }

    /** A thread in the log, as {@link QuerypointProbeThread#told} tells it. */
    @Hidden
    private static String named(int place) {
        for (QuerypointProbeThread known = QuerypointProbeThread.newest; known != null; known = known.older) {
            if (known.place == place) {
                return known.told();
            }
        }
        return "";
    }

    /** What {@link QuerypointProbeSite#count} tells, and then 1 if some hits were lost. */
    @Hidden
    private static long[] counts() {
        QuerypointProbeAgent.yield();
        admit();
        int sites = QuerypointProbeAgent.known();
        long[] hits = new long[4 * sites + 1];
        QuerypointProbeSite.count(hits, sites);
        hits[4 * sites] = QuerypointProbeAgent.hasLost() ? 1 : 0;
        return hits;
    }

    /** Nothing that this thread does from here on is counted, or it is again. */
    @Hidden
    private static void quiet(boolean on) {
        Thread thread = Thread.currentThread();
        QuerypointProbeThread known = QuerypointProbeThread.of(thread);
        if (known != null) {
            known.quiet(thread, on);
        }
    }
}
