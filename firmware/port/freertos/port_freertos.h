/* Interface between the FreeRTOS port and a board, in addition to port.h */
#ifndef PORT_FREERTOS_H
#define PORT_FREERTOS_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

/* Words of stack of a benchmark's task that requests no more, and of the console task. Of the former, the port and the
 * kernel need less than half at -O0: the other half is for the entry. */
#define PORT_FREERTOS_STACK_WORDS 512U
#define PORT_FREERTOS_STACK_BYTES_FOR_ENTRY 1024U
#define PORT_FREERTOS_CONSOLE_STACK_WORDS 1024U

/* Notification indices; FreeRTOSConfig.h lists their uses. With a kernel built for one entry per task (the libraries of
 * Arduino), port_notify() shares it with stream buffers: neither changes the other's count, and both check again after
 * a wake-up. */
#if configTASK_NOTIFICATION_ARRAY_ENTRIES > 1
#define PORT_FREERTOS_NOTIFY_TASK 1U
#else
#define PORT_FREERTOS_NOTIFY_TASK 0U
#endif
#define PORT_FREERTOS_NOTIFY_PLATFORM 2U

/* Makes `console` the console task and starts the scheduler. Call it on core 0; if one kernel has all cores, with
 * interrupts of core 1 not yet enabled. `console` must not return. */
void port_freertos_start(void (*console)(void)) __attribute__((noreturn));

/* Requests a reschedule of this core when the calling handler returns. Call it last. */
void port_freertos_yield_from_handler(void);

/* Kernel ticks until the common clock reads `when`, rounded up, at most half the range of a tick count: the time to
 * wait before the next reading of the clock. 0 if it already does; portMAX_DELAY for PORT_FOREVER. */
TickType_t port_freertos_ticks_until(uint64_t when);

/* Least unused stack of the console task and of any ended task so far, in words (with ESP-IDF in bytes) */
uint32_t port_freertos_stack_left(void);

/* Conditions of the kernel's configuration; like port_condition() */
bool port_freertos_condition(uint32_t index, struct port_condition *condition);

/* Supplied by the board: prints the failure on the console and ends the program. May be called from anywhere, including
 * interrupts and broken stacks. */
void board_panic(const char *what, const char *where, uint32_t number) __attribute__((noreturn));

#endif
