/* The board's esp32_ccompare.h, likewise. */
#ifndef ESP32_CCOMPARE_H
#define ESP32_CCOMPARE_H

#include <stdbool.h>
#include <stdint.h>

void ccompare_set_1(uint32_t counter);
bool ccompare_is_pending(uint32_t number);
uint32_t ccompare_0(void);

#endif
