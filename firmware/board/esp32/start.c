/* intercore.h: the console task, from its start to its end. */
#include <stdatomic.h>

#include "esp32_board.h"
#include "esp32_instruments.h"
#include "kernel.h"

static const struct intercore_console *console;
static const char *failure;     /* why it has not started */
static kernel_waiter_t starter; /* who waits for that */
static StaticSemaphore_t starter_memory;
static atomic_bool running;

static void run(void) {
    if (!esp32_console_open(console)) {
        failure = "the console cannot be had: somebody else has its driver";
        kernel_wake(starter);
        return;
    }
    esp32_frequency_hold();
    /* Each time: meanwhile the program may have slept, which moves a core's counter, or changed the cores' clock. */
    esp32_instruments_start();
    esp32_conditions_start();
    esp32_watchdog_start_session();
    kernel_wake(starter);
    esp32_program();
    esp32_watchdog_end_session();
    esp32_frequency_release();
    esp32_console_close();
}

const char *intercore_start(const struct intercore_config *config) {
    if (atomic_exchange(&running, true)) {
        return "Intercore is running already";
    }
    console = config != NULL && config->console != NULL ? config->console : esp32_console_default();
    failure = NULL;
    starter = xSemaphoreCreateBinaryStatic(&starter_memory);
    port_freertos_start_console(run);
    kernel_wait(starter);
    if (failure != NULL) {
        port_freertos_join_console();
        atomic_store(&running, false);
    }
    return failure;
}

void intercore_stop(void) {
    if (atomic_load(&running)) {
        esp32_console_hang_up();
        port_freertos_join_console();
        atomic_store(&running, false);
    }
}

bool intercore_is_running(void) { return atomic_load(&running); }
