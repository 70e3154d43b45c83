/* Storage that keeps its contents without power, for benchmarks: part of the platform interface (port.h). A flash has
 * sectors, which are erased to ones, and pages in them, which are programmed. */
#ifndef PORT_STORAGE_H
#define PORT_STORAGE_H

#include "port.h"

/* What the programs on the cores have to do with the storage while it is written */
enum port_storage_use {
    PORT_STORAGE_RAM,    /* they execute from RAM, and read nothing from the storage */
    PORT_STORAGE_APART,  /* they execute from other storage, or the system reads it for them */
    PORT_STORAGE_CODE,   /* they execute from it, which no core can while it is written */
    PORT_STORAGE_SYSTEM, /* the same, and port_storage_write() itself stops the other cores */
};

struct port_storage {
    enum port_storage_use use;
    uint32_t sector_bytes; /* the one sector for benchmarks, a whole number of pages */
    uint32_t page_bytes;   /* at most PORT_STORAGE_PAGE_MAX */
    const char *missing;   /* NULL, or why there is no such sector here */
};

#define PORT_STORAGE_PAGE_MAX 256U

/* Describes the storage. */
struct port_storage port_storage(void);

struct port_storage_change {
    bool erase;           /* erase the sector first */
    bool masked;          /* mask this core's interrupts from the call to its return; not with PORT_STORAGE_SYSTEM */
    uint32_t page;        /* number of the first page to program */
    uint32_t pages;       /* how many; may be 0 */
    const uint8_t *bytes; /* what to program into each of them: page_bytes in RAM */

    /* Results, on the common clock */
    uint64_t prepared; /* the storage can be given commands, and has not been given any yet */
    uint64_t written;  /* it has done all of them */
};

/* Changes the sector, and returns when it can be read again. Returns false if it could not be changed. Call it from one
 * task at a time. With PORT_STORAGE_CODE, `masked` must be set, and the other cores must execute from RAM, with their
 * interrupts masked, until it returns. */
bool port_storage_write(struct port_storage_change *change);

/* Returns a byte of the sector. */
uint8_t port_storage_read(uint32_t offset);

/* Puts a function where it can be executed while the storage is written. port_types.h defines it if that is not
 * everywhere. */
#ifndef PORT_IN_RAM
#define PORT_IN_RAM(name)
#endif

#endif
