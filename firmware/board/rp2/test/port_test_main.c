/* Runs port_test() on the chip, which checks that the port keeps the rules of port.h. */
#include "port_test.h"

#include "rp2_board.h"
#include "rp2_test_end.h"

int main(void);

static void run(void) { rp2_test_end("the port keeps every promise", port_test()); }

int main(void) { board_run(run); }
