import java.util.*;

class ForEach {
    int n;

    void list(List<String> names) {
        for (String name : names) {
            if (name.isEmpty()) continue;
            n += name.length();
        }
    }

    void array(int[] values) {
        for (int v : values) {
            n = v;
        }
    }

    int generic(Map<String, Integer> map, String key) {
        int x = map.get(key) + 1;
        Integer boxed = x;
        return boxed;
    }
}
