"""Build factors of ESP32, ESP32-S3 and ESP32-P4, in addition to the optimisation level."""

from __future__ import annotations

from intercore.board.factors import Factor, Partners, recorder

# ESP32 technical reference manual, reset and clock: PLL_CLK divided gives a CPU_CLK of 80, 160 or 240 MHz; the same for
# the ESP32-S3. The menu of ESP-IDF (CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ) has these three.
CPU_MHZ = Factor(
    name="cpu_mhz",
    title="clock frequency in MHz of both cores",
    default=240,
    levels=(80, 160, 240),
)

# Chips before revision 3 are specified for 360 MHz, and an image is either for those or for later ones
# (ESP-IDF, components/esp_hw_support/port/esp32p4/Kconfig.hw_support: ESP32P4_SELECTS_REV_LESS_V3).
P4_MHZ = Factor(
    name="cpu_mhz",
    title="clock frequency of both cores in MHz; an ESP32-P4 before revision 3 needs 360, later revisions 400",
    default=400,
    levels=(360, 400),
)

# Code runs from flash through each core's cache, ESP-IDF's default, or the measuring and measured code runs from IRAM.
ESP_CODE = Factor(
    name="code",
    title="memory for the code",
    default="flash",
    levels=("flash", "iram"),
)

# With it, ESP-IDF compiles everything with a workaround for the first revisions of the ESP32
# (-mfix-esp32-psram-cache-issue).
PSRAM = Factor(
    name="psram",
    title="external RAM (PSRAM) of the module, if present",
    default="off",
    levels=("off", "on"),
)

# CONFIG_SPI_FLASH_AUTO_SUSPEND of ESP-IDF: a read through the cache interrupts an erase or a page program, and no core
# has to stop. Of the chips here only the ESP32-S3 has it (ESP-IDF programming guide, Optional Features for Flash).
FLASH_SUSPEND = Factor(
    name="flash_suspend",
    title="whether the flash interrupts erasing and programming when code is read from it",
    default="off",
    levels=("off", "auto"),
    cautions={
        "auto": "Only some flash chips can suspend by themselves (ESP-IDF lists XM25QxxC, GD25QxxE and FM25Q series): "
        "with another one, whatever runs while flash is written may crash."
    },
)

# An event takes 16 bytes of each core's static memory. ESP-IDF's tick, which records one, also occurs while flash is
# written and code cannot be read from it: Kconfig then places the recorder's code in IRAM.
_TRACE_LEVELS = (256, 512, 1024)
ESP_TRACE = recorder(
    *_TRACE_LEVELS,
    partners={
        ESP_CODE.name: Partners(
            dict.fromkeys(_TRACE_LEVELS, ("iram",)), "the recorder's code must not wait for flash: add code=iram"
        )
    },
)
