/* What a board of the FreeRTOS port calls besides port.h, and what it supplies. */
#ifndef PORT_FREERTOS_H
#define PORT_FREERTOS_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

/* Words of the stack of a task that a benchmark starts without asking for more, and of the console task. Of the former,
 * the port and the kernel need less than the half at -O0: the other half is for the entry. */
#define PORT_FREERTOS_STACK_WORDS 512U
#define PORT_FREERTOS_STACK_BYTES_FOR_ENTRY 1024U
#define PORT_FREERTOS_CONSOLE_STACK_WORDS 1024U

/* Notification indices; FreeRTOSConfig.h says what each is for. A kernel that has been built with one entry per task
 * (the libraries that come with Arduino) has port_notify() share it with its stream buffers: neither adds to the
 * other's count, and both look again when they are woken. */
#if configTASK_NOTIFICATION_ARRAY_ENTRIES > 1
#define PORT_FREERTOS_NOTIFY_TASK 1U
#else
#define PORT_FREERTOS_NOTIFY_TASK 0U
#endif
#define PORT_FREERTOS_NOTIFY_PLATFORM 2U

/* Makes `console` the console task and starts the scheduler. To be called on core 0; where one kernel has all cores,
 * with interrupts of core 1 not yet enabled. `console` must not return. */
void port_freertos_start(void (*console)(void)) __attribute__((noreturn));

/* Lets the scheduler choose again on this core when the handler that calls this returns. To be called last. */
void port_freertos_yield_from_handler(void);

/* Kernel ticks until the common clock reads `when`, rounded up, at most half the range of a tick count: what to wait
 * for, before one looks at the clock again. 0 if it already does; portMAX_DELAY for PORT_FOREVER. */
TickType_t port_freertos_ticks_until(uint64_t when);

/* Fewest words (with ESP-IDF bytes) that the console task and any ended task have left unused on their stacks so far.
 */
uint32_t port_freertos_stack_left(void);

/* The conditions that the kernel's configuration makes, as port_condition(). */
bool port_freertos_condition(uint32_t index, struct port_condition *condition);

/* Supplied by the board: says what went wrong on the console and ends the program. May be called from anywhere,
 * interrupts and broken stacks included. */
void board_panic(const char *what, const char *where, uint32_t number) __attribute__((noreturn));

#endif
