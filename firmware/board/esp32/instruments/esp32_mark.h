/* The energy mark (port_mark()): a GPIO, CONFIG_INTERCORE_MARK_GPIO of the project's configuration. -1: none. Where
 * there is no such configuration (Arduino), GPIO 4: on the header of every common board, and of no meaning at a reset.
 */
#ifndef ESP32_MARK_H
#define ESP32_MARK_H

/* Makes the pin an output, low. */
void esp32_mark_start(void);

/* The value of the condition `mark`. */
const char *esp32_mark_text(void);

#endif
