/* The pin that raises an interrupt (port_pin.h): GP3, pin 5 of the Pico's header */
#ifndef RP2_PIN_H
#define RP2_PIN_H

#define PIN_TEXT "GP3 (header pin 5)"

#endif
