// The boot ROM's floating point, called through its tables as the SDK calls it. rom_float.c also defines the compiler's
// own functions (__aeabi_fadd and the like) by them, unless LIBGCC keeps those of the compiler.
#pragma once
#include <stdint.h>

void find_rom_float(void);
float rom_fadd(float, float), rom_fsub(float, float), rom_fmul(float, float), rom_fdiv(float, float);
float sqrtf(float), cosf(float), sinf(float), logf(float);
int64_t rom_f2lz(float);
uint64_t rom_f2ulz(float);
