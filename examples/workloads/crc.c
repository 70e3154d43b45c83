/* crc: the CRC-32 of IEEE 802.3 of each of 1024 blocks of 64 bytes, with a table. A unit is a block. */
#include <intercore_workload.h>

#define BLOCKS 1024U
#ifndef BLOCK_BYTES
#define BLOCK_BYTES 64U /* for smaller units: --flag=-DBLOCK_BYTES=16U */
#endif
#define POLYNOMIAL 0xedb88320U

static uint32_t table[256] PORT_SHARED(crc_table);

static void fill(void) {
    for (uint32_t i = 0; i < 256U; i++) {
        uint32_t value = i;
        for (uint32_t bit = 0; bit < 8U; bit++) {
            value = value >> 1U ^ (value & 1U ? POLYNOMIAL : 0);
        }
        table[i] = value;
    }
}

/* 64 kB of constant contents, which take no memory */
static uint32_t byte_at(uint32_t position) { return position * 0x9e3779b1U >> 24U; }

uint32_t crc(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        uint32_t value = 0xffffffffU;
        uint32_t begin = unit % BLOCKS * BLOCK_BYTES;
        for (uint32_t i = begin; i < begin + BLOCK_BYTES; i++) {
            value = table[(value ^ byte_at(i)) & 0xffU] ^ value >> 8U;
        }
        sum += ~value;
    }
    return sum;
}

INTERCORE_WORKLOAD(crc, .units = BLOCKS, .prepare = fill)
