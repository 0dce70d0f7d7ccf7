/** A table from int keys to int values. Keys with the same hash are in one chain; the table grows. */
public class HashTable {
    private static class Entry {
        private final int key;
        private int value;
        private Entry next;

        Entry(int key, int value, Entry next) {
            this.key = key;
            this.value = value;
            this.next = next;
        }
    }

    private Entry[] chains;
    private int size;

    public HashTable(int capacity) {
        chains = new Entry[capacity];
    }

    public int size() {
        return size;
    }

    /** The chain of a key. */
    private int hash(int key) {
        return Math.floorMod(key, chains.length);
    }

    private Entry find(int key) {
        Entry entry = chains[hash(key)];
        while (entry != null && entry.key != key) {
            entry = entry.next;
        }
        return entry;
    }

    public boolean contains(int key) {
        return find(key) != null;
    }

    /** The value of a key, or another one if it has none. */
    public int get(int key, int otherwise) {
        Entry entry = find(key);
        return entry == null ? otherwise : entry.value;
    }

    public void put(int key, int value) {
        Entry entry = find(key);
        if (entry != null) {
            entry.value = value;
            return;
        }
        if (4 * (size + 1) > 3 * chains.length) {
            grow();
        }
        int index = hash(key);
        chains[index] = new Entry(key, value, chains[index]);
        size++;
    }

    /** Takes a key out, and tells whether it was there. */
    public boolean remove(int key) {
        int index = hash(key);
        Entry before = null;
        Entry entry = chains[index];
        while (entry != null && entry.key != key) {
            before = entry;
            entry = entry.next;
        }
        if (entry == null) {
            return false;
        }
        if (before == null) {
            chains[index] = entry.next;
        } else {
            before.next = entry.next;
        }
        size--;
        return true;
    }

    /** Deals all entries to twice as many chains and one. */
    private void grow() {
        Entry[] old = chains;
        chains = new Entry[2 * old.length + 1];
        for (Entry chain : old) {
            while (chain != null) {
                Entry next = chain.next;
                int index = hash(chain.key);
                chain.next = chains[index];
                chains[index] = chain;
                chain = next;
            }
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < chains.length; i++) {
            text.append(i).append(':');
            for (Entry entry = chains[i]; entry != null; entry = entry.next) {
                text.append(' ').append(entry.key).append('=').append(entry.value);
            }
            text.append('\n');
        }
        return text.toString();
    }

    public static void main(String[] args) {
        HashTable table = new HashTable(3);
        int[] keys = {12, 5, 19, 8, 26, 5, 33, 4};
        for (int i = 0; i < keys.length; i++) {
            table.put(keys[i], i);
        }
        table.put(26, 10);
        table.remove(19);
        table.remove(7);
        System.out.print(table);
        System.out.println(table.size() + " keys, " + table.get(26, -1) + " " + table.get(11, -1));
        System.out.println(table.contains(8) + " " + table.contains(19));
    }
}
