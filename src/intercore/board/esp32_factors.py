"""What the program of ESP32, ESP32-S3 and ESP32-P4 can be built with, beside the optimisation level."""

from __future__ import annotations

from intercore.board.factors import Factor, Partners, recorder

# ESP32 technical reference manual, reset and clock: PLL_CLK divided gives a CPU_CLK of 80, 160 or 240 MHz; ESP32-S3
# likewise. The menu of ESP-IDF (CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ) has these three.
CPU_MHZ = Factor(
    name="cpu_mhz",
    title="rate of both cores' clock in MHz",
    default=240,
    levels=(80, 160, 240),
)

# The chips before revision 3 are made for 360 MHz, and an image is for those or for the later ones, never for both
# (ESP-IDF, components/esp_hw_support/port/esp32p4/Kconfig.hw_support: ESP32P4_SELECTS_REV_LESS_V3).
P4_MHZ = Factor(
    name="cpu_mhz",
    title="rate of both cores' clock in MHz; an ESP32-P4 before revision 3 needs 360, a later one 400",
    default=400,
    levels=(360, 400),
)

# Code runs from flash through each core's cache, as ESP-IDF places it, or what measures and is measured from IRAM.
ESP_CODE = Factor(
    name="code",
    title="place for the code",
    default="flash",
    levels=("flash", "iram"),
)

# With it, ESP-IDF compiles everything for the first revisions of the ESP32 otherwise (-mfix-esp32-psram-cache-issue).
PSRAM = Factor(
    name="psram",
    title="external RAM of the module, used if it has some",
    default="off",
    levels=("off", "on"),
)

# An event takes 16 bytes of each core's static memory. ESP-IDF's tick, which puts one in, comes while flash is written,
# too, when no code can be read from there: Kconfig has the code in IRAM then.
_TRACE_LEVELS = (256, 512, 1024)
ESP_TRACE = recorder(
    *_TRACE_LEVELS,
    partners={
        ESP_CODE.name: Partners(
            dict.fromkeys(_TRACE_LEVELS, ("iram",)), "the recorder's code must not wait for flash: name code=iram"
        )
    },
)
