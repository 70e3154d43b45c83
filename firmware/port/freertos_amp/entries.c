/* The list of the functions that one core can start on the other, as entries of tasks or as interrupt handlers. The
 * cores exchange a function's number in this list, because its address differs between the two images. */
#include "port_amp.h"
#include "port_freertos.h"

/* The linker script sorts the entries by name, so the numbers are the same in both images. */
extern void (*const port_amp_entries[])(void *);
extern void (*const port_amp_entries_end[])(void *);

uint32_t port_amp_entry_count(void) { return (uint32_t)(port_amp_entries_end - port_amp_entries); }

uint32_t port_amp_index_of(void (*entry)(void *)) {
    for (uint32_t index = 0; index < port_amp_entry_count(); index++) {
        if (port_amp_entries[index] == entry) {
            return index;
        }
    }
    board_panic("a function for the other core that is not PORT_ENTRY", "", (uint32_t)(uintptr_t)entry);
}

void (*port_amp_entry(uint32_t index))(void *) {
    if (index >= port_amp_entry_count()) {
        board_panic("the other core asks for a function that there is not", "", index);
    }
    return port_amp_entries[index];
}
