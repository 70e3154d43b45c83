/* Between the files of the recorder. */
#ifndef RING_TRACE_H
#define RING_TRACE_H

#include <stdint.h>

/* Forgets the events of a core. */
void ic_trace_empty(uint32_t core);

/* Number of a name, which is new or has been given before by this core; IC_TRACE_NAMELESS if there is no room for it.
 * To be called with nothing else on this core able to come between. */
uint32_t ic_trace_name_number(const char *text);

#endif
