#include "stm32h745_start.h"

#include <stdint.h>

#include "port_freertos.h"
#include "stm32h745_cycles.h"
#include "stm32h745_mpu.h"
#include "stm32h745_registers.h"
#include "stm32h745_vectors.h"

extern uint32_t board_data[], board_data_end[], board_data_in_flash[];
extern uint32_t board_bss[], board_bss_end[];
extern uint32_t board_samples[], board_samples_end[], port_amp_shared[], port_amp_shared_end[];
extern void (*board_constructors[])(void);
extern void (*board_constructors_end[])(void);

int main(void);
void stm32h745_start_c(void);
void stm32h745_start_fault_at(const uint32_t *frame);

void stm32h745_start_reset_chip(void) {
    __asm volatile("dsb" ::: "memory");
    SCB_AIRCR = SCB_AIRCR_RESET;
    for (;;) {
    }
}

static void fill(uint32_t *from, const uint32_t *end, uint32_t word) {
    while (from < end) {
        *(volatile uint32_t *)from++ = word; /* volatile, so that the compiler does not call memset */
    }
}

static void copy(uint32_t *to, const uint32_t *from, const uint32_t *end) {
    while (to < end) {
        *(volatile uint32_t *)to++ = *from++; /* volatile, so that the compiler does not call memcpy */
    }
}

void stm32h745_start_c(void) {
#if IC_CORE == 0
    /* If PLL1 already runs, a debugger has restarted only core 0. Core 1 cannot be reset alone (RM 9.4: there is no
     * reset of CPU2 alone), so the whole chip is reset. */
    if ((RCC_CFGR >> RCC_CFGR_SWS_SHIFT & RCC_CFGR_SW_MASK) != 0) {
        stm32h745_start_reset_chip();
    }
#endif
    SCB_VTOR = (uintptr_t)&stm32h745_vectors;
    SCB_CPACR |= SCB_CPACR_FPU;
    __asm volatile("dsb\n isb" ::: "memory");
    copy(board_data, board_data_in_flash, board_data_end);
    fill(board_bss, board_bss_end, 0);
#if IC_CORE == 0
    fill(board_samples, board_samples_end, 0);
    fill(port_amp_shared, port_amp_shared_end, 0);
#endif
    stm32h745_mpu_start();
    stm32h745_cycles_start();
    for (void (**constructor)(void) = board_constructors; constructor < board_constructors_end; constructor++) {
        (*constructor)();
    }
    main();
    board_panic("main has returned", "", 0);
}

void stm32h745_start_fault_at(const uint32_t *frame) { board_panic("a fault of the instruction at", "", frame[6]); }
