#include "console_freertos.h"

/* Room for more than two commands of the maximum length (400 characters). Must be a power of two. */
#define RING_BYTES 1024U

static struct {
    uint8_t bytes[RING_BYTES];
    volatile uint32_t in;  /* number of bytes put in: written by the interrupt only */
    volatile uint32_t out; /* number of bytes taken out: written by the task only */
} ring;

/* The task that waits in a read or a write, or NULL */
static volatile TaskHandle_t waiting;

void console_put(uint8_t byte) {
    if (ring.in - ring.out < RING_BYTES) {
        ring.bytes[ring.in % RING_BYTES] = byte;
        ring.in = ring.in + 1U;
    } else { /* the ring is full: replaces a byte, so that the line that is being received becomes invalid */
        ring.bytes[(ring.in - 1U) % RING_BYTES] = CONSOLE_GARBAGE;
    }
}

uint32_t console_room(void) { return RING_BYTES - (ring.in - ring.out); }

void console_wake_from_handler(void) {
    TaskHandle_t task = waiting;
    if (task != NULL) {
        BaseType_t switch_now = pdFALSE;
        vTaskNotifyGiveIndexedFromISR(task, PORT_FREERTOS_NOTIFY_PLATFORM, &switch_now);
        portYIELD_FROM_ISR(switch_now);
    }
}

void console_wait_begin(void) { waiting = xTaskGetCurrentTaskHandle(); }

void console_wait(TickType_t ticks) { (void)ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_PLATFORM, pdTRUE, ticks); }

void console_wait_end(void) { waiting = NULL; }

static size_t take_from_ring(uint8_t *buffer, size_t size) {
    size_t count = 0;
    while (count < size && ring.in != ring.out) {
        buffer[count++] = ring.bytes[ring.out % RING_BYTES];
        ring.out = ring.out + 1U;
    }
    return count;
}

enum port_error console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline) {
    *received = take_from_ring(buffer, size);
    if (*received == 0 && deadline != 0) {
        console_wait_begin();
        for (;;) {
            TickType_t ticks = port_freertos_ticks_until(deadline);
            *received = take_from_ring(buffer, size);
            if (*received > 0 || ticks == 0) {
                break;
            }
            console_wait(ticks);
        }
        console_wait_end();
    }
    return *received > 0 ? PORT_OK : PORT_ERR_TIMEOUT;
}
