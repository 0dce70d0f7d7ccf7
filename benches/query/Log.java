/** Calls, field writes and exceptions: about nine calls for each round, and one rare call for each 1,000. */
public class Log {
    static class Node {
        int value;
        Node next;
        Node(int value) { this.value = value; }
        int get() { return value; }
        void set(int value) { this.value = value; }
    }

    static final Node[] NODES = new Node[100];

    static int work(Node node, int round) {
        node.set(node.get() + (round & 3));
        return inner(node, round) + inner(node.next == null ? node : node.next, round);
    }

    static int inner(Node node, int round) {
        return node.get() + round;
    }

    static int rare(int round) {
        if (round % 5000 == 0) {
            try {
                throw new IllegalStateException("round " + round);
            } catch (IllegalStateException expected) {
                return -1;
            }
        }
        return round;
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        for (int i = 0; i < NODES.length; i++) {
            NODES[i] = new Node(i);
        }
        long sum = 0;
        for (int round = 0; round < rounds; round++) {
            sum += work(NODES[round % NODES.length], round);
            if (round % 1000 == 0) {
                sum += rare(round);
            }
        }
        System.out.println(sum);
        String text = null;
        if (rounds > 0) {
            text.length();
        }
    }
}
