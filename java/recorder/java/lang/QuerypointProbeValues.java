package java.lang;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.TreeMap;
import java.util.TreeSet;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What conditions ask objects of the JDK. Only methods are called that change nothing and run no code of the
 * program; what would do more is unknown here.
 */
public final class QuerypointProbeValues {
    private static final int UNKNOWN = -1;

    /** A value that is unknown. */
    public static final Object NONE = new Object();

    @Hidden
    private QuerypointProbeValues() {
    }

    /** The size of a collection or map, the length of a text; negative if it is unknown. */
    @Hidden
    public static int size(Object of) {
        if (of == null) {
            return UNKNOWN;
        }
        Class<?> is = of.getClass();
        if (is == ArrayList.class) {
            return ((ArrayList<?>) of).size();
        }
        if (is == HashMap.class || is == LinkedHashMap.class) {
            return ((HashMap<?, ?>) of).size();
        }
        if (is == HashSet.class || is == LinkedHashSet.class) {
            return ((HashSet<?>) of).size();
        }
        if (is == TreeMap.class) {
            return ((TreeMap<?, ?>) of).size();
        }
        if (is == TreeSet.class) {
            return ((TreeSet<?>) of).size();
        }
        if (is == LinkedList.class) {
            return ((LinkedList<?>) of).size();
        }
        return is == ArrayDeque.class ? ((ArrayDeque<?>) of).size() : UNKNOWN;
    }

    /** An element of a list; {@link #NONE} if it is unknown. */
    @Hidden
    public static Object get(Object list, int index) {
        try {
            if (list != null && list.getClass() == ArrayList.class) {
                ArrayList<?> all = (ArrayList<?>) list;
                return index >= 0 && index < all.size() ? all.get(index) : NONE;
            }
            if (list != null && list.getClass() == LinkedList.class) {
                LinkedList<?> all = (LinkedList<?>) list;
                return index >= 0 && index < all.size() ? all.get(index) : NONE;
            }
        } catch (RuntimeException e) {
            // Another thread changes it.
        }
        return NONE;
    }

    /** The value of a map for a key; {@link #NONE} if it is unknown. */
    @Hidden
    public static Object get(Object map, Object key) {
        try {
            boolean isKnown = map != null && map.getClass() == HashMap.class && isPlain(key);
            return isKnown ? ((HashMap<?, ?>) map).get(key) : NONE;
        } catch (RuntimeException e) {
            return NONE;
        }
    }

    /** Whether a collection contains a value: 0, 1, or negative if that is unknown. */
    @Hidden
    public static int contains(Object of, Object value) {
        if (of == null || !isPlain(value)) {
            return UNKNOWN;
        }
        Class<?> is = of.getClass();
        try {
            if (is == ArrayList.class) {
                return ((ArrayList<?>) of).contains(value) ? 1 : 0;
            }
            if (is == LinkedList.class) {
                return ((LinkedList<?>) of).contains(value) ? 1 : 0;
            }
            if (is == HashSet.class || is == LinkedHashSet.class) {
                return ((HashSet<?>) of).contains(value) ? 1 : 0;
            }
        } catch (RuntimeException e) {
            // Another thread changes it.
        }
        return UNKNOWN;
    }

    /** Whether a map has a key: 0, 1, or negative if that is unknown. */
    @Hidden
    public static int containsKey(Object map, Object key) {
        Class<?> is = map == null ? null : map.getClass();
        if (is != HashMap.class && is != LinkedHashMap.class || !isPlain(key)) {
            return UNKNOWN;
        }
        try {
            return ((HashMap<?, ?>) map).containsKey(key) ? 1 : 0;
        } catch (RuntimeException e) {
            return UNKNOWN;
        }
    }

    /** Whether {@code equals} and {@code hashCode} of a value are the JDK's own. */
    @Hidden
    @ForceInline
    private static boolean isPlain(Object value) {
        if (value == null || value instanceof String) {
            return true;
        }
        Class<?> is = value.getClass();
        return is == Integer.class
                || is == Long.class
                || is == Boolean.class
                || is == Character.class
                || is == Short.class
                || is == Byte.class
                || is == Double.class
                || is == Float.class;
    }
}
