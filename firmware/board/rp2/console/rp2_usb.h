/* The console's line over USB: a device at full speed with one serial port (CDC-ACM). Interrupts are handled on core
 * 0. */
#ifndef RP2_USB_H
#define RP2_USB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts the clock of USB, and connects to the bus. The host is answered from the first rp2_usb_attend() on. */
void rp2_usb_start(void);

/* Call it on core 0, once the console task exists. */
void rp2_usb_listen(void);

/* From rp2_usb_attend() to rp2_usb_leave() there are USB interrupts; they may wake the task that waits for the console.
 * rp2_usb_attend() returns when all has been done that the host asked for before. Call it in a task. */
void rp2_usb_attend(void);
void rp2_usb_leave(void);

/* Returns 1 if text has come that the console has not taken, else 0; always in the same number of cycles. */
uint32_t rp2_usb_has_text(void);

/* Sends bytes, between rp2_usb_attend() and rp2_usb_leave(). Returns when the host has them, has no serial port open
 * any more, or the console has got another line. */
void rp2_usb_write(const uint8_t *bytes, size_t size);

/* Sends bytes without interrupts, if the host has the serial port open. Waits for the host for some ms at most. */
void rp2_usb_write_raw(const char *bytes, size_t size);

/* Whether the bus is idle: the host sleeps, or there is none. */
bool rp2_usb_is_asleep(void);

#endif
