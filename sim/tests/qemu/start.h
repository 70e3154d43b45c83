#pragma once
#include <stdint.h>

void print(const char *text);
void print_hex(const char *name, uint64_t value);
