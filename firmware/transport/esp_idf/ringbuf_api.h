/* Includes the header of ESP-IDF's ring buffer as a system header, which our compiler warnings do not check. */
#ifndef RINGBUF_API_H
#define RINGBUF_API_H

#pragma GCC system_header

#include "freertos/FreeRTOS.h"

#include "freertos/ringbuf.h"

#endif
