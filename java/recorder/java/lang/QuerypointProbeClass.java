package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/** A class that a condition names in an {@code instanceof}. It is loaded by nobody for that. */
public final class QuerypointProbeClass {
    private static final int NO = 0;
    private static final int YES = 1;
    private static final int UNKNOWN = 2;

    private final String name;
    /** What the first code that asked means by the name. */
    @Stable private Meaning first;

    private static final class Meaning {
        @Stable final Class<?> code;
        @Stable final Class<?> means;

        @Hidden
        Meaning(Class<?> code, Class<?> means) {
            this.code = code;
            this.means = means;
        }
    }

    @Hidden
    public QuerypointProbeClass(String name) {
        this.name = name;
    }

    /** Whether an object is an instance: 0, 1, or 2 if the class is unknown. */
    @Hidden
    @ForceInline
    public static int test(QuerypointProbeClass named, Object object, Class<?> code) {
        if (object == null) {
            return NO;
        }
        Meaning meaning = named.first;
        if (meaning == null || meaning.code != code) {
            return named.testSlowly(object, code);
        }
        return meaning.means.isInstance(object) ? YES : NO;
    }

    @Hidden
    private int testSlowly(Object object, Class<?> code) {
        Class<?> means = QuerypointProbeAgent.classOf(code, name);
        if (means == null) {
            return UNKNOWN;
        }
        if (first == null) {
            first = new Meaning(code, means);
        }
        return means.isInstance(object) ? YES : NO;
    }
}
