// The loops, sorts and products of "Performance Analysis of C vs TinyGo on the RP2040" (S. Ivuerah, 2025), written anew
// from their description: integers, data in SRAM, one core.
#include "accuracy.h"

enum { LARGEST = 100, SIDE = 20 };
static int values[LARGEST];

static int fibonacci(int n) {
    if (n <= 1) {
        return n;
    }
    return fibonacci(n - 1) + fibonacci(n - 2);
}

static void count(volatile int *counter, int times) {
    for (int i = 0; i < times; i++) {
        *counter += 1;
    }
}

static void swap(int *one, int *other) {
    const int kept = *one;
    *one = *other;
    *other = kept;
}

static void bubble_sort(int *array, int length) {
    for (int end = length - 1; end > 0; end--) {
        for (int i = 0; i < end; i++) {
            if (array[i] > array[i + 1]) {
                swap(&array[i], &array[i + 1]);
            }
        }
    }
}

// Lomuto's partition: the last element is the pivot.
static void quick_sort(int *array, int low, int high) {
    if (low >= high) {
        return;
    }
    const int pivot = array[high];
    int border = low - 1;
    for (int i = low; i < high; i++) {
        if (array[i] < pivot) {
            swap(&array[++border], &array[i]);
        }
    }
    swap(&array[border + 1], &array[high]);
    quick_sort(array, low, border);
    quick_sort(array, border + 2, high);
}

static void multiply(int size, int one[][SIDE], int other[][SIDE], int result[][SIDE]) {
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            int sum = 0;
            for (int k = 0; k < size; k++) {
                sum += one[i][k] * other[k][j];
            }
            result[i][j] = sum;
        }
    }
}

static void fill(int length) {
    for (int i = 0; i < length; i++) {
        values[i] = length - i;
    }
}

static void check(int right_result) {
    if (!right_result) {
        print("wrong\n");
    }
}

void example(void) {
    speed_flash_up();
    const int numbers[] = {20, 30}, fibonaccis[] = {6765, 832040};
    const char *const fibonacci_names[] = {"fibonacci(20):", "fibonacci(30):"};
    for (int i = 0; i < 2; i++) {
        const Moment begin = now();
        const int found = fibonacci(numbers[i]);
        print_number(fibonacci_names[i], cycles_since(begin));
        check(found == fibonaccis[i]);
    }
    const int turns[] = {100000, 1000000};
    const char *const loop_names[] = {"100,000 turns:", "1,000,000 turns:"};
    for (int i = 0; i < 2; i++) {
        volatile int counter = 0;
        const Moment begin = now();
        count(&counter, turns[i]);
        print_number(loop_names[i], cycles_since(begin));
    }
    const int lengths[] = {10, 50, 100}; // the first one fills the flash's cache
    const char *const bubble_names[] = {"bubble sort of 10:", "bubble sort of 50:", "bubble sort of 100:"};
    const char *const quick_names[] = {"quick sort of 10:", "quick sort of 50:", "quick sort of 100:"};
    for (int i = 0; i < 3; i++) {
        fill(lengths[i]);
        const Moment begin = now();
        bubble_sort(values, lengths[i]);
        print_number(bubble_names[i], cycles_since(begin));
        check(values[0] == 1 && values[lengths[i] - 1] == lengths[i]);
    }
    for (int i = 0; i < 3; i++) {
        fill(lengths[i]);
        const Moment begin = now();
        quick_sort(values, 0, lengths[i] - 1);
        print_number(quick_names[i], cycles_since(begin));
        check(values[0] == 1 && values[lengths[i] - 1] == lengths[i]);
    }
    static int left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];
    const int sides[] = {10, 20};
    const char *const matrix_names[] = {"product of 10 x 10:", "product of 20 x 20:"};
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < sides[s]; i++) {
            for (int j = 0; j < sides[s]; j++) {
                left[i][j] = i + j;
                right[i][j] = i - j;
            }
        }
        const Moment begin = now();
        multiply(sides[s], left, right, product);
        print_number(matrix_names[s], cycles_since(begin));
    }
}
