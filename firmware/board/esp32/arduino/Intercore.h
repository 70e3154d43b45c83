/* Intercore in an Arduino program: the benchmark for multicore microcontrollers, with the Serial Monitor as its console
 * and loop() as its main loop. */
#ifndef INTERCORE_ARDUINO_H
#define INTERCORE_ARDUINO_H

#include <Arduino.h>

class IntercoreClass {
  public:
    /* Starts Intercore with this console, which must have been begun; to be called once, in setup(). From now on the
     * console is Intercore's: it says what the chip is, and takes commands; type help. On false it has said there why
     * it could not start.
     *
     * The bit rate of a HardwareSerial can be raised by the tool at the desk; `rate` is the one it was begun with. Any
     * other Stream, such as that of native USB, has none. */
    bool begin(HardwareSerial &console, uint32_t rate = 115200);
    bool begin(Stream &console);

    /* What loop() is to do, and nothing beside: the competitor `main` of the benchmark contention while one is
     * measured, and waiting at all other times. */
    void loop();
};

extern IntercoreClass Intercore;

#endif
