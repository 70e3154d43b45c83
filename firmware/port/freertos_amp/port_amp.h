/* A FreeRTOS kernel on each core: how the two cooperate, and what a board supplies.
 *
 * There are two images, made of the same sources: that of core 0, with the console, the registry and the results, and
 * that of core 1, with the tasks that benchmarks start there. Each has its own kernel, heap and tick. They share the
 * variables that are PORT_SHARED, at the same addresses, in one uncached region of memory (the linker's port_amp_shared
 * to port_amp_shared_end), which core 0 clears before it starts core 1.
 *
 * Start: core 0 starts, clears the region and starts core 1; its console task first waits for core 1 (port_amp_meet).
 * The images exchange their identity; images that do not match refuse to work together.
 *
 * Orders: each core has a mailbox of orders to it: wake a task, start a task, ring. The sender puts the order in and
 * rings the doorbell, an interrupt of the other core, whose handler executes all orders. Only one core puts into a
 * mailbox, only the other one takes out, each with its own interrupts masked, so no lock is needed. What a kernel
 * cannot do in interrupts (creating a task) is done by its service task, which has the highest priority.
 *
 * A doorbell may be lost, by hardware or a debugger. So the tick of each kernel, every millisecond, also checks its
 * mailbox: an order that stays there for a whole tick is executed, and counted (port_recovered_doorbells). Each tick
 * also increments a heartbeat: a core whose heartbeat stops for PORT_AMP_SILENCE_TICKS has failed, and shared data are
 * no longer trustworthy: the core that notices it reports it on the console and restarts the chip.
 *
 * Memory: shared data are not cached, so only order matters. Every index and flag is a C11 atomic, stored with release
 * and loaded with acquire order, for which the compiler emits the core's barrier (DMB); the board's ring begins with
 * one that waits (DSB), so that the other core finds the order when the interrupt arrives. */
#ifndef PORT_AMP_H
#define PORT_AMP_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

#define PORT_AMP_CORES 2U
/* Increment it with every change of the mailboxes or of the meaning of an order. */
#define PORT_AMP_PROTOCOL 1
/* Timeout of core 0 for core 1's identity, and for answers of its service task */
#define PORT_AMP_PATIENCE_MS 5000U
/* Far longer than any benchmark masks interrupts */
#define PORT_AMP_SILENCE_TICKS 100U

/* ---- for the board ---- */

/* Call it from the handler of this core's doorbell, after clearing its cause. */
void port_amp_rung(void);

/* Starts core 1 and waits until its kernel runs and its image is known to match this one; panics if not within
 * PORT_AMP_PATIENCE_MS. Called by the console task, first. */
void port_amp_meet(void);

/* Core 1's side: publishes its identity, and starts its scheduler. */
void port_amp_start_core_1(void) __attribute__((noreturn));

/* ---- supplied by the board ---- */

/* The core that executes this */
uint32_t board_core(void);

/* Whether it is in an interrupt handler */
bool board_in_handler(void);

/* Makes all writes visible, then raises the doorbell interrupt of the other core. Called with interrupts masked. Rings
 * before the handler has begun may merge into one. */
void board_ring(void);

/* Enables this core's doorbell. */
void board_doorbell_start(void);

/* A lock between the cores, held for some instructions, with this core's interrupts masked; returns the state that
 * board_unlock() restores. */
uint32_t board_lock(void);
void board_unlock(uint32_t mask);

/* Starts core 1's image from its beginning. Called by a task of core 0, before board_doorbell_start(). Returns false if
 * core 1 does not answer: it is then stopped, if it runs at all, and this is called again, until PORT_AMP_PATIENCE_MS
 * are over. */
bool board_start_core_1(void);

/* Called by core 0's tick while both heartbeats continue: feeds the watchdog, if there is one. */
void board_alive(void);

/* Called by core 1's first task before core 1 reports that it runs; for example to align its tick with the common
 * clock. */
void board_core_1_runs(void);

/* A number that differs between builds with incompatible shared memory: of version, compiler and flags */
uint32_t board_build(void);

/* This core's part of port_interrupt.h, with the same meaning */
enum port_error board_timer_open(void (*handler)(void *arg), void *arg);
void board_timer_close(void);
void board_ring_self(void); /* raises an interrupt in this core whose handler calls port_amp_doorbell() */

/* ---- between the files of the port ---- */

enum port_amp_order {
    PORT_AMP_NOTIFY,   /* port_task_t: port_notify() */
    PORT_AMP_WAKE,     /* port_task_t: a wait of the platform itself */
    PORT_AMP_CALL,     /* NULL: work for the service task */
    PORT_AMP_RING,     /* NULL: port_doorbell_ring() */
    PORT_AMP_SENT,     /* stream buffer: bytes were put in */
    PORT_AMP_RECEIVED, /* stream buffer: bytes were taken out */
};

/* Whether the other core's tick has been heard since core 0 started: from then on it is monitored. */
bool port_amp_heard(void);

/* Puts an order into the other core's mailbox and rings. Waits for room. From tasks and handlers. */
void port_amp_send(enum port_amp_order what, void *object);

/* Wakes a task of either core from a wait of the platform itself (index PORT_FREERTOS_NOTIFY_PLATFORM). */
void port_amp_wake(port_task_t *task);

/* Services that a core's service task provides to tasks of the other */
enum port_amp_service {
    PORT_AMP_START,          /* object: port_task_t */
    PORT_AMP_DELETE,         /* object: port_task_t */
    PORT_AMP_SUSPEND,        /* object: port_task_t */
    PORT_AMP_RESUME,         /* object: port_task_t */
    PORT_AMP_TIMER_OPEN,     /* index: entry; object: its argument */
    PORT_AMP_DOORBELL_OPEN,  /* the same */
    PORT_AMP_DOORBELL_CLOSE, /* nothing */
};

/* Makes the other core's service task do it; returns its result. From tasks. */
enum port_error port_amp_call(enum port_amp_service what, void *object, uint32_t index);

/* The service task's work for interrupts */
enum port_error port_amp_serve_interrupt(enum port_amp_service what, void *object, uint32_t index);

/* Starts this core's service task, which first calls `begin`, if that is not NULL. */
void port_amp_service_start(void (*begin)(void));

/* Wakes it, from a handler. */
void port_amp_called(BaseType_t *yield);

/* Number of a function in the list of all PORT_ENTRY functions, and the reverse. Panics if there is none. */
uint32_t port_amp_index_of(void (*entry)(void *));
void (*port_amp_entry(uint32_t index))(void *);
uint32_t port_amp_entry_count(void);

/* Creates a task of this core, whose entry and argument are set. */
enum port_error port_amp_make(port_task_t *task);
void port_amp_delete(port_task_t *task);

/* The handler of this core's doorbell, as a benchmark has opened it: called for PORT_AMP_RING. */
void port_amp_doorbell(void);

#endif
