import java.io.Serializable;
import java.io.StringReader;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Every place inside of a method's code where a type can be annotated (JVMS §4.7.20). */
public class Annotated {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Seen {
        String value() default "";
    }

    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.CLASS)
    @interface Unseen {
        int[] numbers() default {};
        Seen inner() default @Seen;
        Class<?> type() default Object.class;
        ElementType kind() default ElementType.FIELD;
    }

    final int made;

    <T> Annotated(T of) {
        this.made = of.hashCode() > 0 ? 1 : 2;
    }

    static <T> T same(T value) {
        return value;
    }

    /** A variable that has two ranges, and one that has none of the beginning. */
    static int locals(int x) {
        @Seen("at once") String text;
        if (x > 0) {
            text = "more";
        } else {
            text = "less";
        }
        for (@Seen("in the loop") Integer i = 0; i < x; i++) {
            @Unseen(numbers = {1, 2}, inner = @Seen("inside"), type = String[].class, kind = ElementType.METHOD)
            List<@Seen("path") String> names = new ArrayList<>();
            names.add(text);
            x -= names.size();
        }
        @Seen("at the end") long[] last = {x};
        return (int) last[0];
    }

    static String casts(Object any) {
        if (any instanceof @Seen("instance") String) {
            return (@Seen("cast") String) any;
        }
        Object both = (@Seen("first") Comparable<?> & @Seen("second") Serializable) any;
        return both + "" + any.getClass().isInstance(new @Seen("new") @Unseen Object());
    }

    static Object arrays(int n) {
        return new @Seen("element") Integer[n] @Seen("dimension") [];
    }

    static int calls() {
        Annotated made = new <@Seen("of the constructor") String> Annotated("x");
        return made.made + Annotated.<@Seen("of the call") String>same("four").length();
    }

    static String references() {
        Supplier<Object> one = @Seen("constructor reference") Object::new;
        Function<Object, String> two = @Seen("method reference") Object::toString;
        Function<String, String> three = Annotated::<@Seen("of the reference") String>same;
        Function<String, Annotated> four = Annotated::<@Seen("of the constructor reference") String>new;
        Function<Integer, Integer> five = (@Seen("parameter") Integer x) -> {
            @Seen("in the lambda") int y = x + 1;
            return y;
        };
        boolean isMade = one.get() != null && four.apply("z").made > 0;
        return two.apply("two") + three.apply("three") + five.apply(5) + isMade;
    }

    static String caught(String number) throws Exception {
        try (@Seen("resource") StringReader reader = new StringReader(number)) {
            return "" + Integer.parseInt("" + (char) reader.read());
        } catch (@Seen("one") NumberFormatException e) {
            try {
                return e.getMessage() + number.charAt(9);
            } catch (@Seen("either") NullPointerException | @Seen("or") IndexOutOfBoundsException f) {
                return f.getClass().getSimpleName();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println(locals(5) + casts("text") + casts(7) + ((Object[]) arrays(2)).length + calls()
            + references() + caught("3") + caught("x"));
    }
}
