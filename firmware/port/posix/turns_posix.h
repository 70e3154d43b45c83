/* Turns among tasks of equal priority (port_time_slicing). */
#ifndef TURNS_POSIX_H
#define TURNS_POSIX_H

#include <stdbool.h>

/* Processor time that a task has before it is another one's turn, in milliseconds; a multiple of it where the system
 * looks at such times less often (CONFIG_HZ). */
#define TURNS_POSIX_MS 5

/* Lets the calling thread give its core to equals, each time that it has had it for so long. False if the system has no
 * timer left. */
bool turns_posix_begin(void);

/* Ends that; to be called by the same thread. */
void turns_posix_end(void);

#endif
