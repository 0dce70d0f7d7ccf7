import java.io.*;

class TryWithResources {
    int n;

    void read(String path) throws IOException {
        try (Reader in = new FileReader(path); Reader second = open()) {
            n = in.read();
        } catch (FileNotFoundException e) {
            n = -1;
        }
    }

    Reader open() { return null; }
}
