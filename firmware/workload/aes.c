/* A unit of the workload `aes` is the encryption of one 16-byte block with AES-128 (FIPS 197) in counter mode (NIST SP
 * 800-38A), with a table of 256 bytes, as on a chip without AES hardware. On a chip with a cache the time of this code
 * may depend on the key: do not use it for secrets.
 *
 * The blocks are the four of the example in SP 800-38A, F.5.1, used cyclically, so every result is compared with
 * published values. */
#include "port.h"
#include "workloads.h"

#define ROUNDS 10U
#define BLOCKS 4U

/* The S-box: FIPS 197 5.1.1, figure 7. */
static const uint8_t s_box[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76, 0xca, 0x82, 0xc9,
    0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f,
    0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15, 0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07,
    0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3,
    0x29, 0xe3, 0x2f, 0x84, 0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58,
    0xcf, 0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3,
    0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec, 0x5f,
    0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73, 0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88,
    0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb, 0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac,
    0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a,
    0xae, 0x08, 0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a, 0x70,
    0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e, 0xe1, 0xf8, 0x98, 0x11,
    0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf, 0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42,
    0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
};

static const uint32_t key[4] = {0x2b7e1516U, 0x28aed2a6U, 0xabf71588U, 0x09cf4f3cU};
static const uint32_t first_counter[4] = {0xf0f1f2f3U, 0xf4f5f6f7U, 0xf8f9fafbU, 0xfcfdfeffU};
static const uint32_t plain[BLOCKS][4] = {
    {0x6bc1bee2U, 0x2e409f96U, 0xe93d7e11U, 0x7393172aU},
    {0xae2d8a57U, 0x1e03ac9cU, 0x9eb76facU, 0x45af8e51U},
    {0x30c81c46U, 0xa35ce411U, 0xe5fbc119U, 0x1a0a52efU},
    {0xf69f2445U, 0xdf4f9b17U, 0xad2b417bU, 0xe66c3710U},
};
static const uint32_t cipher[BLOCKS][4] = {
    {0x874d6191U, 0xb620e326U, 0x1bef6864U, 0x990db6ceU},
    {0x9806f66bU, 0x7970fdffU, 0x8617187bU, 0xb9fffdffU},
    {0x5ae4df3eU, 0xdbd5d35eU, 0x5b4f0902U, 0x0db03eabU},
    {0x1e031ddaU, 0x2fbe03d1U, 0x792170a0U, 0xf3009ceeU},
};

static struct {
    uint32_t words[4U * (ROUNDS + 1U)];
} schedule PORT_SHARED(aes_schedule);

static uint32_t rotated(uint32_t word, uint32_t bits) { return word << bits | word >> (32U - bits); }

/* Takes one byte of each of four words, replaces the four bytes by their S-box values, and joins these. */
static uint32_t substituted(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return (uint32_t)s_box[a >> 24U] << 24U | (uint32_t)s_box[b >> 16U & 0xffU] << 16U |
           (uint32_t)s_box[c >> 8U & 0xffU] << 8U | s_box[d & 0xffU];
}

/* Multiplies each of the word's four bytes by x ({02}), modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 4.2.1). */
static uint32_t doubled(uint32_t word) { return (word & 0x7f7f7f7fU) << 1U ^ (word >> 7U & 0x01010101U) * 0x1bU; }

/* MixColumns() of one column, FIPS 197 5.1.3: each byte becomes 2 times itself, plus 3 times the next byte, plus the
 * other two bytes. */
static uint32_t mixed(uint32_t column) {
    uint32_t twice = doubled(column);
    return twice ^ rotated(twice ^ column, 8) ^ rotated(column, 16) ^ rotated(column, 24);
}

/* KeyExpansion(), FIPS 197 5.2. */
IC_UNTIMED static void prepare(void) {
    uint32_t constant = 0x01000000U;
    uint32_t *words = schedule.words;
    for (uint32_t i = 0; i < 4U * (ROUNDS + 1U); i++) {
        if (i < 4U) {
            words[i] = key[i];
            continue;
        }
        uint32_t before = words[i - 1U];
        if (i % 4U == 0) {
            uint32_t turned = rotated(before, 8);
            before = substituted(turned, turned, turned, turned) ^ constant;
            constant = doubled(constant);
        }
        words[i] = words[i - 4U] ^ before;
    }
}

/* Cipher(), FIPS 197 5.1. A word is a column, with its first row in the most significant byte. */
static void encipher(uint32_t block[4]) {
    const uint32_t *keys = schedule.words;
    uint32_t a = block[0] ^ keys[0];
    uint32_t b = block[1] ^ keys[1];
    uint32_t c = block[2] ^ keys[2];
    uint32_t d = block[3] ^ keys[3];
    for (uint32_t round = 1; round < ROUNDS; round++) {
        keys += 4;
        uint32_t e = mixed(substituted(a, b, c, d)) ^ keys[0];
        uint32_t f = mixed(substituted(b, c, d, a)) ^ keys[1];
        uint32_t g = mixed(substituted(c, d, a, b)) ^ keys[2];
        d = mixed(substituted(d, a, b, c)) ^ keys[3];
        a = e;
        b = f;
        c = g;
    }
    keys += 4;
    block[0] = substituted(a, b, c, d) ^ keys[0];
    block[1] = substituted(b, c, d, a) ^ keys[1];
    block[2] = substituted(c, d, a, b) ^ keys[2];
    block[3] = substituted(d, a, b, c) ^ keys[3];
}

static uint32_t work(uint32_t first, uint32_t count) {
    uint32_t checksum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        uint32_t number = unit % BLOCKS;
        uint32_t block[4] = {first_counter[0], first_counter[1], first_counter[2], first_counter[3] + number};
        encipher(block);
        for (uint32_t i = 0; i < 4U; i++) {
            checksum += block[i] ^ plain[number][i];
        }
    }
    return checksum;
}

static uint32_t sum_of(const uint32_t block[4]) { return block[0] + block[1] + block[2] + block[3]; }

IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t times = count / BLOCKS + (i < count % BLOCKS ? 1U : 0U);
        sum += times * sum_of(cipher[(first + i) % BLOCKS]);
    }
    return sum;
}

const struct ic_workload ic_workload_aes = {.prepare = prepare, .work = work, .expected = expected};
