/** Two programs that do little but call, write and store: the worst case for a recorder. */
class Classics {
    static int next(int x) {
        x ^= x << 13;
        x ^= x >>> 17;
        return x ^ x << 5;
    }

    static void sort(int[] of, int[] spare, int from, int to) {
        if (to - from < 2) {
            return;
        }
        int middle = from + to >>> 1;
        sort(of, spare, from, middle);
        sort(of, spare, middle, to);
        merge(of, spare, from, middle, to);
    }

    static void merge(int[] of, int[] spare, int from, int middle, int to) {
        int left = from;
        int right = middle;
        for (int at = from; at < to; at++) {
            boolean isLeft = right == to || left < middle && of[left] <= of[right];
            spare[at] = isLeft ? of[left++] : of[right++];
        }
        System.arraycopy(spare, from, of, from, to - from);
    }

    /** Sorts this many numbers by merging. Returns the smallest. */
    static int sorted(int many) {
        int[] numbers = new int[many];
        int x = 1;
        for (int i = 0; i < many; i++) {
            x = next(x);
            numbers[i] = x;
        }
        sort(numbers, new int[many], 0, many);
        return numbers[0];
    }

    static final class Tree {
        final int key;
        int height = 1;
        Tree left;
        Tree right;

        Tree(int key) {
            this.key = key;
        }

        static int height(Tree tree) {
            return tree == null ? 0 : tree.height;
        }

        void measure() {
            height = 1 + Math.max(height(left), height(right));
        }

        Tree rotatedRight() {
            Tree top = left;
            left = top.right;
            top.right = this;
            measure();
            top.measure();
            return top;
        }

        Tree rotatedLeft() {
            Tree top = right;
            right = top.left;
            top.left = this;
            measure();
            top.measure();
            return top;
        }

        static Tree with(Tree tree, int key) {
            if (tree == null) {
                return new Tree(key);
            }
            if (key < tree.key) {
                tree.left = with(tree.left, key);
            } else if (key > tree.key) {
                tree.right = with(tree.right, key);
            }
            tree.measure();
            int heavier = height(tree.left) - height(tree.right);
            if (heavier > 1) {
                if (key > tree.left.key) {
                    tree.left = tree.left.rotatedLeft();
                }
                return tree.rotatedRight();
            }
            if (heavier < -1) {
                if (key < tree.right.key) {
                    tree.right = tree.right.rotatedRight();
                }
                return tree.rotatedLeft();
            }
            return tree;
        }
    }

    static int sum;

    static void takeNumber(int number) {
        sum += number;
    }

    static void takeObject(Object object) {
        sum += object == null ? 0 : 1;
    }

    /** Makes this many calls: with a number, with one object, or with a new one each. */
    static int taken(String what, int many) {
        Object known = new Object();
        for (int i = 0; i < many; i++) {
            if (what.equals("number")) {
                takeNumber(1);
            } else {
                takeObject(what.equals("known") ? known : new Object());
            }
        }
        return sum;
    }

    int added;

    void count() {
        added++;
    }

    /** Builds an AVL tree of this many keys. Returns its height. */
    static int tree(int many) {
        Tree tree = null;
        Classics counter = new Classics();
        int x = 1;
        for (int i = 0; i < many; i++) {
            x = next(x);
            tree = Tree.with(tree, x);
            counter.count();
        }
        return tree.height + counter.added - many;
    }
}
