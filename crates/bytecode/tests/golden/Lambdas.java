import java.util.*;
import java.util.function.*;

class Lambdas {
    int n;

    void run(List<String> names, int limit) {
        Runnable r = () -> n = 3;
        Predicate<String> longer = s -> s.length() > limit;
        names.removeIf(longer);
        names.forEach(s -> {
            if (s.isEmpty()) {
                n++;
            }
        });
        Function<String, Integer> f = String::length;
        Supplier<List<String>> made = ArrayList::new;
        r.run();
    }
}
