/* What a board of the POSIX port calls besides port.h. */
#ifndef PORT_POSIX_H
#define PORT_POSIX_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* To be called once, first, by the thread that will run the console: finds the cores this process may use, asks for
 * real-time scheduling and pins the caller to core 0. Returns false if the process may use no core at all. */
bool port_posix_start(void);

/* The system's number of the CPU behind a core. */
int port_posix_cpu(uint32_t core);

/* Makes `set` the system's CPUs behind a core, or behind all of them for PORT_CORE_ANY. */
void port_posix_cpu_set(uint32_t core, cpu_set_t *set);

/* The common clock when port_posix_start() was called: the first edge of the nominal tick. */
uint64_t port_posix_began(void);

/* The policy that tasks got: "SCHED_FIFO", or "SCHED_OTHER" where the system does not permit it. */
const char *port_posix_policy(void);

/* Milliseconds of processor time after which tasks of equal priority take turns, where they are asked to; 0 where the
 * system takes turns by itself, as long as it likes. */
uint32_t port_posix_turn_ms(void);

/* Whether mutexes have priority inheritance here. */
bool port_posix_inherits_priority(void);

/* The longest time that processors may take to wake up, in microseconds: "0", or "not set" where the system does not
 * permit that. */
const char *port_posix_wake_latency(void);

/* The system's numbers of the CPUs behind cores 0, 1, …, separated by commas. */
const char *port_posix_cpus(void);

#endif
