/* board_panic(): one `log` line for the desk (docs/protocol.md), and then ESP-IDF's own panic, with its backtrace and
 * reset. The line goes to the ROM's console: UART0, unless the project's configuration has another. */
#include "esp32_sdk.h"
#include "line.h"
#include "port_freertos.h"

/* Static: the stack may be the broken thing. */
static struct ic_line line;

void board_panic(const char *what, const char *where, uint32_t number) {
    port_mark(false);
    ic_line_open(&line, "log");
    ic_line_integer(&line, "id", 0);
    ic_line_text(&line, "text", what);
    ic_line_text(&line, "where", where);
    ic_line_integer(&line, "number", number);
    ic_line_integer(&line, "core", port_core_id());
    size_t size = ic_line_close(&line);
    esp_rom_printf("\r\n"); /* a line may be under way */
    for (size_t i = 0; i < size; i++) {
        esp_rom_printf("%c", line.text[i]);
    }
    esp_system_abort(what);
}
