/**
 * A document of linked nodes, and as many calls that each get the document. {@code Document N} makes N nodes
 * and N calls. The last call gives a wrong weight: bench {@code diff} replaces that in the right version.
 */
public class Document {
    static final class Node {
        final int id;
        Node next;
        int visits;

        Node(int id) {
            this.id = id;
        }
    }

    final Node[] nodes;

    Document(int count) {
        nodes = new Node[count];
        for (int at = 0; at < count; at++) {
            nodes[at] = new Node(at);
            if (at > 0) {
                nodes[at - 1].next = nodes[at];
            }
        }
    }

    /** Can reach the whole document, and changes one node. */
    int weigh(int at) {
        Node node = nodes[at];
        node.visits++;
        return weight(node);
    }

    static int weight(Node node) {
        return node.id * 2 + (node.next == null ? 1 : 0);
    }

    public static void main(String[] arguments) {
        int count = Integer.parseInt(arguments[0]);
        Document document = new Document(count);
        long sum = 0;
        for (int at = 0; at < count; at++) {
            sum += document.weigh(at);
        }
        System.out.println(sum);
    }
}
