/* Runs the test of the port (port_test.h) on the chip. */
#include "esp32_board.h"
#include "esp32_test_end.h"
#include "port_test.h"

void esp32_program(void) { esp32_test_end("the port keeps every promise", port_test()); }
