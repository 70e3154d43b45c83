/* What the model must know of the ring's memory. */
#include <stddef.h>

#include "spsc.h"

struct layout {
    size_t sender;
    size_t receiver;
    size_t control;
    size_t grain;
    size_t atomics[4];
};

extern const struct layout layout;

const struct layout layout = {
    .sender = sizeof(struct ic_spsc_sender),
    .receiver = sizeof(struct ic_spsc_receiver),
    .control = IC_SPSC_CONTROL_BYTES,
    .grain = sizeof(uint32_t),
    .atomics = {offsetof(struct ic_spsc, head), offsetof(struct ic_spsc, tail), offsetof(struct ic_spsc, sender_sleeps),
                offsetof(struct ic_spsc, receiver_sleeps)},
};
