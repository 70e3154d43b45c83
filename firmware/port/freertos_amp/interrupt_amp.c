/* Implements port_interrupt.h, and port_pin_open(), with a kernel on each core. The timer and the pin may be opened on
 * this core or on the other core. To ring a doorbell of the other core, a core sends a command to its mailbox. */
#include "port_interrupt.h"

#include "port_amp.h"
#include "port_freertos.h"
#include "port_pin.h"

/* The handler of this core's doorbell */
static struct {
    void (*handler)(void *arg);
    void *arg;
} doorbell;

static enum port_error open_doorbell(void (*handler)(void *arg), void *arg) {
    doorbell.arg = arg;
    doorbell.handler = handler;
    return PORT_OK;
}

enum port_error port_amp_serve_interrupt(enum port_amp_service what, void *object, uint32_t index) {
    switch (what) {
    case PORT_AMP_TIMER_OPEN:
        return board_timer_open(port_amp_entry(index), object);
    case PORT_AMP_DOORBELL_OPEN:
        return open_doorbell(port_amp_entry(index), object);
    case PORT_AMP_PIN_OPEN:
        return board_pin_open(port_amp_entry(index), object);
    default:
        return open_doorbell(NULL, NULL);
    }
}

enum port_error port_timer_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    return core == board_core() ? board_timer_open(handler, arg)
                                : port_amp_call(PORT_AMP_TIMER_OPEN, arg, port_amp_index_of(handler));
}

void port_timer_close(void) { board_timer_close(); }

enum port_error port_pin_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    return core == board_core() ? board_pin_open(handler, arg)
                                : port_amp_call(PORT_AMP_PIN_OPEN, arg, port_amp_index_of(handler));
}

enum port_error port_doorbell_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    return core == board_core() ? open_doorbell(handler, arg)
                                : port_amp_call(PORT_AMP_DOORBELL_OPEN, arg, port_amp_index_of(handler));
}

void port_doorbell_close(uint32_t core) {
    if (core == board_core()) {
        (void)open_doorbell(NULL, NULL);
    } else {
        (void)port_amp_call(PORT_AMP_DOORBELL_CLOSE, NULL, 0);
    }
}

void port_doorbell_ring(uint32_t core) {
    if (core == board_core()) {
        board_ring_self();
    } else {
        port_amp_send(PORT_AMP_RING, NULL);
    }
}

/* The handler is NULL if a ring arrives only after the doorbell was closed. */
void port_amp_doorbell(void) {
    if (doorbell.handler != NULL) {
        doorbell.handler(doorbell.arg);
    }
}

void port_notify_from_handler(port_task_t *task) {
    if (task->core != board_core()) {
        port_amp_send(PORT_AMP_NOTIFY, task);
        return;
    }
    BaseType_t yield = pdFALSE;
    task->waits = 0;
    vTaskNotifyGiveIndexedFromISR(task->handle, PORT_FREERTOS_NOTIFY_TASK, &yield);
    portYIELD_FROM_ISR(yield);
}

void port_freertos_yield_from_handler(void) { portYIELD_FROM_ISR(pdTRUE); }
