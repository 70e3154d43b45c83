/* A FreeRTOS kernel on each core: how the two kernels work together, and what a board must supply.
 *
 * There are two images, made from the same sources. Core 0's image has the console, the list of benchmarks and the
 * results. Core 1's image has the tasks that benchmarks start there. Each image has its own kernel, heap and tick. The
 * images share the variables that are declared PORT_SHARED, at the same addresses in one uncached region of memory
 * (from port_amp_shared to port_amp_shared_end in the linker script).
 *
 * Start: core 0 starts first, clears the shared region and starts core 1. Its console task first waits for core 1
 * (port_amp_meet). The images exchange their identities; images that do not match refuse to work together.
 *
 * Commands: each core has a mailbox for commands to it, such as wake a task or ring the doorbell.
 * The sender puts the command into the mailbox and raises the doorbell, an interrupt of the other core, whose handler
 * executes all commands in the mailbox. One core only puts commands in, the other only takes them out, each with its
 * own interrupts masked; so no lock is needed. A service task of the highest priority does what a kernel cannot do in
 * an interrupt handler, such as create a task.
 *
 * A doorbell may be lost, by hardware or a debugger. So each kernel's tick, every millisecond, also checks the mailbox
 * of its core: a command that has been there for a whole tick is executed, and counted (port_recovered_doorbells). Each
 * tick also increments a heartbeat. If the heartbeat of a core stops for PORT_AMP_SILENCE_TICKS, that core has failed,
 * and the shared data can no longer be trusted. The core that notices it reports it on the console and restarts the
 * chip.
 *
 * Memory: shared data are not cached, so only the order of accesses matters. Every index and flag is a C11 atomic,
 * stored with release and loaded with acquire order, for which the compiler emits the core's barrier (DMB).
 * board_ring() begins with a barrier (DSB on the STM32H745, DMB on the RP2040), so that the other core finds the
 * command when the interrupt arrives. */
#ifndef PORT_AMP_H
#define PORT_AMP_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

#define PORT_AMP_CORES 2U
/* Increment this whenever the mailboxes or the meaning of a command change: images with different numbers refuse to
 * work together. */
#define PORT_AMP_PROTOCOL 1
/* Milliseconds that core 0 waits for core 1's identity, and that a core waits for an answer from the other core's
 * service task */
#define PORT_AMP_PATIENCE_MS 5000U
/* A core whose heartbeat stops for this many ticks of the other core has failed. This time is far longer than any
 * benchmark masks interrupts. */
#define PORT_AMP_SILENCE_TICKS 100U

/* ---- for the board ---- */

/* Call it in the handler of this core's doorbell, after the cause of the interrupt has been cleared. */
void port_amp_rung(void);

/* Starts core 1 and waits until its kernel runs and its image is known to match this one. Panics if that takes longer
 * than PORT_AMP_PATIENCE_MS. The console task calls it first. */
void port_amp_meet(void);

/* Core 1's counterpart of port_amp_meet(): publishes its identity and starts its scheduler. */
void port_amp_start_core_1(void) __attribute__((noreturn));

/* ---- the board must supply these ---- */

/* The core that executes this */
uint32_t board_core(void);

/* Whether the calling core is executing an interrupt handler */
bool board_in_handler(void);

/* Makes all writes visible, then raises the doorbell interrupt of the other core. Called with interrupts masked. If the
 * interrupt is raised several times before the handler begins, the handler may run only once. */
void board_ring(void);

/* Enables this core's doorbell. */
void board_doorbell_start(void);

/* A lock between the cores, which is held for a few instructions, with this core's interrupts masked. board_lock()
 * returns the state that board_unlock() restores. */
uint32_t board_lock(void);
void board_unlock(uint32_t mask);

/* Starts core 1's image from its beginning. A task of core 0 calls it before board_doorbell_start(). Returns false if
 * core 1 does not answer; core 1 must then be stopped, if it runs at all. The caller then tries again, until
 * PORT_AMP_PATIENCE_MS have passed. */
bool board_start_core_1(void);

/* Core 0's tick calls it while both heartbeats continue. It feeds the watchdog, if there is one. */
void board_alive(void);

/* Core 1's first task calls it before core 1 reports that it runs. It may, for example, align the tick with the common
 * clock. */
void board_core_1_runs(void);

/* A number that differs between builds whose shared memory is incompatible. Each board makes it from the flags and from
 * the version or the compiler. */
uint32_t board_build(void);

/* This core's part of port_interrupt.h: the functions have the same meaning as there. */
enum port_error board_timer_open(void (*handler)(void *arg), void *arg);
void board_timer_close(void);
void board_ring_self(void); /* raises an interrupt in the calling core, whose handler calls port_amp_doorbell() */

/* ---- for the files of the port only ---- */

enum port_amp_command {
    PORT_AMP_NOTIFY,   /* port_task_t: port_notify() */
    PORT_AMP_WAKE,     /* port_task_t: ends a wait of the port itself, as in port_task_join() */
    PORT_AMP_CALL,     /* NULL: work for the service task */
    PORT_AMP_RING,     /* NULL: port_doorbell_ring() */
    PORT_AMP_SENT,     /* stream buffer: bytes were put in */
    PORT_AMP_RECEIVED, /* stream buffer: bytes were taken out */
};

/* Whether the other core's heartbeat has been seen since core 0 started. From then on that core is monitored. */
bool port_amp_heard(void);

/* Puts a command into the other core's mailbox and rings. Waits if the mailbox is full. Call it in tasks or
 * handlers. */
void port_amp_send(enum port_amp_command what, void *object);

/* Wakes a task of either core from a wait of the port itself (notification PORT_FREERTOS_NOTIFY_PLATFORM). */
void port_amp_wake(port_task_t *task);

/* What a core's service task does for tasks of the other core */
enum port_amp_service {
    PORT_AMP_START,          /* object: port_task_t */
    PORT_AMP_DELETE,         /* object: port_task_t */
    PORT_AMP_SUSPEND,        /* object: port_task_t */
    PORT_AMP_RESUME,         /* object: port_task_t */
    PORT_AMP_TIMER_OPEN,     /* index: entry; object: its argument */
    PORT_AMP_DOORBELL_OPEN,  /* the same */
    PORT_AMP_DOORBELL_CLOSE, /* no object and no index */
};

/* Makes the other core's service task do `what`, and returns the result. Call it in tasks only. */
enum port_error port_amp_call(enum port_amp_service what, void *object, uint32_t index);

/* The part of the service task's work that concerns interrupts */
enum port_error port_amp_serve_interrupt(enum port_amp_service what, void *object, uint32_t index);

/* Starts this core's service task. It first calls `begin`, unless that is NULL. */
void port_amp_service_start(void (*begin)(void));

/* Wakes this core's service task. Call it in a handler. */
void port_amp_called(BaseType_t *yield);

/* The number of a function in the list of all PORT_ENTRY functions, and the function with a number. Panics if there is
 * no such function. */
uint32_t port_amp_index_of(void (*entry)(void *));
void (*port_amp_entry(uint32_t index))(void *);
uint32_t port_amp_entry_count(void);

/* Creates a task on this core. Its entry and argument must be set. */
enum port_error port_amp_make(port_task_t *task);
void port_amp_delete(port_task_t *task);

/* Calls the handler with which a benchmark has opened this core's doorbell, for the command PORT_AMP_RING. */
void port_amp_doorbell(void);

#endif
