/** A search tree of int keys that is not balanced. */
public class BinaryTree {
    private static class Node {
        private int key;
        private Node left;
        private Node right;

        Node(int key) {
            this.key = key;
        }

        int getKey() {
            return key;
        }

        void setKey(int key) {
            this.key = key;
        }

        Node getLeft() {
            return left;
        }

        void setLeft(Node left) {
            this.left = left;
        }

        Node getRight() {
            return right;
        }

        void setRight(Node right) {
            this.right = right;
        }
    }

    private Node root;
    private int size;

    public int size() {
        return size;
    }

    /** Puts the key into the tree, unless it is there. */
    public void insert(int key) {
        if (root == null) {
            root = new Node(key);
            size++;
        } else if (insert(root, key)) {
            size++;
        }
    }

    /** Puts the key below node, and tells whether it was not there. */
    private boolean insert(Node node, int key) {
        if (key == node.getKey()) {
            return false;
        }
        if (key < node.getKey()) {
            if (node.getLeft() == null) {
                node.setLeft(new Node(key));
                return true;
            }
            return insert(node.getLeft(), key);
        }
        if (node.getRight() == null) {
            node.setRight(new Node(key));
            return true;
        }
        return insert(node.getRight(), key);
    }

    public boolean contains(int key) {
        return find(root, key) != null;
    }

    /** The node with the key at or below node, or null. */
    private Node find(Node node, int key) {
        while (node != null && node.getKey() != key) {
            node = key < node.getKey() ? node.getLeft() : node.getRight();
        }
        return node;
    }

    /** Takes the key out of the tree, if it is there. */
    public void remove(int key) {
        if (find(root, key) != null) {
            root = remove(root, key);
            size--;
        }
    }

    /** The top of the tree below node without the key, which is there. */
    private Node remove(Node node, int key) {
        if (key < node.getKey()) {
            node.setLeft(remove(node.getLeft(), key));
            return node;
        }
        if (key > node.getKey()) {
            node.setRight(remove(node.getRight(), key));
            return node;
        }
        if (node.getLeft() == null) {
            return node.getRight();
        }
        if (node.getRight() == null) {
            return node.getLeft();
        }
        int next = smallest(node.getRight());
        node.setKey(next);
        node.setRight(remove(node.getRight(), next));
        return node;
    }

    private int smallest(Node node) {
        while (node.getLeft() != null) {
            node = node.getLeft();
        }
        return node.getKey();
    }

    /** The number of nodes on the longest way down from node. */
    private int depth(Node node) {
        if (node == null) {
            return 0;
        }
        return Math.max(depth(node.getLeft()), depth(node.getRight())) + 1;
    }

    @Override
    public String toString() {
        return text(root);
    }

    private String text(Node node) {
        if (node == null) {
            return ".";
        }
        return "(" + text(node.getLeft()) + " " + node.getKey() + " " + text(node.getRight()) + ")";
    }

    public static void main(String[] args) {
        BinaryTree tree = new BinaryTree();
        int[] keys = {40, 20, 70, 30, 60, 30};
        for (int key : keys) {
            tree.insert(key);
        }
        tree.remove(40);
        System.out.println(tree);
        System.out.println(tree.size() + " keys, depth " + tree.depth(tree.root));
        System.out.println(tree.contains(30));
    }
}
