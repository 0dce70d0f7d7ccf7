import org.apache.spark.sql.api.java.UDF1;

/** A function of a query. 49.5 points are a pass, but are rounded down before they are compared. */
public class Grade implements UDF1<Double, String> {
    @Override
    public String call(Double points) {
        int whole = points.intValue();
        String grade = "failed";
        if (whole >= 50) {
            grade = "passed";
        }
        return grade;
    }
}
