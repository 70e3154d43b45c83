#include "esp32_test_end.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "port_freertos.h"

static void print(const char *text) { (void)port_console_write((const uint8_t *)text, strlen(text)); }

void esp32_test_end(const char *success, const char *failure) {
    char left[48];
    (void)snprintf(left, sizeof left, "\r\nbytes of stack left, tasks: %" PRIu32 "\r\n", port_freertos_stack_left());
    print(failure == NULL ? success : failure);
    print(left);
    print(failure == NULL ? "passed\r\n" : "failed\r\n");
}
