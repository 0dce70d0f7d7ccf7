import java.io.IOException;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.*;
import java.util.stream.*;

/** Objects that pass through the library. A line `makes X` creates X, and a line `sees X` must find it. */
class Library {
    static class Item implements Comparable<Item> {
        Object tag;
        Item(Object tag) { this.tag = tag; }
        public int compareTo(Item other) { see(other); return 0; } // sees SORTED
        public String toString() { see(this); return ""; } // sees PRINTED
        public boolean equals(Object other) { see(other); return this == other; } // sees KEY LOOKED
        public int hashCode() { return 1; }
    }

    static class Made {
        Made() { see(this); } // sees REFLECTED
    }

    static class Worker extends Thread {
        final Object work;
        Worker(Object work) { this.work = work; }
        @Override public void run() { see(work); } // sees WORK
    }

    static class Box extends ArrayList<Object> {
        Object first() { return get(0); }
    }

    static class Own implements Iterable<Object> {
        Object held;
        public Iterator<Object> iterator() {
            return new Iterator<Object>() {
                public boolean hasNext() { return true; }
                public Object next() { return held; }
            };
        }
    }

    static class Fixed extends AbstractList<Object> {
        Object held;
        public Object get(int index) { return held; }
        public int size() { return 1; }
    }

    enum Color {
        RED, GREEN; // makes RED
        Object held = new Object(); // makes HELD
    }

    record Pair(Object left, Object right) { }

    static class Failed extends RuntimeException {
        final transient Object cause = new Object(); // makes CAUSE
    }

    static Object later = new Object(); // makes LATER
    static Object field;

    static void see(Object seen) { }

    static Object id(Object of) { return of; }

    public static void main(String[] args) throws Exception {
        containers();
        views();
        functions();
        streams();
        threads();
        reflection();
        others(args);
        arrays();
        exceptions();
        inherited();
        lines();
    }

    static void lines() {
        byte[] bytes = "a".lines().findFirst().get().getBytes(); // makes BYTES
        see(bytes); // sees BYTES
        Object hook = new Object(); // makes HOOK
        Runtime.getRuntime().addShutdownHook(new Thread(() -> see(hook))); // sees HOOK
    }

    static void inherited() {
        Own own = new Own();
        own.held = new Object(); // makes OWN
        own.forEach(o -> see(o)); // sees OWN misses COPIED
        Fixed fixed = new Fixed();
        fixed.held = new Object(); // makes FIXED
        see(fixed.iterator().next()); // sees FIXED misses OWN
        see(new ArrayList<>(fixed).get(0)); // sees FIXED misses OWN
        see(fixed.stream().map(o -> new Object[] {o}).findFirst().get()[0]); // sees FIXED misses OWN
        Iterable<Object> lambda = () -> fixed.iterator();
        lambda.forEach(o -> see(o)); // sees FIXED misses OWN
    }

    static void containers() {
        List<Item> list = new ArrayList<>();
        Item sorted = new Item(null); // makes SORTED
        list.add(sorted);
        Collections.sort(list);
        see(list.get(0)); // sees SORTED misses KEY
        List<Item> copy = new LinkedList<>(list);
        see(copy.get(0)); // sees SORTED misses KEY
        Map<Item, Object> map = new HashMap<>();
        Item key = new Item(null); // makes KEY
        Object value = new Object(); // makes VALUE
        map.put(key, value);
        see(map.get(new Item(null))); // sees VALUE makes LOOKED
        for (Map.Entry<Item, Object> entry : map.entrySet()) {
            see(entry.getKey()); // sees KEY misses SORTED
            see(entry.getValue()); // sees VALUE misses SORTED
            entry.setValue(new int[1]); // makes SET
        }
        for (Object each : map.values()) {
            see(each); // sees SET VALUE
        }
        System.out.println(new Item(null)); // makes PRINTED
        Box box = new Box();
        box.add(new Object()); // makes BOXED
        see(box.first()); // sees BOXED misses VALUE
        see(map.computeIfAbsent(key, k -> new long[1])); // sees VALUE COMPUTED makes COMPUTED
        Deque<Object> deque = new ArrayDeque<>();
        deque.push(new short[2]); // makes PUSHED
        see(deque.pop()); // sees PUSHED misses BOXED
        Set<Object> tree = new TreeSet<>((a, b) -> { see(a); return 0; }); // sees TREE
        tree.add(new Object()); // makes TREE
    }

    static void views() {
        List<Object> list = new ArrayList<>();
        list.subList(0, 0).add(new Object()); // makes VIEWED
        see(list.get(0)); // sees VIEWED misses VALUE
        Object[] array = { new Object() }; // makes ELEMENT
        List<Object> around = Arrays.asList(array);
        see(around.get(0)); // sees ELEMENT misses VIEWED
        around.set(0, new Object()); // makes REPLACED
        see(array[0]); // sees ELEMENT
        ListIterator<Object> each = list.listIterator();
        see(each.next()); // sees VIEWED ADDED
        each.add(new Object()); // makes ADDED
        see(List.of(new Object()).get(0)); // sees LISTED makes LISTED misses ADDED
        see(Collections.unmodifiableList(list).get(0)); // sees VIEWED misses ELEMENT
        see(Map.of("a", new Object()).get("a")); // sees MAPPED makes MAPPED
    }

    static void functions() {
        Function<Object, Object> same = Library::id;
        Function<Object, Object> both = same.andThen(o -> new Object[] {o});
        Object given = new Object(); // makes GIVEN
        Object out = both.apply(given);
        see(((Object[]) out)[0]); // sees GIVEN
        Supplier<Object> supplier = () -> given;
        see(supplier.get()); // sees GIVEN misses VALUE
        BiFunction<Object, Object, Object> second = (a, b) -> b;
        see(second.apply(null, new Object())); // sees SECOND makes SECOND misses GIVEN
        Optional<Object> optional = Optional.of(new Object()); // makes OPTIONAL
        optional.ifPresent(o -> see(o)); // sees OPTIONAL misses GIVEN
        see(optional.map(o -> given).orElse(null)); // sees GIVEN
        List<Item> items = new ArrayList<>();
        items.add(new Item(given)); // makes COMPARED
        items.sort(Comparator.comparing(i -> { see(i); return 1; })); // sees COMPARED misses SORTED
        Runnable anonymous = new Runnable() {
            @Override public void run() { see(given); } // sees GIVEN
        };
        anonymous.run();
        PrivilegedAction<Object> action = () -> new Object(); // makes PRIVILEGED
        see(AccessController.doPrivileged(action)); // sees PRIVILEGED
    }

    static void streams() {
        List<Item> items = new ArrayList<>();
        Object tag = new Object(); // makes TAG
        items.add(new Item(tag)); // makes STREAMED
        see(items.stream().filter(i -> i.tag != null).findFirst().get()); // sees STREAMED misses SORTED
        see(items.stream().map(i -> i.tag).collect(Collectors.toList()).get(0)); // sees TAG
        Map<Object, List<Item>> groups = items.stream().collect(Collectors.groupingBy(i -> i.tag));
        see(groups.get(tag).get(0)); // sees STREAMED misses SORTED
        see(groups.keySet().iterator().next()); // sees TAG
        Object[] all = items.stream().map(i -> i.tag).toArray(Object[]::new);
        see(all[0]); // sees TAG
        items.forEach(i -> see(i)); // sees STREAMED misses SORTED
        see(Stream.of(tag).reduce((a, b) -> b).get()); // sees TAG
    }

    static void threads() throws Exception {
        new Worker(new Object()).start(); // makes WORK
        Object shared = new Object(); // makes SHARED
        new Thread(() -> see(shared)).start(); // sees SHARED misses WORK
        ExecutorService pool = Executors.newFixedThreadPool(1);
        Future<Object> future = pool.submit(() -> new Object()); // makes FUTURE
        see(future.get()); // sees FUTURE misses WORK
        CompletableFuture<Object> begun = CompletableFuture.supplyAsync(() -> shared);
        CompletableFuture<Object> chained = begun.thenApply(o -> new Object[] {o});
        see(((Object[]) chained.get())[0]); // sees SHARED misses WORK
        AtomicReference<Object> atom = new AtomicReference<>(shared);
        see(atom.getAndSet(null)); // sees SHARED misses WORK
        ThreadLocal<Object> local = ThreadLocal.withInitial(() -> new Object()); // makes LOCAL
        see(local.get()); // sees LOCAL misses WORK
        ConcurrentHashMap<Object, Object> map = new ConcurrentHashMap<>();
        map.merge(shared, new Object(), (a, b) -> a); // makes MERGED
        see(map.get(shared)); // sees MERGED
    }

    static void reflection() throws Exception {
        Object one = Class.forName("Library$Made").getDeclaredConstructor().newInstance(); // makes REFLECTED
        see(one); // sees REFLECTED misses WORK
        see(Color.valueOf("RED")); // sees RED
        see(Color.values()[0].held); // sees HELD
    }

    static void others(String[] args) {
        see(later); // sees LATER
        see(Objects.requireNonNull(later)); // sees LATER misses WORK
        Pair pair = new Pair(new Object(), new Item(null)); // makes LEFT
        see(pair.left()); // sees LEFT misses LATER
        String text = "a" + pair + new Item(null);
        Object picked = switch (args.length) { case 0 -> new Object(); default -> later; }; // makes CHOSEN
        see(picked); // sees CHOSEN LATER
    }

    static void arrays() {
        Object[] from = { new Object() }; // makes COPIED
        Object[] to = new Object[1];
        System.arraycopy(from, 0, to, 0, 1);
        see(to[0]); // sees COPIED misses ELEMENT
        see(from.clone()[0]); // sees COPIED misses ELEMENT
        see(Arrays.copyOf(from, 2)[0]); // sees COPIED misses ELEMENT
        Object[][] nested = new Object[2][2];
        nested[0][0] = new Object(); // makes NESTED
        see(nested[1][1]); // sees NESTED misses COPIED
        List<Object> list = new ArrayList<>();
        list.add(from);
        Object[] out = list.toArray(new Object[0]);
        see(((Object[]) out[0])[0]); // sees COPIED
        Arrays.fill(to, new Object()); // makes FILLED
        see(to[0]); // sees COPIED FILLED
    }

    static void exceptions() {
        try {
            throw new Failed(); // makes FAILED
        } catch (Failed failed) {
            see(failed); // sees FAILED
            see(failed.cause); // sees CAUSE misses COPIED
        }
        try {
            try {
                rethrow();
            } finally {
                see(field); // sees FIELD
            }
        } catch (RuntimeException e) {
            see(e); // sees FAILED misses COPIED
            see(e.getCause()); // sees INNER
        }
    }

    static void rethrow() {
        field = new Object(); // makes FIELD
        throw new IllegalStateException(new IOException()); // makes INNER
    }
}
