package java.lang;

import jdk.internal.reflect.ConstantPool;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The names of classes, the same in every run. The VM's names of lambdas, proxies and other classes that are
 * made while the program runs have an address or a count in them: here they are named by what they were made
 * of.
 */
final class QuerypointTraceNames {
    private static final String LAMBDA = "$$Lambda";
    private static final String GENERATED = "jdk.internal.reflect.Generated";

    @Hidden
    private QuerypointTraceNames() {
    }

    /** The name of a class; empty where there is no memory for it. */
    @Hidden
    @DontInline
    static String of(Class<?> of) {
        if (of == StackOverflowError.class) {
            // It is met where there may be no stack to look at its name.
            return "java.lang.StackOverflowError";
        }
        try {
            // The VM makes it when it is asked for the first time.
            String name = of.getName();
            if (of.isArray()) {
                return name;
            }
            if (of.getSuperclass() == java.lang.reflect.Proxy.class) {
                return proxy(of);
            }
            int address = name.indexOf("/0x");
            int lambda = name.indexOf(LAMBDA);
            if (address >= 0) {
                return lambda < 0 ? name.substring(0, address) + "/hidden" : lambda(of, name.substring(0, lambda));
            }
            return name.startsWith(GENERATED) ? unnumbered(name) : name;
        } catch (OutOfMemoryError | StackOverflowError e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.NAME);
            return "";
        }
    }

    /** {@code Host$$Lambda/lambda$main$0}, or {@code Host$$Lambda/Other::method} of a method reference. */
    @Hidden
    private static String lambda(Class<?> of, String host) {
        String method = implementation(of.getConstantPool(), host);
        return host + LAMBDA + "/" + (method.startsWith(host + "::lambda$") ? method.substring(host.length() + 2) : method);
    }

    /**
     * The method that a lambda calls: that of its host, or the only one that is no conversion of a primitive
     * value.
     */
    @Hidden
    private static String implementation(ConstantPool pool, String host) {
        String found = null;
        boolean converts = false;
        for (int i = 1, size = pool.getSize(); i < size; i++) {
            String[] called;
            try {
                called = pool.getMemberRefInfoAt(i);
            } catch (IllegalArgumentException e) {
                // It is something else.
                continue;
            }
            if (called[2].charAt(0) != '(') {
                // A field: what the lambda has captured.
                continue;
            }
            String owner = called[0].replace('/', '.');
            String name = called[1];
            if (owner.equals(host)) {
                return owner + "::" + name;
            }
            if (found == null || converts && !(owner.equals("java.lang.Object") && name.equals("<init>"))) {
                found = owner + "::" + name;
                converts = owner.equals("java.lang.Object") && name.equals("<init>")
                        || owner.startsWith("java.lang.") && (name.equals("valueOf") || name.endsWith("Value"));
            }
        }
        return found == null ? "?" : found;
    }

    /** {@code $Proxy/java.lang.Runnable,java.util.List}. */
    @Hidden
    private static String proxy(Class<?> of) {
        String name = "$Proxy/";
        Class<?>[] interfaces = of.getInterfaces();
        for (int i = 0; i < interfaces.length; i++) {
            name = name + (i == 0 ? "" : ",") + interfaces[i].getName();
        }
        return name;
    }

    /** Accessors that reflection generates are numbered. */
    @Hidden
    private static String unnumbered(String name) {
        int end = name.length();
        while (end > 0 && Character.isDigit(name.charAt(end - 1))) {
            end--;
        }
        return name.substring(0, end);
    }
}
