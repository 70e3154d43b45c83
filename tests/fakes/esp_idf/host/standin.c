/* What a program for ESP-IDF is started by on this machine: app_main() in a thread, as in ESP-IDF's main task, and
 * intercore.h with the console on standard input and output, served by the thread that the port knows as its task. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "console.h"
#include "intercore.h"
#include "linux_conditions.h"
#include "linux_region.h"
#include "port_posix.h"

void app_main(void);

static atomic_bool running;
static sem_t decided; /* whether it is to run */

static void *run_main_task(void *arg) {
    (void)arg;
    app_main();
    sem_post(&decided);
    return NULL;
}

const char *intercore_start(const struct intercore_config *config) {
    if (config != NULL) {
        return "the stand-in has the console by default alone";
    }
    if (atomic_exchange(&running, true)) {
        return "Intercore is running already";
    }
    sem_post(&decided);
    return NULL;
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
    pthread_t main_task;
    if (sem_init(&decided, 0, 0) != 0 || pthread_create(&main_task, NULL, run_main_task, NULL) != 0) {
        fputs("no thread\n", stderr);
        return EXIT_FAILURE;
    }
    sem_wait(&decided);
    if (atomic_load(&running)) {
        ic_console_serve();
    }
    pthread_join(main_task, NULL);
    return EXIT_SUCCESS;
}
