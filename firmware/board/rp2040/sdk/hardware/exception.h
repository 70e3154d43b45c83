/* Handlers of system exceptions stand in the vector tables from the start (start.c), so nothing is needed here. */
#ifndef SDK_HARDWARE_EXCEPTION_H
#define SDK_HARDWARE_EXCEPTION_H

#include "pico.h"

#endif
