/* Implements port_storage.h with the first sector of a data partition named `intercore`, by ESP-IDF's functions for
 * partitions. While these erase or program, ESP-IDF stops the other core, switches both caches off, and masks the
 * interrupts whose handlers are not in IRAM. */
#include "esp_partition.h"
#include "port_storage.h"

#define SECTOR 4096U
#define PAGE 256U

static const esp_partition_t *partition(void) {
    const esp_partition_t *found =
        esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY, "intercore");
    return found != NULL && found->size >= SECTOR ? found : NULL;
}

struct port_storage port_storage(void) {
    return (struct port_storage){
        .use = PORT_STORAGE_SYSTEM,
        .sector_bytes = SECTOR,
        .page_bytes = PAGE,
        .missing = partition() != NULL ? NULL : "the partition table has no data partition named intercore of 4 KiB"};
}

bool port_storage_write(struct port_storage_change *change) {
    const esp_partition_t *to = partition();
    bool done = to != NULL;
    change->prepared = port_clock();
    if (done && change->erase) {
        done = esp_partition_erase_range(to, 0, SECTOR) == ESP_OK;
    }
    for (uint32_t page = change->page; done && page < change->page + change->pages; page++) {
        done = esp_partition_write(to, page * PAGE, change->bytes, PAGE) == ESP_OK;
    }
    change->written = port_clock();
    return done;
}

uint8_t port_storage_read(uint32_t offset) {
    uint8_t byte = 0;
    const esp_partition_t *from = partition();
    return from != NULL && esp_partition_read(from, offset, &byte, 1) == ESP_OK ? byte : 0;
}
