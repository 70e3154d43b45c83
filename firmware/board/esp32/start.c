/* Implements intercore.h: the console task, and a session, from the allocation of its memory to its release. */
#include <stdatomic.h>

#include "esp32_board.h"
#include "esp32_instruments.h"
#include "esp32_memory.h"
#include "esp32_trace.h"
#include "kernel.h"

static const struct intercore_console *console;
static const char *failure;     /* why Intercore has not started */
static kernel_waiter_t starter; /* the task that waits in intercore_start() */
static StaticSemaphore_t starter_memory;
static atomic_bool running;

/* Runs in the console task on core 0: opens the console, and starts the instruments (esp32_instruments.h). Returns
 * NULL, or a sentence with the reason for a failure. */
static const char *begin(void) {
    if (!esp32_console_open(console)) {
        return "the console cannot be had: somebody else has its driver, or there is no memory for it";
    }
    esp32_frequency_hold();
    /* Done at each start: since the previous start the chip may have slept, which shifts a core's counter, or may have
     * changed the cores' clock. */
    const char *wrong = esp32_instruments_start();
    if (wrong != NULL) {
        esp32_frequency_release();
        esp32_console_close();
        return wrong;
    }
    esp32_conditions_start();
    return NULL;
}

static void run(void) {
    failure = begin();
    if (failure != NULL) {
        kernel_wake(starter);
        return;
    }
    esp32_watchdog_start_session();
    esp32_trace_start();
    kernel_wake(starter);
    esp32_program();
    esp32_trace_stop();
    esp32_watchdog_end_session();
    esp32_instruments_stop();
    esp32_frequency_release();
    esp32_console_close();
}

/* Starts the console task, and waits until it serves the console. Returns NULL, or a sentence with the reason for a
 * failure; then the task has already ended. */
static const char *start_console(void) {
    uint32_t stack_bytes = esp32_memory_sizes()->console_stack_bytes;
    starter = xSemaphoreCreateBinaryStatic(&starter_memory);
    if (port_freertos_start_console(run, stack_bytes) != PORT_OK) {
        return esp32_memory_lacks("the console's task", stack_bytes);
    }
    kernel_wait(starter);
    if (failure != NULL) {
        port_freertos_join_console();
    }
    return failure;
}

const char *intercore_start(const struct intercore_config *config) {
    if (atomic_exchange(&running, true)) {
        return "Intercore is running already";
    }
    console = config != NULL && config->console != NULL ? config->console : esp32_console_default();
    const char *wrong = esp32_memory_take(config);
    if (wrong == NULL) {
        wrong = start_console();
        if (wrong != NULL) {
            esp32_memory_give_back();
        }
    }
    if (wrong != NULL) {
        atomic_store(&running, false);
    }
    return wrong;
}

void intercore_stop(void) {
    if (atomic_load(&running)) {
        esp32_console_hang_up();
        port_freertos_join_console();
        esp32_memory_give_back();
        atomic_store(&running, false);
    }
}

bool intercore_is_running(void) { return atomic_load(&running); }
