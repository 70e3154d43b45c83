/* ESP-IDF's headers that describe the chip. They are included here because they do not pass all of our warnings. */
#ifndef ESP32_SDK_H
#define ESP32_SDK_H

#pragma GCC system_header

#include "esp_app_format.h"
#include "esp_chip_info.h"
#include "esp_flash.h"
#include "esp_heap_caps.h"
#include "esp_idf_version.h"
#include "esp_private/esp_clk.h"
#include "esp_rom_sys.h"
#include "esp_system.h"
#include "sdkconfig.h"

#endif
