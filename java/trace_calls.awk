# Writes QuerypointTraceCalls.java: `enter` for each list of up to three arguments, each an Object or an int.
# build.sh runs it. Changing the template below changes all 15 methods.

BEGIN {
    split("first second third", NAMES, " ")
    head()
    for (count = 0; count <= 3; count++) {
        # The kinds of the arguments are the digits of a binary number: 0 an Object, 1 an int.
        for (kinds = 0; kinds < 2 ^ count; kinds++) enter(count, kinds)
    }
    print "}"
}

# The kind of an argument, counted from 1: the first is the highest digit.
function is_int(kinds, count, argument) {
    return int(kinds / 2 ^ (count - argument)) % 2
}

function head() {
    print "package java.lang;"
    print ""
    print "import jdk.internal.misc.Unsafe;"
    print "import jdk.internal.vm.annotation.Hidden;"
    print ""
    print "/**"
    print " * Recorded methods first call {@code enter}: it writes that event and returns the thread's ring."
    print " * Lists of up to three arguments that are objects or fit an {@code int} have an overload;"
    print " * methods with others ask for their {@link QuerypointTrace#ring}. So each entry is one call, for"
    print " * calls are slow until the second compiler has compiled them. The overloads share no code, for"
    print " * the reason that {@link QuerypointTrace} gives. Do not edit them here:"
    print " * {@code java/build.sh} writes this file, by {@code java/trace_calls.awk}."
    print " */"
    print "public final class QuerypointTraceCalls {"
    print "    private static final Unsafe U = Unsafe.getUnsafe();"
    print ""
    print "    @Hidden"
    print "    private QuerypointTraceCalls() {"
    print "    }"
}

function enter(count, kinds,    argument, parameters) {
    for (argument = 1; argument <= count; argument++) {
        parameters = parameters (is_int(kinds, count, argument) ? "int " : "Object ") NAMES[argument] ", "
    }
    print ""
    print "    @Hidden"
    print "    public static long enter(" parameters "int site) {"
    for (argument = 1; argument <= count; argument++) {
        if (is_int(kinds, count, argument)) continue
        print "        int " NAMES[argument] "Number = QuerypointTrace.number(" NAMES[argument] ");"
    }
    print "        QuerypointTraceThread known = QuerypointTrace.current;"
    print "        long ring = known.ring;"
    print "        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);"
    full = "written > U.getLong(null, ring + QuerypointTrace.LIMIT)"
    print "        if (known.thread != Thread.currentThread() || " full ") {"
    print "            ring = QuerypointTrace.arrive();"
    print "            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);"
    print "        }"
    mask = "U.getLong(null, ring + QuerypointTrace.MASK)"
    print "        long at = ring + QuerypointTrace.DATA + (written & " mask ");"
    print "        U.putInt(null, at, site);"
    for (argument = 1; argument <= count; argument++) {
        value = NAMES[argument] (is_int(kinds, count, argument) ? "" : "Number")
        print "        U.putInt(null, at + " 4 * argument ", " value ");"
    }
    print "        QuerypointTrace.advance(ring, written, " 4 * (count + 1) ");"
    print "        return ring;"
    print "    }"
}
