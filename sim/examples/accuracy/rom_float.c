// See rom_float.h. Offsets in the tables: RP2040 datasheet 2.8.3.2.
// As fast as the assembler of the SDK, whatever the level of the program.
#pragma GCC optimize("O3")
#include "rom_float.h"

enum { WORDS = 32 };
uint32_t single_table[WORDS], double_table[WORDS];
typedef uint32_t CountLeadingZeros(uint32_t);
static CountLeadingZeros *count_leading_zeros;

void find_rom_float(void) {
    typedef const uint32_t *Lookup(const uint16_t *table, uint32_t code);
    const uint16_t *header = (const uint16_t *)0x14;
    __asm__("" : "+r"(header)); // GCC takes an address near 0 for a mistake
    Lookup *const lookup = (Lookup *)(uintptr_t)header[2];
    const uint16_t *const data_table = (const uint16_t *)(uintptr_t)header[1];
    const uint32_t *const singles = lookup(data_table, 'S' | 'F' << 8);
    const uint32_t *const doubles = lookup(data_table, 'S' | 'D' << 8);
    count_leading_zeros = (CountLeadingZeros *)lookup((const uint16_t *)(uintptr_t)header[0], 'L' | '3' << 8);
    for (int i = 0; i < WORDS; i++) {
        single_table[i] = singles[i];
        double_table[i] = doubles[i];
    }
}

// The SDK's wrappers: a jump through a table in RAM; the divider asked for what an interrupted division would leave;
// the range of an angle; the sign of a square. In a debug build, ip is cleared first. No argument here needs what they
// do then.
#ifdef SDK_DEBUG
#define JUMP(offset) " movs r3, #0\n mov ip, r3\n ldr r3, 1f\n ldr r3, [r3, #" #offset "]\n bx r3\n"
#else
#define JUMP(offset) " ldr r3, 1f\n ldr r3, [r3, #" #offset "]\n bx r3\n"
#endif
#define FUNCTION(names, before, table, offset)                                                                         \
    __asm__(".syntax unified\n .text\n .align 2\n .thumb_func\n" names before JUMP(                                    \
        offset) " .align 2\n1: .word " #table "\n2: .word 0xd0000000\n");
// Operands of double precision take all four registers.
#define WIDE_FUNCTION(names, offset)                                                                                   \
    __asm__(".syntax unified\n .text\n .align 2\n .thumb_func\n" names                                                 \
            " push {r3, r4}\n ldr r3, 1f\n ldr r3, [r3, #" #offset "]\n str r3, [sp, #4]\n pop {r3, pc}\n"             \
            " .align 2\n1: .word double_table\n");
#define NAME(name) ".global " #name "\n.type " #name ", %function\n" #name ":\n"
#define DIVIDER_CLEAN " ldr r2, 2f\n ldr r3, [r2, #0x78]\n lsrs r3, #2\n bcs 3f\n3:\n"
#define ANGLE_SMALL " lsls r1, r0, #1\n lsrs r1, #24\n cmp r1, #134\n bge 3f\n3:\n"
#define NOT_NEGATIVE " asrs r1, r0, #23\n bmi 3f\n3:\n"
#ifdef LIBGCC
#define ALSO(name) ""
#else
#define ALSO(name) NAME(name)
FUNCTION(NAME(__aeabi_f2d), "", single_table, 0x7c)
WIDE_FUNCTION(NAME(__aeabi_dmul), 0x08)
WIDE_FUNCTION(NAME(__aeabi_d2f), 0x7c)
#endif
FUNCTION(NAME(rom_fadd) ALSO(__aeabi_fadd), "", single_table, 0x00)
FUNCTION(NAME(rom_fsub) ALSO(__aeabi_fsub), "", single_table, 0x04)
FUNCTION(NAME(rom_fmul) ALSO(__aeabi_fmul), "", single_table, 0x08)
FUNCTION(NAME(rom_fdiv) ALSO(__aeabi_fdiv), DIVIDER_CLEAN, single_table, 0x0c)
FUNCTION(NAME(sqrtf), NOT_NEGATIVE, single_table, 0x18)
FUNCTION(NAME(cosf), ANGLE_SMALL, single_table, 0x3c)
FUNCTION(NAME(sinf), ANGLE_SMALL, single_table, 0x40)
FUNCTION(NAME(logf), "", single_table, 0x50)
FUNCTION(NAME(rom_f2lz), "", single_table, 0x6c)
FUNCTION(NAME(rom_f2ulz), "", single_table, 0x74)

#ifndef LIBGCC
// The SDK converts integers itself, faster than the ROM does.
static inline float from_magnitude(uint32_t sign, uint32_t magnitude) {
    union {
        uint32_t bits;
        float number;
    } made = {0};
    if (magnitude != 0) {
        const uint32_t zeros = count_leading_zeros(magnitude);
        const uint32_t digits = magnitude << zeros, rest = digits & 0xff;
        made.bits = sign + ((157 - zeros) << 23) + (digits >> 8); // the leading 1 adds 1 to the exponent
        made.bits += rest > 0x80 || (rest == 0x80 && (made.bits & 1) != 0);
    }
    return made.number;
}

float __aeabi_ui2f(uint32_t number) { return from_magnitude(0, number); }

float __aeabi_i2f(int32_t number) {
    return from_magnitude((uint32_t)number & 1u << 31, number < 0 ? 0 - (uint32_t)number : (uint32_t)number);
}
#endif
