/* Runs the stress test of the transports (the ways to move messages between cores) on this machine. The command-line
 * argument is the number of rounds; the default is 1. */
#include <stdio.h>
#include <stdlib.h>

#include "linux_region.h"
#include "port_posix.h"
#include "transport_stress.h"

int main(int count, char **arguments) {
    if (!port_posix_start() || !linux_region_start()) {
        return EXIT_FAILURE;
    }
    unsigned long rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 1U;
    const char *failure = transport_stress_run((uint32_t)rounds, NULL);
    puts(failure == NULL ? "the transports bear the stress" : failure);
    return failure == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
