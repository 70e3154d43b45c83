// Rounds of work for each core, without end: queens on a board (calls, stack), a sieve (bytes), decimals (division).
// The cores share code and nothing else, so that a round is the same instructions wherever and however fast it runs.
#include "chip.h"

#define CPUID REGISTER(SIO)

enum { BOARD = 6, SIEVE = 1000, DECIMALS = 40 };

// Read by the host.
struct {
    volatile uint32_t checksum, rounds;
} results[2];

static uint8_t composite[2][SIEVE];

// Ways to complete a board whose next row has queens straight above and on the diagonals at these columns.
static uint32_t queens(uint32_t straight, uint32_t left, uint32_t right) {
    uint32_t ways = 0;
    for (uint32_t free = ~(straight | left | right) & ((1u << BOARD) - 1); free != 0; free &= free - 1) {
        const uint32_t queen = free & -free;
        const uint32_t all = straight | queen;
        ways += all == (1u << BOARD) - 1 ? 1 : queens(all, (left | queen) << 1, (right | queen) >> 1);
    }
    return ways;
}

// Sum of the primes below SIEVE.
static uint32_t primes(uint8_t *marks) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < SIEVE; i++) {
        marks[i] = 0;
    }
    for (uint32_t i = 2; i < SIEVE; i++) {
        if (marks[i] == 0) {
            sum += i;
            for (uint32_t multiple = i * i; multiple < SIEVE; multiple += i) {
                marks[multiple] = 1;
            }
        }
    }
    return sum;
}

// Mixes the decimal digits of numbers that follow from a seed.
static uint32_t decimals(uint32_t seed) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < DECIMALS; i++) {
        seed = seed * 1664525u + 1013904223u;
        for (uint32_t rest = seed; rest != 0; rest /= 10) {
            hash = (hash ^ rest % 10) * 16777619u;
        }
    }
    return hash;
}

static void work(void) {
    SYST_CSR = 0; // chip.c started it; nobody reads it here
    const uint32_t core = CPUID;
    for (uint32_t hash = 1;;) {
        hash = decimals(hash + queens(0, 0, 0) + primes(composite[core]));
        results[core].checksum = hash;
        results[core].rounds++;
    }
}

void example(void) {
    print("work\n");
    start_core_1(work);
    work();
}
