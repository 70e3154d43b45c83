/* Locks on POSIX threads: their initialisation */
#ifndef LOCK_POSIX_H
#define LOCK_POSIX_H

#include <stdbool.h>

/* Creates the lock behind port_critical_enter(). Call it once, before any task is started. Returns false if the system
 * refuses to create the lock. */
bool lock_posix_start(void);

#endif
