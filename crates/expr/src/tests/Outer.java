package shop;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.concurrent.Callable;

/** Evaluates the expressions of the tests as javac and the VM do; the test puts them at the marks. */
public class Outer {
    static int counter = 7;
    private static final String NAME = "outer";
    private int secret = 3;
    int shadow = 1;
    Rec rec = new Rec("BG", 5);
    Rec nothing;
    int[] numbers = {4, 5, 6};
    int[][] grid = {{1, 2}, {3}};
    Object boxed = Integer.valueOf(41);
    Base base = new Derived();

    static String outerCall(int x) { return "outerCall(int)"; }
    String instanceCall(long x) { return "instanceCall(long)"; }

    class Inner {
        int shadow = 2;
        private int own = 9;

        void run(int arg) {
            byte b = -7;
            short s = 300;
            char c = 'x';
            int i = 123456789;
            int zero = 0;
            long l = 1L << 40;
            float f = 1.5f;
            double d = 2.25;
            double nan = 0.0 / zero;
            boolean t = true;
            String str = "BG";
            String none = null;
            Object o = "text";
            Integer box = Integer.valueOf(1000);
            Character cbox = Character.valueOf('q');
            Base der = new Derived();
            int[] arr = {10, 20, 30};
            Rec[] recs = {new Rec("first", 1), null};
            Over over = new Over();
            /*INNER*/
        }
    }

    void local(int captured) {
        class Local {
            int own = 77;

            void run() {
                /*LOCAL*/
            }
        }
        new Local().run();
    }

    static void statically(Rec given) {
        /*STATIC*/
    }

    static void show(Callable<?> expression) {
        String text;
        try {
            Object v = expression.call();
            if (v == null) text = "null";
            else if (v instanceof Float) text = "float " + Integer.toHexString(Float.floatToIntBits((Float) v));
            else if (v instanceof Double) text = "double " + Long.toHexString(Double.doubleToLongBits((Double) v));
            else if (v instanceof Character) text = "char " + (int) (Character) v;
            else text = v.getClass().getName() + (v instanceof Number || v instanceof String || v instanceof Boolean ? " " + v : "");
        } catch (Throwable thrown) {
            text = "throws " + thrown.getClass().getName();
        }
        System.out.println(text);
    }

    /** Copies the class files of java.base that the tests need, with all above them. */
    static void copyClasses(Path to) throws Exception {
        ArrayDeque<Class<?>> wanted = new ArrayDeque<>();
        for (Class<?> c : new Class<?>[] {Object.class, String.class, Boolean.class, Byte.class, Short.class,
                Character.class, Integer.class, Long.class, Float.class, Double.class, Number.class, Math.class,
                CharSequence.class, RuntimeException.class, Cloneable.class}) wanted.add(c);
        HashSet<Class<?>> seen = new HashSet<>();
        while (!wanted.isEmpty()) {
            Class<?> c = wanted.remove();
            if (!seen.add(c)) continue;
            if (c.getSuperclass() != null) wanted.add(c.getSuperclass());
            for (Class<?> above : c.getInterfaces()) wanted.add(above);
            String name = c.getName().substring(c.getName().lastIndexOf('.') + 1) + ".class";
            try (InputStream in = c.getResourceAsStream(name)) { Files.copy(in, to.resolve(c.getName() + ".class")); }
        }
    }

    public static void main(String[] args) throws Exception {
        copyClasses(Path.of(args[0]));
        Outer outer = new Outer();
        outer.new Inner().run(12);
        System.out.println("--");
        outer.local(55);
        System.out.println("--");
        statically(new Rec("given", 8));
        System.out.println("--");
        Arithmetic.main();
    }
}

class Rec {
    String name;
    int size;
    static int made = 2;

    Rec(String name, int size) { this.name = name; this.size = size; }
}

class Base {
    int hidden = 10;
    int inherited = 30;
    String which(Object x) { return "Base.which(java.lang.Object)"; }
    static String who() { return "Base.who()"; }
}

class Derived extends Base {
    int hidden = 20;
    int only = 40;
    String which(Object x) { return "Derived.which(java.lang.Object)"; }
    static class Nested { static long deep = 5L; }
}

class Over {
    String f(int x) { return "Over.f(int)"; }
    String f(long x) { return "Over.f(long)"; }
    String f(double x) { return "Over.f(double)"; }
    String f(Object x) { return "Over.f(java.lang.Object)"; }
    String f(String x) { return "Over.f(java.lang.String)"; }
    String f(Integer x) { return "Over.f(java.lang.Integer)"; }
    String g(long x) { return "Over.g(long)"; }
    String g(Integer x) { return "Over.g(java.lang.Integer)"; }
    String g(Object... x) { return "Over.g(java.lang.Object[])"; }
    String h(Number x) { return "Over.h(java.lang.Number)"; }
    String h(CharSequence x) { return "Over.h(java.lang.CharSequence)"; }
    String k(Base x, Object y) { return "Over.k(shop.Base,java.lang.Object)"; }
    String k(Derived x, Object y) { return "Over.k(shop.Derived,java.lang.Object)"; }
    String v(String x, int... y) { return "Over.v(java.lang.String,int[])"; }
    String a(Object x) { return "Over.a(java.lang.Object)"; }
    String a(Object[] x) { return "Over.a(java.lang.Object[])"; }
    String a(int[] x) { return "Over.a(int[])"; }
    String amb(Integer x, Object y) { return "Over.amb(java.lang.Integer,java.lang.Object)"; }
    String amb(Object x, Integer y) { return "Over.amb(java.lang.Object,java.lang.Integer)"; }
}
