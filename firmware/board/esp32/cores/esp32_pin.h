/* The pin that raises an interrupt (port_pin.h). The project's configuration selects the GPIO by
 * CONFIG_INTERCORE_EDGE_GPIO; -1 means no pin. Without such a configuration (Arduino) it is GPIO 5. */
#ifndef ESP32_PIN_H
#define ESP32_PIN_H

#ifdef CONFIG_INTERCORE_EDGE_GPIO
#define PIN CONFIG_INTERCORE_EDGE_GPIO
#else
#define PIN 5
#endif

#define PIN_TEXT_OF(token) "GPIO" #token
#define PIN_TEXT_OF_MACRO(macro) PIN_TEXT_OF(macro)
#if PIN >= 0
#define PIN_TEXT PIN_TEXT_OF_MACRO(PIN)
#else
#define PIN_TEXT "none"
#endif

#endif
