// Two tasks of FreeRTOS, each pinned to a core: one sorts, the other one computes CRCs, in rounds without end. The
// kernel's tick interrupts the first of them each millisecond.
#include <stdint.h>

#include "FreeRTOS.h"
#include "rp2_board.h"
#include "rounds.h"
#include "task.h"

enum { WORDS = 512, BYTES = 4096, STACK_WORDS = 256 };

static uint32_t words[WORDS];
static uint8_t bytes[BYTES];
static uint32_t table[256];

int main(void);

static uint32_t random_after(uint32_t seed) { return seed * 1664525u + 1013904223u; }

// Moves the word at `root` down until no child is greater.
static void sift(uint32_t root, uint32_t count) {
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && words[child] < words[child + 1]) {
            child++;
        }
        if (words[root] >= words[child]) {
            return;
        }
        const uint32_t greater = words[child];
        words[child] = words[root];
        words[root] = greater;
    }
}

// Heapsort of other random words in each round.
static void sort(void *nothing) {
    (void)nothing;
    for (uint32_t seed = 1;;) {
        for (uint32_t i = 0; i < WORDS; i++) {
            seed = random_after(seed);
            words[i] = seed >> 8;
        }
        for (uint32_t i = WORDS / 2; i-- > 0;) {
            sift(i, WORDS);
        }
        for (uint32_t left = WORDS - 1; left > 0; left--) {
            const uint32_t greatest = words[0];
            words[0] = words[left];
            words[left] = greatest;
            sift(0, left);
        }
        uint32_t checksum = 0;
        for (uint32_t i = 0; i < WORDS; i++) {
            checksum = checksum * 31u + words[i];
        }
        done(0, checksum);
    }
}

// CRC-32 by a table, of bytes that each round changes.
static void check(void *nothing) {
    (void)nothing;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t sum = i;
        for (uint32_t bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ (0xedb88320u & -(sum & 1));
        }
        table[i] = sum;
    }
    for (uint32_t sum = 1;;) {
        bytes[sum % BYTES] ^= (uint8_t)(sum >> 24);
        sum = ~sum;
        for (uint32_t i = 0; i < BYTES; i++) {
            sum = sum >> 8 ^ table[(sum ^ bytes[i]) & 0xff];
        }
        sum = ~sum;
        done(1, sum);
    }
}

static void begin(void) {
    xTaskCreateAffinitySet(check, "check", STACK_WORDS, NULL, 2, 1u << 1, NULL);
    xTaskCreateAffinitySet(sort, "sort", STACK_WORDS, NULL, 2, 1u << 0, NULL); // from here on core 0 is its
}

void board_end(uint32_t status) {
    (void)status;
    for (;;) {
    }
}

int main(void) { board_run(begin); }
