/* Reports conditions, which are properties of the target that are stored with a run: those of the chip and of the
 * program. esp32_instruments.c and port/freertos_smp report the others. */
#include <inttypes.h>
#include <stdio.h>

#include "esp32_board.h"
#include "esp32_cpu.h"
#include "esp32_instruments.h"
#include "esp32_sdk.h"
#include "loop.h"
#include "port_freertos.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

#define TEXT_BYTES 40U   /* for a name and a number */
#define NUMBER_BYTES 12U /* for a number of 32 bits */

static char revision[NUMBER_BYTES];
static char cpu_hz[NUMBER_BYTES];
static char apb_hz[NUMBER_BYTES];
static char crystal_hz[NUMBER_BYTES];
static char flash_bytes[NUMBER_BYTES];
static char flash_id[NUMBER_BYTES];
static char flash_header[TEXT_BYTES];
static char psram_bytes[NUMBER_BYTES];
static char heap_bytes[NUMBER_BYTES];

/* ---- build options ---- */

#ifdef CONFIG_IDF_TARGET_ESP32S3
#define CHIP "ESP32-S3"
#define INSTRUCTION_CACHE                                                                                              \
    TEXT(CONFIG_ESP32S3_INSTRUCTION_CACHE_SIZE)                                                                        \
    " bytes, " TEXT(CONFIG_ESP32S3_ICACHE_ASSOCIATED_WAYS) " ways of " TEXT(CONFIG_ESP32S3_INSTRUCTION_CACHE_LINE_SIZE)
#define DATA_CACHE                                                                                                     \
    TEXT(CONFIG_ESP32S3_DATA_CACHE_SIZE)                                                                               \
    " bytes, " TEXT(CONFIG_ESP32S3_DCACHE_ASSOCIATED_WAYS) " ways of " TEXT(CONFIG_ESP32S3_DATA_CACHE_LINE_SIZE)
#define CACHE "both cores': instructions " INSTRUCTION_CACHE " byte lines; data " DATA_CACHE
#elif defined(CONFIG_IDF_TARGET_ESP32P4)
#define CHIP "ESP32-P4"
/* On this chip the internal memory is behind the caches, too (SOC_CACHE_INTERNAL_MEM_VIA_L1CACHE in ESP-IDF's
 * soc_caps.h). */
#define LEVEL_1 "level 1 in front of all memory, lines of " TEXT(CONFIG_CACHE_L1_CACHE_LINE_SIZE) " bytes"
#define LEVEL_2 TEXT(CONFIG_CACHE_L2_CACHE_SIZE) " bytes, lines of " TEXT(CONFIG_CACHE_L2_CACHE_LINE_SIZE)
#define CACHE LEVEL_1 "; level 2 in front of flash and PSRAM, both cores', " LEVEL_2
#else
#define CHIP "ESP32"
/* ESP32 TRM 1.3.3: "32 KB cache for each core, 2-way set associative, 32 byte blocks" */
#define CACHE "each core's: instructions and data 32768 bytes, 2 ways of 32 byte lines"
#endif

#ifdef ARDUINO
#define FRAMEWORK "Arduino"
#else
#define FRAMEWORK "ESP-IDF"
#endif

#ifdef CONFIG_SPIRAM
#define PSRAM "used if found"
#else
#define PSRAM "not used"
#endif

#ifdef CONFIG_SPI_FLASH_AUTO_SUSPEND
#define FLASH_SUSPEND "by the flash chip"
#else
#define FLASH_SUSPEND "off"
#endif

#if defined(CONFIG_ESPTOOLPY_FLASHMODE_QIO)
#define FLASH_MODE "qio"
#elif defined(CONFIG_ESPTOOLPY_FLASHMODE_QOUT)
#define FLASH_MODE "qout"
#elif defined(CONFIG_ESPTOOLPY_FLASHMODE_DOUT)
#define FLASH_MODE "dout"
#elif defined(CONFIG_ESPTOOLPY_FLASHMODE_OPI)
#define FLASH_MODE "opi"
#else
#define FLASH_MODE "dio"
#endif

/* IC_FLAGS states the compiler's flags. A build with CMake defines it; other builds, such as Arduino's, state only what
 * the compiler's own macros reveal. */
#ifndef IC_FLAGS
#if defined(__OPTIMIZE_SIZE__)
#define IC_FLAGS "the framework's, for size (-Os)"
#elif defined(__OPTIMIZE__)
#define IC_FLAGS "the framework's, for speed (-O1 or more)"
#else
#define IC_FLAGS "the framework's, without optimisation (-O0)"
#endif
#endif

#ifdef CONFIG_INTERCORE_CODE_IRAM
#define CODE "iram"
#else
#define CODE "flash, but for clock, locks and handlers"
#endif

#ifdef CONFIG_ESP_INT_WDT
#define INTERRUPT_WATCHDOG TEXT(CONFIG_ESP_INT_WDT_TIMEOUT_MS) " ms"
#else
#define INTERRUPT_WATCHDOG "off"
#endif

#if defined(CONFIG_COMPILER_OPTIMIZATION_PERF)
#define IDF_OPTIMISATION "-O2"
#elif defined(CONFIG_COMPILER_OPTIMIZATION_SIZE)
#define IDF_OPTIMISATION "-Os"
#elif defined(CONFIG_COMPILER_OPTIMIZATION_NONE)
#define IDF_OPTIMISATION "-O0"
#else
#define IDF_OPTIMISATION "-Og"
#endif

#ifdef CONFIG_LIBC_PICOLIBC
#define LIBRARY "picolibc"
#else
#define LIBRARY "newlib " _NEWLIB_VERSION
#endif

/* ---- the chip's description ---- */

static const char *reset_reason(void) {
    switch (esp_reset_reason()) {
    case ESP_RST_POWERON:
        return "power-on";
    case ESP_RST_EXT:
        return "reset pin";
    case ESP_RST_SW:
        return "software";
    case ESP_RST_PANIC:
        return "panic";
    case ESP_RST_INT_WDT:
        return "interrupt watchdog";
    case ESP_RST_TASK_WDT:
        return "task watchdog";
    case ESP_RST_WDT:
        return "watchdog";
    case ESP_RST_BROWNOUT:
        return "brownout";
    case ESP_RST_USB:
        return "USB";
    case ESP_RST_JTAG:
        return "JTAG";
    default:
        return "other";
    }
}

/* Reads the flash's parameters from the header of the boot loader's image. The ROM reads the boot loader with these
 * (ESP-IDF, "App Image Format"). The boot loader and the application may use a faster mode, which the condition
 * flash.mode states. */
static void read_flash_header(void) {
    static const char *const modes[] = {"qio", "qout", "dio", "dout", "fast", "slow"};
    esp_image_header_t header;
    if (esp_flash_read(NULL, &header, CONFIG_BOOTLOADER_OFFSET_IN_FLASH, sizeof header) != ESP_OK ||
        header.magic != ESP_IMAGE_HEADER_MAGIC || header.spi_mode >= sizeof modes / sizeof modes[0]) {
        (void)snprintf(flash_header, sizeof flash_header, "unknown");
        return;
    }
    (void)snprintf(flash_header, sizeof flash_header, "%s, speed code %u", modes[header.spi_mode],
                   (unsigned int)header.spi_speed);
}

static void number(char *text, uint32_t value) { (void)snprintf(text, NUMBER_BYTES, "%" PRIu32, value); }

void esp32_conditions_start(void) {
    esp_chip_info_t chip;
    esp_chip_info(&chip);
    (void)snprintf(revision, sizeof revision, "v%u.%u", chip.revision / 100U, chip.revision % 100U);
    number(cpu_hz, (uint32_t)esp_clk_cpu_freq());
    number(apb_hz, (uint32_t)esp_clk_apb_freq());
    number(crystal_hz, (uint32_t)esp_clk_xtal_freq());
    uint32_t bytes = 0;
    number(flash_bytes, esp_flash_get_physical_size(NULL, &bytes) == ESP_OK ? bytes : 0);
    uint32_t id = 0;
    (void)snprintf(flash_id, sizeof flash_id, "%06" PRIx32, esp_flash_read_id(NULL, &id) == ESP_OK ? id : 0);
    read_flash_header();
    number(psram_bytes, heap_caps_get_total_size(MALLOC_CAP_SPIRAM));
    number(heap_bytes, heap_caps_get_free_size(MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT));
}

static bool own_condition(uint32_t index, struct port_condition *condition) {
    const struct port_condition conditions[] = {
        {"chip.revision", revision},
        {"framework", FRAMEWORK},
        {"esp_idf.version", esp_get_idf_version()},
        {"esp_idf.optimisation", IDF_OPTIMISATION},
        {"reset.reason", reset_reason()},
        {"clock.cpu_hz", cpu_hz},
        {"clock.apb_hz", apb_hz},
        {"clock.crystal_hz", crystal_hz},
        {"clock.frequency", esp32_frequency_text()},
        {"flash.mode", FLASH_MODE},
        {"flash.speed", CONFIG_ESPTOOLPY_FLASHFREQ},
        {"flash.image_header", flash_header},
        {"flash.bytes", flash_bytes},
        {"flash.id", flash_id},
#ifdef CONFIG_IDF_TARGET_ESP32S3
        {"flash.suspend", FLASH_SUSPEND},
#endif
        {"cache", CACHE},
        {"psram", PSRAM},
        {"psram.bytes", psram_bytes},
        {"compiler", "GNU " __VERSION__ ", " CPU_NAME},
        {"compiler.flags", IC_FLAGS},
        {"compiler.library", LIBRARY},
        {"memory.code", CODE},
        {"memory.data", "internal"},
        {"memory.stacks", "internal"},
        {"memory.heap_at_start", heap_bytes},
        {"main_loop", port_loop_text()},
        {"console", esp32_console_name()},
        {"watchdog", esp32_watchdog_text()},
        {"watchdog.interrupt", INTERRUPT_WATCHDOG},
    };
    if (index >= sizeof conditions / sizeof conditions[0]) {
        return false;
    }
    *condition = conditions[index];
    return true;
}

bool port_condition(uint32_t index, struct port_condition *condition) {
    static bool (*const parts[])(uint32_t, struct port_condition *) = {own_condition, esp32_instruments_condition,
                                                                       port_freertos_condition};
    for (uint32_t part = 0, behind = index; part < sizeof parts / sizeof parts[0]; part++) {
        for (uint32_t i = 0; parts[part](i, condition); i++) {
            if (behind-- == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Returns ESP-IDF's name of the chip, which is also the target's name on the host. */
const char *port_board(void) { return CONFIG_IDF_TARGET; }

const char *port_chip(void) { return CHIP; }
