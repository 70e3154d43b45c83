// A ring of one PIO instruction: the level of GPIO 3, inverted, drives GPIO 2. Wire: GPIO 2 to GPIO 3. With BYPASS,
// without the two flip-flops of the input.
#include "accuracy.h"

#define PIO0 0x50200000u
#define CTRL REGISTER(PIO0 + 0x00)
#define INPUT_SYNC_BYPASS REGISTER(PIO0 + 0x38)
#define INSTR_MEM0 REGISTER(PIO0 + 0x48)
#define SM0_CLKDIV REGISTER(PIO0 + 0xc8)
#define SM0_EXECCTRL REGISTER(PIO0 + 0xcc)
#define SM0_INSTR REGISTER(PIO0 + 0xd8)
#define SM0_PINCTRL REGISTER(PIO0 + 0xdc)
#define PWM_CSR REGISTER(0x40050014) // of slice 1: its B pin is GPIO 3, whose rising edges it counts
#define PWM_DIV REGISTER(0x40050018)
#define PWM_CTR REGISTER(0x4005001c)
enum {
    OUT = 2,
    IN = 3,
    RESET_PIO0 = 1 << 10,
    RESET_PWM = 1 << 14,
    FUNCTION_PWM = 4,
    FUNCTION_PIO0 = 6,
    PWM_ENABLED = 1,
    PWM_COUNTS_RISING = 2 << 4,
    WINDOW = 125000,
    SET_PINDIRS_1 = 0xe081,
    MOV_PINS_NOT_PINS = 0xa008,
};

void example(void) {
    speed_flash_up();
    release(RESET_PIO0 | RESET_PWM);
    GPIO_CTRL(OUT) = FUNCTION_PIO0;
    GPIO_CTRL(IN) = FUNCTION_PWM;
#ifdef BYPASS
    INPUT_SYNC_BYPASS = 1u << IN;
#endif
    INSTR_MEM0 = MOV_PINS_NOT_PINS;
    SM0_CLKDIV = 1 << 16;
    SM0_EXECCTRL = 0 << 12 | 0 << 7; // wraps from 0 to 0
    SM0_PINCTRL = 1u << 26 | 1u << 20 | IN << 15 | OUT << 5 | OUT;
    SM0_INSTR = SET_PINDIRS_1;
    SM0_INSTR = 0; // JMP 0
    PWM_DIV = 1 << 4;
    CTRL = 1;
    PWM_CSR = PWM_ENABLED | PWM_COUNTS_RISING;
    const uint32_t begin = SYST_CVR, before = PWM_CTR;
    while (((begin - SYST_CVR) & 0xffffffu) < WINDOW) {
    }
    print_number("rings in 125,000 cycles:", (PWM_CTR - before) & 0xffffu);
}
