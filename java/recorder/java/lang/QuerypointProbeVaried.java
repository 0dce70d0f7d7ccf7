package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * The hits of one query in a run that no other run repeats. They are numbered over all threads, and the last
 * one of each owner is kept here with what an answer shows of it, since no later run can stop there for
 * certain.
 *
 * <p>It keeps the written values alive, and every hit takes its lock. That is why only such runs have it.
 */
final class QuerypointProbeVaried {
    /** Most owners whose last hits are kept. */
    private static final int MOST = 1 << 18;

    /** The last hit of an owner. */
    private static final class Hit {
        /** Its number among all hits of the query, from 1. */
        long number;
        long record;
        long bits;
        Object value;
        /** What the hit before wrote, if there was one. */
        boolean hasOld;
        long oldBits;
        Object oldValue;
        /** The stack, newest frame first: methods and indices in turn. */
        long[] stack;

        @Hidden
        Hit() {
        }
    }

    /** Hits of these numbers stop. */
    private final long from;
    private final long to;
    /** Whether stacks and values are kept, not only numbers. */
    private final boolean whole;
    /** Whether elements of arrays are asked for. */
    private final boolean elements;
    /** A hit stops if the next hit of this query would stop; -1 if the numbers above decide. */
    private final int with;

    private volatile long hits;
    private long[] keys = new long[1 << 8];
    private Hit[] last = new Hit[1 << 8];
    private int used;

    @Hidden
    QuerypointProbeVaried(long[] about) {
        this.from = about[0];
        this.to = about[1];
        this.whole = about[2] != 0;
        this.elements = about[3] != 0;
        this.with = (int) about[4];
    }

    /** The initialiser of the class of hits runs now: later there may be no stack for it. */
    @Hidden
    static void prepare() {
        new Hit();
    }

    /** A hit is numbered and kept. Whether it stops. */
    @Hidden
    boolean hit(long record, Object owner, int index, long bits, Object value) {
        try {
            long key = key(owner, index);
            long[] stack = whole ? QuerypointProbeAgent.stack() : null;
            synchronized (this) {
                long number = ++hits;
                Hit hit = find(key);
                if (hit.number > 0) {
                    hit.hasOld = true;
                    hit.oldBits = hit.bits;
                    hit.oldValue = hit.value;
                }
                hit.number = number;
                hit.record = record;
                hit.bits = bits;
                hit.value = whole ? value : null;
                hit.stack = stack;
                if (with < 0) {
                    return number >= from && number < to;
                }
            }
            QuerypointProbeVaried other = QuerypointProbe.QUERIES[with].varied;
            return other != null && other.isOpen();
        } catch (Throwable e) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.VARIED);
            return false;
        }
    }

    /** Whether the next hit would stop. */
    @Hidden
    private boolean isOpen() {
        long next = hits + 1;
        return next >= from && next < to;
    }

    @Hidden
    private long key(Object owner, int index) {
        return (long) QuerypointProbeNumber.give(owner) << 32 | (elements ? index & 0xffffffffL : 0);
    }

    /** The hit of a key, a new one where there is none yet. */
    @Hidden
    private Hit find(long key) {
        int at = place(keys, last, key);
        if (last[at] == null) {
            if (used == MOST) {
                throw new OutOfMemoryError();
            }
            if (used++ >= keys.length / 4 * 3) {
                widen();
                at = place(keys, last, key);
            }
            keys[at] = key;
            last[at] = new Hit();
        }
        return last[at];
    }

    @Hidden
    private static int place(long[] keys, Hit[] last, long key) {
        int at = (int) (key * 0x9e3779b97f4a7c15L >>> 40) & keys.length - 1;
        while (last[at] != null && keys[at] != key) {
            at = at + 1 & keys.length - 1;
        }
        return at;
    }

    @Hidden
    private void widen() {
        long[] widerKeys = new long[keys.length * 2];
        Hit[] wider = new Hit[keys.length * 2];
        for (int i = 0; i < last.length; i++) {
            if (last[i] != null) {
                int at = place(widerKeys, wider, keys[i]);
                widerKeys[at] = keys[i];
                wider[at] = last[i];
            }
        }
        keys = widerKeys;
        last = wider;
    }

    /** The last hit on an owner or element: "site ordinal thread"; "" for none. */
    @Hidden
    synchronized String last(Object owner, int index) {
        Hit hit = last[place(keys, last, key(owner, index))];
        return hit == null ? "" : QuerypointProbeSite.told(hit.record);
    }

    /**
     * The same hit: "number bits hasOld oldBits" and, where they are kept, its frames, its value and the one
     * before. Null where there was none.
     */
    @Hidden
    synchronized Object[] seen(Object owner, int index) {
        Hit hit = last[place(keys, last, key(owner, index))];
        if (hit == null) {
            return null;
        }
        String text = QuerypointProbeAgent.joined(hit.number, hit.bits, hit.hasOld ? 1 : 0, hit.oldBits);
        String frames = hit.stack == null ? null : QuerypointProbeAgent.frames(hit.stack);
        return new Object[] {text, frames, hit.value, hit.oldValue};
    }
}
