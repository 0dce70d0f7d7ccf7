package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * A call that deserialises objects. The JDK sets the fields of each in two methods, which tell here of what
 * they have written. The hits follow when the call is over, at the call.
 */
public final class QuerypointProbeGivenReader extends QuerypointProbeGiven {
    private final Thread thread = Thread.currentThread();
    /** The written fields, in the order of the writes. */
    private QuerypointProbeGivenField first;
    private QuerypointProbeGivenField last;

    @Hidden
    private QuerypointProbeGivenReader(Object beside) {
        super(beside, null);
    }

    /** A call is about to deserialise objects, beside what else it is given. */
    @Hidden
    public static Object given(Object beside, int how, int site, int query) {
        for (QuerypointProbeGiven one = (QuerypointProbeGiven) beside; one != null; one = one.beside()) {
            if (one instanceof QuerypointProbeGivenReader) {
                one.add(site, query, how);
                return beside;
            }
        }
        try {
            QuerypointProbeGivenReader given = new QuerypointProbeGivenReader(beside);
            given.add(site, query, how);
            given.open();
            return given;
        } catch (OutOfMemoryError e) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.GIVEN);
            return beside;
        }
    }

    /** The newest call of this thread that deserialises; null if there is none. */
    @Hidden
    private static QuerypointProbeGivenReader running() {
        Thread thread = Thread.currentThread();
        for (QuerypointProbeGiven one = open; one != null; one = one.next) {
            if (one instanceof QuerypointProbeGivenReader) {
                QuerypointProbeGivenReader reader = (QuerypointProbeGivenReader) one;
                if (reader.thread == thread) {
                    return reader;
                }
            }
        }
        return null;
    }

    /** The JDK is about to set fields of an object: what {@link #end} wants. */
    @Hidden
    public static Object begin(Object object) {
        QuerypointProbeGivenReader reader = open == null ? null : running();
        if (reader == null || object == null) {
            return null;
        }
        Object given = null;
        for (int i = 0; i < reader.count(); i++) {
            given = QuerypointProbeGivenField.ready(
                    given, object, null, reader.mark(i), reader.site(i), reader.query(i));
        }
        return given;
    }

    /** It has set them. */
    @Hidden
    public static void end(Object given) {
        QuerypointProbeGivenReader reader = given == null ? null : running();
        if (reader == null) {
            return;
        }
        for (QuerypointProbeGiven one = (QuerypointProbeGiven) given; one != null; one = one.beside()) {
            QuerypointProbeGivenField field = (QuerypointProbeGivenField) one;
            if (field.isWritten()) {
                if (reader.last == null) {
                    reader.first = field;
                } else {
                    reader.last.after = field;
                }
                reader.last = field;
            }
        }
    }

    @Override
    @Hidden
    void compare() {
        for (QuerypointProbeGivenField field = first; field != null; field = field.after) {
            field.report();
        }
    }
}
