/* The console on UART0, with ESP-IDF's driver: 8 data bits, no parity, 1 stop bit, on the boot loader's pins (GPIO1 and
 * 3 of an ESP32, 43 and 44 of an ESP32-S3, 37 and 38 of an ESP32-P4). */
#include "driver/uart.h"
#include "esp32_board.h"
#include "port_freertos.h"

#define PORT UART_NUM_0
#define RATE 115200
#define GARBAGE 0xffU

/* Room for more than two commands of the maximum length (400 characters) */
#define RX_BYTES 2048
#define EVENTS 16

/* Bit rates that common USB-to-serial adapters support; the last one is the limit of the CP2102 and CH340 on most
 * boards. The UART divides its 80 MHz clock by a number with steps of 1/16 (ESP32 TRM 13.3.3; UART_SCLK_DEFAULT is the
 * APB clock, on an ESP32-P4 PLL_F80M), so the rate is off by at most 0.2 %. */
static const uint32_t rates[] = {115200, 230400, 460800, 921600, 1000000, 1500000, 2000000, 0};

/* Queue of the events that the driver's interrupt reports: data and errors */
static QueueHandle_t events;

static bool open_uart(void *context) {
    (void)context;
    const uart_config_t config = {
        .baud_rate = RATE,
        .data_bits = UART_DATA_8_BITS,
        .parity = UART_PARITY_DISABLE,
        .stop_bits = UART_STOP_BITS_1,
        .flow_ctrl = UART_HW_FLOWCTRL_DISABLE,
        .source_clk = UART_SCLK_DEFAULT,
    };
    if (uart_is_driver_installed(PORT)) {
        return false; /* other code already uses UART0 */
    }
    /* There is no buffer for output, so uart_write_bytes() returns when all bytes are in the FIFO. After that,
     * write_uart() waits until the last bit has left. */
    if (uart_driver_install(PORT, RX_BYTES, 0, EVENTS, &events, 0) != ESP_OK) {
        return false;
    }
    if (uart_param_config(PORT, &config) != ESP_OK) {
        (void)uart_driver_delete(PORT);
        return false;
    }
    return true;
}

static void close_uart(void *context) {
    (void)context;
    (void)uart_driver_delete(PORT);
}

/* Waits for an event of the driver. Sets `came` if there was one, and returns whether it reports an error. */
static bool await_trouble(uint32_t timeout_ms, bool *came) {
    uart_event_t event;
    *came = xQueueReceive(events, &event, pdMS_TO_TICKS(timeout_ms)) == pdTRUE;
    return *came && event.type != UART_DATA;
}

/* The driver does not mark characters that it received with errors, and drops some; its events tell only roughly where.
 * So after an error an invalid character is inserted before the next characters; the line that the host sent is then
 * rejected. */
static size_t read_uart(void *context, uint8_t *buffer, size_t size, uint32_t timeout_ms) {
    (void)context;
    bool came;
    bool trouble = false;
    do {
        trouble = await_trouble(0, &came) || trouble;
    } while (came);
    size_t buffered = 0;
    (void)uart_get_buffered_data_len(PORT, &buffered);
    if (!trouble && buffered == 0 && timeout_ms > 0) {
        trouble = await_trouble(timeout_ms, &came);
    }
    if (trouble) {
        buffer[0] = GARBAGE;
        return 1;
    }
    int count = uart_read_bytes(PORT, buffer, (uint32_t)size, 0);
    return count > 0 ? (size_t)count : 0;
}

static bool write_uart(void *context, const uint8_t *bytes, size_t size) {
    (void)context;
    return uart_write_bytes(PORT, bytes, size) == (int)size && uart_wait_tx_done(PORT, portMAX_DELAY) == ESP_OK;
}

static void set_rate(void *context, uint32_t bits_per_second) {
    (void)context;
    (void)uart_set_baudrate(PORT, bits_per_second);
}

static const struct intercore_console uart = {
    .name = "UART0 by ESP-IDF's driver, interrupt on core 0, 115200 bit/s at start",
    .open = open_uart,
    .close = close_uart,
    .read = read_uart,
    .write = write_uart,
    .rates = rates,
    .rate = RATE,
    .set_rate = set_rate,
};

const struct intercore_console *esp32_console_default(void) { return &uart; }
