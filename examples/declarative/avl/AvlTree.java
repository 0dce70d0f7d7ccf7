/** A search tree of int keys in which the heights of two siblings differ by one at most. */
public class AvlTree {
    private static class Node {
        private int key;
        private int height;
        private Node left;
        private Node right;

        Node(int key) {
            this.key = key;
            this.height = 1;
        }
    }

    private Node root;

    public void insert(int key) {
        root = insert(root, key);
    }

    public void remove(int key) {
        root = remove(root, key);
    }

    public boolean contains(int key) {
        Node node = root;
        while (node != null && node.key != key) {
            node = key < node.key ? node.left : node.right;
        }
        return node != null;
    }

    /** The top of the tree below node with the key in it; a key that is there already stays alone. */
    private Node insert(Node node, int key) {
        if (node == null) {
            return new Node(key);
        }
        if (key < node.key) {
            node.left = insert(node.left, key);
        } else if (key > node.key) {
            node.right = insert(node.right, key);
        }
        return rebalance(node);
    }

    /** The top of the tree below node without the key. */
    private Node remove(Node node, int key) {
        if (node == null) {
            return null;
        }
        if (key < node.key) {
            node.left = remove(node.left, key);
        } else if (key > node.key) {
            node.right = remove(node.right, key);
        } else if (node.left == null) {
            return node.right;
        } else if (node.right == null) {
            return node.left;
        } else {
            node.key = smallest(node.right);
            node.right = remove(node.right, node.key);
        }
        return rebalance(node);
    }

    private int smallest(Node node) {
        while (node.left != null) {
            node = node.left;
        }
        return node.key;
    }

    /** The top of the tree below node, whose subtrees are balanced and differ in height by two at most. */
    private Node rebalance(Node node) {
        updateHeight(node);
        int balance = balance(node);
        if (balance > 1) {
            if (balance(node.left) < 0) {
                node.left = rotateLeft(node.left);
            }
            return rotateRight(node);
        }
        if (balance < -1) {
            if (balance(node.right) > 0) {
                node.right = rotateRight(node.right);
            }
            return rotateLeft(node);
        }
        return node;
    }

    private Node rotateLeft(Node node) {
        Node top = node.right;
        node.right = top.left;
        top.left = node;
        updateHeight(node);
        updateHeight(top);
        return top;
    }

    private Node rotateRight(Node node) {
        Node top = node.left;
        node.left = top.right;
        top.right = node;
        updateHeight(node);
        updateHeight(top);
        return top;
    }

    private void updateHeight(Node node) {
        node.height = Math.max(height(node.left), height(node.right)) + 1;
    }

    /** How much higher the left side of node is than its right side. */
    private int balance(Node node) {
        return height(node.left) - height(node.right);
    }

    private int height(Node node) {
        return node == null ? 0 : node.height;
    }

    @Override
    public String toString() {
        return text(root);
    }

    private String text(Node node) {
        if (node == null) {
            return ".";
        }
        return "(" + text(node.left) + " " + node.key + " " + text(node.right) + ")";
    }

    public static void main(String[] args) {
        AvlTree tree = new AvlTree();
        int[] keys = {10, 30, 20, 5};
        for (int key : keys) {
            tree.insert(key);
        }
        tree.remove(20);
        tree.insert(40);
        tree.remove(30);
        System.out.println(tree);
        System.out.println(tree.contains(5) + " " + tree.contains(20));
    }
}
