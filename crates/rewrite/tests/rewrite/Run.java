/** Runs the golden program's methods and shows what comes of them and of the probes. */
public class Run {
    public static void main(String[] args) {
        Golden golden = new Golden(5);
        StringBuilder said = new StringBuilder();
        for (int x : new int[] {1, 2, 3, 4, 7}) {
            said.append(golden.branches(x)).append(' ');
        }
        said.append(Golden.loopsToTheStart(3)).append(' ');
        Golden.stores(new long[1], new Object[2]);
        said.append(golden.handles("12")).append(' ').append(golden.handles("x"));
        try {
            golden.handles(null);
            Golden.stores(null, null);
        } catch (NullPointerException e) {
            said.append(" null ").append(e.getStackTrace()[0]);
        }
        System.out.println(said + " " + golden.count + " " + golden.total);
        System.out.println("entered " + QpProbe.entered + ", left " + QpProbe.left + ", unwound " + QpProbe.unwound
            + ", put " + QpProbe.put + ", branched " + QpProbe.branched + ", stored " + QpProbe.stored);
    }
}
