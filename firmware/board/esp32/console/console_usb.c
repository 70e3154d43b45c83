/* The console on the USB-Serial-JTAG controller of an ESP32-S3: a serial port without a bit rate */
#include <stdbool.h> /* the header of ESP-IDF 6.1 needs it */

#include "driver/usb_serial_jtag.h"
#include "esp32_board.h"
#include "port_freertos.h"

/* Room for more than two commands of the maximum length (400 characters). A line of samples is longer than the output
 * buffer and is sent in pieces. */
#define RX_BYTES 2048
#define TX_BYTES 1024

/* How long a write waits for room in the buffer, and for the last byte to leave, in milliseconds. If nothing reads on
 * the other side, output is lost, as on any serial line. */
#define PATIENCE_MS 200

static bool open_usb(void *context) {
    (void)context;
    usb_serial_jtag_driver_config_t config = {.tx_buffer_size = TX_BYTES, .rx_buffer_size = RX_BYTES};
    return !usb_serial_jtag_is_driver_installed() && usb_serial_jtag_driver_install(&config) == ESP_OK;
}

static void close_usb(void *context) {
    (void)context;
    (void)usb_serial_jtag_driver_uninstall();
}

static size_t read_usb(void *context, uint8_t *buffer, size_t size, uint32_t timeout_ms) {
    (void)context;
    int count = usb_serial_jtag_read_bytes(buffer, (uint32_t)size, pdMS_TO_TICKS(timeout_ms));
    return count > 0 ? (size_t)count : 0;
}

static bool write_usb(void *context, const uint8_t *bytes, size_t size) {
    (void)context;
    for (size_t sent = 0; sent < size;) {
        size_t piece = size - sent < TX_BYTES / 2 ? size - sent : TX_BYTES / 2;
        int taken = usb_serial_jtag_write_bytes(bytes + sent, piece, pdMS_TO_TICKS(PATIENCE_MS));
        if (taken <= 0) {
            return true;
        }
        sent += (size_t)taken;
    }
    (void)usb_serial_jtag_wait_tx_done(pdMS_TO_TICKS(PATIENCE_MS));
    return true;
}

static const struct intercore_console usb = {
    .name = "USB-Serial-JTAG by ESP-IDF's driver, interrupt on core 0",
    .open = open_usb,
    .close = close_usb,
    .read = read_usb,
    .write = write_usb,
};

const struct intercore_console *esp32_console_default(void) { return &usb; }
