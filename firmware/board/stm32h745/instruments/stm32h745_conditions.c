#include "stm32h745_conditions.h"

#include <newlib.h>

#include "port_freertos.h"
#include "stm32h745_clocks.h"
#include "stm32h745_cycles.h"
#include "stm32h745_mark.h"
#include "stm32h745_memory_map.h"
#include "stm32h745_pin.h"
#include "stm32h745_registers.h"
#include "stm32h745_uart.h"
#include "stm32h745_watchdog.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

static char revision[8];
static char latency[4];

static const struct port_condition conditions[] = {
    {"chip.revision", revision},
    {"board.wiring", "NUCLEO-H745ZI-Q"},
    {"power.supply", IC_SUPPLY_TEXT},
    {"power.vos", TEXT(IC_VOS)},
    {"clock.source", "8 MHz from the ST-LINK (HSE bypass), PLL1"},
    {"clock.m7_hz", TEXT(CLOCKS_M7_HZ)},
    {"clock.m4_hz", TEXT(CLOCKS_M4_HZ)},
    {"clock.bus_hz", TEXT(CLOCKS_BUS_HZ)},
    {"clock.counter", "DWT_CYCCNT of each core at its own clock, begun when the core begins"},
    {"clock.counter_bits", TEXT(CYCCNT_BITS)},
    {"flash.wait_states", latency},
    {"cache.instructions", IC_ICACHE_TEXT},
    {"cache.data", IC_DCACHE_TEXT},
    {"cache.m4", "ART accelerator, instructions of flash bank 2"},
    {"memory.shared", IC_SHARED_TEXT},
    {"memory.shared_attributes", "Normal, non-cacheable, not Shareable (MPU of the Cortex-M7)"},
    {"memory.samples", "AXI SRAM (d1), not cached"},
    {"memory.code", "flash: bank 1 for core 0, bank 2 for core 1"},
    {"memory.data", "AXI SRAM, cached, for core 0; SRAM1 for core 1"},
    {"memory.regions",
     "d1 " TEXT(MEMORY_D1_REGION_BYTES) ", d2 " TEXT(MEMORY_D2_REGION_BYTES) ", d3 " TEXT(
         MEMORY_D3_REGION_BYTES) " bytes not cached, flash " TEXT(MEMORY_FLASH_REGION_BYTES) " bytes"},
    {"memory.flash", "the region flash, in bank 1, behind the data cache of core 0"},
    {"memory.word_bytes", "4"},
    {"compiler", IC_COMPILER},
    {"compiler.flags", IC_FLAGS},
    {"compiler.library",
     "newlib " _NEWLIB_VERSION ", libgcc; floating point in hardware, in single precision on core 1"},
    {"critical_section", "the kernel's of each core: BASEPRI; it does not keep the other core out"},
    {"spinlock", "hardware semaphore (HSEM), polled"},
    {"atomic", "under a hardware semaphore with interrupts masked: exclusive accesses do not reach the other core"},
    {"console", "USART3 by interrupt on core 0, " TEXT(UART_RATE) " bit/s at start"},
    {"mark", MARK_TEXT},
    {"watchdog", WATCHDOG_TEXT},
    {"interrupt.timer", "TIM5, a half of the common clock, at the kernel's priority"},
    {"interrupt.doorbell", "HSEM, a semaphore for each direction, at the kernel's priority"},
    {"interrupt.pin", PIN_TEXT},
};
#define CONDITIONS (sizeof conditions / sizeof conditions[0])

/* Writes the low 16 bits of a number as four hexadecimal digits, zero-terminated. */
static void hex(uint32_t number, char *text) {
    for (uint32_t i = 0; i < 4U; i++) {
        text[i] = "0123456789abcdef"[number >> (12U - 4U * i) & 0xfU];
    }
    text[4] = '\0';
}

void stm32h745_conditions_start(void) {
    hex(DBGMCU_IDC >> DBGMCU_IDC_REV_SHIFT, revision);
    latency[0] = (char)('0' + (FLASH_ACR >> FLASH_ACR_LATENCY_SHIFT & 7U));
    latency[1] = '\0';
}

bool port_condition(uint32_t index, struct port_condition *condition) {
    if (index >= CONDITIONS) {
        return port_freertos_condition(index - (uint32_t)CONDITIONS, condition);
    }
    *condition = conditions[index];
    return true;
}

const char *port_board(void) { return "stm32h745"; }

const char *port_chip(void) { return "STM32H745"; }
