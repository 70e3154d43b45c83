/* Implements port_storage.h with the last sector of the flash's bank 2, behind the image of core 1. The flash serves
 * one bank while it changes the other, and a read of the bank that it changes waits until that is done (RM 4.3). So
 * core 0 goes on, core 1 waits for its next instruction, and neither needs to be parked. */
#include "port_storage.h"
#include "stm32h745_memory_map.h"
#include "stm32h745_registers.h"

#define PAGE 256U
#define FLASH_WORD 32U /* is programmed as a whole (RM 4.3.9) */
#define WORDS (FLASH_WORD / sizeof(uint32_t))

struct port_storage port_storage(void) {
    return (struct port_storage){
        .use = PORT_STORAGE_APART, .sector_bytes = MEMORY_FLASH_STORAGE_BYTES, .page_bytes = PAGE};
}

/* Waits until bank 2 has done everything that it was asked for. */
static void await_bank(void) {
    __asm volatile("dsb" ::: "memory");
    while ((FLASH_SR2 & (FLASH_SR_BSY | FLASH_SR_WBNE | FLASH_SR_QW)) != 0) {
    }
}

static void erase(void) {
    uint32_t erase = FLASH_CR_SER | FLASH_CR_PSIZE_64 | (FLASH_SECTORS - 1U) << FLASH_CR_SNB_SHIFT;
    FLASH_CR2 = erase;
    FLASH_CR2 = erase | FLASH_CR_START;
    await_bank();
    FLASH_CR2 = FLASH_CR_PSIZE_64;
}

static void program(uint32_t page, const uint8_t *bytes) {
    volatile uint32_t *to = (volatile uint32_t *)(MEMORY_FLASH_STORAGE + page * PAGE);
    FLASH_CR2 = FLASH_CR_PG | FLASH_CR_PSIZE_64;
    __asm volatile("dsb" ::: "memory");
    for (uint32_t done = 0; done < PAGE; done += FLASH_WORD) {
        for (uint32_t i = 0; i < WORDS; i++, bytes += sizeof *to) {
            *to++ =
                (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8U | (uint32_t)bytes[2] << 16U | (uint32_t)bytes[3] << 24U;
        }
        await_bank();
    }
    FLASH_CR2 = FLASH_CR_PSIZE_64;
}

bool port_storage_write(struct port_storage_change *change) {
    uint32_t mask;
    __asm volatile("mrs %0, primask" : "=r"(mask));
    if (change->masked) {
        __asm volatile("cpsid i" ::: "memory");
    }
    FLASH_CCR2 = FLASH_SR_ERRORS;
    if ((FLASH_CR2 & FLASH_CR_LOCK) != 0) {
        FLASH_KEYR2 = FLASH_KEY_1;
        FLASH_KEYR2 = FLASH_KEY_2;
    }
    change->prepared = port_clock();
    if (change->erase) {
        erase();
    }
    for (uint32_t page = change->page; page < change->page + change->pages; page++) {
        program(page, change->bytes);
    }
    change->written = port_clock();
    FLASH_CR2 = FLASH_CR_LOCK;
    bool done = (FLASH_SR2 & FLASH_SR_ERRORS) == 0;
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
    return done;
}

uint8_t port_storage_read(uint32_t offset) { return *(const volatile uint8_t *)(MEMORY_FLASH_STORAGE + offset); }
