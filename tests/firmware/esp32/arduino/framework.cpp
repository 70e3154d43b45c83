/* The framework's side of the fake: Serial, and what calls setup() and loop(). */
#include "Arduino.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

HardwareSerial Serial;

static unsigned long rate; /* 0 until it has been begun */
static bool unflushed;
static bool closed; /* the other end */

static void demand(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "Arduino: %s\n", what);
        abort();
    }
}

void delay(uint32_t ms) {
    demand(ms > 0, "delay(0) does not sleep");
    struct timespec time = {ms / 1000, static_cast<long>(ms % 1000) * 1000000};
    nanosleep(&time, nullptr);
}

void HardwareSerial::begin(unsigned long baud) {
    demand(baud > 0, "Serial.begin() without a rate");
    rate = baud;
}

void HardwareSerial::updateBaudRate(unsigned long baud) {
    demand(rate > 0, "updateBaudRate() before begin()");
    demand(!unflushed, "the rate is changed while something is being sent");
    rate = baud;
    fprintf(stderr, "rate %lu\n", baud);
}

/* At most 61 bytes at a time, and nothing now and then: a full buffer. */
size_t HardwareSerial::write(const uint8_t *bytes, size_t size) {
    static unsigned int calls;
    demand(rate > 0, "write() before begin()");
    demand(bytes != nullptr && size > 0, "write() of nothing");
    unflushed = true;
    if (++calls % 50U == 0) {
        return 0;
    }
    ssize_t written = ::write(STDOUT_FILENO, bytes, size < 61 ? size : 61);
    return written > 0 ? static_cast<size_t>(written) : 0;
}

int HardwareSerial::available() {
    demand(rate > 0, "available() before begin()");
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 0) > 0 && !closed ? 1 : 0;
}

int HardwareSerial::read() {
    uint8_t byte;
    if (available() == 0) {
        return -1;
    }
    if (::read(STDIN_FILENO, &byte, 1) != 1) {
        closed = true;
        host_hang_up();
        return -1;
    }
    return byte;
}

int HardwareSerial::peek() { return -1; }

void HardwareSerial::flush() { unflushed = false; }

void framework_setup(void) { setup(); }

void framework_loop(void) { loop(); }
