/* Locks on POSIX threads: their initialisation */
#ifndef LOCK_POSIX_H
#define LOCK_POSIX_H

#include <stdbool.h>

/* Creates the lock of port_critical_enter(). Call it once, before any task is started. False if the system refuses
 * it. */
bool lock_posix_start(void);

#endif
