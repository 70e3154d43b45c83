/* The board's own stm32h745_mpu_start() on another chip with a Cortex-M7, which QEMU has (MPS2, AN500): there is memory
 * at 0x60000000 as well, so that what the MPU forbids can be seen to be forbidden. Ends by semihosting: 0, or the
 * number of what was wrong. */
#include <stdint.h>

#include "stm32h745_mpu.h"
#include "stm32h745_mpu_table.h"
#include "stm32h745_registers.h"

#define CFSR REGISTER(0xe000ed28U)
#define CFSR_DACCVIOL 2U
#define SHCSR REGISTER(0xe000ed24U)
#define SHCSR_MEMFAULTENA (1U << 16U)
#define MPU_RNR REGISTER(0xe000ed98U)
#define EXTERNAL 0x60000000U
#define DATA 0x20010000U

#define SYS_EXIT_EXTENDED 0x20U
#define ADP_STOPPED_APPLICATION_EXIT 0x20026U

void reset(void);
void fault(void);
void mem_manage(void);
uint32_t read_word(uint32_t address);

static volatile uint32_t faults;

__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
    (void *)0x20008000U, (void *)reset, (void *)fault, (void *)fault, (void *)mem_manage, (void *)fault, (void *)fault};

__attribute__((noreturn)) static void end(uint32_t status) {
    const uint32_t block[2] = {ADP_STOPPED_APPLICATION_EXIT, status};
    register uint32_t operation __asm__("r0") = SYS_EXIT_EXTENDED;
    register const uint32_t *argument __asm__("r1") = block;
    __asm volatile("bkpt 0xab" ::"r"(operation), "r"(argument) : "memory");
    for (;;) {
    }
}

void fault(void) { end(99); }

/* Goes on behind read_word()'s load, an instruction of 16 bits. */
__attribute__((used)) static void skip(uint32_t *frame) {
    faults = (CFSR & 0xffU & ~0x80U) == CFSR_DACCVIOL ? faults + 1U : 98U;
    CFSR = CFSR;
    frame[6] += 2U;
}

__attribute__((naked)) void mem_manage(void) { __asm volatile("mrs r0, msp\n b skip"); }

__attribute__((naked, noinline)) uint32_t read_word(uint32_t address) {
    (void)address;
    __asm volatile("ldr r0, [r0]\n bx lr");
}

static uint32_t wrong(void) {
    struct stm32h745_mpu_entry entries[MPU_ENTRIES];
    faults = 0;
    SHCSR |= SHCSR_MEMFAULTENA;
    (void)read_word(EXTERNAL);
    if (faults != 0) {
        return 1; /* there is nothing to be forbidden */
    }
    stm32h745_mpu_start();
    (void)read_word(EXTERNAL);
    if (faults != 1) {
        return 2;
    }
    REGISTER(DATA) = 0x12345678U;
    if (read_word(DATA) != 0x12345678U || faults != 1) {
        return 3; /* the default map is not in force any more */
    }
    stm32h745_mpu_table_make(entries);
    for (uint32_t i = 0; i < MPU_ENTRIES; i++) {
        MPU_RNR = i;
        if (MPU_RBAR != ((entries[i].rbar & ~0x1fU) | i) || MPU_RASR != entries[i].rasr) {
            return 4;
        }
    }
    return MPU_CTRL == MPU_CTRL_VALUE ? 0 : 5;
}

void reset(void) { end(wrong()); }
