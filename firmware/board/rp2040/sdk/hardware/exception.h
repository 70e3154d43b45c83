/* Empty, because the handlers of system exceptions are in the vector tables from the start (rp2040_cores.c). */
#ifndef SDK_HARDWARE_EXCEPTION_H
#define SDK_HARDWARE_EXCEPTION_H

#include "pico.h"

#endif
