#include "busy_wait.h"

#include "port.h"

/* The loop is calibrated with TRIALS trials of TRIAL_TURNS iterations each. */
#define TRIAL_TURNS 1000U
#define TRIALS 8U
#define MOST_TURNS 2000000000U

void ic_busy_wait(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

/* Uses the fastest trial, because interrupts may have lengthened the others. */
uint32_t ic_busy_wait_turns(uint64_t ticks) {
    uint64_t quickest = UINT64_MAX;
    for (uint32_t i = 0; i < TRIALS; i++) {
        uint64_t begin = port_clock();
        ic_busy_wait(TRIAL_TURNS);
        uint64_t took = port_clock() - begin;
        quickest = took < quickest ? took : quickest;
    }
    uint64_t turns = ticks * TRIAL_TURNS / (quickest > 0 ? quickest : 1U);
    return turns < MOST_TURNS ? (uint32_t)turns : MOST_TURNS;
}
