/* The kernel's own headers; in ESP-IDF they are in the folder freertos/. */
#ifndef KERNEL_API_H
#define KERNEL_API_H

#ifdef ESP_PLATFORM
#pragma GCC system_header /* ESP-IDF's headers cause some of the compiler warnings that this project enables */

#include "freertos/FreeRTOS.h"

#include "freertos/event_groups.h"
#include "freertos/message_buffer.h"
#include "freertos/semphr.h"
#include "freertos/stream_buffer.h"
#include "freertos/task.h"
#else
#include "FreeRTOS.h"

#include "event_groups.h"
#include "message_buffer.h"
#include "semphr.h"
#include "stream_buffer.h"
#include "task.h"
#endif

#endif
