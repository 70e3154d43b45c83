// matrix: the product of two matrices of 32 rows and columns, whole numbers of 32 bits, in C++. A unit is a row.
#include <intercore_workload.h>

namespace {

constexpr uint32_t SIZE = 32;

struct Matrices {
    int32_t left[SIZE][SIZE];
    int32_t right[SIZE][SIZE];
};

Matrices matrices PORT_SHARED(matrices);

template <typename Number> Number dot(const Number *row, const Number (*columns)[SIZE], uint32_t column) {
    Number sum = 0;
    for (uint32_t i = 0; i < SIZE; i++) {
        sum += row[i] * columns[i][column];
    }
    return sum;
}

void fill() {
    for (uint32_t i = 0; i < SIZE; i++) {
        for (uint32_t k = 0; k < SIZE; k++) {
            matrices.left[i][k] = static_cast<int32_t>(i + k);
            matrices.right[i][k] = static_cast<int32_t>(i * k % 7U);
        }
    }
}

} // namespace

INTERCORE_OUTPUT(product, int32_t, SIZE, SIZE);

void matrix(uint32_t first, uint32_t count) {
    for (uint32_t unit = first; unit != first + count; unit++) {
        uint32_t row = unit % SIZE;
        for (uint32_t column = 0; column < SIZE; column++) {
            product.unit[row][column] = dot(matrices.left[row], matrices.right, column);
        }
    }
}

INTERCORE_WORKLOAD_TO(matrix, product, .prepare = fill)
