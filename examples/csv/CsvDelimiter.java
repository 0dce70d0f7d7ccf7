import java.io.IOException;
import java.io.StringReader;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** Splits one line at a delimiter of two characters and compares the number of fields with what is right. */
public class CsvDelimiter {
    public static void main(String[] args) throws IOException {
        String line = args.length > 0 ? args[0] : "a||b||c||d||||f||g";
        CSVFormat format = CSVFormat.Builder.create().setDelimiter("||").build();
        try (CSVParser parser = CSVParser.parse(new StringReader(line), format)) {
            for (CSVRecord record : parser) {
                print(record, line.split("\\|\\|", -1).length);
            }
        }
    }

    private static void print(CSVRecord record, int expected) {
        System.out.println(record.size() + " fields, expected " + expected);
        for (int i = 0; i < record.size(); i++) {
            System.out.println("  " + i + ": " + record.get(i));
        }
    }
}
