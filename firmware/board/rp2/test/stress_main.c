/* Runs the stress test of the port (port/stress.h) on the chip. */
#include "stress.h"

#include "rp2_board.h"
#include "rp2_test_end.h"

int main(void);

static void run(void) { rp2_test_end("the port bears the stress", stress_run()); }

int main(void) { board_run(run); }
