// A text of 21 characters sent 100 times by UART0 at 115200 bit/s, until the last one is in its FIFO.
#include "accuracy.h"

void example(void) {
    speed_flash_up();
    const Moment begin = now();
    for (int i = 0; i < 100; i++) {
        print("A text of 20 letters\n");
    }
    const uint32_t cycles = cycles_since(begin);
    print_number("100 texts:", cycles);
}
