/* Conditions of a Linux machine: properties that are stored with a run */
#ifndef LINUX_CONDITIONS_H
#define LINUX_CONDITIONS_H

/* Reads all conditions. It is called once, so that they do not change during a run. */
void linux_conditions_start(void);

#endif
