/* Conditions of a Linux machine */
#ifndef LINUX_CONDITIONS_H
#define LINUX_CONDITIONS_H

/* Reads them all, once, so that they do not change during a run. */
void linux_conditions_start(void);

#endif
