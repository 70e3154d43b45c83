/* CRC-32 of ISO 3309, as zlib computes it: polynomial 0x04C11DB7 reflected, initial value and final XOR all ones. */
#ifndef IC_CRC32_H
#define IC_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t ic_crc32(const char *bytes, size_t size);

#endif
