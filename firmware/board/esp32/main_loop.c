/* The functions of intercore.h for the main loop */
#include "intercore.h"
#include "loop.h"

bool intercore_loop_open(void) { return port_loop_open() == PORT_OK; }

void intercore_loop(void) { port_loop_pass(); }
