/* A FreeRTOS kernel on each core: how the two kernels work together, and what a board must supply.
 *
 * There are two images, made from the same sources. Core 0's image has the console, the list of benchmarks and the
 * results. Core 1's image has the tasks that benchmarks start there. Each image has its own kernel, heap and tick. The
 * images share the variables that are declared PORT_SHARED, at the same addresses in one uncached region of memory
 * (from port_amp_shared to port_amp_shared_end in the linker script).
 *
 * Start: core 0 starts first, clears the shared region and starts core 1. Its console task first waits for core 1
 * (port_amp_meet), whose image has published its identity. If the identity does not match core 0's image, core 0
 * panics.
 *
 * Commands: each core has a mailbox for commands to it, such as to wake a task. The sender puts the command into the
 * mailbox and raises the doorbell, an interrupt of the other core, whose handler executes all commands in the mailbox.
 * One core only puts commands into a mailbox, the other core only takes them out, each with its own interrupts masked;
 * so no lock is needed. A service task of the highest priority does what a kernel cannot do in an interrupt handler,
 * such as create a task.
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
/* Version of the interface between the images. Increment it whenever the mailboxes or the meaning of a command change:
 * core 0 refuses to work with an image of a different version. */
#define PORT_AMP_PROTOCOL 2
/* Milliseconds that core 0 waits at start for core 1's identity, and that a core waits for an answer from the other
 * core's service task, before it panics */
#define PORT_AMP_PATIENCE_MS 5000U
/* A core whose heartbeat stops for this many ticks of the other core has failed. No benchmark masks interrupts for
 * nearly as long, so none can be taken for a failure. */
#define PORT_AMP_SILENCE_TICKS 100U

/* ---- for the board ---- */

/* Executes the commands in this core's mailbox. Call it in the handler of the doorbell interrupt, after the interrupt's
 * cause has been cleared. */
void port_amp_rung(void);

/* Starts core 1 and waits until its kernel runs and its image is known to match this one. Panics if that takes longer
 * than PORT_AMP_PATIENCE_MS. The console task calls it first. */
void port_amp_meet(void);

/* Core 1's counterpart of port_amp_meet(): publishes its identity and starts its scheduler. */
void port_amp_start_core_1(void) __attribute__((noreturn));

/* ---- the board must supply these ---- */

/* Returns the number of the calling core. */
uint32_t board_core(void);

/* Returns whether the calling core is executing an interrupt handler. */
bool board_in_handler(void);

/* Makes all writes visible, then raises the doorbell interrupt of the other core. Called with interrupts masked. If the
 * interrupt is raised several times before the handler begins, the handler may run only once. */
void board_ring(void);

/* Enables this core's doorbell interrupt. */
void board_doorbell_start(void);

/* A lock between the cores, which is held for a few instructions, with this core's interrupts masked. board_lock()
 * returns the interrupt mask that board_unlock() restores. */
uint32_t board_lock(void);
void board_unlock(uint32_t mask);

/* Starts core 1's image from its beginning. A task of core 0 calls it before board_doorbell_start(). Returns false if
 * core 1 does not answer; the function must then have stopped core 1, if it was running at all. The caller then tries
 * again, until PORT_AMP_PATIENCE_MS have passed. */
bool board_start_core_1(void);

/* Feeds the watchdog, if there is one. Core 0's kernel tick calls it while the heartbeats of both cores continue. */
void board_alive(void);

/* Core 1's first task calls it before core 1 reports that it runs. It may, for example, determine the phase of core 1's
 * kernel tick on the common clock. */
void board_core_1_runs(void);

/* Returns a number that differs between builds whose shared memory is incompatible. Each board makes it from the
 * compiler flags and from the version of the firmware or of the compiler. */
uint32_t board_build(void);

/* Like port_timer_open() and port_timer_close() (port_interrupt.h), but the handler always runs on the calling core. */
enum port_error board_timer_open(void (*handler)(void *arg), void *arg);
void board_timer_close(void);
void board_ring_self(void); /* raises an interrupt in the calling core, whose handler calls port_amp_doorbell() */

/* ---- for the files of the port only ---- */

/* Commands to the other core. Each comment gives the type of the command's object, and what the command does. */
enum port_amp_command {
    PORT_AMP_NOTIFY,   /* port_task_t: port_notify() */
    PORT_AMP_WAKE,     /* port_task_t: ends a wait inside the port, as in port_task_join() */
    PORT_AMP_CALL,     /* NULL: work for the service task */
    PORT_AMP_RING,     /* NULL: port_doorbell_ring() */
    PORT_AMP_SENT,     /* stream buffer: bytes were put in */
    PORT_AMP_RECEIVED, /* stream buffer: bytes were taken out */
};

/* Returns whether a heartbeat of the other core has been seen since core 0 started. From its first heartbeat on, the
 * other core is monitored. */
bool port_amp_heard(void);

/* Puts a command into the other core's mailbox and rings that core's doorbell. Call it in tasks or interrupt handlers.
 * If the mailbox is full, a task waits, and a handler panics. */
void port_amp_send(enum port_amp_command what, void *object);

/* Wakes a task of either core from a wait inside the port, as in port_task_join() (notification
 * PORT_FREERTOS_NOTIFY_PLATFORM). */
void port_amp_wake(port_task_t *task);

/* What a core's service task does for tasks of the other core */
enum port_amp_service {
    PORT_AMP_START,          /* object: port_task_t */
    PORT_AMP_DELETE,         /* object: port_task_t */
    PORT_AMP_SUSPEND,        /* object: port_task_t */
    PORT_AMP_RESUME,         /* object: port_task_t */
    PORT_AMP_TIMER_OPEN,     /* index: entry; object: its argument */
    PORT_AMP_DOORBELL_OPEN,  /* the same */
    PORT_AMP_PIN_OPEN,       /* the same */
    PORT_AMP_DOORBELL_CLOSE, /* no object and no index */
};

/* Makes the other core's service task do `what`, and returns the result. Call it in tasks only. */
enum port_error port_amp_call(enum port_amp_service what, void *object, uint32_t index);

/* The part of the service task's work that concerns interrupts */
enum port_error port_amp_serve_interrupt(enum port_amp_service what, void *object, uint32_t index);

/* Starts this core's service task, which first calls `begin` unless it is NULL. */
void port_amp_service_start(void (*begin)(void));

/* Wakes this core's service task. Call it in a handler. */
void port_amp_called(BaseType_t *yield);

/* Return the number of a function in the list of all PORT_ENTRY functions, and the function with a number. They panic
 * if there is no such function. */
uint32_t port_amp_index_of(void (*entry)(void *));
void (*port_amp_entry(uint32_t index))(void *);
uint32_t port_amp_entry_count(void);

/* Creates a task on this core. Its entry and argument must be set. */
enum port_error port_amp_make(port_task_t *task);
void port_amp_delete(port_task_t *task);

/* Calls the handler with which a benchmark has opened this core's doorbell (port_doorbell_open()). Executes the command
 * PORT_AMP_RING. */
void port_amp_doorbell(void);

#endif
