/* Locks on POSIX threads: what start-up has to do for them. */
#ifndef LOCK_POSIX_H
#define LOCK_POSIX_H

#include <stdbool.h>

/* Makes the lock behind port_critical_enter(). To be called once, before any task is started. False if the system
 * refuses it. */
bool lock_posix_start(void);

#endif
