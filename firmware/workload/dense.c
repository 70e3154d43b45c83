/* A unit of the workload `dense` is one element of a matrix product, as in a layer of a small neural network: 32
 * products of an 8-bit weight and an 8-bit input, added to a 32-bit bias. The layer has 16 outputs for each of 16 input
 * vectors, and is computed repeatedly. Weights and inputs are in memory region 0. */
#include "port.h"
#include "workloads.h"

#define DEPTH 32U
#define ROWS 16U    /* outputs */
#define COLUMNS 16U /* vectors of inputs */
#define ELEMENTS (ROWS * COLUMNS)
/* Added to each element: larger than the magnitude of any negative dot product of weights and inputs, so that no
 * element is 0 */
#define BIAS 524288

struct layer {
    int8_t weights[ROWS][DEPTH];
    int8_t inputs[COLUMNS][DEPTH];
};

static struct {
    const struct layer *layer;
} product PORT_SHARED(dense_layer);

/* Irregular 8-bit values, the same in every run: the fractional parts of multiples of the golden ratio */
static int8_t content(uint32_t number) { return (int8_t)((int32_t)(number * 0x9e3779b1U >> 24U) - 128); }

static int8_t weight(uint32_t row, uint32_t i) { return content(row * DEPTH + i); }

static int8_t input(uint32_t column, uint32_t i) { return content((ROWS + column) * DEPTH + i); }

IC_UNTIMED static void prepare(void) {
    struct port_region region;
    if (!port_region(0, &region)) {
        return;
    }
    struct layer *fill = region.base;
    for (uint32_t i = 0; i < DEPTH; i++) {
        for (uint32_t row = 0; row < ROWS; row++) {
            fill->weights[row][i] = weight(row, i);
        }
        for (uint32_t column = 0; column < COLUMNS; column++) {
            fill->inputs[column][i] = input(column, i);
        }
    }
    product.layer = fill;
}

static uint32_t work(uint32_t first, uint32_t count) {
    const struct layer *layer = product.layer;
    uint32_t checksum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        const int8_t *weights = layer->weights[unit / COLUMNS % ROWS];
        const int8_t *inputs = layer->inputs[unit % COLUMNS];
        int32_t sum = BIAS;
        for (uint32_t i = 0; i < DEPTH; i++) {
            sum += weights[i] * inputs[i];
        }
        checksum += (uint32_t)sum;
    }
    return checksum;
}

/* Returns the sum of the layer's elements before `element`, without their biases. If each value of one group is
 * multiplied by each value of another group, the sum of the products is the product of the groups' sums. This rule is
 * used at each position i: for all rows before `row` with all columns, and for `row` with the columns before
 * `column`. */
static uint32_t sum_to(uint32_t element) {
    uint32_t row = element / COLUMNS;
    uint32_t column = element % COLUMNS;
    int32_t sum = 0;
    for (uint32_t i = 0; i < DEPTH; i++) {
        int32_t before = 0;
        int32_t here = 0;
        int32_t all = 0;
        for (uint32_t k = 0; k < row; k++) {
            before += weight(k, i);
        }
        for (uint32_t k = 0; k < COLUMNS; k++) {
            all += input(k, i);
            here += k < column ? input(k, i) : 0;
        }
        sum += before * all + (here != 0 ? weight(row, i) * here : 0);
    }
    return (uint32_t)sum;
}

IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    uint32_t begin = first % ELEMENTS;
    uint32_t end = begin + count % ELEMENTS;
    uint32_t layer = sum_to(ELEMENTS);
    uint32_t sum = count * (uint32_t)BIAS + count / ELEMENTS * layer - sum_to(begin);
    return end < ELEMENTS ? sum + sum_to(end) : sum + layer + sum_to(end - ELEMENTS);
}

const struct ic_workload ic_workload_dense = {.prepare = prepare, .work = work, .expected = expected};
