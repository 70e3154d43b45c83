/* A program as a board's would be, which adds works of its own before Intercore starts. */
#include "console.h"
#include "intercore_workload.h"
#include "rp2_board.h"
#include "transports.h"

#define RIGHT(X) X(crc) X(fft) X(matrix) X(begun)
#define WRONG(X) X(ordered) X(behind) X(mixed) X(expected) X(beyond) X(outside) X(around) X(fenced) X(together)
#define SLOW(X) X(banks) X(bridge) X(uneven)
#define WORKS(X) RIGHT(X) WRONG(X) SLOW(X)
#define DECLARED(name) extern const struct intercore_workload intercore_workload_##name;
#define ADDED(name) said = said ? said : intercore_add_workload(#name, &intercore_workload_##name);

WORKS(DECLARED)

/* What was said of what is right, and of what is not. */
const char *said, *taken_transport, *unnamed_transport, *half_transport, *bad_name, *taken_name, *no_units, *no_room;

static const struct intercore_workload nothing;
static struct ic_transport mine, unnamed, half;

int main(void) {
    WORKS(ADDED)
    mine = ic_transport_ring;
    mine.name = "mine";
    said = said ? said : intercore_add_transport(&mine);
    taken_transport = intercore_add_transport(&mine);
    unnamed = ic_transport_ring;
    unnamed.name = NULL;
    unnamed_transport = intercore_add_transport(&unnamed);
    half = ic_transport_ring;
    half.name = "half";
    half.receive = NULL;
    half_transport = intercore_add_transport(&half);
    bad_name = intercore_add_workload("Name", &intercore_workload_crc);
    taken_name = intercore_add_workload("crc", &intercore_workload_crc);
    no_units = intercore_add_workload("nothing", &nothing);
    said = said ? said : intercore_add_workload("last", &intercore_workload_crc);
    no_room = intercore_add_workload("more", &intercore_workload_crc);
    board_run(ic_console_serve);
}

void board_end(uint32_t status) {
    (void)status;
    for (;;) {
    }
}
