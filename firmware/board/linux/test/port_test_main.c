/* Runs port_test(), which checks that the Linux port keeps the rules of port.h. */
#include <stdio.h>
#include <stdlib.h>

#include "linux_conditions.h"
#include "linux_region.h"
#include "port_posix.h"
#include "port_test.h"

int main(void) {
    if (!port_posix_start() || !linux_region_start()) {
        return EXIT_FAILURE;
    }
    linux_conditions_start();
    const char *failure = port_test();
    puts(failure == NULL ? "the port keeps every promise" : failure);
    return failure == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
