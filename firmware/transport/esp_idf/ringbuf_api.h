/* ESP-IDF's header of its ring buffer, which is not written for all of our warnings. */
#ifndef RINGBUF_API_H
#define RINGBUF_API_H

#pragma GCC system_header

#include "freertos/FreeRTOS.h"

#include "freertos/ringbuf.h"

#endif
