/* Interface between the POSIX port and a board, in addition to port.h */
#ifndef PORT_POSIX_H
#define PORT_POSIX_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* Call it once, first, in the console's thread: finds the cores that this process may use, requests real-time
 * scheduling and pins the caller to core 0. Returns false if the process may use no core. */
bool port_posix_start(void);

/* The system's number of the CPU of a core */
int port_posix_cpu(uint32_t core);

/* Sets `set` to the system's CPU of a core, or to all of them for PORT_CORE_ANY. */
void port_posix_cpu_set(uint32_t core, cpu_set_t *set);

/* The common clock when port_posix_start() was called: the first edge of the nominal tick */
uint64_t port_posix_began(void);

/* The policy of the tasks: "SCHED_FIFO", or "SCHED_OTHER" if the system does not permit it */
const char *port_posix_policy(void);

/* Time slice between tasks of equal priority, where requested, in milliseconds of processor time; 0 if the system
 * decides */
uint32_t port_posix_turn_ms(void);

/* Whether mutexes have priority inheritance here */
bool port_posix_inherits_priority(void);

/* The limit of the processors' wake-up time, in microseconds: "0", or "not set" if the system does not permit it */
const char *port_posix_wake_latency(void);

/* The system's numbers of the CPUs of cores 0, 1, …, separated by commas */
const char *port_posix_cpus(void);

#endif
