/* Runs the port test on the chip. */
#include "esp32.h"
#include "port_test.h"
#include "test_end.h"

void esp32_program(void) { test_end("the port keeps every promise", port_test()); }
