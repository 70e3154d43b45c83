// 100,000 times an operation on a volatile float, by the boot ROM's functions.
#include "accuracy.h"
#include "rom_float.h"

enum { TIMES = 100000 };

#define MEASURE(name, operation)                                                                                       \
    do {                                                                                                               \
        volatile float a = 100000.0f;                                                                                  \
        const Moment begin = now();                                                                                    \
        for (uint32_t i = 0; i < TIMES; i++) {                                                                         \
            operation;                                                                                                 \
        }                                                                                                              \
        print_number(name, cycles_since(begin));                                                                       \
    } while (0)

void example(void) {
    speed_flash_up();
    find_rom_float();
    MEASURE("a *= 1.00001:", a *= 1.00001f);
    MEASURE("a *= 0.99999:", a *= 0.99999f);
    MEASURE("a /= 1.0001:", a /= 1.0001f);
    MEASURE("a /= 0.99999:", a /= 0.99999f);
    MEASURE("a += 0.005:", a += 0.005f);
}
