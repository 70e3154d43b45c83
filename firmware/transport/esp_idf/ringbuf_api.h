/* ESP-IDF's header of its ring buffer, with our warnings off that it does not pass */
#ifndef RINGBUF_API_H
#define RINGBUF_API_H

#pragma GCC system_header

#include "freertos/FreeRTOS.h"

#include "freertos/ringbuf.h"

#endif
