/* Interface between the FreeRTOS port and a board, in addition to port.h */
#ifndef PORT_FREERTOS_H
#define PORT_FREERTOS_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

/* Words of stack of a benchmark's task that does not request a size, and of the console task. At -O0 the port and the
 * kernel need less than half of the benchmark task's stack; the other half is for the task's entry function. */
#define PORT_FREERTOS_STACK_WORDS 512U
#define PORT_FREERTOS_STACK_BYTES_FOR_ENTRY 1024U
#define PORT_FREERTOS_CONSOLE_STACK_WORDS 1024U

/* Indices of task notifications; config_freertos.h lists their uses. A kernel that is built with one notification per
 * task (the libraries of Arduino) uses the same index for port_notify() and for stream buffers. That works: neither of
 * them changes the other's notification count, and both check again after a wake-up. */
#if configTASK_NOTIFICATION_ARRAY_ENTRIES > 1
#define PORT_FREERTOS_NOTIFY_TASK 1U
#else
#define PORT_FREERTOS_NOTIFY_TASK 0U
#endif
#define PORT_FREERTOS_NOTIFY_PLATFORM 2U

/* Makes `console` the console task and starts the scheduler. `console` must not return. Call it on core 0. If one
 * kernel schedules all cores, the interrupts of core 1 must not be enabled yet. */
void port_freertos_start(void (*console)(void)) __attribute__((noreturn));

/* Makes this core reschedule when the calling handler returns. It must be the handler's last call. */
void port_freertos_yield_from_handler(void);

/* Returns the number of kernel ticks to wait until the common clock reads `when`, rounded up; 0 if that time has
 * passed, portMAX_DELAY for PORT_FOREVER. The result is at most half the range of a tick count, so read the clock again
 * after a wait. */
TickType_t port_freertos_ticks_until(uint64_t when);

/* Returns the smallest amount of stack that the console task, or any task that has ended so far, has left unused, in
 * words (on ESP-IDF in bytes). */
uint32_t port_freertos_stack_left(void);

/* Reports the kernel's configuration as conditions; used like port_condition() */
bool port_freertos_condition(uint32_t index, struct port_condition *condition);

/* Supplied by a board that has a pin (port_pin.h): like port_pin_open(), with the handler on the calling core */
enum port_error board_pin_open(void (*handler)(void *arg), void *arg);

/* Supplied by the board: prints the failure on the console and ends the firmware. It may be called from anywhere, also
 * from interrupts and on a broken stack. */
void board_panic(const char *what, const char *where, uint32_t number) __attribute__((noreturn));

#endif
