/* What the board has in esp32_count.h, for the tests to call. */
#include "esp32_count.h"

uint64_t since(uint64_t before, uint32_t counter);
void unknown(struct count_ahead *ahead);
void narrow(struct count_ahead *ahead, int64_t least, int64_t most);
void exchanged(struct count_ahead *ahead, uint64_t before, uint64_t there, uint64_t after);
bool is_known(const struct count_ahead *ahead);
int64_t middle(const struct count_ahead *ahead);
uint64_t within(const struct count_ahead *ahead);
uint32_t unwrap(struct count_ahead *ahead);
int32_t ppm(uint64_t counted, uint64_t us, uint64_t hz);
void scale_of(struct count_scale *scale, uint64_t clock_hz, uint64_t counter_hz);
uint64_t cycles(const struct count_scale *scale, uint64_t counts);
uint64_t counts(const struct count_scale *scale, uint64_t cycles);
void read_between(struct count_ahead *began, const struct count_scale *scale, uint64_t before, uint64_t counted,
                  uint64_t after);

uint64_t since(uint64_t before, uint32_t counter) { return count_since(before, counter); }

void unknown(struct count_ahead *ahead) { *ahead = COUNT_AHEAD_UNKNOWN; }

void narrow(struct count_ahead *ahead, int64_t least, int64_t most) { count_narrow(ahead, least, most); }

void exchanged(struct count_ahead *ahead, uint64_t before, uint64_t there, uint64_t after) {
    count_exchanged(ahead, before, there, after);
}

bool is_known(const struct count_ahead *ahead) { return count_is_known(ahead); }

int64_t middle(const struct count_ahead *ahead) { return count_middle(ahead); }

uint64_t within(const struct count_ahead *ahead) { return count_within(ahead); }

uint32_t unwrap(struct count_ahead *ahead) { return count_unwrap(ahead); }

int32_t ppm(uint64_t counted, uint64_t us, uint64_t hz) { return count_ppm(counted, us, hz); }

void scale_of(struct count_scale *scale, uint64_t clock_hz, uint64_t counter_hz) {
    *scale = count_scale_of(clock_hz, counter_hz);
}

uint64_t cycles(const struct count_scale *scale, uint64_t counts) { return count_cycles(*scale, counts); }

uint64_t counts(const struct count_scale *scale, uint64_t cycles) { return count_counts(*scale, cycles); }

void read_between(struct count_ahead *began, const struct count_scale *scale, uint64_t before, uint64_t counted,
                  uint64_t after) {
    count_read_between(began, *scale, before, counted, after);
}
