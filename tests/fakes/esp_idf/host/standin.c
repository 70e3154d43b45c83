/* What a program for ESP-IDF is started by on this machine: app_main() in a thread, as in ESP-IDF's main task, and
 * intercore.h with the console on standard input and output. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "console.h"
#include "intercore.h"
#include "linux_conditions.h"
#include "linux_region.h"
#include "port_posix.h"

void app_main(void);

static pthread_t console;
static atomic_bool running;

static void *serve(void *arg) {
    (void)arg;
    ic_console_serve();
    return NULL;
}

const char *intercore_start(const struct intercore_config *config) {
    if (config != NULL) {
        return "the stand-in has the console by default alone";
    }
    if (atomic_exchange(&running, true)) {
        return "Intercore is running already";
    }
    return pthread_create(&console, NULL, serve, NULL) == 0 ? NULL : "the stand-in has no thread for the console";
}

bool intercore_is_running(void) { return atomic_load(&running); }

/* No main loop is on this machine. */
uint32_t port_loop_raise(uint32_t priority) { return priority; }
void port_loop_lower(uint32_t before) { (void)before; }

int main(void) {
    if (!port_posix_start() || !linux_region_start()) {
        fputs("no memory\n", stderr);
        return EXIT_FAILURE;
    }
    linux_conditions_start();
    app_main();
    if (atomic_load(&running)) {
        pthread_join(console, NULL);
    }
    return EXIT_SUCCESS;
}
