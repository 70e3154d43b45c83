// How often a loop that reads the 64-bit time of the TIMER gets round in a second: here, in 10 ms.
#include "accuracy.h"

#define TIMERAWH REGISTER(0x40054024)

__attribute__((noinline)) static uint64_t time_us(void) {
    uint32_t high = TIMERAWH, low;
    for (;;) {
        low = TIMER_TIMERAWL;
        const uint32_t again = TIMERAWH;
        if (again == high) {
            break;
        }
        high = again;
    }
    return (uint64_t)high << 32 | low;
}

void example(void) {
    speed_flash_up();
    const uint64_t end = time_us() + 10000;
    uint64_t counter = 0;
    while (time_us() <= end) {
        counter++;
    }
    print_number("turns in 10 ms:", (uint32_t)counter);
}
