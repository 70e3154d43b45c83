#include "rp2_console.h"

#include "console_freertos.h"
#include "rp2_uart.h"
#include "rp2_usb.h"

static volatile enum rp2_console_line current;
static volatile bool awaits_command;

/* If the host on USB sleeps or the cable is pulled, output waits for it, unless somebody else speaks. */
bool rp2_console_takes(enum rp2_console_line line) {
    if (line == current) {
        return true;
    }
    if (!awaits_command && !rp2_usb_is_asleep()) {
        return false;
    }
    console_put('\n'); /* ends what the other line may have begun */
    current = line;
    return true;
}

enum rp2_console_line rp2_console_current(void) { return current; }

/* Between two repetitions of a run, the console is read without a wait. Then USB is attended to only if it is the
 * console and has text. If not, the call takes the same number of cycles on both lines, since the condition has no
 * branches: so the repetitions that follow are in the same phase of the kernel's tick. */
enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline) {
    uint32_t waits = deadline != 0;
    uint32_t has_text = rp2_usb_has_text() & (uint32_t)(current == RP2_CONSOLE_USB);
    if ((waits | has_text) != 0) {
        awaits_command = waits != 0;
        rp2_usb_attend();
    }
    enum port_error error = console_read(buffer, size, received, deadline);
    rp2_usb_leave();
    awaits_command = false;
    return error;
}

enum port_error port_console_write(const uint8_t *bytes, size_t size) {
    rp2_usb_attend();
    if (current == RP2_CONSOLE_USB) {
        rp2_usb_write(bytes, size);
    } else {
        rp2_uart_write(bytes, size);
    }
    rp2_usb_leave();
    return PORT_OK;
}

/* ---- bit rate: USB has none ---- */

uint32_t port_console_rate_choice(uint32_t index) {
    return current == RP2_CONSOLE_USB ? 0 : rp2_uart_rate_choice(index);
}

uint32_t port_console_rate(void) { return current == RP2_CONSOLE_USB ? 0 : rp2_uart_rate(); }

void port_console_set_rate(uint32_t bits_per_second) { rp2_uart_set_rate(bits_per_second); }

/* ---- start-up and panics ---- */

void rp2_console_start(void) {
    rp2_uart_start();
    rp2_usb_start();
}

void rp2_console_listen(void) {
    rp2_uart_listen();
    rp2_usb_listen();
}

void rp2_console_write_raw(const char *bytes, size_t size) {
    rp2_uart_write_raw(bytes, size);
    rp2_usb_write_raw(bytes, size);
}
