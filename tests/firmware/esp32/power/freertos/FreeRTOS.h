/* Stands for ESP-IDF's FreeRTOS: the types that its hooks take. */
#ifndef FREERTOS_H
#define FREERTOS_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned int UBaseType_t;

#endif
