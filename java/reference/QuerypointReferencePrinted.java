import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** The beginning of what the program prints on a standard stream, a little more than is compared. */
final class QuerypointReferencePrinted extends OutputStream {
    /** The most characters of what is printed that a question has. */
    private static final int MOST = 4096;

    private final ByteArrayOutputStream begin = new ByteArrayOutputStream();

    @Override
    public synchronized void write(int b) {
        if (begin.size() <= 4 * MOST) {
            begin.write(b);
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int count) {
        begin.write(bytes, from, Math.min(count, Math.max(0, 4 * MOST + 1 - begin.size())));
    }

    synchronized String text() {
        return new String(begin.toByteArray(), StandardCharsets.UTF_8);
    }

    synchronized void clear() {
        begin.reset();
    }
}
