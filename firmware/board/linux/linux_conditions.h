/* Facts about a Linux machine that its numbers depend on. */
#ifndef LINUX_CONDITIONS_H
#define LINUX_CONDITIONS_H

/* Reads them all, once, so that they do not change under a run. */
void linux_conditions_start(void);

#endif
