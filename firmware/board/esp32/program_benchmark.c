/* The benchmark program */
#include "console.h"
#include "esp32_board.h"

void esp32_program(void) { ic_console_serve(); }
