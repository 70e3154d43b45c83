#include "loop.h"

/* Seconds that port_loop_start() waits for the main loop's next call of port_loop_pass() before it gives up */
#define COMES_BY_S 1U

static struct {
    bool open;
    uint32_t core;
    port_sem_t waits;   /* its count is 1 while the main loop waits for a benchmark */
    port_sem_t started; /* given by a benchmark, to start */
    port_sem_t ended;   /* given by the loop, after the last call */
    struct port_loop_config config;
    /* Used by the loop only */
    bool busy;
    uint32_t priority_before;
} loop;

enum port_error port_loop_open(void) {
    if (loop.open) {
        return PORT_OK;
    }
    loop.core = port_core_id();
    loop.open = port_sem_init(&loop.waits, 0) == PORT_OK && port_sem_init(&loop.started, 0) == PORT_OK &&
                port_sem_init(&loop.ended, 0) == PORT_OK;
    return loop.open ? PORT_OK : PORT_ERR_RESOURCE;
}

const char *port_loop_text(void) {
    return loop.open ? "the framework's, in its own task" : "none: a task of the benchmark's own stands in";
}

enum port_error port_loop_start(const struct port_loop_config *config) {
    if (!loop.open || config->core != loop.core) {
        return PORT_ERR_UNSUPPORTED;
    }
    enum port_error error = port_sem_take(&loop.waits, port_clock() + COMES_BY_S * port_clock_hz());
    if (error == PORT_OK) {
        loop.config = *config;
        port_sem_give(&loop.started);
    }
    return error;
}

void port_loop_join(void) { (void)port_sem_take(&loop.ended, PORT_FOREVER); }

void port_loop_pass(void) {
    if (!loop.busy) {
        port_sem_give(&loop.waits);
        (void)port_sem_take(&loop.started, PORT_FOREVER);
        loop.priority_before = port_loop_raise(loop.config.priority);
        loop.busy = true;
    }
    if (!loop.config.pass(loop.config.arg)) {
        loop.busy = false;
        port_loop_lower(loop.priority_before);
        port_sem_give(&loop.ended);
    }
}
