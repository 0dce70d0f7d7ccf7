package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * The texts of values in the lines of log points, as `+` makes them (JLS 5.1.11). No code of the program
 * runs, so other objects than strings and boxes have no text here. It is null also if there is no memory or
 * stack for a text: the program does not notice.
 */
public final class QuerypointProbeText {
    @Hidden
    private QuerypointProbeText() {
    }

    @Hidden
    public static String of(boolean value) {
        return value ? "true" : "false";
    }

    @Hidden
    public static String of(char value) {
        try {
            return String.valueOf(value);
        } catch (VirtualMachineError e) {
            return null;
        }
    }

    @Hidden
    public static String of(int value) {
        try {
            return Integer.toString(value);
        } catch (VirtualMachineError e) {
            return null;
        }
    }

    @Hidden
    public static String of(long value) {
        try {
            return Long.toString(value);
        } catch (VirtualMachineError e) {
            return null;
        }
    }

    @Hidden
    public static String of(float value) {
        try {
            return Float.toString(value);
        } catch (VirtualMachineError e) {
            return null;
        }
    }

    @Hidden
    public static String of(double value) {
        try {
            return Double.toString(value);
        } catch (VirtualMachineError e) {
            return null;
        }
    }

    @Hidden
    public static String of(Object value) {
        if (value == null) {
            return "null";
        }
        Class<?> is = value.getClass();
        if (is == String.class) {
            return (String) value;
        }
        boolean isBox = is == Integer.class || is == Long.class || is == Double.class || is == Boolean.class
                || is == Character.class || is == Float.class || is == Short.class || is == Byte.class;
        try {
            return isBox ? value.toString() : null;
        } catch (VirtualMachineError e) {
            return null;
        }
    }

    /** Two parts of a line. */
    @Hidden
    public static String joined(String first, String second) {
        try {
            return first.concat(second);
        } catch (VirtualMachineError e) {
            return null;
        }
    }
}
