/* The console functions of port.h, implemented by the console that was given to intercore_start() */
#include <stdatomic.h>

#include "esp32_board.h"
#include "port.h"
#include "port_freertos.h"

/* How often a waiting read checks whether esp32_console_hang_up() was called, in milliseconds */
#define SLICE_MS 100U

static const struct intercore_console *console;
static uint32_t rate;
static atomic_bool hung_up;

bool esp32_console_open(const struct intercore_console *chosen) {
    if (chosen->open != NULL && !chosen->open(chosen->context)) {
        return false;
    }
    console = chosen;
    rate = chosen->rates != NULL ? chosen->rate : 0;
    atomic_store(&hung_up, false);
    return true;
}

void esp32_console_close(void) {
    if (console->close != NULL) {
        console->close(console->context);
    }
}

void esp32_console_hang_up(void) { atomic_store(&hung_up, true); }

const char *esp32_console_name(void) { return console->name; }

/* Milliseconds to wait until the deadline, rounded up to whole ticks, at most SLICE_MS; 0 if the deadline has passed */
static uint32_t slice_until(uint64_t deadline) {
    if (deadline == 0) {
        return 0;
    }
    uint64_t ms = (uint64_t)port_freertos_ticks_until(deadline) * 1000U / configTICK_RATE_HZ;
    return ms < SLICE_MS ? (uint32_t)ms : SLICE_MS;
}

enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline) {
    *received = 0;
    for (;;) {
        if (atomic_load(&hung_up)) {
            return PORT_ERR_CLOSED;
        }
        uint32_t ms = slice_until(deadline);
        *received = console->read(console->context, buffer, size, ms);
        if (*received > 0) {
            return PORT_OK;
        }
        if (ms == 0) {
            return PORT_ERR_TIMEOUT;
        }
    }
}

enum port_error port_console_write(const uint8_t *bytes, size_t size) {
    return console->write(console->context, bytes, size) ? PORT_OK : PORT_ERR_CLOSED;
}

uint32_t port_console_rate_choice(uint32_t index) {
    for (uint32_t i = 0; console->rates != NULL && console->rates[i] != 0; i++) {
        if (i == index) {
            return console->rates[i];
        }
    }
    return 0;
}

uint32_t port_console_rate(void) { return rate; }

void port_console_set_rate(uint32_t bits_per_second) {
    if (console->set_rate != NULL) {
        console->set_rate(console->context, bits_per_second);
        rate = bits_per_second;
    }
}
