/* One FreeRTOS kernel per core: how the two work together, and what a board supplies for it.
 *
 * There are two images, made of the same sources: that of core 0, with the console, the registry and the results, and
 * that of core 1, with what benchmarks start there. Each has its own kernel, heap and tick. They share, at the same
 * addresses, what is PORT_SHARED, in one region of memory (the linker's port_amp_shared to port_amp_shared_end) that no
 * cache keeps, and that core 0 clears before it starts core 1.
 *
 * Order: core 0 starts, clears the region, starts core 1, and its console task meets core 1 before it does anything
 * else (port_amp_meet). Each says what it is made of; images that do not belong together do not work together.
 *
 * Orders: each core has a mailbox of orders to it: wake a task, start a task, ring. Who sends puts the order in and
 * rings the doorbell, an interrupt of the other core; its handler takes all orders out. Only one core puts into a
 * mailbox, only the other one takes out, each with its own interrupts masked, so no lock is needed. What a kernel does
 * not do in interrupts (to make a task) its service task does, of the highest priority.
 *
 * A doorbell may be lost, where hardware or a debugger loses one. So the tick of each kernel, every millisecond, looks
 * into its mailbox, too: an order that lies there for a whole tick is taken out, and counted (port_recovered_doorbells). And
 * each tick beats: a core whose beat is not heard for PORT_AMP_SILENCE_TICKS has stopped, and what it shared cannot be
 * trusted any more: whichever core notices says so on the console and starts the chip again.
 *
 * Memory: what is shared is not cached, so what is left to do is order. Every index and flag is a C11 atomic, stored
 * with release and loaded with acquire order, for which the compiler puts the core's barrier (DMB); the board's ring
 * begins with one that waits (DSB), so that the other core finds the order when the interrupt arrives. */
#ifndef PORT_AMP_H
#define PORT_AMP_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

#define PORT_AMP_CORES 2U
/* Changes whenever the mailboxes or the meaning of an order do. */
#define PORT_AMP_PROTOCOL 1
/* For how long core 0 waits for core 1 to say what it is, and for an answer to what its service task is asked. */
#define PORT_AMP_PATIENCE_MS 5000U
/* Longer than any benchmark masks interrupts, by far. */
#define PORT_AMP_SILENCE_TICKS 100U

/* ---- for the board ---- */

/* To be called by the handler of this core's doorbell, when it has cleared its cause. */
void port_amp_rung(void);

/* Starts core 1 and waits until its kernel runs and its image is known to belong to this one; panics with a sentence if
 * that is not so within PORT_AMP_PATIENCE_MS. By the console task, before anything else. */
void port_amp_meet(void);

/* Core 1's side: says what this image is, and starts its scheduler. */
void port_amp_start_core_1(void) __attribute__((noreturn));

/* ---- supplied by the board ---- */

/* The core that executes this. */
uint32_t board_core(void);

/* Whether it is in an interrupt handler. */
bool board_in_handler(void);

/* Lets what has been written be seen, then raises the doorbell interrupt of the other core. With interrupts masked.
 * Ringing again before the handler has begun may be one ring. */
void board_ring(void);

/* Enables this core's doorbell. */
void board_doorbell_start(void);

/* A lock between the cores, held for some instructions, with this core's interrupts masked; returns what board_unlock()
 * is to put back. */
uint32_t board_lock(void);
void board_unlock(uint32_t mask);

/* Starts core 1's image from its beginning. By a task of core 0, before board_doorbell_start(). False if core 1 does
 * not answer: then it is stopped, if it runs at all, and this is called again, until PORT_AMP_PATIENCE_MS are over. */
bool board_start_core_1(void);

/* Called by core 0's tick while both cores beat: feeds the watchdog, if there is one. */
void board_alive(void);

/* Called by core 1's first task before core 1 says that it runs: finds its tick against the common clock, say. */
void board_core_1_runs(void);

/* A number that differs between builds whose shared memory has another meaning: of version, compiler and flags. */
uint32_t board_build(void);

/* This core's side of port_interrupt.h: as there, on this core. */
enum port_error board_timer_open(void (*handler)(void *arg), void *arg);
void board_timer_close(void);
void board_ring_self(void); /* raises an interrupt in this core whose handler calls port_amp_doorbell() */

/* ---- between the files of the port ---- */

enum port_amp_order {
    PORT_AMP_NOTIFY,   /* port_task_t: port_notify() */
    PORT_AMP_WAKE,     /* port_task_t: a wait of the platform's own */
    PORT_AMP_CALL,     /* NULL: there is something for the service task */
    PORT_AMP_RING,     /* NULL: port_doorbell_ring() */
    PORT_AMP_SENT,     /* stream buffer: bytes have been put in */
    PORT_AMP_RECEIVED, /* stream buffer: bytes have been taken out */
};

/* Whether the other core's tick has been heard since core 0 started: from then on its silence is noticed. */
bool port_amp_heard(void);

/* Puts an order into the other core's mailbox and rings. Waits for room. From tasks and handlers. */
void port_amp_send(enum port_amp_order what, void *object);

/* Wakes a task of either core that waits in a wait of the platform's own (index PORT_FREERTOS_NOTIFY_PLATFORM). */
void port_amp_wake(port_task_t *task);

/* What the service task of a core does for a task of the other. */
enum port_amp_service {
    PORT_AMP_START,          /* object: port_task_t */
    PORT_AMP_DELETE,         /* object: port_task_t */
    PORT_AMP_SUSPEND,        /* object: port_task_t */
    PORT_AMP_RESUME,         /* object: port_task_t */
    PORT_AMP_TIMER_OPEN,     /* index: entry; object: its argument */
    PORT_AMP_DOORBELL_OPEN,  /* the same */
    PORT_AMP_DOORBELL_CLOSE, /* nothing */
};

/* Has the other core's service task do it; returns its result. By tasks. */
enum port_error port_amp_call(enum port_amp_service what, void *object, uint32_t index);

/* What the service task does for interrupts. */
enum port_error port_amp_serve_interrupt(enum port_amp_service what, void *object, uint32_t index);

/* Starts this core's service task, which calls `begin` first of all, if that is not NULL. */
void port_amp_service_start(void (*begin)(void));

/* Wakes it, from a handler. */
void port_amp_called(BaseType_t *yield);

/* Number of a function in the list of all that are PORT_ENTRY, and the other way round. Panic if there is none. */
uint32_t port_amp_index_of(void (*entry)(void *));
void (*port_amp_entry(uint32_t index))(void *);
uint32_t port_amp_entry_count(void);

/* Makes a task of this core, its entry and argument set. */
enum port_error port_amp_make(port_task_t *task);
void port_amp_delete(port_task_t *task);

/* The handler of this core's doorbell, as a benchmark has opened it: called for PORT_AMP_RING. */
void port_amp_doorbell(void);

#endif
