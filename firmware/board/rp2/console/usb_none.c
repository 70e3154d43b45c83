/* For a chip without a driver for its USB controller: the console is the UART. */
#include "rp2_usb.h"

void rp2_usb_start(void) {}

void rp2_usb_listen(void) {}

void rp2_usb_attend(void) {}

void rp2_usb_leave(void) {}

uint32_t rp2_usb_has_text(void) { return 0; }

void rp2_usb_write(const uint8_t *bytes, size_t size) {
    (void)bytes;
    (void)size;
}

void rp2_usb_write_raw(const char *bytes, size_t size) {
    (void)bytes;
    (void)size;
}

bool rp2_usb_is_asleep(void) { return false; }
