#include "esp32_counter_phase.h"

#include "esp32_cpu.h"
#include "esp32_idf.h"
#include "port.h"

#define READINGS 256U

bool esp32_counter_phase_find(struct esp32_counter_phase *phase, uint64_t (*read)(void *context), void *context,
                              uint64_t counter_hz) {
    phase->scale = count_scale_of(port_clock_hz(), counter_hz);
    phase->count = read(context);
    struct count_ahead began = COUNT_AHEAD_UNKNOWN;
    for (uint32_t i = 0; i < READINGS; i++) {
        uint32_t state = cpu_mask();
        uint64_t before = port_clock();
        uint64_t counted = read(context) - phase->count;
        uint64_t after = port_clock();
        cpu_unmask(state);
        count_read_between(&began, phase->scale, before, counted, after);
        /* Waits a varying number of cycles, so that the next reading comes at another point of the counter's period. */
        for (uint32_t begun = cpu_counter(); cpu_counter() - begun < i % 32U;) {
        }
    }
    phase->clock = (uint64_t)count_middle(&began);
    phase->within = count_within(&began);
    return count_is_known(&began);
}
