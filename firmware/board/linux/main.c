/* The benchmark program of the target `host`: Linux, with the console on standard input and output */
#include <stdio.h>
#include <stdlib.h>

#include "console.h"
#include "linux_conditions.h"
#include "linux_region.h"
#include "port_posix.h"
#include "rpmsg_char.h"

int main(void) {
    if (!port_posix_start()) {
        fputs("intercore-target: this process may not run on any core\n", stderr);
        return EXIT_FAILURE;
    }
    if (!linux_region_start()) {
        fputs("intercore-target: not enough memory for the benchmarks' buffer\n", stderr);
        return EXIT_FAILURE;
    }
    const char *wrong = rpmsg_char_find();
    if (wrong != NULL) {
        fprintf(stderr, "intercore-target: INTERCORE_RPMSG: %s\n", wrong);
        return EXIT_FAILURE;
    }
    linux_conditions_start();
    ic_console_serve();
    return EXIT_SUCCESS;
}
