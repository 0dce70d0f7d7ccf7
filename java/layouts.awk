# Writes QuerypointLayouts.java from the rows of crates/jdk/src/layouts.rs: a name, a class and a field.
# build.sh runs it.

BEGIN {
    print "package java.lang;"
    print ""
    print "import jdk.internal.misc.Unsafe;"
    print "import jdk.internal.vm.annotation.Hidden;"
    print ""
    print "/**"
    print " * The fields in which the JDK's collections, builders and streams keep what they hold: each its class"
    print " * and its name. Do not edit them here: they come from {@code crates/jdk/src/layouts.rs}."
    print " */"
    print "final class QuerypointLayouts {"
    print "    private static final Unsafe U = Unsafe.getUnsafe();"
    print ""
}

/^    [A-Z_]+ "[^"]+" "[^"]+";$/ {
    class = $2
    field = $3
    sub(/;$/, "", field)
    printf "    static final String[] %s = {%s, %s};\n", $1, class, field
}

END {
    print ""
    print "    @Hidden"
    print "    private QuerypointLayouts() {"
    print "    }"
    print ""
    print "    /** The offset of a field. */"
    print "    @Hidden"
    print "    static long offset(String[] field) throws Throwable {"
    print "        return U.objectFieldOffset(Class.forName(field[0], false, null), field[1]);"
    print "    }"
    print "}"
}
