/* port_pin_open() with one kernel for all cores: a core enables its own interrupts, so a task there opens the pin. */
#include "port_freertos.h"
#include "port_pin.h"

static struct {
    void (*handler)(void *arg);
    void *arg;
    enum port_error error;
} opened;

static void open_here(void *arg) {
    (void)arg;
    opened.error = board_pin_open(opened.handler, opened.arg);
}

enum port_error port_pin_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    static port_task_t task;
    struct port_task_config config = {
        .name = "enable", .entry = open_here, .core = core, .priority = PORT_PRIORITY_MAX};
    opened.handler = handler;
    opened.arg = arg;
    enum port_error error = port_task_start(&task, &config);
    if (error == PORT_OK) {
        port_task_join(&task);
        error = opened.error;
    }
    return error;
}
