#include "rp2040_tick.h"

#include "port_freertos.h"
#include "rp2040_registers.h"
#include "rp2_board.h"
#include "rp2_clocks.h"

#define TICK_CYCLES (CLOCKS_SYS_HZ / configTICK_RATE_HZ)
_Static_assert(CLOCKS_SYS_HZ % configTICK_RATE_HZ == 0, "a tick is a whole number of cycles");

/* Cycles between the two readings in read_counters(), which reads SysTick first and then the PWM counter. A load takes
 * 2 cycles (Cortex-M0+ TRM 3.3), and APB returns its value 2 cycles later than SysTick (DS 2.1.3).
 * tests/firmware/rp2040/test_tick.py checks this. */
#define APART 4U
/* Number of readings from each of which an edge of the kernel tick is computed. The bus may delay the second load of a
 * reading, which makes the edge appear later, but never the first load. So the earliest edge is the right one. */
#define READINGS 8U

/* The moment of one past edge of the kernel tick, on the common clock */
static uint64_t known_edge;

/* Reads SysTick and the PWM counter, one right after the other. The function is in SRAM, so that no fetch from flash
 * comes between the two loads. */
BOARD_IN_SRAM(read_counters) static void read_counters(uint32_t *systick, uint32_t *pwm) {
    uint32_t mask;
    __asm volatile("    mrs   %[mask], primask  \n"
                   "    cpsid i                 \n"
                   "    ldr   %[systick], [%[from]]  \n"
                   "    ldr   %[pwm], [%[at]]   \n"
                   "    msr   primask, %[mask]  \n"
                   : [mask] "=&r"(mask), [systick] "=&l"(*systick), [pwm] "=&l"(*pwm)
                   : [from] "l"(&SYST_CVR), [at] "l"(&PWM_CH0_CTR)
                   : "memory");
}

static uint64_t read_edge(void) {
    uint32_t systick;
    uint32_t pwm;
    read_counters(&systick, &pwm);
    uint64_t now = port_clock();
    uint64_t moment = now - (uint16_t)((uint32_t)now - pwm) - APART; /* the PWM counter is the clock's low 16 bits */
    return moment - (TICK_CYCLES - systick) % TICK_CYCLES;           /* SysTick counts down from TICK_CYCLES - 1 */
}

void rp2040_tick_start(void) {
    known_edge = read_edge();
    for (uint32_t i = 1; i < READINGS; i++) {
        uint64_t edge = read_edge();
        uint64_t later = (edge - known_edge) % TICK_CYCLES;
        if (later > TICK_CYCLES / 2U) { /* the new edge is earlier */
            known_edge = edge;
        }
    }
}

uint64_t port_tick_edge(void) {
    uint64_t now = port_clock();
    return now - (now - known_edge) % TICK_CYCLES;
}
