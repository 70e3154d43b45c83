#include "rp2_test_end.h"

#include <string.h>

#include "chip.h"
#include "port_freertos.h"
#include "rp2_board.h"
#include "rp2_cores.h"

#define SYS_EXIT_EXTENDED 0x20U
#define ADP_STOPPED_APPLICATION_EXIT 0x20026U

static void print(const char *text) { (void)port_console_write((const uint8_t *)text, strlen(text)); }

static void print_left(const char *whose, uint32_t words) {
    char text[8];
    size_t at = sizeof text;
    text[--at] = '\0';
    do {
        text[--at] = (char)('0' + words % 10U);
        words /= 10U;
    } while (words > 0 && at > 0);
    print("words of stack left, ");
    print(whose);
    print(": ");
    print(text + at);
    print("\r\n");
}

void rp2_test_end(const char *success, const char *failure) {
    print(failure == NULL ? success : failure);
    print("\r\n");
    print_left("tasks", port_freertos_stack_left());
    print_left("main, core 0", rp2_cores_stack_left(0));
    print_left("main, core 1", rp2_cores_stack_left(1));
    board_end(failure == NULL ? 0 : 1);
}

void board_end(uint32_t status) {
    const uint32_t block[2] = {ADP_STOPPED_APPLICATION_EXIT, status};
    chip_semihosting(SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}
