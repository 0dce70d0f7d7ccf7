package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/**
 * What the code that is put into methods calls: counts hits, keeps which was the last, and stops at those that are asked
 * for. What each thread knows is its own; another reads it only while the program stands.
 *
 * <p>It is defined in a package that every class loader leaves to the VM, and calls next to nothing of the JDK, since
 * that may be watched too. What is kept by object lies outside the heap, which belongs to the program. Its methods are
 * hidden: no trace that the program reads shows them.
 *
 * <p>Where there is no more stack or heap for it, the program goes on; what was lost is told.
 *
 * <p>The compiler knows the elements of {@link #SITES} as constants. So a hit in the thread that was the first at its
 * site costs a few loads from known addresses; any other thread looks its own site up.
 */
public final class QuerypointProbe {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    /** Most threads that are told apart. */
    private static final int MOST = 1 << 16;
    private static final Object LOCK = new Object();
    private static final long NEVER = Long.MAX_VALUE;

    /** Hits are only counted: each thread has sites of its own, and nothing stops. */
    private static final boolean COUNTING = counting();

    /** The site of the thread that came first, by number. */
    @Stable private static final Site[] SITES = new Site[1 << 14];
    /** By number. */
    @Stable private static final Query[] QUERIES;
    /** Numbers activations in the thread that came first. */
    private static final Serial FIRST = new Serial();

    /** By the lower bits of the thread's number; further ones behind {@link #chained}. */
    private static QuerypointProbe[] table = new QuerypointProbe[256];
    private static QuerypointProbe newest;
    private static int threads;

    /** Every site of every thread, by its {@link Site#number}. */
    private static Site[] all = new Site[64];
    private static int made = 1;

    /** Why something was not kept: a number of {@link #told(int)}, since a text may find no memory. */
    private static int lost;
    /** Why a collection could not be looked at. */
    private static Throwable unseen;
    /** Whether a hit was lost and it is not told yet. */
    private static boolean untold;
    /** A call of this class was refused for want of stack: its hit was neither counted nor kept. The program's own code
     * says so, in a handler. */
    public static boolean cut;
    /** Given up when the heap is full, so that what is asked then can still be answered. */
    private static byte[] reserve = new byte[1 << 16];

    /** Of the log: so many records lie in one piece of memory, each of so many bytes; so many pieces at most. */
    private static final int PIECE = 1 << 16;
    private static final int RECORD = 24;
    private static final int PIECES = 512;
    /** The pieces' addresses; 0 for none yet. */
    private static final long[] LOG = new long[PIECES];
    /** How many records there are; threads increase it at once. Where an array's elements are has other types in other VMs. */
    private static final Serial LOGGED = new Serial();
    private static final long LAST = U.objectFieldOffset(Serial.class, "last");
    /** So many of the first records were written to the file for good. */
    private static long written;

    /** So many sites are made at once for a thread: later there may be no memory for them. */
    private static final int FEW = 256;

    static {
        int[] budgets;
        try {
            budgets = budgets();
        } catch (Throwable e) {
            budgets = new int[0];
            lost = 1;
        }
        QUERIES = new Query[budgets.length];
        for (int i = 0; i < budgets.length; i++) {
            QUERIES[i] = new Query(budgets[i]);
            try {
                String about = collection(i);
                if (about != null) {
                    QuerypointProbeContents.prepare(i, about);
                }
            } catch (Throwable e) {
                lost = 11;
            }
        }
    }

    private final long tid;
    private final String name;
    /** Tells it from other threads in the log. */
    private final int place;
    private QuerypointProbe chained;
    private final QuerypointProbe older;

    /** This thread's own, by number. */
    private Site[] sites = new Site[16];
    /** By query. */
    private final Last[] kept = new Last[QUERIES.length];
    private long serial;
    /** The calls of collections' methods that it is in. */
    private QuerypointProbeContents.Calls calls;
    /** A method is called for the debugger: nothing counts. */
    private boolean quiet;
    /** Its last record in the log says that it stands. */
    private boolean marked;

    @Hidden
    private QuerypointProbe(long tid, String name, int place, QuerypointProbe older) {
        this.tid = tid;
        this.name = name;
        this.place = place;
        this.older = older;
    }

    private static native int[] budgets();

    /** Whether hits are only counted. */
    private static native boolean counting();

    /** How many sites there are so far. */
    private static native int known();

    /** Writes memory into the file of the log; whether that was possible. */
    private static native boolean write(long offset, long address, long length);

    /** Frees the rows of owners that are in the heap no more; how many rows are left, or -1 if that is not known or most are. */
    private static native int bury(int query, long rows, int capacity, int used);

    /** Writes to the report that a hit was lost for want of stack. */
    private static native void tell();

    /** The query of a site, and the hits that are to stop there in threads of a name, ascending. */
    private static native long[] about(int site, String thread);

    /** What a query asks of a collection, and the class of that; null where it asks nothing of one. */
    private static native String collection(int query);

    /** What is shared by all threads of one query. */
    private static final class Query {
        /** How many hits still stop because they are among the first. */
        int left;
        /** Where the last kept hit was, which is in no table yet. */
        Site current;
        /** The thread of the last hit. */
        QuerypointProbe holder;
        /** How often that was another one before: orders what different threads keep. */
        int turn;
        /** Where that thread's hits wait, when each is of another owner than the one before; then there is no current site. */
        Last hot;
        /** Nothing is kept before the hit that is asked for: it is expected to be the last. */
        boolean dormant;
        /** Its hits are not logged: those that are asked for are known. */
        final boolean known;

        @Hidden
        Query(int left) {
            this.left = left < 0 ? 0 : left;
            this.dormant = left < 0;
            this.known = left < 0;
        }
    }

    /** A site in the threads of one name. */
    private static final class Site {
        /** The thread to which {@link #SITES} offers it; null while that is set aside. */
        Thread thread;
        /** How many hits there were. */
        long count;
        /** The next hit that stops. */
        long stop = NEVER;
        /** Of the owner of the last kept hit. */
        int hash;
        final QuerypointProbe probe;
        final int site;
        final int number;
        /** -1: it turned out to be none. */
        final int query;
        /** From index 1 on, the hits to stop at. */
        final long[] armed;

        @Hidden
        Site(QuerypointProbe probe, int site, int number, long[] about) {
            this.probe = probe;
            this.site = site;
            this.number = number;
            this.query = (int) about[0];
            this.armed = about;
            next(0);
        }

        /** The next hit after the n-th that stops. */
        @Hidden
        void next(long n) {
            long next = NEVER;
            if (query >= 0 && QUERIES[query].left > 0) {
                next = n + 1;
            } else {
                for (int i = armed.length - 1; i > 0 && armed[i] > n; i--) {
                    next = armed[i];
                }
            }
            stop = next;
        }

        /** A hit that may be one to stop at. */
        @Hidden
        void pass(long n, Object owner, int index, long bits, Object value) {
            if (probe.quiet) {
                return;
            }
            boolean stops = false;
            for (int i = 1; i < armed.length && !stops; i++) {
                stops = armed[i] == n;
            }
            if (query >= 0 && QUERIES[query].left > 0) {
                // Hits of different threads may come at once: one more or less of the first does not matter.
                QUERIES[query].left--;
                stops = true;
            }
            next(n);
            if (stops) {
                if (query >= 0) {
                    QUERIES[query].dormant = false;
                }
                halt(site, n, owner, index, bits, value);
            }
        }
    }

    private static final class Serial {
        Thread thread;
        long last;
    }

    @Hidden
    private static QuerypointProbe of(Thread thread) {
        long tid = U.getLong(thread, TID);
        QuerypointProbe[] all = table;
        QuerypointProbe probe = all[(int) tid & (all.length - 1)];
        for (; probe != null; probe = probe.chained) {
            if (probe.tid == tid) {
                return probe;
            }
        }
        return enlist(thread, tid);
    }

    /** Null where there is no memory left. */
    @Hidden
    private static QuerypointProbe enlist(Thread thread, long tid) {
        try {
            return newest(thread.getName(), tid);
        } catch (Throwable e) {
            reserve = null;
        }
        try {
            return newest(thread.getName(), tid);
        } catch (Throwable e) {
            lose(2);
            return null;
        }
    }

    @Hidden
    private static QuerypointProbe newest(String name, long tid) {
        synchronized (LOCK) {
            // While the table was made wider it may have looked as if it were not there.
            for (QuerypointProbe probe = table[(int) tid & (table.length - 1)]; probe != null; probe = probe.chained) {
                if (probe.tid == tid) {
                    return probe;
                }
            }
            if (threads >= MOST && !COUNTING) {
                lose(3);
            } else if (threads > table.length) {
                rehash();
            }
            QuerypointProbe made = new QuerypointProbe(tid, name, threads, newest);
            for (QuerypointProbe other = newest; other != null && !COUNTING; other = other.older) {
                if (other.name.equals(name)) {
                    // Hits are counted by the names of threads: those survive a relaunch.
                    made.sites = other.sites;
                    break;
                }
            }
            int at = (int) tid & (table.length - 1);
            made.chained = table[at];
            U.storeFence();
            table[at] = made;
            newest = made;
            threads++;
            return made;
        }
    }

    @Hidden
    private static void rehash() {
        QuerypointProbe[] wider = new QuerypointProbe[table.length * 4];
        for (QuerypointProbe probe = newest; probe != null; probe = probe.older) {
            int at = (int) probe.tid & (wider.length - 1);
            probe.chained = wider[at];
            wider[at] = probe;
        }
        U.storeFence();
        table = wider;
    }

    @Hidden
    private static void lose(int why) {
        if (lost == 0) {
            lost = why;
        }
    }

    @Hidden
    private static void admit() {
        if (cut) {
            cut = false;
            lose(8);
            untold = true;
        }
    }

    @Hidden
    private static String told(int why) {
        switch (why) {
            case 1:
                return "the agent could not be asked";
            case 2:
                return "there was no memory or stack to count a thread's hits";
            case 3:
                return "there were more than 65536 threads";
            case 4:
                return "there was no memory or stack to count the hits of a site";
            case 5:
                return "there was no memory or stack for what is kept";
            case 6:
                return "there were more than 100 million objects";
            case 8:
                return "there was no stack left to count a hit, or to stop at it";
            case 9:
                return "a collection could not be looked at" + (unseen == null ? "" : ": " + unseen.getClass().getName());
            case 10:
                return "the calls of collections' methods ended in another order than they began";
            case 11:
                return "the collections of this VM are not made as they are elsewhere";
            case 12:
                return "more than 33 million copies would have to be logged; ask from a point that comes earlier, or for the "
                        + "LastChange";
            case 13:
                return "there was no memory for the log of copies";
            default:
                return "there were more sites in threads than can be told apart";
        }
    }

    /** The site of a number in a thread; null where nothing counts. */
    @Hidden
    private static Site site(Thread thread, int number) {
        QuerypointProbe probe = of(thread);
        if (probe == null || probe.quiet) {
            return null;
        }
        Site[] own = probe.sites;
        Site site = number < own.length ? own[number] : null;
        return site != null ? site : probe.first(thread, number);
    }

    /** The first hit of a site in threads of this name; null where there is no memory left. */
    @Hidden
    private Site first(Thread thread, int number) {
        try {
            return make(thread, number);
        } catch (Throwable e) {
            reserve = null;
        }
        try {
            return make(thread, number);
        } catch (Throwable e) {
            lose(4);
            return null;
        }
    }

    @Hidden
    private Site make(Thread thread, int number) {
        synchronized (LOCK) {
            int known = known();
            boolean one = COUNTING || known > FEW;
            int from = one ? number : 0;
            int to = one ? number + 1 : known;
            if (to > sites.length) {
                Site[] old = sites;
                Site[] wider = new Site[Math.max(to, old.length * 2)];
                for (int i = 0; i < old.length; i++) {
                    wider[i] = old[i];
                }
                for (QuerypointProbe probe = newest; probe != null; probe = probe.older) {
                    if (probe.sites == old) {
                        probe.sites = wider;
                    }
                }
            }
            for (int i = from; i < to; i++) {
                if (sites[i] == null) {
                    sites[i] = make(thread, i, about(i, name));
                }
            }
            return sites[number];
        }
    }

    @Hidden
    private Site make(Thread thread, int number, long[] about) {
        if (made > 0xfffff) {
            lose(7);
            return null;
        }
        if (made == all.length) {
            Site[] wider = new Site[made * 2];
            for (int i = 0; i < made; i++) {
                wider[i] = all[i];
            }
            all = wider;
        }
        Site site = new Site(this, number, made, about);
        all[made++] = site;
        if (number < SITES.length && SITES[number] == null) {
            site.thread = thread;
            U.storeFence();
            SITES[number] = site;
        }
        return site;
    }

    /** Stops, if there is stack for that. */
    @Hidden
    private static void halt(int site, long ordinal, Object owner, int index, long bits, Object value) {
        admit();
        if (untold) {
            tellLoss();
        }
        QuerypointProbe marked = LOG[0] == 0 ? null : of(Thread.currentThread());
        if (marked != null) {
            log(ordinal << 20 | site, marked.place, 0);
            marked.marked = true;
        }
        try {
            stop(site, ordinal, owner, index, bits, value);
        } catch (VirtualMachineError e) {
            tellLoss();
        }
        if (marked != null) {
            marked.marked = false;
        }
    }

    @Hidden
    private static void tellLoss() {
        try {
            untold = true;
            tell();
            untold = false;
        } catch (VirtualMachineError e) {
            // The next hit that stops tells it.
        }
    }

    /** A breakpoint stands here. */
    @Hidden
    private static void stop(int site, long ordinal, Object owner, int index, long bits, Object value) {
    }

    /** A hit that cannot be counted: where that is for want of memory, it stops, since it may be one that is asked for. */
    @Hidden
    private static void blind(Thread thread, int site, Object owner, int index, long bits, Object value) {
        if (lost != 0 && !COUNTING) {
            QuerypointProbe probe = of(thread);
            if (probe == null || !probe.quiet) {
                halt(site, 0, owner, index, bits, value);
            }
        }
    }

    /** The number of an activation in its thread. */
    @Hidden
    public static long enter() {
        Thread thread = Thread.currentThread();
        return FIRST.thread == thread ? ++FIRST.last : enter(thread);
    }

    @Hidden
    private static long enter(Thread thread) {
        if (FIRST.thread == null) {
            synchronized (LOCK) {
                if (FIRST.thread == null) {
                    FIRST.thread = thread;
                    return ++FIRST.last;
                }
            }
        }
        QuerypointProbe probe = of(thread);
        return probe == null ? 0 : ++probe.serial;
    }

    /** Execution is at a place. */
    @Hidden
    public static void at(int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, null, 0, 0, null);
            return;
        }
        long n = site.count + 1;
        if (n >= site.stop) {
            site.pass(n, null, 0, 0, null);
        }
        site.count = n;
    }

    /** A way is taken; what the activation keeps of it: the hit of its branch, and the mark of the way. */
    @Hidden
    public static long edge(int way, int number, int mark) {
        return store(way, number) & ~0xfffffL | mark;
    }

    /** A local variable is assigned; what the activation keeps of it. */
    @Hidden
    public static long store(int value, int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, null, 0, value, null);
            return 0;
        }
        long n = site.count + 1;
        if (n >= site.stop) {
            site.pass(n, null, 0, value, null);
        }
        site.count = n;
        return n << 20 | number;
    }

    @Hidden
    public static long store(long value, int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, null, 0, value, null);
            return 0;
        }
        long n = site.count + 1;
        if (n >= site.stop) {
            site.pass(n, null, 0, value, null);
        }
        site.count = n;
        return n << 20 | number;
    }

    @Hidden
    public static long store(float value, int number) {
        return store(Float.floatToRawIntBits(value), number);
    }

    @Hidden
    public static long store(double value, int number) {
        return store(Double.doubleToRawLongBits(value), number);
    }

    @Hidden
    public static long store(Object value, int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, null, 0, 0, value);
            return 0;
        }
        long n = site.count + 1;
        if (n >= site.stop) {
            site.pass(n, null, 0, 0, value);
        }
        site.count = n;
        return n << 20 | number;
    }

    /** A local variable is increased; what the activation keeps of it. */
    @Hidden
    public static long increase(int old, int by, int number) {
        return store(old + by, number);
    }

    /** A field of an object, null for a static one, is about to be written. It is counted when it is kept. */
    @Hidden
    public static void put(Object owner, int value, int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, owner, 0, value, null);
        } else if (site.count + 1 >= site.stop) {
            site.pass(site.count + 1, owner, 0, value, null);
        }
    }

    @Hidden
    public static void put(Object owner, long value, int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, owner, 0, value, null);
        } else if (site.count + 1 >= site.stop) {
            site.pass(site.count + 1, owner, 0, value, null);
        }
    }

    @Hidden
    public static void put(Object owner, float value, int number) {
        put(owner, Float.floatToRawIntBits(value), number);
    }

    @Hidden
    public static void put(Object owner, double value, int number) {
        put(owner, Double.doubleToRawLongBits(value), number);
    }

    @Hidden
    public static void put(Object owner, Object value, int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, owner, 0, 0, value);
        } else if (site.count + 1 >= site.stop) {
            site.pass(site.count + 1, owner, 0, 0, value);
        }
    }

    /** Arrays were made, so deep in this one; for query -1 the last hit is not kept. */
    @Hidden
    public static void made(Object array, int level, int number, int query) {
        if (level > 0) {
            Object[] outer = (Object[]) array;
            for (int i = 0; i < outer.length; i++) {
                made(outer[i], level - 1, number, query);
            }
            return;
        }
        put(array, null, number);
        if (query < 0) {
            count(number);
        } else {
            keep(array, number, query);
        }
    }

    /** A field of an object, null for a static one, is about to be read. It is counted when it is kept. */
    @Hidden
    public static void get(Object owner, int number) {
        put(owner, 0, number);
    }

    /** An element of an array is about to be written. It is counted when it is kept. */
    @Hidden
    public static void element(Object array, int index, int value, int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, array, index, value, null);
        } else if (site.count + 1 >= site.stop) {
            site.pass(site.count + 1, array, index, value, null);
        }
    }

    @Hidden
    public static void element(Object array, int index, long value, int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, array, index, value, null);
        } else if (site.count + 1 >= site.stop) {
            site.pass(site.count + 1, array, index, value, null);
        }
    }

    @Hidden
    public static void element(Object array, int index, float value, int number) {
        element(array, index, Float.floatToRawIntBits(value), number);
    }

    @Hidden
    public static void element(Object array, int index, double value, int number) {
        element(array, index, Double.doubleToRawLongBits(value), number);
    }

    @Hidden
    public static void element(Object array, int index, Object value, int number) {
        if (!fits(array, index, value)) {
            return;
        }
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, array, index, 0, value);
        } else if (site.count + 1 >= site.stop) {
            site.pass(site.count + 1, array, index, 0, value);
        }
    }

    /** Counts a hit and does not keep it. */
    @Hidden
    public static void count(int number) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site != null) {
            site.count++;
        }
    }

    /** Counts a hit and keeps it as the last one of its owner. */
    @Hidden
    public static void keep(Object owner, int number, int query) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site != null) {
            Query of = QUERIES[query];
            if (!of.dormant) {
                Last hot = of.hot;
                if (hot != null && hot.thread == thread) {
                    hot.add(owner, site.count + 1 << 20 | site.number);
                } else {
                    int hash = System.identityHashCode(owner);
                    if (of.current != site || site.hash != hash) {
                        change(thread, site, hash, owner);
                    }
                }
            }
            site.count++;
        }
    }

    /** Counts a hit and keeps it as the last one of an element. */
    @Hidden
    public static void keepElement(Object array, int index, int number, int query) {
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site != null) {
            Query of = QUERIES[query];
            if (!of.dormant) {
                int hash = hash(array, index);
                if (of.current != site || site.hash != hash) {
                    change(thread, site, hash, null);
                }
            }
            site.count++;
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

    /** Tells elements apart, but for a few that share a number: whoever asks looks again. */
    @Hidden
    private static int hash(Object array, int index) {
        return System.identityHashCode(array) + index * 0x9e3779b1;
    }

    /** The calls of collections' methods that this thread is in; null where nothing counts. */
    @Hidden
    static QuerypointProbeContents.Calls calls() {
        QuerypointProbe probe = of(Thread.currentThread());
        if (probe == null || probe.quiet) {
            return null;
        }
        if (probe.calls == null) {
            probe.calls = new QuerypointProbeContents.Calls();
        }
        return probe.calls;
    }

    /** As {@link QuerypointProbeContents#now(int, Object)}. */
    @Hidden
    private static Object[] now(int query, Object owner) {
        return QuerypointProbeContents.now(query, owner);
    }

    /** A call could not be looked at. */
    @Hidden
    static void loseContents(Throwable why) {
        lose(why == null ? 10 : 9);
        unseen = why;
    }

    /** A call has changed what is asked about. */
    @Hidden
    static void changed(
            Object owner, int number, int query, boolean keep, int marks, long sizes, Object before, Object now) {
        Site site = site(Thread.currentThread(), number);
        if (site == null) {
            return;
        }
        if (site.count + 1 >= site.stop) {
            site.pass(site.count + 1, owner, marks, sizes, new Object[] {before, now});
        }
        if (keep) {
            keep(owner, number, query);
        } else {
            count(number);
        }
    }

    /** The last hit of a query is now at this site, of another owner than the one before. Without an owner nothing waits. */
    @Hidden
    private static void change(Thread thread, Site site, int hash, Object owner) {
        if (site.query < 0) {
            return;
        }
        Query query = QUERIES[site.query];
        // Threads of one name share their sites, and keep what they keep each for itself.
        QuerypointProbe own = site.thread == thread ? site.probe : of(thread);
        if (own == null) {
            return;
        }
        if (query.holder != own) {
            synchronized (LOCK) {
                if (query.current != null) {
                    own.keep(query, query.current);
                }
                query.hot = null;
                query.holder = own;
                query.turn++;
                site.hash = hash;
                query.current = site;
            }
            return;
        }
        Last last = query.current == null ? own.kept[site.query] : own.keep(query, query.current);
        if (owner != null && last != null && last.warms(thread, query.turn)) {
            query.current = null;
            query.hot = last;
            last.add(owner, site.count + 1 << 20 | site.number);
            return;
        }
        site.hash = hash;
        query.current = site;
    }

    @Hidden
    private Last keep(Query query, Site before) {
        Last last = kept[before.query];
        if (last == null) {
            try {
                last = new Last(before.query);
            } catch (Throwable e) {
                lose(5);
                return null;
            }
            kept[before.query] = last;
        }
        last.keep(before.hash, query.turn, before.count << 20 | before.number);
        return last;
    }

    /** The last hit of a query on an owner: "site ordinal thread"; "" for none; "? why" where that is not known. */
    @Hidden
    private static String last(int number, Object owner, int index) {
        reserve = null;
        admit();
        if (lost != 0) {
            return "? " + told(lost);
        }
        int hash = hash(owner, index);
        Query query = QUERIES[number];
        if (query.dormant) {
            return "? the hit that was expected had not come";
        }
        long record = 0;
        int latest = -1;
        for (QuerypointProbe probe = newest; probe != null; probe = probe.older) {
            Last own = probe.kept[number];
            long row = own == null ? 0 : own.find(hash);
            if (row != 0 && (int) (U.getLong(row) >>> 32) > latest) {
                latest = (int) (U.getLong(row) >>> 32);
                record = U.getLong(row + 8);
            }
        }
        if (lost != 0) {
            return "? " + told(lost);
        }
        Site current = query.current;
        if (current != null && current.hash == hash && query.turn >= latest) {
            record = current.count << 20 | current.number;
        }
        return record == 0 ? "" : told(record);
    }

    @Hidden
    private static String told(long record) {
        Site site = all[(int) record & 0xfffff];
        return site.site + " " + (record >>> 20) + " " + site.probe.name;
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

    /** A field of an object, null for a static one, is about to be read, or was written before there was an object. */
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
        Thread thread = Thread.currentThread();
        Site site = number < SITES.length ? SITES[number] : null;
        if (site == null || site.thread != thread) {
            site = site(thread, number);
        }
        if (site == null) {
            blind(thread, number, owner, index, bits, value);
            return;
        }
        long n = site.count + 1;
        if (n >= site.stop) {
            site.pass(n, owner, index, bits, value);
        }
        site.count = n;
        if (!COUNTING && site.query >= 0 && !QUERIES[site.query].known) {
            QuerypointProbe probe = site.thread == thread ? site.probe : of(thread);
            if (probe != null) {
                int hash = owner == null ? 0 : System.identityHashCode(owner);
                log(n << 20 | number, serial << 16 | probe.place, (long) hash << 32 | index & 0xffffffffL);
            }
        }
    }

    @Hidden
    private static void log(long hit, long activation, long element) {
        long at = U.getAndAddLong(LOGGED, LAST, 1);
        if (at >= (long) PIECE * PIECES) {
            lose(12);
            return;
        }
        int piece = (int) (at / PIECE);
        long address = LOG[piece];
        if (address == 0) {
            address = piece(piece);
            if (address == 0) {
                return;
            }
        }
        address += at % PIECE * RECORD;
        U.putLong(address + 8, activation);
        U.putLong(address + 16, element);
        // Last, since what is not 0 is taken to be whole.
        U.putLongRelease(null, address, hit);
    }

    @Hidden
    private static long piece(int piece) {
        synchronized (LOCK) {
            if (LOG[piece] == 0 && lost == 0) {
                try {
                    long fresh = U.allocateMemory((long) PIECE * RECORD);
                    U.setMemory(fresh, (long) PIECE * RECORD, (byte) 0);
                    U.storeFence();
                    LOG[piece] = fresh;
                } catch (Throwable e) {
                    lose(13);
                }
            }
            return LOG[piece];
        }
    }

    /**
     * Writes what was logged so far. "place hash marked": the number of this thread, the hash code of an object, and
     * whether the thread's last record says that it stands; "? why" where something was lost.
     */
    @Hidden
    private static String logged(Object owner) {
        reserve = null;
        admit();
        Thread thread = Thread.currentThread();
        QuerypointProbe probe = of(thread);
        if (lost == 0 && probe != null) {
            long all = U.getLongVolatile(LOGGED, LAST);
            boolean whole = true;
            for (long at = written; at < all; at = (at / PIECE + 1) * PIECE) {
                long from = LOG[(int) (at / PIECE)] + at % PIECE * RECORD;
                long length = PIECE - at % PIECE;
                if (length > all - at) {
                    length = all - at;
                }
                if (!write(at * RECORD, from, length * RECORD)) {
                    return "? the log of copies cannot be written: is the disk full?";
                }
                // Another thread may be about to write a record. Then this is written again.
                for (long i = 0; whole && i < length; i++) {
                    whole = U.getLong(from + i * RECORD) != 0;
                    if (whole) {
                        written = at + i + 1;
                    }
                }
            }
        }
        if (lost != 0 || probe == null) {
            return "? " + told(lost);
        }
        return probe.place + " " + (owner == null ? 0 : System.identityHashCode(owner)) + " " + (probe.marked ? 1 : 0);
    }

    /** The name of a thread in the log. */
    @Hidden
    private static String named(int place) {
        for (QuerypointProbe probe = newest; probe != null; probe = probe.older) {
            if (probe.place == place) {
                return probe.name;
            }
        }
        return "";
    }

    /** The hits by number of the site, in all threads; behind them, if some were lost, 1. */
    @Hidden
    private static long[] counts() {
        reserve = null;
        admit();
        long[] hits = new long[known() + 1];
        for (int i = 1; i < made; i++) {
            Site site = all[i];
            if (site != null && site.query >= 0 && site.site < hits.length - 1) {
                hits[site.site] += site.count;
            }
        }
        hits[hits.length - 1] = lost == 0 ? 0 : 1;
        return hits;
    }

    /** Nothing that this thread does from here on is counted, or it is again. */
    @Hidden
    private static void quiet(boolean on) {
        Thread thread = Thread.currentThread();
        QuerypointProbe probe = of(thread);
        if (probe == null) {
            return;
        }
        probe.quiet = on;
        for (Site site : SITES) {
            if (site != null && site.probe == probe) {
                site.thread = on ? null : thread;
            }
        }
    }

    /** The last hits of one query in one thread, by the identity hash codes of owners. */
    private static final class Last {
        /** So many hits wait until they are put into rows. */
        private static final int MOST_WAITING = 64;
        /** So often owners change until their hits wait together with them. */
        private static final int OFTEN = 1 << 16;
        /** With fewer rows nothing is gained by asking which owners are gone. */
        private static final int FEW = 1 << 19;

        private final int query;
        /** Rows of two words: turn and hash, then the record. A row is free while its record is 0. */
        private long rows;
        private int capacity;
        private int used;
        /** Hits that are in no row yet, in their order: such rows too. */
        private long fresh;
        private int waiting;
        /** Of those hits, the owners whose hash codes are still to be asked for. Each object lies somewhere else in memory:
         * one after another the program would wait for each. */
        private Object[] owners;
        private int changes;
        /** The thread whose hits wait with their owners, and the turn in which they do. */
        Thread thread;
        private int turn;
        /** Of what {@link #settle()} reads ahead. */
        private long read;

        @Hidden
        Last(int query) {
            this.query = query;
        }

        @Hidden
        void keep(int hash, int turn, long record) {
            if (record >>> 20 == 0 || waiting >= MOST_WAITING && !settle() || fresh == 0 && !begin()) {
                return;
            }
            long at = fresh + ((long) waiting << 4);
            U.putLong(at, (long) turn << 32 | hash & 0xffffffffL);
            U.putLong(at + 8, record);
            waiting++;
        }

        /** Whether hits are to wait with their owners from here on. */
        @Hidden
        boolean warms(Thread thread, int turn) {
            if (++changes < OFTEN || fresh == 0) {
                return false;
            }
            try {
                owners = new Object[MOST_WAITING];
            } catch (Throwable e) {
                changes = 0;
                return false;
            }
            this.thread = thread;
            this.turn = turn;
            return true;
        }

        @Hidden
        void add(Object owner, long record) {
            if (waiting >= MOST_WAITING && !settle()) {
                return;
            }
            Object[] with = owners;
            if (with == null) {
                keep(System.identityHashCode(owner), turn, record);
                return;
            }
            int n = waiting;
            long at = fresh + ((long) n << 4);
            with[n] = owner;
            U.putLong(at, (long) turn << 32);
            U.putLong(at + 8, record);
            waiting = n + 1;
        }

        /** Puts into rows what waits. Of millions of objects each row is somewhere else in memory: all are read first, and
         * the memory answers side by side. */
        @Hidden
        private boolean settle() {
            if (owners != null) {
                name();
            }
            if (used + waiting > capacity / 4L * 3L && !grow()) {
                return false;
            }
            long sum = 0;
            for (int i = 0; i < waiting; i++) {
                sum += U.getLong(rows + ((long) place(capacity, (int) U.getLong(fresh + ((long) i << 4))) << 4));
            }
            read = sum;
            for (int i = 0; i < waiting; i++) {
                long from = fresh + ((long) i << 4);
                long word = U.getLong(from);
                long at = row(rows, capacity, (int) word);
                if (U.getLong(at + 8) == 0) {
                    used++;
                }
                U.putLong(at, word);
                U.putLong(at + 8, U.getLong(from + 8));
            }
            waiting = 0;
            return true;
        }

        /** Asks for the hash codes of the owners that wait. */
        @Hidden
        private void name() {
            Object[] asked = owners;
            int before = 0;
            int same = 0;
            for (int i = 0; i < waiting; i++) {
                Object owner = asked[i];
                if (owner != null) {
                    int hash = System.identityHashCode(owner);
                    long at = fresh + ((long) i << 4);
                    U.putLong(at, U.getLong(at) | hash & 0xffffffffL);
                    same += hash == before ? 1 : 0;
                    before = hash;
                }
            }
            try {
                // A new array costs the collector less than new objects in an old one.
                owners = new Object[MOST_WAITING];
            } catch (Throwable e) {
                for (int i = 0; i < MOST_WAITING; i++) {
                    asked[i] = null;
                }
            }
            if (same > MOST_WAITING / 2) {
                changes = 0;
                owners = null;
                QUERIES[query].hot = null;
            }
        }

        @Hidden
        private boolean begin() {
            try {
                fresh = U.allocateMemory(MOST_WAITING << 4);
                return true;
            } catch (Throwable e) {
                lose(5);
                return false;
            }
        }

        /** The row of a hash, 0 for none. */
        @Hidden
        long find(int hash) {
            if (waiting > 0 && !settle() || capacity == 0) {
                return 0;
            }
            long at = row(rows, capacity, hash);
            return U.getLong(at + 8) == 0 ? 0 : at;
        }

        @Hidden
        private static long row(long rows, int capacity, int hash) {
            int at = place(capacity, hash);
            while (true) {
                long address = rows + ((long) at << 4);
                if (U.getLong(address + 8) == 0 || (int) U.getLong(address) == hash) {
                    return address;
                }
                at = at + 1 & (capacity - 1);
            }
        }

        /** Where the row of a hash is, or behind which others. */
        @Hidden
        private static int place(int capacity, int hash) {
            return (int) (hash * 0x9e3779b97f4a7c15L >>> 32) & (capacity - 1);
        }

        @Hidden
        private boolean grow() {
            try {
                int wider = capacity == 0 ? 1024 : capacity * 2;
                int left = used < FEW ? -1 : bury(query, rows, capacity, used);
                if (left >= 0) {
                    used = left;
                    wider = capacity;
                }
                if (wider > 1 << 27) {
                    lose(6);
                    return false;
                }
                long fresh = U.allocateMemory((long) wider << 4);
                U.setMemory(fresh, (long) wider << 4, (byte) 0);
                for (int i = 0; i < capacity; i++) {
                    long from = rows + ((long) i << 4);
                    long record = U.getLong(from + 8);
                    if (record != 0) {
                        long to = row(fresh, wider, (int) U.getLong(from));
                        U.putLong(to, U.getLong(from));
                        U.putLong(to + 8, record);
                    }
                }
                if (capacity > 0) {
                    U.freeMemory(rows);
                }
                rows = fresh;
                capacity = wider;
                return true;
            } catch (Throwable e) {
                lose(5);
                return false;
            }
        }
    }
}
