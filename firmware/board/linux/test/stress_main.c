/* Runs the stress test of the port (port/stress.h) on this machine. */
#include <stdio.h>
#include <stdlib.h>

#include "port_posix.h"
#include "stress.h"

int main(void) {
    if (!port_posix_start()) {
        return EXIT_FAILURE;
    }
    const char *failure = stress_run();
    puts(failure == NULL ? "the port bears the stress" : failure);
    return failure == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
