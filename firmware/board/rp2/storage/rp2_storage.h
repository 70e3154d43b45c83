/* What rp2_storage.c needs to know of the chip's interface to flash */
#ifndef RP2_STORAGE_H
#define RP2_STORAGE_H

/* Returns a function in SRAM that sets up the flash and its interface for reading as they are set up now. */
void (*rp2_storage_keep_reading(void))(void);

#endif
