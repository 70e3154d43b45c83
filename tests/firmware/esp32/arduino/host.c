/* The platform's side of the fake: port.h is that of POSIX threads, except for the console, which is whatever
 * intercore_start() is given, and loop()'s task, a thread that is pinned to core 1 as Arduino's is. At the end it says
 * on standard error what became of that. */
#include "host.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "console.h"
#include "intercore.h"
#include "linux_conditions.h"
#include "linux_region.h"
#include "loop.h"
#include "port_posix.h"

#define SLICE_MS 50U

static const struct intercore_console *console;
static sem_t started;
static atomic_bool hung_up;
static uint32_t rate;

static atomic_uint loops;
static atomic_uint raised;
static atomic_uint lowered;
static atomic_uint elsewhere; /* calls of loop() on another core than 1 */

/* ---- intercore.h ---- */

const char *intercore_start(const struct intercore_config *config) {
    const char *refusal = getenv("REFUSE");
    if (refusal != NULL) {
        return refusal;
    }
    console = config->console;
    rate = console->rate;
    sem_post(&started);
    return NULL;
}

bool intercore_is_running(void) { return console != NULL; }

bool intercore_loop_open(void) { return port_loop_open() == PORT_OK; }

void intercore_loop(void) { port_loop_pass(); }

void host_hang_up(void) { atomic_store(&hung_up, true); }

/* ---- port.h's console ---- */

enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline) {
    *received = 0;
    for (;;) {
        uint32_t wait = deadline == 0 ? 0 : SLICE_MS;
        *received = console->read(console->context, buffer, size, wait);
        if (*received > 0) {
            return PORT_OK;
        }
        if (atomic_load(&hung_up)) {
            return PORT_ERR_CLOSED;
        }
        if (port_clock() >= deadline) {
            return PORT_ERR_TIMEOUT;
        }
    }
}

enum port_error port_console_write(const uint8_t *bytes, size_t size) {
    return console->write(console->context, bytes, size) ? PORT_OK : PORT_ERR_CLOSED;
}

uint32_t port_console_rate_choice(uint32_t index) { return console->rates != NULL ? console->rates[index] : 0; }

uint32_t port_console_rate(void) { return rate; }

void port_console_set_rate(uint32_t bits_per_second) {
    rate = bits_per_second;
    console->set_rate(console->context, bits_per_second);
}

/* ---- loop()'s task ---- */

/* A count that nobody else makes up: what is put back is what there was. */
uint32_t port_loop_raise(uint32_t priority) { return atomic_fetch_add(&raised, 1) + 1000U * priority; }

void port_loop_lower(uint32_t before) {
    if (before != atomic_fetch_add(&lowered, 1) + 1000U) {
        fprintf(stderr, "priority %u is put back, and it was another\n", before);
        abort();
    }
}

static void *loop_task(void *arg) {
    (void)arg;
    framework_setup();
    for (;;) {
        framework_loop();
        atomic_fetch_add(&loops, 1);
        atomic_fetch_add(&elsewhere, port_core_id() != 1U);
    }
    return NULL;
}

static bool start_loop_task(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    cpu_set_t core;
    port_posix_cpu_set(1, &core);
    return pthread_attr_init(&attributes) == 0 && pthread_attr_setaffinity_np(&attributes, sizeof core, &core) == 0 &&
           pthread_create(&thread, &attributes, loop_task, NULL) == 0;
}

int main(void) {
    if (!port_posix_start() || port_core_count() < 2 || !linux_region_start() || sem_init(&started, 0, 0) != 0 ||
        !start_loop_task()) {
        fputs("no two cores, or no memory\n", stderr);
        return EXIT_FAILURE;
    }
    linux_conditions_start();
    struct timespec patience;
    clock_gettime(CLOCK_REALTIME, &patience);
    patience.tv_sec += 1;
    if (sem_timedwait(&started, &patience) != 0) {
        return EXIT_FAILURE; /* the sketch has said why */
    }
    ic_console_serve();
    fprintf(stderr, "loops %u raised %u lowered %u elsewhere %u\n", atomic_load(&loops), atomic_load(&raised),
            atomic_load(&lowered), atomic_load(&elsewhere));
    return EXIT_SUCCESS;
}
