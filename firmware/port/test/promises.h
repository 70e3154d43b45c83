/* Tests of the rules of port.h; each group of rules has its own file. */
#ifndef PORT_TEST_PROMISES_H
#define PORT_TEST_PROMISES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "port.h"

void port_test_tasks(void);
void port_test_waking(void);
void port_test_objects(void);
void port_test_time(void);
void port_test_locks(void);
void port_test_interrupts(void);
void port_test_launch(void);

/* The first expectation that failed; NULL if none */
extern const char *port_test_failure;

static inline void expect(bool holds, const char *what) {
    if (!holds && port_test_failure == NULL) {
        port_test_failure = what;
    }
}

static inline uint64_t milliseconds(uint64_t count) { return count * port_clock_hz() / 1000U; }

/* Whether the platform reports this value for a condition */
bool port_test_has_condition(const char *key, const char *value);

/* Whether other programs may keep a task from its core, as on Linux without real-time scheduling */
static inline bool others_may_have_the_core(void) { return port_test_has_condition("scheduler.policy", "SCHED_OTHER"); }

/* A task that answers `rounds` notifications. Its argument is a struct echo (waking.c). */
struct echo {
    port_task_t *asker;
    uint32_t rounds;
    uint64_t last_seen; /* not atomic on purpose: notifications must order the accesses */
};

void port_test_answer(void *arg);

#endif
