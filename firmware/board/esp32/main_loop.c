/* Implements the functions of intercore.h for a framework's main loop, such as Arduino's loop(). */
#include "intercore.h"
#include "loop.h"

bool intercore_loop_open(void) { return port_loop_open() == PORT_OK; }

void intercore_loop(void) { port_loop_pass(); }
