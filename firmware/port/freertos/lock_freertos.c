/* Implements the critical section of port_lock.h on FreeRTOS V11, SMP and AMP, with the kernel's own critical section.
 * The board implements spinlocks and atomics. */
#include "port_lock.h"

void port_critical_enter(void) { taskENTER_CRITICAL(); }

void port_critical_exit(void) { taskEXIT_CRITICAL(); }
