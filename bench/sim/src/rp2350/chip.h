// What programs for the RP2350's RISC-V cores share with those of the RP2040 (sim/examples/chip.h): no clocks, no UART.
#pragma once
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SIO 0xd0000000u

// There is none: what is written goes nowhere.
#define SYST_CSR (*&(uint32_t){0})

static inline void print(const char *text) { (void)text; }

void start_core_1(void (*program)(void));
void example(void);
