package java.lang;

import java.lang.reflect.Field;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/**
 * A field that a condition reads: where it is in an object, or in the VM if it is static. Reading it needs no
 * access to it, and initialises no class.
 *
 * <p>The compiler takes what is known of the first class as constants.
 */
public final class QuerypointProbeField {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The offset of a field that is unknown. */
    private static final long UNKNOWN = -1;

    private final String declares;
    private final String name;
    private final String descriptor;
    /** Of the first class that was asked about. */
    @Stable private Place first;
    /** Of further classes. */
    private Place more;

    /** The field in the objects of a class, or as the code of a class means it. */
    private static final class Place {
        @Stable final Class<?> of;
        @Stable final long offset;
        @Stable final Object base;
        final Place next;

        @Hidden
        Place(Class<?> of, long offset, Object base, Place next) {
            this.of = of;
            this.offset = offset;
            this.base = base;
            this.next = next;
        }
    }

    @Hidden
    public QuerypointProbeField(String declares, String name, String descriptor) {
        this.declares = declares;
        this.name = name;
        this.descriptor = descriptor;
    }

    /** Its offset in an object; negative if the object has no such field, or is null. */
    @Hidden
    @ForceInline
    public static long at(QuerypointProbeField field, Object owner) {
        if (owner == null) {
            return UNKNOWN;
        }
        Place place = field.first;
        return place != null && owner.getClass() == place.of ? place.offset : field.find(owner.getClass());
    }

    /** Where the static field is, as the code of a class means it; null if no such class is known. */
    @Hidden
    @ForceInline
    public static Object base(QuerypointProbeField field, Class<?> code) {
        Place place = field.first;
        return place != null && code == place.of ? place.base : field.findStatic(code).base;
    }

    /** Its offset there. */
    @Hidden
    @ForceInline
    public static long offset(QuerypointProbeField field, Class<?> code) {
        Place place = field.first;
        return place != null && code == place.of ? place.offset : field.findStatic(code).offset;
    }

    @Hidden
    private Place known(Class<?> of) {
        for (Place place = more; place != null; place = place.next) {
            if (place.of == of) {
                return place;
            }
        }
        return null;
    }

    @Hidden
    private synchronized Place add(Class<?> of, long offset, Object base) {
        Place place = new Place(of, offset, base, more);
        U.storeFence();
        more = place;
        if (first == null) {
            first = place;
        }
        return place;
    }

    @Hidden
    private long find(Class<?> of) {
        Place place = known(of);
        if (place == null) {
            Field field = QuerypointProbeAgent.field(of, declares, name, descriptor);
            place = add(of, field == null ? UNKNOWN : U.objectFieldOffset(field), null);
        }
        return place.offset;
    }

    @Hidden
    private Place findStatic(Class<?> code) {
        Place place = known(code);
        if (place != null) {
            return place;
        }
        Field field = QuerypointProbeAgent.staticField(code, declares, name, descriptor);
        if (field == null) {
            // Its class may be loaded later.
            return new Place(code, UNKNOWN, null, null);
        }
        return add(code, U.staticFieldOffset(field), U.staticFieldBase(field));
    }

    @Hidden
    @ForceInline
    public static int getInt(Object base, long offset) {
        return U.getIntOpaque(base, offset);
    }

    @Hidden
    @ForceInline
    public static int getByte(Object base, long offset) {
        return U.getByteOpaque(base, offset);
    }

    @Hidden
    @ForceInline
    public static int getShort(Object base, long offset) {
        return U.getShortOpaque(base, offset);
    }

    @Hidden
    @ForceInline
    public static int getChar(Object base, long offset) {
        return U.getCharOpaque(base, offset);
    }

    @Hidden
    @ForceInline
    public static long getLong(Object base, long offset) {
        return U.getLongOpaque(base, offset);
    }

    @Hidden
    @ForceInline
    public static float getFloat(Object base, long offset) {
        return U.getFloatOpaque(base, offset);
    }

    @Hidden
    @ForceInline
    public static double getDouble(Object base, long offset) {
        return U.getDoubleOpaque(base, offset);
    }

    @Hidden
    @ForceInline
    public static Object getReference(Object base, long offset) {
        return U.getReferenceOpaque(base, offset);
    }
}
