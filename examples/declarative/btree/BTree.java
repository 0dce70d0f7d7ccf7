/** A B-tree of int keys: every node but the root has one to three of them, and all leaves are equally deep. */
public class BTree {
    /** The least number of children of an inner node that is not the root. */
    private static final int DEGREE = 2;

    private static class Node {
        private final int[] keys = new int[2 * DEGREE - 1];
        private final Node[] children = new Node[2 * DEGREE];
        private final boolean leaf;
        private int count;

        Node(boolean leaf) {
            this.leaf = leaf;
        }

        boolean isLeaf() {
            return leaf;
        }

        boolean isFull() {
            return count == 2 * DEGREE - 1;
        }

        /** Whether no key can be taken away. */
        boolean isSparse() {
            return count < DEGREE;
        }

        int count() {
            return count;
        }

        int key(int index) {
            return keys[index];
        }

        void setKey(int index, int key) {
            keys[index] = key;
        }

        Node child(int index) {
            return children[index];
        }

        void setChild(int index, Node child) {
            children[index] = child;
        }

        /** The place of the first key that is not less; the number of keys if all are. */
        int position(int key) {
            int index = 0;
            while (index < count && keys[index] < key) {
                index++;
            }
            return index;
        }

        boolean holds(int index, int key) {
            return index < count && keys[index] == key;
        }

        void insertKey(int index, int key) {
            for (int i = count; i > index; i--) {
                keys[i] = keys[i - 1];
            }
            keys[index] = key;
            count++;
        }

        int removeKey(int index) {
            int key = keys[index];
            for (int i = index; i < count - 1; i++) {
                keys[i] = keys[i + 1];
            }
            count--;
            return key;
        }

        /** Puts in a child; its key is there already. */
        void insertChild(int index, Node child) {
            for (int i = count; i > index; i--) {
                children[i] = children[i - 1];
            }
            children[index] = child;
        }

        /** Takes a child out; its key is gone already. */
        Node removeChild(int index) {
            Node child = children[index];
            for (int i = index; i <= count; i++) {
                children[i] = children[i + 1];
            }
            children[count + 1] = null;
            return child;
        }
    }

    private Node root = new Node(true);

    public boolean contains(int key) {
        Node node = root;
        int index = node.position(key);
        while (!node.isLeaf() && !node.holds(index, key)) {
            node = node.child(index);
            index = node.position(key);
        }
        return node.holds(index, key);
    }

    /** Puts in a key that is not there. */
    public void insert(int key) {
        if (root.isFull()) {
            Node top = new Node(false);
            top.setChild(0, root);
            split(top, 0);
            root = top;
        }
        insert(root, key);
    }

    /** Puts a key below node, which is not full. */
    private void insert(Node node, int key) {
        int index = node.position(key);
        if (node.isLeaf()) {
            node.insertKey(index, key);
            return;
        }
        if (node.child(index).isFull()) {
            split(node, index);
            if (key > node.key(index)) {
                index++;
            }
        }
        insert(node.child(index), key);
    }

    /** Makes two of a full child of a node that is not full. */
    private void split(Node parent, int index) {
        Node left = parent.child(index);
        Node right = new Node(left.isLeaf());
        for (int i = 0; i < DEGREE - 1; i++) {
            right.insertKey(i, left.removeKey(DEGREE));
        }
        if (!left.isLeaf()) {
            for (int i = 0; i < DEGREE; i++) {
                right.setChild(i, left.child(DEGREE + i));
                left.setChild(DEGREE + i, null);
            }
        }
        parent.insertKey(index, left.removeKey(DEGREE - 1));
        parent.insertChild(index + 1, right);
    }

    public void remove(int key) {
        remove(root, key);
        if (root.count() == 0 && !root.isLeaf()) {
            root = root.child(0);
        }
    }

    /** Takes a key out below node, which is the root or not sparse. */
    private void remove(Node node, int key) {
        int index = node.position(key);
        if (node.isLeaf()) {
            if (node.holds(index, key)) {
                node.removeKey(index);
            }
            return;
        }
        if (!node.holds(index, key)) {
            if (node.child(index).isSparse()) {
                index = fill(node, index);
            }
            remove(node.child(index), key);
        } else if (!node.child(index).isSparse()) {
            node.setKey(index, largest(node.child(index)));
            remove(node.child(index), node.key(index));
        } else if (!node.child(index + 1).isSparse()) {
            node.setKey(index, smallest(node.child(index + 1)));
            remove(node.child(index + 1), node.key(index));
        } else {
            merge(node, index);
            remove(node.child(index), key);
        }
    }

    private int largest(Node node) {
        while (!node.isLeaf()) {
            node = node.child(node.count());
        }
        return node.key(node.count() - 1);
    }

    private int smallest(Node node) {
        while (!node.isLeaf()) {
            node = node.child(0);
        }
        return node.key(0);
    }

    /** Gives a sparse child one key more, and tells where that child is then. */
    private int fill(Node parent, int index) {
        if (index > 0 && !parent.child(index - 1).isSparse()) {
            moveRight(parent, index - 1);
            return index;
        }
        if (index < parent.count() && !parent.child(index + 1).isSparse()) {
            moveLeft(parent, index);
            return index;
        }
        if (index == parent.count()) {
            index--;
        }
        merge(parent, index);
        return index;
    }

    /** Moves the last key of a child up, and the key that was there down to the next child. */
    private void moveRight(Node parent, int index) {
        Node left = parent.child(index);
        Node right = parent.child(index + 1);
        right.insertKey(0, parent.key(index));
        parent.setKey(index, left.removeKey(left.count() - 1));
        if (!left.isLeaf()) {
            right.insertChild(0, left.removeChild(left.count() + 1));
        }
    }

    /** Moves the first key of the next child up, and the key that was there down to the child. */
    private void moveLeft(Node parent, int index) {
        Node left = parent.child(index);
        Node right = parent.child(index + 1);
        left.insertKey(left.count(), parent.key(index));
        parent.setKey(index, right.removeKey(0));
        if (!left.isLeaf()) {
            left.insertChild(left.count(), right.removeChild(0));
        }
    }

    /** Makes one of two sparse children and the key between them. */
    private void merge(Node parent, int index) {
        Node left = parent.child(index);
        Node right = parent.child(index + 1);
        left.insertKey(left.count(), parent.removeKey(index));
        parent.removeChild(index + 1);
        if (!left.isLeaf()) {
            for (int i = 0; i <= right.count(); i++) {
                left.setChild(left.count() + i, right.child(i));
            }
        }
        for (int i = 0; i < right.count(); i++) {
            left.insertKey(left.count(), right.key(i));
        }
    }

    @Override
    public String toString() {
        return text(root);
    }

    private String text(Node node) {
        String text = "";
        for (int i = 0; i < node.count(); i++) {
            if (!node.isLeaf()) {
                text += text(node.child(i)) + " ";
            }
            text += node.key(i) + " ";
        }
        if (!node.isLeaf()) {
            text += text(node.child(node.count()));
        }
        return "(" + text.strip() + ")";
    }

    public static void main(String[] args) {
        BTree tree = new BTree();
        int[] keys = {40, 20, 30, 70, 10, 60, 50};
        for (int key : keys) {
            tree.insert(key);
        }
        tree.remove(30);
        tree.remove(10);
        tree.remove(40);
        System.out.println(tree);
        System.out.println(tree.contains(40));
    }
}
