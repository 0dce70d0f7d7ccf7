import java.util.ArrayList;
import java.util.List;

/** Plans stops. Express parcels need a stop too, and fall to the default. */
public class Parcel {
    enum Kind { LETTER, PARCEL, EXPRESS }

    static class Route {
        final List<String> stops = new ArrayList<>();
    }

    static void plan(Route route, Kind kind, String where) {
        switch (kind) {
            case LETTER:
            case PARCEL:
                stop(route, where);
                break;
            default: // the defect: EXPRESS is missing above
                break;
        }
    }

    static void stop(Route route, String where) {
        route.stops.add(where);
    }

    public static void main(String[] args) {
        Route route = new Route();
        plan(route, Kind.EXPRESS, "Kanazawa");
        System.out.println(route.stops);
    }
}
