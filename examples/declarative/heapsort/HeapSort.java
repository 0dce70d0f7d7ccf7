import java.util.Arrays;

/** Sorts an array by making a heap of it, whose largest element is taken off again and again. */
public class HeapSort {
    private static int left(int index) {
        return 2 * index + 1;
    }

    private static int right(int index) {
        return 2 * index + 2;
    }

    private static void swap(int[] a, int i, int j) {
        int kept = a[i];
        a[i] = a[j];
        a[j] = kept;
    }

    /** Makes a heap of what is below index in a[0..size), where both sides of it are heaps. */
    private static void siftDown(int[] a, int index, int size) {
        int left = left(index);
        int right = right(index);
        int largest = index;
        if (left < size && a[left] > a[largest]) {
            largest = left;
        }
        if (right < size && a[right] > a[largest]) {
            largest = right;
        }
        if (largest != index) {
            swap(a, index, largest);
            siftDown(a, largest, size);
        }
    }

    /** Makes a heap of all of a. */
    private static void buildHeap(int[] a) {
        for (int i = a.length / 2 - 1; i >= 0; i--) {
            siftDown(a, i, a.length);
        }
    }

    public static void sort(int[] a) {
        buildHeap(a);
        for (int end = a.length - 1; end > 0; end--) {
            swap(a, 0, end);
            siftDown(a, 0, end);
        }
    }

    public static void main(String[] args) {
        int[] a = {5, 13, 2, 25, 7, 17, 20};
        sort(a);
        System.out.println(Arrays.toString(a));
    }
}
