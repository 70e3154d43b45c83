/* The stress run of the transports on the chip, disturbed. */
#include "transport_stress.h"

#include "board.h"
#include "test_end.h"

int main(void);

static void run(void) { test_end("the transports bear the stress", transport_stress_run(1, true)); }

int main(void) { board_run(run); }
