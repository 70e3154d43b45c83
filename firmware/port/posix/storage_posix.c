/* port_storage.h with a file, in the folder that TMPDIR names, or else in /var/tmp, which usually is on a disk. A
 * change is one write and one fsync(), which returns when the file system says that the disk has it. */
#include "port_storage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR 4096U
#define PAGE 256U

static int file = -1;
static uint8_t sector[SECTOR];

/* The file is removed at once: it lasts until the program ends. */
static bool open_file(void) {
    const char *folder = getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nothing changes the environment
    char name[4096];
    int length = snprintf(name, sizeof name, "%s/intercore-XXXXXX", folder != NULL ? folder : "/var/tmp");
    if (length < 0 || (size_t)length >= sizeof name) {
        return false;
    }
    file = mkstemp(name);
    return file >= 0 && unlink(name) == 0;
}

struct port_storage port_storage(void) {
    return (struct port_storage){.use = PORT_STORAGE_APART, .sector_bytes = SECTOR, .page_bytes = PAGE};
}

bool port_storage_write(struct port_storage_change *change) {
    if (file < 0 && !open_file()) {
        return false;
    }
    size_t begin = change->erase ? 0 : (size_t)change->page * PAGE;
    size_t end = change->erase ? SECTOR : begin + (size_t)change->pages * PAGE;
    if (change->erase) {
        memset(sector, 0xff, sizeof sector);
    }
    for (size_t page = change->page; page < change->page + change->pages; page++) {
        memcpy(sector + page * PAGE, change->bytes, PAGE);
    }
    change->prepared = port_clock();
    bool written = pwrite(file, sector + begin, end - begin, (off_t)begin) == (ssize_t)(end - begin);
    written = fsync(file) == 0 && written;
    change->written = port_clock();
    return written;
}

uint8_t port_storage_read(uint32_t offset) {
    uint8_t byte = 0;
    return pread(file, &byte, 1, offset) == 1 ? byte : 0;
}
