/* Interface between the POSIX port and a board, in addition to port.h */
#ifndef PORT_POSIX_H
#define PORT_POSIX_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* Finds the cores that this process is allowed to use, requests real-time scheduling, and pins the caller to core 0.
 * Call it once, from the console's thread, before anything else. Returns false if the process is not allowed to run on
 * any core, or if the system refuses a resource. Without permission for real-time scheduling it returns true: see
 * port_posix_policy(). */
bool port_posix_start(void);

/* A handler has run. A task that sleeps from now on sees what it has written. */
void port_posix_handled(void);

/* The number that the system gives to the CPU of this core */
int port_posix_cpu(uint32_t core);

/* Makes `set` contain the CPU of a core, or the CPUs of all cores for PORT_CORE_ANY. */
void port_posix_cpu_set(uint32_t core, cpu_set_t *set);

/* The reading of the common clock when port_posix_start() was called, which is the first edge of the nominal tick */
uint64_t port_posix_began(void);

/* The scheduling policy of the tasks: "SCHED_FIFO", or "SCHED_OTHER" if the system does not permit real-time
 * scheduling */
const char *port_posix_policy(void);

/* Time slice between tasks of equal priority, if time slicing is on, in milliseconds of processor time. 0 if the system
 * decides. */
uint32_t port_posix_turn_ms(void);

/* Whether mutexes have priority inheritance on this system */
bool port_posix_inherits_priority(void);

/* Limit in microseconds for the time that a processor takes to leave a sleep state: "0", or "not set" if the system
 * does not permit a limit */
const char *port_posix_wake_latency(void);

/* The numbers that the system gives to the CPUs of cores 0, 1, …, separated by commas */
const char *port_posix_cpus(void);

#endif
