/* Includes ESP-IDF's header of its ring buffer as a system header: it would not pass our compiler warnings. */
#ifndef RINGBUF_API_H
#define RINGBUF_API_H

#pragma GCC system_header

#include "freertos/FreeRTOS.h"

#include "freertos/ringbuf.h"

#endif
