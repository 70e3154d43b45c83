/* port_storage.h for platforms without storage for benchmarks */
#include "port_storage.h"

bool port_storage(struct port_storage *storage) {
    (void)storage;
    return false;
}

bool port_storage_write(struct port_storage_change *change) {
    (void)change;
    return false;
}

uint8_t port_storage_read(uint32_t offset) {
    (void)offset;
    return 0;
}
