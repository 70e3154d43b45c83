#include "esp32_beside.h"

#include "esp32_cpu.h"
#include "esp32_idf.h"
#include "port.h"

#define READINGS 256U

bool esp32_beside_find(struct esp32_beside *beside, uint64_t (*read)(void *context), void *context,
                       uint64_t counter_hz) {
    beside->scale = count_scale_of(port_clock_hz(), counter_hz);
    beside->count = read(context);
    struct count_ahead began = COUNT_AHEAD_UNKNOWN;
    for (uint32_t i = 0; i < READINGS; i++) {
        uint32_t state = cpu_mask();
        uint64_t before = port_clock();
        uint64_t counted = read(context) - beside->count;
        uint64_t after = port_clock();
        cpu_unmask(state);
        count_read_between(&began, beside->scale, before, counted, after);
        /* The next reading meets the counter at another phase. */
        for (uint32_t begun = cpu_counter(); cpu_counter() - begun < i % 32U;) {
        }
    }
    beside->clock = (uint64_t)count_middle(&began);
    beside->within = count_within(&began);
    return count_is_known(&began);
}
