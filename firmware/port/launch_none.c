/* port_launch.h for platforms that cannot reset a core alone, nor empty a cache of code */
#include "port_launch.h"

bool port_code_cache_empty(void) { return false; }

bool port_core_resets(void) { return false; }

uint64_t port_core_stand_by(void) { return 0; }

void port_core_reset(void) {}

uint64_t port_core_launch(void) { return 0; }
