/* The content of a message of the benchmark `message`, and the check that it arrived as it was sent */
#include "message.h"

/* The receiver remembers, for this many messages before the newest one, whether each has arrived. */
#define WINDOW 32U

/* A message of two or more whole words (of 4 bytes) has its sequence number in the first word, and the checksum of all
 * other words in the last word. The words in between are the output of a linear congruential generator seeded with the
 * sequence number. A message of one word holds only the sequence number. Each byte after the last whole word is the
 * exclusive or of the four bytes of that word. A message shorter than a word holds the lower bytes of the sequence
 * number. */

static uint32_t checksum(const uint32_t *message) {
    uint32_t words = ic_message_words();
    uint32_t sum = 2166136261U; /* FNV's offset basis and prime */
    for (uint32_t i = 0; i + 1U < words; i++) {
        sum = (sum ^ message[i]) * 16777619U;
    }
    return sum;
}

static uint8_t parity(uint32_t word) {
    uint32_t half = word ^ (word >> 16U);
    return (uint8_t)(half ^ (half >> 8U));
}

void ic_message_produce(uint32_t *message, uint32_t number) {
    uint32_t words = ic_message_words();
    uint32_t value = number;
    ic_message_stamp(message, number);
    if (words == 0) {
        return;
    }
    for (uint32_t i = 1; i + 1U < words; i++) {
        value = value * 1664525U + 1013904223U; /* Knuth, TAOCP 2, 3.3.4, table 1 */
        message[i] = value;
    }
    if (words > 1) {
        message[words - 1U] = checksum(message);
    }
    for (uint32_t i = words * NUMBER_BYTES; i < ic_message.setup.size; i++) {
        ((uint8_t *)message)[i] = parity(message[words - 1U]);
    }
}

/* Whether the message is intact, whatever its sequence number. If only the stamps are checked (the sequence number, in
 * the first and in the last word): whether the two agree. */
static bool is_whole(const uint32_t *message) {
    uint32_t words = ic_message_words();
    if (words == 0) {
        return true;
    }
    if (!ic_message.full) {
        return message[words - 1U] == message[0];
    }
    bool whole = words == 1 || message[words - 1U] == checksum(message);
    for (uint32_t i = words * NUMBER_BYTES; i < ic_message.setup.size; i++) {
        whole = whole && ((const uint8_t *)message)[i] == parity(message[words - 1U]);
    }
    return whole;
}

int32_t ic_message_ahead(const uint32_t *message) {
    if (ic_message_words() > 0) {
        return (int32_t)(message[0] - ic_message.next);
    }
    uint32_t number = 0;
    uint32_t above =
        8U * (NUMBER_BYTES - 1U - (ic_message.setup.size - 1U) % NUMBER_BYTES); /* bits that a short message lacks */
    for (uint32_t i = 0; i < ic_message.setup.size; i++) {
        number |= (uint32_t)((const uint8_t *)message)[i] << (8U * i);
    }
    int32_t scaled = (int32_t)((number - ic_message.next) << above);
    return scaled / (int32_t)(1U << above);
}

static void expect_next(uint32_t steps) {
    ic_message.next += steps;
    ic_message.came = (steps < WINDOW ? ic_message.came << steps : 0) | 1U;
}

/* Counts a message whose sequence number is `behind` less than the expected one: it is late, or repeated. */
static void read_back(uint32_t behind) {
    uint32_t bit = behind <= WINDOW ? 1U << (behind - 1U) : 0;
    if (bit != 0 && (ic_message.came & bit) == 0) {
        ic_message.came |= bit;
        ic_message.found.missing--;
        ic_message.found.disordered++;
    } else {
        ic_message.found.repeated++;
    }
}

void ic_message_check(const struct arrival *arrival) {
    ic_message.found.checked++;
    if (arrival->bytes != ic_message.setup.size || !is_whole(arrival->message)) {
        ic_message.found.corrupted++;
        expect_next(1);
        return;
    }
    int32_t steps = ic_message_ahead(arrival->message);
    if (steps >= (int32_t)(ic_message.target - ic_message.next)) { /* that number has not been sent yet */
        ic_message.found.corrupted++;
        expect_next(1);
    } else if (steps >= 0) {
        ic_message.found.missing += (uint32_t)steps;
        expect_next((uint32_t)steps + 1U);
    } else {
        read_back(0U - (uint32_t)steps);
    }
}
